//! The order of the source: layers that use only those below them, no circle of files, options named by the program alone, few
//! places that ask which engine it is, files of a readable size.
//!
//! Not a compiler: it reads formatted source for `use` and for paths, and follows imports to the file that defines the item.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: each layer uses only those before it. `main.rs` and `lib.rs` are above all.
const LAYERS: &str = "board known machine engine count solve store";
/// What follows `queens` on a command line.
const COMMANDS: &str =
    "count table bench report classes solve check plan shard missing status merge selftest stress";
const MAX_LINES: usize = 400;
/// Places that may ask which engine it is.
const MAX_ENGINE_CHOICES: usize = 3;

#[test]
fn the_source_is_in_order() {
    let paths = super::paths_below(Path::new("src")).into_iter();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let paths = paths.filter(|path| is_source(path) && path != Path::new("src/main.rs"));
    let files = paths.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path.to_str().unwrap().to_owned(), text)
    });
    let found = offences(&files.collect());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Everything that is out of order in these files, a line each.
fn offences(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut offences = Vec::new();
    let mut house = House::default();
    let (mut arms, mut comparisons) = (BTreeMap::<_, usize>::new(), 0);
    for (file, text) in files {
        if text.lines().count() > MAX_LINES {
            offences.push(format!("{file} has more than {MAX_LINES} lines"));
        }
        let code = house.add(file, text);
        for line in code.iter().map(|line| line.trim()) {
            if names_command(line) {
                offences.push(format!("{file} names a command: {line}"));
            }
            if writes_to_stream(line) {
                offences.push(format!("{file} writes to a stream: {line}"));
            }
            // A `match` has one arm for each engine, or for one and the rest.
            let pattern = line.split_once(" => ").map_or("", |(pattern, _)| pattern);
            if let Some((_, engine)) = pattern.split_once("Engine::") {
                let engine = engine.split(' ').next().map(str::to_owned);
                *arms.entry(engine).or_default() += 1;
            }
            let compares = line.contains("== Engine::") || line.contains("!= Engine::");
            comparisons += usize::from(compares);
        }
    }
    let choices = arms.into_values().max().unwrap_or(0) + comparisons;
    if choices > MAX_ENGINE_CHOICES {
        offences.push(format!("the engine is asked for in {choices} places"));
    }
    let uses = house.uses();
    let height = |file: &str| {
        let path = file.strip_prefix("crate::").unwrap_or_default();
        let layer = path.split("::").next();
        LAYERS.split(' ').position(|name| Some(name) == layer)
    };
    for (user, used) in &uses {
        let upward = used.iter().filter(|used| height(used) > height(user));
        offences.extend(upward.map(|used| format!("{user} uses {used}, a layer above")));
        let circle = used.iter().filter(|used| reach(&uses, used).contains(user));
        offences.extend(circle.map(|used| format!("a circle: {user} uses {used}, which uses it")));
    }
    offences
}

/// Whether this line writes to a standard stream, and does not only ask what it is.
fn writes_to_stream(line: &str) -> bool {
    let streams = [
        "io::stdout()",
        "io::stderr()",
        "print!(",
        "println!(",
        ".print()",
    ];
    let asks = ["is_terminal()", "AutoStream::choice("];
    streams.iter().any(|stream| line.contains(stream)) && !asks.iter().any(|ask| line.contains(ask))
}

/// Whether a string in this line names a command, or an option: two dashes and a letter.
fn names_command(line: &str) -> bool {
    let string = line.split_once('"').map_or("", |(_, string)| string);
    let is_option = |part: &str| part.starts_with(|c: char| c.is_ascii_lowercase());
    let is_command = |name| string.contains(&format!("queens {name}"));
    string.split("--").skip(1).any(is_option) || COMMANDS.split(' ').any(is_command)
}

/// The modules by their paths, `crate::count::plan`.
#[derive(Default)]
struct House {
    /// The paths that each module names. What is compiled for tests alone names none.
    paths: BTreeMap<String, Vec<String>>,
    /// What an imported name stands for, by `module::name`.
    imports: BTreeMap<String, String>,
}

impl House {
    /// Adds a file, and gives the lines that are neither comments nor compiled for tests alone.
    fn add<'a>(&mut self, file: &str, text: &'a str) -> Vec<&'a str> {
        let path = file.trim_start_matches("src/").trim_end_matches(".rs");
        let path = path.trim_end_matches("/mod").replace('/', "::");
        let module = format!("crate::{path}").replace("crate::lib", "crate");
        let (mut code, mut paths) = (Vec::new(), Vec::new());
        let mut lines = text.lines().filter(|line| !line.trim().starts_with("//"));
        while let Some(line) = lines.next() {
            let indent = &line[..line.len() - line.trim_start().len()];
            let for_tests = ["#[cfg(test)]", "#[cfg(all(test"];
            if for_tests.iter().any(|test| line.trim().starts_with(test)) {
                // Up to the end of the item, which rustfmt indents as its beginning.
                let ends = |line: &&str| {
                    line.ends_with([';', '}', ',']) && !line[indent.len()..].starts_with(' ')
                };
                lines.by_ref().find(ends);
                continue;
            }
            code.push(line);
            let is_import = line.trim_start().starts_with(['u', 'p']);
            let Some((before, first)) = line.split_once("use ").filter(|_| is_import) else {
                let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                let words = line.split(|c| !is_path(c));
                let words = words.filter(|word| word.contains("::"));
                paths.extend(words.map(|word| word.trim_matches(':').to_owned()));
                continue;
            };
            let mut tree = first.to_owned();
            while !tree.ends_with(';') {
                tree.push_str(lines.next().unwrap_or(";").trim());
            }
            for leaf in leaves(tree.trim_end_matches(';'), "") {
                let (path, alias) = leaf.split_once(" as ").unwrap_or((&leaf, &leaf));
                let path = path.trim_end_matches("::self");
                let name = alias.trim_end_matches("::self").rsplit("::").next();
                let name = format!("{module}::{}", name.unwrap());
                self.imports.insert(name, path.to_owned());
                // A re-export shows an item and does not use it.
                paths.extend(before.trim().is_empty().then(|| path.to_owned()));
            }
        }
        self.paths.insert(module, paths);
        code
    }

    /// Which modules each module takes items from.
    fn uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let used_by = |(module, paths): (&String, &Vec<String>)| {
            let used = paths.iter();
            let used = used.filter_map(|path| self.definer(module, path, 8));
            let used = used.filter(|used| used != module && used != "crate");
            (module.clone(), used.collect())
        };
        let modules = self.paths.iter();
        let modules = modules.filter(|(module, _)| module.contains("::"));
        modules.map(used_by).collect()
    }

    /// The module that defines what a path in another one means; none if another crate does.
    fn definer(&self, from: &str, path: &str, depth: u32) -> Option<String> {
        let mut at = from.to_owned();
        let mut rest = path;
        while !rest.is_empty() {
            let (part, after) = rest.split_once("::").unwrap_or((rest, ""));
            let child = format!("{at}::{part}");
            match part {
                "crate" => part.clone_into(&mut at),
                "self" => {}
                "super" => at.truncate(at.rfind("::")?),
                _ if self.paths.contains_key(&child) => at = child,
                _ => {
                    return match self.imports.get(&child) {
                        Some(import) if depth > 0 && import != part => {
                            let path = format!("{import}::{after}");
                            self.definer(&at, path.trim_end_matches(':'), depth - 1)
                        }
                        _ => (rest != path).then_some(at),
                    };
                }
            }
            rest = after;
        }
        Some(at)
    }
}

/// The whole paths of an import: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn leaves(tree: &str, before: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = tree.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let paths = parts.flat_map(|part| match part.strip_suffix('}') {
        Some(group) => {
            let (path, inside) = group.split_once('{').unwrap();
            leaves(inside, &format!("{before}{path}"))
        }
        None => vec![format!("{before}{part}")],
    });
    paths.collect()
}

/// Everything that a module uses by way of others.
fn reach(uses: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = next.pop() {
        let used = uses.get(&module).into_iter().flatten().cloned();
        next.extend(used.filter(|used| seen.insert(used.clone())));
    }
    seen
}

/// A made-up source that is in order, a line for each file; `|` ends a line of the file.
const GOOD: &str = "\
src/board/mod.rs: mod square;|pub use square::Square;
src/board/square.rs: pub struct Square;|#[cfg(test)]|mod tests {|    use crate::store::run;|}
src/count/mod.rs: pub struct Counter;|fn f() {| e == Engine::Join;|Engine::Join => 1,|Engine::Join => 1,|Engine::Other => 1,|}
src/engine/join.rs: use crate::board::{Square as S};
src/engine/mod.rs: pub mod join;|fn f() { join::f() }|// queens count --fast|use crate::{Square, board::{self}};
src/lib.rs: pub mod board;|pub use board::{Square};
";

/// Files in the place of those above, and what is wrong with them.
const BAD: &str = "\
src/board/square.rs: use crate::count::Counter; -> square uses crate::count, a layer above
src/board/square.rs: fn f() -> crate::count::Counter {} -> square uses crate::count, a layer above
src/board/square.rs: use super::super::count as c; -> square uses crate::count, a layer above
src/board/square.rs: fn f() { g(\"give --fast\") } -> names a command
src/board/square.rs: fn f() { g(\"see queens count\") } -> names a command
src/board/square.rs: fn f() { eprintln!(name) } -> src/board/square.rs writes to a stream
src/board/square.rs: |Engine::Join => 1, -> the engine is asked for in 4 places
src/engine/join.rs: use super::{join2}; -> crate::engine uses crate::engine::join, which uses it
src/engine/join.rs: fn f() { super::f() } -> crate::engine uses crate::engine::join, which uses it
src/engine/join.rs: use crate::engine::{self}; -> crate::engine uses crate::engine::join, which uses it
";

#[test]
fn what_is_out_of_order_is_found() {
    let file = |line: &str| {
        let (name, text) = line.split_once(": ").unwrap();
        (name.to_owned(), text.replace('|', "\n"))
    };
    let good: BTreeMap<_, _> = GOOD.lines().map(file).collect();
    assert!(offences(&good).is_empty(), "{:?}", offences(&good));
    for line in BAD.lines() {
        let (change, offence) = line.rsplit_once(" -> ").unwrap();
        let mut files = good.clone();
        files.extend([file(change)]);
        let found = offences(&files).join("; ");
        assert!(found.contains(offence), "{line}: {found}");
    }
    let long = BTreeMap::from([("src/count/plan.rs".to_owned(), "\n".repeat(401))]);
    assert_eq!(
        offences(&long),
        ["src/count/plan.rs has more than 400 lines"]
    );
}
