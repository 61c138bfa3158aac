//! Running the program as a user does.

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin_cmd;

/// Runs `queens` to its end.
pub fn queens(arguments: &[&str]) -> Assert {
    cargo_bin_cmd!("queens").args(arguments).assert()
}

/// What `queens` prints when all goes well and nothing is to be said on standard error.
pub fn stdout(arguments: &[&str]) -> String {
    let assert = queens(arguments).success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}
