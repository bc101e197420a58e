//! How each contact stands in its group: under which law it is solved, and with which tangents.

use super::lanes::Lane;
use crate::coupling::ScaledArm;
use crate::problem::Law;
use glam::{DMat3, DVec2, DVec3};

/// Parts of D_ii that are rounding, relative to D_nn.
const ROUNDING: f64 = 1e-13;

/// Part of D_tt below which S is a direction without inertia: the root of the slide is then looked for with more care.
const SINGULAR: f64 = 1e-9;

/// How the contacts of a group are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Round cones whose D is diag(D_nn, D_tt, D_tt) to rounding, or that have no friction.
    Round,
    /// Other round cones.
    Cone,
    /// Anything else, one after the other.
    Other,
}

/// A contact as it stands in its group: how it is solved, and how its tangents are turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// How it is solved.
    pub(super) kind: Kind,
    /// (cos, sin) of the angle from its own tangents to those of its group.
    turn: DVec2,
}

/// D_ii of a contact, compliance included.
pub(super) fn diagonal(arms: &[ScaledArm], compliance: DVec3) -> DMat3 {
    let mut w = DMat3::from_diagonal(compliance);
    for arm in arms {
        for c in 0..3 {
            for r in 0..3 {
                let both = arm.rows[r].iter().zip(&arm.rows[c]);
                w.col_mut(c)[r] += both.map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }
    w
}

/// The direction of the tangent plane along which S is largest, as (cos, sin).
fn principal(w: &DMat3) -> DVec2 {
    let over = 1.0 / w.x_axis.x;
    let a = w.y_axis.y - w.x_axis.y * w.x_axis.y * over;
    let d = w.z_axis.z - w.x_axis.z * w.x_axis.z * over;
    let b = w.z_axis.y - w.x_axis.y * w.x_axis.z * over;
    let half = 0.5 * (a - d);
    let r = (half * half + b * b).sqrt();
    if r == 0.0 {
        return DVec2::X;
    }
    let c = (0.5 * (1.0 + half / r)).sqrt();
    let s = (0.5 * (1.0 - half / r)).max(0.0).sqrt();
    DVec2::new(c, if b < 0.0 { -s } else { s })
}

impl Member {
    /// Of a contact under this law, with D_ii = `w`.
    pub(super) fn new(law: &Law, w: &DMat3, compliance: DVec3) -> Self {
        let still = Self {
            kind: Kind::Other,
            turn: DVec2::X,
        };
        let mu = match law {
            Law::Unilateral => 0.0,
            Law::Cone { mu } => *mu,
            _ => return still,
        };
        let (n, t) = (w.x_axis.x, 0.5 * (w.y_axis.y + w.z_axis.z));
        if !(n > 0.0 && t > 0.0) || compliance.y != compliance.z {
            return still;
        }
        let ideal = DMat3::from_diagonal(DVec3::new(n, t, t));
        let off = (*w - ideal).to_cols_array();
        if mu == 0.0 || off.iter().all(|v| v.abs() <= ROUNDING * n) {
            return Self {
                kind: Kind::Round,
                ..still
            };
        }
        let turn = principal(w);
        let turned = turned_matrix(w, turn);
        let over = 1.0 / n;
        let s = turned.z_axis.z - turned.x_axis.z * turned.x_axis.z * over;
        if s <= SINGULAR * t {
            return still;
        }
        Self {
            kind: Kind::Cone,
            turn,
        }
    }

    /// D_ii in the turned tangents.
    pub(super) fn turned(&self, w: &DMat3) -> DMat3 {
        turned_matrix(w, self.turn)
    }

    /// Components in the turned tangents.
    pub(super) fn forth(&self, v: DVec3) -> DVec3 {
        let DVec2 { x: c, y: s } = self.turn;
        DVec3::new(v.x, c * v.y + s * v.z, c * v.z - s * v.y)
    }

    /// Components in the contact's own tangents.
    pub(super) fn back(&self, v: DVec3) -> DVec3 {
        let DVec2 { x: c, y: s } = self.turn;
        DVec3::new(v.x, c * v.y - s * v.z, c * v.z + s * v.y)
    }
}

/// D_ii in turned tangents.
fn turned_matrix(w: &DMat3, turn: DVec2) -> DMat3 {
    let DVec2 { x: c, y: s } = turn;
    let q = DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c));
    q.transpose() * *w * q
}

/// The components in a lane of three.
#[inline(always)]
pub(super) fn of_lane(v: [Lane; 3], lane: usize) -> DVec3 {
    DVec3::new(v[0].0[lane], v[1].0[lane], v[2].0[lane])
}

/// Puts the components of `v` into a lane of three.
pub(super) fn put(v: DVec3, lane: usize, out: &mut [Lane; 3]) {
    for (out, v) in out.iter_mut().zip(v.to_array()) {
        out.0[lane] = v;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::conjugate::alone::Four;
    use crate::engines::conjugate::lanes::LANES;
    use crate::engines::one_contact;
    use crate::random::Random;

    /// Four at once come to what each comes to by itself, in its own tangents, whatever ratio the root is looked for from.
    #[test]
    fn four_cones_are_solved_as_each_alone() {
        let mut random = Random::new(65);
        for case in 0..20_000 {
            let mu = 3.0 * random.unit() * random.unit();
            let law = Law::Cone { mu };
            let mut matrix = || {
                let columns = [0, 1, 2, 3].map(|_| random.vec3());
                let sum = columns.iter().fold(DMat3::ZERO, |sum, &v| {
                    sum + DMat3::from_cols(v * v.x, v * v.y, v * v.z)
                });
                sum + DMat3::IDENTITY * 0.05
            };
            let w = [matrix(), matrix(), matrix(), matrix()];
            let q = [0, 1, 2, 3].map(|_| random.vec3());
            let members = w.map(|w| Member::new(&law, &w, DVec3::ZERO));
            let turned = [0, 1, 2, 3].map(|k| members[k].turned(&w[k]));
            let mut rhs = [Lane::ZERO; 3];
            for lane in 0..LANES {
                put(members[lane].forth(q[lane]), lane, &mut rhs);
            }
            let mut lambda = Lane([0.0, 1e-3, 1.0, 1e3]);
            let p = Four::new(&turned, Lane::splat(mu)).solve(rhs, &mut lambda);
            for lane in 0..LANES {
                let p = members[lane].back(of_lane(p, lane));
                let exact = one_contact::solve(&law, &w[lane], q[lane]);
                let off = law.natural_map(p, w[lane] * p + q[lane], 1.0).length();
                assert!(
                    off < 1e-9,
                    "case {case}, lane {lane}, mu {mu}: {p}, alone {exact}, off {off}"
                );
            }
        }
    }
}
