//! A disk for tests: it lives in memory, fails at any step that it is told to, and can lose power.
//!
//! A loss of power keeps what was synced. Of the rest it keeps what chance wants: of a file's content any beginning, or
//! zeros in its place; of the changes of names since the folder was last synced any selection, since file systems make no
//! promise about their order.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;

use super::checkpoint::Checkpoint;
use super::files::{Lock, NewFile, Storage};
use super::problem::{FileError, Problem};
use crate::count::ledger::Ledger;
use crate::count::plan::Plan;
pub(super) use crate::count::plan::tests::plan;

/// A disk in memory; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Faulty(Arc<Mutex<State>>);

/// What each name stands for, by place in the contents.
type Names = BTreeMap<PathBuf, usize>;

/// Names that are taken away or set, all at once.
type Change = Vec<(PathBuf, Option<usize>)>;

#[derive(Debug, Clone, Default)]
struct State {
    /// What is in each file, and what of it is synced.
    contents: Vec<(Vec<u8>, Vec<u8>)>,
    names: Names,
    /// The same as of the last sync of the folder, and the changes since.
    synced_names: Names,
    changes: Vec<Change>,
    steps: usize,
    /// The steps that fail.
    fault: Option<(Range<usize>, io::ErrorKind)>,
}

/// Has `work` fail at each of its steps in turn, once with an error and once by a loss of power. What is on the disk then,
/// or may be when the power is back, goes to `check`, with what the work gave.
pub(super) fn with_faults<T>(
    start: &Faulty,
    work: impl Fn(&Faulty) -> T,
    check: impl Fn(&Faulty, &T),
) {
    for step in 0.. {
        let disk = start.deep_clone();
        disk.fail(step..step + 1, io::ErrorKind::StorageFull);
        let outcome = work(&disk);
        check(&disk.deep_clone(), &outcome);
        if disk.state().steps <= step {
            assert!(step > 4, "only {step} steps were tried");
            return;
        }
        let disk = start.deep_clone();
        disk.fail(step..usize::MAX, io::ErrorKind::Other);
        let outcome = work(&disk);
        for seed in 0..200 {
            check(&disk.after_power_loss(&mut Rng::with_seed(seed)), &outcome);
        }
    }
}

impl Faulty {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Another disk with the same content, no longer failing.
    pub(super) fn deep_clone(&self) -> Self {
        let fault = None;
        let state = self.state().clone();
        Self(Arc::new(Mutex::new(State { fault, ..state })))
    }

    /// All files and what is in them.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let bytes = |&content: &usize| state.contents[content].0.clone();
        let files = state.names.iter();
        files.map(|(name, at)| (name.clone(), bytes(at))).collect()
    }

    /// Puts a file there.
    pub(super) fn put(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let mut state = self.state();
        let content = state.contents.len();
        state.contents.push((bytes.to_vec(), bytes.to_vec()));
        state.names.insert(path.as_ref().to_owned(), content);
        state.synced_names = state.names.clone();
    }

    pub(super) fn heal(&self) {
        self.state().fault = None;
    }

    /// Makes some of the steps from here on fail.
    pub(super) fn fail(&self, steps: Range<usize>, kind: io::ErrorKind) {
        let mut state = self.state();
        (state.steps, state.fault) = (0, Some((steps, kind)));
    }

    /// The disk as it may be when the power is back.
    fn after_power_loss(&self, rng: &mut Rng) -> Self {
        let before = self.state();
        let mut names = before.synced_names.clone();
        for change in before.changes.iter().filter(|_| rng.bool()) {
            rename(&mut names, change);
        }
        let survivors = before.contents.iter().map(|(bytes, synced)| {
            let mut bytes = bytes.clone();
            let survives = rng.usize(..=bytes.len());
            match rng.u8(..3) {
                _ if bytes == *synced => {}
                0 => bytes.clone_from(synced),
                1 => bytes.truncate(survives),
                _ => bytes[survives..].fill(0),
            }
            (bytes.clone(), bytes)
        });
        Self(Arc::new(Mutex::new(State {
            contents: survivors.collect(),
            synced_names: names.clone(),
            names,
            ..State::default()
        })))
    }
}

fn rename(names: &mut Names, change: &Change) {
    for (name, content) in change {
        match content {
            Some(content) => names.insert(name.clone(), *content),
            None => names.remove(name),
        };
    }
}

impl State {
    /// Counts a step, which may fail.
    fn step(&mut self) -> io::Result<()> {
        let step = self.steps;
        self.steps += 1;
        match &self.fault {
            Some((steps, kind)) if steps.contains(&step) => Err((*kind).into()),
            _ => Ok(()),
        }
    }

    fn change(&mut self, change: Change) {
        rename(&mut self.names, &change);
        self.changes.push(change);
    }

    fn content(&self, path: &Path) -> io::Result<usize> {
        let content = self.names.get(path);
        content.copied().ok_or(io::ErrorKind::NotFound.into())
    }

    fn expect_free(&self, path: &Path) -> io::Result<()> {
        match self.content(path) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => Ok(()),
        }
    }
}

/// An open file.
struct Open {
    disk: Faulty,
    content: usize,
}

impl io::Write for Open {
    /// Takes as little as a system may: several calls for the smallest of files, so that one can fail half-way.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = &bytes[..bytes.len().min(100)];
        let mut state = self.disk.state();
        state.step()?;
        state.contents[self.content].0.extend(some);
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for Open {
    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.step()?;
        let (bytes, synced) = &mut state.contents[self.content];
        synced.clone_from(bytes);
        Ok(())
    }
}

impl Storage for Faulty {
    fn read(&self, path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
        let files = self.files();
        let bytes = files.get(path);
        Ok(bytes.map(|bytes| bytes[..bytes.len().min(most)].to_vec()))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        let mut state = self.state();
        state.step()?;
        state.expect_free(path)?;
        let content = state.contents.len();
        state.contents.push(Default::default());
        state.change(vec![(path.to_owned(), Some(content))]);
        let disk = self.clone();
        Ok(Box::new(Open { disk, content }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let content = Some(state.content(from)?);
        state.change(vec![(from.to_owned(), None), (to.to_owned(), content)]);
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.state().expect_free(to)?;
        self.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.content(path)?;
        state.change(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.synced_names = state.names.clone();
        state.changes.clear();
        Ok(())
    }

    fn create_folder(&self, _folder: &Path) -> io::Result<bool> {
        self.state().step()?;
        Ok(false)
    }

    fn remove_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = self.files();
        let name = |path: &PathBuf| Some(path.strip_prefix(folder).ok()?.display().to_string());
        Ok(files.keys().filter_map(name).collect())
    }

    fn lock(&self, _path: &Path) -> Result<Lock, Problem> {
        Ok(Lock::default())
    }
}

/// The checkpoint of the tests.
pub(super) const FILE: &str = "/run/six.ckpt";

/// The ledger of a count that has done the first `done` subproblems of a plan.
pub(super) fn ledger(plan: &Plan, done: usize) -> Ledger {
    let entries = (0..done).map(|index| (index, 1000 + index as u64));
    Ledger::resumed_from(plan, entries, Duration::ZERO).unwrap()
}

type Opened = (Checkpoint, Ledger, Vec<String>);

pub(super) fn open(disk: &Faulty, plan: &Plan) -> Result<Opened, FileError> {
    Checkpoint::open_on(Box::new(disk.clone()), Path::new(FILE), plan)
}
