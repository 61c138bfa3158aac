//! `queens tree`: writes one or two search trees as a page to explore.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Args;
use queens_search::page::{omissions, tree_html};
use queens_search::tree::{MAX_DRAWN, Tree};
use queens_search::{Limit, Search, Strategy};

use super::arguments::{SearchArguments, start};
use super::source::{print_search, search_progress, stopped, strategy};
use crate::exit::{Failure, Result};
use crate::human;
use crate::message::eprint_line;
use crate::options::file;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    search: SearchArguments,

    /// Also search with a second strategy, and show both trees side by side
    #[arg(long, value_name = "STRATEGY", value_parser = str::parse::<Strategy>)]
    against: Option<Strategy>,

    /// Write the page to a file that ends in .html, with up to 20,000 nodes of each tree; the page
    /// saves an .svg
    #[arg(long, short, value_name = "FILE", value_parser = file(true))]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let shown = &arguments.search;
    let board = shown.board()?;
    let limits = shown.options.limits();
    let mut searches = vec![shown.search(&board, &limits)?];
    if let Some(strategy) = arguments.against {
        searches.push(start(&board, &limits, "--against", strategy)?);
    }
    let path = &*arguments.output;
    check_extension(path)?;
    let mut output = Output::create(path)?;
    shown.options.interrupt(&limits.cancel)?;

    let found = Arc::new(AtomicU64::new(0));
    let progress = search_progress(board.n(), &found);
    let grow = |search: &mut Search| {
        let (mut tree, started) = (Tree::new(MAX_DRAWN), Instant::now());
        while shown.goes_on(search) && tree.next_solution(search).is_some() {
            found.fetch_add(1, Ordering::Relaxed);
        }
        (tree, started.elapsed())
    };
    let (trees, times): (Vec<_>, Vec<_>) = searches.iter_mut().map(grow).unzip();
    drop(progress);
    // A tree with as many branches as wanted is written. It would take longer to write a page that
    // does not appear than a time limit allows.
    let is_partial = searches.iter().any(|search| search.limit() == Some(Limit::Cancelled));
    output.is_partial = is_partial;
    if !(is_partial && output.is_file()) {
        let names: Vec<_> = searches.iter().map(strategy).collect();
        let extent = if shown.all { "all solutions" } else { "first solution" };
        let (board_name, names) = (human::board_name(&board), names.join(" against "));
        let titles: Vec<_> = searches.iter().map(title).collect();
        let page = format!("{board_name}, {extent}, {names}");
        output.write_all(tree_html(&trees, &titles, &board, &page).as_bytes())?;
    }
    output.finish()?;
    for ((search, tree), elapsed) in searches.iter().zip(&trees).zip(times) {
        print_search(search, elapsed);
        match omissions(tree) {
            missing if missing.is_empty() || is_partial => {}
            missing => eprint_line(missing),
        }
    }
    searches.iter().try_for_each(|search| stopped(search, "tree"))
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

/// Returns the heading of a tree: its strategy and figures.
fn title(search: &Search) -> String {
    let found = search.statistics();
    let [branches, failures, solutions] =
        [found.branches, found.failures, found.solutions].map(|x| human::integer(x.into()));
    let stopped = if search.limit().is_some() { ", stopped early" } else { "" };
    let figures = format!("branches {branches}, failures {failures}, solutions {solutions}");
    format!("{}{stopped}: {figures}", strategy(search))
}
