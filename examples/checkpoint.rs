//! Counts a board in several goes: `cargo run --release --example checkpoint -- 18 q18.ckpt`, ended at any time and started again.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use queens::Counter;
use queens::store::{Autosave, Checkpoint, SaveEvent};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().as_deref().unwrap_or("12").parse()?;
    let temporary = || std::env::temp_dir().join(format!("queens-{n}.ckpt"));
    let file = arguments.next().map_or_else(temporary, PathBuf::from);

    let run = Counter::new(n)?.prepare()?;
    // A file of another board is an error; a damaged one gives way to the previous checkpoint, with a notice.
    let (checkpoint, ledger, notices) = Checkpoint::open(&file, run.plan())?;
    notices.iter().for_each(|notice| eprintln!("{notice}"));
    println!(
        "{}: {} of {} subproblems are done",
        file.display(),
        ledger.done(),
        ledger.len()
    );

    let mut autosave = Autosave::new(checkpoint, &ledger, Duration::from_secs(2));
    let count = run
        .on_progress(|progress| {
            if let Some(SaveEvent::Failed(error)) = autosave.update(progress) {
                eprintln!("not saved: {error}");
            }
        })
        .resume(ledger)?;
    println!("Q({n}) = {}, {}", count.total, count.check);
    Ok(())
}
