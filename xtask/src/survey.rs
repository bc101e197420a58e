//! `cargo xtask survey`: the generated scenes of `stickslip-verify`, in release.

use crate::ci::cargo;

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let program = ["--package", "stickslip-verify", "--bin", "survey", "--"];
    cargo(
        &[&["run", "--release", "--quiet"], &program[..], arguments].concat(),
        &[],
    )
}
