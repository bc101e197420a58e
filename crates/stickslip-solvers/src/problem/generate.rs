//! Random contact problems, for tests and benchmarks: the same on every machine.

use crate::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist};
use crate::random::Random;
use glam::{DMat3, DVec3};

/// A box of mass `m` and half sizes `half`, as inverse mass.
#[must_use]
pub fn box_mass(m: f64, half: DVec3) -> InverseMass {
    let s = half * half * 4.0;
    let i = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (m / 12.0);
    InverseMass {
        mass: 1.0 / m,
        inertia: DMat3::from_diagonal(DVec3::new(1.0 / i.x, 1.0 / i.y, 1.0 / i.z)),
    }
}

/// A right-handed orthonormal frame whose normal is the direction of `n`.
#[must_use]
pub fn frame(n: DVec3) -> [DVec3; 3] {
    let n = n / n.length();
    let other = if n.x.abs() < 0.7 { DVec3::X } else { DVec3::Y };
    let t1 = n.cross(other);
    let t1 = t1 / t1.length();
    [n, t1, n.cross(t1)]
}

/// Random bodies and contacts: masses over `decades` decades, levers of order one, some contacts
/// between two bodies, some doubled (degenerate).
pub fn random_problem(
    random: &mut Random,
    n_c: usize,
    decades: f64,
    law: &mut dyn FnMut(&mut Random) -> Law,
) -> ContactProblem {
    let n_b = 1 + random.below(n_c.min(3));
    let mut problem = ContactProblem::default();
    for _ in 0..n_b {
        let m = random.decade(-decades / 2.0, decades / 2.0);
        let half = DVec3::new(
            0.2 + random.unit(),
            0.2 + random.unit(),
            0.2 + random.unit(),
        );
        problem.inverse_mass.push(box_mass(m, half));
        problem.nu_free.push(Twist {
            linear: random.vec3(),
            angular: random.vec3(),
        });
    }
    for i in 0..n_c {
        if i > 0 && random.below(6) == 0 {
            let again = problem.contacts[i - 1].clone();
            problem.contacts.push(again);
            continue;
        }
        let a = random.below(n_b);
        let b = random.below(n_b);
        let arm = |body: usize, sign: f64, random: &mut Random| Arm {
            body,
            lever: random.vec3(),
            sign,
            action: Action::Force,
        };
        let first = arm(a, 1.0, random);
        let second = (b != a).then(|| arm(b, -1.0, random));
        // Open contacts too: gap over step up to 1 m/s, often exactly zero.
        let gap = if random.below(2) == 0 {
            0.0
        } else {
            random.unit()
        };
        problem.contacts.push(ContactBlock {
            frame: frame(random.vec3() + DVec3::Z * 0.5),
            arms: [Some(first), second].into(),
            b: DVec3::new(gap, 0.0, 0.0),
            compliance: DVec3::ZERO,
            law: law(random),
        });
    }
    problem
}

/// A coefficient of friction: zero, ordinary or up to ten.
pub fn random_mu(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => 0.0,
        1 => random.unit(),
        2 => random.decade(-2.0, 1.0),
        _ => 10.0 * random.unit(),
    }
}
