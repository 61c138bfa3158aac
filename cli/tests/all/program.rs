//! Helpers that run the program the way a user does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use queens::known;
use serde_json::Value;
use tempfile::TempDir;

/// Temporary folder in which the program is run.
pub(crate) struct Place(TempDir);

/// Program that runs in the background until it is dropped. A program that hangs is killed after
/// three minutes, which fails its test: `cargo test` has no limit of its own.
pub(crate) struct Running(Option<Child>, #[expect(dead_code, reason = "dropped")] Sender<()>);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let (child, (drops, dropped)) = (command.spawn().unwrap(), channel());
        let (id, text) = (child.id().to_string(), format!("{command:?}"));
        std::thread::spawn(move || {
            if dropped.recv_timeout(Duration::from_secs(180)) == Err(RecvTimeoutError::Timeout) {
                eprintln!("hangs, and is killed: {text}");
                let kill: &[_] =
                    if cfg!(windows) { &["taskkill", "/F", "/PID"] } else { &["kill", "-9"] };
                Command::new(kill[0]).args(&kill[1..]).arg(id).status().unwrap();
            }
        });
        Self(Some(child), drops)
    }

    /// Returns the process, which has not been waited for.
    pub(crate) fn process(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    #[cfg(unix)]
    pub(crate) fn send(&mut self, signal: &str) {
        let (signal, id) = (format!("-{signal}"), self.process().id().to_string());
        assert!(Command::new("kill").args([signal, id]).status().unwrap().success());
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.process().try_wait().unwrap().is_none()
    }

    /// Waits until the program ends.
    pub(crate) fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }

    /// Waits until the program has reached a state that it keeps, and must not end before.
    pub(crate) fn wait_for(&mut self, mut is_reached: impl FnMut(u32) -> bool) {
        while !is_reached(self.process().id()) {
            assert!(self.is_running(), "it ended too early");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill(); // fails if it has already ended
            child.wait().unwrap();
        }
    }
}

/// Returns a command that runs the program in a folder. Arguments are separated by spaces.
pub(crate) fn queens(arguments: &str, folder: &Path) -> Command {
    let mut command = captured(env!("CARGO_BIN_EXE_queens"), folder);
    command.args(arguments.split_whitespace());
    command
}

/// Returns a command that runs `before` in a shell, and then the program.
#[cfg(unix)]
pub(crate) fn in_shell(place: &Place, before: &str, arguments: &str) -> Command {
    let mut shell = captured("sh", place.0.path());
    let script = format!("{before}; exec \"$0\" {arguments}");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_queens")]);
    shell
}

fn captured(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command, which must exit with the given code. Returns standard output and standard error.
pub(crate) fn run(code: i32, command: &mut Command) -> (String, String) {
    let output = Running::start(command).output();
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

/// Returns the published number of solutions.
pub(crate) fn published(n: u32) -> String {
    known::values(n).unwrap().solutions.to_string()
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
    pub(crate) fn start(&self, arguments: &str) -> Running {
        Running::start(&mut queens(arguments, self.0.path()))
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
        let (mut found, mut folders) = (BTreeMap::new(), vec![self.at("")]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                folders.extend(path.is_dir().then(|| path.clone()));
                let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
                found.insert(path, bytes);
            }
        }
        found
    }
}
