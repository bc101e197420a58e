//! The shared collection of frictional contact and complementarity problems.

mod common;

use stickslip_problems::json::lcp::LcpFile;
use stickslip_problems::{fclib, json};
use stickslip_solvers::auto::Auto;
use stickslip_solvers::lcp::MixedLcp;
use stickslip_solvers::lcp::interior::{mixed, solve_auto};
use stickslip_solvers::lcp::lemke::Lemke;
use stickslip_solvers::problem::residual::GlobalResidual;

/// Problems that `auto` solves, but only in the better part of a minute.
const SLOW: [&str; 1] = ["gen_Buttresses"];

#[test]
fn auto_solves_the_frictional_contact_problems() {
    let mut solved = 0;
    for path in common::shared_files("problems/fc", "hdf5").unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = std::fs::read(&path).expect("readable");
        let problem = fclib::read(&bytes)
            .expect("FCLIB")
            .into_local()
            .expect("local");
        // The largest take seconds even when optimised.
        if SLOW.iter().any(|o| name.starts_with(o)) || cfg!(debug_assertions) && problem.len() > 600
        {
            println!("left out: {name}");
            continue;
        }
        // The largest are not known to reach 1e-12.
        let tolerances = if problem.len() > 600 {
            &[1e-8][..]
        } else {
            &[1e-8, 1e-12]
        };
        for &tolerance in tolerances {
            let answer = Auto::default()
                .solve_local(&problem, &[], tolerance)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let r = GlobalResidual::new(&problem, &answer.impulses).siconos();
            assert!(r <= tolerance, "{name}: {r:e}");
        }
        solved += 1;
    }
    println!("{solved} solved to 1e-8 and to 1e-12");
}

fn complementarity_problems() -> Vec<(String, MixedLcp)> {
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("readable");
        match json::lcp::read(&text).expect("LCP") {
            LcpFile::Plain(lcp) => mixed(&lcp),
            LcpFile::Mixed(problem) => problem,
        }
    };
    let name = |path: &std::path::PathBuf| {
        let stem = path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    common::shared_files("problems/lcp", "json")
        .unwrap_or_default()
        .iter()
        .map(|path| (name(path), read(path)))
        .collect()
}

#[test]
fn auto_solves_the_complementarity_problems() {
    for (name, problem) in complementarity_problems() {
        let solution = solve_auto(&problem, 1e-9).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(problem.residual(&solution.z) <= 1e-9, "{name}");
    }
}

#[test]
fn lemke_alone_solves_the_complementarity_problems() {
    // Paths of 80,000 pivots and more; `stickslip solve --solver lemke` walks them.
    let long = [
        "cannonball_planar55_mu08_step0",
        "cannonball_planar210_mu02_step0",
        "cannonball_planar210_mu08_step0",
    ];
    for (name, problem) in complementarity_problems() {
        if long.contains(&&*name) {
            println!("left out: {name}");
            continue;
        }
        let solution = Lemke::default()
            .solve(&problem)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(problem.residual(&solution.z) <= 1e-9, "{name}");
    }
}
