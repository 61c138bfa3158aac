//! Tests of the commands in the documentation. Blocks marked `console` are run in order, in one
//! folder per document, and their output is compared. Blocks marked `sh` need a cluster or take
//! hours, so the command line's tests only parse them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use queens::names::Named;
use queens::{Board, Engine, Kernel, Symmetry};
use queens_search::{Limits, Search};
use rstest::rstest;

use super::ROOT;
use super::program::Place;

#[cfg(unix)]
#[rstest]
#[case("README.md", 5)]
#[case("docs/GUIDE.md", 20)]
fn commands_print_the_documented_output(#[case] page: &str, #[case] commands: usize) {
    let (text, place) = (text_of(page), Place::new());
    let blocks = text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks: String = blocks.map(|block| format!("\n{block}")).collect();
    let sessions: Vec<_> = blocks.split("\n$ ").skip(1).collect();
    assert!(sessions.len() >= commands, "{}", sessions.len());
    for session in sessions {
        let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
        let printed = printed(command, &place);
        assert!(is_like(expected, &printed), "$ {command}\n{printed}");
    }
}

/// The types of the Python module repeat the names of options.
#[rstest]
#[case("Engine", Engine::NAMES)]
#[case("Kernel", Kernel::NAMES)]
#[case("Symmetry", Symmetry::NAMES)]
fn names_are_the_same_everywhere(#[case] what: &str, #[case] names: &[&str]) {
    let types = format!("\n{what} = Literal[\"{}\"]\n", names.join("\", \""));
    assert!(text_of("python/n_queens/counting.py").contains(&types), "{types}");
}

/// Each cell is recomputed, except OR-Tools' own, which `scripts/compare-solvers` compares before
/// it writes the table. Larger boards take too long for all solutions.
#[rstest]
#[case("First", 1, 12)]
#[case("All", usize::MAX, 9)]
fn the_table_of_searches_is_current(#[case] heading: &str, #[case] most: usize, #[case] last: u32) {
    let page = text_of("results/solvers/searches.md");
    let (_, table) = page.split_once(&format!("## {heading} ")).unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|'));
    let mut rows = rows
        .map_while(|line| line.strip_prefix('|'))
        .map(|line| line.split(['|', '*']).map(str::trim).filter(|cell| !cell.is_empty()));
    let names: Vec<_> = rows.next().unwrap().skip(1).collect();
    for mut row in rows.skip(1) {
        let board = Board::new(row.next().unwrap().parse().unwrap()).unwrap();
        for (name, cell) in names.iter().zip(row).filter(|(name, _)| **name != "CP-SAT") {
            let mut search = Search::new(&board, name.parse().unwrap(), Limits::default()).unwrap();
            search.by_ref().take(most).for_each(drop);
            let found = search.statistics();
            let figures = format!("{} / {}", found.branches, found.failures);
            assert_eq!(cell.replace(',', ""), figures, "N = {}, {name}", board.n());
        }
        if board.n() == last {
            return;
        }
    }
    panic!("there is no row for N = {last}");
}

#[test]
fn documented_fields_are_those_that_are_written() {
    let place = Place::new();
    place.stdout("8 --checkpoint a");
    place.run(0, "bench --size 8 --threads 1 --runs 1 --save saved.json");
    let mut written = BTreeSet::new();
    for command in [
        "count 13",
        "table 8 --reference",
        "count 8 --shard 1/2",
        "estimate 8 --seconds 1000000", // sampled as often as possible
        "bench --size 8 --threads 2 --runs 1",
        "bench --compare saved.json saved.json",
        "merge a",
        "solve 4",
    ] {
        let text = place.stdout(&format!("{command} --format json"));
        let strings: Vec<_> = text.split('"').collect();
        let names = strings.windows(2).filter(|pair| pair[1].starts_with(':'));
        written.extend(names.map(|pair| pair[0].to_owned()));
    }
    let page = text_of("docs/FORMATS.md");
    let missing = written.iter().filter(|field| !page.contains(&format!("`{field}`")));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "not in FORMATS.md");
    let tables = page.split("| field |").skip(1);
    let rows = tables.flat_map(|table| {
        table.lines().skip(2).map_while(|line| line.strip_prefix('|')?.split('|').next())
    });
    let documented: Vec<_> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(documented.len() > 40, "{}", documented.len());
    let never = documented.into_iter().filter(|field| !written.contains(*field));
    assert_eq!(never.collect::<Vec<_>>(), [""; 0], "written by no command");
}

/// Returns the paths of all tracked files, relative to the root, or `None` outside of a clone, such
/// as in an unpacked archive.
fn tracked_files() -> Option<BTreeSet<String>> {
    if !Path::new(ROOT).join(".git").exists() {
        return None;
    }
    let list = ["-c", "safe.directory=*", "ls-files", "-z"];
    let output = Command::new("git").args(list).current_dir(ROOT).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    let names = names.split_terminator('\0').map(str::to_owned);
    Some(names.filter(|name| Path::new(ROOT).join(name).exists()).collect())
}

/// Returns the text of a file in the repository.
fn text_of(file: impl AsRef<Path>) -> String {
    let bytes = std::fs::read(Path::new(ROOT).join(file)).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the lines of a Markdown text that are not in a block of code between fences.
fn without_blocks(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Returns the targets of the links and images in a Markdown text, which may be written in HTML.
fn links(text: &str) -> Vec<String> {
    let prose = without_blocks(text);
    let starts = [("](", ')'), (" src=\"", '"'), (" href=\"", '"')];
    let links = starts.iter().flat_map(|(start, end)| {
        prose.split(start).skip(1).filter_map(|rest| rest.split([*end, ' ', '\n']).next())
    });
    links.map(str::to_owned).collect()
}

/// Whether a Markdown text has a heading with an anchor, in the form of GitHub: lower case, hyphens
/// for spaces, and no punctuation.
fn has_anchor(text: &str, anchor: &str) -> bool {
    without_blocks(text).lines().filter(|line| line.starts_with('#')).any(|line| {
        let mut title = line.trim_start_matches('#').trim().to_lowercase();
        title.retain(|c| c.is_alphanumeric() || " -_".contains(c));
        title.replace(' ', "-") == anchor
    })
}

#[test]
fn links_lead_to_tracked_files_and_headings() {
    let Some(files) = tracked_files() else { return };
    let root = Path::new(ROOT).canonicalize().unwrap();
    let mut followed = 0;
    for page in files.iter().filter(|file| file.ends_with(".md")) {
        let is_external =
            |link: &String| ["http:", "https:", "mailto:"].iter().any(|it| link.starts_with(it));
        for link in links(&text_of(page)).into_iter().filter(|link| !is_external(link)) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let page = root.join(page);
            let target =
                if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let target = target.canonicalize().unwrap_or_default();
            let is_tracked = files.iter().any(|file| root.join(file).starts_with(&target));
            assert!(target.is_absolute() && is_tracked, "{}: {link}", page.display());
            let is_heading = anchor.is_empty() || has_anchor(&text_of(&target), anchor);
            assert!(is_heading, "{}: {link}", page.display());
            followed += 1;
        }
    }
    assert!(followed > 80, "{followed}");
}

/// Runs a command in a shell and returns its standard output followed by its standard error.
fn printed(command: &str, place: &Place) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_queens"));
    let script = format!("PATH='{}':$PATH; {command}", program.parent().unwrap().display());
    let shell = Command::new("sh").args(["-c", &script]).current_dir(place.at("")).output();
    let output = shell.unwrap();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

/// Whether printed output matches the documented output. There, `...` stands for the rest of a line
/// or, on its own line, for any number of lines. Parts that vary between machines and runs are not
/// compared.
fn is_like(expected: &str, printed: &str) -> bool {
    let mut printed = printed.lines().filter(|line| !line.is_empty()).peekable();
    let mut expected = expected.lines().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = expected.next() {
        if line == "..." {
            let next = expected.peek().map(|line| stable(line));
            while printed.next_if(|line| Some(stable(line)) != next).is_some() {}
        } else if let Some(start) = line.strip_suffix("...") {
            let start = stable(start);
            if !printed.next().is_some_and(|line| stable(line).starts_with(start.trim_end())) {
                return false;
            }
        } else if printed.next().map(stable) != Some(stable(line)) {
            return false;
        }
    }
    printed.next().is_none()
}

/// Removes the parts of a line that vary: times, rates, numbers of threads, and the names of
/// kernels and engines.
fn stable(line: &str) -> String {
    const UNITS: &str = "ns µs ms s min k M G T solutions/s KiB MiB GiB";
    let words = line.split_whitespace().map(|word| word.trim_matches([',', ';', '(', ')']));
    let words: Vec<_> = words.collect();
    let is_unit = |word: &str| UNITS.split(' ').any(|unit| unit == word);
    let mut kept = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        if next.starts_with("thread") {
            break; // the number of threads and the reason for it depend on the machine
        }
        let is_figure = word.contains(|c: char| c.is_ascii_digit()) && is_unit(next);
        let is_choice = i > 0 && ["kernel", "engine"].contains(&words[i - 1]);
        if !is_figure && !is_unit(word) {
            kept.push(if is_choice { "*" } else { word });
        }
    }
    kept.join(" ")
}

#[test]
fn only_varying_parts_are_ignored() {
    for (expected, printed) in
        [("2 of 3", "2 of 4"), ("a\n...", "b"), ("a", "a\nb"), ("a ...", "b c")]
    {
        assert!(!is_like(expected, printed), "{expected}");
    }
}
