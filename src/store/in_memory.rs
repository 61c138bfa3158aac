//! Shard ledgers in memory, for programs that exchange them without a shared folder.

use std::collections::BTreeMap;
use std::iter;
use std::path::Path;
use std::time::Duration;

use super::format::{Codec, Completion, json_prefix};
use super::problem::Problem;
use super::shards::{ShardsError, expect_shards};
use super::status::{Done, Merged, Status};
use crate::count::{Ledger, Method, Plan, Shard};
use crate::engine::CancelToken;

impl Plan {
    /// Returns the ledger of a finished shard, in the format of the files in a folder of
    /// [`Shards`](super::Shards).
    ///
    /// ```
    /// use queens::{Board, Counter, Engine, Ledger, Plan, Shard};
    ///
    /// let plan = Plan::new(Board::new(8)?, Engine::Bitboard)?;
    /// let mut parts = Vec::new();
    /// for index in 0..3 {
    ///     let shard = Shard::new(index, 3)?; // for example, on another machine
    ///     let mut ledger = Ledger::of_shard(&plan, shard);
    ///     let mut run = Counter::following(plan.clone()).prepare()?;
    ///     let done = run.count(run.missing(&ledger)?, |results| ledger.record(results))?;
    ///     parts.push(plan.shard_to_bytes(&ledger, done.elapsed, &run.method()));
    /// }
    /// assert_eq!(plan.merge(3, &parts)?.total, 92);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics unless the ledger belongs to this plan and is complete.
    #[must_use]
    pub fn shard_to_bytes(&self, ledger: &Ledger, elapsed: Duration, method: &Method) -> Vec<u8> {
        assert!(ledger.plan() == self.id() && ledger.is_complete(), "not a complete shard");
        let codec = Codec::new(self, ledger.shard());
        let completion = Completion::new(ledger, elapsed, method, None);
        let lines = Codec::lines(elapsed, ledger.entries(), Some(completion));
        let text = codec.encode(0, iter::once(codec.header()).chain(lines));
        text.into_bytes()
    }

    /// Reads ledgers of a plan with `shards` shards, in any order. Ledgers are
    /// [`unusable`](Status::unusable) if they are damaged, repeat a shard, or belong to another
    /// plan or another number of shards.
    ///
    /// # Errors
    ///
    /// Returns [`ShardsError::Split`] if the plan cannot be split into this many shards.
    pub fn status(
        &self,
        shards: usize,
        parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Status, ShardsError> {
        expect_shards(self, shards)?;
        let (mut done, mut unusable) = (BTreeMap::new(), Vec::new());
        for (part, bytes) in parts.into_iter().enumerate() {
            if let Err(problem) = self.enter(shards, bytes.as_ref(), &mut done) {
                unusable.push(problem.at(Path::new(&format!("part {part}"))));
            }
        }
        let missing = (0..shards).filter(|shard| !done.contains_key(shard));
        Ok(Status {
            missing: missing.collect(),
            done: done.into_values().collect(),
            unusable,
            ..Status::default()
        })
    }

    /// Merges the ledgers of all `shards` shards, which may be in any order.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Shards::merge`](super::Shards::merge), and
    /// [`ShardsError::Split`].
    pub fn merge(
        &self,
        shards: usize,
        parts: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Merged, ShardsError> {
        self.status(shards, parts)?.merge(self, shards)
    }

    /// Reads the ledger of a finished shard and adds it to `done`.
    fn enter(
        &self,
        shards: usize,
        bytes: &[u8],
        done: &mut BTreeMap<usize, Done>,
    ) -> Result<(), Problem> {
        // If this shard number is wrong, no checksum matches.
        let index = json_prefix(bytes)["begin"]["shard"].as_u64().unwrap_or(0) as usize;
        let index = index.min(shards - 1);
        let codec = Codec::new(self, Shard::new(index, shards).expect("in range"));
        let mut contents = codec.read(bytes, &CancelToken::new())?;
        let is_whole = !contents.headers.is_empty() && contents.ledger.is_complete();
        let Some(completion) = contents.completions.pop().filter(|_| is_whole) else {
            return Err(Problem::damaged("it is incomplete"));
        };
        let by = contents.headers.pop();
        let other = done.insert(index, Done { by, completion });
        other.map_or(Ok(()), |_| Err(Problem::Repeated(index)))
    }
}
