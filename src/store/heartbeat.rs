//! Signs of life of the tasks that count shards.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::{self, Storage, with_suffix};

/// What follows the name of the result in the name of the file.
pub(super) const SUFFIX: &str = ".begun";

/// A sign of life of a task: a file beside the place of its result that it touches now and then, and removes at its end.
/// Nothing depends on it but what people are told; so it can fail without a word.
#[derive(Debug)]
pub struct Heartbeat<'a> {
    storage: &'a dyn Storage,
    path: PathBuf,
    last: Instant,
}

impl<'a> Heartbeat<'a> {
    /// How often the file is touched.
    pub const EVERY: Duration = Duration::from_secs(30);

    /// Begins to count the shard whose result will be in the file `result`.
    pub(super) fn start(storage: &'a dyn Storage, result: &Path) -> Self {
        let heartbeat = Self {
            storage,
            path: with_suffix(result, SUFFIX),
            last: Instant::now(),
        };
        heartbeat.touch();
        heartbeat
    }

    /// Touches the file if it is time.
    pub fn beat(&mut self) {
        if self.last.elapsed() >= Self::EVERY {
            self.last = Instant::now();
            self.touch();
        }
    }

    fn touch(&self) {
        let _ = self.storage.touch(&self.path, files::host().as_bytes());
    }
}

impl Drop for Heartbeat<'_> {
    fn drop(&mut self) {
        let _ = self.storage.remove(&self.path);
    }
}

/// The machine that a file was written on, and the time since it was touched, if it is still there.
pub(super) fn heard(storage: &dyn Storage, path: &Path) -> Option<(String, Duration)> {
    const LONGEST_NAME: usize = 1 << 10;
    let host = storage.read(path, LONGEST_NAME).ok()??;
    let silent = storage.age(path).ok()?;
    Some((String::from_utf8_lossy(&host).into_owned(), silent))
}
