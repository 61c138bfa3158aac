//! Parts of subproblems, shared among threads.

use super::*;
use crate::engine::algorithm::Work;

/// Subproblems of one to five parts; part p contributes 16^p, so that a part left out or counted twice would show.
#[derive(Debug)]
struct Parts;

impl Solve for Parts {
    fn parts(&self, index: usize) -> usize {
        1 + index % 5
    }
    fn worker(&self) -> Box<dyn Work + '_> {
        Box::new(Self)
    }
}

impl Work for Parts {
    fn count(&mut self, _: usize, part: usize, _: &CancelToken) -> Option<Tally> {
        std::thread::yield_now();
        Some(Tally::of(16_u64.pow(part as u32)))
    }
}

#[test]
fn every_part_is_counted_once_however_threads_share_them() {
    for threads in 1..=7 {
        let schedule = Mutex::new(Schedule::new(0..203));
        let (results, arrived) = unbounded();
        let never = CancelToken::new();
        let run = |thread| work(&Parts, &schedule, thread, &never, &results);
        std::thread::scope(|scope| {
            (0..threads).for_each(|thread| drop(scope.spawn(move || run(thread))))
        });
        let mut got: Vec<_> = arrived
            .try_iter()
            .map(|s| (s.index, s.tally.count))
            .collect();
        got.sort_unstable();
        let whole = |index| {
            (0..Parts.parts(index) as u32)
                .map(|part| 16_u64.pow(part))
                .sum()
        };
        assert_eq!(
            got,
            (0..203)
                .map(|index| (index, whole(index)))
                .collect::<Vec<_>>()
        );
    }
}
