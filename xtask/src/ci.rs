//! `cargo xtask test`: the stages, one after the other, and a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::root;

/// The profile of every stage, so that build scripts and macros are built once; see Cargo.toml.
pub(crate) const PROFILE: &str = "checked";

/// One stage: its name, why it is there, and how it is run.
struct Stage {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<(), String>,
}

/// Cheap and strict first; the tests last, so that their results end the output.
const STAGES: [Stage; 9] = [
    Stage {
        name: "format",
        about: "every file as rustfmt writes it",
        run: || cargo(&["fmt", "--all", "--check"], &[]),
    },
    Stage {
        name: "clippy",
        about: "no warning in any target of any crate",
        run: || {
            let what = ["--workspace", "--all-targets", "--quiet"];
            let strict = ["--", "-D", "warnings"];
            cargo(
                &[&["clippy", "--profile", PROFILE], &what[..], &strict].concat(),
                &[],
            )
        },
    },
    Stage {
        name: "docs",
        about: "no warning in the documentation, private items too",
        run: docs,
    },
    Stage {
        name: "dependencies",
        about: "licences, duplicates and sources; advisories where their database can be fetched",
        run: dependencies,
    },
    Stage {
        name: "tests",
        about: "all tests, optimised and with every check on",
        run: tests,
    },
    Stage {
        name: "doctests",
        about: "the examples in the documentation, README.md, docs/bullet.md and the book",
        run: || {
            let what = ["--workspace", "--doc", "--no-fail-fast"];
            cargo(&[&["test", "--profile", PROFILE], &what[..]].concat(), &[])
        },
    },
    Stage {
        name: "instructions",
        about: "those of five fixed runs, within 2 % of what is kept",
        run: crate::counts::run,
    },
    Stage {
        name: "browser",
        about: "the page of a run in a real Chromium",
        run: crate::browser::run,
    },
    Stage {
        name: "python",
        about: "the wheel in an environment of its own: tests, types, stubs, notebooks",
        run: crate::python::run,
    },
];

/// Runs all stages, also after one has failed, and says how each went.
pub(crate) fn run_all() -> Result<(), String> {
    let start = Instant::now();
    let mut results: Vec<(&Stage, Result<(), String>, Duration)> = Vec::new();
    for (k, stage) in STAGES.iter().enumerate() {
        println!(
            "── {}/{} {}: {}",
            k + 1,
            STAGES.len(),
            stage.name,
            stage.about
        );
        let begun = Instant::now();
        let result = (stage.run)();
        if let Err(message) = &result {
            println!("   failed: {message}");
        }
        results.push((stage, result, begun.elapsed()));
    }
    println!("── summary");
    for (stage, result, time) in &results {
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        println!(
            "   {:<14} {verdict:<7} {:>6.0} s",
            stage.name,
            time.as_secs_f64()
        );
    }
    println!(
        "   {:<14} {:<7} {:>6.0} s",
        "all",
        "",
        start.elapsed().as_secs_f64()
    );
    println!(
        "{}",
        account(&std::fs::read_to_string(passed_over()).unwrap_or_default())
    );
    let failed: Vec<&str> = results
        .iter()
        .filter(|(_, result, _)| result.is_err())
        .map(|(stage, _, _)| stage.name)
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")))
    }
}

/// All tests of all crates; what they pass over is gathered in a file.
fn tests() -> Result<(), String> {
    let (what, list) = (
        [
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
        ],
        passed_over(),
    );
    if list.exists() {
        std::fs::remove_file(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    }
    let list = list.display().to_string();
    cargo(
        &[&["test", "--profile", PROFILE], &what[..]].concat(),
        &[("STICKSLIP_PASSED_OVER", &list)],
    )
}

/// Where tests write what they pass over: `stickslip_testing::passed_over`.
fn passed_over() -> PathBuf {
    // Tests run in the folders of their crates.
    let target = std::path::absolute(target()).unwrap_or_else(|_| target());
    target.join("passed_over.txt")
}

/// How many tests were passed over, and why: lines of `test: why`, of which a test may have written several.
fn account(list: &str) -> String {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, why) in list.lines().filter_map(|line| line.split_once(": ")) {
        reasons.entry(why).or_default().insert(test);
    }
    let tests: BTreeSet<&str> = reasons.values().flatten().copied().collect();
    if tests.is_empty() {
        return "   no test was passed over".into();
    }
    let mut lines = vec![format!(
        "   {} tests were passed over, in whole or in part:",
        tests.len()
    )];
    for (why, tests) in &reasons {
        lines.push(format!("   {:>4}  {why}", tests.len()));
    }
    lines.join("\n")
}

/// Programs are documented first: their pages and those of a library may share a name, and the library's are to stay.
fn docs() -> Result<(), String> {
    let base = ["doc", "--profile", PROFILE, "--workspace", "--quiet"];
    let strict = ["--no-deps", "--document-private-items"];
    for which in ["--bins", "--lib"] {
        let flags = [("RUSTDOCFLAGS", "-D warnings")];
        cargo(&[&base[..], &strict, &[which]].concat(), &flags)?;
    }
    Ok(())
}

fn dependencies() -> Result<(), String> {
    let deny = cargo_deny()?;
    let check = |what: &[&str]| {
        let mut command = Command::new(&deny);
        command.args(["--log-level", "error", "check"]).args(what);
        finish(command.current_dir(root()))
    };
    check(&["bans", "licenses", "sources"])?;
    let mut fetch = Command::new(&deny);
    fetch.args(["--log-level", "off", "fetch", "db"]);
    if fetch
        .current_dir(root())
        .output()
        .is_ok_and(|f| f.status.success())
    {
        return check(&["advisories"]);
    }
    println!("   advisories: their database cannot be fetched here; those known are in deny.toml");
    Ok(())
}

/// Where cargo-deny is: on the path, or in the target folder, where it is built if need be.
fn cargo_deny() -> Result<PathBuf, String> {
    let version = Command::new("cargo-deny").arg("--version").output();
    if version.is_ok_and(|v| v.status.success()) {
        return Ok("cargo-deny".into());
    }
    let tools = target().join("tools");
    let program = tools
        .join("bin")
        .join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        println!(
            "   cargo-deny is not here: building it once, into {}",
            tools.display()
        );
        let place = tools.display().to_string();
        // Unoptimised: the build takes longer than all its later work.
        let install = [
            "install",
            "cargo-deny",
            "--locked",
            "--debug",
            "--quiet",
            "--root",
        ];
        cargo(&[&install[..], &[place.as_str()]].concat(), &[])
            .map_err(|e| format!("cargo-deny can be neither found nor installed ({e})"))?;
    }
    Ok(program)
}

/// The folder of build results.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Builds the program; where it is.
pub(crate) fn program() -> Result<PathBuf, String> {
    let what = [
        "build",
        "--profile",
        PROFILE,
        "--quiet",
        "-p",
        "stickslip-cli",
    ];
    cargo(&what, &[])?;
    let name = format!("stickslip{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join(PROFILE).join(name))
}

/// Runs cargo in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).envs(environment.iter().copied());
    finish(command.current_dir(root()))
}

/// Waits for a command; its failure in words, without the paths of this machine.
pub(crate) fn finish(command: &mut Command) -> Result<(), String> {
    let name = |word: &std::ffi::OsStr| {
        let name = std::path::Path::new(word).file_name().unwrap_or(word);
        name.to_string_lossy().into_owned()
    };
    let words = command.get_args().map(|a| a.to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once(name(command.get_program()))
        .chain(words)
        .collect();
    let shown = words.join(" ");
    let status = command
        .status()
        .map_err(|e| format!("`{shown}` cannot be started: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}`: {status}"))
    }
}

#[cfg(test)]
mod tests {
    use super::account;

    #[test]
    fn tests_that_were_passed_over_are_counted_once() {
        assert_eq!(account(""), "   no test was passed over");
        let list = "order::tops: the reference r8.json is not here\n\
                    order::tops: the reference r8.json is not here\n\
                    order::tops: this user may read everything\n\
                    exact::rolls: the reference r8.json is not here\n";
        assert_eq!(
            account(list),
            "   2 tests were passed over, in whole or in part:\n      \
             2  the reference r8.json is not here\n      \
             1  this user may read everything"
        );
    }
}
