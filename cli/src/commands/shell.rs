//! `queens completions` and `queens man`: completion scripts and manual pages, generated from the
//! arguments.

use std::path::Path;

use clap::Command;
use clap_complete::Shell;

use crate::exit::{Failure, Result};
use crate::output::{create_folder, print_all};

pub(crate) fn completions(shell: Shell, mut program: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "queens", &mut script);
    print_all(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(folder: &Path, program: Command) -> Result<()> {
    create_folder("DIR", folder)?;
    clap_mangen::generate_to(program, folder)
        .map_err(|error| Failure::usage("DIR", format!("'{}': {error}", folder.display())))
}
