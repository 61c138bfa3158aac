//! `queens tree`: writes a search tree as a page to explore.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use queens::Board;
use queens_search::page::{omissions, tree_html};
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limit, Limits, Search};

use super::arguments::SearchArguments;
use super::source::{figures, search_progress, strategy};
use crate::exit::{Failure, Result};
use crate::human;
use crate::message::eprint_line;
use crate::options::file;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,

    /// Write the page to a file that ends in .html, with up to 20,000 nodes; the page saves an .svg
    #[arg(long, short, value_name = "FILE", value_parser = file(true))]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let board = arguments.search.board()?;
    let limits = Limits::default();
    let mut search = arguments.search.search(&board, &limits)?;
    let path = &*arguments.output;
    check_extension(path)?;
    let mut output = Output::create(path)?;
    arguments.search.options.interrupt(&limits.cancel)?;

    let mut tree = Tree::new(MAX_DRAWN);
    let found = Arc::new(AtomicU64::new(0));
    let progress = search_progress(board.n(), &found);
    while arguments.search.goes_on(&search) && tree.next_solution(&mut search).is_some() {
        found.fetch_add(1, Ordering::Relaxed);
    }
    drop(progress);
    output.is_partial = search.limit().is_some();
    // It would take longer to write a page that does not appear than the limit allows.
    if !(output.is_partial && output.is_file()) {
        let title = title(&board, arguments.search.all, &search);
        output.write_all(tree_html(&tree, &board, &title).as_bytes())?;
    }
    let omissions = if output.is_partial { String::new() } else { omissions(&tree) };
    output.finish()?;
    let separator = if omissions.is_empty() { "" } else { ". " };
    let found = figures(&search);
    eprint_line(format_args!("{}: {found}{separator}{omissions}", strategy(&search)));
    match search.limit() {
        Some(Limit::Cancelled) => Err(Failure::interrupted("stopped: the tree is not complete")),
        _ => Ok(()),
    }
}

fn check_extension(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    if path == Path::new("-") || extension.is_some_and(|extension| extension == "html") {
        return Ok(());
    }
    let accepted = "accepted: a file that ends in .html; the page can save an .svg file";
    let reason = format!("'{}' is not a page ({accepted})", path.display());
    Err(Failure::usage("--output", reason))
}

/// Returns the heading of the page.
fn title(board: &Board, is_whole: bool, search: &Search) -> String {
    let name = human::board_name(board);
    let extent = if is_whole { "all solutions" } else { "first solution" };
    let stopped = if search.limit().is_some() { ", stopped early" } else { "" };
    format!("{name}, {}, {extent}{stopped}: {}", strategy(search), figures(search))
}
