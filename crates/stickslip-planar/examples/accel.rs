//! Prints all accelerations of a state: `cargo run -p stickslip-planar --example accel -- STATE [--json]`.

use stickslip_planar::{Options, State, json, report, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which state file?")?;
    let state = State::from_text(&std::fs::read_to_string(path)?)?;
    let options = Options::default();
    let answer = solve(&state, &options)?;
    if arguments.next().as_deref() == Some("--json") {
        println!("{:#}", json(&state, &options, &answer));
    } else {
        print!("{}", report::text(&state, &options, &answer, true));
    }
    Ok(())
}
