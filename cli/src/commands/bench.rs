//! `queens bench`: benchmarks the CPU.

use std::path::{Path, PathBuf};

use crate::measure::{
    Benchmark, Level, Measurement, Purpose, Suite, Timer, WORKLOAD, Workload, load,
};
use crate::report::{Format, Report, file_name};
use anyhow::{Error, Result, bail, ensure};
use clap::Args;
use queens::machine::{Environment, Threads, max_running};
use queens::{CancelToken, Engine};

use crate::exit::Failure;
use crate::message::tell;
use crate::options::{AUTO, Destination, When, board_size, one_of, sizes, threads};
use crate::output::{Output, create_folder, has_reader, keep_apart};
use crate::progress::{STEPS, bar};
use crate::signals;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Finish in about ten seconds, with a rough result
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Measure larger boards for several minutes
    #[arg(long)]
    full: bool,

    /// Also measure on 2, 4, ... threads, and report the speedup
    #[arg(long)]
    scaling: bool,

    /// Measure only this engine
    #[arg(long, value_parser = one_of::<Engine>())]
    engine: Option<Engine>,

    /// Measure this board size instead of the usual ones; scores are comparable only for the same
    /// N, and the slowest kernel determines the running time
    #[arg(long, value_parser = board_size())]
    n: Option<u32>,

    /// Set the number of threads for measurements on all threads, 1 to 4096 [default: one per
    /// available core]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,

    /// Also measure a table of board sizes: 1-20 or 1..=20 (including 20), 1..20 (excluding 20), or
    /// 8,10,12
    #[arg(long, value_name = "RANGE", value_parser = sizes, allow_hyphen_values = true)]
    table: Option<std::vec::Vec<u32>>, // the full path keeps clap from treating this as a list of values

    /// Save the benchmark as JSON for --baseline and `queens report`; in a folder, the file is
    /// named after CPU and date
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Compare with a saved benchmark, and print the ratios with their spread
    ///
    /// A ratio above 1 is faster than the saved benchmark. Differences within the spread of the
    /// runs are noise
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Print every measurement instead of only the score; implied by --scaling and --table
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    to: Destination,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = AUTO, help_heading = "Advanced")]
    progress: When,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let suite = suite(arguments)?;
    let cancel = CancelToken::new();
    measure(arguments, &suite, &cancel, &mut |workload, _, _| suite.time(workload, &cancel))
}

fn suite(arguments: &Arguments) -> Result<Suite> {
    let level = match (arguments.quick, arguments.full) {
        (true, _) => Level::Quick,
        (_, true) => Level::Full,
        _ => Level::Default,
    };
    let threads = match arguments.threads {
        Some(count) => {
            let reason = format!("{count} requested, but no more can run at a time");
            Threads::exactly(count)?.at_most(max_running(), &reason)
        }
        None => Threads::usable(),
    };
    let mut suite = Suite::new(level, threads);
    suite.scaling = arguments.scaling;
    suite.engines = arguments.engine.map_or(suite.engines, |engine| vec![engine]);
    suite.n = arguments.n;
    suite.table = arguments.table.iter().flatten().copied().collect();
    let scores = suite.engines.iter().filter_map(|&engine| Some(("--n", suite.n?, engine)));
    let rows = suite.table.iter().map(|&n| ("--table", n, Engine::Bitboard));
    for (option, n, engine) in scores.chain(rows) {
        let sizes = Suite::sizes(engine);
        if !sizes.contains(&n) {
            let (least, most) = sizes.into_inner();
            let reason = format!(
                "a count of N = {n} with the {engine} engine cannot be verified (accepted: {least} to {most}, where the total is published)"
            );
            bail!(Failure::usage(option, reason));
        }
    }
    Ok(suite)
}

/// Returns the file to save to. If the path names a folder, this is a new file in it, named after
/// the machine and the date. Otherwise, an existing file must be empty or a benchmark, so that a
/// mistyped path cannot destroy other files.
fn file_to_save(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() && !path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        let found = path.metadata();
        if found.is_ok_and(|file| !file.is_file() || file.len() > 0) && load(path).is_err() {
            let reason = format!(
                "'{}' exists and is not a benchmark (accepted: a new file, or a benchmark to replace)",
                path.display()
            );
            bail!(Failure::usage("--save", reason));
        }
        return Ok(path.to_owned());
    }
    create_folder("--save", path)?;
    let name = file_name(&Environment::here().name());
    let mut file = path.join(format!("{name}.json"));
    let mut number = 1;
    while file.exists() {
        number += 1;
        file = path.join(format!("{name}-{number}.json"));
    }
    Ok(file)
}

/// Reads a saved benchmark, which must share a workload with the suite.
fn read_baseline(path: &Path, suite: &Suite) -> Result<Benchmark> {
    let baseline = load(path)?;
    ensure!(
        baseline.wrong().next().is_none(),
        "contains a wrong count, so its times are invalid (accepted: another benchmark)"
    );
    ensure!(
        baseline.workload == WORKLOAD,
        "has workload {} (accepted: {WORKLOAD})",
        baseline.workload
    );
    let wanted = suite.workloads();
    let is_wanted = |one: &Measurement| {
        one.workload.purpose != Purpose::Table && wanted.contains(&one.workload)
    };
    let scores = baseline.scores.iter();
    let scores: Vec<_> = scores.map(|score| score.workload.to_string()).collect();
    ensure!(
        baseline.measurements.iter().any(is_wanted),
        "has no measurement in common with this run (accepted: a benchmark of the same engines and boards; its scores are for {})",
        scores.join("; ")
    );
    Ok(baseline)
}

/// Measures with `time`, writes the report, and then fails if a total is wrong.
fn measure(
    arguments: &Arguments,
    suite: &Suite,
    cancel: &CancelToken,
    time: &mut Timer<'_>,
) -> Result<()> {
    let format = arguments.to.format()?;
    let output = &arguments.to.output;
    let baseline = arguments.baseline.as_deref().map(|path| {
        keep_apart("--output", output, "--baseline", path)?;
        let read = read_baseline(path, suite);
        read.map_err(|error| {
            Failure::usage("--baseline", format!("'{}' {error:#}", path.display()))
        })
    });
    let baseline = baseline.transpose()?;
    let save = arguments.save.as_deref().map(|path| {
        if path == Path::new("-") {
            let reason = "'-' is not a file (accepted: a file; --format json prints the benchmark)";
            bail!(Failure::usage("--save", reason));
        }
        keep_apart("--save", path, "--output", output)?;
        let file = file_to_save(path)?;
        anyhow::Ok((Output::create_for("--save", &file)?, file))
    });
    let save = save.transpose()?;
    let mut output = Output::create(output)?;
    // Opening a pipe may block until it has a reader. Until then, a signal must end the process
    // immediately.
    signals::on_interrupt(cancel)?;
    let mut display = display(arguments.progress);
    let measured = suite.run(&mut |workload, round, fraction| {
        display(workload, round, fraction);
        time(workload, round, fraction)
    });
    drop(display);
    let mut benchmark = measured?;
    if let Some(baseline) = baseline {
        benchmark.compare_with(&baseline);
    }
    let asks_for_more = arguments.verbose || arguments.scaling || arguments.table.is_some();
    benchmark.brief = format == Format::Text && !asks_for_more;
    let saved = save.map_or(Ok(()), |(mut save, path)| {
        benchmark.write(&mut save, Format::Json)?;
        save.finish().inspect(|()| tell(format_args!("saved in '{}'", path.display())))
    });
    // A benchmark that cannot be saved is printed nevertheless.
    let written = benchmark.write(&mut output, format).map_err(Error::from);
    let written = has_reader(written.and_then(|()| output.finish()));
    if let Some(wrong) = benchmark.wrong().next() {
        bail!(Failure::contradiction(wrong.workload));
    }
    saved.and(written)?;
    if cancel.is_cancelled() {
        bail!(Failure::interrupted("stopped before all was measured"));
    }
    Ok(())
}

/// Returns a function that shows progress on standard error. It is called only between runs, so as
/// not to disturb them.
fn display(when: When) -> impl FnMut(&Workload, usize, f64) {
    let bar = bar(when, "[{wide_bar}] {elapsed} {msg}", String::new);
    let mut shown = String::new();
    move |workload, round, fraction| {
        let message = match round {
            0 => format!("warm-up: {workload}"),
            _ => format!("round {round}: {workload}"),
        };
        if message == shown {
            return;
        }
        if let Some(bar) = &bar {
            bar.set_position((fraction * STEPS as f64) as u64);
            bar.set_message(message.clone());
        } else if when == When::Always {
            tell(format_args!("{:3.0} % {message}", 100.0 * fraction));
        }
        shown = message;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::exit;
    use clap::Parser;
    use queens::CountError;
    use queens::known;

    fn arguments(more: &[&str]) -> Arguments {
        let all = ["queens", "bench", "--quick", "-v", "--progress", "never"];
        match Cli::try_parse_from(all.iter().chain(more)).unwrap().command {
            Some(Command::Bench(arguments)) => arguments,
            _ => unreachable!("the command is bench"),
        }
    }

    /// An interrupted benchmark is printed and saved with what was measured.
    #[test]
    fn an_interrupted_benchmark_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (text, saved) = (path("text"), path("saved.json"));
        let arguments = arguments(&["--threads", "2", "--output", &text, "--save", &saved]);
        let suite = suite(&arguments).unwrap();
        let cancel = CancelToken::new();
        let mut left = suite.workloads().len() + 1;
        let mut run = |workload: &Workload, _, _| {
            left -= 1;
            if left == 0 {
                cancel.cancel();
                return Err(CountError::Cancelled);
            }
            Ok((0.5, 0.5, known::values(workload.n).unwrap().solutions))
        };
        let error = measure(&arguments, &suite, &cancel, &mut run).unwrap_err();
        assert_eq!(exit::code(&error), 130);
        let saved = load(saved.as_ref()).unwrap();
        assert!((1..suite.workloads().len()).contains(&saved.measurements.len()));
        assert!(saved.measurements.iter().all(|one| one.runs == [0.5]));
        assert!(std::fs::read_to_string(text).unwrap().contains("500 ms"));
    }

    /// A wrong total in the warm-up or in a later run shows up in the report, in the saved file and
    /// in the exit code.
    #[rstest::rstest]
    #[case(1)]
    #[case(7)]
    fn a_wrong_total_voids_the_score_of_its_engine_alone(#[case] wrong: usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (text, saved) = (path("text"), path("saved.json"));
        let arguments = arguments(&["--threads", "2", "--output", &text, "--save", &saved]);
        let suite = suite(&arguments).unwrap();
        let (mut runs, mut culprit) = (0, None);
        let mut run = |workload: &Workload, _, _| {
            runs += 1;
            let mut total = known::values(workload.n).unwrap().solutions;
            if runs == wrong {
                culprit = Some(*workload);
                total += 1;
            }
            Ok((0.5, 0.5, total))
        };
        let error = measure(&arguments, &suite, &CancelToken::new(), &mut run).unwrap_err();
        let culprit = culprit.expect("there were that many runs");
        assert_eq!(exit::code(&error), 4);
        let engine = culprit.engine.to_string();
        assert!(error.to_string().contains(&engine), "{error}");
        let text = std::fs::read_to_string(text).unwrap();
        assert!(text.contains("void") && text.contains("WRONG"), "{text}");
        let saved = load(saved.as_ref()).unwrap();
        assert!(saved.wrong().map(|one| one.workload).eq([culprit]));
        for score in &saved.scores {
            let is_void = score.workload.engine == culprit.engine;
            assert_eq!(score.one_thread.is_none(), is_void, "{score:?}");
            assert_eq!(score.all_threads.is_none(), is_void, "{score:?}");
        }
    }
}
