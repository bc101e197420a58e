//! `cargo xtask peers`: installs Rapier, MuJoCo and Bullet, each in a place of its own in the target folder, and runs them beside
//! stickslip (`stickslip-verify`, `peers`).

use crate::ci::{cargo, finish, target};
use crate::python::{Environment, interpreter};
use std::path::Path;
use std::process::Command;
use xtask::root;

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let work = std::path::absolute(target()).unwrap_or_else(|_| target());
    let work = work.join("peers");
    let mut places = Vec::new();
    if !asks_for_help(arguments) {
        let only = only(arguments);
        let wanted = |engine: &str| only.is_none_or(|o| o.split(',').any(|e| e == engine));
        if wanted("rapier") {
            places.extend(["--rapier".to_owned(), rapier(&work)?]);
        }
        if wanted("mujoco") || wanted("bullet") {
            places.extend(["--python".to_owned(), python(&work)?]);
        }
    }
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let program = ["--package", "stickslip-verify", "--bin", "peers", "--"];
    let start = ["run", "--release", "--quiet"];
    cargo(
        &[&start[..], &program[..], arguments, &places[..]].concat(),
        &[],
    )
}

fn asks_for_help(arguments: &[&str]) -> bool {
    arguments.iter().any(|a| ["-h", "--help"].contains(a))
}

/// The list after `--only`, if there is one.
fn only<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let after = arguments.windows(2).find(|pair| pair[0] == "--only");
    let joined = arguments.iter().find_map(|a| a.strip_prefix("--only="));
    after.map(|pair| pair[1]).or(joined)
}

/// Builds the program that runs Rapier, by a workspace and a lock file of its own.
fn rapier(work: &Path) -> Result<String, String> {
    let folder = work.join("rapier");
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--locked", "--quiet"]);
    command.arg("--manifest-path");
    command.arg(root().join("bench/peers/rapier/Cargo.toml"));
    command.arg("--target-dir").arg(&folder);
    finish(&mut command).map_err(|e| {
        format!("Rapier cannot be built: {e}; `--only mujoco,bullet` goes without it")
    })?;
    let name = format!("stickslip-with-rapier{}", std::env::consts::EXE_SUFFIX);
    Ok(folder.join("release").join(name).display().to_string())
}

/// A Python with MuJoCo and Bullet.
fn python(work: &Path) -> Result<String, String> {
    let without = "`--only rapier` goes without MuJoCo and Bullet";
    let python = interpreter().ok_or_else(|| {
        format!("no Python here: python3 of version 3.11 or newer, with venv and pip, is needed; {without}")
    })?;
    let list = root().join("bench/peers/requirements.txt");
    let environment = Environment::at(work, &python, &list)
        .map_err(|e| format!("MuJoCo and Bullet cannot be installed: {e}; {without}"))?;
    Ok(environment.python().display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_that_are_asked_for_are_found() {
        assert_eq!(only(&["--count", "3"]), None);
        assert_eq!(only(&["--only", "rapier", "--count", "3"]), Some("rapier"));
        assert_eq!(only(&["--only=mujoco,bullet"]), Some("mujoco,bullet"));
        assert!(asks_for_help(&["--count", "3", "--help"]) && !asks_for_help(&["--only", "help"]));
    }
}
