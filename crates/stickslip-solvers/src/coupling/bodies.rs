//! The system on the bodies, (I + Lᵀ W K Wᵀ L) y = Lᵀ W A⁻¹ g with M⁻¹ = L Lᵀ and K = A⁻¹B: one block row of six for each
//! body, however many contacts it has.

use crate::coupling::{CONTACTS, Coupled, Linearised, inverse};
use crate::factor::block_lu::Block;
use crate::factor::node_lu::{BlockRows, NodeLu};
use crate::problem::{ContactProblem, Law, Twist};
use glam::{DMat3, DVec3};

/// Rows of Wᵀ L of one contact on one body, 3×6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledArm {
    pub(crate) body: usize,
    pub(crate) rows: [[f64; 6]; 3],
}

/// Memory of the system on the bodies.
#[derive(Clone, Debug, Default)]
pub struct BodyMemory {
    /// The arms of all contacts, one contact after the other, and where each contact's begin.
    arms: Vec<ScaledArm>,
    first_arms: Vec<usize>,
    compliance: Vec<DVec3>,
    w_bar: Vec<f64>,
    natural_w_bar: Vec<f64>,
    /// L of each body, M⁻¹ = L Lᵀ: the root of 1/m, and Lᵀ of I⁻¹.
    roots: Vec<(f64, DMat3)>,
    a_inverse: Vec<DMat3>,
    k: Vec<DMat3>,
    lu: NodeLu<6>,
    starts: Vec<usize>,
    cols: Vec<usize>,
    pairs: Vec<(usize, usize)>,
    y: Vec<[f64; 6]>,
    nu: Vec<Twist>,
}

/// The problem of a step, solved on its bodies.
#[derive(Debug)]
pub struct BodySystem<'a> {
    pub(crate) problem: &'a ContactProblem,
    memory: &'a mut BodyMemory,
}

/// Lower triangular L with L Lᵀ = `m` for a symmetric positive semidefinite matrix.
pub(crate) fn cholesky(m: &DMat3) -> DMat3 {
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
        memory.clear();
        let mut roots = core::mem::take(&mut memory.roots);
        roots.clear();
        roots.extend(problem.inverse_mass.iter().map(|inverse| {
            let l_t = cholesky(&inverse.inertia).transpose();
            (inverse.mass.sqrt(), l_t)
        }));
        for contact in &problem.contacts {
            let arms = contact.arms.iter().flatten().map(|arm| {
                let (root, l_t) = roots[arm.body];
                let rows = contact.frame.map(|d| {
                    let (force, torque) = arm.wrench(d);
                    let (linear, angular) = (force * root, l_t * torque);
                    [
                        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
                    ]
                });
                ScaledArm {
                    body: arm.body,
                    rows,
                }
            });
            memory.push(arms, contact.compliance);
        }
        memory.roots = roots;
        memory.natural_w_bar.clone_from(&memory.w_bar);
        memory.find_pattern(problem.inverse_mass.len());
        Self { problem, memory }
    }
}

impl BodyMemory {
    /// By fronts, however few bodies there are: they know the sign of the determinant.
    pub(crate) fn by_fronts() -> Self {
        let mut memory = Self {
            lu: NodeLu::by_fronts(),
            ..Self::default()
        };
        memory.clear();
        memory
    }

    /// Forgets the contacts.
    pub(crate) fn clear(&mut self) {
        self.arms.clear();
        self.first_arms.clear();
        self.first_arms.push(0);
        self.compliance.clear();
        self.w_bar.clear();
        self.pairs.clear();
    }

    /// Adds a contact.
    pub(crate) fn push(&mut self, arms: impl Iterator<Item = ScaledArm>, compliance: DVec3) {
        let first = self.arms.len();
        self.arms.extend(arms);
        self.first_arms.push(self.arms.len());
        let mut trace = 0.0;
        for (k, arm) in self.arms[first..].iter().enumerate() {
            for row in &arm.rows {
                trace += row.iter().map(|v| v * v).sum::<f64>();
            }
            for before in &self.arms[first..first + k] {
                self.pairs.push((before.body, arm.body));
                self.pairs.push((arm.body, before.body));
            }
        }
        self.compliance.push(compliance);
        trace += compliance.element_sum();
        self.w_bar.push(trace / 3.0);
    }

    /// The pattern of `n_b` bodies with the contacts pushed.
    pub(crate) fn find_pattern(&mut self, n_b: usize) {
        self.pairs.extend((0..n_b).map(|b| (b, b)));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.starts.clear();
        self.starts.push(0);
        self.cols.clear();
        for &(a, b) in &self.pairs {
            while self.starts.len() <= a {
                self.starts.push(self.cols.len());
            }
            self.cols.push(b);
        }
        while self.starts.len() <= n_b {
            self.starts.push(self.cols.len());
        }
    }

    fn bodies(&self) -> usize {
        self.starts.len() - 1
    }

    /// The arms of each contact.
    fn arms_by_contact(&self) -> impl Iterator<Item = &[ScaledArm]> {
        let ends = self.first_arms.windows(2);
        ends.map(|ends| &self.arms[ends[0]..ends[1]])
    }

    /// y = Lᵀ W dp.
    fn gather(&mut self, dp: impl Iterator<Item = DVec3>) {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.resize(self.bodies(), [0.0; 6]);
        for (arms, dp) in self.arms_by_contact().zip(dp) {
            for arm in arms {
                transposed_times(arm, dp, &mut y[arm.body]);
            }
        }
        self.y = y;
    }

    /// As [`Coupled::response`].
    pub(crate) fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.gather(dp.iter().copied());
        du.clear();
        let contacts = self.arms_by_contact().zip(&self.compliance).zip(dp);
        du.extend(contacts.map(|((arms, c), &dp)| relative_velocity(arms, &self.y) + *c * dp));
    }

    /// As [`Coupled::factor`].
    pub(crate) fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.lu.analyse(&self.starts, &self.cols);
        let compliance = &self.compliance;
        // The compliance belongs to the contact: A δp + B (WᵀM⁻¹W + C) δp = (A + B C) δp + B WᵀM⁻¹W δp.
        self.a_inverse.clear();
        let a_inverse = rows.iter().zip(compliance).map(|(row, c)| {
            if *c == DVec3::ZERO {
                row.a_inverse
            } else {
                inverse(&(row.a + row.b * DMat3::from_diagonal(*c)))
            }
        });
        self.a_inverse.extend(a_inverse);
        self.k.clear();
        let k = rows.iter().zip(&self.a_inverse);
        self.k.extend(k.map(|(row, a_inverse)| *a_inverse * row.b));
        if !self.k.iter().all(|k| k.is_finite()) {
            return false;
        }
        let (arms, ends, k) = (&self.arms, &self.first_arms, &self.k);
        let parts = stickslip_threads::parts(k.len(), CONTACTS);
        let mut parts = self.lu.parts(parts);
        stickslip_threads::each(&mut parts, |_, blocks| {
            add_contacts(blocks, arms, ends, k);
        });
        self.lu.factor()
    }

    /// As [`Coupled::determinant_sign`].
    pub(crate) fn determinant_sign(&self) -> Option<f64> {
        self.lu.determinant_sign()
    }

    /// As [`Coupled::back_solve`].
    pub(crate) fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        let a_inverse = std::mem::take(&mut self.a_inverse);
        self.gather(rows.iter().zip(&a_inverse).map(|(row, a)| *a * row.g));
        self.lu.solve(&mut self.y);
        dp.clear();
        for ((row, a), arms) in rows.iter().zip(&a_inverse).zip(self.arms_by_contact()) {
            let du = relative_velocity(arms, &self.y);
            dp.push(*a * (row.g - row.b * du));
        }
        self.a_inverse = a_inverse;
    }
}

/// Adds I + Lᵀ W K Wᵀ L to some block rows: a block for each pair of bodies of a contact, one contact after the other.
fn add_contacts(
    blocks: &mut BlockRows<'_, 6>,
    arms: &[ScaledArm],
    first_arms: &[usize],
    k: &[DMat3],
) {
    let mut identity = [[0.0; 6]; 6];
    for (k, row) in identity.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    let rows = blocks.rows();
    for b in rows.clone() {
        blocks.add(b, b, &identity);
    }
    for (ends, k) in first_arms.windows(2).zip(k) {
        let arms = &arms[ends[0]..ends[1]];
        let here = arms.iter().any(|arm| rows.contains(&arm.body));
        if here && *k != DMat3::ZERO {
            add_contact(blocks, arms, k);
        }
    }
}

/// Adds Lᵀ W K Wᵀ L of one contact, in the block rows at hand.
fn add_contact(blocks: &mut BlockRows<'_, 6>, arms: &[ScaledArm], k: &DMat3) {
    for right in arms {
        // K Wᵀ L of the right body, 3×6.
        let mut kj = [[0.0; 6]; 3];
        for r in 0..3 {
            for c in 0..3 {
                let s = k.col(c)[r];
                for m in 0..6 {
                    kj[r][m] += s * right.rows[c][m];
                }
            }
        }
        for left in arms {
            if !blocks.rows().contains(&left.body) {
                continue;
            }
            let mut block: Block<6> = [[0.0; 6]; 6];
            for (l_row, k_row) in left.rows.iter().zip(&kj) {
                for (target, &s) in block.iter_mut().zip(l_row) {
                    for (t, &v) in target.iter_mut().zip(k_row) {
                        *t += s * v;
                    }
                }
            }
            blocks.add(left.body, right.body, &block);
        }
    }
}

impl BodySystem<'_> {
    /// Rows of WᵀL of contact `i`, an arm for each of its bodies.
    #[inline]
    pub(crate) fn arms(&self, i: usize) -> &[ScaledArm] {
        &self.memory.arms[self.memory.first_arms[i]..self.memory.first_arms[i + 1]]
    }

    /// Contacts of two bodies that touch elsewhere too, all but one of each pair.
    pub(crate) fn repeated(&self) -> usize {
        let of_two = self.memory.arms_by_contact().filter(|arms| arms.len() > 1);
        // The pattern holds each pair twice, and the diagonal.
        let pairs = (self.memory.cols.len() - self.memory.bodies()) / 2;
        of_two.count().saturating_sub(pairs)
    }

    /// w̄ as the problem gives it, and w̄ as it is used.
    pub(crate) fn scales(&mut self) -> (&[f64], &mut Vec<f64>) {
        (&self.memory.natural_w_bar, &mut self.memory.w_bar)
    }

    /// ν += δν of the last `back_solve`: L y.
    pub(crate) fn add_velocity_change(&self, nu: &mut [Twist]) {
        let both = nu.iter_mut().zip(&self.problem.inverse_mass);
        for ((nu, inverse), y) in both.zip(&self.memory.y) {
            nu.linear += DVec3::new(y[0], y[1], y[2]) * inverse.mass.sqrt();
            nu.angular += cholesky(&inverse.inertia) * DVec3::new(y[3], y[4], y[5]);
        }
    }
}

/// out += rowsᵀ v for the three rows of an arm.
#[inline]
pub(crate) fn transposed_times(arm: &ScaledArm, v: DVec3, out: &mut [f64; 6]) {
    for (row, s) in arm.rows.iter().zip(v.to_array()) {
        for m in 0..6 {
            out[m] += row[m] * s;
        }
    }
}

/// Wᵀ L y of one contact.
#[inline]
pub(crate) fn relative_velocity(arms: &[ScaledArm], y: &[[f64; 6]]) -> DVec3 {
    let mut u = DVec3::ZERO;
    for arm in arms {
        let y = &y[arm.body];
        for k in 0..3 {
            let row = &arm.rows[k];
            let mut sum = -0.0;
            for m in 0..6 {
                sum += row[m] * y[m];
            }
            u[k] += sum;
        }
    }
    u
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
        self.memory.response(dp, du);
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.memory.factor(rows)
    }

    fn determinant_sign(&self) -> Option<f64> {
        self.memory.determinant_sign()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.memory.back_solve(rows, dp);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::tests::{dense_step, difference, random_rows, random_step};
    use crate::random::Random;

    #[test]
    fn a_root_times_its_transpose_is_the_matrix() {
        let turn = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_z(1.1);
        for spectrum in [
            DVec3::new(3.0, 2.0, 1.0),
            DVec3::new(5.0, 0.0, 0.0),
            DVec3::ZERO,
        ] {
            let m = turn * DMat3::from_diagonal(spectrum) * turn.transpose();
            let l = cholesky(&m);
            let off = l * l.transpose() - m;
            assert!(off.to_cols_array().iter().all(|v| v.abs() < 1e-14), "{off}");
        }
    }

    /// Velocities, responses and steps of the bodies are those of D, whose blocks are assembled from the arms.
    #[test]
    fn the_bodies_say_what_the_delassus_matrix_says() {
        let mut random = Random::new(45);
        let mut memory = BodyMemory::default();
        for n_c in [1, 2, 5, 12, 30] {
            let (step, local) = random_step(&mut random, n_c);
            let rows = random_rows(&mut random, &local.delassus);
            let mut system = BodySystem::new(&step, &mut memory);
            let p: Vec<DVec3> = (0..n_c).map(|_| random.vec3()).collect();
            let (mut u, mut du, mut by_d) = (Vec::new(), Vec::new(), Vec::new());
            system.velocities(&p, &mut u);
            let wanted: Vec<DVec3> = (0..n_c).map(|i| local.velocity(i, &p)).collect();
            assert!(difference(&u, &wanted) < 1e-13);
            system.response(&p, &mut du);
            local.delassus.times(&p, &mut by_d);
            assert!(difference(&du, &by_d) < 1e-13);
            for i in 0..n_c {
                assert!((system.w_bar(i) / local.delassus.w_bar(i) - 1.0).abs() < 1e-13);
            }

            let mut dp = Vec::new();
            assert!(system.factor(&rows));
            system.back_solve(&rows, &mut dp);
            let wanted = dense_step(&local.delassus, &rows);
            assert!(difference(&dp, &wanted) < 1e-9, "{n_c} contacts");
            // ν changes as the impulses say.
            let (mut nu, mut after) = (step.nu_free.clone(), Vec::new());
            system.add_velocity_change(&mut nu);
            step.velocity_into(&dp, &mut after);
            for (nu, after) in nu.iter().zip(&after) {
                let size = 1.0 + after.linear.length() + after.angular.length();
                assert!(nu.linear.distance(after.linear) < 1e-9 * size);
                assert!(nu.angular.distance(after.angular) < 1e-9 * size);
            }
        }
    }
}
