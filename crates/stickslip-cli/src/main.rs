//! The `stickslip` program: thin commands over the library. Benchmarks and reproductions are `stickslip-studies`.

mod accel;
mod account;
mod check;
mod collection;
mod compare;
mod converge;
mod field;
mod modes;
mod options;
mod planar_source;
mod run;
mod schema;
mod shot;
mod solve;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
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
    Run(run::Args),
    Check(check::Args),
    Compare(compare::Args),
    Converge(converge::Args),
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

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Run(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Compare(args) => args.run(),
        Command::Converge(args) => args.run(),
        Command::Accel(args) => args.run(),
        Command::Modes(args) => args.run(),
        Command::Solve(args) => args.run(),
        Command::View(args) => args.run(),
        Command::Shot(args) => args.run(),
        Command::Field(args) => args.run(),
        Command::Reproduce(args) => args.run(),
        Command::Schema(args) => args.run(),
        Command::Bench(args) => args.run(),
    };
    match result {
        Ok(verdict) => verdict.exit_code(),
        Err(failure) => failure.report(),
    }
}
