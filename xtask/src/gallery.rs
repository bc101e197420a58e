//! `cargo xtask gallery`: runs the commands of docs/gallery.md, which make its pictures.

use crate::ci::{finish, program};
use std::process::Command;
use xtask::root;

pub(crate) fn make() -> Result<(), String> {
    let program = program()?;
    std::fs::create_dir_all(root().join("out")).map_err(|e| format!("out: {e}"))?;
    let page = root().join("docs/gallery.md");
    let page = std::fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    for line in page
        .lines()
        .filter_map(|line| line.strip_prefix("$ stickslip "))
    {
        println!("   stickslip {line}");
        let mut command = Command::new(&program);
        command.args(line.split_whitespace()).current_dir(root());
        finish(&mut command)?;
    }
    Ok(())
}
