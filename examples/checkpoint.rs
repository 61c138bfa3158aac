//! Counts a board in several runs: `cargo run --release --example checkpoint -- 18 q18.ckpt`. Stop
//! it at any time and start it again to resume.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use queens::store::LedgerFile;
use queens::{CancelToken, Counter, Shard};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().as_deref().unwrap_or("12").parse()?;
    let temporary = || std::env::temp_dir().join(format!("queens-{n}.ckpt"));
    let file = arguments.next().map_or_else(temporary, PathBuf::from);

    let run = Counter::new(n)?.prepare()?;
    // A file for another board is an error. Damaged lines cause a warning, and their subproblems
    // are counted again.
    let every = Duration::from_secs(2);
    let (mut checkpoint, mut ledger) =
        LedgerFile::open(&file, run.plan(), Shard::WHOLE, every, &CancelToken::new())?;
    println!("{}: {} of {} subproblems are done", file.display(), ledger.done(), ledger.len());

    let count = run
        .on_progress(|progress| {
            if let Err(error) = checkpoint.update(progress.ledger) {
                eprintln!("not saved: {error}");
            }
            for warning in checkpoint.warnings() {
                eprintln!("{warning}");
            }
        })
        .resume(&mut ledger)?;
    let (method, double_check) = (&count.method, count.double_check.as_ref());
    checkpoint.finish(&ledger, method.kernel, method.threads.count(), double_check)?;
    println!("Q({n}) = {}, {}", count.total, count.check);
    Ok(())
}
