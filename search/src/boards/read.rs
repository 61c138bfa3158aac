//! Reads boards from text: drawings, lists of rows, and JSON.
//!
//! `docs/GUIDE.md` has the grammar. A board is read only if its block of lines can be read in one
//! way, and each block is read once it is complete, so that streams of any length take little
//! memory.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::mem;

use queens::board::MAX_BOARD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::block::{self, ACCEPTED, Line, quoted};
use super::error::ReadError;
use super::parsed::ParsedBoard;

/// Maximum length of a block, in MiB.
const LONGEST: usize = 64;
/// Maximum number of lines of a block: the largest list with a number in each line, below N.
const MOST_LINES: usize = MAX_BOARD as usize + 1;

/// Iterator over the boards in a stream of text. It ends after the first error.
///
/// ```
/// use queens_search::boards::Boards;
///
/// let text = "Solution 1\n..Q.\nQ...\n...Q\n.Q..\n\n2,4,1,3\n";
/// let mut boards = Boards::new(text.as_bytes());
/// let found: Vec<_> = boards.by_ref().collect::<Result<_, _>>()?;
/// assert_eq!((found.len(), boards.skipped()), (2, 1));
/// assert_eq!((found[0].first_row, found[1].first_row), (None, Some(1)));
/// assert!(found.iter().all(|board| board.n == 4 && board.check().is_ok()));
/// # Ok::<(), queens_search::boards::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Boards<R> {
    input: BufReader<R>,
    /// Number of the last line.
    line: usize,
    form: Form,
    /// Lines of the current block, each with its end, unless they are boards of their own.
    block: String,
    /// Number of the first line of the block.
    first: usize,
    /// Boards to return.
    ready: VecDeque<ParsedBoard>,
    /// Number of lines of words.
    skipped: u64,
    has_board: bool,
    has_ended: bool,
}

/// Form of the current block.
#[derive(Debug)]
enum Form {
    /// Any that is read as a whole.
    Block,
    /// Lines with a list each. The last board waits for the line below it, since the first line
    /// may number the columns of a drawing.
    Lists(Option<ParsedBoard>),
    /// Lines with an object in JSON each.
    Objects,
    /// Array in JSON, with an object in each line. Whether another object may come next, and
    /// whether the array may end.
    Array { may_go_on: bool, may_end: bool },
}

impl<R: Read> Boards<R> {
    /// Creates an iterator over the boards in `input`.
    pub fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            line: 0,
            form: Form::Block,
            block: String::new(),
            first: 0,
            ready: VecDeque::new(),
            skipped: 0,
            has_board: false,
            has_ended: false,
        }
    }

    /// Returns the number of lines of words so far, which are skipped.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads a line, or ends the last block.
    fn advance(&mut self) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        let most = (LONGEST << 20) - self.block.len();
        self.input.by_ref().take(most as u64 + 1).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            self.has_ended = true;
            self.end_block()?;
            return match (&self.form, self.ready.is_empty() && !self.has_board) {
                (Form::Array { .. }, _) => Err(self.wrong("the array in JSON has no end")),
                (_, true) => Err(self.wrong(&self.no_board())),
                _ => Ok(()),
            };
        }
        self.line += 1;
        if bytes.len() > most {
            let accepted = format!("accepted: blocks of up to {LONGEST} MiB");
            return Err(self.wrong(&format!("the block of this line is too long ({accepted})")));
        }
        let text = decoded(&bytes, self.line)?;
        self.add(Line { number: self.line, text })
    }

    /// Adds a line to the current block, or ends the block.
    fn add(&mut self, line: Line) -> Result<(), ReadError> {
        let text = line.text.trim();
        match &mut self.form {
            Form::Array { .. } if text.is_empty() => Ok(()),
            Form::Array { .. } => self.add_json(line),
            _ if text.is_empty() => self.end_block(),
            _ if is_words(text) => {
                if line.has_list() {
                    return Err(line.unreadable("words beside a list (accepted: each on its line)"));
                }
                self.skipped += 1;
                self.end_block()
            }
            Form::Objects => self.add_json(line),
            Form::Block
                if self.block.is_empty()
                    && (matches!(text, "[" | "[]") || text.starts_with('{')) =>
            {
                self.form = Form::Objects;
                self.add_json(line)
            }
            Form::Block if self.block.is_empty() && line.is_list() => {
                self.form = Form::Lists(Some(line.list()?));
                Ok(())
            }
            Form::Lists(last) => {
                self.ready.extend(last.replace(line.list()?));
                Ok(())
            }
            Form::Block => {
                if self.block.is_empty() {
                    self.first = line.number;
                }
                self.block += line.text;
                self.block.push('\n');
                match line.number - self.first < MOST_LINES {
                    true => Ok(()),
                    false => {
                        Err(line.unreadable(format!("more than {MOST_LINES} lines in a block")))
                    }
                }
            }
        }
    }

    /// Reads the current block.
    fn end_block(&mut self) -> Result<(), ReadError> {
        if let Form::Array { .. } = self.form {
            return Ok(());
        }
        if let Form::Lists(last) = mem::replace(&mut self.form, Form::Block) {
            self.ready.extend(last);
        }
        let block = mem::take(&mut self.block);
        let lines = (self.first..).zip(block.lines()).map(|(number, text)| Line { number, text });
        let lines: Vec<_> = lines.collect();
        if !lines.is_empty() {
            self.ready.extend(block::read(&lines)?);
        }
        Ok(())
    }

    /// Adds a line of JSON: an object, or the begin or end of an array.
    fn add_json(&mut self, line: Line) -> Result<(), ReadError> {
        let text = line.text.trim();
        self.form = match (text, &self.form) {
            ("[", Form::Objects) => Form::Array { may_go_on: true, may_end: true },
            ("]", Form::Array { may_end: true, .. }) | ("[]", Form::Objects) => Form::Objects,
            (_, Form::Array { may_go_on: false, .. }) => {
                return Err(line.unreadable("no comma after the line before"));
            }
            (_, Form::Array { .. }) => {
                let has_comma = text.ends_with(',');
                self.ready.push_back(json(text.strip_suffix(',').unwrap_or(text), line)?);
                Form::Array { may_go_on: has_comma, may_end: !has_comma }
            }
            _ => {
                self.ready.push_back(json(text, line)?);
                Form::Objects
            }
        };
        Ok(())
    }

    fn wrong(&self, reason: &str) -> ReadError {
        ReadError::new(self.line.max(1), reason)
    }

    fn no_board(&self) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            1 => ", only a line of words".to_owned(),
            skipped => format!(", only {skipped} lines of words"),
        };
        format!("no board found{skipped} ({ACCEPTED})")
    }
}

impl<R: Read> Iterator for Boards<R> {
    type Item = Result<ParsedBoard, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(board) = self.ready.pop_front() {
                self.has_board = true;
                return Some(Ok(board));
            }
            if self.has_ended {
                return None;
            }
            if let Err(error) = self.advance() {
                self.has_ended = true;
                self.ready.clear();
                return Some(Err(error));
            }
        }
    }
}

/// Reads all boards in a text. There is at least one.
///
/// # Errors
///
/// Returns an error if the text has no board, or if a line cannot be read.
pub fn parse(text: &str) -> Result<Vec<ParsedBoard>, ReadError> {
    Boards::new(text.as_bytes()).collect()
}

/// Decodes a line, without its end and without a byte order mark.
fn decoded(bytes: &[u8], line: usize) -> Result<&str, ReadError> {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if line == 1 => rest,
        _ => bytes,
    };
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let wrong = |text: &str, reason: &str| {
        let accepted = "accepted: UTF-8";
        ReadError::new(line, format!("{}: {reason} ({accepted})", quoted(text.trim_end())))
    };
    let lossy = String::from_utf8_lossy(bytes);
    if (is_utf16 && line == 1) || bytes.contains(&0) {
        return Err(wrong(&lossy.replace(['\0', '\u{fffd}'], ""), "UTF-16 or no text"));
    }
    let Ok(text) = str::from_utf8(bytes) else {
        return Err(wrong(&lossy, "another encoding than UTF-8"));
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match text.chars().find(|c| c.is_control() && *c != '\t') {
        Some('\r') => Err(wrong(text, "a carriage return within the line")),
        Some(_) => Err(wrong(text, "a control character")),
        None => Ok(text),
    }
}

/// Whether a line is a heading or the like: it begins with a word, as in `Solution 3`, with a
/// number and a word, as in `92 solutions`, or as in `N = 8`.
fn is_words(line: &str) -> bool {
    // `Qx` is a misspelt row.
    let is_word = |text: &str| {
        let letters = text.chars().take_while(|c| c.is_alphabetic());
        letters.filter(|c| !matches!(c, 'Q' | 'q')).nth(1).is_some()
    };
    let mut parts = line.split_whitespace();
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_setting =
        |rest: &str| rest.starts_with('=') || (rest.is_empty() && second.starts_with('='));
    is_word(first)
        || (first.starts_with(|c: char| c.is_ascii_digit()) && is_word(second))
        || first.strip_prefix(char::is_alphabetic).is_some_and(is_setting)
}

/// Reads an object in JSON with the field `rows`, as the program writes it.
fn json(text: &str, line: Line) -> Result<ParsedBoard, ReadError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Object {
        n: Option<usize>,
        #[serde(rename = "solution")]
        _solution: Option<IgnoredAny>,
        #[serde(rename = "seconds")]
        _seconds: Option<IgnoredAny>,
        rows: Vec<u32>,
    }
    let accepted = "accepted: an object with the field rows, such as {\"rows\":[1,3,0,2]}";
    match serde_json::from_str(text) {
        Ok(Object { n: Some(n), rows, .. }) if n != rows.len() => {
            Err(line.unreadable(format!("{} rows, but n is {n}", rows.len())))
        }
        Ok(Object { rows, .. }) => ParsedBoard::in_rows(&rows, 0).ok_or_else(|| {
            let n = rows.len();
            line.unreadable(format!(
                "a row is not on the {n} x {n} board (accepted: 0 to {})",
                n - 1
            ))
        }),
        Err(_) => Err(line.unreadable(format!("not a board in JSON ({accepted})"))),
    }
}
