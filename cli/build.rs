//! Hands the commit and the compiler to the program, which `queens --version` prints. Reports name
//! the compiler, too.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // cargo adds the file to a package.
    let package = std::fs::read_to_string(".cargo_vcs_info.json").unwrap_or_default();
    let commit = package.split('"').skip_while(|word| *word != "sha1").nth(2).map(str::to_owned);
    // Other builds would recompile the program after each commit.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let is_checkout = is_release && Path::new("../.git").exists();
    let commit = commit.or_else(|| git("HEAD").filter(|_| is_checkout));
    if let Some(log) =
        git("--git-path logs/HEAD").filter(|log| is_checkout && Path::new(log).exists())
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let compiler = std::env::var("RUSTC").ok().and_then(|rustc| output_of(&rustc, "--version"));
    for (name, value) in [("COMMIT", commit), ("COMPILER", compiler)] {
        println!("cargo:rustc-env=QUEENS_{name}={}", value.as_deref().unwrap_or("unknown"));
    }
}

fn git(arguments: &str) -> Option<String> {
    output_of("git", &format!("rev-parse {arguments}"))
}

/// Returns what a command prints, if it succeeds.
fn output_of(command: &str, arguments: &str) -> Option<String> {
    let output = Command::new(command).args(arguments.split(' ')).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
