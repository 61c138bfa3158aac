//! `queens report`: ranks saved benchmarks on a page.

use std::fmt::Display;
use std::fs::DirEntry;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::measure::load;
use crate::report::{CHART, GENERATED, PAGE, WEB_PAGE, page};
use anyhow::{Result, bail};
use clap::Args;

use crate::exit::Failure;
use crate::human;
use crate::message::warn;
use crate::output::{Output, create_folder, print};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files written by `queens bench --save`, or folders of such files
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Write the page (README.md and index.html) and its charts to this folder, which is created if
    /// missing
    #[arg(long, short, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut saved = Vec::new();
    for path in &files(&arguments.files)? {
        let file = path.display();
        match load(path) {
            Ok(one) => {
                if one.fastest().len() < 2 {
                    warn(&format!(
                        "no chart for '{file}': it needs times of several board sizes (try `queens bench --table 8-20`)"
                    ));
                }
                saved.push(one);
            }
            // A folder may contain other files, but a file named on the command line must be a
            // benchmark.
            Err(error) if arguments.files.contains(path) => {
                bail!(Failure::invalid(format!("'{file}' {error:#}")));
            }
            Err(error) => warn(&format!("skipped: '{file}' {error:#}")),
        }
    }
    if saved.is_empty() {
        bail!(Failure::invalid("none of the files is a saved benchmark"));
    }
    // The whole page is built in memory before the first file is written.
    let files = page(&saved);
    let (out, charts) = (&arguments.out, human::plural(files.len() - 2, "chart"));
    create_folder("--out", out)?;
    for name in files.keys() {
        let path = out.join(name);
        if path.symlink_metadata().is_ok_and(|file| !file.is_file()) || !is_replaceable(&path) {
            let reason = format!(
                "'{}': exists and was not written by queens report (accepted: a folder without other pages of the same name)",
                path.display()
            );
            bail!(Failure::usage("--out", reason));
        }
    }
    for (name, text) in files {
        let mut output = Output::create_for("--out", &out.join(name))?;
        output.write_all(text.as_bytes())?;
        output.finish()?;
    }
    let [page, web_page] = [PAGE, WEB_PAGE].map(|name| out.join(name));
    print(format_args!("wrote '{}', '{}' and {charts}", page.display(), web_page.display()))
}

/// Whether a file does not exist, or begins as the pages and charts of this command do.
fn is_replaceable(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else {
        return !path.exists();
    };
    let (_, body) = text.split_once("</style>").unwrap_or(("", &text));
    let start: String = body.chars().take(500).collect();
    text.is_empty() || [GENERATED, CHART].iter().any(|mark| start.contains(mark))
}

/// Expands each folder to its .json files, sorted by name.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let refuse = |why: &dyn Display| {
            let path = path.display();
            let accepted = "files, or a folder of .json files";
            Failure::invalid(format!("'{path}': {why} (accepted: {accepted})"))
        };
        let entries = path.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| refuse(&error))?;
        let mut found: Vec<_> = entries.iter().map(DirEntry::path).collect();
        found.retain(|path| path.extension().is_some_and(|end| end == "json"));
        if found.is_empty() {
            bail!(refuse(&"contains no .json file"));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}
