//! The tangents of a contact in the problem: turned to where a fan of directions starts, or along a grain and scaled, so that an
//! elliptic cone is a round one.

use glam::{DVec2, DVec3};
use stickslip_model::Ellipse;
use stickslip_solvers::problem::ContactBlock;

/// The problem's tangents e₁, e₂ of a contact in its own t₁, t₂.
///
/// With the ratio κ the second row of the problem is κ times that of the second tangent: u' = (u₁, κ u₂), and p = (p'₁, κ p'₂), so that
/// p'·u' = p·u. Coulomb's round cone in p' is |(p₁, p₂/κ)| ≤ μ p_n, and maximal dissipation is the same in both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangents {
    /// e₁ as (cos, sin) of its angle from t₁.
    first: DVec2,
    /// κ: friction along e₂ over that along e₁.
    ratio: f64,
}

impl Default for Tangents {
    /// The contact's own.
    fn default() -> Self {
        Self::turned(DVec2::X)
    }
}

impl Tangents {
    pub(super) const fn turned(first: DVec2) -> Self {
        Self { first, ratio: 1.0 }
    }

    pub(super) const fn of(ellipse: &Ellipse) -> Self {
        Self {
            first: ellipse.first,
            ratio: ellipse.ratio,
        }
    }

    fn are_the_contacts_own(&self) -> bool {
        self.first == DVec2::X && self.ratio == 1.0
    }

    /// Gives a block, which has the contact's tangents, these.
    pub(super) fn take(&self, block: &mut ContactBlock) {
        if self.are_the_contacts_own() {
            return;
        }
        let (first, [n, t1, t2]) = (self.first, block.frame);
        let second = t2 * first.x - t1 * first.y;
        block.frame = [n, t1 * first.x + t2 * first.y, second * self.ratio];
        let b = DVec2::new(first.x, -first.y).rotate(DVec2::new(block.b.y, block.b.z));
        (block.b.y, block.b.z) = (b.x, b.y * self.ratio);
    }

    /// |u_t| of the contact, m/s, from the rows of the problem.
    pub(super) fn slip(self, u: DVec3) -> f64 {
        DVec2::new(u.y, u.z / self.ratio).length()
    }

    /// An impulse of the problem, in the contact's own frame (n, t₁, t₂).
    pub(super) fn to_record(self, p: DVec3) -> DVec3 {
        if self.are_the_contacts_own() {
            return p;
        }
        let t = self.first.rotate(DVec2::new(p.y, p.z * self.ratio));
        DVec3::new(p.x, t.x, t.y)
    }

    /// The inverse of [`Tangents::to_record`].
    pub(super) fn to_problem(self, p: DVec3) -> DVec3 {
        if self.are_the_contacts_own() {
            return p;
        }
        let back = DVec2::new(self.first.x, -self.first.y);
        let t = back.rotate(DVec2::new(p.y, p.z));
        DVec3::new(p.x, t.x, t.y / self.ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_solvers::problem::Law;

    #[test]
    fn power_and_world_impulses_are_those_of_the_contact() {
        let (sin, cos) = libm::sincos(0.7);
        let tangents = Tangents {
            first: DVec2::new(cos, sin),
            ratio: 0.3,
        };
        let own = ContactBlock {
            frame: DVec3::AXES,
            arms: [None; 2].into(),
            b: DVec3::new(0.1, 0.2, -0.4),
            compliance: DVec3::ZERO,
            law: Law::Cone { mu: 0.5 },
        };
        let mut taken = own.clone();
        tangents.take(&mut taken);
        let p = DVec3::new(1.0, -0.3, 0.2);
        assert!(tangents.to_problem(tangents.to_record(p)).distance(p) < 1e-15);
        // The same impulse in the world, the same power on b.
        assert!(
            taken
                .to_world(p)
                .distance(own.to_world(tangents.to_record(p)))
                < 1e-15
        );
        assert!((taken.b.dot(p) - own.b.dot(tangents.to_record(p))).abs() < 1e-15);
    }
}
