//! LCPs that are contact problems in disguise: Stewart and Trinkle's form, recognised by its structure.
//!
//! ```text
//!   0 ≤ p_n ⟂ u_n ≥ 0        0 ≤ β ⟂ Dᵀu_t + σ ≥ 0        0 ≤ σ ⟂ μ p_n − Σβ ≥ 0
//! ```
//!
//! A multiplier σ has no diagonal entry, a column of ones on its β, and a row of −1 on them and μ on one other
//! variable. With two opposite directions the friction is that of the plane (|p_t| ≤ μ p_n), with two such pairs
//! that of a pyramid. As a contact problem it has a fifth or a sixth of the unknowns, and the methods for friction.

use crate::auto::Auto;
use crate::coupling::SystemMemory;
use crate::engines::homotopy::{Homotopy, HomotopySettings, PathStart};
use crate::lcp::{LcpError, LcpSolution, MixedLcp};
use crate::problem::Law;
use crate::problem::Posed;
use crate::problem::delassus::Delassus;
use crate::problem::local::LocalProblem;
use crate::solver::{Engine, SolveError};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Steps along a path, and whether it is the one from the relaxation.
const PATHS: [(usize, PathStart); 4] = [
    (60, PathStart::FIRST),
    (150, PathStart::RELAXED),
    (300, PathStart::FIRST),
    (600, PathStart::RELAXED),
];

/// Variables of one contact: its normal, its directions with their opposites, its multiplier.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    normal: usize,
    pairs: Vec<[usize; 2]>,
    sigma: Option<usize>,
}

/// An LCP as a contact problem.
#[derive(Clone, Debug)]
pub struct LcpContact {
    /// The contact problem.
    pub problem: LocalProblem,
    places: Vec<Place>,
    /// Variables of the LCP.
    n: usize,
}

type Rows = Vec<Vec<(usize, f64)>>;

/// Entries of each row, sorted by column.
fn rows_of(problem: &MixedLcp) -> Rows {
    let mut rows = vec![Vec::new(); problem.q.len()];
    for (i, j, v) in problem.m.entries() {
        if v != 0.0 {
            rows[i].push((j, v));
        }
    }
    for row in &mut rows {
        row.sort_unstable_by_key(|e| e.0);
    }
    rows
}

/// Is row `b` the negative of row `a`, but for the column `except`?
fn opposite(rows: &Rows, q: &[f64], a: usize, b: usize, except: usize) -> bool {
    let near = |x: f64, y: f64| (x + y).abs() <= 1e-12 * (x.abs() + y.abs());
    let entries = |k: usize| rows[k].iter().filter(move |e| e.0 != except);
    near(q[a], q[b])
        && entries(a).count() == entries(b).count()
        && entries(a)
            .zip(entries(b))
            .all(|(x, y)| x.0 == y.0 && near(x.1, y.1))
}

/// The contact with friction whose slip σ is row `s`, 0 ≤ σ ⟂ μ p_n − Σβ ≥ 0, and its coefficient; None where that row is no such thing.
fn pyramid_of(problem: &MixedLcp, rows: &Rows, s: usize) -> Option<(Place, f64)> {
    let (members, normals): (Vec<_>, Vec<_>) = rows[s].iter().partition(|e| e.1 == -1.0);
    let [&(normal, mu)] = normals[..] else {
        return None;
    };
    let column: Vec<_> = problem.m.column(s).filter(|e| e.1 != 0.0).collect();
    let ones = column.iter().all(|e| e.1 == 1.0);
    let same =
        column.len() == members.len() && column.iter().all(|c| members.iter().any(|m| m.0 == c.0));
    if !(mu > 0.0 && ones && same) {
        return None;
    }
    let mut left: Vec<usize> = members.iter().map(|m| m.0).collect();
    let mut pairs = Vec::new();
    while let Some(a) = left.first().copied() {
        let mut others = left[1..].iter();
        let found = others.position(|&b| opposite(rows, &problem.q, a, b, s))?;
        pairs.push([a, left.remove(found + 1)]);
        left.remove(0);
    }
    let place = Place {
        normal,
        pairs,
        sigma: Some(s),
    };
    (1..=2).contains(&place.pairs.len()).then_some((place, mu))
}

impl LcpContact {
    /// The contact problem that this LCP states; None where it states none with friction.
    #[must_use]
    pub fn recognise(problem: &MixedLcp) -> Option<Self> {
        if problem.n_eq > 0 {
            return None;
        }
        let n = problem.q.len();
        let rows = rows_of(problem);
        let mut owner = vec![None; n];
        let mut places: Vec<Place> = Vec::new();
        let mut coefficients = Vec::new();
        for s in 0..n {
            if rows[s].iter().any(|e| e.0 == s) || problem.q[s] != 0.0 {
                continue;
            }
            let (place, mu) = pyramid_of(problem, &rows, s)?;
            let members = place.pairs.iter().flatten().copied();
            for k in [s, place.normal].into_iter().chain(members) {
                if owner[k].replace(places.len()).is_some() {
                    return None;
                }
            }
            places.push(place);
            coefficients.push(mu);
        }
        if places.is_empty() {
            return None;
        }
        for k in 0..n {
            if owner[k].is_none() {
                places.push(Place {
                    normal: k,
                    pairs: Vec::new(),
                    sigma: None,
                });
                coefficients.push(0.0);
            }
        }
        Some(Self {
            problem: contact_problem(problem, &rows, &places, &coefficients),
            places,
            n,
        })
    }

    /// Solves as a contact problem: planar friction along the two paths of [`Homotopy`] in turn, each given up early at
    /// first, everything by `auto`; z is judged on the LCP.
    ///
    /// # Errors
    /// [`LcpError::Limit`] with the best point where the tolerance is not met.
    pub fn solve(&self, problem: &MixedLcp, tolerance: f64) -> Result<LcpSolution, LcpError> {
        let mut best = LcpSolution {
            z: vec![0.0; problem.q.len()],
            residual: f64::INFINITY,
            iterations: 0,
        };
        let mut offer = |p: &[DVec3], iterations: usize| {
            best.iterations += iterations;
            let z = self.variables(p);
            let residual = problem.residual(&z);
            if residual < best.residual {
                (best.z, best.residual) = (z, residual);
            }
            best.residual <= tolerance
        };
        let is_pyramid = |l: &Law| matches!(l, Law::Pyramid { .. });
        let paths: &'static [(usize, PathStart)] = if self.problem.laws.iter().any(is_pyramid) {
            &[]
        } else {
            &PATHS
        };
        let inner = 1e-2 * tolerance * self.problem.speed();
        let mut homotopy = Homotopy::default();
        let mut memory = SystemMemory::default();
        for (steps, start) in paths {
            let settings = HomotopySettings {
                steps: *steps,
                starts: std::slice::from_ref(start),
                ..HomotopySettings::ALL_PATHS
            };
            let mut p = vec![DVec3::ZERO; self.problem.len()];
            let mut system = memory.system(Posed::Local(&self.problem));
            let outcome = homotopy.improve(&mut system, &mut p, inner, &settings);
            if offer(&p, outcome.effort.iterations) {
                return Ok(best);
            }
        }
        let mut auto = Auto::default();
        // The two residuals are scaled in their own ways.
        for tighten in [0.1, 1e-3] {
            let (p, iterations) = match auto.solve_local(&self.problem, &[], tolerance * tighten) {
                Ok(solved) => (solved.impulses, solved.iterations),
                Err(SolveError::NotConverged {
                    best, iterations, ..
                }) => (best, iterations),
                Err(e) => return Err(LcpError::Unsuitable(e.to_string())),
            };
            if offer(&p, iterations) {
                return Ok(best);
            }
        }
        Err(LcpError::Limit {
            iterations: best.iterations,
            z: best.z,
            residual: best.residual,
        })
    }

    /// z of impulses.
    fn variables(&self, p: &[DVec3]) -> Vec<f64> {
        let mut z = vec![0.0; self.n];
        for (i, place) in self.places.iter().enumerate() {
            z[place.normal] = p[i].x.max(0.0);
            let u = self.problem.velocity(i, p);
            let mut slip = 0.0f64;
            for (k, &[plus, minus]) in place.pairs.iter().enumerate() {
                z[plus] = p[i][k + 1].max(0.0);
                z[minus] = (-p[i][k + 1]).max(0.0);
                slip = slip.max(u[k + 1].abs());
            }
            if let Some(s) = place.sigma {
                z[s] = slip;
            }
        }
        z
    }
}

fn contact_problem(
    problem: &MixedLcp,
    rows: &Rows,
    places: &[Place],
    coefficients: &[f64],
) -> LocalProblem {
    // Contact and axis of the variables that stand for the rows of u.
    let mut axis = vec![None; problem.q.len()];
    let mut q = vec![DVec3::ZERO; places.len()];
    for (i, place) in places.iter().enumerate() {
        let own = [place.normal]
            .into_iter()
            .chain(place.pairs.iter().map(|p| p[0]));
        for (k, variable) in own.enumerate() {
            axis[variable] = Some((i, k));
            q[i][k] = problem.q[variable];
        }
    }
    let mut blocks: BTreeMap<(usize, usize), DMat3> = BTreeMap::new();
    for (variable, row) in rows.iter().enumerate() {
        let Some((i, r)) = axis[variable] else {
            continue;
        };
        for &(column, v) in row {
            if let Some((j, c)) = axis[column] {
                let block = blocks.entry((i, j)).or_insert(DMat3::ZERO);
                block.col_mut(c)[r] = v;
            }
        }
    }
    let entries = blocks.into_iter().map(|((i, j), b)| (i, j, b)).collect();
    let laws = places
        .iter()
        .zip(coefficients)
        .map(|(place, &mu)| match place.pairs.len() {
            0 => Law::Unilateral,
            1 => Law::Cone { mu },
            _ => Law::Pyramid { mu, directions: 4 },
        })
        .collect();
    LocalProblem {
        delassus: Delassus::from_blocks(places.len(), entries),
        q,
        laws,
    }
}
