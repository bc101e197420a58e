//! The quotient of a problem by its symmetries: one body and one contact of each orbit, for motions that are as
//! symmetric as the problem.
//!
//! With |b|, |c| the sizes of the orbits of body b and contact c, P_b the mean of the maps that keep b, and every arm
//! brought to the body that stands for its orbit by the inverse of the map that leads from it, symmetric impulses give
//!
//! ```text
//!   y_b = Σ_c (|c|/|b|) P_b J_cbᵀ p_c,     u_c = q_c + Σ_b J_cb P_b y_b,
//! ```
//!
//! which in |c| p_c and √|b| y_b is again a symmetric system on the bodies. Paths stay symmetric in it, whatever is
//! rounded, and a pile with the symmetries of a square is an eighth of itself.

use crate::coupling::bodies::{BodyMemory, ScaledArm, cholesky};
use crate::coupling::symmetry::Symmetry;
use crate::coupling::{Coupled, Linearised};
use crate::problem::{Arm, ContactProblem, Law};
use glam::{DMat3, DVec3};

/// The quotient of a step's problem, with its memory.
#[derive(Debug)]
pub(crate) struct Quotient<'a> {
    problem: &'a ContactProblem,
    group: &'a [Symmetry],
    bodies: BodyMemory,
    /// For each contact of the problem, that of the quotient and the symmetry that leads to it.
    origin: Vec<(usize, usize)>,
    /// The contact that stands for each orbit.
    firsts: Vec<usize>,
    laws: Vec<Law>,
    /// Free velocity, members of the orbit, w̄ of |c| p_c, and the part of an impulse that symmetries keep.
    q: Vec<DVec3>,
    members: Vec<f64>,
    w_bar: Vec<f64>,
    kept: Vec<DMat3>,
}

/// Orbits of `n` things: the first of each, and for each thing its orbit and the symmetry that leads to it from the first.
fn orbits(
    n: usize,
    symmetries: &[Symmetry],
    image: impl Fn(&Symmetry, usize) -> usize,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut firsts = Vec::new();
    let mut origin = vec![(usize::MAX, 0); n];
    for i in 0..n {
        if origin[i].0 == usize::MAX {
            for (k, s) in symmetries.iter().enumerate() {
                let place = &mut origin[image(s, i)];
                if place.0 == usize::MAX {
                    *place = (firsts.len(), k);
                }
            }
            firsts.push(i);
        }
    }
    (firsts, origin)
}

/// Sum of the maps of twists (R, det R · R) over those that keep `body`, over their number: two 3×3 blocks.
fn mean_map(symmetries: &[Symmetry], body: usize) -> [DMat3; 2] {
    let mut sum = [DMat3::ZERO; 2];
    let mut count = 0.0;
    for s in symmetries.iter().filter(|s| s.bodies[body] == body) {
        sum[0] += s.map;
        sum[1] += s.map * s.map.determinant().signum();
        count += 1.0;
    }
    sum.map(|m| m * (1.0 / count))
}

/// Orbits of the bodies.
struct BodyOrbits {
    /// The body that stands for each orbit, its members, and the mean of the maps that keep it.
    firsts: Vec<usize>,
    members: Vec<f64>,
    means: Vec<[DMat3; 2]>,
    /// For each body its orbit and the symmetry that leads to it from the first.
    origin: Vec<(usize, usize)>,
}

impl BodyOrbits {
    /// P_b J_cbᵀ of one arm, scaled by 1/√|b|, at the body that stands for its orbit.
    fn arm(
        &self,
        problem: &ContactProblem,
        group: &[Symmetry],
        frame: &[DVec3; 3],
        arm: &Arm,
    ) -> ScaledArm {
        let (body, k) = self.origin[arm.body];
        // Back to the body that stands for the orbit: there the arm has lever Rᵀr and directions Rᵀd.
        let back = group[k].map.transpose();
        let inverse = &problem.inverse_mass[self.firsts[body]];
        let root = inverse.mass.sqrt();
        let l_t = cholesky(&inverse.inertia).transpose();
        let share = 1.0 / self.members[body].sqrt();
        let [linear, angular] = self.means[body].map(|m| m.transpose());
        let rows = frame.map(|d| {
            let force = back * d * arm.sign;
            let torque = (back * arm.lever).cross(force);
            let force = linear * force * (root * share);
            let torque = l_t * (angular * torque) * share;
            [force.x, force.y, force.z, torque.x, torque.y, torque.z]
        });
        ScaledArm { body, rows }
    }
}

impl<'a> Quotient<'a> {
    /// The quotient by a group of symmetries, the identity among them.
    pub(crate) fn new(problem: &'a ContactProblem, group: &'a [Symmetry]) -> Self {
        let n_b = problem.inverse_mass.len();
        let n_c = problem.contacts.len();
        let (body_firsts, body_origin) = orbits(n_b, group, |s, b| s.bodies[b]);
        let (firsts, origin) = orbits(n_c, group, |s, c| s.contacts[c].0);
        let count = |origin: &[(usize, usize)], n: usize| {
            let mut members = vec![0.0; n];
            for (orbit, _) in origin {
                members[*orbit] += 1.0;
            }
            members
        };
        let body_members = count(&body_origin, body_firsts.len());
        let members = count(&origin, firsts.len());
        let orbits = BodyOrbits {
            means: body_firsts.iter().map(|&b| mean_map(group, b)).collect(),
            firsts: body_firsts,
            origin: body_origin,
            members: body_members,
        };
        let mut out = Self {
            problem,
            group,
            bodies: BodyMemory::by_fronts(),
            q: vec![DVec3::ZERO; firsts.len()],
            laws: Vec::with_capacity(firsts.len()),
            w_bar: Vec::with_capacity(firsts.len()),
            kept: Vec::with_capacity(firsts.len()),
            origin,
            members,
            firsts,
        };
        for c in 0..out.firsts.len() {
            out.push(c, &orbits);
        }
        out.bodies.find_pattern(orbits.firsts.len());
        let velocities: Vec<_> = problem
            .contacts
            .iter()
            .map(|c| c.velocity(&problem.nu_free))
            .collect();
        out.q = out.mean(&velocities);
        out
    }

    /// Adds the contact that stands for orbit `c`: its arms, law, scale and what symmetries keep of its impulse.
    fn push(&mut self, c: usize, orbits: &BodyOrbits) {
        let (problem, members) = (self.problem, self.members[c]);
        let i = self.firsts[c];
        let contact = &problem.contacts[i];
        let arms = contact.arms.iter().flatten();
        let arms = arms.map(|arm| orbits.arm(problem, self.group, &contact.frame, arm));
        // Compliance is of |c| p_c.
        self.bodies.push(arms, contact.compliance / members);
        self.laws.push(contact.law.clone());
        let d = contact.diagonal(&problem.inverse_mass);
        let trace = d.x_axis.x + d.y_axis.y + d.z_axis.z;
        self.w_bar.push(trace / 3.0 / members);
        let mut kept = DMat3::ZERO;
        let mut keepers = 0.0;
        for s in self.group.iter().filter(|s| s.contacts[i].0 == i) {
            let column = |e| s.components(problem, i, e);
            kept += DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
            keepers += 1.0;
        }
        self.kept.push(kept * (1.0 / keepers));
    }

    /// Means over the orbits, at the contacts that stand for them, symmetric in themselves.
    fn mean(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut sum = vec![DVec3::ZERO; self.laws.len()];
        for (i, contact) in self.problem.contacts.iter().enumerate() {
            let (c, k) = self.origin[i];
            let s = &self.group[k];
            // The inverse of `Symmetry::components`.
            let first = self.firsts[c];
            let world = s.map.transpose() * contact.to_world(x[i]) * s.contacts[first].1;
            sum[c] += self.problem.contacts[first].to_contact(world);
        }
        let means = sum.iter().zip(&self.members).zip(&self.kept);
        means.map(|((x, n), kept)| *kept * (*x / *n)).collect()
    }

    /// Largest residual of the natural map, m/s; u is left in `u`.
    pub(crate) fn residual(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) -> f64 {
        self.velocities(p, u);
        let of = |i: usize| self.laws[i].natural_map(p[i], u[i], self.w_bar[i]);
        let worse = |worst: f64, i| {
            let r = of(i).length();
            if r.is_finite() {
                r.max(worst)
            } else {
                f64::INFINITY
            }
        };
        (0..p.len()).fold(0.0, worse)
    }

    /// The impulses of all contacts.
    pub(crate) fn expand(&self, p: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.origin.iter().map(|&(c, k)| {
            // Where a contact sticks, its Newton steps are large across what symmetries keep: a rounding of them is left.
            let own = self.kept[c] * p[c] / self.members[c];
            self.group[k].components(self.problem, self.firsts[c], own)
        }));
    }
}

impl Coupled for Quotient<'_> {
    fn len(&self) -> usize {
        self.laws.len()
    }

    fn law(&self, i: usize) -> &Law {
        &self.laws[i]
    }

    fn w_bar(&self, i: usize) -> f64 {
        self.w_bar[i]
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        self.bodies.response(p, u);
        for (u, q) in u.iter_mut().zip(&self.q) {
            *u += *q;
        }
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.bodies.response(dp, du);
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.bodies.factor(rows)
    }

    fn determinant_sign(&self) -> Option<f64> {
        self.bodies.determinant_sign()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.bodies.back_solve(rows, dp);
        for (dp, kept) in dp.iter_mut().zip(&self.kept) {
            *dp = *kept * *dp;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::coupling::symmetry::{symmetries, tests::pyramid};
    use crate::coupling::system::SystemMemory;
    use crate::problem::Posed;
    use crate::random::Random;
    use crate::solver::ContactSolver;

    #[test]
    fn symmetric_impulses_give_the_velocities_of_the_whole() {
        let problem = pyramid(4, 0.4);
        let group = symmetries(&problem);
        let mut quotient = Quotient::new(&problem, &group);
        assert_eq!((group.len(), quotient.len()), (8, 20));
        let mut random = Random::new(31);
        let p: Vec<DVec3> = (0..quotient.len()).map(|_| random.vec3()).collect();
        // The whole feels the symmetric part only.
        let own: Vec<DVec3> = (0..p.len()).map(|c| quotient.kept[c] * p[c]).collect();
        let (mut whole, mut u, mut reduced) = (Vec::new(), Vec::new(), Vec::new());
        quotient.expand(&own, &mut whole);
        quotient.velocities(&own, &mut reduced);
        let mut memory = SystemMemory::default();
        memory
            .system(Posed::Step(&problem))
            .velocities(&whole, &mut u);
        let mut expanded = Vec::new();
        let scaled: Vec<DVec3> = (0..p.len())
            .map(|c| reduced[c] * quotient.members[c])
            .collect();
        quotient.expand(&scaled, &mut expanded);
        for (u, e) in u.iter().zip(&expanded) {
            assert!(u.distance(*e) < 1e-13, "{u} {e}");
        }
    }

    #[test]
    fn a_linear_solve_on_the_quotient_stays_symmetric() {
        let problem = pyramid(4, 0.4);
        let group = symmetries(&problem);
        let mut quotient = Quotient::new(&problem, &group);
        let mut random = Random::new(32);
        let rows: Vec<Linearised> = (0..quotient.len())
            .map(|c| Linearised {
                a: DMat3::IDENTITY * quotient.w_bar[c],
                a_inverse: DMat3::IDENTITY * (1.0 / quotient.w_bar[c]),
                b: DMat3::IDENTITY,
                g: quotient.kept[c] * random.vec3(),
            })
            .collect();
        assert!(quotient.factor(&rows));
        assert_eq!(quotient.determinant_sign(), Some(1.0));
        let (mut dp, mut du) = (Vec::new(), Vec::new());
        quotient.back_solve(&rows, &mut dp);
        quotient.response(&dp, &mut du);
        for (c, row) in rows.iter().enumerate() {
            let left = row.g - row.a * dp[c] - du[c];
            assert!(left.length() < 1e-13, "{left}");
        }
    }

    #[test]
    fn a_symmetric_pile_falls_symmetrically() {
        let problem = pyramid(7, 0.4);
        let solved = Auto::default()
            .solve(&problem, None, 1e-10)
            .expect("solved");
        let mut nu = Vec::new();
        problem.velocity_into(&solved.impulses, &mut nu);
        assert!(nu.iter().any(|nu| nu.linear.length() > 1e-3), "it moves");
        for s in symmetries(&problem) {
            for (b, &image) in s.bodies.iter().enumerate() {
                let there = s.twist(&nu[b]);
                assert!(there.linear.distance(nu[image].linear) < 1e-8);
                assert!(there.angular.distance(nu[image].angular) < 1e-7);
            }
        }
    }
}
