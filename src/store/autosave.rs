//! When a running count is saved, and what is said about it.

use std::io;
use std::time::{Duration, Instant};

use super::checkpoint::Checkpoint;
use crate::count::Progress;
use crate::count::ledger::Ledger;

/// A checkpoint that is saved while the count runs: now and then, and once when everything is done. A save that fails does
/// not stop the count; it is told, and tried again.
///
/// ```
/// use std::time::Duration;
///
/// use queens::Counter;
/// use queens::store::{Autosave, Checkpoint, SaveEvent};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("twelve.ckpt");
/// let run = Counter::new(12)?.prepare()?;
/// let (checkpoint, ledger, _notices) = Checkpoint::open(&file, run.plan())?;
/// let mut autosave = Autosave::new(checkpoint, &ledger, Duration::from_secs(30));
/// let count = run
///     .on_progress(|progress| {
///         if let Some(SaveEvent::Failed(error)) = autosave.update(progress) {
///             eprintln!("not saved: {error}");
///         }
///     })
///     .resume(ledger)?;
/// assert_eq!(count.total, 14_200);
/// assert!(file.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Autosave {
    checkpoint: Checkpoint,
    every: Duration,
    /// When the last attempt ended: after it, lest a slow disk be all that is busy.
    last: Instant,
    /// How long this run has counted.
    elapsed: Duration,
    saved: usize,
    /// Why the last attempt failed, if it did.
    failure: Option<String>,
}

/// What became of an attempt to save.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveEvent {
    /// It was saved.
    Saved,
    /// It was saved, after attempts that had failed.
    Recovered,
    /// It could not be saved, and why not. The same error is told once, and again when the count is complete.
    Failed(String),
}

impl Autosave {
    /// Saves every so often in a checkpoint that was opened with this ledger.
    #[must_use]
    pub fn new(checkpoint: Checkpoint, ledger: &Ledger, every: Duration) -> Self {
        Self {
            checkpoint,
            every,
            last: Instant::now(),
            elapsed: Duration::ZERO,
            saved: ledger.done(),
            failure: None,
        }
    }

    /// The checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The time between saves.
    #[must_use]
    pub fn every(&self) -> Duration {
        self.every
    }

    /// Number of subproblems in the last good file.
    #[must_use]
    pub fn saved(&self) -> usize {
        self.saved
    }

    /// Takes the news of a count, and saves it if that is due or everything is done. `None` if nothing was saved, or there
    /// is nothing new to tell.
    pub fn update(&mut self, progress: &Progress<'_>) -> Option<SaveEvent> {
        let ledger = progress.ledger;
        let counting = progress.double_checked.is_none();
        if counting {
            self.elapsed = progress.elapsed;
        }
        if ledger.done() == self.saved {
            return None;
        }
        let just_completed = counting && ledger.is_complete();
        if !just_completed && self.last.elapsed() < self.every {
            return None;
        }
        match self.save(ledger) {
            Ok(()) => Some(match self.failure.take() {
                Some(_) => SaveEvent::Recovered,
                None => SaveEvent::Saved,
            }),
            Err(error) => {
                let error = error.to_string();
                let told = self.failure.replace(error.clone()) == Some(error.clone());
                (!told || just_completed).then_some(SaveEvent::Failed(error))
            }
        }
    }

    /// Saves what is done when a count has been cancelled, unless it is saved already.
    ///
    /// # Errors
    ///
    /// I/O errors. Then [`saved`](Self::saved) subproblems are in the last good file.
    pub fn finish(&mut self, ledger: &Ledger) -> io::Result<()> {
        if self.saved == ledger.done() {
            return Ok(());
        }
        self.save(ledger)
    }

    /// Takes the subproblems at these places of the plan, which were found to be wrong, out of what is saved: a count that
    /// is resumed from there counts them again.
    ///
    /// # Errors
    ///
    /// I/O errors. What was found to be wrong may still be in the files then.
    pub fn forget(&mut self, places: &[usize]) -> io::Result<()> {
        self.saved = self.checkpoint.forget(places)?;
        Ok(())
    }

    fn save(&mut self, ledger: &Ledger) -> io::Result<()> {
        let outcome = self.checkpoint.save(ledger, self.elapsed);
        self.last = Instant::now();
        outcome?;
        self.saved = ledger.done();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::faulty::{Faulty, ledger, open, plan};
    use super::*;

    const NEVER: Duration = Duration::MAX;

    fn autosave(disk: &Faulty, every: Duration) -> Autosave {
        let (checkpoint, found, _) = open(disk, &plan(6)).unwrap();
        Autosave::new(checkpoint, &found, every)
    }

    /// The news of a run that has done the first `done` subproblems.
    fn update(autosave: &mut Autosave, done: usize) -> Option<SaveEvent> {
        let ledger = ledger(&plan(6), done);
        autosave.update(&Progress {
            ledger: &ledger,
            solved: &[],
            draws: None,
            fraction: 0.5,
            left: None,
            found: 0,
            double_checked: None,
            elapsed: Duration::from_secs(done as u64),
        })
    }

    /// What a later run finds.
    fn found(disk: &Faulty) -> Ledger {
        open(&disk.deep_clone(), &plan(6)).unwrap().1
    }

    #[test]
    fn it_saves_when_it_is_time_and_when_all_is_done() {
        let disk = Faulty::default();
        let mut always = autosave(&disk, Duration::ZERO);
        assert_eq!(update(&mut always, 3), Some(SaveEvent::Saved));
        assert_eq!(update(&mut always, 3), None); // nothing new
        assert_eq!(update(&mut always, 4), Some(SaveEvent::Saved));
        assert_eq!(found(&disk).done(), 4);
        let all = plan(6).len();
        let mut rarely = autosave(&disk, NEVER);
        assert_eq!(update(&mut rarely, 5), None);
        assert_eq!(update(&mut rarely, all), Some(SaveEvent::Saved));
        assert!(found(&disk).is_complete());
    }

    #[test]
    fn a_failure_is_told_once_and_tried_again() {
        let disk = Faulty::default();
        let mut autosave = autosave(&disk, Duration::ZERO);
        update(&mut autosave, 1);
        disk.fail(0..usize::MAX, io::ErrorKind::StorageFull);
        let first = update(&mut autosave, 2);
        assert!(matches!(first, Some(SaveEvent::Failed { .. })));
        assert_eq!(update(&mut autosave, 3), None);
        disk.fail(0..usize::MAX, io::ErrorKind::PermissionDenied);
        let another = update(&mut autosave, 4);
        assert!(another != first && matches!(another, Some(SaveEvent::Failed { .. })));
        assert_eq!(update(&mut autosave, plan(6).len()), another); // the last word
        assert_eq!((autosave.saved(), found(&disk).done()), (1, 1));
        disk.heal();
        assert_eq!(update(&mut autosave, 6), Some(SaveEvent::Recovered));
        assert_eq!(update(&mut autosave, 7), Some(SaveEvent::Saved));
    }

    #[test]
    fn what_is_done_is_saved_at_the_end() {
        let disk = Faulty::default();
        let mut autosave = autosave(&disk, NEVER);
        assert_eq!(update(&mut autosave, 3), None);
        disk.fail(0..usize::MAX, io::ErrorKind::StorageFull);
        assert!(autosave.finish(&ledger(&plan(6), 4)).is_err());
        disk.heal();
        autosave.finish(&ledger(&plan(6), 4)).unwrap();
        assert_eq!(found(&disk).done(), 4);
        assert_eq!(found(&disk).resumed().unwrap().elapsed.as_secs(), 3);
        let saved = disk.files();
        autosave.finish(&ledger(&plan(6), 4)).unwrap();
        assert_eq!(disk.files(), saved);
    }
}
