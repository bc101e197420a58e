//! The linear systems of Newton methods: linearised laws coupled through the bodies.
//!
//! Every Newton method here linearises each contact's law to A_i δp_i + B_i δu_i = g_i with 3×3
//! matrices A_i, B_i; the coupling δu = W δp (W = Wᵀ M⁻¹ W + C) is the same for all. It is solved either
//! on the contacts, (A + B W) δp = g, or on the bodies, where C joins A: with K = A⁻¹B and M⁻¹ = L Lᵀ,
//! (I + Lᵀ W K Wᵀ L) y = Lᵀ W A⁻¹ g, δp = A⁻¹g − K Wᵀ L y.

use crate::coupling::patches::Patches;
use crate::engines::newton::Map;
use crate::factor::block_lu::{Block, Pivot};
use crate::factor::dense::DenseLu;
use crate::factor::krylov::{Krylov, norm};
use crate::factor::node_lu::NodeLu;
use crate::problem::delassus::Delassus;
use crate::problem::law::Linear;
use crate::problem::local::LocalProblem;
use crate::problem::{ContactProblem, Law, Twist};
use glam::{DMat3, DVec3};

/// Linearised law of one contact: A δp + B δu = g.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linearised {
    /// A, multiplies δp (N s); in 1/kg if g is in m/s.
    pub a: DMat3,
    /// A⁻¹, made with A: where A is nearly singular an inverse of the rounded A has no digits left.
    pub a_inverse: DMat3,
    /// B, multiplies δu (m/s).
    pub b: DMat3,
    /// g.
    pub g: DVec3,
}

/// Inverse by elimination with row pivoting; not finite where singular. (By cofactors a matrix with
/// eigenvalues 1e-10, 1 and 1 would lose ten digits.)
#[must_use]
pub fn inverse(m: &DMat3) -> DMat3 {
    match Pivot::new(&block_of(m)) {
        Some(pivot) => {
            let column = |c: DVec3| DVec3::from_array(pivot.solve(&c.to_array()));
            DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
        }
        None => DMat3::NAN,
    }
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
    /// Factorisations tried since the system was made: the unit of work in traces.
    fn factorisations(&self) -> usize;
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

    /// out −= (A + B W) x.
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

/// Relative residual at which a linear solve is good enough for a Newton step.
const ENOUGH: f64 = 1e-8;

/// Memory of [`Coupled::refined_solve`].
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    g: Vec<DVec3>,
    du: Vec<DVec3>,
    residual: Vec<DVec3>,
    correction: Vec<DVec3>,
    krylov: Krylov,
}

/// A contact problem in one of its two forms.
#[derive(Clone, Copy, Debug)]
pub enum Posed<'a> {
    /// Bodies, contacts, laws.
    Step(&'a ContactProblem),
    /// Reduced to the contacts.
    Local(&'a LocalProblem),
}

/// The system of a posed problem, on its bodies or on its contacts.
#[derive(Debug)]
pub enum System<'a> {
    /// One block row for each body.
    Bodies(BodySystem<'a>),
    /// One block row for each contact.
    Contacts(DelassusSystem<'a>),
}

/// Memory of a [`System`], reused from problem to problem.
#[derive(Clone, Debug, Default)]
pub struct SystemMemory {
    bodies: BodyMemory,
    contacts: DelassusMemory,
    local: LocalProblem,
}

/// Up to this many contacts a step is solved on its contacts.
const FEW_CONTACTS: usize = 4;

impl SystemMemory {
    /// Forgets the pattern of the last problem's contacts.
    pub(crate) fn forget(&mut self) {
        self.contacts.sparse.forget();
        self.contacts.patches.forget();
    }

    /// The system of a problem: on the contacts where the problem is given so or has few of them, else
    /// on the bodies.
    pub fn system<'a>(&'a mut self, problem: Posed<'a>) -> System<'a> {
        match problem {
            Posed::Step(step) if step.contacts.len() > FEW_CONTACTS => {
                System::Bodies(BodySystem::new(step, &mut self.bodies))
            }
            Posed::Step(step) => {
                self.local.assemble(step);
                System::Contacts(DelassusSystem::new(&self.local, &mut self.contacts))
            }
            Posed::Local(problem) => {
                System::Contacts(DelassusSystem::new(problem, &mut self.contacts))
            }
        }
    }
}

impl System<'_> {
    /// From now on contacts are eliminated by patches where that pays: several times as fast, and less accurate where
    /// contacts are nearly singular together, so that W needs more regularisation.
    pub(crate) fn by_patches(&mut self, on: bool) {
        if let System::Contacts(contacts) = self {
            contacts.memory.patched = if on { None } else { Some(false) };
        }
    }

    /// Sets w̄ to w̄ (w_heavy/w̄)^s: s = 0 is the natural scale, 1 that of the heaviest body. It moves no
    /// solution, only what counts as a large impulse: a light body between heavy ones carries impulses far
    /// above its own mass times any velocity.
    pub(crate) fn rescale(&mut self, w_heavy: f64, s: f64) {
        let (natural, target) = match self {
            System::Bodies(b) => (&b.memory.natural_w_bar, &mut b.memory.w_bar),
            System::Contacts(c) => (&c.memory.natural_w_bar, &mut c.memory.w_bar),
        };
        target.clear();
        target.extend(natural.iter().map(|&w| {
            if w > w_heavy && s > 0.0 {
                w * libm::pow(w_heavy / w, s)
            } else {
                w
            }
        }));
    }
}

/// Calls a method of whichever system it is.
macro_rules! either {
    ($system:expr, $s:ident => $call:expr) => {
        match $system {
            System::Bodies($s) => $call,
            System::Contacts($s) => $call,
        }
    };
}

impl Coupled for System<'_> {
    fn len(&self) -> usize {
        either!(self, s => s.len())
    }

    fn law(&self, i: usize) -> &Law {
        either!(self, s => s.law(i))
    }

    fn w_bar(&self, i: usize) -> f64 {
        either!(self, s => s.w_bar(i))
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        either!(self, s => s.velocities(p, u));
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        either!(self, s => s.response(dp, du));
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        either!(self, s => s.factor(rows))
    }

    fn factorisations(&self) -> usize {
        either!(self, s => s.factorisations())
    }

    fn direct(&self) -> bool {
        either!(self, s => s.direct())
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        either!(self, s => s.back_solve(rows, dp));
    }

    fn determinant_sign(&self) -> Option<f64> {
        either!(self, s => s.determinant_sign())
    }
}

/// A system made compliant about a centre: u = W p + q + τ w̄ (p − c), the inner problem of proximal
/// methods.
#[derive(Debug)]
pub struct Shifted<'a, 'b> {
    system: &'a mut System<'b>,
    tau: f64,
    centre: &'a [DVec3],
    rows: &'a mut Vec<Linearised>,
}

impl<'a, 'b> Shifted<'a, 'b> {
    /// The system with compliance `tau` (relative to w̄) about `centre`; `rows` is memory.
    pub fn new(
        system: &'a mut System<'b>,
        tau: f64,
        centre: &'a [DVec3],
        rows: &'a mut Vec<Linearised>,
    ) -> Self {
        Self {
            system,
            tau,
            centre,
            rows,
        }
    }

    /// τ w̄_i.
    fn compliance(&self, i: usize) -> f64 {
        self.tau * self.system.w_bar(i)
    }
}

impl Coupled for Shifted<'_, '_> {
    fn len(&self) -> usize {
        self.system.len()
    }

    fn law(&self, i: usize) -> &Law {
        self.system.law(i)
    }

    fn w_bar(&self, i: usize) -> f64 {
        self.system.w_bar(i)
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        self.system.velocities(p, u);
        for (i, u) in u.iter_mut().enumerate() {
            *u += (p[i] - self.centre[i]) * self.compliance(i);
        }
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.system.response(dp, du);
        for (i, du) in du.iter_mut().enumerate() {
            *du += dp[i] * self.compliance(i);
        }
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        // A δp + B (δu + c δp) = g.
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        for i in 0..rows.len() {
            let compliance = self.compliance(i);
            self.rows[i].a += rows[i].b * compliance;
            if !self.direct() {
                self.rows[i].a_inverse = inverse(&self.rows[i].a);
            }
        }
        self.system.factor(self.rows)
    }

    fn factorisations(&self) -> usize {
        self.system.factorisations()
    }

    fn direct(&self) -> bool {
        self.system.direct()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.system.back_solve(rows, dp);
    }

    fn determinant_sign(&self) -> Option<f64> {
        self.system.determinant_sign()
    }
}

/// Up to this many contacts the system on the contacts is dense.
const DENSE_CONTACTS: usize = 12;

/// Memory of the systems on the contacts, dense or in sparse blocks.
#[derive(Clone, Debug, Default)]
pub struct DelassusMemory {
    dense: DenseLu,
    rhs: Vec<f64>,
    sparse: NodeLu<3>,
    blocks: Vec<[f64; 3]>,
    starts: Vec<usize>,
    cols: Vec<usize>,
    w_bar: Vec<f64>,
    natural_w_bar: Vec<f64>,
    patches: Patches,
    /// Whether patches are used; where they may be, not known before the first factorisation.
    patched: Option<bool>,
    factorisations: usize,
}

/// A local problem with its memory.
#[derive(Debug)]
pub struct DelassusSystem<'a> {
    pub(crate) problem: &'a LocalProblem,
    memory: &'a mut DelassusMemory,
}

fn block_of(m: &DMat3) -> Block<3> {
    m.transpose().to_cols_array_2d()
}

impl<'a> DelassusSystem<'a> {
    /// Prepares the system of a local problem.
    pub fn new(problem: &'a LocalProblem, memory: &'a mut DelassusMemory) -> Self {
        memory.w_bar.clear();
        let w_bar = |i| problem.delassus.w_bar(i);
        memory.w_bar.extend((0..problem.len()).map(w_bar));
        memory.natural_w_bar.clone_from(&memory.w_bar);
        memory.patched = Some(false);
        memory.factorisations = 0;
        Self { problem, memory }
    }

    /// Is the system solved by patches? Six unknowns for each, whatever its rank.
    fn patched(&mut self) -> bool {
        let memory = &mut *self.memory;
        *memory.patched.get_or_insert_with(|| {
            memory.patches.find(&self.problem.delassus);
            5 * memory.patches.len() <= 3 * self.problem.len()
        })
    }

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
        self.memory.w_bar[i]
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        u.clear();
        u.extend((0..self.len()).map(|i| self.problem.velocity(i, p)));
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.delassus().times(dp, du);
    }

    fn factorisations(&self) -> usize {
        self.memory.factorisations
    }

    fn direct(&self) -> bool {
        self.len() <= DENSE_CONTACTS
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.memory.factorisations += 1;
        let n_c = rows.len();
        let delassus = &self.problem.delassus;
        if self.direct() {
            let n = 3 * n_c;
            let a = self.memory.dense.matrix(n);
            for i in 0..n_c {
                let (cols, blocks) = delassus.row(i);
                for (&j, w) in cols.iter().zip(blocks) {
                    let mut m = rows[i].b * *w;
                    if i == j {
                        m += rows[i].a;
                    }
                    for (r, row) in block_of(&m).iter().enumerate() {
                        let at = (3 * i + r) * n + 3 * j;
                        a[at..at + 3].copy_from_slice(row);
                    }
                }
            }
            return self.memory.dense.factor_in_place();
        }
        if self.patched() {
            return self.memory.patches.factor(rows);
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
        let direct = self.direct();
        let memory = &mut *self.memory;
        dp.clear();
        if direct {
            memory.rhs.clear();
            memory.rhs.extend(rows.iter().flat_map(|r| r.g.to_array()));
            memory.dense.solve(&mut memory.rhs);
            dp.extend(memory.rhs.chunks_exact(3).map(DVec3::from_slice));
        } else if memory.patched == Some(true) {
            memory.patches.back_solve(rows, dp);
        } else {
            memory.blocks.clear();
            memory.blocks.extend(rows.iter().map(|r| r.g.to_array()));
            memory.sparse.solve(&mut memory.blocks);
            dp.extend(memory.blocks.iter().map(|&v| DVec3::from_array(v)));
        }
    }
}

/// Rows of Wᵀ L of one contact on one body, 3×6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledArm {
    pub(crate) body: usize,
    pub(crate) rows: [[f64; 6]; 3],
}

/// Memory of the system on the bodies.
#[derive(Clone, Debug, Default)]
pub struct BodyMemory {
    arms: Vec<[Option<ScaledArm>; 2]>,
    compliance: Vec<DVec3>,
    w_bar: Vec<f64>,
    natural_w_bar: Vec<f64>,
    a_inverse: Vec<DMat3>,
    lu: NodeLu<6>,
    starts: Vec<usize>,
    cols: Vec<usize>,
    pairs: Vec<(usize, usize)>,
    y: Vec<[f64; 6]>,
    nu: Vec<Twist>,
    factorisations: usize,
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
        for contact in &problem.contacts {
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
                    ScaledArm {
                        body: arm.body,
                        rows,
                    }
                })
            });
            memory.push(arms, contact.compliance);
        }
        memory.natural_w_bar.clone_from(&memory.w_bar);
        memory.find_pattern(problem.inverse_mass.len());
        Self { problem, memory }
    }
}

impl BodyMemory {
    /// By fronts, however few bodies there are: they know the sign of the determinant.
    pub(crate) fn by_fronts() -> Self {
        Self {
            lu: NodeLu::by_fronts(),
            ..Self::default()
        }
    }

    /// Forgets the contacts.
    pub(crate) fn clear(&mut self) {
        self.arms.clear();
        self.compliance.clear();
        self.w_bar.clear();
        self.pairs.clear();
        self.factorisations = 0;
    }

    /// Adds a contact.
    pub(crate) fn push(&mut self, arms: [Option<ScaledArm>; 2], compliance: DVec3) {
        let mut trace = 0.0;
        for arm in arms.iter().flatten() {
            for row in &arm.rows {
                trace += row.iter().map(|v| v * v).sum::<f64>();
            }
        }
        if let [Some(a), Some(b)] = &arms {
            self.pairs.push((a.body, b.body));
            self.pairs.push((b.body, a.body));
        }
        self.arms.push(arms);
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

    /// y = Lᵀ W dp.
    fn gather(&mut self, dp: impl Iterator<Item = DVec3>) {
        self.y.clear();
        self.y.resize(self.bodies(), [0.0; 6]);
        for (arms, dp) in self.arms.iter().zip(dp) {
            for arm in arms.iter().flatten() {
                transposed_times(arm, dp, &mut self.y[arm.body]);
            }
        }
    }

    /// As [`Coupled::response`].
    pub(crate) fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.gather(dp.iter().copied());
        du.clear();
        let contacts = self.arms.iter().zip(&self.compliance).zip(dp);
        du.extend(contacts.map(|((arms, c), &dp)| relative_velocity(arms, &self.y) + *c * dp));
    }

    /// As [`Coupled::factor`].
    pub(crate) fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.factorisations += 1;
        let n_b = self.bodies();
        self.lu.analyse(&self.starts, &self.cols);
        self.a_inverse.clear();
        let mut identity = [[0.0; 6]; 6];
        for (k, row) in identity.iter_mut().enumerate() {
            row[k] = 1.0;
        }
        for b in 0..n_b {
            self.lu.add(b, b, &identity);
        }
        for ((arms, row), compliance) in self.arms.iter().zip(rows).zip(&self.compliance) {
            // The compliance belongs to the contact: A δp + B (W + C) δp = (A + B C) δp + B W δp.
            let a_inverse = if *compliance == DVec3::ZERO {
                row.a_inverse
            } else {
                inverse(&(row.a + row.b * DMat3::from_diagonal(*compliance)))
            };
            let k = a_inverse * row.b;
            if !k.is_finite() {
                return false;
            }
            self.a_inverse.push(a_inverse);
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
                    self.lu.add(left.body, right.body, &block);
                }
            }
        }
        self.lu.factor()
    }

    /// As [`Coupled::factorisations`].
    pub(crate) fn factorisations(&self) -> usize {
        self.factorisations
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
        for ((row, a), arms) in rows.iter().zip(&a_inverse).zip(&self.arms) {
            let du = relative_velocity(arms, &self.y);
            dp.push(*a * (row.g - row.b * du));
        }
        self.a_inverse = a_inverse;
    }
}

impl BodySystem<'_> {
    /// ν += δν of the last `back_solve`: L y.
    pub(crate) fn add_velocity_change(&self, nu: &mut [Twist]) {
        let both = nu.iter_mut().zip(&self.problem.inverse_mass);
        for ((nu, inverse), y) in both.zip(&self.memory.y) {
            nu.linear += DVec3::new(y[0], y[1], y[2]) * inverse.mass.sqrt();
            nu.angular += cholesky(&inverse.inertia) * DVec3::new(y[3], y[4], y[5]);
        }
    }
}

/// The laws linearised at (p, u): A = w̄ (I − D + ε I), B = D_u, g = −F.
pub(crate) fn linearised_rows<S: Coupled>(
    system: &S,
    map: Map,
    p: &[DVec3],
    u: &[DVec3],
    epsilon: f64,
    rows: &mut Vec<Linearised>,
) {
    rows.clear();
    let direct = system.direct();
    for i in 0..p.len() {
        let w_bar = system.w_bar(i);
        let Linear { f, d, by_u } = map.at(system.law(i), p[i], u[i], w_bar);
        // A contact that no body feels has w̄ = 0: keep A regular.
        let scale = if w_bar > 0.0 { w_bar } else { 1.0 };
        let a = (DMat3::IDENTITY * (1.0 + epsilon) - d) * scale;
        rows.push(Linearised {
            a,
            a_inverse: if direct { DMat3::ZERO } else { inverse(&a) },
            b: by_u,
            g: -f,
        });
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
        self.memory.response(dp, du);
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.memory.factor(rows)
    }

    fn factorisations(&self) -> usize {
        self.memory.factorisations()
    }

    fn determinant_sign(&self) -> Option<f64> {
        self.memory.determinant_sign()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.memory.back_solve(rows, dp);
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
