//! Tests of the source code. A module may use only the layers below it, a library may not write to
//! a standard stream, and each room has a budget. Cargo already ensures that no crate depends on
//! one above it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of each crate and of the engines, from the bottom up. `lib.rs`, `main.rs` or
/// `mod.rs` is on top.
const LAYERS: [(&str, &str); 4] = [
    ("src", "names board known machine engine count workloads store"),
    ("src/engine", "choice interruption cancel simd options bitboard join"),
    ("search/src", "construct matching search enumerate random tree find boards trace page"),
    (
        "cli/src",
        "human text message startup environment exit signals output measure report options progress checkpoint solve \
         commands cli",
    ),
];

/// Returns the files in a folder, or the path itself if it is not a folder.
fn files(path: &Path) -> Vec<PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => entries.flat_map(|entry| files(&entry.unwrap().path())).collect(),
        Err(_) => vec![path.to_owned()],
    }
}

/// Returns the lines of a file, without comments and unit tests.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("mod tests {").next();
    let lines = code.unwrap_or_default().lines().filter(|line| !line.trim().starts_with("//"));
    lines.map(str::to_owned).collect()
}

/// Returns the files of a room or layer, without tests. A layer is a folder or a single file.
fn sources(root: &str, layer: &str) -> Vec<PathBuf> {
    let folder = Path::new(root).join(layer);
    let mut files = files(&if folder.is_dir() { folder } else { folder.with_extension("rs") });
    files.retain(|file| !file.ends_with("tests.rs") && file.iter().all(|part| part != "tests"));
    files
}

fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

/// Returns the path of the module in a file or folder, such as `crate::engine`.
fn module(file: &Path) -> String {
    let parts = file.iter().skip_while(|part| *part != "src").skip(1);
    let names = parts.map(|part| part.to_str().unwrap().trim_end_matches(".rs"));
    let names = names.filter(|name| !["lib", "main", "mod"].contains(name));
    ["crate"].into_iter().chain(names).collect::<Vec<_>>().join("::")
}

/// Returns the paths behind each occurrence of `start`, such as the two of `a::{b, c}`. No group is
/// in another one.
fn paths<'a>(text: &'a str, start: &str) -> Vec<Vec<&'a str>> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':';
    let mut paths = Vec::new();
    for text in text.split(start).skip(1) {
        let (before, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for item in group.unwrap_or_default().trim().trim_end_matches(',').split(',') {
            let names = before.split("::").chain(item.trim().split("::"));
            paths.push(names.filter(|name| !name.is_empty()).collect());
        }
    }
    paths.retain(|path: &Vec<_>| !path.is_empty());
    paths
}

#[test]
fn layers_use_only_those_below_them() {
    let mut faults = Vec::new();
    for (root, layers) in LAYERS {
        let layers: Vec<_> = layers.split(' ').collect();
        let tops = ["lib.rs", "main.rs", "mod.rs"].map(|name| Path::new(root).join(name));
        let top = tops.iter().find(|file| file.exists()).unwrap();
        let exports = code(top).join("\n");
        // The layer of each name that the file on top exports again.
        let mut layer_of: HashMap<_, _> = layers.iter().map(|layer| (*layer, *layer)).collect();
        layer_of.extend(paths(&exports, "use ").iter().map(|path| (path[path.len() - 1], path[0])));
        let start = format!("{}::", module(Path::new(root)));
        for (height, layer) in layers.iter().enumerate() {
            for file in sources(root, layer).iter().filter(|file| is_rust(file)) {
                let module = module(file);
                let (parent, _) = module.rsplit_once("::").unwrap_or_default();
                let (grandparent, _) = parent.rsplit_once("::").unwrap_or_default();
                let text = code(file).join("\n");
                let text = text.replace("super::super", grandparent).replace("super", parent);
                for path in paths(&text, &start) {
                    let used = layer_of.get(path[0]).unwrap_or(&"the file on top");
                    if !layers[..=height].contains(used) {
                        faults.push(format!("{}: {} of {used}", file.display(), path.join("::")));
                    }
                }
            }
        }
        for file in fs::read_dir(root).unwrap().map(|file| file.unwrap().path()) {
            let stem = file.file_stem().unwrap().to_str().unwrap();
            assert!(file == *top || layers.contains(&stem), "{} is in no layer", file.display());
        }
    }
    assert!(faults.is_empty(), "used, but not below: {faults:#?}");
}

/// rustfmt does not wrap comments, so their width is tested here. Rows of tables and of
/// files cannot be wrapped.
#[test]
fn comments_wrap_at_100_columns() {
    let folders = "src tests examples benches search/src search/tests search/examples cli/src cli/tests python/src fuzz/fuzz_targets fuzz/targets.rs";
    let files = folders.split(' ').flat_map(|folder| files(Path::new(folder)));
    for file in files.filter(|file| is_rust(file)) {
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
    for file in ["src", "search/src"].iter().flat_map(|root| sources(root, "")) {
        for line in code(&file) {
            for stream in ["print!(", "println!(", "dbg!(", "io::stdout()", "io::stderr()"] {
                assert!(!line.contains(stream), "{}: {line}", file.display());
            }
        }
    }
}

/// Maximum number of tokens of each room: words and single punctuation marks of lines that are
/// neither blank, comment nor test. A room that needs more has to give something up, or the budget
/// is raised on purpose (see CONTRIBUTING.md).
const BUDGETS: [(&str, usize); 13] = [
    ("src/board", 5_000),
    ("src/machine", 520),
    ("src/engine", 42_060),
    ("src/count", 10_930),
    ("search/src", 26_090),
    ("src/store", 6_100),
    ("src", 2_060),
    ("cli/src/commands", 7_450),
    ("cli/src/measure", 5_380),
    ("cli/src/report", 8_610),
    ("cli/src/solve", 6_160),
    ("cli/src", 15_180),
    ("pages", 28_070), // JavaScript, HTML and CSS, wherever they are
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
    let mut counted = [0; BUDGETS.len()];
    let roots = ["src", "search/src", "cli/src", "web/site"];
    for file in roots.iter().flat_map(|root| sources(root, "")) {
        let home = if is_rust(&file) { &file } else { Path::new("pages") };
        let room = BUDGETS.iter().position(|(room, _)| home.starts_with(room)).unwrap();
        counted[room] += code(&file).iter().map(|line| tokens(line)).sum::<usize>();
    }
    for ((room, most), tokens) in BUDGETS.iter().zip(counted) {
        assert!(tokens <= *most, "{room}: {tokens} tokens, {most} allowed");
    }
}
