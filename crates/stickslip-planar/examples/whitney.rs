//! Draws the jamming diagram and the wedging chart of a peg in a hole:
//! `cargo run -p stickslip-planar --example whitney -- OUT.svg`.

use stickslip_planar::figure::Peg;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args().nth(1).ok_or("which output?")?;
    let peg = Peg {
        r: 0.01,
        depth: 0.03,
        mu: 0.3,
    };
    std::fs::write(out, peg.svg()?)?;
    Ok(())
}
