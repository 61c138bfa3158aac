//! Signs of life of the tasks that count shards.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::{self, Storage, with_suffix};

/// What follows the name of the result in the name of the file.
pub(super) const SUFFIX: &str = ".begun";

/// A sign of life of a task: a file beside the place of its result that it touches now and then, and removes at its end.
/// Nothing depends on it but what people are told; so it can fail without a word.
#[derive(Debug)]
pub struct Heartbeat {
    path: PathBuf,
    last: Instant,
}

impl Heartbeat {
    /// How often the file is touched.
    pub const EVERY: Duration = Duration::from_secs(30);

    /// Begins to count the shard whose result will be in the file `result`.
    pub(super) fn start(result: &Path) -> Self {
        let heartbeat = Self {
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
        let _ = std::fs::write(&self.path, files::host());
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The machine that a file was written on, and the time since it was touched, if it is still there.
pub(super) fn heard(storage: &dyn Storage, path: &Path) -> Option<(String, Duration)> {
    const LONGEST_NAME: usize = 1 << 10;
    let host = storage.read(path, LONGEST_NAME).ok()??;
    let written = std::fs::metadata(path).ok()?.modified().ok()?;
    // A clock that is behind the file server's makes it zero.
    let silent = written.elapsed().unwrap_or_default();
    Some((String::from_utf8_lossy(&host).into_owned(), silent))
}
