//! `queens merge`: adds up checkpoints, whole ones and those of shards.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use queens::store::{FileError, FileErrorKind, Merged};
use queens::{Ledger, Shard};

use crate::checkpoint::warn_of_damage;
use crate::exit::{Failure, Result};
use crate::human::integer;
use crate::options::Destination;
use crate::output::{Output, print};
use crate::progress::waiting;
use crate::report::{MergeReport, Report};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Checkpoints of one count, or folders of them
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<PathBuf>,

    /// Print only the shards that are missing, such as 7,19-22, and nothing if none is
    #[arg(long, conflicts_with_all = ["quiet", "format", "output"])]
    missing: bool,

    /// Print only the number
    #[arg(long, short, conflicts_with = "format")]
    quiet: bool,

    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let format = arguments.to.format()?;
    let output = Output::create(&arguments.to.output)?;
    let mut merged = Merged::default();
    {
        let _waiting = waiting("adding up the results");
        arguments.paths.iter().try_for_each(|path| merged.add_path(path)).map_err(refused)?;
    }
    let ledger = merged.ledger().ok_or_else(|| no_results(&arguments.paths))?;
    for part in merged.parts() {
        warn_of_damage(&part.path.display().to_string(), part.damaged);
    }
    let shards = merged.missing_shards();
    if arguments.missing && ledger.is_complete() {
        return Ok(());
    } else if arguments.missing {
        let shards = shards.ok_or_else(|| {
            let accepted = "accepted: files of one number of shards";
            Failure::invalid(format!(
                "--missing: the files have several numbers of shards ({accepted})"
            ))
        })?;
        print(ranges(&shards))?;
        return Err(Failure::gaps(gaps(ledger, Some(&shards))));
    }
    if !ledger.is_complete() {
        return Err(Failure::gaps(gaps(ledger, shards.as_deref())));
    }
    let report = MergeReport::new(ledger, merged.parts().len())?;
    output.write_totals(|output, totals| {
        totals.push(report.summary());
        match arguments.quiet {
            true => writeln!(output, "{}", report.solutions)?,
            false => report.write(output, format)?,
        }
        Ok(())
    })
}

/// Returns the error for paths without any ledger.
fn no_results(paths: &[PathBuf]) -> Failure {
    let names: Vec<_> = paths.iter().map(|path| format!("'{}'", path.display())).collect();
    let accepted = "accepted: files written by --checkpoint, or folders of them";
    Failure::usage("FILE|DIR", format!("no results in {} ({accepted})", names.join(", ")))
}

/// Converts an error from reading a file.
fn refused(error: FileError) -> Failure {
    match &error.kind {
        FileErrorKind::Contradiction { .. } => Failure::contradiction(format!(
            "{error}; one of them is wrong: a recount of its shard to another file tells which"
        )),
        kind => Failure::from_file(&error, kind, "a checkpoint, or a folder of checkpoints"),
    }
}

/// Describes what is missing.
fn gaps(ledger: &Ledger, shards: Option<&[Shard]>) -> String {
    let [missing, all] = [ledger.len() - ledger.done(), ledger.len()].map(|x| integer(x as u128));
    let missing = format!("{missing} of {all} subproblems missing");
    match shards {
        Some(shards) if shards[0].of() > 1 => {
            let [number, of] = [shards.len(), shards[0].of()].map(|x| integer(x as u128));
            let list = ranges(shards);
            format!("no total: {number} of {of} shards incomplete: {list} ({missing})")
        }
        Some(_) => format!("no total: {missing}"),
        None => format!("no total: {missing}, in files of several numbers of shards"),
    }
}

/// Lists numbers of shards as ranges, in the syntax of `sbatch --array`.
fn ranges(shards: &[Shard]) -> String {
    let chunks = shards.chunk_by(|one, next| one.number() + 1 == next.number());
    let texts = chunks.map(|chunk| match chunk {
        [one] => one.number().to_string(),
        [first, .., last] => format!("{}-{}", first.number(), last.number()),
        [] => unreachable!("chunks are not empty"),
    });
    texts.collect::<Vec<_>>().join(",")
}
