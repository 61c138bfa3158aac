//! Tests of the source code. Modules of the library may use only the layers below them, and may not
//! write to a standard stream. Cargo already ensures that the library does not depend on the
//! program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of the library, from the bottom up.
const LAYERS: [&str; 7] = ["board", "known", "machine", "engine", "count", "suite", "store"];

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

fn of_layer(layer: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let files = files(&Path::new("src").join(layer)).into_iter();
    let is_test =
        |file: &PathBuf| file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
    let files = files.filter(move |file| !is_test(file));
    files.flat_map(|file| code(&file).into_iter().map(move |line| (file.clone(), line)))
}

#[test]
fn layers_use_only_those_below_them() {
    for (height, layer) in LAYERS.iter().enumerate() {
        for (file, line) in of_layer(layer) {
            for above in &LAYERS[height + 1..] {
                let name = format!("crate::{above}");
                assert!(!line.contains(&name), "{}: {line}", file.display());
            }
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
fn the_library_writes_to_no_standard_stream() {
    for (file, line) in LAYERS.iter().flat_map(|layer| of_layer(layer)) {
        for stream in ["print!(", "println!(", "dbg!(", "io::stdout()", "io::stderr()"] {
            assert!(!line.contains(stream), "{}: {line}", file.display());
        }
    }
}

/// Maximum number of tokens of each room: words and single punctuation marks of lines that are
/// neither blank, comment nor test. A room that needs more has to give something up, or the budget
/// is raised on purpose (see CONTRIBUTING.md).
const BUDGETS: [(&str, usize); 12] = [
    ("src/board", 5_000),
    ("src/machine", 2_100),
    ("src/engine", 43_400),
    ("src/count", 12_400),
    ("search/src", 22_500),
    ("src/store", 7_800),
    ("src", 1_700),
    ("cli/src/commands", 10_500),
    ("cli/src/measure", 3_100),
    ("cli/src/report", 9_500),
    ("cli/src/solve", 6_500),
    ("cli/src", 13_600),
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
    for top in ["src", "search/src", "cli/src"] {
        // `files` names a page after the module that would have its name.
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
