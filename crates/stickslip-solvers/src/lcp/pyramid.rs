//! The step's problem as a mixed LCP: pyramids, unilateral and bounded rows, solved by Lemke.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::lemke::Lemke;
use crate::lcp::{LcpError, MixedLcp};
use crate::problem::law::{contact_vector, direction};
use crate::problem::local::LocalProblem;
use crate::problem::{ContactProblem, Law};
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved};
use glam::DVec3;

/// The multiplier (σ, or s of a bound) of the row capacity + Σ coefficient·impulse ≥ 0.
struct Multiplier {
    capacity: f64,
    /// (impulse variable among the complementary ones, coefficient).
    members: Vec<(usize, f64)>,
}

/// The variables of the LCP, contact by contact.
#[derive(Default)]
struct Variables {
    /// Contact and direction in its frame of the impulses of bilateral rows, and of the others.
    free: Vec<(usize, DVec3)>,
    complementary: Vec<(usize, DVec3)>,
    multipliers: Vec<Multiplier>,
    /// Constant part of the impulses: finite bounds of bounded rows.
    offset: Vec<DVec3>,
}

impl Variables {
    fn of(laws: &[Law]) -> Result<Self, String> {
        let mut out = Self {
            offset: vec![DVec3::ZERO; laws.len()],
            ..Self::default()
        };
        for (i, law) in laws.iter().enumerate() {
            match law {
                Law::Cone { .. } => {
                    return Err(format!("contact {i} has a quadratic cone; use a pyramid"));
                }
                Law::Disc { .. } => {
                    return Err(format!(
                        "contact {i} has a disc of friction; use newton or nsgs"
                    ));
                }
                Law::Soft { .. } | Law::Moments { .. } => {
                    return Err(format!("contact {i} bears moments; use auto"));
                }
                Law::Unilateral => out.complementary.push((i, DVec3::X)),
                Law::Pyramid { mu, directions } => out.add_pyramid(i, *mu, *directions),
                Law::Bounded { lo, hi } => {
                    for k in 0..3 {
                        out.add_row(i, k, lo[k], hi[k]);
                    }
                }
            }
        }
        Ok(out)
    }

    /// p_n, the β of all directions, and σ with μ p_n − Σβ ≥ 0.
    fn add_pyramid(&mut self, i: usize, mu: f64, directions: usize) {
        let mut members = vec![(self.complementary.len(), mu)];
        self.complementary.push((i, DVec3::X));
        for j in 0..directions {
            members.push((self.complementary.len(), -1.0));
            let d = contact_vector(0.0, direction(j, directions));
            self.complementary.push((i, d));
        }
        self.multipliers.push(Multiplier {
            capacity: 0.0,
            members,
        });
    }

    /// A row of impulses between `lo` and `hi`: free, or counted from a finite bound, with a multiplier if there are two.
    fn add_row(&mut self, i: usize, k: usize, lo: f64, hi: f64) {
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][k];
        match (lo.is_finite(), hi.is_finite()) {
            (false, false) => self.free.push((i, axis)),
            (false, true) => {
                self.offset[i][k] = hi;
                self.complementary.push((i, -axis));
            }
            (true, _) => {
                self.offset[i][k] = lo;
                if lo == hi {
                    return;
                }
                if hi.is_finite() {
                    self.multipliers.push(Multiplier {
                        capacity: hi - lo,
                        members: vec![(self.complementary.len(), -1.0)],
                    });
                }
                self.complementary.push((i, axis));
            }
        }
    }
}

/// The entries of the impulses among each other, dᵀ D d', and dᵀ(D offset + q) into `q`.
fn coupling(
    problem: &LocalProblem,
    impulses: &[(usize, DVec3)],
    offset: &[DVec3],
    q: &mut [f64],
) -> Result<Vec<(usize, usize, f64)>, String> {
    let n_c = problem.len();
    // Variables of each contact, to fill the coupling block by block.
    let mut of_contact = vec![Vec::new(); n_c];
    for (k, &(i, _)) in impulses.iter().enumerate() {
        of_contact[i].push(k);
    }
    let blocks = (0..n_c).flat_map(|i| problem.delassus.row(i).0.iter().map(move |&j| (i, j)));
    let filled = blocks.map(|(i, j)| of_contact[i].len() * of_contact[j].len());
    let filled: usize = filled.sum();
    if filled > MOST_ENTRIES {
        return Err(format!(
            "an LCP of {filled} entries; {MOST_ENTRIES} is the most"
        ));
    }
    let mut entries = Vec::new();
    for i in 0..n_c {
        let u = problem.velocity(i, offset);
        for &a in &of_contact[i] {
            q[a] = impulses[a].1.dot(u);
        }
        let (cols, blocks) = problem.delassus.row(i);
        for (&j, block) in cols.iter().zip(blocks) {
            for &b in &of_contact[j] {
                let column = *block * impulses[b].1;
                for &a in &of_contact[i] {
                    let v = impulses[a].1.dot(column);
                    if v != 0.0 {
                        entries.push((a, b, v));
                    }
                }
            }
        }
    }
    Ok(entries)
}

/// The problem of a step as a mixed LCP, and the way back from z to impulses.
#[derive(Clone, Debug, Default)]
pub struct ContactLcp {
    /// The problem.
    pub mixed: MixedLcp,
    /// Contact and direction in its frame of each impulse variable, free ones first.
    impulses: Vec<(usize, DVec3)>,
    /// Constant part of the impulses: finite bounds.
    offset: Vec<DVec3>,
}

/// The most entries of its matrix (2.4 GB with what is needed to build it).
const MOST_ENTRIES: usize = 100_000_000;

impl ContactLcp {
    /// Writes a problem of pyramids, unilateral contacts and bounded rows as
    ///
    /// ```text
    ///   0 = u_k                       p_k free            bilateral rows
    ///   0 ≤ p_n ⟂ u_n ≥ 0
    ///   0 ≤ β   ⟂ dᵀu_t + σ ≥ 0      p_t = d β           d = (d_1 … d_nd)
    ///   0 ≤ σ   ⟂ μ p_n − Σβ ≥ 0
    ///   0 ≤ z   ⟂ ±(u_k) + s ≥ 0     p_k = bound ± z     rows with one or two finite bounds
    ///   0 ≤ s   ⟂ hi − lo − z ≥ 0
    /// ```
    ///
    /// # Errors
    /// The first contact with a quadratic cone, which no LCP can hold; more directions than memory.
    pub fn new(problem: &LocalProblem) -> Result<Self, String> {
        let Variables {
            free,
            complementary,
            multipliers,
            offset,
        } = Variables::of(&problem.laws)?;
        let n_eq = free.len();
        let n_p = n_eq + complementary.len();
        let n = n_p + multipliers.len();
        let impulses = [free, complementary].concat();
        let mut q = vec![0.0; n];
        let mut entries = coupling(problem, &impulses, &offset, &mut q)?;
        for (k, multiplier) in multipliers.iter().enumerate() {
            let s = n_p + k;
            q[s] = multiplier.capacity;
            for &(v, coefficient) in &multiplier.members {
                if coefficient != 0.0 {
                    entries.push((s, n_eq + v, coefficient));
                }
                // A member with positive coefficient is the normal: σ does not enter its row.
                if coefficient < 0.0 {
                    entries.push((n_eq + v, s, 1.0));
                }
            }
        }
        let m = SparseMatrix::from_triplets(n, n, &entries)?;
        Ok(Self {
            mixed: MixedLcp { m, q, n_eq },
            impulses,
            offset,
        })
    }

    /// Impulses in each contact's frame from the variables z of the mixed LCP.
    #[must_use]
    pub fn impulses(&self, z: &[f64]) -> Vec<DVec3> {
        let mut p = self.offset.clone();
        for (&(i, d), z) in self.impulses.iter().zip(z) {
            p[i] += d * *z;
        }
        p
    }

    /// The change of impulses along a direction of z.
    pub(crate) fn along(&self, direction: &[f64]) -> Vec<DVec3> {
        let mut p = vec![DVec3::ZERO; self.offset.len()];
        for (&(i, d), z) in self.impulses.iter().zip(direction) {
            p[i] += d * *z;
        }
        p
    }

    /// Contacts with an impulse variable that is not zero in a direction of z, to 1e-9 of the largest.
    #[must_use]
    pub fn contacts_on(&self, direction: &[f64]) -> Vec<usize> {
        let size = |k: usize| direction.get(k).map_or(0.0, |v| v.abs());
        let largest = (0..self.impulses.len()).map(size).fold(0.0, f64::max);
        let mut contacts: Vec<usize> = self
            .impulses
            .iter()
            .enumerate()
            .filter(|&(k, _)| largest > 0.0 && size(k) > 1e-9 * largest)
            .map(|(_, &(i, _))| i)
            .collect();
        contacts.dedup();
        contacts.sort_unstable();
        contacts.dedup();
        contacts
    }
}

/// Every cone becomes a pyramid of `directions` directions.
pub(crate) fn replace_cones(problem: &mut LocalProblem, directions: usize) {
    for law in &mut problem.laws {
        if let Law::Cone { mu } = *law {
            *law = Law::Pyramid { mu, directions };
        }
    }
}

/// Impulses that solve `problem` with every cone replaced by a pyramid of `directions` directions:
/// a start for methods on the exact cone, and the pivots it took. None where Lemke finds none. The laws of `problem` change.
pub(crate) fn start(
    problem: &mut LocalProblem,
    directions: usize,
    p: &mut Vec<DVec3>,
) -> Option<usize> {
    replace_cones(problem, directions);
    let lcp = ContactLcp::new(problem).ok()?;
    let mut lemke = Lemke::default();
    let (z, pivots) = match lemke.solve(&lcp.mixed) {
        Ok(solution) => (solution.z, solution.iterations),
        Err(
            LcpError::Ray { z, pivots, .. }
            | LcpError::Limit {
                z,
                iterations: pivots,
                ..
            },
        ) => (z, pivots),
        Err(LcpError::Unsuitable(_)) => return None,
    };
    *p = lcp.impulses(&z);
    p.iter().all(|p| p.is_finite()).then_some(pivots)
}

/// Lemke's method on the step's problem with pyramids.
#[derive(Clone, Debug, Default)]
pub struct LemkeContact {
    /// The pivoting method and its settings.
    pub lemke: Lemke,
    local: LocalProblem,
}

impl ContactSolver for LemkeContact {
    fn name(&self) -> &'static str {
        "lemke"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "finds a solution in finitely many pivots",
            hypotheses: "exact arithmetic, pyramids, M positive definite and right-hand sides b_n ≥ 0 \
                         (Stewart and Trinkle 1996; Anitescu and Potra 1997)",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        crate::solver::starting_impulses(solver, problem, guess)?;
        self.local.assemble(problem);
        let unsuitable = |reason: String| SolveError::Unsuitable { solver, reason };
        let lcp = ContactLcp::new(&self.local).map_err(unsuitable)?;
        let lemke = &mut self.lemke;
        match lemke.solve(&lcp.mixed) {
            Ok(solution) => {
                let p = lcp.impulses(&solution.z);
                crate::solver::finish(solver, problem, p, solution.iterations, tolerance)
            }
            Err(LcpError::Ray {
                pivots,
                direction,
                z,
                ..
            }) => {
                // A ray may end at a point that satisfies the law all the same.
                let p = lcp.impulses(&z);
                crate::solver::finish(solver, problem, p, pivots, tolerance).map_err(|_| {
                    SolveError::Ray {
                        solver,
                        iterations: pivots,
                        contacts: lcp.contacts_on(&direction),
                    }
                })
            }
            Err(LcpError::Limit { iterations, z, .. }) => {
                let p = lcp.impulses(&z);
                crate::solver::finish(solver, problem, p, iterations, tolerance)
            }
            Err(LcpError::Unsuitable(reason)) => Err(unsuitable(reason)),
        }
    }
}
