//! A second reader of boards, written from the grammar in `docs/GUIDE.md`, and random texts for
//! both readers. It lists all readings of a block, and refuses it unless there is exactly one.

use fastrand::Rng;
use serde_json::Value;

/// A board: its size and its queens as row and column.
type Board = (usize, Vec<(usize, usize)>);

/// Returns the size of each board and whether it is a solution, and whether the text was refused.
pub(super) fn verdicts(text: &[u8]) -> (Vec<(usize, bool)>, bool) {
    let mut boards = Vec::new();
    let is_refused = read(text, &mut boards).is_none();
    (boards.iter().map(|(n, queens)| (*n, is_solution(*n, queens))).collect(), is_refused)
}

fn is_solution(n: usize, queens: &[(usize, usize)]) -> bool {
    let is_peaceful = |(r, c): (usize, usize), (s, d): (usize, usize)| {
        r != s && c != d && r + c != s + d && r + d != s + c
    };
    let pairs = (0..queens.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    queens.len() == n && pairs.into_iter().all(|(i, j)| is_peaceful(queens[i], queens[j]))
}

fn read(text: &[u8], boards: &mut Vec<Board>) -> Option<()> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    lines.push(b""); // ends the last block
    let mut block: Vec<&str> = Vec::new();
    let mut is_array = false;
    for line in lines {
        let line = str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok();
        let Some(line) = line.filter(|line| !line.contains(|c: char| c < ' ' && c != '\t')) else {
            broken(&block, None, boards);
            return None;
        };
        let is_blank = line.trim().is_empty();
        if is_array {
            is_array = line.trim() != "]";
            if !is_blank {
                block.push(line);
            }
        } else if !is_blank && is_heading(line) && has_list(line) {
            broken(&block, None, boards);
            return None;
        } else if is_blank || is_heading(line) {
            if !block.is_empty() {
                add_block(&block, boards)?;
            }
            block.clear();
        } else {
            is_array = line.trim() == "[" && (block.is_empty() || is_json(block[0]));
            block.push(line);
        }
    }
    if !block.is_empty() {
        // An array without end.
        add_json(&block, boards);
        return None;
    }
    (!boards.is_empty()).then_some(())
}

fn is_heading(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let is_word = |word: &str| {
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        word[..end].replace(['Q', 'q'], "").chars().count() >= 2
    };
    let all: String = words.concat();
    let mut characters = all.chars();
    is_word(words[0])
        || (words.len() > 1 && words[0].as_bytes()[0].is_ascii_digit() && is_word(words[1]))
        || (characters.next().unwrap().is_alphabetic() && characters.next() == Some('='))
}

/// Whether four numbers follow each other.
fn has_list(line: &str) -> bool {
    let words = line.replace(BETWEEN, " ");
    let is_number: Vec<_> =
        words.split_whitespace().map(|word| word.chars().all(|c| c.is_ascii_digit())).collect();
    is_number.windows(4).any(|four| four == [true; 4])
}

fn is_json(line: &str) -> bool {
    ["[", "[]"].contains(&line.trim()) || line.trim().starts_with('{')
}

fn add_block(block: &[&str], boards: &mut Vec<Board>) -> Option<()> {
    if is_json(block[0]) {
        return add_json(block, boards);
    }
    let mut readings = readings(block);
    if readings.len() != 1 {
        let wrong = block.iter().position(|line| list(line, 2).is_none());
        broken(block, wrong, boards);
        return None;
    }
    boards.append(&mut readings[0]);
    Some(())
}

/// Adds the boards of a block that breaks off: of lines with a list each, all but the last before
/// the wrong line, and of JSON, all before it.
fn broken(block: &[&str], wrong: Option<usize>, boards: &mut Vec<Board>) {
    if block.first().is_some_and(|line| is_json(line)) {
        add_json(block, boards);
    } else if block
        .first()
        .is_some_and(|line| numbers(line).is_some_and(|n| n.len() > 1) && !is_binary(line))
    {
        let end = wrong.unwrap_or(block.len());
        let lists: Vec<_> = block[..end].iter().map_while(|line| list(line, 2)).collect();
        boards.extend(lists.iter().take(lists.len().saturating_sub(1)).cloned());
    }
}

fn add_json(block: &[&str], boards: &mut Vec<Board>) -> Option<()> {
    // Outside of an array, or after its bracket, an object or a comma.
    let mut after = ' ';
    for line in block {
        let line = line.trim();
        if line == "[" && after == ' ' {
            after = '[';
        } else if line == "]" && (after == '[' || after == '}') {
            after = ' ';
        } else if line == "[]" && after == ' ' {
            // An array without boards.
        } else {
            let object = if after == ' ' { line } else { line.trim_end_matches(',') };
            if after == '}' || line.ends_with(",,") {
                return None;
            }
            let object: Value = serde_json::from_str(object).ok()?;
            let known = ["n", "solution", "seconds", "rows"];
            if !object.as_object()?.keys().all(|key| known.contains(&key.as_str())) {
                return None;
            }
            let rows = object.as_object()?.get("rows")?.as_array()?;
            let rows: Vec<_> = rows.iter().map(Value::as_u64).collect::<Option<_>>()?;
            let is_sized = object.get("n").is_none_or(|n| *n == rows.len());
            if !is_sized || rows.iter().any(|row| *row as usize >= rows.len()) {
                return None;
            }
            let queens = (0..).zip(rows.iter()).map(|(column, row)| (*row as usize, column));
            boards.push((rows.len(), queens.collect()));
            if after != ' ' {
                after = if line.ends_with(',') { ',' } else { '}' };
            }
        }
    }
    Some(())
}

/// Returns all readings of a block, each of which has one or several boards.
fn readings(block: &[&str]) -> Vec<Vec<Board>> {
    let n = block.len();
    let is_number_below = |line: &&str| only_number(line) == Some(n - 1) && n > 2;
    let below = Some(block[0]).filter(is_number_below).map(|_| &block[1..]);
    let has_blanks = block[0].contains([' ', '\t']);
    if !has_closed_brackets(block) || block.iter().any(|line| has_gap(line)) {
        return Vec::new();
    }
    if n == 1 && squares(block[0]).len() == 1 && has_blanks {
        return Vec::new();
    }
    // What can be drawn is a drawing, but a number alone is a list.
    for lines in [Some(block), below].into_iter().flatten() {
        if let Some(board) = drawing(lines).filter(|_| n > 1 || !is_binary(block[0])) {
            return vec![vec![board]];
        }
    }
    let mut found = Vec::new();
    let column: Option<Vec<_>> = block.iter().map(|line| only_number(line)).collect();
    if let Some(column) = column.filter(|_| n > 1) {
        let (whole, rest) = (board_of(&column), board_of(&column[1..]).filter(|_| below.is_some()));
        let mut sorted = column.clone();
        sorted.sort_unstable();
        if rest.is_some() && sorted == (0..n).collect::<Vec<_>>() {
            return Vec::new();
        }
        found.extend(rest.or(whole).map(|board| vec![board]));
    }
    let shortest = if n == 1 { 1 } else { 2 };
    if n == 1 || !block.iter().all(|line| is_binary(line)) {
        let lists: Option<Vec<_>> = block.iter().map(|line| list(line, shortest)).collect();
        found.extend(lists);
    }
    found
}

fn drawing(lines: &[&str]) -> Option<Board> {
    let n = lines.len();
    let is_whole = lines.iter().all(|line| line.chars().count() == n);
    let whole = |line: &&str| if is_whole { line.chars().collect() } else { squares(line) };
    let grid: Vec<Vec<char>> = lines.iter().map(whole).collect();
    let has = |wanted: &str| grid.concat().iter().any(|c| wanted.contains(*c));
    let queens = if has("*") { "*" } else { "Qq1" };
    let allowed = format!("{queens}_.-0# ");
    if !grid.iter().all(|row| row.len() == n && row.iter().all(|c| allowed.contains(*c))) {
        return None;
    }
    let all = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
    Some((n, all.filter(|(row, column)| queens.contains(grid[*row][*column])).collect()))
}

/// Returns the board of a list in a line, if it has at least `shortest` rows.
fn list(line: &str, shortest: usize) -> Option<Board> {
    let mut rows = numbers(line)?;
    // Bars belong to drawings, brackets separate lists, and zeros and ones may be a drawing.
    let inner = line.trim_matches(|c: char| !c.is_ascii_digit());
    let is_binary = rows.len() > 2 && is_binary(line);
    if line.contains('|') || inner.contains(['[', ']', '(', ')']) || is_binary {
        return None;
    }
    if rows.len() == 1 {
        rows = squares(line).iter().map(|digit| *digit as usize - '0' as usize).collect();
    }
    let is_sound = has_closed_brackets(&[line]) && !has_gap(line);
    board_of(&rows).filter(|(n, _)| *n >= shortest && is_sound)
}

fn board_of(rows: &[usize]) -> Option<Board> {
    let n = rows.len();
    let first = (0..2).find(|first| rows.iter().all(|row| (*first..first + n).contains(row)))?;
    Some((n, rows.iter().enumerate().map(|(column, row)| (row - first, column)).collect()))
}

const BETWEEN: [char; 8] = [' ', '\t', ',', '|', '[', ']', '(', ')'];

fn squares(line: &str) -> Vec<char> {
    line.replace(BETWEEN, "").chars().collect()
}

fn numbers(line: &str) -> Option<Vec<usize>> {
    let line = line.replace(BETWEEN, " ");
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit()) && word.len() < 10;
    let words: Vec<_> = line.split_whitespace().collect();
    words
        .iter()
        .all(|word| is_number(word))
        .then(|| words.iter().map(|word| word.parse().unwrap()).collect())
}

fn only_number(line: &str) -> Option<usize> {
    numbers(line).filter(|numbers| numbers.len() == 1).map(|numbers| numbers[0])
}

fn is_binary(line: &str) -> bool {
    squares(line).iter().all(|c| *c == '0' || *c == '1')
}

fn has_closed_brackets(lines: &[&str]) -> bool {
    let mut brackets = lines.concat().replace(|c| !"[]()".contains(c), "");
    while brackets.contains("[]") || brackets.contains("()") {
        brackets = brackets.replace("[]", "").replace("()", "");
    }
    brackets.is_empty()
}

/// Whether a square is missing beside a comma or between bars.
fn has_gap(line: &str) -> bool {
    let line = line.replace([' ', '\t'], "");
    let gaps = [",,", "|,", "[,", "(,", ",|", "||", ",]", ",)"];
    let has_end = line.ends_with(',') && !line.ends_with("],") && !line.ends_with("),");
    line.starts_with(',') || has_end || gaps.iter().any(|gap| line.contains(gap))
}

/// Returns a text with boards in one of the accepted forms, often with mistakes.
pub(super) fn random_text(rng: &mut Rng) -> Vec<u8> {
    let blocks = rng.usize(1..4);
    let mut lines: Vec<String> = Vec::new();
    for _ in 0..blocks {
        if rng.u8(..3) == 0 {
            let n = rng.u8(..10);
            let heading = [
                "Solution #",
                "#",
                "# queens",
                "N = #",
                "Solution # of 92, time = 0.1 s",
                "Statistics\n  failures: #",
                "x#",
                "# x",
                "Solution #: 1 3 0 2",
                "rows = [2, 4, 1, 3]",
            ];
            let heading = heading[rng.usize(..heading.len())].replace('#', &n.to_string());
            lines.extend(heading.lines().map(str::to_owned));
        }
        lines.extend(random_block(rng).lines().map(str::to_owned));
        if rng.u8(..5) > 0 {
            lines.push(if rng.u8(..8) == 0 { " " } else { "" }.to_owned());
        }
    }
    for _ in 0..rng.usize(..3) * rng.usize(..2) {
        mutate(&mut lines, rng);
    }
    let end = if rng.u8(..8) == 0 { "\r\n" } else { "\n" };
    let text = lines.join(end) + ["", end][rng.usize(..2)];
    match rng.u8(..60) {
        0..4 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        4 => {
            [&[0xff, 0xfe][..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()]
                .concat()
        }
        5 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        6 => [text.as_bytes(), b"\nL\xf6sung\n"].concat(),
        7 => text.replace('\n', "\r").into_bytes(),
        8 => text.as_bytes()[..rng.usize(..=text.len())].to_vec(),
        _ => text.into_bytes(),
    }
}

/// Returns boards of one form: solutions, permutations, or any rows.
fn random_block(rng: &mut Rng) -> String {
    let n = [1, 2, 3, 4, 4, 5, 5, 6, 8, 9, 11][rng.usize(..11)];
    let mut rows: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut rows);
    match rng.u8(..10) {
        0 => rows.iter_mut().for_each(|row| *row = rng.usize(..n)),
        1..3 => {}
        _ => {
            let all: Vec<_> = crate::solutions(n as u32).unwrap().take(40).collect();
            if let Some(solution) = rng.choice(&all) {
                rows = solution.rows().iter().map(|row| *row as usize).collect();
            }
        }
    }
    match rng.u8(..8) {
        0..4 => drawn(&rows, rng),
        4 => {
            let object = format!("{{\"n\":{n},\"rows\":{rows:?}}}");
            match rng.u8(..3) {
                0 => object,
                1 => format!("{object}\n{object}"),
                _ => format!("[\n{object},\n{object}\n]"),
            }
        }
        _ => {
            let first = rng.usize(..2);
            let rows: Vec<_> = rows.iter().map(|row| (row + first).to_string()).collect();
            let number = if rng.bool() { format!("{n}\n") } else { String::new() };
            let line = match rng.u8(..6) {
                0 => return number + &rows.join("\n"),
                1 => rows.concat(),
                2 => format!("[{}]", rows.join(", ")),
                3 => rows.join(","),
                4 => rows.join(", "),
                _ => rows.join(" "),
            };
            match rng.u8(..8) {
                0 => number + &line,
                1..4 => format!("{line}\n{line}"),
                _ => line,
            }
        }
    }
}

fn drawn(rows: &[usize], rng: &mut Rng) -> String {
    let n = rows.len();
    let pairs = ["Q_", "Q.", "q-", "10", "10", "*.", "*0", "Q ", "1 ", "* ", "Q#"];
    let pair: Vec<_> = pairs[rng.usize(..pairs.len())].chars().collect();
    let between =
        if pair[1] == ' ' { "" } else { ["", " ", ",", ", ", "|", " | "][rng.usize(..6)] };
    let (open, close) = [("", ""), ("", ""), ("[", "]"), ("|", "|"), (" ", "")][rng.usize(..5)];
    let (open, close) = if pair[1] == ' ' { ("", "") } else { (open, close) };
    let row = |row: usize| {
        let squares: Vec<_> =
            rows.iter().map(|r| pair[usize::from(*r != row)].to_string()).collect();
        format!("{open}{}{close}", squares.join(between))
    };
    let lines: Vec<_> = (0..n).map(row).collect();
    if rng.u8(..6) == 0 { format!("{n}\n{}", lines.join("\n")) } else { lines.join("\n") }
}

fn mutate(lines: &mut Vec<String>, rng: &mut Rng) {
    let (i, j) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    let characters = "Qq1_.-0#* ,|[](){}2389x\t\"é";
    match rng.u8(..8) {
        0 if lines.len() > 1 => {
            lines.remove(i);
        }
        1 => lines.insert(i, lines[j].clone()),
        2 => lines.swap(i, j),
        3 => lines.insert(
            i,
            ["", "words here", "Q", "0", "3", "0 1", "[", "]", "[]"][rng.usize(..9)].to_owned(),
        ),
        kind => {
            let mut line: Vec<_> = lines[i].chars().collect();
            let at = rng.usize(..=line.len());
            let new = characters.chars().nth(rng.usize(..characters.chars().count())).unwrap();
            match kind {
                4 if at < line.len() => {
                    line.remove(at);
                }
                5 => line.insert(at, new),
                _ if at < line.len() => line[at] = new,
                _ => line.push(new),
            }
            lines[i] = line.into_iter().collect();
        }
    }
}
