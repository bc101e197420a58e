//! The `stickslip` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(stickslip_cli::run_program(std::env::args_os()))
}
