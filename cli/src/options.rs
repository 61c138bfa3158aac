//! Options shared by several commands, and the parsers for their values.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::exit::{Failure, Result};
use crate::human;
use crate::message::eprint_line;
use crate::report::Format;
use queens::board::MAX_N;
use queens::machine::MAX_THREADS;
use queens::names::Named;
use queens::{Board, BoardError, CountError, Counter, Engine, Kernel, Run, Square, Symmetry};
use queens_search::boards::{Boards, ParsedBoard};

/// Options that define the board.
#[derive(Debug, Args)]
pub(crate) struct BoardOptions {
    /// Read the board from a file with a line per row: Q is a preplaced queen, # a blocked square,
    /// _ any other square; `-` is standard input
    #[arg(long, value_name = "FILE", value_parser = file(true))]
    board: Option<PathBuf>,

    /// Preplace queens on squares such as c5 or d4,a2, named as in chess: a1 is at the bottom left
    #[arg(long, value_name = "SQUARES")]
    queen: Vec<String>,

    /// Block squares such as a8,b8, or all in the rectangle between two corners such as d4-e6
    #[arg(long, value_name = "SQUARES")]
    block: Vec<String>,
}

/// Board that is counted: its size and the options that define it.
#[derive(Debug, Args)]
pub(crate) struct CountedBoard {
    /// Board size N, 0 to 32
    #[arg(value_parser = size_or_command, required_unless_present = "board")]
    n: Option<u32>,

    #[command(flatten)]
    options: BoardOptions,
}

impl CountedBoard {
    /// Returns the board.
    pub(crate) fn board(&self) -> Result<Board> {
        self.options.board(self.n)
    }
}

impl BoardOptions {
    /// Returns the board with these options, whose size is `n` or that of the board in the file.
    pub(crate) fn board(&self, n: Option<u32>) -> Result<Board, Failure> {
        let puzzle = self.board.as_deref().map(|file| puzzle(file, n)).transpose()?;
        let n = n.or(puzzle.as_ref().map(|puzzle| puzzle.n)).expect("N or a file is required");
        let mut board = Board::new(n).map_err(|error| Failure::usage("N", error))?;
        if let Some(ParsedBoard { queens, blocked, .. }) = puzzle {
            let placed = queens.into_iter().try_for_each(|queen| board.place(queen));
            let blocked = || blocked.into_iter().try_for_each(|square| board.block(square));
            placed.and_then(|()| blocked()).map_err(|error| Failure::usage("--board", error))?;
        }
        let place: fn(&mut Board, Square) -> _ = Board::place;
        for (option, add, texts) in
            [("--queen", place, &self.queen), ("--block", Board::block, &self.block)]
        {
            for text in texts {
                for square in squares(text, n).map_err(|why| Failure::usage(option, why))? {
                    add(&mut board, square).map_err(|why| Failure::usage(option, why))?;
                }
            }
        }
        Ok(board)
    }
}

/// Reads a board of size `n`, if given, from a file.
fn puzzle(file: &Path, n: Option<u32>) -> Result<ParsedBoard, Failure> {
    let (name, mut boards) = boards_in("--board", file)?;
    let read = boards.next().expect("a board or an error").and_then(|puzzle| {
        // The rest is read, too, as it may be wrong.
        Ok((puzzle, boards.by_ref().try_fold(1, |count, board| board.map(|_| count + 1))?))
    });
    let (puzzle, count) = read.map_err(|error| Failure::invalid(format!("{name}: {error}")))?;
    if count > 1 {
        return Err(Failure::invalid(format!("{name} has {count} boards (accepted: one)")));
    }
    if let Some(line) = puzzle.star_line {
        let why = "'*' is a queen for some programs and a blocked square for others";
        return Err(Failure::invalid(format!("{name}: line {line}: {why} (accepted: Q or #)")));
    }
    let size = puzzle.n;
    match n.filter(|n| *n != size) {
        Some(n) => {
            let reason = format!("{n}, but {name} is a {size} x {size} board");
            Err(Failure::usage("N", format!("{reason} (accepted: {size}, or no N)")))
        }
        None => {
            report_skipped(boards.skipped());
            Ok(puzzle)
        }
    }
}

/// Opens the file given by an option or argument; `-` is standard input. Returns a name for errors,
/// and the boards.
pub(crate) fn boards_in(
    option: &str,
    file: &Path,
) -> Result<(String, Boards<Box<dyn Read>>), Failure> {
    let (name, input) = match file == Path::new("-") {
        true => ("standard input".to_owned(), Ok(Box::new(io::stdin()) as Box<dyn Read>)),
        false => {
            let file_name = format!("'{}'", file.display());
            (file_name, File::open(file).map(|file| Box::new(file) as Box<dyn Read>))
        }
    };
    let name = format!("{option}: {name}");
    match input {
        Ok(input) => Ok((name, Boards::new(input))),
        Err(error) => {
            let accepted = "a file that can be read, or -";
            Err(Failure::from_io(format!("{name}: {error}"), &error, accepted))
        }
    }
}

/// Says how many lines of words were skipped, if any.
pub(crate) fn report_skipped(lines: u64) {
    match lines {
        0 => {}
        1 => eprint_line("skipped a line of words"),
        _ => eprint_line(format_args!("skipped {} lines of words", human::integer(lines.into()))),
    }
}

/// Parses squares: `c5`, a list `d4,a2`, or a range `d4-e6`.
fn squares(text: &str, n: u32) -> Result<impl Iterator<Item = Square>, String> {
    let square = |name: &str| {
        Square::parse(name.trim(), n).map_err(|error| match error {
            BoardError::Malformed { .. } => format!(
                "'{text}' is not a list of squares (accepted: such as c5, several with commas \
                 between them, or rectangles such as d4-e6)"
            ),
            error => error.to_string(),
        })
    };
    let ranges = text.split(',').map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Ok((square(first)?, square(last)?))
    });
    let ranges: Vec<_> = ranges.collect::<Result<_, String>>()?;
    let between = |a: u32, b: u32| a.min(b)..=a.max(b);
    Ok(ranges.into_iter().flat_map(move |(first, last)| {
        between(first.column, last.column).flat_map(move |column| {
            between(first.row, last.row).map(move |row| Square::new(column, row))
        })
    }))
}

/// Parses the size of a board that is counted. `queens N` also gets the names of commands here.
fn size_or_command(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| *size <= MAX_N);
    let is_word = text.starts_with(|c: char| c.is_alphabetic());
    let command = if is_word { ", or a command of 'queens --help'" } else { "" };
    size.ok_or_else(|| format!("accepted: a whole number from 0 to {MAX_N}{command}"))
}

/// Options for counting.
#[derive(Debug, Args)]
pub(crate) struct Counting {
    /// Set the number of threads, 1 to 4096, of which at most 64 per core are started [default: one
    /// per available core, or 1 for N up to 12]
    #[arg(long, short, value_name = "T", value_parser = threads())]
    threads: Option<usize>,

    /// Set the algorithm [default: the fastest for the board]
    #[arg(long, value_parser = one_of::<Engine>(), help_heading = "Advanced")]
    engine: Option<Engine>,

    /// Set the inner loop of the engine [default: the fastest that this CPU supports]
    #[arg(long, value_parser = one_of::<Kernel>(), help_heading = "Advanced")]
    kernel: Option<Kernel>,

    /// Set the symmetry used by the `bitboard` engine [default: eightfold on an empty board,
    /// otherwise mirror if the board allows it]
    #[arg(long, value_parser = one_of::<Symmetry>(), help_heading = "Advanced")]
    symmetry: Option<Symmetry>,

    /// Limit memory to about SIZE, such as 512MiB or 8GiB; from N = 23 on, less memory slows down
    /// the `join` engine [default: as much as is useful, up to the available memory]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Advanced")]
    memory: Option<u64>,
}

impl Counting {
    /// Prepares a count of a board with these options.
    pub(crate) fn prepare(&self, board: Board) -> Result<Run<'static>> {
        let n = board.n();
        let counter = Counter::on(board)
            .engine(self.engine)
            .kernel(self.kernel)
            .symmetry(self.symmetry)
            .threads(self.threads)
            .memory(self.memory);
        let smaller = || counter.clone().engine(Engine::Bitboard).prepare().is_ok();
        counter.clone().prepare().map_err(|error| match (&error, self.memory) {
            (CountError::Memory { .. }, Some(_)) => {
                let other = if smaller() { " or --engine bitboard" } else { "" };
                let accepted = format!("accepted: more memory, fewer threads{other}");
                Failure::new(format!("--memory: {error} ({accepted})"))
            }
            // docs/CLUSTER.md has the cost of N = 28, which each further N multiplies by about 9.
            (CountError::Memory { .. }, None) if n >= 28 => {
                let years = human::integer(10 * 8_u128.pow(n - 28));
                Failure::new(format!("{error}; N = {n} takes more than {years} core years"))
            }
            (CountError::Memory { .. }, None) => {
                Failure::new(format!("{error}; fewer threads need less"))
            }
            _ => error.into(),
        })
    }
}

/// Destination and format of a result.
#[derive(Debug, Args)]
pub(crate) struct Destination {
    /// Set the output format: text, json, csv or markdown [default: from FILE's extension, or text]
    #[arg(long, short, value_parser = one_of::<Format>(), hide_possible_values = true)]
    format: Option<Format>,

    /// Write the result to a file, which appears once it is complete; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-", value_parser = file(true))]
    pub(crate) output: PathBuf,
}

impl Destination {
    /// Returns the format of the result.
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        Ok(format_of(self.format, &self.output)?.unwrap_or_default())
    }
}

/// Returns the requested format or, if there is none, the format implied by the file's extension.
/// `.txt` and a missing extension imply no format, because several formats are text.
pub(crate) fn format_of<F>(asked: Option<F>, file: &Path) -> Result<Option<F>, Failure>
where
    F: Named + Display + PartialEq,
{
    let ending = file.extension().and_then(OsStr::to_str).map(str::to_lowercase);
    let named = match ending.as_deref() {
        None | Some("txt") => return Ok(asked),
        Some("md") => "markdown".parse::<F>(),
        Some(ending) => ending.parse::<F>(),
    };
    let name = file.display();
    match (asked, named.ok()) {
        (None, None) => {
            let endings = F::NAMES.join(", ").replace("markdown", "md");
            let accepted = format!("accepted: {endings}, txt; any with --format");
            let reason = format!("'{name}': unknown file extension ({accepted})");
            Err(Failure::usage("--output", reason))
        }
        (Some(asked), Some(named)) if asked != named => {
            let reason = format!(
                "'{asked}' does not match the extension of --output '{name}' (accepted: {named}, or another file)"
            );
            Err(Failure::usage("--format", reason))
        }
        (asked, named) => Ok(asked.or(named)),
    }
}

/// Parses the name of an enum variant, or `md` for `markdown`.
pub(crate) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: Named + FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    let values = T::NAMES.iter().map(|name| match *name {
        "markdown" => PossibleValue::new(name).alias("md"),
        name => PossibleValue::new(name),
    });
    let full = |name: String| if name == "md" { "markdown".to_owned() } else { name };
    PossibleValuesParser::new(values).try_map(move |name| full(name).parse::<T>())
}

pub(crate) fn threads() -> impl TypedValueParser<Value = usize> {
    whole(1, Some(MAX_THREADS))
}

/// Parses a whole number in a range, which may be unbounded above.
pub(crate) fn whole<T>(min: T, max: Option<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text: &str| {
        let is_in = |&number: &T| number >= min && max.is_none_or(|max| number <= max);
        text.parse().ok().filter(is_in).ok_or_else(|| {
            let up_to = max.map_or_else(String::new, |max| format!(" to {max}"));
            format!("accepted: a whole number from {min}{up_to}")
        })
    }
}

/// Parses board sizes: `5`, `1-15`, `8,10,12`.
///
/// # Errors
///
/// Returns a message with the accepted forms.
pub(crate) fn sizes(text: &str) -> Result<Vec<u32>, String> {
    let ranges: Result<Vec<_>, _> = text.split(',').map(range).collect();
    let sizes = ranges.map(|ranges| ranges.into_iter().flatten().collect());
    sizes.map_err(|why| {
        format!("{why} (accepted: sizes from 0 to {MAX_N}, such as 5, 1-15 or 8,10,12)")
    })
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    if let Some((first, last)) = text.split_once("..") {
        let last = last.trim_start_matches('=');
        return Err(format!("'{text}' is not a range: did you mean {first}-{last}?"));
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let size = |text: &str| match text.parse() {
        Err(_) => Err(format!("'{text}' is not a size")),
        Ok(size) if size > MAX_N => Err(format!("{size} is too large")),
        Ok(size) => Ok(size),
    };
    let (first, last) = (size(first)?, size(last)?);
    match first <= last {
        true => Ok(first..=last),
        false => Err(format!("'{text}' ends before it starts: did you mean {last}-{first}?")),
    }
}

/// Parses a time: a number of seconds, or hours, minutes and seconds with their units.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 1e9;
    let seconds = seconds(text).filter(|&seconds| seconds > 0.0).ok_or(
        "accepted: a time above 0, in seconds or with h, m and s, such as 90, 30m or 1h30m",
    )?;
    match seconds <= LONGEST {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(format!("too large (accepted: up to {LONGEST} seconds, which is 31 years)")),
    }
}

/// Returns the number of seconds in `90`, `30m` or `1h30m`.
fn seconds(text: &str) -> Option<f64> {
    let number = |text: &str| text.parse().ok().filter(|&number: &f64| number >= 0.0);
    let (mut rest, mut seconds) = (text, 0.0);
    for (unit, factor) in [('h', 3600.0), ('m', 60.0), ('s', 1.0)] {
        if let Some((before, after)) = rest.split_once(unit) {
            seconds += factor * number(before)?;
            rest = after;
        }
    }
    number(text).or_else(|| rest.is_empty().then_some(seconds))
}

/// Parses a memory size and returns it in bytes. Without a unit, schedulers mean MiB.
fn size(text: &str) -> Result<u64, &'static str> {
    let size =
        text.parse::<bytesize::ByteSize>().ok().filter(|_| !text.ends_with(char::is_numeric));
    let bytes = size.map(|size| size.as_u64()).filter(|&bytes| bytes > 0);
    bytes.ok_or("accepted: a size with its unit, such as 512MiB, 8GiB or 1.5TB")
}

/// Parses the name of a file or, if allowed, `-`. An option is not taken for a file.
pub(crate) fn file(or_stream: bool) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| match path.as_os_str().as_encoded_bytes() {
        [b'-', rest @ ..] if !(or_stream && rest.is_empty()) => {
            Err(format!("accepted: a file, such as ./{}", path.display()))
        }
        _ => Ok(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("1-4", &[1, 2, 3, 4])]
    #[case("8,10,12", &[8, 10, 12])]
    #[case("12,4-5", &[12, 4, 5])]
    fn accepted_sizes(#[case] text: &str, #[case] expected: &[u32]) {
        assert_eq!(sizes(text).as_deref(), Ok(expected));
    }

    #[rstest]
    #[case("0.05", 0.05)]
    #[case("30m", 1_800.0)]
    #[case("1h30m", 5_400.0)]
    #[case("1h0m", 3_600.0)]
    #[case("2h0.5s", 7_200.5)]
    #[case("1000000000", 1e9)]
    fn accepted_times(#[case] text: &str, #[case] seconds: f64) {
        assert_eq!(time(text), Ok(Duration::from_secs_f64(seconds)));
    }

    #[rstest]
    #[case("d4,a2", "d4 a2")]
    #[case("d4-d6", "d6 d5 d4")]
    #[case("b2-a1, h8", "a2 a1 b2 b1 h8")]
    fn accepted_squares(#[case] text: &str, #[case] expected: &str) {
        let names: Vec<_> = squares(text, 8).unwrap().map(|square| square.name(8)).collect();
        assert_eq!(names.join(" "), expected);
    }
}
