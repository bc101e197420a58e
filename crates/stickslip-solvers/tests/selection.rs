//! The selection rule: one motion, whichever solver ran.

mod common;

use common::{pile, planar_pile, square_pile};
use glam::DVec3;
use stickslip_solvers::auto::selection::RULE;
use stickslip_solvers::problem::{ContactProblem, Law, Twist};
use stickslip_solvers::solver::SolveError;
use stickslip_solvers::{SOLVER_NAMES, selecting_solver_by_name, solver_by_name};

const TOLERANCE: f64 = 1e-10;

fn velocities(problem: &ContactProblem, p: &[DVec3]) -> Vec<Twist> {
    let mut nu = Vec::new();
    problem.velocity_into(p, &mut nu);
    nu
}

fn fastest(nu: &[Twist]) -> f64 {
    nu.iter().fold(0.0, |m, nu| f64::max(m, nu.linear.length()))
}

/// From rest at μ = 0.8 resting and falling both satisfy the law. Every solver that solves a pile by itself lets it rest.
#[test]
fn every_solver_lets_a_pile_rest_that_can() {
    let laws = [
        Law::Cone { mu: 0.8 },
        Law::Pyramid {
            mu: 0.8,
            directions: 4,
        },
        Law::Pyramid {
            mu: 0.8,
            directions: 8,
        },
    ];
    let piles = [
        ("6 balls", planar_pile(3)),
        ("10 balls", planar_pile(4)),
        ("square of 14", square_pile(3)),
    ];
    let (mut answers, mut replaced) = (0, Vec::new());
    for (name, centres) in &piles {
        for law in &laws {
            let problem = pile(centres, law);
            for solver in SOLVER_NAMES {
                let mut own = solver_by_name(solver).expect("listed");
                let own = own.solve(&problem, None, TOLERANCE);
                let mut selecting = selecting_solver_by_name(solver).expect("listed");
                let solved = match (own, selecting.solve(&problem, None, TOLERANCE)) {
                    (Ok(_), Ok(solved)) => solved,
                    // A failure is not hidden by the rule.
                    (Err(a), Err(b)) => {
                        assert_eq!(a.to_string(), b.to_string());
                        let known = matches!(
                            a,
                            SolveError::NotConverged { .. } | SolveError::Unsuitable { .. }
                        );
                        assert!(known, "{name}, {law:?}, {solver}: {a}");
                        continue;
                    }
                    (own, selected) => panic!("{name}, {law:?}, {solver}: {own:?}, {selected:?}"),
                };
                let nu = velocities(&problem, &solved.impulses);
                assert!(
                    fastest(&nu) <= 1e3 * TOLERANCE,
                    "{name}, {law:?}, {solver}: {:e}",
                    fastest(&nu)
                );
                answers += 1;
                if solved.solver == RULE {
                    replaced.push((*name, law.clone(), *solver));
                }
            }
        }
    }
    println!("{answers} answers, of which replaced: {replaced:?}");
    assert!(answers >= 30, "only {answers} answers");
    let homotopy = |(pile, law, solver): &(&str, Law, &str)| {
        *pile == "10 balls" && matches!(law, Law::Cone { .. }) && *solver == "homotopy"
    };
    let lemke = |(_, _, solver): &(&str, Law, &str)| *solver == "lemke";
    assert!(replaced.iter().any(homotopy) && replaced.iter().any(lemke));
}

/// What moves: at μ = 0.2 the piles collapse, by one motion.
#[test]
fn every_solver_lets_a_pile_collapse_in_the_same_way() {
    for centres in [planar_pile(3), planar_pile(4), square_pile(2)] {
        for law in [
            Law::Cone { mu: 0.2 },
            Law::Pyramid {
                mu: 0.2,
                directions: 4,
            },
        ] {
            let problem = pile(&centres, &law);
            let auto = solver_by_name("auto")
                .expect("auto")
                .solve(&problem, None, TOLERANCE)
                .expect("solved");
            let wanted = velocities(&problem, &auto.impulses);
            assert!(fastest(&wanted) > 1e-4);
            for solver in SOLVER_NAMES {
                let mut selecting = selecting_solver_by_name(solver).expect("listed");
                if let Ok(solved) = selecting.solve(&problem, None, TOLERANCE) {
                    let d =
                        Twist::largest_difference(&wanted, &velocities(&problem, &solved.impulses));
                    let n = centres.len();
                    assert!(d <= 1e4 * TOLERANCE, "{n} balls, {law:?}, {solver}: {d:e}");
                }
            }
        }
    }
}

/// Resting impulses are a start: no solver leaves them.
#[test]
fn a_pile_that_rests_goes_on_resting() {
    for (law, solvers) in [
        (Law::Cone { mu: 0.8 }, ["homotopy", "interior-point"]),
        (
            Law::Pyramid {
                mu: 0.8,
                directions: 4,
            },
            ["lemke", "newton"],
        ),
    ] {
        let problem = pile(&planar_pile(4), &law);
        let rest = solver_by_name("auto")
            .expect("auto")
            .solve(&problem, None, TOLERANCE)
            .expect("solved");
        for solver in solvers {
            let mut selecting = selecting_solver_by_name(solver).expect("listed");
            if let Ok(solved) = selecting.solve(&problem, Some(&rest.impulses), TOLERANCE) {
                let nu = velocities(&problem, &solved.impulses);
                assert!(fastest(&nu) <= 1e3 * TOLERANCE, "{solver}");
            }
        }
    }
}
