//! Development tasks. `cargo xtask test` runs every check that CI runs, with the same settings.

mod browser;
mod ci;
mod counts;
mod dist;
mod gallery;
mod peers;
mod profile;
mod python;
mod release;
mod solver_stages;
mod survey;

use std::process::ExitCode;

const HELP: &str = "\
Development tasks of stickslip.

  cargo xtask test            everything that CI runs: format, clippy, docs, dependencies, tests, instructions, browser, python
  cargo xtask browser         only the tests of the page in a browser (STICKSLIP_GOLDEN=write stores its pictures anew)
  cargo xtask python          only the Python package: its wheel, tests, types and notebooks
  cargo xtask gallery         make the pictures of docs/gallery.md again
  cargo xtask dist            the program as a stripped archive with licences and a checksum, in target/archives
  cargo xtask least-rust      everything compiles with the Rust that Cargo.toml promises, which rustup installs
  cargo xtask package         the crates as they would be published, each built from its package, in target/package
  cargo xtask semver REV      what of the public interface at the commit REV is gone or changed (cargo-semver-checks)
  cargo xtask stages [N]      what each stage of the solver `auto` is worth on scenes/, problems/ and the shared collections:
                              tries, answers, share of the time, what only it solves; N contacts factored a scene or problem (300,000)
  cargo xtask counts          instructions of five runs against bench/instructions.txt, within 2 % (STICKSLIP_BLESS=1 keeps them anew)
  cargo xtask profile SCENE   where the instructions of a run go, by function (valgrind); further options are those of `stickslip run`
  cargo xtask survey [...]    ordinary scenes with random numbers, each in a process of its own: how many come to their end, by family;
                              --seed N, --count M, --family F, --limit S (seconds a scene), --out DIR (what does not end is kept there)
  cargo xtask peers [...]     installs Rapier, MuJoCo and Bullet and runs them beside stickslip on the same scenes; writes docs/peers.md;
                              --known (the README's rows), --scenes DIR (pairs NAME.toml, NAME.json), --only E,E, --count N, --limit S (CPU seconds a scene and engine)

Example: cargo xtask test";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["test"] => ci::run_all(),
        ["browser"] => browser::run(),
        ["python"] => python::run(),
        ["gallery"] => gallery::make(),
        ["dist"] => dist::make(),
        ["least-rust"] => release::least_rust(),
        ["package"] => release::package(),
        ["semver", baseline] => release::semver(baseline),
        ["counts"] => counts::run(),
        ["profile", more @ ..] => profile::run(more),
        ["stages", more @ ..] => solver_stages::run(more),
        ["survey", more @ ..] => survey::run(more),
        ["peers", more @ ..] => peers::run(more),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("error: no task `{}`\n\n{HELP}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
