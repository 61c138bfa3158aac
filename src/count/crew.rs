//! Threads that work side by side, a rayon pool of their own: all that are asked for, or none.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ThreadPoolBuilder;

use super::error::CountError;
use crate::machine::{memory::Exhausted, most_at_a_time};

/// Has `threads` threads, or as many as run at a time, do `work`, each told its number from 0 and pinned to the processors
/// in turn if there are any. None begins before all have started. What each of them gave, by number.
///
/// # Errors
///
/// [`CountError::Pool`] if not all can be started, [`CountError::Pin`] if one cannot be pinned: then none has
/// begun. [`CountError::Exhausted`] if the memory did not suffice for one.
///
/// # Panics
///
/// If `work` does, once all threads have ended.
pub fn on_threads<T: Send>(
    threads: usize,
    processors: &[usize],
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, CountError> {
    let number = threads.min(most_at_a_time());
    let pool = ThreadPoolBuilder::new()
        .num_threads(number)
        .thread_name(|i| format!("queens-{i}"))
        .build();
    let pool = pool.map_err(|refused| CountError::Pool {
        threads,
        source: std::io::Error::other(refused),
    })?;
    let pinned = pool.broadcast(|thread| pin(thread.index(), processors));
    pinned.into_iter().collect::<Result<(), _>>()?;
    let all = AssertUnwindSafe(|| pool.broadcast(|thread| work(thread.index())));
    catch_unwind(all).or_else(|panic| match panic.downcast_ref::<Exhausted>() {
        Some(&Exhausted { asked }) => {
            let ledger = None;
            Err(CountError::Exhausted { asked, ledger })
        }
        None => resume_unwind(panic),
    })
}

/// Pins this thread, number `i`, to its processor, if there are any.
fn pin(i: usize, processors: &[usize]) -> Result<(), CountError> {
    let Some(&processor) = processors.iter().cycle().nth(i) else {
        return Ok(());
    };
    match core_affinity::set_for_current(core_affinity::CoreId { id: processor }) {
        true => Ok(()),
        false => Err(CountError::Pin(processor)),
    }
}

/// A panic elsewhere ends the whole count, so a poisoned lock has nothing more to say.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::memory::reserve;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_works_once_or_none_does() {
        assert_eq!(on_threads(5, &[], |i| i * i).unwrap(), [0, 1, 4, 9, 16]);
        let begun = AtomicUsize::new(0);
        let count = |_| begun.fetch_add(1, Ordering::Relaxed);
        let nowhere = [1023];
        let refused = on_threads(3, &nowhere, count);
        assert!(matches!(refused, Err(CountError::Pin { .. })));
        assert_eq!(begun.into_inner(), 0);
    }

    #[test]
    fn memory_that_one_cannot_have_is_an_error_of_all() {
        let greedy = |i| {
            if i == 2 {
                reserve(&mut Vec::<u64>::new(), usize::MAX >> 8);
            }
        };
        let refused = on_threads(3, &[], greedy);
        assert!(matches!(refused, Err(CountError::Exhausted { asked, .. }) if asked > 1 << 50));
    }
}
