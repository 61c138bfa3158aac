//! `queens completions` and `queens man`: what a shell and a manual need, made from the arguments' own description.

use std::io::{self, Write};

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn completions(arguments: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "queens", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// One page for the program and all of its sub-commands.
pub(crate) fn man() -> Result<()> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        let man = clap_mangen::Man::new(sub.clone());
        writeln!(page, ".SH \"QUEENS {}\"", sub.get_name().to_uppercase())?;
        man.render_description_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(io::stdout().write_all(&page)?)
}
