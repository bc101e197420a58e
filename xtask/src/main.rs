//! `cargo xtask test`: every check that CI runs.
fn main() {}
