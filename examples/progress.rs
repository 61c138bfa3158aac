//! Counts a board and shows its progress: `cargo run --release --example progress -- 17`.

use std::error::Error;

use queens::Counter;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).as_deref().unwrap_or("12").parse()?;
    let run = Counter::new(n)?.prepare()?;
    let count =
        run.on_progress(|progress| eprint!("\r{:5.1} %", 100.0 * progress.fraction)).run()?;
    eprintln!();
    println!("Q({n}) = {}, {}, in {:?}", count.total, count.check, count.elapsed);
    Ok(())
}
