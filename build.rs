//! Hands the compiler's version to the program, so that every recorded result can name it.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok())
        .map_or_else(|| "rustc (unknown)".into(), |text| text.trim().to_owned());
    println!("cargo:rustc-env=QUEENS_COMPILER={version}");
    println!("cargo:rerun-if-changed=build.rs");
}
