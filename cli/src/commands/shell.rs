//! `queens completions` and `queens man`: completion scripts and manual pages, generated from the
//! arguments.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use super::count;
use crate::exit::Failure;
use crate::output::{create_folder, print_all};

pub(crate) fn completions(shell: Shell, program: Command) -> Result<()> {
    // The options of `count` are also accepted without a command.
    let mut program = count::Arguments::augment_args(program);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "queens", &mut script);
    print_all(&String::from_utf8(script)?)
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Command to describe [default: the program itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of the program and all commands (queens.1, queens-count.1, ...) to a folder
    #[arg(long, short, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn man(arguments: &Man, program: Command) -> Result<()> {
    // The manual omits the command `help`, and includes the options that `-h` hides.
    let all = |arg: Arg| arg.hide_short_help(false);
    let mut program = program.disable_help_subcommand(true).mut_args(all);
    program = program.mut_subcommands(|command| {
        command.mut_args(all).mut_subcommands(|command| command.mut_args(all))
    });
    program.build();
    if let Some(folder) = &arguments.out {
        create_folder("--out", folder)?;
        let written = clap_mangen::generate_to(program, folder);
        return written.map_err(|error| {
            let reason = format!("'{}': {error}", folder.display());
            Failure::usage("--out", reason).into()
        });
    }
    let mut command = &program;
    for name in &arguments.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
            let accepted = match names.is_empty() {
                true => "no further arguments".to_owned(),
                false => names.join(", "),
            };
            let reason = format!("'{name}' is not a command (accepted: {accepted})");
            Failure::usage(None, reason)
        })?;
    }
    let mut page = Vec::new();
    Page::new(command.clone()).render(&mut page)?;
    print_all(&String::from_utf8(page)?)
}
