//! `queens completions` and `queens man`: completion scripts and manual pages, generated from the
//! arguments.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Result;
use clap::{Arg, Args, Command, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use super::count;
use crate::exit::Failure;
use crate::output::{create_folder, print_all};

pub(crate) fn completions(shell: Shell, program: Command) -> Result<()> {
    // The options of `count` are also accepted without a command. Its N is left out, because zsh
    // would then expect an N before each command.
    let count = count::Arguments::augment_args(Command::new("count"));
    let options = count.get_arguments().filter(|arg| !arg.is_positional());
    let mut program = mut_args(program.args(options), &|arg| {
        let hint = match arg.get_value_names().map(|names| names[0].as_str()) {
            _ if !arg.get_action().takes_values() => ValueHint::Unknown,
            _ if !arg.get_possible_values().is_empty() => ValueHint::Unknown,
            Some("FILE" | "FILES") => ValueHint::AnyPath,
            Some("DIR") => ValueHint::DirPath,
            _ => ValueHint::Other,
        };
        arg.value_hint(hint)
    });
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "queens", &mut script);
    let mut script = String::from_utf8(script)?;
    for (generated, corrected) in corrections(shell, &program) {
        debug_assert!(script.contains(generated), "{shell}: {generated}");
        script = script.replace(generated, &corrected);
    }
    print_all(&script)
}

/// Returns changes to a generated script, which does not expect arguments before options, a number
/// instead of a command, or values in some places. `scripts/test-shells` tests all of them.
fn corrections(shell: Shell, program: &Command) -> Vec<(&'static str, String)> {
    let below = program.get_subcommands().flat_map(Command::get_subcommands);
    let commands = program.get_subcommands().chain(below);
    let commands = Vec::from_iter(commands.map(|command| format!("'{}'", command.get_name())));
    let pair = |generated, corrected: &str| (generated, corrected.to_owned());
    match shell {
        Shell::Bash => vec![
            pair("queens,count)", "queens,count|queens,[0-9]*)"),
            pair(
                "prev=\"$3\"",
                "prev=\"$3\"\n    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD-2]}",
            ),
        ],
        Shell::Zsh => vec![
            pair("(count)", "(count|<->)"),
            pair("\n'*::", "\n'*:"),
            pair("state line\n    _arguments", "state line\n    _arguments -A '-*'"),
        ],
        Shell::Fish => vec![
            pair("    or return\n", "    or return 0\n"),
            pair("echo $argv[1]", "string replace -r '^\\d+$' count -- $argv[1]"),
            pair(" man help\"", " man\""),
            pair(
                "completions\" -s h",
                &format!(
                    "completions\" -f -a \"{}\"\n\
                    complete -c queens -n \"__fish_queens_using_subcommand completions\" -s h",
                    Vec::from_iter(Shell::value_variants().iter().map(Shell::to_string)).join(" ")
                ),
            ),
        ],
        Shell::Elvish => vec![(
            "(str:has-prefix $word '-')",
            format!("(not (has-value [{}] $word))", commands.join(" ")),
        )],
        Shell::PowerShell => vec![(
            "$element.Value.StartsWith('-')",
            format!("$element.Value -notin {}", commands.join(", ")),
        )],
        _ => Vec::new(),
    }
}

/// Applies a change to the arguments of a command and of all its subcommands.
pub(crate) fn mut_args(command: Command, change: &dyn Fn(Arg) -> Arg) -> Command {
    command.mut_args(change).mut_subcommands(|command| mut_args(command, change))
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Command to describe [default: the program itself]
    command: Vec<String>,

    /// Write the pages of the program and all commands (queens.1, queens-count.1, ...) to a folder
    #[arg(long, short, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn man(arguments: &Man, program: Command) -> Result<()> {
    // The manual omits the command `help`, and includes the options that `-h` hides.
    let program = program.disable_help_subcommand(true);
    let mut program = mut_args(program, &|arg| arg.hide_short_help(false));
    program.build();
    if let Some(folder) = &arguments.out {
        create_folder("--out", folder)?;
        return write_pages(&program, folder).map_err(|error| {
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
            Failure::invalid(reason)
        })?;
    }
    print_all(&page(command.clone())?.1)
}

fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    command.get_subcommands().try_for_each(|command| write_pages(command, folder))?;
    let (name, text) = page(command.clone())?;
    fs::write(folder.join(name), text)
}

/// Returns the file name and the text of the manual page of a command.
fn page(command: Command) -> io::Result<(String, String)> {
    let page = Page::new(command)
        .date("\"\"")
        .source(concat!("queens ", env!("CARGO_PKG_VERSION")))
        .manual("User Commands");
    let mut text = Vec::new();
    page.render(&mut text)?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    // Examples and exit codes keep their lines, and no break is next to an empty line.
    for (rendered, corrected) in [
        (".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n"),
        ("Exit codes:\n", ".fi\n.SH EXIT STATUS\n.nf\n"),
        (".SH VERSION\n", ".fi\n.SH VERSION\n"),
        (".br\n\n.br\n", "\n"),
    ] {
        text = text.replace(rendered, corrected);
    }
    Ok((page.get_filename(), text))
}
