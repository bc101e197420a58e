//! Impacts written as rows N and a mass matrix M, put into the solvers' blocks.

use stickslip::prelude::*;
use stickslip::solvers::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law};

type Twist = stickslip::solvers::problem::Twist;

/// Up to four coordinates y = Lᵀv with unit mass (M = LLᵀ): three of them are a point's place, the fourth its turn
/// about x. A row is a direction and a lever that give its entries.
pub(crate) struct Rows {
    factor: Vec<Vec<f64>>,
    pub(crate) problem: ContactProblem,
    /// Length of each row's part of place: its impulse is ours divided by this.
    pub(crate) scale: Vec<f64>,
}

impl Rows {
    pub(crate) fn new(mass: &[Vec<f64>], rows: &[Vec<f64>], v: &[f64]) -> Self {
        let factor = cholesky(mass);
        let mut y = transposed_times(&factor, v);
        y.resize(4, 0.0);
        let mut scale = Vec::new();
        let contacts = rows.iter().map(|row| {
            let mut g = forward(&factor, row);
            g.resize(4, 0.0);
            let place = DVec3::new(g[0], g[1], g[2]);
            let s = place.length();
            scale.push(s);
            let n = place / s;
            // a ⟂ n with a_x as wanted: only a_x is felt.
            let turn = g[3] / s;
            let across = DVec3::new(0.0, n.y, n.z);
            let a = DVec3::X * turn - across * (turn * n.x / across.length_squared());
            block(n, n.cross(a))
        });
        let contacts = contacts.collect();
        let problem = ContactProblem {
            floors: Vec::new(),
            inverse_mass: vec![InverseMass {
                mass: 1.0,
                inertia: DMat3::from_diagonal(DVec3::X),
            }],
            nu_free: vec![Twist {
                linear: DVec3::new(y[0], y[1], y[2]),
                angular: DVec3::X * y[3],
            }],
            contacts,
        };
        Self {
            factor,
            problem,
            scale,
        }
    }

    /// v from the body's velocity.
    pub(crate) fn velocity(&self, nu: &Twist) -> Vec<f64> {
        let y = [nu.linear.x, nu.linear.y, nu.linear.z, nu.angular.x];
        let n = self.factor.len();
        let mut v = y[..n].to_vec();
        for i in (0..n).rev() {
            for j in i + 1..n {
                v[i] -= self.factor[j][i] * v[j];
            }
            v[i] /= self.factor[i][i];
        }
        v
    }
}

/// A frictionless contact of body 0 with the world.
pub(crate) fn block(normal: DVec3, lever: DVec3) -> ContactBlock {
    let arm = Arm {
        body: 0,
        lever,
        sign: 1.0,
        action: Action::Force,
    };
    ContactBlock {
        frame: stickslip::geometry::frame::contact_frame(normal),
        arms: [Some(arm), None].into(),
        b: DVec3::ZERO,
        compliance: DVec3::ZERO,
        law: Law::Unilateral,
    }
}

fn cholesky(m: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = m.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            l[i][j] = if i == j {
                (m[i][i] - sum).sqrt()
            } else {
                (m[i][j] - sum) / l[j][j]
            };
        }
    }
    l
}

/// L⁻¹ x.
fn forward(l: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    for i in 0..y.len() {
        for j in 0..i {
            y[i] -= l[i][j] * y[j];
        }
        y[i] /= l[i][i];
    }
    y
}

/// Lᵀ x.
fn transposed_times(l: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    (0..n)
        .map(|i| (i..n).map(|j| l[j][i] * x[j]).sum())
        .collect()
}
