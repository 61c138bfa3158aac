//! A disk for tests: it lives in memory, fails at any step that it is told to, and can lose power.
//!
//! A loss of power keeps what was synced. Of the rest it keeps what chance wants: of a file's content any beginning, or
//! zeros in its place; of the changes of names since the folder was last synced any selection, since file systems make no
//! promise about their order.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;

use super::checkpoint::{Checkpoint, Notice};
use super::files::{Lock, Storage};
use super::problem::{FileError, Problem};
use crate::board::Board;
use crate::count::ledger::Ledger;
use crate::count::plan::Plan;
use crate::engine::Engine;

/// A disk in memory; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Faulty(Arc<Mutex<State>>);

#[derive(Debug, Clone, Default)]
struct State {
    contents: Vec<Content>,
    /// What each name stands for, by place in `contents`.
    names: BTreeMap<PathBuf, usize>,
    /// The same as of the last sync of the folder, and the changes since: names that were taken away or set.
    synced_names: BTreeMap<PathBuf, usize>,
    changes: Vec<Vec<(PathBuf, Option<usize>)>>,
    steps: usize,
    fault: Option<Fault>,
    failed: bool,
}

#[derive(Debug, Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    synced: Vec<u8>,
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

impl Faulty {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
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
        let file = |(name, &content): (&PathBuf, &usize)| {
            (name.clone(), state.contents[content].bytes.clone())
        };
        state.names.iter().map(file).collect()
    }

    /// Puts a file there.
    pub(super) fn put(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let mut state = self.state();
        let content = state.contents.len();
        let (bytes, synced) = (bytes.to_vec(), bytes.to_vec());
        state.contents.push(Content { bytes, synced });
        state.names.insert(path.as_ref().to_owned(), content);
        state.synced_names = state.names.clone();
    }

    pub(super) fn remove_file(&self, path: &Path) {
        self.remove(path).unwrap();
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
        for (name, content) in before.changes.iter().filter(|_| rng.bool()).flatten() {
            match content {
                Some(content) => names.insert(name.clone(), *content),
                None => names.remove(name),
            };
        }
        let survivors = before.contents.iter().map(|content| {
            let mut bytes = content.bytes.clone();
            if bytes != content.synced {
                let survives = rng.usize(..=bytes.len());
                match rng.u8(..3) {
                    0 => bytes = content.synced.clone(),
                    1 => bytes.truncate(survives),
                    _ => bytes[survives..].fill(0),
                }
            }
            let synced = bytes.clone();
            Content { bytes, synced }
        });
        Self(Arc::new(Mutex::new(State {
            contents: survivors.collect(),
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
            Some(Fault::Step(at, kind)) if at == step => kind.into(),
            Some(Fault::Writes(kind)) if writes => kind.into(),
            Some(Fault::Power(at)) if step >= at => io::Error::other("the power is off"),
            _ => return Ok(()),
        };
        self.failed = true;
        Err(error)
    }

    fn change(&mut self, change: Vec<(PathBuf, Option<usize>)>) {
        for (name, content) in &change {
            match content {
                Some(content) => self.names.insert(name.clone(), *content),
                None => self.names.remove(name),
            };
        }
        self.changes.push(change);
    }

    fn content(&self, path: &Path) -> io::Result<usize> {
        let content = self.names.get(path).copied();
        content.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn expect_free(&self, path: &Path) -> io::Result<()> {
        match self.names.contains_key(path) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => Ok(()),
        }
    }
}

impl Storage for Faulty {
    fn read(&self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        let state = self.state();
        let bytes = &state.contents[state.content(path)?].bytes;
        Ok(bytes[..bytes.len().min(most)].to_vec())
    }

    fn create(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.step(true)?;
        state.expect_free(path)?;
        let content = state.contents.len();
        state.contents.push(Content::default());
        state.change(vec![(path.to_owned(), Some(content))]);
        // Several writes for the smallest of files, so that one can fail half-way.
        for some in bytes.chunks(100) {
            state.step(true)?;
            state.contents[content].bytes.extend(some);
        }
        state.step(true)?;
        state.contents[content].synced = bytes.to_vec();
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step(true)?;
        let content = state.content(from)?;
        state.change(vec![
            (from.to_owned(), None),
            (to.to_owned(), Some(content)),
        ]);
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.state().expect_free(to)?;
        self.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step(false)?;
        state.content(path)?;
        state.change(vec![(path.to_owned(), None)]);
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
        let names = state.names.keys();
        let inside = names.filter_map(|path| path.strip_prefix(folder).ok());
        Ok(inside.map(|name| name.display().to_string()).collect())
    }

    fn lock(&self, _path: &Path) -> Result<Lock, Problem> {
        Ok(Lock::default())
    }
}

/// The checkpoint of the tests.
pub(super) const FILE: &str = "/run/six.ckpt";

pub(super) fn plan(n: u32) -> Plan {
    Plan::new(Board::new(n).unwrap(), Engine::Bitboard).unwrap()
}

/// The ledger of a count that has done the first `done` subproblems of a plan.
pub(super) fn ledger(plan: &Plan, done: usize) -> Ledger {
    let entry = |index| (index < done).then_some(1000 + index as u64);
    let entries = (0..plan.len()).map(entry).collect();
    Ledger::resumed_from(plan, entries, Duration::ZERO)
}

pub(super) fn open(
    disk: &Faulty,
    plan: &Plan,
) -> Result<(Checkpoint, Ledger, Vec<Notice>), FileError> {
    Checkpoint::open_on(Box::new(disk.clone()), Path::new(FILE), plan)
}
