//! Merging of ledgers.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::error::{FileError, FileErrorKind};
use super::files::regular;
use super::format::Codec;
use crate::count::{Ledger, LedgerError, Plan, Shard};

/// Windows error code `ERROR_LOCK_VIOLATION`.
const LOCKED: i32 = 33;

/// Ledgers of one plan, added up. A subproblem counts once, even if several ledgers contain it.
///
/// The ledgers may be those of whole plans and of shards, also of different numbers of shards. They
/// come from files, from folders, or from memory.
///
/// ```
/// use queens::store::{LedgerFile, Merged};
/// use queens::{Counter, Shard};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// for number in 1..=3 {
///     let mut run = Counter::new(8)?.prepare()?; // for example, on another machine
///     let path = folder.join(number.to_string());
///     let mut file = LedgerFile::open(path, run.plan(), Shard::new(number, 3)?)?;
///     run.fill(&mut file, |file| Ok::<_, Box<dyn std::error::Error>>(file.save()?))?;
/// }
/// let mut merged = Merged::default();
/// merged.add_path(folder)?;
/// let (total, check) = merged.ledger().expect("there are three ledgers").total()?;
/// assert_eq!((total, check.label()), (92, "verified"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Merged {
    whole: Option<(Plan, Ledger)>,
    parts: Vec<Part>,
}

/// Ledger that was merged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// Path of the file. For the third of several ledgers in memory, this is `part 3`.
    pub path: PathBuf,
    /// Shard of the ledger, or `None` if not even its first line is complete.
    pub shard: Option<Shard>,
    /// Number of damaged lines, or zero if the ledger is complete, because they were counted again.
    pub damaged: usize,
}

impl Merged {
    /// Adds the ledger in a file, or all ledgers in a folder and the folders below it. Hidden files
    /// and folders, whose names start with a dot, are left out. A folder is read once, even if
    /// links lead to it.
    ///
    /// # Errors
    ///
    /// Returns an error if a file or folder cannot be read, or if a file is not a ledger of the
    /// same plan. Returns [`FileErrorKind::Contradiction`] if a subproblem has two counts.
    pub fn add_path(&mut self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.add_unless_seen(path.as_ref(), &mut HashSet::new())
    }

    /// Adds a path, but each folder only once. A link in a folder may lead back to it.
    fn add_unless_seen(
        &mut self,
        path: &Path,
        seen: &mut HashSet<PathBuf>,
    ) -> Result<(), FileError> {
        if !path.is_dir() {
            return self.add_file(path).map_err(|kind| kind.at(path));
        }
        let failed = |error| FileErrorKind::from(error).at(path);
        if seen.insert(path.canonicalize().map_err(failed)?) {
            entries(path)
                .map_err(failed)?
                .iter()
                .try_for_each(|it| self.add_unless_seen(it, seen))?;
        }
        Ok(())
    }

    /// Adds a ledger in memory.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`add_path`](Self::add_path).
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let name = PathBuf::from(format!("part {}", self.parts.len() + 1));
        self.add(&name, bytes, |_, _| None).map_err(|kind| kind.at(&name))
    }

    fn add_file(&mut self, path: &Path) -> Result<(), FileErrorKind> {
        regular(path)?;
        let read = |path: &Path, plan: &Plan| {
            let file = BufReader::new(File::open(path).ok()?);
            Some(Codec::read(file, Some(plan)).ok()??.1.ledger)
        };
        match self.add(path, BufReader::new(File::open(path)?), read) {
            // On Windows, a file locked by a running task cannot be read.
            Err(FileErrorKind::Io(error))
                if cfg!(windows) && error.raw_os_error() == Some(LOCKED) =>
            {
                Ok(())
            }
            added => added,
        }
    }

    /// Adds a ledger. `again` reads one that was added earlier.
    fn add(
        &mut self,
        path: &Path,
        input: impl BufRead,
        again: impl Fn(&Path, &Plan) -> Option<Ledger>,
    ) -> Result<(), FileErrorKind> {
        let known = self.whole.as_ref().map(|(plan, _)| plan);
        let Some((plan, contents)) = Codec::read(input, known)? else {
            self.parts.push(Part { path: path.to_owned(), shard: None, damaged: 0 });
            return Ok(());
        };
        let (plan, whole) = self.whole.get_or_insert_with(|| {
            let ledger = Ledger::new(&plan, Shard::WHOLE);
            (plan, ledger)
        });
        whole.merge(&contents.ledger).map_err(|error| match error {
            error @ LedgerError::Contradiction { index, counts: [earlier, _] } => {
                let has_it = |part: &&Part| {
                    again(&part.path, plan).and_then(|ledger| ledger.get(index)) == Some(earlier)
                };
                let with = self.parts.iter().find(has_it).map(|part| part.path.display());
                let with = with.map_or("an earlier part".to_owned(), |path| format!("'{path}'"));
                FileErrorKind::contradiction(error, with)
            }
            LedgerError::Foreign { found, expected } => FileErrorKind::Other { found, expected },
            error => FileErrorKind::damaged(error),
        })?;
        let shard = Some(contents.ledger.shard());
        let damaged = if contents.ledger.is_complete() { 0 } else { contents.damaged };
        self.parts.push(Part { path: path.to_owned(), shard, damaged });
        Ok(())
    }

    /// Returns the sum of all ledgers, which is that of a whole plan, or `None` if there are none.
    #[must_use]
    pub fn ledger(&self) -> Option<&Ledger> {
        self.whole.as_ref().map(|(_, ledger)| ledger)
    }

    /// Returns the ledgers in the order in which they were added.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the shards that are not complete. Returns `None` if the ledgers belong to several
    /// numbers of shards, apart from ledgers of whole plans.
    #[must_use]
    pub fn missing_shards(&self) -> Option<Vec<Shard>> {
        let mut numbers: Vec<_> = self.parts.iter().filter_map(|part| part.shard).collect();
        numbers.sort_unstable_by_key(|shard| shard.of());
        numbers.dedup_by_key(|shard| shard.of());
        let of = match numbers.iter().map(|shard| shard.of()).collect::<Vec<_>>()[..] {
            [of] | [1, of] => of,
            _ => return None,
        };
        let mut is_missing = vec![false; of];
        self.ledger()?.missing().for_each(|index| is_missing[index % of] = true);
        let missing = (1..=of).filter(|number| is_missing[number - 1]);
        Some(missing.map(|number| Shard::new(number, of).expect("in range")).collect())
    }
}

/// Returns the paths in a folder that are not hidden, in the order of their names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort_unstable();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}
