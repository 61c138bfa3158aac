//! `queens completions` and `queens man`: what a shell and a manual need, made from the arguments' own description.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::Resettable;
use clap::{ArgAction, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::examples;
use super::exit::{self, UsageError};
use super::output::{Output, print_all};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn completions(arguments: &Completions, mut program: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "queens", &mut script);
    let script = String::from_utf8(script)?;
    // In bash a number in place of the command stands for `count` and that number, as it does for the program.
    print_all(&script.replace("queens,count)", "queens,count|queens,[0-9]*)"))
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command that the page is about [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands, queens.1, queens-count.1, ..., into this folder
    #[arg(long, short, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn man(arguments: &Man, program: Command) -> Result<()> {
    // Without the command `help`, which has no options to explain.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &arguments.out {
        let commands = std::iter::once(&program).chain(program.get_subcommands());
        let file = |command: &Command| {
            let name = Page::new(command.clone()).get_filename();
            Ok((name, page(command)?))
        };
        let files: Vec<_> = commands.map(file).collect::<Result<_>>()?;
        return Output::fill("--out", folder, files, |_, text| text.contains(MANUAL));
    }
    let command = match &arguments.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
            let accepted = names.join(", ");
            UsageError::new(
                None,
                format!("'{name}' is not a command (accepted: {accepted})"),
            )
        })?,
    };
    print_all(&page(command)?)
}

/// The manual that all pages say they are of.
const MANUAL: &str = "Manual of queens";

/// The page of the program or of one of its commands. Examples and exit codes have sections of their own there, in place of
/// the text after the help.
fn page(command: &Command) -> Result<String> {
    let mut page = Vec::new();
    let man = Page::new(command.clone().after_help(Resettable::Reset))
        .source(concat!("queens ", env!("CARGO_PKG_VERSION")))
        .manual(MANUAL);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(command).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let is_program = command.has_subcommands();
    if is_program {
        man.render_subcommands_section(&mut page)?;
    }
    let examples = examples::of(if is_program { "" } else { command.get_name() });
    for (heading, items) in [
        ("EXAMPLES", &examples[..]),
        ("EXIT STATUS", &exit::CODES[..]),
    ] {
        let mut section = Roff::new();
        section.control("SH", [heading]);
        for (item, meaning) in items {
            section.control("TP", []).text([bold(*item)]);
            section.text([roman(*meaning)]);
        }
        section.to_writer(&mut page)?;
    }
    Ok(String::from_utf8(page)?)
}

/// The section that shows how a command is called: each argument, in brackets where it may be left out.
fn synopsis(command: &Command) -> Roff {
    let name = command.get_bin_name().unwrap_or("queens");
    let mut words = vec![bold(name)];
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        let names: Vec<_> = short.into_iter().chain(long).collect();
        let has_value = arg.is_positional() || arg.get_action().takes_values();
        let value = arg.get_value_names().filter(|_| has_value);
        let space = if names.is_empty() || !has_value {
            ""
        } else {
            " "
        };
        let (before, after) = match (arg.is_required_set(), arg.get_action()) {
            (true, _) => (" ", ""),
            (false, ArgAction::Append) => (" [", "]..."),
            (false, _) => (" [", "]"),
        };
        words.extend([roman(before), bold(names.join("|")), roman(space)]);
        words.extend([italic(value.unwrap_or_default().join(" ")), roman(after)]);
    }
    if command.has_subcommands() {
        words.extend([
            roman(" "),
            italic("N"),
            roman("|"),
            italic("COMMAND"),
            roman(" ..."),
        ]);
    }
    let mut section = Roff::new();
    section.control("SH", ["SYNOPSIS"]).text(words);
    section
}
