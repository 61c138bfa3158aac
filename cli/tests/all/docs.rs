//! Tests of the commands in the documentation. Blocks marked `console` are run in order, in one
//! folder per document, and their output is compared. Blocks marked `sh` need a cluster or take
//! hours, so the command line's tests only parse them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use queens::solve::{Propagation, Strategy, Value as Row, Variable};
use queens::{Engine, Kernel, Symmetry};
use rstest::rstest;
use serde_json::Value;
use strum::VariantNames;

use super::program::{Place, resealed, without_announcement};

#[cfg(unix)]
#[test]
fn commands_print_the_documented_output() {
    let mut commands = 0;
    for page in ["README", "docs/GUIDE", "docs/CHECKPOINTS", "docs/CHECKING"] {
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

/// The types of the Python module and the menus of the web page, which offer no random choices,
/// repeat the names of options.
#[rstest]
#[case("Engine", Engine::VARIANTS, false)]
#[case("Kernel", Kernel::VARIANTS, false)]
#[case("Symmetry", Symmetry::VARIANTS, false)]
#[case("Strategy", Strategy::VARIANTS, true)]
#[case("Variable", Variable::VARIANTS, true)]
#[case("Value", Row::VARIANTS, true)]
#[case("Propagation", Propagation::VARIANTS, true)]
fn names_are_the_same_everywhere(
    #[case] what: &str,
    #[case] names: &[&str],
    #[case] is_in_menu: bool,
) {
    let read = |file| std::fs::read_to_string(super::root().join(file)).unwrap();
    let (python, page) = (read("python/queens/__init__.py"), read("web/site/index.html"));
    let types = format!("\n{what} = Literal[\"{}\"]\n", names.join("\", \""));
    assert!(python.contains(&types), "not in the Python module: {types}");
    let mut offered = names.iter().filter(|name| is_in_menu && **name != "random");
    let (_, menu) = page.split_once(&format!("<label>{what} <select")).unwrap_or_default();
    let (menu, _) = menu.split_once("</select>").unwrap_or_default();
    let missing = offered.find(|name| !menu.contains(&format!(">{name}</option>")));
    assert_eq!(missing, None, "not in the page's menu {what}");
}

/// Adds the names of all fields in a JSON value. Hosts, CPUs and kernels that are used as keys are
/// not fields.
fn add_fields(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|item| add_fields(item, fields)),
        Value::Object(object) => {
            for (name, value) in object {
                fields.insert(name.clone());
                if !["hosts", "cpus", "kernels", "counted_twice"].contains(&&**name) {
                    add_fields(value, fields);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn documented_fields_are_those_that_are_written() {
    let place = Place::new();
    place.stdout("shards plan d 8 --shards 2 --engine bitboard");
    place.stdout("shards run d 0 --double-check 100");
    // The ledger of a running task that has not completed any subproblems.
    let begun = place.read("d/shard-000000.ledger");
    let begun = begun.split_inclusive('\n').next().unwrap();
    let begun = resealed(begun, "\"shard\":0", "\"shard\":1");
    place.write("d/shard-000001.ledger", begun);
    let mut written = BTreeSet::new();
    for command in [
        "count 13 --stats --double-check 10",
        "table 8 --runs 2 --reference",
        "count 8 --classes",
        "estimate 8 --seconds 1000000", // counted, or sampled as often as possible
        "bench --quick --n 8 --threads 2",
        "shards status d",
        "solve 4",
        "solve 4 --all --trace --trace-limit 9",
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
    assert!(documented.len() > 80, "{}", documented.len());
    documented.retain(|field| !written.contains(*field));
    assert_eq!(documented, BTreeSet::new(), "written by no command");
}

/// Returns the files of a folder, without its subfolders.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).collect()
}

/// Returns the address of the repository, which the manifest sets.
fn address() -> &'static str {
    env!("CARGO_PKG_REPOSITORY")
}

/// Returns the targets of a document's links.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let defined = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    inline.chain(defined.map(|(_, target)| target))
}

/// Whether a document has a heading with this anchor, in the form of GitHub.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim().to_lowercase()).any(|heading| {
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        heading.chars().filter(kept).collect::<String>().replace(' ', "-") == anchor
    })
}

/// The READMEs are also shown by package registries, where relative links lead nowhere.
#[test]
fn links_lead_to_files_and_headings() {
    let mut own = 0;
    let published = ["README.md", "python/README.md"].map(|path| super::root().join(path));
    let folders = ["", "docs", "python", "data", "fuzz", "results"];
    let files = folders.into_iter().flat_map(|folder| files_in(&super::root().join(folder)));
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for link in links(&text) {
            let within = link.strip_prefix(address()).and_then(|rest| rest.split_once("/main/"));
            let (path, folder) = match within {
                Some((_, path)) => (path, super::root()),
                None if link.contains("://") => continue,
                None => (link, file.parent().unwrap()),
            };
            let (path, anchor) = path.split_once('#').unwrap_or((path, ""));
            let is_local = within.is_none() && !path.is_empty();
            assert!(!is_local || !published.contains(&file), "{}: {link}", file.display());
            let target = if path.is_empty() { file.clone() } else { folder.join(path) };
            assert!(target.exists(), "{}: {link}", file.display());
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                assert!(has_heading(&text, anchor), "{}: {link}", file.display());
            }
            own += 1;
        }
    }
    assert!(own > 80, "{own}");
}

/// The address of the repository is set in the workspace's manifest. All other files name the same
/// owner, also in the address of the container image.
#[test]
fn the_address_is_that_of_the_manifest() {
    const FOLDERS: &str =
        "cli docs python .github .github/ISSUE_TEMPLATE .github/workflows packaging";
    let owner = address().strip_prefix("https://github.com/").unwrap().strip_suffix("/queens");
    let folders = FOLDERS.split(' ').chain([""]).map(|folder| super::root().join(folder));
    let mut found = 0;
    for file in folders.filter(|folder| folder.exists()).flat_map(|folder| files_in(&folder)) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for rest in ["github.com/", "ghcr.io/"].iter().flat_map(|host| text.split(host).skip(1)) {
            let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            let end = rest.find(|c| !is_part(c) && c != '/').unwrap_or(rest.len());
            let mut parts = rest[..end].split('/');
            if let (named, Some("queens" | "queens.git")) = (parts.next(), parts.next()) {
                assert_eq!(named, owner, "{}", file.display());
                found += 1;
            }
        }
    }
    assert!(found > 20, "{found}");
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
    stdout + &without_announcement(&stderr)
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
    assert!(is_like("  2 in 5 ms\n...\nend\n", "2  in 7.5 µs\nmore\nand more\n\nend\n"));
    assert!(is_like("kernel avx2, 2 threads (all cores)", "kernel scalar, 1 thread (small board)"));
    assert!(is_like("about ...", "about that much"));
    for (expected, printed) in
        [("2 of 3", "2 of 4"), ("a\n...", "b"), ("a", "a\nb"), ("a ...", "b c")]
    {
        assert!(!is_like(expected, printed), "{expected}");
    }
}
