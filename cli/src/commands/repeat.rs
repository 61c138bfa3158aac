//! Counting the same board several times, to know how long it takes.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::report::Record;
use queens::Count;

use super::options::whole;

/// How often a count is repeated.
#[derive(Debug, Args)]
pub(crate) struct Repeating {
    /// Count R times after a run to warm up, and report how long that takes
    ///
    /// Reports the median, least and greatest time and the standard deviation. By default a board is counted once, and a row of
    /// a table as often as fits in 0.2 s.
    #[arg(long, value_name = "R", value_parser = whole::<u32>(1, Some(10_000)))]
    runs: Option<u32>,
}

/// A short count of a table is repeated for about this long
const LONG_ENOUGH: Duration = Duration::from_millis(200);
/// and at most so many times, unless a number of runs is asked for.
const MOST_RUNS: usize = 25;

impl Repeating {
    /// Counts before the last time: the times of all runs but that one.
    pub(crate) fn all_but_one(
        &self,
        mut count: impl FnMut() -> Result<Count>,
    ) -> Result<Vec<Duration>> {
        self.warm_up(&mut count)?;
        let times = (1..self.runs.unwrap_or(1)).map(|_| Ok(count()?.elapsed));
        times.collect()
    }

    /// Counts as often as asked, or a short count often.
    pub(crate) fn often(&self, mut count: impl FnMut() -> Result<Count>) -> Result<Record> {
        self.warm_up(&mut count)?;
        let mut times = Vec::new();
        loop {
            let last = count()?;
            times.push(last.elapsed);
            let is_enough = match self.runs {
                Some(runs) => times.len() >= runs as usize,
                None => times.len() == MOST_RUNS || times.iter().sum::<Duration>() >= LONG_ENOUGH,
            };
            if is_enough {
                return Ok(Record::of_runs(last, &times));
            }
        }
    }

    /// The first count of a process is slower than any other.
    fn warm_up(&self, count: &mut impl FnMut() -> Result<Count>) -> Result<()> {
        self.runs.map_or(Ok(()), |_| count().map(drop))
    }
}
