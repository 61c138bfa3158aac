//! Tests that fill the lists to their limits.

use super::*;
use crate::board::Board;
use crate::engine::bitboard::complete;
use crate::engine::bitboard::tests::positions;
use crate::engine::simd::Isa;
use crate::engine::tests::kernels;
use crate::engine::{Engine, Kernel, bitboard};

fn squares(n: u32) -> Squares {
    Squares::for_board(&Board::new(n).unwrap())
}

fn completions(squares: &Squares, positions: &[Position]) -> u64 {
    let count = |&position| reference::count(squares, position);
    positions.iter().map(count).sum()
}

/// Tests numbers of positions at and around the sizes of a vector and a batch.
#[test]
fn partly_filled_and_exactly_full() {
    let squares = squares(11);
    let all = positions(&squares, 4);
    let mut lists = StateLists::default();
    let vectors = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33];
    for len in vectors.into_iter().chain([BATCH - 17, BATCH - 1, BATCH]) {
        for few in all.chunks_exact(len).step_by(37) {
            let truth = completions(&squares, few);
            for kernel in kernels(Engine::Bitboard) {
                let count = complete(Isa::detect(kernel).unwrap(), &squares, few, &mut lists);
                assert_eq!(count, truth, "{kernel} with {len} positions");
            }
        }
    }
}

/// Runs under Miri, so it uses small boards and kernels that every CPU can run.
#[test]
fn small_boards_are_counted_within_the_lists() {
    let mut lists = StateLists::default();
    for n in 4..=5 {
        let squares = squares(n);
        let all = positions(&squares, 1);
        for few in all.chunks(4).chain([&[Position::EMPTY][..]]) {
            let truth = completions(&squares, few);
            for kernel in [bitboard::KERNELS[1], bitboard::KERNELS[2]] {
                let count = complete(Isa::detect(kernel).unwrap(), &squares, few, &mut lists);
                assert_eq!(count, truth, "{kernel} N = {n}");
            }
        }
    }
}

/// Task that steps one batch, or runs the search to the end.
struct Grow<'a> {
    search: Search<'a>,
    column: usize,
    once: bool,
}

impl Task for Grow<'_> {
    /// Number of states in the next column, or number of solutions.
    type Output = u64;

    fn run<I: InstructionSet>(mut self, isa: I) -> u64 {
        if self.once {
            self.search.step_batch::<I, 0>(isa, self.column);
            self.search.len[self.column + 1] as u64
        } else {
            self.search.run(isa, self.column)
        }
    }
}

/// Fills the lists of two columns as far as possible. Every state of the first column leaves a
/// child, so the lists of the second column reach their limit.
#[test]
fn the_fullest_lists_fit() {
    let squares = squares(12);
    let grow = |kernel, here: &[Position], next: &[Position], once| {
        let (mut lists, column) = (StateLists::default(), here[0].column as usize);
        let mut search = Search::new(&squares, here, &mut lists);
        next.iter().for_each(|position| search.push(position));
        let task = Grow { search, column, once };
        match Isa::detect(kernel).unwrap() {
            Isa::Scalar(isa) => isa.call(task),
            isa => isa.run(task),
        }
    };
    // Use only positions whose first child survives, so that the number of states is known.
    let survives = |&position: &_| grow(Kernel::Scalar, &[position], &[], true) == 1;
    let here = positions(&squares, 3).into_iter().filter(survives);
    let here: Vec<_> = here.take(BATCH).collect();
    let next = &positions(&squares, 4)[..BATCH - 1];
    assert_eq!(here.len(), BATCH);
    let offers = |position: &&Position| position.free(&squares) != 0;
    let listed = BATCH + next.iter().filter(offers).count();
    let truth = completions(&squares, &here) + completions(&squares, next);
    for kernel in kernels(Engine::Bitboard) {
        if kernel != Kernel::Reference {
            assert_eq!(grow(kernel, &here, next, true), listed as u64);
            assert_eq!(grow(kernel, &here, next, false), truth);
        }
    }
}
