//! The methods: each improves impulses on a problem until its law holds.

pub mod admm;
pub(crate) mod chord;
pub(crate) mod colouring;
pub mod compliant;
pub(crate) mod conjugate;
pub(crate) mod dense_island;
pub mod homotopy;
pub mod interior_point;
pub mod newton;
pub mod nsgs;
pub mod one_contact;
pub mod proximal;
pub mod relaxation;
pub(crate) mod soft;
pub mod staggered;
pub mod velocity;

#[cfg(test)]
pub(crate) mod tests {
    use crate::problem::Law;
    use crate::problem::delassus::Delassus;
    use crate::problem::local::LocalProblem;
    use glam::{DMat3, DVec3};

    /// A point of 1 kg that meets a plane at 0.1 m/s and slides along it at 1 m/s, μ = 0.3.
    pub(crate) fn sliding_point() -> LocalProblem {
        LocalProblem {
            delassus: Delassus::from_blocks(1, vec![(0, 0, DMat3::IDENTITY)]),
            q: vec![DVec3::new(-0.1, 0.6, 0.8)],
            laws: vec![Law::Cone { mu: 0.3 }],
        }
    }

    /// p_n stops the approach, p_t = −μ p_n along the slip.
    pub(crate) const fn sliding_point_answer() -> DVec3 {
        DVec3::new(0.1, -0.018, -0.024)
    }
}
