//! Symmetries of a step's problem: rotations and reflections of space that carry each body and contact to another one.
//!
//! A map R in O(3) with permutations of the bodies and contacts is a symmetry if masses, free velocities (R v and
//! det R · R ω), levers, normals, laws and right-hand sides are carried along. Found by geometry: places of the bodies
//! follow from the levers along the contacts, their centroid stays where it is, and two bodies with few others as far from
//! it have few places to go, each of which fixes R up to one reflection. Every candidate is then checked on all contacts.

mod search;

use crate::coupling::symmetry::search::Search;
use crate::problem::{ContactProblem, Twist};
use glam::{DMat3, DVec3};

/// A symmetry of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    /// R.
    pub(crate) map: DMat3,
    /// Where each body goes.
    pub(crate) bodies: Vec<usize>,
    /// Where each contact goes, and σ = ±1: the image's normal is σ R n (−1 where its bodies are named the other way round).
    pub(crate) contacts: Vec<(usize, f64)>,
}

/// det R, for R in O(3).
fn handedness(map: &DMat3) -> f64 {
    map.determinant().signum()
}

impl Symmetry {
    /// Image of a body's velocity; ω is a pseudovector.
    pub(crate) fn twist(&self, nu: &Twist) -> Twist {
        Twist {
            linear: self.map * nu.linear,
            angular: self.map * nu.angular * handedness(&self.map),
        }
    }

    /// Components at the image of contact `i` of the components `x` at `i`.
    pub(crate) fn components(&self, problem: &ContactProblem, i: usize, x: DVec3) -> DVec3 {
        let (j, sign) = self.contacts[i];
        let world = self.map * problem.contacts[i].to_world(x) * sign;
        problem.contacts[j].to_contact(world)
    }
}

/// All symmetries of the problem, the identity among them; empty where there is no other, where they were not looked for
/// (laws other than cones and gaps, contacts in several islands), or where they are no group.
pub(crate) fn symmetries(problem: &ContactProblem) -> Vec<Symmetry> {
    let Some(search) = Search::new(problem) else {
        return Vec::new();
    };
    let maps = search.candidates();
    let found: Vec<_> = maps.into_iter().filter_map(|m| search.verify(m)).collect();
    if found.len() > 1 && is_group(&found) {
        found
    } else {
        Vec::new()
    }
}

/// Does each orbit have as many members as the maps that keep one of them leave it?
fn is_group(found: &[Symmetry]) -> bool {
    let regular = |n: usize, image: &dyn Fn(&Symmetry, usize) -> usize| {
        let mut seen = Vec::new();
        (0..n).all(|i| {
            seen.clear();
            seen.extend(found.iter().map(|s| image(s, i)));
            let kept = seen.iter().filter(|&&j| j == i).count();
            seen.sort_unstable();
            seen.dedup();
            seen.len() * kept == found.len()
        })
    };
    let [first, ..] = found else { return false };
    regular(first.bodies.len(), &|s, i| s.bodies[i])
        && regular(first.contacts.len(), &|s, i| s.contacts[i].0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::problem::{Action, Arm, ContactBlock, InverseMass, Law};

    /// The first step of a square pyramid of balls at rest, `n` in a side of the lowest layer.
    pub(crate) fn pyramid(n: usize, mu: f64) -> ContactProblem {
        let r = 0.1;
        let place = |level: usize, k: usize| {
            let side = n - level;
            let along = |i: usize| r * (level + 2 * i) as f64;
            let height = r * (1.0 + level as f64 * 2.0_f64.sqrt());
            DVec3::new(along(k % side), along(k / side), height)
        };
        let places: Vec<DVec3> = (0..n)
            .flat_map(|level| (0..(n - level) * (n - level)).map(move |k| place(level, k)))
            .collect();
        let arm = |body: usize, lever: DVec3, sign: f64| {
            Some(Arm {
                body,
                lever,
                sign,
                action: Action::Force,
            })
        };
        let block = |n: DVec3, arms| {
            let (t1, t2) = n.any_orthonormal_pair();
            ContactBlock {
                frame: [n, t1, t2],
                arms,
                b: DVec3::ZERO,
                compliance: DVec3::ZERO,
                law: Law::Cone { mu },
            }
        };
        let mut contacts = Vec::new();
        for (a, x) in places.iter().enumerate() {
            if a < n * n {
                contacts.push(block(DVec3::Z, [arm(a, -r * DVec3::Z, 1.0), None].into()));
            }
            for (b, y) in places.iter().enumerate().take(a) {
                let d = *x - *y;
                if d.length() < 2.01 * r {
                    let arms = [arm(b, d / 2.0, -1.0), arm(a, -d / 2.0, 1.0)];
                    contacts.push(block(d / d.length(), arms.into()));
                }
            }
        }
        let mass = InverseMass {
            mass: 1.0,
            inertia: DMat3::IDENTITY * 250.0,
        };
        let falls = Twist {
            linear: DVec3::new(0.0, 0.0, -0.0981),
            angular: DVec3::ZERO,
        };
        ContactProblem {
            floors: Vec::new(),
            inverse_mass: vec![mass; places.len()],
            nu_free: vec![falls; places.len()],
            contacts,
        }
    }

    #[test]
    fn a_square_pyramid_has_the_symmetries_of_a_square() {
        let mut problem = pyramid(4, 0.4);
        let group = symmetries(&problem);
        assert_eq!(group.len(), 8);
        for s in &group {
            for (i, &(j, sign)) in s.contacts.iter().enumerate() {
                let [from, to] = [i, j].map(|i| problem.contacts[i].frame[0]);
                assert!((s.map * from * sign).distance(to) < 1e-12);
            }
        }
        // Two mirrors and the half turn are left if two opposite corners are heavy; two bodies slide: nothing is.
        problem.inverse_mass[0].mass = 0.5;
        problem.inverse_mass[15].mass = 0.5;
        assert_eq!(symmetries(&problem).len(), 4);
        problem.nu_free[0].linear.x = 0.1;
        assert!(symmetries(&problem).is_empty());
    }

    #[test]
    fn what_is_not_looked_for_is_not_found() {
        let mut problem = pyramid(3, 0.4);
        assert_eq!(symmetries(&problem).len(), 8);
        problem.contacts[0].law = Law::Unilateral;
        assert_eq!(symmetries(&problem).len(), 2);
        problem.contacts[0].law = Law::bilateral([true; 3]);
        assert!(symmetries(&problem).is_empty());
        assert!(symmetries(&ContactProblem::default()).is_empty());
    }
}
