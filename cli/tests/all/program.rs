//! Helpers that run the program the way a user does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Temporary folder in which the program is run.
pub(crate) struct Place(TempDir);

/// Returns a command that runs the program in a folder. Arguments are separated by spaces.
pub(crate) fn queens(arguments: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

/// Runs a command, which must exit with the given code. Returns standard output and standard error.
pub(crate) fn run(code: i32, command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(!stderr.contains("panicked"), "{command:?}: {stderr}");
    assert_eq!(output.status.code(), Some(code), "{command:?}: {stdout}{stderr}");
    (stdout, stderr)
}

/// Replaces a string in the lines of a ledger and recomputes their checksums.
pub(crate) fn resealed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} in {text}");
    let (header, lines) = text.split_once('\n').unwrap();
    let plan = serde_json::from_str::<Value>(header).unwrap()["plan"].clone();
    let plan: queens::PlanId = serde_json::from_value(plan).unwrap();
    let lines = lines.lines().map(|line| {
        let line = line.rsplit_once(' ').unwrap().0;
        let line = if line == from { to } else { line };
        let checksum = crc32fast::hash(format!("{plan}{line}").as_bytes());
        format!("{line} {checksum:08x}\n")
    });
    format!("{header}\n{}", lines.collect::<String>())
}

/// Asserts that a string contains all of the given parts.
pub(crate) fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

/// Runs the program in a new folder and returns its standard output. Standard error may only name
/// the file that was saved.
pub(crate) fn stdout(arguments: &str) -> String {
    Place::new().stdout(arguments)
}

/// Runs the program in a new folder with `--format json` and returns the parsed output.
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
        assert!(stderr.lines().all(|line| line.starts_with("saved in '")), "{arguments}: {stderr}");
        stdout
    }

    pub(crate) fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.stdout(&format!("{arguments} --format json"))).unwrap()
    }

    /// Runs the program, which must fail with the given exit code and print nothing to standard
    /// output. Returns its error message, which must contain the given parts. It may follow a line
    /// about the file that is not written.
    pub(crate) fn fails(&self, code: i32, arguments: &str, parts: &[&str]) -> String {
        let (stdout, stderr) = self.run(code, arguments);
        assert_eq!(stdout, "", "{arguments}");
        let mut lines = stderr.lines().filter(|line| !line.starts_with('\''));
        assert!(lines.next().unwrap().starts_with("error: "), "{arguments}: {stderr}");
        assert_contains(&stderr, parts);
        stderr
    }

    /// Starts the program in the background.
    pub(crate) fn start(&self, arguments: &str) -> Child {
        let mut command = queens(arguments, self.0.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), bytes).unwrap();
    }

    /// Returns a field of a JSON file.
    pub(crate) fn field(&self, name: &str, field: &str) -> Value {
        serde_json::from_str::<Value>(&self.read(name)).unwrap()[field].clone()
    }

    /// Returns the subproblems in a ledger with their counts. A missing file counts as empty.
    pub(crate) fn counts(&self, name: &str) -> Vec<(u64, u64)> {
        let text = std::fs::read_to_string(self.at(name)).unwrap_or_default();
        let (lines, _) = text.rsplit_once('\n').unwrap_or_default();
        let counts = lines.lines().map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        });
        counts.flatten().collect()
    }

    /// Returns the number of subproblems in a ledger.
    pub(crate) fn entries(&self, name: &str) -> usize {
        self.counts(name).len()
    }

    /// Returns all files and folders, with the contents of the files.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        // Folders and pipes are included without contents.
        let bytes = |path: &PathBuf| match path.is_file() {
            true => std::fs::read(path).unwrap(),
            false => Vec::new(),
        };
        let paths = super::paths_below(self.0.path()).into_iter();
        paths.map(|path| (path.clone(), bytes(&path))).collect()
    }
}
