//! How contacts act on each other, and the linear systems of Newton methods.
//!
//! Impulses give velocities by u = D p + q with the Delassus matrix D = WᵀM⁻¹W + C. Every Newton method here
//! linearises each contact's law to A_i δp_i + B_i δu_i = g_i with 3×3 matrices A_i, B_i; with δu = D δp its step solves
//!
//! ```text
//!   (A + B D) δp = g
//! ```
//!
//! on the contacts, or, where there are many contacts for each body, on the bodies: with C joined to A, K = A⁻¹B and
//! M⁻¹ = L Lᵀ,
//!
//! ```text
//!   (I + Lᵀ W K Wᵀ L) y = Lᵀ W A⁻¹ g,    δp = A⁻¹ g − K Wᵀ L y.
//! ```
//!
//! A [`Coupled`] system is what the engines see of a problem: laws, velocities, and the solution of this system.
//!
//! | module | what | used |
//! |---|---|---|
//! | [`contacts`] | one block row for each contact: dense up to 12 contacts, else sparse | problems that are stored on their contacts; steps of up to 4 contacts |
//! | [`patches`] | the same with six unknowns for all contacts of two bodies | stored problems with several contacts between the same bodies |
//! | [`bodies`] | one block row for each body | steps of more than 4 contacts |
//! | [`system`] | whichever of these fits a problem, with its memory | everywhere |
//! | [`shifted`] | a system made compliant about a centre | the proximal method |
//! | [`symmetry`], [`quotient`] | symmetries of a step, and one contact of each orbit | large symmetric piles |

mod bodies;
mod contacts;
mod patches;
mod quotient;
mod shifted;
mod symmetry;
mod system;

pub(crate) use bodies::{BodyMemory, BodySystem, ScaledArm};
pub(crate) use quotient::Quotient;
pub(crate) use shifted::Shifted;
pub(crate) use symmetry::symmetries;
pub(crate) use system::{System, SystemMemory};

use crate::factor::block_lu::{Block, Pivot};
use crate::factor::krylov::{Krylov, norm};
use crate::problem::Law;
use crate::problem::law::Linear;
use crate::problem::law::Map;
use glam::{DMat3, DVec3};

/// Linearised law of one contact: A δp + B δu = g.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Linearised {
    /// A, multiplies δp (N s); in 1/kg if g is in m/s.
    pub(crate) a: DMat3,
    /// A⁻¹, made with A: where A is nearly singular an inverse of the rounded A has no digits left.
    pub(crate) a_inverse: DMat3,
    /// B, multiplies δu (m/s).
    pub(crate) b: DMat3,
    /// g.
    pub(crate) g: DVec3,
}

/// Inverse by elimination with row pivoting; not finite where singular. (By cofactors a matrix with
/// eigenvalues 1e-10, 1 and 1 would lose ten digits.)
pub(crate) fn inverse(m: &DMat3) -> DMat3 {
    match Pivot::new(&block_of(m)) {
        Some(pivot) => {
            let column = |c: DVec3| DVec3::from_array(pivot.solve(&c.to_array()));
            DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
        }
        None => DMat3::NAN,
    }
}

/// The rows of a matrix.
fn block_of(m: &DMat3) -> Block<3> {
    m.transpose().to_cols_array_2d()
}

/// A contact problem as Newton methods see it.
pub(crate) trait Coupled: Sync {
    /// Number of contacts.
    fn len(&self) -> usize;
    /// Law of contact `i`.
    fn law(&self, i: usize) -> &Law;
    /// w̄_i = tr(D_ii)/3, 1/kg.
    fn w_bar(&self, i: usize) -> f64;
    /// u = D p + q for all contacts.
    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>);
    /// δu = D δp.
    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>);
    /// Factors the coupled system with these A_i, B_i. False where singular.
    fn factor(&mut self, rows: &[Linearised]) -> bool;
    /// Is it solved by one dense factorisation with pivoting? That needs neither A⁻¹ nor refinement.
    fn direct(&self) -> bool {
        false
    }
    /// δp for right-hand sides g_i (the `g` of row i), with the factors and rows of the last `factor`.
    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>);

    /// Sign of the determinant of what was factored last (A_i have positive ones); None where it is not known.
    fn determinant_sign(&self) -> Option<f64> {
        None
    }

    /// As `back_solve`, made good to 1e-8 relative (in the rows as given) by up to `steps` steps of GMRES
    /// with the factors as preconditioner. On the bodies K = A⁻¹B is stiff where contacts stick: the first
    /// answer has lost as many digits, and plain refinement need not contract.
    fn refined_solve(
        &mut self,
        rows: &mut [Linearised],
        steps: usize,
        dp: &mut Vec<DVec3>,
        memory: &mut Refinement,
    ) {
        self.back_solve(rows, dp);
        if self.direct() {
            return;
        }
        memory.g.clear();
        memory.g.extend(rows.iter().map(|r| r.g));
        memory.residual.clone_from(&memory.g);
        let size = norm(&memory.g);
        let Refinement {
            du,
            residual,
            correction,
            ..
        } = memory;
        self.subtract_image(rows, dp, du, residual);
        let start = norm(residual);
        if start > ENOUGH * size && start.is_finite() {
            memory.krylov.reset();
            memory.krylov.push_basis(residual, start);
            for _ in 0..steps {
                // z = preconditioned last basis vector, w = its image.
                let last = memory.krylov.last_basis();
                for (row, v) in rows.iter_mut().zip(last) {
                    row.g = *v;
                }
                self.back_solve(rows, correction);
                residual.clear();
                residual.resize(rows.len(), DVec3::ZERO);
                self.subtract_image(rows, correction, du, residual);
                let left = memory.krylov.extend(correction, residual);
                if left <= ENOUGH * size || left.is_nan() {
                    break;
                }
            }
            memory.krylov.add_best(dp);
        }
        for (row, g) in rows.iter_mut().zip(&memory.g) {
            row.g = *g;
        }
    }

    /// out −= (A + B D) x.
    fn subtract_image(
        &mut self,
        rows: &[Linearised],
        x: &[DVec3],
        du: &mut Vec<DVec3>,
        out: &mut [DVec3],
    ) {
        self.response(x, du);
        for (i, row) in rows.iter().enumerate() {
            out[i] -= row.a * x[i] + row.b * du[i];
        }
    }
}

/// Below this many contacts a part of what is done contact by contact is not worth a thread (0.3 µs a contact, 20 µs to wake a thread).
pub(crate) const CONTACTS: usize = 150;

/// Relative residual at which a linear solve is good enough for a Newton step.
const ENOUGH: f64 = 1e-8;

/// Memory of [`Coupled::refined_solve`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Refinement {
    g: Vec<DVec3>,
    du: Vec<DVec3>,
    residual: Vec<DVec3>,
    correction: Vec<DVec3>,
    krylov: Krylov,
}

/// The laws linearised at (p, u): A = w̄ (I − P' + ε I), B = P_u, g = −F, with P' and P_u those of [`Linear`].
pub(crate) fn linearised_rows<S: Coupled>(
    system: &S,
    map: Map,
    p: &[DVec3],
    u: &[DVec3],
    epsilon: f64,
    rows: &mut Vec<Linearised>,
) {
    let direct = system.direct();
    stickslip_threads::fill(rows, p.len(), CONTACTS, |i| {
        let w_bar = system.w_bar(i);
        let Linear { f, d, by_u } = map.at(system.law(i), p[i], u[i], w_bar);
        // A contact that no body feels has w̄ = 0: keep A regular.
        let scale = if w_bar > 0.0 { w_bar } else { 1.0 };
        let a = (DMat3::IDENTITY * (1.0 + epsilon) - d) * scale;
        Linearised {
            a,
            a_inverse: if direct { DMat3::ZERO } else { inverse(&a) },
            b: by_u,
            g: -f,
        }
    });
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::coupling::system::SystemMemory;
    use crate::factor::dense::DenseLu;
    use crate::problem::delassus::Delassus;
    use crate::problem::generate::{random_mu, random_problem};
    use crate::problem::local::LocalProblem;
    use crate::problem::{ContactProblem, Posed};
    use crate::random::Random;

    /// A random step of `n_c` cones, every third contact compliant, and the same reduced to its contacts.
    pub(crate) fn random_step(random: &mut Random, n_c: usize) -> (ContactProblem, LocalProblem) {
        let mut law = |random: &mut Random| Law::Cone {
            mu: random_mu(random),
        };
        let mut step = random_problem(random, n_c, 2.0, &mut law);
        for contact in step.contacts.iter_mut().step_by(3) {
            contact.compliance = DVec3::new(0.1, 0.2, 0.3);
        }
        let mut local = LocalProblem::default();
        local.assemble(&step);
        (step, local)
    }

    /// Rows A = w̄ (1 − d), B = d, with d diagonal and between 0.1 and 0.9 as between an open contact and one that sticks.
    pub(crate) fn random_rows(random: &mut Random, delassus: &Delassus) -> Vec<Linearised> {
        let row = |i: usize| {
            let d = (random.vec3() * 0.4) + DVec3::splat(0.5);
            let a = DMat3::from_diagonal((DVec3::ONE - d) * delassus.w_bar(i));
            Linearised {
                a,
                a_inverse: inverse(&a),
                b: DMat3::from_diagonal(d),
                g: random.vec3(),
            }
        };
        (0..delassus.len()).map(row).collect()
    }

    /// (A + B D)⁻¹ g by dense elimination.
    pub(crate) fn dense_step(delassus: &Delassus, rows: &[Linearised]) -> Vec<DVec3> {
        let n = 3 * rows.len();
        let mut lu = DenseLu::default();
        let matrix = lu.matrix(n);
        for (i, row) in rows.iter().enumerate() {
            for j in 0..rows.len() {
                let mut block = row.b * delassus.find(i, j);
                if i == j {
                    block += row.a;
                }
                for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                    matrix[(3 * i + r) * n + 3 * j + c] = block.col(c)[r];
                }
            }
        }
        assert!(lu.factor_in_place());
        let mut x: Vec<f64> = rows.iter().flat_map(|r| r.g.to_array()).collect();
        lu.solve(&mut x);
        x.chunks_exact(3).map(DVec3::from_slice).collect()
    }

    /// The largest difference of two lists, over the largest entry of the second.
    pub(crate) fn difference(a: &[DVec3], b: &[DVec3]) -> f64 {
        assert_eq!(a.len(), b.len());
        let size = b.iter().fold(0.0f64, |m, v| m.max(v.length()));
        let worst = |m: f64, (a, b): (&DVec3, &DVec3)| m.max(a.distance(*b));
        a.iter().zip(b).fold(0.0, worst) / size.max(f64::MIN_POSITIVE)
    }

    /// diag(1e-10, 1, 1) turned: cofactors would lose the ten digits.
    #[test]
    fn a_nearly_singular_matrix_is_inverted() {
        let turn = DMat3::from_rotation_x(0.3) * DMat3::from_rotation_z(0.7);
        let m = turn * DMat3::from_diagonal(DVec3::new(1e-10, 1.0, 1.0)) * turn.transpose();
        let product = m * inverse(&m);
        for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
            let unit = f64::from(u8::from(r == c));
            assert!((product.col(c)[r] - unit).abs() < 1e-5, "{product}");
        }
        assert!(inverse(&DMat3::ZERO).is_nan());
    }

    /// A is 1e-9 of w̄ on every other contact, as where contacts stick: the residual of the refined step is small
    /// although the first answer has lost digits.
    #[test]
    fn a_step_on_stiff_contacts_is_refined() {
        let mut random = Random::new(44);
        let mut memory = SystemMemory::default();
        for _ in 0..20 {
            let (step, local) = random_step(&mut random, 9);
            let mut rows = random_rows(&mut random, &local.delassus);
            for row in rows.iter_mut().step_by(2) {
                row.a *= 1e-9;
                row.a_inverse = inverse(&row.a);
            }
            let mut system = memory.system(Posed::Step(&step));
            assert!(system.factor(&rows));
            let (mut dp, mut du) = (Vec::new(), Vec::new());
            let wanted: Vec<DVec3> = rows.iter().map(|r| r.g).collect();
            system.refined_solve(&mut rows, 20, &mut dp, &mut Refinement::default());
            let kept: Vec<DVec3> = rows.iter().map(|r| r.g).collect();
            assert_eq!(kept, wanted, "right-hand sides are put back");
            local.delassus.times(&dp, &mut du);
            let image: Vec<DVec3> = (0..9)
                .map(|i| rows[i].a * dp[i] + rows[i].b * du[i])
                .collect();
            let off = difference(&image, &wanted);
            assert!(off < 1e-6, "{off}");
        }
    }
}
