//! Running the program as a user does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own to run the program in.
pub(crate) struct Place(TempDir);

/// The program in some folder, with its arguments given as in a shell: words between spaces.
pub(crate) fn queens(arguments: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder);
    command
}

/// Runs it to its end and expects an exit code: standard output and standard error.
pub(crate) fn run(code: i32, command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(!stderr.contains("panicked"), "{command:?}: {stderr}");
    assert_eq!(
        output.status.code(),
        Some(code),
        "{command:?}: {stdout}{stderr}"
    );
    (stdout, stderr)
}

/// The text of a ledger with something replaced and the checksums made to fit.
pub(crate) fn resealed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} in {text}");
    let (mut lines, mut name) = (String::new(), String::new());
    for line in text.lines() {
        let line = line.rsplit_once(' ').unwrap().0.replace(from, to);
        if lines.is_empty() {
            let begin = &serde_json::from_str::<Value>(&line).unwrap()["begin"];
            let plan: queens::PlanId = serde_json::from_value(begin["plan"].clone()).unwrap();
            let (plan, shard, of) = (plan.fingerprint(), &begin["shard"], &begin["of"]);
            name = format!("plan {plan}, shard {shard} of {of}");
        }
        lines += &sealed(&name, lines.len(), &line);
    }
    lines
}

/// A line of the ledger of a plan and shard, at an offset, with its checksum.
pub(crate) fn sealed(name: &str, offset: usize, json: &str) -> String {
    let text = format!("{name}, offset {offset}\n{json}");
    let hash = hmac_sha256::Hash::hash(text.as_bytes());
    let digits: String = hash[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{json} {digits}\n")
}

/// Expects that a text has all of these parts.
pub(crate) fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

/// What the program prints when all goes well and nothing is to be said on standard error.
pub(crate) fn stdout(arguments: &str) -> String {
    Place::new().stdout(arguments)
}

/// The same as JSON.
pub(crate) fn json(arguments: &str) -> Value {
    Place::new().json(arguments)
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn run(&self, code: i32, arguments: &str) -> (String, String) {
        run(code, &mut queens(arguments, self.0.path()))
    }

    pub(crate) fn stdout(&self, arguments: &str) -> String {
        let (stdout, stderr) = self.run(0, arguments);
        assert_eq!(stderr, "", "{arguments}");
        stdout
    }

    pub(crate) fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.stdout(&format!("{arguments} --format json"))).unwrap()
    }

    /// Expects an exit code, nothing on standard output, and a message with these parts, which it gives.
    pub(crate) fn fails(&self, code: i32, arguments: &str, parts: &[&str]) -> String {
        let (stdout, stderr) = self.run(code, arguments);
        assert_eq!(stdout, "", "{arguments}");
        assert!(stderr.starts_with("error: "), "{arguments}: {stderr}");
        assert_says(&stderr, parts);
        stderr
    }

    /// Starts it, to be stopped.
    pub(crate) fn start(&self, arguments: &str) -> Child {
        let mut command = queens(arguments, self.0.path());
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), bytes).unwrap();
    }

    /// Puts a file of `tests/fixtures` here, and gives its text.
    pub(crate) fn fixture(&self, fixture: &str, name: &str) -> String {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        std::fs::copy(fixtures.join(fixture), self.at(name)).unwrap();
        self.read(name)
    }

    /// A field of a JSON file.
    pub(crate) fn field(&self, name: &str, field: &str) -> Value {
        serde_json::from_str::<Value>(&self.read(name)).unwrap()[field].clone()
    }

    /// The lines of a ledger that begin with `kind`: what they say; none if there is no file.
    fn said(&self, name: &str, kind: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.at(name)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.rsplit_once(' '));
        let values = lines.filter_map(|(json, _)| serde_json::from_str::<Value>(json).ok());
        let said = values.map(|mut value| value[kind].take());
        said.filter(|value| !value.is_null()).collect()
    }

    /// What a ledger says of itself at its end; null if it is not done.
    pub(crate) fn completion(&self, name: &str) -> Value {
        self.said(name, "done").pop().unwrap_or_default()
    }

    /// Subproblems in a ledger with their counts; none if there is no file.
    pub(crate) fn counts(&self, name: &str) -> Vec<(u64, u64)> {
        let lines = self.said(name, "counts").into_iter();
        let counts = lines.map(|mut line| serde_json::from_value(line[1].take()).unwrap());
        counts.flat_map(|counts: Vec<_>| counts).collect()
    }

    /// Number of subproblems in a ledger.
    pub(crate) fn entries(&self, name: &str) -> usize {
        self.counts(name).len()
    }

    /// All files and folders, and what is in them.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        // Of a folder or a pipe, that it is there.
        let bytes = |path: &PathBuf| match path.is_file() {
            true => std::fs::read(path).unwrap(),
            false => Vec::new(),
        };
        let paths = super::paths_below(self.0.path()).into_iter();
        paths.map(|path| (path.clone(), bytes(&path))).collect()
    }
}
