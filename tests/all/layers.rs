//! The order of the source: layers that use only those below them, no circle of files, options named in `cli` alone, few
//! places that ask which engine it is, files of a readable size.
//!
//! Not a compiler: it reads formatted source for `use` and for paths, and follows re-exports to the file that defines the
//! item. Tests inside the files are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the bottom up: each layer uses only those before it. `main.rs` and `lib.rs` are above all.
const LAYERS: &str = "board known machine engine count solve store human bench report cli";
/// What follows `queens` on a command line.
const COMMANDS: &str =
    "count table bench report classes solve plan shard missing merge selftest stress";
/// Lines of the longest file, with its tests.
const MAX_LINES: usize = 400;
/// Places that may ask which engine it is.
const MAX_ENGINE_CHOICES: usize = 3;

#[test]
fn the_source_is_in_order() {
    let mut files = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    read(&root.join("src"), root, &mut files);
    let found = offences(&files);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The source files of a folder by their paths from the root.
fn read(folder: &Path, root: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, root, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            files.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
        }
    }
}

/// Everything that is out of order in these files, a line each.
fn offences(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut offences = Vec::new();
    let (mut arms, mut comparisons) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
    for (name, text) in files {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            offences.push(format!("{name} has {lines} lines"));
        }
        for line in without_tests(text, &mut Vec::new()) {
            if !name.starts_with("src/cli/") && names_command(line) {
                offences.push(format!("{name} names a command: {}", line.trim()));
            }
            if line.contains("== Engine::") || line.contains("!= Engine::") {
                comparisons.push(&**name);
            } else if let Some((pattern, _)) = line.split_once(" => ")
                && let Some((_, engine)) = pattern.split_once("Engine::")
            {
                let arms = arms.entry(engine.split(' ').next()).or_default();
                arms.push(&**name);
            }
        }
    }
    // A `match` has one arm for each engine, or for one and the rest.
    let choices = arms.into_values().max_by_key(Vec::len).unwrap_or_default();
    let choices = [choices, comparisons].concat();
    if choices.len() > MAX_ENGINE_CHOICES {
        offences.push(format!(
            "too many choices of the engine: {}",
            choices.join(", ")
        ));
    }
    let house = House::new(files);
    let uses = house.uses();
    let height = |module: &Module| LAYERS.split(' ').position(|layer| layer == module[0]);
    for (user, used) in &uses {
        for used in used.iter().filter(|used| height(used) > height(user)) {
            let (user, used) = (house.names[*user], house.names[used]);
            offences.push(format!("{user} uses {used}, a layer above"));
        }
        if height(user).is_none() {
            offences.push(format!("{} is in no layer", house.names[*user]));
        }
    }
    for circle in circles(&uses) {
        let names: Vec<_> = circle.iter().map(|module| house.names[module]).collect();
        offences.push(format!("a circle of files: {}", names.join(", ")));
    }
    offences
}

/// Whether a string in this line names a command, or an option: two dashes and a letter.
fn names_command(line: &str) -> bool {
    let Some((_, string)) = line.split_once('"') else {
        return false;
    };
    let mut dashes = string.match_indices("--").map(|(at, _)| &string[at + 2..]);
    let mut commands = COMMANDS.split(' ').map(|name| format!("queens {name}"));
    dashes.any(|after| after.starts_with(|c: char| c.is_ascii_lowercase()))
        || commands.any(|command| string.contains(&command))
}

/// The lines that are neither comments nor compiled for tests alone; notes the test modules that are files of their own.
fn without_tests<'a>(text: &'a str, modules: &mut Vec<&'a str>) -> Vec<&'a str> {
    let mut lines = text.lines();
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") {
            // Up to the end of the item, which rustfmt indents as its beginning.
            for line in lines.by_ref() {
                if let Some((_, module)) = line.trim_end_matches(';').split_once("mod ") {
                    modules.push(module);
                }
                let is_end = line.ends_with([';', '}', ',']);
                if is_end && line.len() - line.trim_start().len() == indent {
                    break;
                }
            }
        } else if !code.starts_with("//") {
            kept.push(line.split(" // ").next().unwrap_or(line));
        }
    }
    kept
}

/// A module by its path from the crate's root, or an item by its path.
type Module<'a> = Vec<&'a str>;

/// What each module says, and what its imported names stand for.
#[derive(Default)]
struct House<'a> {
    names: BTreeMap<Module<'a>, &'a str>,
    paths: BTreeMap<Module<'a>, Vec<Module<'a>>>,
    imports: BTreeMap<Module<'a>, BTreeMap<&'a str, Module<'a>>>,
}

impl<'a> House<'a> {
    fn new(files: &'a BTreeMap<String, String>) -> Self {
        let (mut house, mut tests) = (Self::default(), Vec::new());
        for (name, text) in files.iter().filter(|(name, _)| *name != "src/main.rs") {
            let path = name.trim_start_matches("src/").trim_end_matches(".rs");
            let parts = path.trim_end_matches("/mod").split('/');
            let module: Module<'_> = parts.filter(|part| *part != "lib").collect();
            let mut test_files = Vec::new();
            let lines = without_tests(text, &mut test_files);
            tests.extend(
                test_files
                    .iter()
                    .map(|test| [&module[..], &[test]].concat()),
            );
            let tokens: Vec<_> = lines.into_iter().flat_map(tokens).collect();
            let (mut used, mut imports) = (Vec::new(), BTreeMap::new());
            let mut parts = tokens.split(|token| *token == "use");
            let mut before = parts.next().expect("split gives one part at least");
            used.extend(paths(before));
            for part in parts {
                let mut names = BTreeMap::new();
                let end = import(part, &[], &mut names);
                // A re-export shows an item and does not use it.
                if before
                    .last()
                    .is_none_or(|last| !["pub", ")"].contains(last))
                {
                    used.extend(names.values().cloned());
                }
                imports.append(&mut names);
                used.extend(paths(&part[end..]));
                before = part;
            }
            house.paths.insert(module.clone(), used);
            house.imports.insert(module.clone(), imports);
            house.names.insert(module, name);
        }
        let is_test = |module: &Module<'a>| tests.iter().any(|test| module.starts_with(test));
        house.paths.retain(|module, _| !is_test(module));
        house
    }

    /// Which files each file takes items from.
    fn uses(&self) -> BTreeMap<&Module<'a>, BTreeSet<Module<'a>>> {
        let mut uses = BTreeMap::new();
        for (module, paths) in self.paths.iter().filter(|(module, _)| !module.is_empty()) {
            let used = paths
                .iter()
                .filter_map(|path| self.definer(module, path, 8));
            let used = used.filter(|used| used != module && !used.is_empty());
            uses.insert(module, used.collect());
        }
        uses
    }

    /// The module that defines what a path in another one means; none if another crate does.
    fn definer(&self, from: &[&'a str], path: &[&'a str], depth: u32) -> Option<Module<'a>> {
        let mut at = from.to_vec();
        let mut is_ours = true;
        for (i, name) in path.iter().enumerate() {
            let child = [&at, &[*name][..]].concat();
            match *name {
                "crate" if i == 0 => at.clear(),
                "self" => (),
                "super" => drop(at.pop()),
                _ if self.names.contains_key(&child) => at = child,
                name => {
                    is_ours &= i > 0;
                    let import = self.imports[&at]
                        .get(name)
                        .filter(|import| depth > 0 && **import != [name]);
                    let import = import.map(|import| [import, &path[i + 1..]].concat());
                    return match import {
                        Some(import) => self.definer(&at, &import, depth - 1),
                        None => is_ours.then_some(at),
                    };
                }
            }
        }
        Some(at)
    }
}

/// Words, `::`, and other signs one by one.
fn tokens(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        let end = match rest.find(|c| !is_word(c)) {
            Some(0) if rest.starts_with("::") => 2,
            Some(0) => first.len_utf8(),
            end => end.unwrap_or(rest.len()),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// Enters the names of one branch of a `use`, which begins with the path `before`: how many tokens it takes.
fn import<'a>(
    tokens: &[&'a str],
    before: &[&'a str],
    imports: &mut BTreeMap<&'a str, Module<'a>>,
) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        match tokens.get(at).copied().unwrap_or(";") {
            "::" => at += 1,
            "{" => {
                at += 1;
                while !matches!(tokens[at], "}" | ";") {
                    at += import(&tokens[at..], &path, imports);
                    at += usize::from(tokens[at] == ",");
                }
                return at + 1;
            }
            "as" => {
                imports.insert(tokens[at + 1], path);
                return at + 2;
            }
            "," | ";" | "}" => {
                let name = path.iter().rfind(|name| **name != "self");
                imports.insert(name.unwrap_or(&"self"), path.clone());
                return at;
            }
            name => {
                path.push(name);
                at += 1;
            }
        }
    }
}

/// Names joined by `::`.
fn paths<'a>(tokens: &[&'a str]) -> Vec<Module<'a>> {
    let mut paths = vec![Vec::new()];
    let mut joined = false;
    for token in tokens {
        if *token == "::" {
            joined = true;
        } else {
            if !std::mem::take(&mut joined) {
                paths.push(Vec::new());
            }
            paths.last_mut().expect("one is there").push(*token);
        }
    }
    paths.retain(|path| path.len() > 1);
    paths
}

/// The groups of files that use each other in a circle.
fn circles<'a>(
    uses: &BTreeMap<&Module<'a>, BTreeSet<Module<'a>>>,
) -> BTreeSet<BTreeSet<Module<'a>>> {
    let reach = |from| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            let used = uses.get(module).into_iter().flatten();
            next.extend(used.filter(|used| seen.insert((*used).clone())));
        }
        seen
    };
    let far: BTreeMap<_, _> = uses.keys().map(|module| (*module, reach(module))).collect();
    let reaches =
        |from: &Module<'a>, to: &Module<'a>| far.get(from).is_some_and(|far| far.contains(to));
    let group = |module: &Module<'a>| {
        let back = far[module].iter().filter(|other| reaches(other, module));
        back.cloned().collect::<BTreeSet<_>>()
    };
    let in_circles = uses.keys().filter(|module| reaches(module, module));
    in_circles.map(|module| group(module)).collect()
}

/// Made-up sources: one in order, and changes to it that are not.
#[test]
fn what_is_out_of_order_is_found() {
    let good = [
        ("src/board/mod.rs", "mod square;\npub use square::Square;"),
        (
            "src/board/square.rs",
            "pub struct Square;\n#[cfg(test)]\nmod tests {\n    use crate::cli::run;\n}",
        ),
        (
            "src/cli/mod.rs",
            "use crate::Square;\nconst FLAG: &str = \"--fast\";",
        ),
        (
            "src/engine/mod.rs",
            "pub mod join;\n// queens count --fast\nuse crate::{Square, board::{self}};",
        ),
        ("src/engine/join.rs", "use crate::board::{Square as S};"),
        ("src/count/mod.rs", "pub struct Counter;"),
        ("src/lib.rs", "pub mod board;\npub use board::{Square};"),
    ];
    let find = |change: &[(&str, &str)]| {
        let files = good
            .iter()
            .chain(change)
            .map(|(name, text)| ((*name).into(), (*text).into()));
        offences(&files.collect()).join("; ")
    };
    assert_eq!(find(&[]), "");
    let square = "src/board/square.rs";
    let upward = format!("{square} uses src/count/mod.rs, a layer above");
    for text in [
        "use crate::count::Counter;",
        "fn f() -> crate::count::Counter {}",
        "use super::super::count as c;",
    ] {
        assert_eq!(find(&[(square, text)]), upward, "{text}");
    }
    let parent = ("src/engine/mod.rs", "mod join;\nfn f() { join::f() }");
    for text in [
        "use super::{Engine};",
        "fn f() { super::f() }",
        "use crate::engine::{self};",
    ] {
        let circle = "a circle of files: src/engine/mod.rs, src/engine/join.rs";
        assert_eq!(
            find(&[parent, ("src/engine/join.rs", text)]),
            circle,
            "{text}"
        );
    }
    assert!(find(&[(square, "fn f() { g(\"give --fast\") }")]).contains("names a command"));
    assert!(find(&[(square, &"\n".repeat(401))]).contains("401 lines"));
    let choices = "Engine::Join => 1,\n _ => 2,\nEngine::Join => 1,\nEngine::Torus => 2,\ne == Engine::Join;\n";
    assert_eq!(find(&[(square, choices)]), "");
    assert!(find(&[(square, &choices.repeat(2))]).contains("too many choices"));
}
