//! `queens completions` and `queens man`: what a shell and a manual need, made from the arguments' own description.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, bold, roman};

use super::Cli;
use super::exit::{self, UsageError};
use super::output::print_all;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn completions(arguments: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "queens", &mut script);
    print_all(&String::from_utf8(script)?)
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command that the page is about [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands, queens.1, queens-count.1, ..., into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn man(arguments: &Man) -> Result<()> {
    // Without the command `help`, which has no options to explain.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &arguments.out {
        return write_pages(&program, folder);
    }
    let command = match &arguments.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
            let accepted = names.join(", ");
            UsageError::new("COMMAND", format!("'{name}' (accepted: {accepted})"))
        })?,
    };
    print_all(&page(command)?)
}

fn write_pages(program: &Command, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| {
        let reason = format!("'{}': {error} (accepted: a folder)", folder.display());
        UsageError::new("--out", reason)
    })?;
    for command in std::iter::once(program).chain(program.get_subcommands()) {
        let file = folder.join(Page::new(command.clone()).get_filename());
        let written = fs::write(&file, page(command)?);
        written.with_context(|| format!("--out: '{}'", file.display()))?;
    }
    Ok(())
}

/// The page of the program or of one of its commands.
fn page(command: &Command) -> Result<String> {
    let man = Page::new(command.clone())
        .source(concat!("queens ", env!("CARGO_PKG_VERSION")))
        .manual("Manual of queens");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut codes = Roff::new();
    codes.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in exit::CODES {
        codes.control("TP", []).text([bold(code)]);
        codes.text([roman(meaning)]);
    }
    codes.to_writer(&mut page)?;
    if command.has_subcommands() {
        man.render_version_section(&mut page)?;
    }
    Ok(String::from_utf8(page)?)
}
