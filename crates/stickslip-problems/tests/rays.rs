//! Stored problems whose only answer is a ray.

use stickslip_problems::json::lcp::{self, LcpFile};
use stickslip_solvers::lcp::enumerate;
use stickslip_solvers::lcp::interior::mixed;
use stickslip_solvers::lcp::lemke::Lemke;
use stickslip_solvers::lcp::{Lcp, LcpError};

fn stored(name: &str) -> Lcp {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/unsolvable");
    let text = std::fs::read_to_string(format!("{root}/{name}.json")).expect("a stored problem");
    match lcp::read(&text).expect("an LCP") {
        LcpFile::Plain(lcp) => lcp,
        LcpFile::Mixed(_) => panic!("{name} is a mixed LCP"),
    }
}

/// Feasible and copositive, yet without a solution: the ray is all there is to return, and it proves nothing.
#[test]
fn a_copositive_problem_without_a_solution_returns_its_ray() {
    let lcp = stored("copositive");
    assert_eq!(enumerate::all_solutions(&lcp, 1e-9), Ok(Vec::new()));
    match Lemke::default().solve(&mixed(&lcp)) {
        Err(LcpError::Ray {
            direction,
            infeasible,
            ..
        }) => {
            assert!(direction.iter().all(|&v| v >= 0.0));
            assert!(direction.iter().any(|&v| v > 0.0));
            assert!(!infeasible);
        }
        other => panic!("{other:?}"),
    }
}

/// The stored problem has no feasible point, and its ray proves it.
#[test]
fn the_ray_of_an_infeasible_problem_proves_it() {
    let infeasible = mixed(&stored("infeasible"));
    match Lemke::default().solve(&infeasible) {
        Err(LcpError::Ray {
            direction,
            infeasible: true,
            ..
        }) => assert_eq!(direction, [0.0, 1.0]),
        other => panic!("{other:?}"),
    }
}
