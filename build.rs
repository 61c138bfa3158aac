//! Hands the compiler's version to the program, so that every recorded result can name it, and
//! names a configuration for WebAssembly with 128-bit vectors.

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
    println!("cargo:rustc-check-cfg=cfg(wasm_simd)");
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if features.split(',').any(|feature| feature == "simd128") {
        println!("cargo:rustc-cfg=wasm_simd");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
