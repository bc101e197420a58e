//! Prints what a trajectory holds, reading it step by step:
//!
//! `cargo run -p stickslip-record --example inspect -- run.parquet`

use std::process::ExitCode;
use stickslip_record::{Reader, RecordError, StateHash};

fn inspect(path: &str) -> Result<(), RecordError> {
    let reader = Reader::open(path)?;
    for warning in &reader.warnings {
        println!("warning: {warning}");
    }
    let header = reader.header.clone();
    println!(
        "{} bodies, h = {} s, written by stickslip {} from {}",
        header.bodies.len(),
        header.h,
        header.version,
        header.scene_file
    );
    let recorded = reader.summary.clone();
    let mut hash = StateHash::new(&header.bodies);
    let (mut frames, mut contacts, mut t) = (0, 0, 0.0);
    for frame in reader {
        let step = frame?.step;
        hash.update(step.step, &step.bodies, &step.joints);
        frames += 1;
        contacts += step.contacts.len();
        t = step.t;
    }
    println!("{frames} states up to {t} s, {contacts} contacts");
    println!("hash of these states {}", hash.hex());
    match recorded {
        Some(summary) => println!(
            "the run ended at {} s, its hash {}",
            summary.t, summary.hash
        ),
        None => println!("the run did not end"),
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("which trajectory?");
        return ExitCode::from(2);
    };
    match inspect(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
