//! Velocities known better than the impulses can say.
//!
//! ν = ν_free + M⁻¹ W p carries the rounding of p: ε w̄ |p|, which is 1e-10 m/s for a body of 1 kg under a
//! million. Momentum cannot be told apart below that, the law can: so ν becomes an unknown of its own, and
//! Newton corrects (p, ν) together with M δν = W δp.

use crate::newton::Map;
use crate::problem::{ContactProblem, Twist};
use crate::system::{BodyMemory, BodySystem, Coupled, linearised_rows};
use glam::DVec3;

/// Newton steps.
const STEPS: usize = 6;
/// Relative regularisation of redundant contacts.
const REGULARISATION: f64 = 1e-9;

/// Corrects impulses `p` and the velocities `nu` they give; returns the largest residual of the law at (p, ν),
/// m/s. The momentum that ν misses stays within the rounding of the impulses.
pub fn correct(problem: &ContactProblem, p: &mut Vec<DVec3>, nu: &mut Vec<Twist>) -> f64 {
    let mut memory = BodyMemory::default();
    let mut system = BodySystem::new(problem, &mut memory);
    let (mut rows, mut dp, mut u) = (Vec::new(), Vec::new(), Vec::new());
    let mut best = (f64::INFINITY, p.clone(), nu.clone());
    for _ in 0..=STEPS {
        u.clear();
        u.extend(problem.contacts.iter().map(|c| c.velocity(nu)));
        let worst = (0..p.len()).fold(0.0, |worst: f64, i| {
            let r = system.law(i).natural_map(p[i], u[i], system.w_bar(i));
            let r = r.length();
            if r.is_finite() {
                worst.max(r)
            } else {
                f64::INFINITY
            }
        });
        if worst < best.0 {
            best.0 = worst;
            best.1.clone_from(p);
            best.2.clone_from(nu);
        }
        linearised_rows(&system, Map::AlartCurnier, p, &u, REGULARISATION, &mut rows);
        if !system.factor(&rows) {
            break;
        }
        system.back_solve(&rows, &mut dp);
        for (p, dp) in p.iter_mut().zip(&dp) {
            *p += *dp;
        }
        system.add_velocity_change(nu);
    }
    (*p, *nu) = (best.1, best.2);
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Arm, ContactBlock, InverseMass, Law};
    use glam::DMat3;

    /// A body of 1 kg on the ground under one of a thousand tonnes, both points, over 0.01 s.
    #[test]
    fn a_light_body_under_a_heavy_one_rests_to_rounding() {
        let (light, heavy) = (1.1, 1.3e6);
        let body = |m: f64| InverseMass {
            mass: 1.0 / m,
            inertia: DMat3::ZERO,
        };
        let arm = |body, sign| Arm {
            body,
            lever: DVec3::ZERO,
            sign,
        };
        let contact = |body, below: Option<usize>| ContactBlock {
            frame: [DVec3::Z, DVec3::X, DVec3::Y],
            arms: [Some(arm(body, 1.0)), below.map(|b| arm(b, -1.0))],
            b: DVec3::new(1e-3 / 3.0, 0.0, 0.0),
            law: Law::Cone { mu: 0.5 },
        };
        let free = Twist {
            linear: DVec3::new(0.0, 0.0, -0.0981),
            angular: DVec3::ZERO,
        };
        let problem = ContactProblem {
            inverse_mass: vec![body(light), body(heavy)],
            nu_free: vec![free; 2],
            contacts: vec![contact(0, None), contact(1, Some(0))],
        };
        // Both gaps close: the light body ends at −1e-3/3 m/s, the heavy one at −2e-3/3 m/s.
        let top = heavy * (0.0981 - 2e-3 / 3.0);
        let ground = top + light * (0.0981 - 1e-3 / 3.0);
        let mut p = vec![DVec3::X * ground, DVec3::X * top];
        let mut nu = Vec::new();
        problem.velocity_into(&p, &mut nu);
        let before = problem.contacts[0].velocity(&nu).x.abs();
        let left = correct(&problem, &mut p, &mut nu);
        let after = problem.contacts[0].velocity(&nu).x.abs();
        assert!(before > 1e-12 && after < 1e-15, "{before:e} {after:e}");
        assert!(left < 1e-10, "{left:e}");
        // The momentum that ν misses is below the rounding of the impulses.
        let missed = light * (nu[0].linear.z + 0.0981) - (p[0].x - p[1].x);
        assert!(missed.abs() <= 4.0 * f64::EPSILON * ground, "{missed:e}");
    }
}
