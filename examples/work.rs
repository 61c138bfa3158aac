//! Prints the work of the `join` engine for one board, counted on one thread:
//!
//! ```text
//! cargo run --release --features stats --example work -- 17
//! ```

use queens::engine::take_stats;
use queens::{Board, Engine, Plan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(16), |n| n.parse())?;
    let plan = Plan::new(Board::new(n)?, Engine::Join)?;
    let solver = plan.solver(Engine::Join.fastest_kernel(), 1)?;
    let mut worker = solver.worker();
    let mut total = 0;
    for index in 0..plan.len() {
        total += u128::from(worker.try_count(index)?);
    }
    println!("Q({n}) = {total}\n{:#?}", take_stats());
    Ok(())
}
