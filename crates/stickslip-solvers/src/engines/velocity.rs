//! Velocities known better than the impulses can say.
//!
//! ν = ν_free + M⁻¹ W p carries the rounding of p: ε w̄ |p|, which is 1e-10 m/s for a body of 1 kg under a
//! million. Momentum cannot be told apart below that, the law can: so ν becomes an unknown of its own, and
//! Newton corrects (p, ν) together with M δν = W δp.

use crate::coupling::{BodyMemory, BodySystem, Coupled, linearised_rows};
use crate::problem::islands::{Islands, Part};
use crate::problem::law::Map;
use crate::problem::{ContactProblem, Twist};
use crate::problem::{residual, soft};
use glam::DVec3;

/// Newton steps.
const STEPS: usize = 12;
/// Roundings of its terms that a velocity may be off by.
const ROUNDINGS: f64 = 8.0;
/// Relative regularisation of redundant contacts.
const REGULARISATION: f64 = 1e-9;

/// The largest residual of those islands that miss what is asked of them, m/s; zero where none does. `off` is, for each body, the
/// residual of its island.
pub fn missed(
    problem: &ContactProblem,
    tolerance: f64,
    p: &[DVec3],
    nu: &[Twist],
    off: &mut Vec<f64>,
) -> f64 {
    let mut islands = Islands::default();
    islands.find_in_step(problem);
    off.clear();
    off.resize(problem.inverse_mass.len(), 0.0);
    let mut worst: f64 = 0.0;
    for k in 0..islands.len() {
        let members = islands.members(k);
        let residual = members.iter().fold(0.0, |most: f64, &i| {
            most.max(residual::of_block(problem, i, p, nu))
        });
        let arms = members
            .iter()
            .flat_map(|&i| problem.contacts[i].arms.iter());
        for arm in arms.flatten() {
            off[arm.body] = residual;
        }
        if residual > problem.asked_of(members, tolerance) {
            worst = worst.max(residual);
        }
    }
    worst
}

/// Corrects the islands whose residual misses what is asked of them, and no others; returns the largest residual that is left on
/// those, m/s (zero where none missed). Velocities `nu` of all are those of the impulses, but for what is corrected.
pub fn correct_missed(
    problem: &ContactProblem,
    tolerance: f64,
    p: &mut [DVec3],
    nu: &mut Vec<Twist>,
) -> f64 {
    let (mut islands, mut part) = (Islands::default(), Part::default());
    islands.find_in_step(problem);
    part.begin(problem);
    problem.velocity_into(p, nu);
    let mut left: f64 = 0.0;
    for k in 0..islands.len() {
        let members = islands.members(k);
        part.take(problem, p, members);
        let (mut own, mut nu_own) = (part.guess.clone(), Vec::new());
        let residual = residual::of_step(&part.problem, &own, &mut nu_own).0;
        if residual <= problem.asked_of(members, tolerance) {
            continue;
        }
        // Two blocks under one law are no rows of this Newton.
        if soft::any(&part.problem) {
            left = left.max(residual);
            continue;
        }
        left = left.max(correct(&part.problem, &mut own, &mut nu_own));
        for (&i, own) in members.iter().zip(own) {
            p[i] = own;
        }
        part.put_back(problem, members, &nu_own, nu);
    }
    left
}

/// Corrects impulses `p` and writes the velocities `nu`; returns the largest residual of the law at (p, ν), m/s.
/// Each velocity stays within the rounding of the impulses that give it.
pub fn correct(problem: &ContactProblem, p: &mut Vec<DVec3>, nu: &mut Vec<Twist>) -> f64 {
    let mut memory = BodyMemory::default();
    let mut system = BodySystem::new(problem, &mut memory);
    let (mut rows, mut dp, mut u) = (Vec::new(), Vec::new(), Vec::new());
    let (mut given, mut sizes) = (Vec::new(), Vec::new());
    let mut trial = p.clone();
    problem.velocity_into(p, nu);
    let mut best = worst(&system, p, nu, &mut u);
    let mut corrected = nu.clone();
    for _ in 0..STEPS {
        u.clear();
        let both = problem.contacts.iter().zip(&trial);
        u.extend(both.map(|(c, &p)| c.velocity_at(&corrected, p)));
        linearised_rows(
            &system,
            Map::AlartCurnier,
            &trial,
            &u,
            REGULARISATION,
            &mut rows,
        );
        if !system.factor(&rows) {
            break;
        }
        system.back_solve(&rows, &mut dp);
        for (p, dp) in trial.iter_mut().zip(&dp) {
            *p += *dp;
        }
        system.add_velocity_change(&mut corrected);
        problem.velocity_into(&trial, &mut given);
        term_sizes(problem, &trial, &mut sizes);
        for ((nu, given), size) in corrected.iter_mut().zip(&given).zip(&sizes) {
            keep_within(nu, given, size);
        }
        let now = worst(&system, &trial, &corrected, &mut u);
        if now < best {
            best = now;
            p.clone_from(&trial);
            nu.clone_from(&corrected);
        }
    }
    best
}

/// Sums of the sizes of the terms of ν = ν_free + M⁻¹ W p, for each body: (linear, angular).
fn term_sizes(problem: &ContactProblem, p: &[DVec3], sizes: &mut Vec<(f64, f64)>) {
    sizes.clear();
    let free = problem.nu_free.iter();
    sizes.extend(free.map(|nu| (nu.linear.length(), nu.angular.length())));
    for (contact, &p) in problem.contacts.iter().zip(p) {
        for arm in contact.arms.iter().flatten() {
            let inverse = &problem.inverse_mass[arm.body];
            let d = arm.response(inverse, contact.to_world(p));
            sizes[arm.body].0 += d.linear.length();
            sizes[arm.body].1 += d.angular.length();
        }
    }
}

/// A velocity that differs from the given one by more than rounding goes back to it.
fn keep_within(nu: &mut Twist, given: &Twist, (linear, angular): &(f64, f64)) {
    if (nu.linear - given.linear).length() > ROUNDINGS * f64::EPSILON * linear {
        nu.linear = given.linear;
    }
    if (nu.angular - given.angular).length() > ROUNDINGS * f64::EPSILON * angular {
        nu.angular = given.angular;
    }
}

/// Largest residual over the contacts at impulses `p` and velocities `nu`, m/s.
fn worst(system: &BodySystem, p: &[DVec3], nu: &[Twist], u: &mut Vec<DVec3>) -> f64 {
    u.clear();
    let both = system.problem.contacts.iter().zip(p);
    u.extend(both.map(|(c, &p)| c.velocity_at(nu, p)));
    (0..p.len()).fold(0.0, |worst: f64, i| {
        let r = system
            .law(i)
            .natural_map(p[i], u[i], system.w_bar(i))
            .length();
        if r.is_finite() {
            worst.max(r)
        } else {
            f64::INFINITY
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Action, Arm, ContactBlock, InverseMass, Law};
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
            action: Action::Force,
        };
        let contact = |body, below: Option<usize>| ContactBlock {
            frame: [DVec3::Z, DVec3::X, DVec3::Y],
            arms: [Some(arm(body, 1.0)), below.map(|b| arm(b, -1.0))].into(),
            b: DVec3::new(1e-3 / 3.0, 0.0, 0.0),
            compliance: DVec3::ZERO,
            law: Law::Cone { mu: 0.5 },
        };
        let free = Twist {
            linear: DVec3::new(0.0, 0.0, -0.0981),
            angular: DVec3::ZERO,
        };
        let problem = ContactProblem {
            floors: Vec::new(),
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
