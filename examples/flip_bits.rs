//! Flips one bit in each of many counts, and tells which check found it: the figures of docs/VERIFICATION.md.
//!
//! ```sh
//! cargo run --features faults --example flip_bits -- 1000
//! ```
//!
//! A run counts a board of N = 12 to 15 with engine bitboard or join, on two threads with the usual kernel. One bit of a
//! table, a list, a weight or a count is flipped at one of the moments at which the first count uses it, drawn at random. The same fault
//! is made without a double check and with one of 10 % and of 100 %.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use queens::count::Symmetric;
use queens::faults::{Memory, arm, disarm};
use queens::{CancelToken, Classes, CountError, Counter, Engine};

fn counter(engine: Engine, n: u32) -> Counter {
    Counter::new(n).unwrap().engine(engine).threads(2)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(100), |runs| runs.parse())?;
    std::panic::set_hook(Box::new(|_| ())); // a panic is an outcome like others
    let mut table: BTreeMap<(String, &str, &str), BTreeMap<&str, u32>> = BTreeMap::new();
    let mut chances = BTreeMap::new();
    let mut symmetric = BTreeMap::new();
    for n in 12..=15 {
        let never = CancelToken::new();
        let counted = Symmetric::count(&queens::Board::new(n)?, 1, &never)?;
        symmetric.insert(n, counted.ok_or("cancelled")?);
        for engine in [Engine::Bitboard, Engine::Join] {
            disarm();
            counter(engine, n).run()?;
            chances.insert((engine, n), disarm());
        }
    }
    for run in 0..runs {
        let mut random = fastrand::Rng::with_seed(run);
        let memory = Memory::ALL[(run / 2 % 4) as usize];
        let engine = match memory {
            Memory::Weights => Engine::Join,
            _ => [Engine::Bitboard, Engine::Join][(run % 2) as usize],
        };
        let n = random.u32(12..=15);
        let moment = random.u64(..chances[&(engine, n)][memory as usize]);
        for (check, percent) in [("none", None), ("10 %", Some(10.0)), ("100 %", Some(100.0))] {
            disarm();
            arm(memory, moment, run);
            let counting = || counter(engine, n).double_check(percent).run();
            let outcome = match catch_unwind(AssertUnwindSafe(counting)) {
                Ok(Ok(_)) => "right total", // published ones are compared with
                Ok(Err(CountError::Disagreement(_))) => "double check",
                Ok(Err(CountError::Mismatch(found))) => {
                    match Classes::new(n, found.total, symmetric[&n]) {
                        Ok(_) => "published value alone",
                        Err(_) => "published value; symmetry would have found it too",
                    }
                }
                Ok(Err(_)) => "another error",
                Err(_) => "panic",
            };
            let memory = ["tables", "lists", "counts", "weights"][memory as usize];
            let row = table
                .entry((engine.to_string(), memory, check))
                .or_default();
            *row.entry(outcome).or_default() += 1;
        }
    }
    for ((engine, memory, check), outcomes) in table {
        println!("{engine}, {memory}, double check {check}: {outcomes:?}");
    }
    Ok(())
}
