//! The linear systems of Newton methods: linearised laws coupled through the bodies.
//!
//! Every Newton method here linearises each contact's law to A_i δp_i + B_i δu_i = g_i with 3×3
//! matrices A_i, B_i; the coupling δu = W δp (W = Wᵀ M⁻¹ W + C) is the same for all. It is solved either
//! on the contacts, (A + B W) δp = g, or on the bodies, where C joins A: with K = A⁻¹B and M⁻¹ = L Lᵀ,
//! (I + Lᵀ W K Wᵀ L) y = Lᵀ W A⁻¹ g, δp = A⁻¹g − K Wᵀ L y.

use crate::block_lu::{Block, BlockLu};
use crate::delassus::Delassus;
use crate::dense::DenseLu;
use crate::local::LocalProblem;
use crate::problem::{ContactProblem, Law, Twist};
use glam::{DMat3, DVec3};

/// Linearised law of one contact: A δp + B δu = g.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linearised {
    /// A, multiplies δp (N s); in 1/kg if g is in m/s.
    pub a: DMat3,
    /// B, multiplies δu (m/s).
    pub b: DMat3,
    /// g.
    pub g: DVec3,
}

/// A contact problem as Newton methods see it.
pub trait Coupled {
    /// Number of contacts.
    fn len(&self) -> usize;
    /// Whether there is no contact.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Law of contact `i`.
    fn law(&self, i: usize) -> &Law;
    /// w̄_i = tr(W_ii)/3, 1/kg.
    fn w_bar(&self, i: usize) -> f64;
    /// u = W p + q for all contacts.
    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>);
    /// δu = W δp.
    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>);
    /// Factors the coupled system with these A_i, B_i. False where singular.
    fn factor(&mut self, rows: &[Linearised]) -> bool;
    /// δp for right-hand sides g_i (the `g` of row i), with the factors and rows of the last `factor`.
    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>);

    /// As `back_solve`, with up to `steps` steps of iterative refinement: the residual
    /// g − A δp − B W δp is formed from the rows as given and solved for again. On the bodies K = A⁻¹B is
    /// stiff where contacts stick, and the first answer has lost as many digits.
    fn refined_solve(
        &mut self,
        rows: &mut [Linearised],
        steps: usize,
        dp: &mut Vec<DVec3>,
        memory: &mut Refinement,
    ) {
        self.back_solve(rows, dp);
        memory.g.clear();
        memory.g.extend(rows.iter().map(|r| r.g));
        let size = memory.g.iter().fold(0.0f64, |m, g| m.max(g.length()));
        let mut last = f64::INFINITY;
        for _ in 0..steps {
            self.response(dp, &mut memory.du);
            let mut error = 0.0f64;
            for (i, row) in rows.iter_mut().enumerate() {
                row.g = memory.g[i] - row.a * dp[i] - row.b * memory.du[i];
                error = error.max(row.g.length());
            }
            // Stop where it is as good as it gets, or does not get better.
            if error <= 1e-15 * size || error.is_nan() || error > 0.5 * last {
                break;
            }
            last = error;
            self.back_solve(rows, &mut memory.correction);
            for (dp, d) in dp.iter_mut().zip(&memory.correction) {
                *dp += *d;
            }
        }
        for (row, g) in rows.iter_mut().zip(&memory.g) {
            row.g = *g;
        }
    }
}

/// Memory of [`Coupled::refined_solve`].
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    g: Vec<DVec3>,
    du: Vec<DVec3>,
    correction: Vec<DVec3>,
}

/// Up to this many contacts the system on the contacts is dense.
const DENSE_CONTACTS: usize = 12;

/// Memory of the systems on the contacts, dense or in sparse blocks.
#[derive(Clone, Debug, Default)]
pub struct DelassusMemory {
    dense: DenseLu,
    rhs: Vec<f64>,
    sparse: BlockLu<3>,
    blocks: Vec<[f64; 3]>,
    starts: Vec<usize>,
    cols: Vec<usize>,
}

/// A local problem with its memory.
#[derive(Debug)]
pub struct DelassusSystem<'a> {
    /// The problem.
    pub problem: &'a LocalProblem,
    /// Memory.
    pub memory: &'a mut DelassusMemory,
}

fn block_of(m: &DMat3) -> Block<3> {
    m.transpose().to_cols_array_2d()
}

impl DelassusSystem<'_> {
    fn delassus(&self) -> &Delassus {
        &self.problem.delassus
    }
}

impl Coupled for DelassusSystem<'_> {
    fn len(&self) -> usize {
        self.problem.len()
    }

    fn law(&self, i: usize) -> &Law {
        &self.problem.laws[i]
    }

    fn w_bar(&self, i: usize) -> f64 {
        self.problem.delassus.w_bar(i)
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        u.clear();
        u.extend((0..self.len()).map(|i| self.problem.velocity(i, p)));
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.delassus().times(dp, du);
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        let n_c = rows.len();
        let delassus = &self.problem.delassus;
        if n_c <= DENSE_CONTACTS {
            let n = 3 * n_c;
            let a = self.memory.dense.matrix(n);
            for i in 0..n_c {
                let (cols, blocks) = delassus.row(i);
                for (&j, w) in cols.iter().zip(blocks) {
                    let mut m = rows[i].b * *w;
                    if i == j {
                        m += rows[i].a;
                    }
                    for c in 0..3 {
                        let column = m.col(c);
                        for r in 0..3 {
                            a[(3 * i + r) * n + 3 * j + c] = column[r];
                        }
                    }
                }
            }
            return self.memory.dense.factor_in_place();
        }
        let memory = &mut *self.memory;
        memory.starts.clear();
        memory.starts.push(0);
        memory.cols.clear();
        for i in 0..n_c {
            memory.cols.extend_from_slice(delassus.row(i).0);
            memory.starts.push(memory.cols.len());
        }
        memory.sparse.analyse(&memory.starts, &memory.cols);
        for i in 0..n_c {
            let (cols, blocks) = delassus.row(i);
            for (&j, w) in cols.iter().zip(blocks) {
                let mut m = rows[i].b * *w;
                if i == j {
                    m += rows[i].a;
                }
                memory.sparse.add(i, j, &block_of(&m));
            }
        }
        memory.sparse.factor()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        let memory = &mut *self.memory;
        dp.clear();
        if rows.len() <= DENSE_CONTACTS {
            memory.rhs.clear();
            memory.rhs.extend(rows.iter().flat_map(|r| r.g.to_array()));
            memory.dense.solve(&mut memory.rhs);
            dp.extend(memory.rhs.chunks_exact(3).map(DVec3::from_slice));
        } else {
            memory.blocks.clear();
            memory.blocks.extend(rows.iter().map(|r| r.g.to_array()));
            memory.sparse.solve(&mut memory.blocks);
            dp.extend(memory.blocks.iter().map(|&v| DVec3::from_array(v)));
        }
    }
}

/// Rows of Wᵀ L of one contact on one body, 3×6, or none.
#[derive(Clone, Copy, Debug)]
struct ScaledArm {
    body: usize,
    rows: [[f64; 6]; 3],
}

/// Memory of the system on the bodies.
#[derive(Clone, Debug, Default)]
pub struct BodyMemory {
    arms: Vec<[Option<ScaledArm>; 2]>,
    w_bar: Vec<f64>,
    a_inverse: Vec<DMat3>,
    stiffness: Vec<DMat3>,
    lu: BlockLu<6>,
    starts: Vec<usize>,
    cols: Vec<usize>,
    pairs: Vec<(usize, usize)>,
    y: Vec<[f64; 6]>,
    nu: Vec<Twist>,
}

/// The problem of a step, solved on its bodies.
#[derive(Debug)]
pub struct BodySystem<'a> {
    problem: &'a ContactProblem,
    memory: &'a mut BodyMemory,
}

/// Lower triangular L with L Lᵀ = `m` for a symmetric positive semidefinite matrix.
fn cholesky(m: &DMat3) -> DMat3 {
    let entry = |r: usize, c: usize| m.col(c)[r];
    let root = |v: f64| if v > 0.0 { v.sqrt() } else { 0.0 };
    let over = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    let l00 = root(entry(0, 0));
    let l10 = over(entry(1, 0), l00);
    let l20 = over(entry(2, 0), l00);
    let l11 = root(entry(1, 1) - l10 * l10);
    let l21 = over(entry(2, 1) - l20 * l10, l11);
    let l22 = root(entry(2, 2) - l20 * l20 - l21 * l21);
    DMat3::from_cols(
        DVec3::new(l00, l10, l20),
        DVec3::new(0.0, l11, l21),
        DVec3::new(0.0, 0.0, l22),
    )
}

impl<'a> BodySystem<'a> {
    /// Prepares the system of a step: arms scaled by L, pattern of the bodies.
    pub fn new(problem: &'a ContactProblem, memory: &'a mut BodyMemory) -> Self {
        memory.arms.clear();
        memory.w_bar.clear();
        memory.pairs.clear();
        for contact in &problem.contacts {
            let mut trace = 0.0;
            let arms = contact.arms.map(|arm| {
                arm.map(|arm| {
                    let inverse = &problem.inverse_mass[arm.body];
                    let root = inverse.mass.sqrt();
                    let l_t = cholesky(&inverse.inertia).transpose();
                    let rows = contact.frame.map(|d| {
                        let (force, torque) = arm.wrench(d);
                        let (linear, angular) = (force * root, l_t * torque);
                        [
                            linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
                        ]
                    });
                    for row in &rows {
                        trace += row.iter().map(|v| v * v).sum::<f64>();
                    }
                    ScaledArm {
                        body: arm.body,
                        rows,
                    }
                })
            });
            if let [Some(a), Some(b)] = &arms {
                memory.pairs.push((a.body, b.body));
                memory.pairs.push((b.body, a.body));
            }
            memory.arms.push(arms);
            trace += contact.compliance.element_sum();
            memory.w_bar.push(trace / 3.0);
        }
        let n_b = problem.inverse_mass.len();
        memory.pairs.extend((0..n_b).map(|b| (b, b)));
        memory.pairs.sort_unstable();
        memory.pairs.dedup();
        memory.starts.clear();
        memory.starts.push(0);
        memory.cols.clear();
        for &(a, b) in &memory.pairs {
            while memory.starts.len() <= a {
                memory.starts.push(memory.cols.len());
            }
            memory.cols.push(b);
        }
        while memory.starts.len() <= n_b {
            memory.starts.push(memory.cols.len());
        }
        Self { problem, memory }
    }
}

/// Rowsᵀ v for the three rows of an arm.
fn transposed_times(arm: &ScaledArm, v: DVec3, out: &mut [f64; 6]) {
    for (row, s) in arm.rows.iter().zip(v.to_array()) {
        for (o, r) in out.iter_mut().zip(row) {
            *o += r * s;
        }
    }
}

impl Coupled for BodySystem<'_> {
    fn len(&self) -> usize {
        self.problem.contacts.len()
    }

    fn law(&self, i: usize) -> &Law {
        &self.problem.contacts[i].law
    }

    fn w_bar(&self, i: usize) -> f64 {
        self.memory.w_bar[i]
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        let nu = &mut self.memory.nu;
        self.problem.velocity_into(p, nu);
        u.clear();
        let both = self.problem.contacts.iter().zip(p);
        u.extend(both.map(|(c, &p)| c.velocity_at(nu, p)));
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        let memory = &mut *self.memory;
        memory.y.clear();
        memory.y.resize(self.problem.inverse_mass.len(), [0.0; 6]);
        for (arms, &dp) in memory.arms.iter().zip(dp) {
            for arm in arms.iter().flatten() {
                transposed_times(arm, dp, &mut memory.y[arm.body]);
            }
        }
        du.clear();
        let contacts = self.problem.contacts.iter().zip(dp);
        du.extend(
            memory
                .arms
                .iter()
                .zip(contacts)
                .map(|(arms, (c, &dp))| relative_velocity(arms, &memory.y) + c.compliance * dp),
        );
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        let memory = &mut *self.memory;
        memory.lu.analyse(&memory.starts, &memory.cols);
        memory.a_inverse.clear();
        memory.stiffness.clear();
        let mut identity = [[0.0; 6]; 6];
        for (k, row) in identity.iter_mut().enumerate() {
            row[k] = 1.0;
        }
        for b in 0..self.problem.inverse_mass.len() {
            memory.lu.add(b, b, &identity);
        }
        for ((arms, row), contact) in memory.arms.iter().zip(rows).zip(&self.problem.contacts) {
            // The compliance belongs to the contact: A δp + B (W + C) δp = (A + B C) δp + B W δp.
            let a = row.a + row.b * DMat3::from_diagonal(contact.compliance);
            let a_inverse = a.inverse();
            let k = a_inverse * row.b;
            if !k.is_finite() {
                return false;
            }
            memory.a_inverse.push(a_inverse);
            memory.stiffness.push(k);
            if k == DMat3::ZERO {
                continue;
            }
            for right in arms.iter().flatten() {
                // K J_right, 3×6.
                let mut kj = [[0.0; 6]; 3];
                for r in 0..3 {
                    for c in 0..3 {
                        let s = k.col(c)[r];
                        for m in 0..6 {
                            kj[r][m] += s * right.rows[c][m];
                        }
                    }
                }
                for left in arms.iter().flatten() {
                    let mut block = [[0.0; 6]; 6];
                    for (l_row, k_row) in left.rows.iter().zip(&kj) {
                        for (target, &s) in block.iter_mut().zip(l_row) {
                            for (t, &v) in target.iter_mut().zip(k_row) {
                                *t += s * v;
                            }
                        }
                    }
                    memory.lu.add(left.body, right.body, &block);
                }
            }
        }
        memory.lu.factor()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        let memory = &mut *self.memory;
        memory.y.clear();
        memory.y.resize(self.problem.inverse_mass.len(), [0.0; 6]);
        dp.clear();
        for ((arms, row), a_inverse) in memory.arms.iter().zip(rows).zip(&memory.a_inverse) {
            let g = *a_inverse * row.g;
            dp.push(g);
            for arm in arms.iter().flatten() {
                transposed_times(arm, g, &mut memory.y[arm.body]);
            }
        }
        memory.lu.solve(&mut memory.y);
        for ((arms, k), dp) in memory.arms.iter().zip(&memory.stiffness).zip(dp) {
            *dp -= *k * relative_velocity(arms, &memory.y);
        }
    }
}

/// Wᵀ L y of one contact.
fn relative_velocity(arms: &[Option<ScaledArm>; 2], y: &[[f64; 6]]) -> DVec3 {
    let mut u = DVec3::ZERO;
    for arm in arms.iter().flatten() {
        let y = &y[arm.body];
        for (k, row) in arm.rows.iter().enumerate() {
            u[k] += row.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    u
}
