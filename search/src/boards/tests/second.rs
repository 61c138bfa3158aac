//! A second reader of boards, written from the grammar in `docs/GUIDE.md`, and random texts for
//! both readers. It lists all readings of a block, and refuses it unless there is exactly one.

use fastrand::Rng;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A board: its size and its queens as column and row.
pub(super) type Board = (usize, Vec<(usize, usize)>);

const BETWEEN: [char; 8] = [' ', '\t', ',', '|', '[', ']', '(', ')'];

pub(super) fn is_solution((n, queens): &Board) -> bool {
    let attack = |(c, r): (usize, usize), (d, s): (usize, usize)| {
        c == d || r == s || c + r == d + s || c + s == d + r
    };
    let mut pairs = (0..queens.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    queens.len() == *n && !pairs.any(|(i, j)| attack(queens[i], queens[j]))
}

/// Adds the boards of a text. Returns `None` if it is refused.
pub(super) fn read(text: &[u8], boards: &mut Vec<Board>) -> Option<()> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let (mut block, mut is_array) = (Vec::new(), false);
    // The empty line ends the last block.
    for line in text.split(|byte| *byte == b'\n').chain([&b""[..]]) {
        let line = str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok();
        let is_text = |line: &&str| !line.contains(|c: char| c < ' ' && c != '\t');
        let is_clear = |line: &&str| is_array || !is_heading(line) || !has_list(line);
        let Some(line) = line.filter(is_text).filter(is_clear) else {
            add_broken(&block, None, boards);
            return None;
        };
        let is_blank = line.trim().is_empty();
        if is_array {
            is_array = line.trim() != "]";
            block.extend((!is_blank).then_some(line));
        } else if is_blank || is_heading(line) {
            add_block(&block, boards)?;
            block.clear();
        } else {
            is_array = line.trim() == "[" && block.first().is_none_or(|first| is_json(first));
            block.push(line);
        }
    }
    add_json(&block, boards); // an array without end
    (block.is_empty() && !boards.is_empty()).then_some(())
}

fn is_heading(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let is_word = |word: &str| {
        let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
        word[..end].replace(['Q', 'q'], "").chars().count() >= 2
    };
    let begins_with_digit = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let mut characters = line.chars().filter(|c| !c.is_whitespace());
    words.first().is_some_and(|word| is_word(word))
        || (begins_with_digit && words.get(1).is_some_and(|word| is_word(word)))
        || (characters.next().is_some_and(char::is_alphabetic) && characters.next() == Some('='))
}

/// Whether four numbers follow each other.
fn has_list(line: &str) -> bool {
    let words = line.replace(BETWEEN, " ");
    let words: Vec<_> = words.split_whitespace().collect();
    words.windows(4).any(|four| four.concat().chars().all(|c| c.is_ascii_digit()))
}

fn is_json(line: &str) -> bool {
    ["[", "[]"].contains(&line.trim()) || line.trim().starts_with('{')
}

fn add_block(block: &[&str], boards: &mut Vec<Board>) -> Option<()> {
    if block.first().is_none_or(|line| is_json(line)) {
        return add_json(block, boards);
    }
    let mut readings = readings(block);
    if readings.len() != 1 {
        add_broken(block, block.iter().position(|line| list(line, 2).is_none()), boards);
        return None;
    }
    boards.append(&mut readings[0]);
    Some(())
}

/// Adds the boards of a block that breaks off: of lines with a list each, all but the last before
/// the wrong line, and of JSON, all before it.
fn add_broken(block: &[&str], wrong: Option<usize>, boards: &mut Vec<Board>) {
    let Some(first) = block.first() else { return };
    if is_json(first) {
        add_json(block, boards);
    } else if numbers(first).is_some_and(|numbers| numbers.len() > 1) && !is_binary(first) {
        let lines = &block[..wrong.unwrap_or(block.len())];
        let mut lists: Vec<_> = lines.iter().map_while(|line| list(line, 2)).collect();
        lists.pop();
        boards.append(&mut lists);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    n: Option<usize>,
    #[serde(rename = "solution")]
    _solution: Option<IgnoredAny>,
    #[serde(rename = "seconds")]
    _seconds: Option<IgnoredAny>,
    rows: Vec<usize>,
}

fn add_json(block: &[&str], boards: &mut Vec<Board>) -> Option<()> {
    // In an array, after its bracket, an object or a comma.
    let mut after = None;
    for line in block.iter().map(|line| line.trim()) {
        match (line, after) {
            ("[", None) => after = Some('['),
            ("]", Some('[' | '}')) => after = None,
            ("[]", None) => {} // an array without boards
            (_, Some('}')) => return None,
            _ => {
                let comma = line.strip_suffix(',').filter(|_| after.is_some());
                let Object { n, rows, .. } = serde_json::from_str(comma.unwrap_or(line)).ok()?;
                let len = rows.len();
                if n.is_some_and(|n| n != len) || rows.iter().any(|row| *row >= len) {
                    return None;
                }
                boards.push((len, rows.into_iter().enumerate().collect()));
                after = after.map(|_| if comma.is_some() { ',' } else { '}' });
            }
        }
    }
    Some(())
}

/// Returns all readings of a block, each of which has one or several boards.
fn readings(block: &[&str]) -> Vec<Vec<Board>> {
    let (n, first) = (block.len(), block[0]);
    let is_number_below = n > 2 && only_number(first) == Some(n - 1);
    let is_padded = n == 1 && squares(first).len() == 1 && first.contains([' ', '\t']);
    if is_padded || !has_closed_brackets(block) || block.iter().any(|line| has_gap(line)) {
        return Vec::new();
    }
    // What can be drawn is a drawing, but a number alone is a list.
    let below = is_number_below.then(|| drawing(&block[1..])).flatten();
    if let Some(board) = drawing(block).filter(|_| n > 1 || !is_binary(first)).or(below) {
        return vec![vec![board]];
    }
    let mut found = Vec::new();
    let column: Option<Vec<_>> = block.iter().map(|line| only_number(line)).collect();
    if let Some(column) = column.filter(|_| n > 1) {
        let rest = board_of(&column[1..]).filter(|_| is_number_below);
        if rest.is_some() && (0..n).all(|row| column.contains(&row)) {
            return Vec::new();
        }
        found.extend(rest.or(board_of(&column)).map(|board| vec![board]));
    }
    if n == 1 || !block.iter().all(|line| is_binary(line)) {
        let lists: Option<Vec<_>> = block.iter().map(|line| list(line, n.min(2))).collect();
        found.extend(lists);
    }
    found
}

fn drawing(lines: &[&str]) -> Option<Board> {
    let n = lines.len();
    let is_whole = lines.iter().all(|line| line.chars().count() == n);
    let whole = |line: &&str| if is_whole { line.chars().collect() } else { squares(line) };
    let grid: Vec<Vec<char>> = lines.iter().map(whole).collect();
    let queens = if grid.concat().contains(&'*') { "*" } else { "Qq1" };
    let allowed = format!("{queens}_.-0# ");
    if !grid.iter().all(|row| row.len() == n && row.iter().all(|c| allowed.contains(*c))) {
        return None;
    }
    let all = (0..n).flat_map(|column| (0..n).map(move |row| (column, row)));
    Some((n, all.filter(|(column, row)| queens.contains(grid[*row][*column])).collect()))
}

/// Returns the board of a list in a line, if it has at least `shortest` rows.
fn list(line: &str, shortest: usize) -> Option<Board> {
    let mut rows = numbers(line)?;
    // Bars belong to drawings, brackets separate lists, and zeros and ones may be a drawing.
    let inner = line.trim_matches(|c: char| !c.is_ascii_digit());
    let may_be_drawn = line.contains('|') || (rows.len() > 2 && is_binary(line));
    if may_be_drawn || inner.contains(['[', ']', '(', ')']) {
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
    Some((n, rows.iter().map(|row| row - first).enumerate().collect()))
}

fn squares(line: &str) -> Vec<char> {
    line.replace(BETWEEN, "").chars().collect()
}

fn numbers(line: &str) -> Option<Vec<usize>> {
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit()) && word.len() < 10;
    let number = |word| Some(word).filter(is_number)?.parse().ok();
    line.replace(BETWEEN, " ").split_whitespace().map(number).collect()
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

const HEADINGS: &str = "Solution #;#;# queens;N = #;Solution # of 92, time = 0.1 s;Solution # of 92, 4 x 4;Statistics;x#;# x;\
                        Solution #: 1 3 0 2;rows = [2, 4, 1, 3]";

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())]
}

/// Returns a text with boards in one of the accepted forms, often with mistakes.
pub(super) fn random_text(rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<String> = Vec::new();
    for _ in 0..rng.usize(1..4) {
        if rng.u8(..3) == 0 {
            let heading = pick(rng, &HEADINGS.split(';').collect::<Vec<_>>());
            lines.push(heading.replace('#', &rng.u8(..10).to_string()));
        }
        lines.extend(random_block(rng).lines().map(str::to_owned));
        if rng.u8(..5) > 0 {
            lines.push(pick(rng, &["", "", "", "", "", "", "", " "]).to_owned());
        }
    }
    for _ in 0..rng.usize(..3) * rng.usize(..2) {
        mutate(&mut lines, rng);
    }
    let end = if rng.u8(..8) == 0 { "\r\n" } else { "\n" };
    let text = lines.join(end) + pick(rng, &["", end]);
    match rng.u8(..60) {
        0..4 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        4 => [text.as_bytes(), b"\nL\xf6sung\n"].concat(),
        5 => text.replace('\n', "\r").into_bytes(),
        6 => text.as_bytes()[..rng.usize(..=text.len())].to_vec(),
        _ => text.into_bytes(),
    }
}

/// Returns boards of one form: solutions, permutations, or any rows.
fn random_block(rng: &mut Rng) -> String {
    let n = pick(rng, &[1, 2, 3, 4, 4, 5, 5, 6, 8, 9, 11]);
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
    let object = format!("{{\"n\":{n},\"rows\":{rows:?}}}");
    match rng.u8(..16) {
        0..8 => return drawn(&rows, rng),
        8 => return object,
        9 => return format!("[\n{object},\n{object}{}\n]", pick(rng, &["", "", ","])),
        _ => {}
    }
    let first = rng.usize(..2);
    let rows: Vec<_> = rows.iter().map(|row| (row + first).to_string()).collect();
    let number = pick(rng, &["", &format!("{n}\n")]).to_owned();
    let line = match pick(rng, &["\n", "", "[", ",", ", ", " "]) {
        "\n" => return number + &rows.join("\n"),
        "[" => format!("[{}]", rows.join(", ")),
        between => rows.join(between),
    };
    match rng.u8(..8) {
        0 => number + &line,
        1..4 => format!("{line}\n{line}"),
        _ => line,
    }
}

fn drawn(rows: &[usize], rng: &mut Rng) -> String {
    let pair = pick(rng, &["Q_", "Q.", "q-", "10", "10", "*.", "*0", "Q ", "1 ", "* ", "Q#"]);
    let (mut between, mut ends) = ("", ["", ""]);
    if !pair.ends_with(' ') {
        between = pick(rng, &["", " ", ",", ", ", "|", " | "]);
        ends = pick(rng, &[["", ""], ["", ""], ["[", "]"], ["|", "|"], [" ", ""]]);
    }
    let line = |row: usize| {
        let square = |queen: &usize| &pair[usize::from(*queen != row)..][..1];
        let squares: Vec<_> = rows.iter().map(square).collect();
        ends.join(&squares.join(between)) + "\n"
    };
    let number = pick(rng, &["", "", "", "", "", &format!("{}\n", rows.len())]).to_owned();
    number + &(0..rows.len()).map(line).collect::<String>()
}

fn mutate(lines: &mut Vec<String>, rng: &mut Rng) {
    let (i, j) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    let mut line: Vec<_> = lines[i].chars().collect();
    let at = rng.usize(..=line.len());
    let new = pick(rng, &"Qq1_.-0#* ,|[](){}2389x\t\"é".chars().collect::<Vec<_>>());
    match rng.u8(..8) {
        0 if lines.len() > 1 => drop(lines.remove(i)),
        1 => lines.insert(i, lines[j].clone()),
        2 => lines.swap(i, j),
        3 => {
            let all = ["", "words here", "Q", "0", "3", "0 1", "[", "]", "[]"];
            lines.insert(i, pick(rng, &all).to_owned());
        }
        kind => {
            // Remove a character, insert one, or replace one.
            let end = if kind == 5 { at } else { line.len().min(at + 1) };
            line.splice(at..end, (kind != 4).then_some(new));
            lines[i] = line.into_iter().collect();
        }
    }
}
