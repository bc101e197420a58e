//! The `stickslip` program: thin commands over the library. Benchmarks and reproductions are `stickslip-studies`.
//!
//! It is a library so that others can ship the whole program: the Python package does (`python -m stickslip`).

mod accel;
mod account;
mod check;
mod collection;
mod compare;
mod converge;
mod convert;
mod field;
mod model;
mod modes;
mod options;
mod planar_source;
mod run;
mod schema;
mod series;
mod shot;
mod signals;
mod solve;
mod sweep;
mod view;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::Path;
use stickslip_console::{Failure, Verdict};
use stickslip_studies::{bench, reproduce};

/// Rigid bodies in frictional contact, solved to the law and certified step by step.
///
/// Exit codes: 0 done, 1 the work failed (not converged, not valid), 2 bad input, 3 not all of it can be judged, 130
/// interrupted (what was computed is kept).
#[derive(Parser)]
#[command(
    name = "stickslip",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Check(check::Args),
    Series(series::Args),
    Compare(compare::Args),
    Sweep(sweep::Args),
    Converge(converge::Args),
    Convert(convert::Args),
    Accel(accel::Args),
    Modes(modes::Args),
    Solve(solve::Args),
    View(view::Args),
    Shot(shot::Args),
    Field(field::Args),
    Reproduce(reproduce::Args),
    Schema(schema::Args),
    Bench(bench::Args),
}

/// Runs the program with these arguments, its own name first, and gives its exit code.
pub fn run_program<A>(arguments: impl IntoIterator<Item = A>) -> u8
where
    A: Into<OsString> + Clone,
{
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(mut refused) => {
            // The advice to pass a mistyped option as a value, behind `--`, never helps here.
            refused.remove(ContextKind::Suggested);
            if let Some(tip) = meant(&refused) {
                eprintln!("error: {tip}");
                return 2;
            }
            // Help goes to standard output, mistakes to standard error; if that is closed, nothing is left to tell.
            let _ = refused.print();
            return u8::try_from(refused.exit_code()).unwrap_or(2);
        }
    };
    match cli.command.run() {
        Ok(verdict) => verdict.code(),
        Err(failure) => failure.report(),
    }
}

/// A file where a command should be: what to do with such a file.
fn meant(refused: &clap::Error) -> Option<String> {
    if refused.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = refused.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let ending = Path::new(word).extension()?.to_str()?;
    let what = match ending.to_ascii_lowercase().as_str() {
        "toml" | "urdf" | "mjcf" | "xml" => "`stickslip run {}` runs it",
        "parquet" => "`stickslip check {}` judges it, `stickslip view {}` shows it",
        "hdf5" | "json" | "mtx" => "`stickslip solve {}` solves it",
        _ => return None,
    };
    let file = options::quoted(word);
    Some(format!(
        "{word} stands where the command should be: {}",
        what.replace("{}", &file)
    ))
}

/// A negative number is the value of its option, which says what it expects, and no option of its own.
fn parse<A>(arguments: impl IntoIterator<Item = A>) -> Result<Cli, clap::Error>
where
    A: Into<OsString> + Clone,
{
    let program = Cli::command().mut_subcommands(|command| {
        command.mut_args(|arg| {
            let takes_values = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_values)
        })
    });
    Cli::from_arg_matches(&program.try_get_matches_from(arguments)?)
}

impl Command {
    fn run(self) -> Result<Verdict, Failure> {
        match self {
            Self::Run(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Series(args) => args.run(),
            Self::Compare(args) => args.run(),
            Self::Sweep(args) => args.run(),
            Self::Converge(args) => args.run(),
            Self::Convert(args) => args.run(),
            Self::Accel(args) => args.run(),
            Self::Modes(args) => args.run(),
            Self::Solve(args) => args.run(),
            Self::View(args) => args.run(),
            Self::Shot(args) => args.run(),
            Self::Field(args) => args.run(),
            Self::Reproduce(args) => args.run(),
            Self::Schema(args) => args.run(),
            Self::Bench(args) => args.run(),
        }
    }
}
