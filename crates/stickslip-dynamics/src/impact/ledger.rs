//! The energy account of an impact.

use super::Impact;
use glam::DVec3;
use stickslip_solvers::problem::{ContactProblem, InverseMass, Law, Twist};

/// Kinetic energies of an impact and the work of its impulses, J.
///
/// A constant impulse p changes the kinetic energy by p·(u⁻ + u⁺)/2, u the relative velocity of the free bodies at the
/// contact: so the work is known contact by contact, and the parts add up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Before the impact.
    pub before: f64,
    /// After compression.
    pub compressed: f64,
    /// After decompression.
    pub after: f64,
    /// Work of normal impulses, compression and decompression.
    pub normal: [f64; 2],
    /// Work of friction, compression and decompression.
    pub friction: [f64; 2],
    /// Work of joint rows, both phases; zero but for rounding where they hold before the impact.
    pub joints: f64,
}

impl Ledger {
    /// The account of an impact.
    #[must_use]
    pub fn of(problem: &ContactProblem, impact: &Impact) -> Self {
        let mut ledger = Self {
            before: kinetic_energy(&problem.inverse_mass, &problem.nu_free),
            compressed: kinetic_energy(&problem.inverse_mass, &impact.nu_c),
            after: kinetic_energy(&problem.inverse_mass, &impact.nu_plus),
            ..Self::default()
        };
        let phases = [
            (&problem.nu_free, &impact.nu_c, &impact.compression),
            (&impact.nu_c, &impact.nu_plus, &impact.decompression),
        ];
        for (phase, (old, new, impulses)) in phases.into_iter().enumerate() {
            for (block, p) in problem.contacts.iter().zip(impulses) {
                // Without b: only the free bodies' part is kinetic energy of theirs.
                let mean = (block.velocity(old) + block.velocity(new)) * 0.5 - block.b;
                let work = *p * mean;
                if matches!(block.law, Law::Bounded { .. }) {
                    ledger.joints += work.element_sum();
                } else {
                    ledger.normal[phase] += work.x;
                    ledger.friction[phase] += work.y + work.z;
                }
            }
        }
        ledger
    }

    /// By how much the kinetic energy grew, J; negative where it was lost.
    #[must_use]
    pub fn gain(&self) -> f64 {
        self.after - self.before
    }
}

/// ½ νᵀMν of the bodies of a problem, J. A body that cannot turn (or move) has no energy of that part.
fn kinetic_energy(inverse_mass: &[InverseMass], nu: &[Twist]) -> f64 {
    let mut sum = 0.0;
    for (inverse, nu) in inverse_mass.iter().zip(nu) {
        if inverse.mass > 0.0 {
            sum += 0.5 * nu.linear.length_squared() / inverse.mass;
        }
        sum += 0.5 * nu.angular.dot(solve_semidefinite(inverse, nu.angular));
    }
    sum
}

/// I ω, with zero for axes about which the body cannot turn.
fn solve_semidefinite(inverse: &InverseMass, omega: DVec3) -> DVec3 {
    let i = inverse.inertia;
    if i.determinant() > 0.0 {
        return i.inverse() * omega;
    }
    // Planar bodies: only diagonal entries are met here.
    let part = |i: f64, w: f64| if i > 0.0 { w / i } else { 0.0 };
    DVec3::new(
        part(i.x_axis.x, omega.x),
        part(i.y_axis.y, omega.y),
        part(i.z_axis.z, omega.z),
    )
}
