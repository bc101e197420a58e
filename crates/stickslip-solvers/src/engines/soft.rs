//! Newton's method for contacts with moments: the map of Alart and Curnier on all rows, the two blocks of a contact as one.
//!
//! The system (∂F/∂x w̄ + ∂F/∂u D) δp = −F has the pattern of D: both blocks of a contact touch the same bodies. Few blocks are
//! eliminated densely, with rows exchanged; many in sparse blocks.

use crate::factor::dense::DenseLu;
use crate::factor::node_lu::NodeLu;
use crate::limit;
use crate::problem::local::LocalProblem;
use crate::problem::residual;
use crate::problem::soft::SoftLaw;
use crate::problem::{ContactProblem, Law, Twist};
use crate::solver::{Effort, Outcome};
use glam::{DMat3, DVec3};

/// Up to this many blocks the system is dense.
const DENSE: usize = 40;
/// Relative regularisation of redundant contacts.
const REGULARISATION: f64 = 1e-10;
/// Shortest part of a step that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;
/// Part of the decrease that the slope promises which a shorter step must bring.
const ENOUGH: f64 = 1e-4;

/// How far Newton goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoftSettings {
    /// Most steps.
    pub(crate) steps: usize,
    /// Whole steps, whatever they do to F: past corners where shorter ones get stuck.
    pub(crate) whole: bool,
    /// Residual that is aimed at where it costs no more than a step or two, m/s.
    pub(crate) aim: f64,
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct SoftNewton {
    local: LocalProblem,
    /// The block of moments of each contact, or none.
    moments: Vec<Option<usize>>,
    dense: DenseLu,
    sparse: NodeLu<3>,
    starts: Vec<usize>,
    cols: Vec<usize>,
    rows: Vec<Row>,
    trial: Vec<DVec3>,
    nu: Vec<Twist>,
    rhs: Vec<f64>,
    steps: Vec<[f64; 3]>,
}

/// The derivatives of one block's F: by the impulse and velocity of this block and of another.
#[derive(Clone, Copy, Debug)]
struct Row {
    f: DVec3,
    /// By w̄ p and by u: of the block itself, then of the other.
    by_x: [DMat3; 2],
    by_u: [DMat3; 2],
    other: Option<usize>,
    w_bar: f64,
}

impl SoftNewton {
    /// Takes the problem that is to be solved.
    pub(crate) fn take(&mut self, problem: &ContactProblem) {
        self.local.assemble(problem);
        self.moments.clear();
        self.moments.resize(problem.contacts.len(), None);
        for (i, block) in problem.contacts.iter().enumerate() {
            if let Law::Moments { of, .. } = block.law {
                self.moments[of] = Some(i);
            }
        }
    }

    /// Improves `p`, of the problem taken last, until the residual is at most `tolerance`, m/s; `p` ends as the best found.
    pub(crate) fn improve(
        &mut self,
        problem: &ContactProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: SoftSettings,
    ) -> Outcome {
        let mut best = Outcome {
            residual: residual::of_step(problem, p, &mut self.nu).0,
            effort: Effort::default(),
        };
        let mut at = p.clone();
        let mut steps = 0;
        while steps < settings.steps && best.residual > settings.aim && !limit::reached() {
            self.linearise(&at);
            let merit = self.merit();
            limit::spend(at.len());
            if !self.factor() {
                break;
            }
            self.solve();
            steps += 1;
            if !self.step(&mut at, merit, settings.whole) {
                break;
            }
            let now = residual::of_step(problem, &at, &mut self.nu).0;
            let good = best.residual <= tolerance;
            if now < best.residual {
                // Beyond the tolerance only as long as it is quick.
                let slow = good && now > 0.1 * best.residual;
                best.residual = now;
                p.clone_from(&at);
                if slow {
                    break;
                }
            } else if good {
                break;
            }
        }
        best.effort = Effort {
            iterations: steps,
            factorisations: steps,
        };
        best
    }

    /// F and its derivatives at `p`.
    fn linearise(&mut self, p: &[DVec3]) {
        let local = &self.local;
        self.rows.clear();
        for (i, law) in local.laws.iter().enumerate() {
            let u = |i: usize| local.velocity(i, p);
            let w_bar = |i: usize| {
                let w = local.delassus.w_bar(i);
                if w > 0.0 { w } else { 1.0 }
            };
            let pair = match *law {
                Law::Moments { of, .. } => Some((of, i)),
                Law::Soft { .. } => self.moments[i].map(|m| (i, m)),
                _ => None,
            };
            let Some((c, m)) = pair else {
                let linear = law.alart_curnier(p[i], u(i), w_bar(i));
                self.rows.push(Row {
                    f: linear.f,
                    by_x: [DMat3::IDENTITY - linear.d, DMat3::ZERO],
                    by_u: [linear.by_u, DMat3::ZERO],
                    other: None,
                    w_bar: w_bar(i),
                });
                continue;
            };
            let law = soft_law(local, c, m);
            let linear = law.linearised([p[c], p[m]], [u(c), u(m)], w_bar(c));
            let (own, other) = if i == c { (0, 1) } else { (1, 0) };
            self.rows.push(Row {
                f: linear.f[own],
                by_x: [linear.by_x[own][own], linear.by_x[own][other]],
                by_u: [linear.by_u[own][own], linear.by_u[own][other]],
                other: Some(if i == c { m } else { c }),
                w_bar: w_bar(c),
            });
        }
    }

    /// |F|².
    fn merit(&self) -> f64 {
        self.rows.iter().map(|row| row.f.length_squared()).sum()
    }

    /// |F|² elsewhere.
    fn merit_at(&mut self, p: &[DVec3]) -> f64 {
        self.linearise(p);
        self.merit()
    }

    /// Visits the blocks of the system's matrix; one place may come twice.
    fn for_blocks(&self, mut visit: impl FnMut(usize, usize, &DMat3)) {
        for (i, row) in self.rows.iter().enumerate() {
            let of = [Some(i), row.other];
            for (k, j) in of.into_iter().enumerate() {
                let Some(j) = j else { continue };
                let mut own = row.by_x[k] * row.w_bar;
                if k == 0 {
                    own += DMat3::IDENTITY * (REGULARISATION * row.w_bar);
                }
                visit(i, j, &own);
                let (cols, blocks) = self.local.delassus.row(j);
                for (&c, d) in cols.iter().zip(blocks) {
                    visit(i, c, &(row.by_u[k] * *d));
                }
            }
        }
    }

    fn factor(&mut self) -> bool {
        let n = self.rows.len();
        if n <= DENSE {
            let mut dense = std::mem::take(&mut self.dense);
            let a = dense.matrix(3 * n);
            self.for_blocks(|i, j, block| {
                for c in 0..3 {
                    for r in 0..3 {
                        a[(3 * i + r) * 3 * n + 3 * j + c] += block.col(c)[r];
                    }
                }
            });
            let done = dense.factor_in_place();
            self.dense = dense;
            return done;
        }
        self.find_pattern();
        let mut sparse = std::mem::take(&mut self.sparse);
        sparse.analyse(&self.starts, &self.cols);
        self.for_blocks(|i, j, block| {
            sparse.add(i, j, &block.transpose().to_cols_array_2d());
        });
        let done = sparse.factor();
        self.sparse = sparse;
        done
    }

    /// The pattern of D, in which the two blocks of a contact always see each other.
    fn find_pattern(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.cols.clear();
        for (i, row) in self.rows.iter().enumerate() {
            let first = self.cols.len();
            self.cols.extend_from_slice(self.local.delassus.row(i).0);
            if let Some(other) = row.other
                && let Err(place) = self.cols[first..].binary_search(&other)
            {
                self.cols.insert(first + place, other);
            }
            self.starts.push(self.cols.len());
        }
    }

    /// The step δp, left in `steps`.
    fn solve(&mut self) {
        self.steps.clear();
        let right = self.rows.iter().map(|row| (-row.f).to_array());
        self.steps.extend(right);
        if self.rows.len() <= DENSE {
            self.rhs.clear();
            self.rhs.extend(self.steps.iter().flatten());
            self.dense.solve(&mut self.rhs);
            for (step, x) in self.steps.iter_mut().zip(self.rhs.chunks_exact(3)) {
                step.copy_from_slice(x);
            }
        } else {
            self.sparse.solve(&mut self.steps);
        }
    }

    /// Goes along the step: whole, or as far as F falls. False where it does not fall.
    fn step(&mut self, at: &mut Vec<DVec3>, merit: f64, whole: bool) -> bool {
        let mut part = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        let moved = loop {
            trial.clear();
            let both = at.iter().zip(&self.steps);
            trial.extend(both.map(|(p, d)| *p + DVec3::from_array(*d) * part));
            let finite = trial.iter().all(|p| p.is_finite());
            if whole || !finite {
                break finite;
            }
            if self.merit_at(&trial) <= (1.0 - ENOUGH * part) * merit {
                break true;
            }
            part *= 0.5;
            if part < SHORTEST {
                break false;
            }
        };
        if moved {
            at.clone_from(&trial);
        }
        self.trial = trial;
        moved
    }
}

/// The law of the contact whose forces are block `c` and whose moments are block `m`.
fn soft_law(local: &LocalProblem, c: usize, m: usize) -> SoftLaw {
    let (spin, roll) = match local.laws[m] {
        Law::Moments { spin, roll, .. } => (spin, roll),
        _ => (false, 0.0),
    };
    SoftLaw {
        mu: local.laws[c].friction(),
        spin,
        roll,
    }
}
