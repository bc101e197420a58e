//! What the convex route and the maps between bodies and contacts must satisfy, computed here from their definitions.

use glam::DVec3;
use stickslip_solvers::engines::relaxation;
use stickslip_solvers::problem::generate::{random_mu, random_problem};
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::problem::{Action, ContactBlock, ContactProblem, Law, Twist};
use stickslip_testing::Random;

/// ½ pᵀWp + qᵀp, J: what the relaxation minimises over the cones.
fn objective(problem: &LocalProblem, p: &[DVec3]) -> f64 {
    let each = |(i, p_i): (usize, &DVec3)| {
        let u = problem.velocity(i, p);
        0.5 * p_i.dot(u + problem.q[i])
    };
    p.iter().enumerate().map(each).sum()
}

/// A random point of the cone of friction μ, of size `size`.
fn in_cone(random: &mut Random, mu: f64, size: f64) -> DVec3 {
    let normal = size * random.unit();
    let way = random.vec3();
    let tangent = DVec3::new(0.0, way.y, way.z);
    tangent * (mu * normal * random.unit() / tangent.length().max(1e-9)) + DVec3::X * normal
}

#[test]
fn the_relaxation_satisfies_its_optimality_conditions() {
    let mut random = Random::new(45);
    let (mut worst, mut sliding) = (0.0_f64, 0);
    for _ in 0..500 {
        let contacts = 1 + random.below(8);
        let stated = random_problem(&mut random, contacts, 2.0, &mut |random| Law::Cone {
            mu: random_mu(random),
        });
        let mut problem = LocalProblem::default();
        problem.assemble(&stated);
        let relaxed = relaxation::solve(&problem, 1e-10);
        let p = &relaxed.impulses;
        for i in 0..problem.len() {
            let (mu, w_bar) = (problem.laws[i].friction(), problem.delassus.w_bar(i));
            let (u, p) = (problem.velocity(i, p), p[i]);
            let [p_t, u_t] = [p, u].map(|x| libm::hypot(x.y, x.z));
            // p ∈ K, u ∈ K*, p·u = 0, all in m/s.
            let primal = (p_t - mu * p.x).max(0.0) * w_bar;
            let dual = (mu * u_t - u.x).max(0.0);
            let both = p.dot(u).abs() / (p.length() + u.length() / w_bar).max(1e-300);
            worst = worst.max(primal).max(dual).max(both);
            sliding += usize::from(p_t * w_bar > 1e-3 && u_t > 1e-3);
        }
        // No point of the cones is better, near or far.
        let least = objective(&problem, p);
        let size = 1.0 + p.iter().map(|p| p.length()).fold(0.0, f64::max);
        for k in 0..40 {
            let part = if k % 2 == 0 { 1.0 } else { 1e-3 };
            let other: Vec<DVec3> = p
                .iter()
                .zip(&problem.laws)
                .map(|(p, law)| p.lerp(in_cone(&mut random, law.friction(), size), part))
                .collect();
            let there = objective(&problem, &other);
            assert!(
                there > least - 1e-9 * (least.abs() + there.abs()),
                "{there:e} below {least:e}"
            );
        }
    }
    eprintln!("500 problems, {sliding} sliding contacts: worst {worst:.1e} m/s");
    assert!(worst < 1e-9 && sliding > 100, "{worst:e} {sliding}");
}

/// W of a block as the documents write it, a column of 6 n_b numbers (force and torque on each body) for each of its three rows.
fn columns(block: &ContactBlock, bodies: usize) -> [Vec<f64>; 3] {
    let mut out = [(); 3].map(|()| vec![0.0; 6 * bodies]);
    for (column, axis) in out.iter_mut().zip([DVec3::X, DVec3::Y, DVec3::Z]) {
        for arm in block.arms.iter().flatten() {
            let (force, torque) = arm.wrench(block.to_world(axis));
            let place = &mut column[6 * arm.body..6 * arm.body + 6];
            for (to, from) in place
                .iter_mut()
                .zip([force, torque].iter().flat_map(DVec3::to_array))
            {
                *to += from;
            }
        }
    }
    out
}

#[test]
fn tr12_rates_are_the_transpose_of_wrenches() {
    // Impulses go to the bodies by W, 6 n_b by 3, velocities to the rows by Wᵀ: for contacts and joints, forces and torques.
    let mut random = Random::new(12);
    for _ in 0..1000 {
        let joint = Law::bilateral([true; 3]);
        let mut problem = random_problem(&mut random, 4, 1.0, &mut |_| joint.clone());
        for block in &mut problem.contacts {
            block.b = DVec3::ZERO;
            if random.below(2) == 0 {
                for arm in block.arms.iter_mut().flatten() {
                    arm.action = Action::Torque;
                }
            }
        }
        let ContactProblem {
            contacts,
            nu_free: nu,
            ..
        } = &problem;
        let flat: Vec<f64> = nu
            .iter()
            .flat_map(|Twist { linear, angular }| [linear.to_array(), angular.to_array()].concat())
            .collect();
        for block in contacts {
            let w = columns(block, nu.len());
            assert!(w.iter().all(|column| column.len() == 6 * nu.len()));
            let rates = block.velocity(nu).to_array();
            for (column, rate) in w.iter().zip(rates) {
                let product: f64 = column.iter().zip(&flat).map(|(a, b)| a * b).sum();
                assert!((product - rate).abs() < 1e-13, "{product} {rate}");
            }
        }
    }
}
