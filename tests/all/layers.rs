//! Tests of the source code. A module may use only the layers below it in its crate, a library may
//! not write to a standard stream, and each room has a budget. Cargo already ensures that no crate
//! depends on one above it.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of each crate, from the bottom up.
const CRATES: [(&str, &[&str]); 3] = [
    ("src", &["board", "known", "machine", "engine", "count", "suite", "store"]),
    (
        "search/src",
        &[
            "construct",
            "enumerate",
            "matching",
            "search",
            "random",
            "tree",
            "find",
            "boards",
            "trace",
            "page",
        ],
    ),
    (
        "cli/src",
        &[
            "human",
            "text",
            "message",
            "exit",
            "signals",
            "output",
            "measure",
            "report",
            "options",
            "progress",
            "checkpoint",
            "solve",
            "commands",
            "cli",
            "main",
        ],
    ),
];

/// Returns the source files of a layer, which is a folder or a single file with the extension
/// `.rs`.
fn files(path: &Path) -> Vec<PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => entries.flat_map(|entry| files(&entry.unwrap().path())).collect(),
        Err(_) => vec![path.with_extension("rs")],
    }
}

/// Returns the lines of a file, without comments and unit tests.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("mod tests {").next();
    let lines = code.unwrap_or_default().lines().filter(|line| !line.trim().starts_with("//"));
    lines.map(str::to_owned).collect()
}

/// Returns the lines of a layer, each with its file.
fn of_layer(root: &str, layer: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let files = files(&Path::new(root).join(layer)).into_iter();
    let is_test =
        |file: &PathBuf| file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
    // `files` names a page after the module that would have its name.
    let files = files.filter(move |file| file.is_file() && !is_test(file));
    files.flat_map(|file| code(&file).into_iter().map(move |line| (file.clone(), line)))
}

/// Returns the first names of all paths in a text that start with `crate::`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).flat_map(|path| {
        let list = path.strip_prefix('{').and_then(|list| list.split_once('}'));
        let paths = list.map_or(path, |(list, _)| list).split(',').map(str::trim);
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let first = move |path| str::split(path, ends).next().unwrap_or_default();
        paths.take(if list.is_some() { usize::MAX } else { 1 }).map(first)
    })
}

#[test]
fn layers_use_only_those_below_them() {
    for (root, layers) in CRATES {
        // The module of each name that the crate's root exports again.
        let library = code(&Path::new(root).join("lib.rs")).join(" ");
        let mut modules: HashMap<_, _> = layers.iter().map(|layer| (*layer, *layer)).collect();
        for (module, list) in
            library.split("pub use ").skip(1).filter_map(|text| text.split_once("::"))
        {
            let (list, _) = list.split_once(';').unwrap();
            let list = list.trim_matches(['{', '}']).split(',').map(str::trim);
            modules.extend(list.map(|name| (name, module)));
        }
        for (height, layer) in layers.iter().enumerate() {
            let lines: Vec<_> = of_layer(root, layer).collect();
            assert!(!lines.is_empty(), "{root}/{layer} does not exist");
            let text: String = lines.iter().flat_map(|(_, line)| [line, "\n"]).collect();
            for name in names(&text) {
                let above = &layers[height + 1..];
                let used = modules.get(name).unwrap_or(&"");
                assert!(!above.contains(used), "{root}/{layer} uses {name} of {used}");
            }
        }
        for file in fs::read_dir(root).unwrap().map(|file| file.unwrap().path()) {
            let stem = file.file_stem().unwrap().to_str().unwrap();
            assert!(stem == "lib" || layers.contains(&stem), "{} is in no layer", file.display());
        }
    }
}

/// rustfmt does not wrap comments, so their width is tested here. Rows of tables and of
/// files cannot be wrapped.
#[test]
fn comments_wrap_at_100_columns() {
    let folders = "src tests examples benches search/src search/examples cli/src cli/tests python/src fuzz/fuzz_targets fuzz/targets";
    let files = folders.split(' ').flat_map(|folder| files(Path::new(folder)));
    for file in files.filter(|file| file.is_file()) {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let is_long = line.chars().count() > 100 && line.trim_start().starts_with("//");
            assert!(
                !is_long || ["//! |", "//! {"].iter().any(|row| line.contains(row)),
                "{}: {line}",
                file.display()
            );
        }
    }
}

#[test]
fn the_libraries_write_to_no_standard_stream() {
    for (root, layers) in &CRATES[..2] {
        for (file, line) in layers.iter().flat_map(|layer| of_layer(root, layer)) {
            for stream in ["print!(", "println!(", "dbg!(", "io::stdout()", "io::stderr()"] {
                assert!(!line.contains(stream), "{}: {line}", file.display());
            }
        }
    }
}

/// Maximum number of tokens of each room: words and single punctuation marks of lines that are
/// neither blank, comment nor test. A room that needs more has to give something up, or the budget
/// is raised on purpose (see CONTRIBUTING.md).
const BUDGETS: [(&str, usize); 12] = [
    ("src/board", 5_000),
    ("src/machine", 1_400),
    ("src/engine", 42_900),
    ("src/count", 12_300),
    ("search/src", 21_400),
    ("src/store", 7_900),
    ("src", 1_600),
    ("cli/src/commands", 9_900),
    ("cli/src/measure", 2_900),
    ("cli/src/report", 8_700),
    ("cli/src/solve", 5_900),
    ("cli/src", 13_700),
];

/// Counts the words and punctuation marks of a line.
fn tokens(line: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = line.split(|c| !is_word(c)).filter(|word| !word.is_empty()).count();
    words + line.chars().filter(|c| !is_word(*c) && !c.is_whitespace()).count()
}

#[test]
fn rooms_stay_within_their_budgets() {
    assert_eq!(tokens("let a_1 = b::c(2) + 'd';"), 15);
    let is_test =
        |file: &PathBuf| file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
    let mut counted = [0; BUDGETS.len()];
    for (top, _) in CRATES {
        let sources: BTreeSet<_> = files(Path::new(top)).into_iter().collect();
        for file in sources.iter().filter(|file| file.is_file() && !is_test(file)) {
            let room = BUDGETS.iter().position(|(room, _)| file.starts_with(room)).unwrap();
            counted[room] += code(file).iter().map(|line| tokens(line)).sum::<usize>();
        }
    }
    for ((room, most), tokens) in BUDGETS.iter().zip(counted) {
        assert!(tokens <= *most, "{room}: {tokens} tokens, {most} allowed");
    }
}
