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
use serde_json::Value;

use super::program::Place;

#[cfg(unix)]
#[test]
fn commands_print_the_documented_output() {
    let mut commands = 0;
    for page in ["README", "docs/GUIDE"] {
        let path = super::root().join(format!("{page}.md"));
        let text = std::fs::read_to_string(path).unwrap();
        let place = Place::new();
        for block in text.split("```console\n").skip(1) {
            let (block, _) = block.split_once("```").unwrap();
            for session in format!("\n{block}").split("\n$ ").skip(1) {
                let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
                let printed = printed(command, &place);
                assert!(is_like(expected, &printed), "{page}: $ {command}\n{printed}");
                commands += 1;
            }
        }
    }
    assert!(commands > 20, "{commands}");
}

/// The types of the Python module repeat the names of options.
#[rstest]
#[case("Engine", Engine::NAMES)]
#[case("Kernel", Kernel::NAMES)]
#[case("Symmetry", Symmetry::NAMES)]
fn names_are_the_same_everywhere(#[case] what: &str, #[case] names: &[&str]) {
    let python = super::root().join("python/n_queens/counting.py");
    let python = std::fs::read_to_string(python).unwrap();
    let types = format!("\n{what} = Literal[\"{}\"]\n", names.join("\", \""));
    assert!(python.contains(&types), "not in the Python module: {types}");
}

/// Each cell is recomputed, except OR-Tools' own, which `scripts/compare-solvers` compares before
/// it writes the table. Larger boards take too long for all solutions.
#[test]
fn the_table_of_searches_is_current() {
    let page = super::root().join("results/solvers/searches.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut cells = 0;
    for (heading, wanted, last) in [("First", 1, 12), ("All", usize::MAX, 9)] {
        let (_, table) = page.split_once(&format!("## {heading} ")).unwrap();
        let rows = table.lines().skip_while(|line| !line.starts_with('|'));
        let mut rows = rows
            .take_while(|line| line.starts_with('|'))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
        let names = rows.next().unwrap();
        for row in rows.skip(1).filter(|row| row[0].parse::<u32>().unwrap() <= last) {
            let board = Board::new(row[0].parse().unwrap()).unwrap();
            for (name, cell) in
                names.iter().zip(row).skip(1).filter(|(name, _)| **name != "*CP-SAT*")
            {
                let strategy = name.trim_matches('*').parse().unwrap();
                let mut search = Search::new(&board, strategy, Limits::default()).unwrap();
                search.by_ref().take(wanted).for_each(drop);
                let found = search.statistics();
                let figures = format!("{} / {}", found.branches, found.failures);
                assert_eq!(cell.replace(',', ""), figures, "N = {}, {name}", board.n());
                cells += 1;
            }
        }
    }
    assert!(cells >= 9 * 10 + 6 * 10, "{cells}");
}

/// Adds the names of all fields in a JSON value.
fn add_fields(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|item| add_fields(item, fields)),
        Value::Object(object) => {
            for (name, value) in object {
                fields.insert(name.clone());
                add_fields(value, fields);
            }
        }
        _ => {}
    }
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
        for value in serde_json::Deserializer::from_str(&text).into_iter() {
            add_fields(&value.unwrap(), &mut written);
        }
    }
    let page = std::fs::read_to_string(super::root().join("docs/FORMATS.md")).unwrap();
    let missing = written.iter().filter(|field| !page.contains(&format!("`{field}`")));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "not in FORMATS.md");
    let mut documented = BTreeSet::new();
    for table in page.split("| field |").skip(1) {
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        for cell in rows.filter_map(|row| row.split('|').nth(1)) {
            documented.extend(cell.split('`').skip(1).step_by(2));
        }
    }
    assert!(documented.len() > 40, "{}", documented.len());
    documented.retain(|field| !written.contains(*field));
    assert_eq!(documented, BTreeSet::new(), "written by no command");
}

/// Returns the paths of all tracked files, relative to the root, or `None` outside of a clone, such
/// as in an unpacked archive.
fn tracked_files() -> Option<BTreeSet<String>> {
    if !super::root().join(".git").exists() {
        return None;
    }
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]).current_dir(super::root());
    let output = git.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    let names = names.split_terminator('\0').map(str::to_owned);
    Some(names.filter(|name| super::root().join(name).exists()).collect())
}

/// Returns the text of a tracked file.
fn text_of(file: &str) -> String {
    let bytes = std::fs::read(super::root().join(file)).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the lines of a Markdown text that are not in a block of code between fences.
fn without_blocks(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let mut lines: Vec<_> = text.lines().collect();
    lines.retain(|line| {
        is_code ^= is_fence(line);
        !is_code && !is_fence(line)
    });
    lines
}

/// Returns the targets of the links and images in a Markdown text, which may be written in HTML.
fn links(text: &str) -> Vec<String> {
    let lines = without_blocks(text);
    let prose = lines.join("\n");
    let after = |start: &str, ends: &[char]| {
        let targets = prose.split(start).skip(1).filter_map(|rest| rest.split(ends).next());
        targets.map(str::to_owned).collect::<Vec<_>>()
    };
    let definitions = lines.iter().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    let mut links = after("](", &[')', ' ', '\n']);
    links.extend(definitions.filter_map(|(_, target)| target.split(' ').next()).map(str::to_owned));
    links.extend([" src=\"", " href=\""].iter().flat_map(|start| after(start, &['"'])));
    links
}

/// Returns the anchors of the headings in a Markdown text, in the form of GitHub: lower case,
/// hyphens for spaces, no punctuation, and a number if an earlier heading has the same name.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    for line in without_blocks(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        // The target of a link is not part of the heading.
        let mut pieces = title.trim().split("](");
        let mut title = pieces.next().unwrap_or_default().to_lowercase();
        for rest in pieces {
            title += &rest.split_once(')').map_or("", |(_, rest)| rest).to_lowercase();
        }
        title.retain(|c| c.is_alphanumeric() || " -_".contains(c));
        let name = title.replace(' ', "-");
        let numbered = (1..).map(|i| format!("{name}-{i}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        anchors.extend(names.find(|name| !anchors.contains(name)));
    }
    anchors
}

/// Returns the path of a link's target relative to the root, or `None` if it is outside or does not
/// exist.
fn resolve(page: &str, link: &str) -> Option<String> {
    let target = super::root().join(page).parent()?.join(link).canonicalize().ok()?;
    let path = target.strip_prefix(super::root().canonicalize().ok()?).ok()?;
    path.to_str().map(|path| path.replace('\\', "/"))
}

#[test]
fn links_lead_to_tracked_files_and_headings() {
    let Some(files) = tracked_files() else { return };
    let mut followed = 0;
    for page in files.iter().filter(|file| file.ends_with(".md")) {
        let text = text_of(page);
        for link in links(&text) {
            if ["https://", "http://", "mailto:"].iter().any(|start| link.starts_with(start)) {
                continue;
            }
            assert!(!link.starts_with('/'), "{page}: {link} is not relative");
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { Some(page.clone()) } else { resolve(page, path) };
            let target = target.unwrap_or_else(|| panic!("{page}: {link} is missing or outside"));
            let is_folder = || files.iter().any(|file| file.starts_with(&format!("{target}/")));
            assert!(files.contains(&target) || is_folder(), "{page}: {link} is not tracked");
            let has_anchor = || anchors(&text_of(&target)).iter().any(|known| known == anchor);
            assert!(anchor.is_empty() || has_anchor(), "{page}: {link} has no such heading");
            followed += 1;
        }
    }
    assert!(followed > 80, "{followed}");
}

/// CONTRIBUTING.md names the files in which the owner of the repository has to be replaced.
#[test]
fn the_address_is_in_the_files_that_contributing_names() {
    let Some(files) = tracked_files() else { return };
    let address = env!("CARGO_PKG_REPOSITORY").strip_prefix("https://github.com/").unwrap();
    let owner = address.strip_suffix("/queens").unwrap();
    let mut found = BTreeSet::new();
    for file in &files {
        let text = text_of(file);
        for rest in ["github.com/", "ghcr.io/"].iter().flat_map(|host| text.split(host).skip(1)) {
            let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            let end = rest.find(|c| !is_part(c) && c != '/').unwrap_or(rest.len());
            let mut parts = rest[..end].split('/');
            if let (Some(named), Some("queens" | "queens.git")) = (parts.next(), parts.next()) {
                assert_eq!(named, owner, "{file}");
            }
        }
        if text.contains(address) || text.contains(&format!("{owner}.github.io")) {
            found.insert(file.clone());
        }
    }
    let contributing = text_of("CONTRIBUTING.md");
    let (_, named) = contributing.split_once("|NAME/queens|g\" ").unwrap();
    let named = named.lines().next().unwrap().split(' ').map(str::to_owned).collect();
    assert_eq!(found, named);
}

/// Runs a command in a shell and returns its standard output followed by its standard error.
fn printed(command: &str, place: &Place) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_queens"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(place.at(""));
    let output = shell.env("PATH", path).output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    stdout + &stderr
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
    let words: Vec<_> = line.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches([',', ';', '(', ')']).to_owned();
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let is_unit = |word: &str| UNITS.split(' ').any(|unit| unit == word);
    let mut kept = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let (before, next) = (i.checked_sub(1).map(|i| bare(words[i])), words.get(i + 1));
        let next = next.map(|word| bare(word)).unwrap_or_default();
        if next.starts_with("thread") {
            break; // the number of threads and the reason for it depend on the machine
        }
        if is_number(word) && is_unit(&next) || is_unit(&bare(word)) {
            continue;
        }
        let is_choice = before.is_some_and(|before| before == "kernel" || before == "engine");
        kept.push(if is_choice { "*".to_owned() } else { bare(word) });
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
