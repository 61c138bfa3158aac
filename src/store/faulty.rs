//! A disk for tests: it lives in memory, fails at any step that it is told to, and can lose power.
//!
//! A loss of power keeps what was synced. Of the rest it keeps what chance wants: of a file's content any beginning, or
//! zeros in its place; of the changes of names since the folder was last synced any selection, since file systems make no
//! promise about their order.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::storage::{Lock, LockError, Storage, Writable};

/// A disk in memory; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Faulty(Arc<Mutex<State>>);

#[derive(Debug, Clone, Default)]
struct State {
    contents: Vec<Content>,
    /// What each name stands for, by place in `contents`.
    names: BTreeMap<PathBuf, usize>,
    /// The same as of the last sync of the folder, and the changes since.
    synced_names: BTreeMap<PathBuf, usize>,
    changes: Vec<Change>,
    steps: usize,
    fault: Option<Fault>,
    failed: bool,
}

#[derive(Debug, Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    synced: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Change {
    Create(PathBuf, usize),
    Rename(PathBuf, PathBuf, usize),
    Remove(PathBuf),
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    /// This step fails.
    Step(usize, io::ErrorKind),
    /// Every write fails.
    Writes(io::ErrorKind),
    /// This step and all that follow fail.
    Power(usize),
}

/// A small random number generator, so that a failure can be repeated.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((z ^ (z >> 29)) % end as u64) as usize
    }
}

/// What can become of a file: every length that it can be cut to, and every bit of it flipped.
pub(super) fn damages(good: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let cuts = (0..good.len()).map(|length| good[..length].to_vec());
    let flips = (0..8 * good.len()).map(|bit| {
        let mut bytes = good.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    cuts.chain(flips)
}

impl Faulty {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Another disk with the same content, no longer failing.
    pub(super) fn deep_clone(&self) -> Self {
        let clone = Self(Arc::new(Mutex::new(self.state().clone())));
        clone.heal();
        clone
    }

    /// All files and what is in them.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let bytes = |&content: &usize| state.contents[content].bytes.clone();
        let files = state.names.iter();
        files
            .map(|(name, content)| (name.clone(), bytes(content)))
            .collect()
    }

    /// Puts a file there.
    pub(super) fn put(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let mut state = self.state();
        let content = state.contents.len();
        let (bytes, synced) = (bytes.to_vec(), bytes.to_vec());
        state.contents.push(Content { bytes, synced });
        state.names.insert(path.as_ref().to_owned(), content);
        state.synced_names.insert(path.as_ref().to_owned(), content);
    }

    fn set_fault(&self, fault: Option<Fault>) {
        let mut state = self.state();
        (state.steps, state.fault, state.failed) = (0, fault, false);
    }

    pub(super) fn heal(&self) {
        self.set_fault(None);
    }

    /// Makes the step that comes after `step` others fail, once.
    pub(super) fn fail_at_step(&self, step: usize, kind: io::ErrorKind) {
        self.set_fault(Some(Fault::Step(step, kind)));
    }

    /// Makes writing fail.
    pub(super) fn fail_writes(&self, kind: io::ErrorKind) {
        self.set_fault(Some(Fault::Writes(kind)));
    }

    /// Makes everything fail after `step` steps.
    pub(super) fn lose_power_at_step(&self, step: usize) {
        self.set_fault(Some(Fault::Power(step)));
    }

    /// Whether a fault has come up.
    pub(super) fn has_failed(&self) -> bool {
        self.state().failed
    }

    /// The disk as it may be when the power is back.
    pub(super) fn after_power_loss(&self, rng: &mut Rng) -> Self {
        let before = self.state();
        let mut names = before.synced_names.clone();
        for change in &before.changes {
            if rng.below(2) == 0 {
                continue;
            }
            match change.clone() {
                Change::Create(path, content) => {
                    names.insert(path, content);
                }
                Change::Rename(from, to, content) => {
                    names.remove(&from);
                    names.insert(to, content);
                }
                Change::Remove(path) => {
                    names.remove(&path);
                }
            }
        }
        let contents = before.contents.iter().map(|content| {
            let survives = rng.below(content.bytes.len() + 1);
            let bytes = match rng.below(3) {
                _ if content.bytes == content.synced => content.bytes.clone(),
                0 => content.synced.clone(),
                1 => content.bytes[..survives].to_vec(),
                _ => {
                    let mut bytes = content.bytes.clone();
                    bytes[survives..].fill(0);
                    bytes
                }
            };
            let synced = bytes.clone();
            Content { bytes, synced }
        });
        let contents = contents.collect();
        Self(Arc::new(Mutex::new(State {
            contents,
            synced_names: names.clone(),
            names,
            ..State::default()
        })))
    }
}

impl State {
    /// Counts a step, which may fail.
    fn step(&mut self, writes: bool) -> io::Result<()> {
        let step = self.steps;
        self.steps += 1;
        let error = match self.fault {
            Some(Fault::Step(at, kind)) if at == step => kind,
            Some(Fault::Writes(kind)) if writes => kind,
            Some(Fault::Power(at)) if step >= at => io::ErrorKind::Interrupted,
            _ => return Ok(()),
        };
        self.failed = true;
        Err(match error {
            // Retried by `write_all`, if it were that.
            io::ErrorKind::Interrupted => io::Error::other("the power is off"),
            kind => kind.into(),
        })
    }
}

impl Storage for Faulty {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.state();
        let content = state.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(state.contents[*content].bytes.clone())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Writable>> {
        let mut state = self.state();
        state.step(true)?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let content = state.contents.len();
        state.contents.push(Content::default());
        state.names.insert(path.to_owned(), content);
        state.changes.push(Change::Create(path.to_owned(), content));
        drop(state);
        let disk = self.clone();
        Ok(Box::new(OpenFile { disk, content }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step(true)?;
        let content = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), content);
        let change = Change::Rename(from.to_owned(), to.to_owned(), content);
        state.changes.push(change);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step(false)?;
        state.names.remove(path).ok_or(io::ErrorKind::NotFound)?;
        state.changes.push(Change::Remove(path.to_owned()));
        Ok(())
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step(false)?;
        state.synced_names = state.names.clone();
        state.changes.clear();
        Ok(())
    }

    fn create_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let state = self.state();
        let inside = state
            .names
            .keys()
            .filter_map(|path| path.strip_prefix(folder).ok());
        Ok(inside.map(|name| name.display().to_string()).collect())
    }

    fn lock(&self, _path: &Path) -> Result<Lock, LockError> {
        Ok(Lock::default())
    }
}

/// A file being written.
struct OpenFile {
    disk: Faulty,
    content: usize,
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.step(true)?;
        // Several writes for the smallest of checkpoints, so that one can fail half-way.
        let some = &bytes[..bytes.len().min(100)];
        state.contents[self.content].bytes.extend(some);
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Writable for OpenFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.step(true)?;
        let content = &mut state.contents[self.content];
        content.synced = content.bytes.clone();
        Ok(())
    }
}
