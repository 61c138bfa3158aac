//! How far a count is.

use std::time::Duration;

use super::ledger::Ledger;
use super::plan::Plan;

/// How far a count is, told some fifty times a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// What is done.
    pub ledger: &'a Ledger,
    /// The part of the estimated work that is done, from 0 to 1.
    pub fraction: f64,
    /// The part that was done before this run.
    pub resumed: f64,
    /// Solutions found in this run, weights of symmetry included.
    pub found: u128,
    /// How many subproblems have been counted twice, and how many are to be; none before the count is complete.
    pub double_checked: Option<(usize, usize)>,
    /// How long this run has lasted.
    pub elapsed: Duration,
}

/// Estimated work, done and in all.
pub(super) struct Work {
    weights: Vec<f64>,
    all: f64,
    done: f64,
    /// The part that was done before this run.
    pub(super) resumed: f64,
    left: usize,
}

impl Work {
    /// The work of what is in the ledger and of what is `pending`.
    pub(super) fn new(plan: &Plan, ledger: &Ledger, pending: &[usize]) -> Self {
        let weights = plan.weights();
        let left: f64 = pending.iter().map(|&index| weights[index]).sum();
        let entered = (0..ledger.len()).filter(|&index| ledger.get(index).is_some());
        let done: f64 = entered.map(|index| weights[index]).sum();
        let all = done + left;
        Self {
            resumed: if all > 0.0 { done / all } else { 0.0 },
            left: pending.len(),
            weights,
            all,
            done,
        }
    }

    pub(super) fn done(&mut self, index: usize) {
        self.done += self.weights[index];
        self.left -= 1;
    }

    /// From 0 to 1, which is reached exactly when nothing is left.
    pub(super) fn fraction(&self) -> f64 {
        if self.left == 0 {
            1.0
        } else {
            (self.done / self.all).clamp(0.0, 1.0)
        }
    }
}
