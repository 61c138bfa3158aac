//! Counts a board in several runs: `cargo run --release --example checkpoint -- 18 q18.ckpt`. Stop
//! it at any time and start it again to resume.

use std::error::Error;
use std::path::PathBuf;

use queens::store::LedgerFile;
use queens::{Counter, Shard};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().as_deref().unwrap_or("12").parse()?;
    let temporary = || std::env::temp_dir().join(format!("queens-{n}.ckpt"));
    let path = arguments.next().map_or_else(temporary, PathBuf::from);

    let mut run = Counter::new(n)?.prepare()?;
    // A file for another board is an error. Subproblems on damaged lines are counted again.
    let mut file = LedgerFile::open(&path, run.plan(), Shard::WHOLE)?;
    let ledger = file.ledger();
    println!("{}: {} of {} subproblems are done", path.display(), ledger.done(), ledger.len());

    run.fill(&mut file, |file| file.save_when_due().map(drop).map_err(Box::<dyn Error>::from))?;
    file.save()?;
    let count = run.verify(file.ledger())?;
    println!("Q({n}) = {}, {}", count.total, count.check);
    Ok(())
}
