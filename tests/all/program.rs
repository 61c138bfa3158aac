//! Running the program as a user does.

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin_cmd;

/// Arguments as words between spaces, or one by one where they contain spaces.
pub trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Arguments for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const K: usize> Arguments for [&str; K] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Arguments for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// Runs `queens` to its end.
pub fn queens(arguments: &(impl Arguments + ?Sized)) -> Assert {
    cargo_bin_cmd!("queens").args(arguments.words()).assert()
}

/// What `queens` prints when all goes well and nothing is to be said on standard error.
pub fn stdout(arguments: &(impl Arguments + ?Sized)) -> String {
    let assert = queens(arguments).success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}
