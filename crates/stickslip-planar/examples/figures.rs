//! Draws a state: `cargo run -p stickslip-planar --example figures -- STATE OUT` writes OUT.svg and OUT.map.svg.

use stickslip_planar::{MapOptions, Options, State, figure, mode_map, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (path, out) = (
        arguments.next().ok_or("which state file?")?,
        arguments.next().ok_or("which output?")?,
    );
    let state = State::from_text(&std::fs::read_to_string(path)?)?;
    let options = Options::default();
    let answer = solve(&state, &options)?;
    std::fs::write(format!("{out}.svg"), figure::both_svg(&state, &answer))?;
    let map = mode_map(&state, &options, &MapOptions::for_state(&state))?;
    print!("{}", map.text());
    std::fs::write(format!("{out}.map.svg"), map.svg(&state))?;
    Ok(())
}
