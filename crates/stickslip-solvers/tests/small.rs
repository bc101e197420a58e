//! Closed forms and small problems with a known answer, for every solver that takes them.

mod common;

use common::{FRAME_Z, box_stack, pile, planar_pile};
use glam::DVec3;
use stickslip_solvers::problem::generate::{box_mass, frame};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, ContactProblem, Law, Twist};
use stickslip_solvers::solver_by_name;

/// A box on the ground by its four corners, pushed along x with speed `v` over a step.
fn box_on_ground(v: f64, law: &Law) -> ContactProblem {
    let mut problem = box_stack(1, law);
    problem.nu_free[0].linear.x = v;
    problem
}

const G_H: f64 = 9.81 * 0.01;

#[test]
fn a_block_slides_by_coulombs_law() {
    // Flat box: all four corners slide; friction takes μ g h off the speed whatever the split.
    for (solver, law) in [
        ("nsgs", Law::Cone { mu: 0.3 }),
        ("newton", Law::Cone { mu: 0.3 }),
        ("auto", Law::Cone { mu: 0.3 }),
        (
            "auto",
            Law::Pyramid {
                mu: 0.3,
                directions: 6,
            },
        ),
        (
            "lemke",
            Law::Pyramid {
                mu: 0.3,
                directions: 4,
            },
        ),
        (
            "lemke",
            Law::Pyramid {
                mu: 0.3,
                directions: 8,
            },
        ),
    ] {
        let problem = box_on_ground(1.0, &law);
        let solved = solver_by_name(solver)
            .expect("solver")
            .solve(&problem, None, 1e-12)
            .expect("solved");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        assert!(
            (nu[0].linear.x - (1.0 - 0.3 * G_H)).abs() < 1e-12,
            "{solver} {nu:?}"
        );
        assert!(nu[0].linear.z.abs() < 1e-12 && nu[0].angular.length() < 1e-11);
    }
}

#[test]
fn a_block_sticks_without_creep() {
    for (solver, law) in [
        ("nsgs", Law::Cone { mu: 0.5 }),
        ("newton", Law::Cone { mu: 0.5 }),
        ("auto", Law::Cone { mu: 0.5 }),
        (
            "lemke",
            Law::Pyramid {
                mu: 0.5,
                directions: 4,
            },
        ),
    ] {
        let problem = box_on_ground(0.3 * G_H, &law);
        let solved = solver_by_name(solver)
            .expect("solver")
            .solve(&problem, None, 1e-10)
            .expect("solved");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        assert!(
            nu[0].linear.length() < 1e-15,
            "{solver} creeps: {:?}",
            nu[0]
        );
    }
}

#[test]
fn a_ball_at_a_distance_falls_freely_or_just_arrives() {
    let law = Law::Cone { mu: 0.5 };
    for (gap_over_h, expected) in [(1.0, -0.5), (0.2, -0.2)] {
        let problem = ContactProblem {
            floors: Vec::new(),
            inverse_mass: vec![box_mass(3.0, DVec3::splat(1.0))],
            nu_free: vec![Twist {
                linear: DVec3::new(0.0, 0.0, -0.5),
                angular: DVec3::ZERO,
            }],
            contacts: vec![ContactBlock {
                frame: FRAME_Z,
                arms: [
                    Some(Arm {
                        body: 0,
                        lever: DVec3::new(0.0, 0.0, -1.0),
                        sign: 1.0,
                        action: Action::Force,
                    }),
                    None,
                ]
                .into(),
                b: DVec3::new(gap_over_h, 0.0, 0.0),
                compliance: DVec3::ZERO,
                law: law.clone(),
            }],
        };
        let solved = solver_by_name("nsgs")
            .expect("solver")
            .solve(&problem, None, 1e-12)
            .expect("solved");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        assert!((nu[0].linear.z - expected).abs() < 1e-15);
    }
}

#[test]
fn a_closing_vice_ends_on_a_ray_that_names_the_jaws() {
    // One ball between two walls that approach: both gaps must grow, which is impossible.
    let arm = Some(Arm {
        body: 0,
        lever: DVec3::ZERO,
        sign: 1.0,
        action: Action::Force,
    });
    let jaw = |n: DVec3, law: &Law| ContactBlock {
        frame: frame(n),
        arms: [arm, None].into(),
        b: DVec3::new(-0.1, 0.0, 0.0),
        compliance: DVec3::ZERO,
        law: law.clone(),
    };
    let pyramid = Law::Pyramid {
        mu: 0.3,
        directions: 4,
    };
    for (solver, law) in [
        ("lemke", &pyramid),
        ("auto", &pyramid),
        ("auto", &Law::Cone { mu: 0.3 }),
    ] {
        let problem = ContactProblem {
            floors: Vec::new(),
            inverse_mass: vec![box_mass(1.0, DVec3::splat(1.0))],
            nu_free: vec![Twist::default()],
            contacts: vec![jaw(DVec3::X, law), jaw(DVec3::NEG_X, law)],
        };
        let error = solver_by_name(solver)
            .expect("solver")
            .solve(&problem, None, 1e-10)
            .expect_err("infeasible");
        match error {
            stickslip_solvers::solver::SolveError::Ray { contacts, .. } => {
                assert_eq!(contacts, vec![0, 1], "{solver}, {law:?}");
            }
            other => panic!("{solver}, {law:?}: {other}"),
        }
    }
}

#[test]
fn a_ball_joint_holds_and_a_weak_motor_slips() {
    let arm = Some(Arm {
        body: 0,
        lever: DVec3::new(0.0, 0.0, 1.0),
        sign: 1.0,
        action: Action::Force,
    });
    let mut problem = ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![box_mass(2.0, DVec3::splat(0.5))],
        nu_free: vec![Twist {
            linear: DVec3::new(0.3, 0.0, -0.1),
            angular: DVec3::new(0.0, 0.2, 0.0),
        }],
        contacts: vec![ContactBlock {
            frame: FRAME_Z,
            arms: [arm, None].into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::bilateral([true; 3]),
        }],
    };
    for name in ["nsgs", "lemke", "newton", "auto"] {
        let solved = solver_by_name(name)
            .expect("solver")
            .solve(&problem, None, 1e-12)
            .expect("solved");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        assert!(problem.contacts[0].velocity(&nu).length() < 1e-14, "{name}");
    }
    // The joint's row along x can only hold 0.05 N s.
    problem.contacts[0].law = Law::Bounded {
        lo: DVec3::new(f64::NEG_INFINITY, -0.05, f64::NEG_INFINITY),
        hi: DVec3::new(f64::INFINITY, 0.05, f64::INFINITY),
    };
    for name in ["nsgs", "lemke", "newton", "auto"] {
        let solved = solver_by_name(name)
            .expect("solver")
            .solve(&problem, None, 1e-12)
            .expect("solved");
        assert!(
            (solved.impulses[0].y + 0.05).abs() < 1e-14,
            "{name} {solved:?}"
        );
    }
}

#[test]
fn nonsense_is_refused_with_a_reason() {
    let mut problem = box_stack(1, &Law::Cone { mu: -0.1 });
    for name in stickslip_solvers::SOLVER_NAMES {
        let mut solver = solver_by_name(name).expect("solver");
        problem.contacts[0].law = Law::Cone { mu: -0.1 };
        assert!(solver.solve(&problem, None, 1e-10).is_err());
        problem.contacts[0].law = Law::Unilateral;
        problem.nu_free[0].linear.x = f64::NAN;
        assert!(solver.solve(&problem, None, 1e-10).is_err());
        problem.nu_free[0].linear.x = 0.0;
        problem.contacts[2].arms[0] = Some(Arm {
            body: 9,
            lever: DVec3::ZERO,
            sign: 1.0,
            action: Action::Force,
        });
        assert!(solver.solve(&problem, None, 1e-10).is_err());
        problem = box_stack(1, &Law::Cone { mu: 0.1 });
    }
}

#[test]
fn stacks_rest_to_rounding_cold_and_warm() {
    for n in [1, 2, 5, 10, 20] {
        for law in [
            Law::Cone { mu: 0.5 },
            Law::Pyramid {
                mu: 0.5,
                directions: 4,
            },
            Law::Unilateral,
        ] {
            let problem = box_stack(n, &law);
            let mut auto = solver_by_name("auto").expect("solver");
            let cold = auto.solve(&problem, None, 1e-10).expect("cold");
            assert!(cold.residual < 1e-14, "{n} {law:?} {}", cold.residual);
            let warm = auto
                .solve(&problem, Some(&cold.impulses), 1e-10)
                .expect("warm");
            assert!(warm.residual < 1e-14 && warm.iterations <= 2);
            let mut nu = Vec::new();
            problem.velocity_into(&warm.impulses, &mut nu);
            for nu in &nu {
                // Rounding of each contact's velocity adds up over the levels.
                let bound = 1e-15 * n as f64;
                assert!(
                    nu.linear.length() < bound && nu.angular.length() < bound,
                    "{n} {law:?} {nu:?}"
                );
            }
        }
    }
}

#[test]
fn piles_rest_where_rest_is_possible_and_collapse_where_it_is_not() {
    // The selection rule: at μ = 0.8 both rest and collapse satisfy the law.
    for n in [3, 4, 10] {
        for (mu, rests) in [(0.8, true), (0.2, false)] {
            let problem = pile(&planar_pile(n), &Law::Cone { mu });
            let solved = solver_by_name("auto")
                .expect("solver")
                .solve(&problem, None, 1e-10)
                .unwrap_or_else(|e| panic!("{n} rows, mu {mu}: {e}"));
            let mut nu = Vec::new();
            problem.velocity_into(&solved.impulses, &mut nu);
            let fastest = nu.iter().fold(0.0f64, |m, v| m.max(v.linear.length()));
            assert_eq!(fastest < 1e-13, rests, "{n} rows, mu {mu}: {fastest:e}");
        }
    }
    // The homotopy ends in the moving solution of the same pile: it does satisfy the law.
    let problem = pile(&planar_pile(4), &Law::Cone { mu: 0.8 });
    let moving = solver_by_name("homotopy")
        .expect("solver")
        .solve(&problem, None, 1e-10)
        .expect("solved");
    let mut nu = Vec::new();
    problem.velocity_into(&moving.impulses, &mut nu);
    assert!(nu.iter().any(|v| v.linear.length() > 1e-3));
}
