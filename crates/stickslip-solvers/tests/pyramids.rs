//! The pyramid LCP against the document: its matrix, its multiplier, and its limit.

use glam::{DVec2, DVec3};
use stickslip_solvers::lcp::lemke::Lemke;
use stickslip_solvers::lcp::pyramid::ContactLcp;
use stickslip_solvers::problem::generate::random_problem;
use stickslip_solvers::problem::law::{direction, tangent};
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::problem::{ContactProblem, Law};
use stickslip_testing::Random;

/// A column of (n, D) in generalised coordinates, body by body: force and torque of a unit impulse along `d`.
fn column(problem: &ContactProblem, contact: usize, d: DVec3) -> Vec<[DVec3; 2]> {
    let block = &problem.contacts[contact];
    let [n, t1, t2] = block.frame;
    let world = n * d.x + t1 * d.y + t2 * d.z;
    let mut column = vec![[DVec3::ZERO; 2]; problem.inverse_mass.len()];
    for arm in block.arms.iter().flatten() {
        let force = world * arm.sign;
        column[arm.body][0] += force;
        column[arm.body][1] += arm.lever.cross(force);
    }
    column
}

/// aᵀ M⁻¹ b.
fn through_mass(problem: &ContactProblem, a: &[[DVec3; 2]], b: &[[DVec3; 2]]) -> f64 {
    let bodies = problem.inverse_mass.iter().zip(a.iter().zip(b));
    bodies
        .map(|(m, (a, b))| a[0].dot(b[0]) * m.mass + a[1].dot(m.inertia * b[1]))
        .sum()
}

#[test]
fn the_lcp_has_the_blocks_of_the_document_entry_by_entry() {
    // Rows and columns: for each contact n and d_1 .. d_l, then the multipliers λ of all contacts.
    //   n: nᵀM⁻¹n  nᵀM⁻¹D  0      D: DᵀM⁻¹n  DᵀM⁻¹D  e      λ: μ  −eᵀ  0
    let mut random = Random::new(21);
    for k in 0..50 {
        let (l, mu) = ([2, 4, 6, 8][k % 4], random.unit());
        let n_c = 1 + k % 3;
        let law = Law::Pyramid { mu, directions: l };
        let problem = random_problem(&mut random, n_c, 2.0, &mut |_| law.clone());
        let mut local = LocalProblem::default();
        local.assemble(&problem);
        let lcp = ContactLcp::new(&local).expect("pyramids").mixed;
        let columns: Vec<_> = (0..n_c)
            .flat_map(|i| {
                let tangents = (0..l).map(move |j| direction(j, l));
                let tangents = tangents.map(|d| DVec3::new(0.0, d.x, d.y));
                std::iter::once(DVec3::X)
                    .chain(tangents)
                    .map(move |d| (i, d))
            })
            .map(|(i, d)| (i, d == DVec3::X, column(&problem, i, d)))
            .collect();
        let n = columns.len() + n_c;
        let mut expected = vec![0.0; n * n];
        for (a, (i, normal, of_a)) in columns.iter().enumerate() {
            for (b, (.., of_b)) in columns.iter().enumerate() {
                expected[a * n + b] = through_mass(&problem, of_a, of_b);
            }
            let lambda = columns.len() + i;
            expected[lambda * n + a] = if *normal { mu } else { -1.0 };
            expected[a * n + lambda] = if *normal { 0.0 } else { 1.0 };
        }
        assert_eq!((lcp.m.n_rows(), lcp.n_eq), (n, 0));
        let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (a, b, v) in lcp.m.entries() {
            let e = std::mem::take(&mut expected[a * n + b]);
            assert!((v - e).abs() <= 1e-14 * size, "({a}, {b}): {v}, not {e}");
        }
        // What is not stored is zero.
        let left = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(left <= 1e-14 * size, "{left} missing");
    }
}

/// λ and the tangential velocity of one contact that slides, with `l` directions; `None` where it does not.
fn slid(problem: &ContactProblem, mu: f64, l: usize) -> Option<(f64, DVec2)> {
    let mut local = LocalProblem::default();
    local.assemble(problem);
    local.laws[0] = Law::Pyramid { mu, directions: l };
    let lcp = ContactLcp::new(&local).expect("a pyramid");
    let z = Lemke::default().solve(&lcp.mixed).expect("a solution").z;
    let p = lcp.impulses(&z);
    let u = local.velocity(0, &p);
    (p[0].x > 0.0 && tangent(u).length() > 0.1).then(|| (z[l + 1], tangent(u)))
}

#[test]
fn the_multiplier_is_the_slip_speed_and_tends_to_that_of_the_cone() {
    let ladder = [8, 16, 32, 64];
    let mut worst = [0.0f64; 4];
    let (mut random, mut slides) = (Random::new(22), 0);
    for _ in 0..400 {
        let mu = 0.1 + 0.5 * random.unit();
        let problem = random_problem(&mut random, 1, 1.0, &mut |_| Law::Unilateral);
        for (error, l) in worst.iter_mut().zip(ladder) {
            let Some((lambda, u_t)) = slid(&problem, mu, l) else {
                continue;
            };
            slides += 1;
            // λ = max_j −d_j·u_t: the slip speed as the polygon sees it, exactly.
            let seen = (0..l)
                .map(|j| -direction(j, l).dot(u_t))
                .fold(0.0, f64::max);
            assert!((lambda - seen).abs() <= 1e-12, "{l}: {lambda}, not {seen}");
            // It is never above |u_t|, and below by the angle to the next direction at most.
            *error = error.max(1.0 - lambda / u_t.length());
        }
    }
    assert!(slides > 400, "{slides}");
    // 1 − cos(π/l): the square of the number of directions.
    for (k, pair) in worst.windows(2).enumerate() {
        let slope = libm::log2(pair[0] / pair[1]);
        assert!(
            (slope - 2.0).abs() < 0.15,
            "{slope} from {} to {}",
            ladder[k],
            ladder[k + 1]
        );
    }
    let bound = |l: usize| 1.0 - libm::cos(core::f64::consts::PI / l as f64);
    for (error, l) in worst.into_iter().zip(ladder) {
        assert!(error <= bound(l) * (1.0 + 1e-9), "{l}: {error}");
    }
    println!("{slides} slides; 1 − λ/|u_t| at most {worst:?} with {ladder:?} directions");
}
