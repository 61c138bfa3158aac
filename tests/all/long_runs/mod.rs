//! The real binary, made to suffer: killed, interrupted, given damaged files, run twice at once.

mod bad_input;
mod checkpoint;
mod damage;
mod kill;
mod older_files;
mod shards;
mod signals;
mod slurm;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use queens::known::known;
use queens::store::Checkpoint;
use queens::{Board, Counter, Engine, Ledger, Plan};

/// The binary, with its arguments given as in a shell: words between spaces.
fn queens(arguments: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder);
    command
}

/// Runs it to the end.
fn run(arguments: &str, folder: &Path) -> Output {
    let output = queens(arguments, folder).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{arguments}: {stderr}");
    output
}

/// Runs it and expects an exit code; standard output and standard error.
fn run_to(code: i32, arguments: &str, folder: &Path) -> (String, String) {
    let output = run(arguments, folder);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let found = output.status.code();
    assert_eq!(found, Some(code), "{arguments}: {stdout}{stderr}");
    (stdout, stderr)
}

/// The bytes of the checkpoint of a ledger. Written in a folder of its own: while another test starts a process, that
/// process holds for a moment whatever locks this one has.
fn checkpoint_of(ledger: &Ledger, plan: &Plan) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    let (checkpoint, ..) = Checkpoint::open(&file, plan).unwrap();
    checkpoint.save(ledger, Duration::ZERO).unwrap();
    std::fs::read(file).unwrap()
}

/// The published number of solutions.
fn published(n: u32) -> String {
    known(n).unwrap().solutions.to_string()
}

/// All files of a folder, those of its folders too.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let inside = files(&path).into_iter();
            found.extend(inside.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
            found.insert(name + "/", Vec::new());
        } else {
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

/// The text of a file with something replaced and the checksum made to fit.
fn resealed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from));
    let text = text.replace(from, to);
    let body = &text[..text.find(",\n  \"checksum\"").unwrap()];
    let checksum = crc32fast::hash(body.as_bytes());
    format!("{body},\n  \"checksum\": \"crc32 {checksum:08x}\"\n}}\n")
}

/// A field of a JSON file.
fn field(path: &Path, name: &str) -> serde_json::Value {
    let bytes = std::fs::read(path).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    document[name].clone()
}

/// The engines that count ordinary boards.
fn engines() -> Vec<Engine> {
    Engine::all_for(&Board::new(8).unwrap()).collect()
}

/// The plan that a counter would follow.
fn plan(counter: Counter) -> Plan {
    counter.prepare().unwrap().plan().clone()
}
