//! Options that sub-commands share.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::board::MAX_N;
use crate::machine::threads::MAX_THREADS;
use crate::report::Format;
use crate::{CountError, Counter, Engine, Kernel, Symmetry, Threads};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use strum::VariantArray;
use strum::VariantNames;

/// How to count.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Counting")]
pub(crate) struct Counting {
    /// Number of threads, 1 to 4096 [default: the cores that this process may use]
    #[arg(long, value_name = "T", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    #[command(flatten)]
    engine: EngineOption,

    /// Inner loop [default: the engine's best one that this CPU can run]
    #[arg(long, value_name = "KERNEL", value_parser = kernels())]
    kernel: Option<Kernel>,

    /// Symmetry that engine bitboard uses [default: eightfold where the board allows it, mirror with kernel reference]
    #[arg(long, value_name = "SYMMETRY", value_parser = symmetries())]
    symmetry: Option<Symmetry>,
}

/// Which algorithm.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Counting")]
pub(crate) struct EngineOption {
    /// Algorithm; `auto` takes the fastest one for the board
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engines())]
    engine: EngineChoice,
}

impl EngineOption {
    /// Sets up a counter as asked.
    pub(crate) fn apply(&self, counter: Counter) -> Counter {
        match self.engine {
            EngineChoice::Auto => counter,
            EngineChoice::Fixed(engine) => counter.engine(engine),
        }
    }
}

/// An engine, or the choice left to the program.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EngineChoice {
    Auto,
    Fixed(Engine),
}

impl Counting {
    /// The threads to use.
    pub(crate) fn threads(&self) -> Result<Threads, CountError> {
        Ok(self
            .threads
            .map_or_else(|| Ok(Threads::usable()), Threads::exactly)?)
    }

    /// Sets up a counter as asked.
    pub(crate) fn apply(&self, counter: Counter) -> Counter {
        let mut counter = self.engine.apply(counter);
        if let Some(kernel) = self.kernel {
            counter = counter.kernel(kernel);
        }
        if let Some(symmetry) = self.symmetry {
            counter = counter.symmetry(symmetry);
        }
        if let Some(threads) = self.threads {
            counter = counter.threads(threads);
        }
        counter
    }
}

/// How to report.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Reporting {
    /// Form of the result
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    pub(crate) format: Format,

    /// Write the result to a file, which appears when it is complete; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Show progress on standard error; `auto` does on a terminal
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub(crate) progress: When,
}

/// When to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// Where a person is likely to watch
    Auto,
    /// In any case
    Always,
    /// Not at all
    Never,
}

fn engines() -> impl TypedValueParser<Value = EngineChoice> {
    let names = Engine::VARIANTS.iter().map(|engine| engine.name());
    PossibleValuesParser::new(std::iter::once("auto").chain(names))
        .map(|name| name.parse().map_or(EngineChoice::Auto, EngineChoice::Fixed))
}

pub(crate) fn kernels() -> impl TypedValueParser<Value = Kernel> {
    PossibleValuesParser::new(Kernel::VARIANTS.iter().map(|kernel| kernel.name()))
        .try_map(|name| name.parse::<Kernel>())
}

fn symmetries() -> impl TypedValueParser<Value = Symmetry> {
    PossibleValuesParser::new(Symmetry::VARIANTS.iter().map(|symmetry| symmetry.name()))
        .try_map(|name| name.parse::<Symmetry>())
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
        .try_map(|name| name.parse::<Format>())
}

/// A board size that can be counted.
pub(crate) fn board_size(text: &str) -> Result<u32, String> {
    whole(text, 0, MAX_N as usize).map(|n| n as u32)
}

/// The longest duration that can be asked for, in seconds: some thirty years.
const LONGEST: f64 = 1e9;

/// A duration in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|&seconds: &f64| seconds > 0.0 && seconds <= LONGEST)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("accepted: a number of seconds above 0, at most {LONGEST}"))
}

/// One of several names.
pub(crate) fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantNames + FromStr<Err: std::error::Error> + Clone + Send + Sync + 'static,
    T::Err: Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    whole(text, 1, MAX_THREADS)
}

/// A whole number in a range, or a message that names the range.
pub(crate) fn whole(text: &str, least: usize, most: usize) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("accepted: a whole number from {least} to {most}"))
}
