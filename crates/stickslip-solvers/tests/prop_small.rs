//! Random problems of few contacts: against enumeration, and for the residual alone.

use glam::DVec3;
use stickslip_solvers::lcp::enumerate;
use stickslip_solvers::lcp::pyramid::ContactLcp;
use stickslip_solvers::problem::generate::{random_mu, random_problem};
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::problem::residual::{of_step, w_bar};
use stickslip_solvers::problem::{ContactBlock, Law};
use stickslip_solvers::solver::SolveError;
use stickslip_solvers::solver_by_name;
use stickslip_testing::{Random, setting};

#[test]
fn lemke_finds_a_solution_that_enumeration_finds_too() {
    let mut random = Random::new(11);
    let mut lemke = solver_by_name("lemke").expect("solver");
    let mut several = 0;
    for k in 0..300 {
        let mut law = |r: &mut Random| Law::Pyramid {
            mu: random_mu(r),
            directions: 4,
        };
        let problem = random_problem(&mut random, 2, 2.0, &mut law);
        let mut local = LocalProblem::default();
        local.assemble(&problem);
        let lcp = ContactLcp::new(&local).expect("pyramids");
        let plain = stickslip_solvers::lcp::Lcp {
            m: lcp.mixed.m.clone(),
            q: lcp.mixed.q.clone(),
        };
        let all = enumerate::all_solutions(&plain, 1e-9).expect("12 rows");
        let solved = lemke.solve(&problem, None, 1e-11);
        assert!(!all.is_empty(), "problem {k} has no basic solution");
        several += usize::from(all.len() > 1);
        solved.unwrap_or_else(|e| panic!("problem {k}: {e}"));
    }
    assert!(several > 0);
}

#[test]
fn lemke_and_gauss_seidel_agree_where_there_is_no_friction() {
    let mut random = Random::new(12);
    for k in 0..2000 {
        let n_c = 1 + random.below(4);
        let problem = random_problem(&mut random, n_c, 2.0, &mut |_| Law::Unilateral);
        let mut velocities = Vec::new();
        for name in ["lemke", "nsgs"] {
            let solved = solver_by_name(name)
                .expect("solver")
                .solve(&problem, None, 1e-11)
                .unwrap_or_else(|e| panic!("problem {k}, {name}: {e}"));
            let mut nu = Vec::new();
            problem.velocity_into(&solved.impulses, &mut nu);
            velocities.push(nu);
        }
        // ν is the projection of ν_free on a convex set: unique.
        for (a, b) in velocities[0].iter().zip(&velocities[1]) {
            assert!((a.linear - b.linear).length() + (a.angular - b.angular).length() < 1e-7);
        }
    }
}

#[test]
fn auto_solves_every_small_problem_on_the_exact_cone() {
    // Open, stick, slide, doubled contacts, μ from 0 to 10, masses over twelve decades.
    let count = setting("STICKSLIP_SMALL_COUNT", 10_000);
    let mut random = Random::new(13);
    let mut auto = solver_by_name("auto").expect("solver");
    for k in 0..count {
        let n_c = 1 + k % 4;
        let mut law = |r: &mut Random| Law::Cone { mu: random_mu(r) };
        let problem = random_problem(&mut random, n_c, 12.0, &mut law);
        let solved = auto
            .solve(&problem, None, 1e-10)
            .unwrap_or_else(|e| panic!("problem {k}: {e}"));
        // To the tolerance, or to the rounding of its own impulses.
        let size = |(c, p): (&ContactBlock, &DVec3)| w_bar(c, &problem.inverse_mass) * p.length();
        let sizes = problem.contacts.iter().zip(&solved.impulses).map(size);
        let rounding = 16.0 * f64::EPSILON * sizes.fold(0.0, f64::max);
        let bound = rounding.max(1e-10) * (1.0 + 1e-9);
        assert!(
            solved.residual <= bound,
            "problem {k}: {:e}",
            solved.residual
        );
        let judged = of_step(&problem, &solved.impulses, &mut Vec::new()).0;
        assert!(judged <= bound, "problem {k}: {judged:e}");
    }
}

/// Steep cones, μ from 10 to 1e6: of 10,000 problems one is left (STICKSLIP_SMALL_COUNT=10000), at three times the
/// tolerance.
#[test]
fn auto_solves_small_problems_under_steep_cones() {
    let count = setting("STICKSLIP_SMALL_COUNT", 2000);
    let mut random = Random::new(77);
    let mut auto = solver_by_name("auto").expect("solver");
    let mut unsolved = Vec::new();
    for k in 0..count {
        let mut law = |r: &mut Random| Law::Cone {
            mu: r.decade(1.0, 6.0),
        };
        let problem = random_problem(&mut random, 1 + k % 4, 2.0, &mut law);
        match auto.solve(&problem, None, 1e-10) {
            Ok(solved) => {
                let judged = of_step(&problem, &solved.impulses, &mut Vec::new()).0;
                assert!(judged <= solved.residual * (1.0 + 1e-9), "problem {k}");
            }
            Err(SolveError::NotConverged { residual, .. }) => unsolved.push((k, residual)),
            Err(e) => panic!("problem {k}: {e}"),
        }
    }
    assert!(unsolved.len() <= 1 + count / 4000, "{unsolved:?}");
    assert!(unsolved.iter().all(|u| u.1 < 1e-9), "{unsolved:?}");
}

#[test]
fn the_same_problem_gives_the_same_bits_whatever_was_solved_before() {
    let mut random = Random::new(14);
    let mut law = |r: &mut Random| Law::Cone { mu: random_mu(r) };
    let problems: Vec<_> = (0..40)
        .map(|k| random_problem(&mut random, 1 + k % 8, 2.0, &mut law))
        .collect();
    let fresh: Vec<_> = problems
        .iter()
        .map(|p| {
            let mut auto = solver_by_name("auto").expect("solver");
            auto.solve(p, None, 1e-10).ok().map(|s| s.impulses)
        })
        .collect();
    let mut used = solver_by_name("auto").expect("solver");
    for (problem, expected) in problems.iter().zip(&fresh).rev() {
        let again = used.solve(problem, None, 1e-10).ok().map(|s| s.impulses);
        assert_eq!(&again, expected);
    }
}
