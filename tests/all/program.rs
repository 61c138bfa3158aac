//! Running the program as a user does.

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin_cmd;

/// Arguments as in a shell, words between spaces, or one by one.
pub trait Words {
    fn words(&self) -> Vec<&str>;
}

impl Words for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Words for String {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Words for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Words for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Words for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// Runs `queens` to its end.
pub fn queens(arguments: &(impl Words + ?Sized)) -> Assert {
    cargo_bin_cmd!("queens").args(arguments.words()).assert()
}

/// What `queens` prints when all goes well and nothing is to be said on standard error.
pub fn stdout(arguments: &(impl Words + ?Sized)) -> String {
    let assert = queens(arguments).success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}
