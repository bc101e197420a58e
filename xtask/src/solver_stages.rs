//! `cargo xtask stages`: what each stage of `auto` is worth, on everything that is at hand.

use std::process::Command;
use xtask::root;

/// Scenes and problems; those of the folder `shared` beside the checkout are passed over, with a word, where they are absent.
const PLACES: [&str; 5] = [
    "scenes",
    "problems",
    "../shared/survey/scenes",
    "../shared/problems/fc",
    "../shared/hard_steps/steps",
];

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let work = match arguments {
        [] => "300000",
        [contacts] => contacts,
        _ => {
            return Err("stages takes one number: contacts factored for a scene or problem".into());
        }
    };
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "run",
        "--release",
        "--quiet",
        "--package",
        "stickslip-cli",
        "--",
    ]);
    command.args(["bench", "stages", "--work", work]);
    for place in PLACES {
        if root().join(place).exists() {
            command.args(["--of", place]);
        } else {
            eprintln!("passed over: no {place}");
        }
    }
    let status = command
        .current_dir(root())
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("bench stages: {status}"))
    }
}
