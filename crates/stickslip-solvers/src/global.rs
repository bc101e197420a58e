//! Frictional contact in global form, and its reduction to the contacts.

use crate::delassus::Delassus;
use crate::dense::DenseLu;
use crate::local::LocalProblem;
use crate::problem::Law;
use crate::sparse::SparseMatrix;
use glam::{DMat3, DVec3};

/// Frictional contact with velocities: find v, r, u with
///
/// ```text
///   M v = H r + f,    u = Hᵀ v + w,    (r_i, u_i) in Coulomb's law with μ_i,
/// ```
///
/// M symmetric positive definite (n_dof × n_dof), H n_dof × 3 n_c, normal first in each contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlobalProblem {
    /// M.
    pub m: SparseMatrix,
    /// H.
    pub h: SparseMatrix,
    /// f.
    pub f: Vec<f64>,
    /// w.
    pub w: Vec<f64>,
    /// μ of each contact.
    pub mu: Vec<f64>,
}

/// Largest block of M (degrees of freedom coupled with each other) that is factored densely.
const LARGEST_BLOCK: usize = 4000;

/// Most entries of W: one body that all of many contacts touch makes it dense.
const MOST_COUPLINGS: usize = 50_000_000;

impl GlobalProblem {
    /// Eliminates the velocities: W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
    ///
    /// M falls apart into blocks of coupled degrees of freedom (bodies, or a finite-element mesh);
    /// each is factored by itself.
    ///
    /// # Errors
    /// Sizes that disagree, or a block that is singular or too large.
    pub fn to_local(&self) -> Result<LocalProblem, String> {
        let n = self.f.len();
        let n_c = self.mu.len();
        let square = self.m.n_rows() == n && self.m.n_cols() == n;
        if !square || self.h.n_rows() != n || self.h.n_cols() != 3 * n_c || self.w.len() != 3 * n_c
        {
            return Err(format!(
                "sizes disagree: M {} x {}, H {} x {}, f {n}, w {}, mu {n_c}",
                self.m.n_rows(),
                self.m.n_cols(),
                self.h.n_rows(),
                self.h.n_cols(),
                self.w.len()
            ));
        }
        for (name, matrix) in [("M", &self.m), ("H", &self.h)] {
            if let Some((i, j, v)) = matrix.entries().find(|e| !e.2.is_finite()) {
                return Err(format!("{name}({i}, {j}) is {v}"));
            }
        }
        for (name, vector) in [("f", &self.f), ("w", &self.w)] {
            if let Some((i, v)) = vector.iter().enumerate().find(|e| !e.1.is_finite()) {
                return Err(format!("{name}({i}) is {v}"));
            }
        }
        let group = self.groups();
        let n_groups = group.iter().max().map_or(0, |g| g + 1);
        let mut members = vec![Vec::new(); n_groups];
        let mut place = vec![0; n];
        for i in 0..n {
            place[i] = members[group[i]].len();
            members[group[i]].push(i);
        }
        // Columns of H (row of Hᵀ) that touch each group.
        let mut columns = vec![Vec::new(); n_groups];
        for j in 0..3 * n_c {
            for (i, _) in self.h.column(j) {
                if columns[group[i]].last() != Some(&j) {
                    columns[group[i]].push(j);
                }
            }
        }
        for list in &mut columns {
            list.sort_unstable();
            list.dedup();
        }
        let couplings = |list: &Vec<usize>| list.len() * list.len();
        let stored: usize = columns.iter().map(couplings).sum();
        if stored > MOST_COUPLINGS {
            return Err(format!(
                "W would have {stored} entries; at most {MOST_COUPLINGS} are taken"
            ));
        }
        let mut q = self.w.clone();
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        let mut lu = DenseLu::default();
        for g in 0..n_groups {
            if columns[g].is_empty() {
                continue;
            }
            let size = members[g].len();
            if size > LARGEST_BLOCK {
                return Err(format!("a block of M couples {size} unknowns"));
            }
            let a = lu.matrix(size);
            for &i in &members[g] {
                for (r, v) in self.m.column(i) {
                    a[place[r] * size + place[i]] = v;
                }
            }
            if !lu.factor_in_place() {
                return Err("M is singular".into());
            }
            let mut x = vec![0.0; size];
            for (k, &i) in members[g].iter().enumerate() {
                x[k] = self.f[i];
            }
            lu.solve(&mut x);
            let dot = |j: usize, x: &[f64]| -> f64 {
                self.h
                    .column(j)
                    .filter(|&(i, _)| group[i] == g)
                    .map(|(i, v)| v * x[place[i]])
                    .sum()
            };
            for &j in &columns[g] {
                q[j] += dot(j, &x);
            }
            for &c in &columns[g] {
                x.fill(0.0);
                for (i, v) in self.h.column(c).filter(|&(i, _)| group[i] == g) {
                    x[place[i]] = v;
                }
                lu.solve(&mut x);
                for &r in &columns[g] {
                    entries.push((r, c, dot(r, &x)));
                }
            }
        }
        local_problem(3 * n_c, &entries, &q, &self.mu)
    }

    /// Connected component of each row in the graph of M.
    fn groups(&self) -> Vec<usize> {
        let n = self.f.len();
        let mut parent: Vec<usize> = (0..n).collect();
        fn root(parent: &mut [usize], mut i: usize) -> usize {
            while parent[i] != i {
                parent[i] = parent[parent[i]];
                i = parent[i];
            }
            i
        }
        for (i, j, v) in self.m.entries() {
            if v != 0.0 {
                let (a, b) = (root(&mut parent, i), root(&mut parent, j));
                let (low, high) = (a.min(b), a.max(b));
                parent[high] = low;
            }
        }
        let mut number = vec![usize::MAX; n];
        let mut out = Vec::with_capacity(n);
        let mut count = 0;
        for i in 0..n {
            let r = root(&mut parent, i);
            if number[r] == usize::MAX {
                number[r] = count;
                count += 1;
            }
            out.push(number[r]);
        }
        out
    }
}

/// Local problem from scalar entries of W (n × n, n = 3 n_c), q and μ; checked.
///
/// # Errors
/// Sizes that disagree or data that are no problem.
pub fn local_problem(
    n: usize,
    entries: &[(usize, usize, f64)],
    q: &[f64],
    mu: &[f64],
) -> Result<LocalProblem, String> {
    let n_c = mu.len();
    if n != 3 * n_c || q.len() != n {
        return Err(format!(
            "W has {n} rows, q {} and mu {n_c}: rows must be three times mu",
            q.len()
        ));
    }
    let mut blocks: Vec<(usize, usize, DMat3)> = Vec::new();
    let mut sorted: Vec<_> = entries.to_vec();
    sorted.sort_by_key(|&(i, j, _)| (i / 3, j / 3));
    for (i, j, v) in sorted {
        if i >= n || j >= n {
            return Err(format!("entry ({i}, {j}) of W with {n} rows"));
        }
        let key = (i / 3, j / 3);
        if blocks.last().map(|b| (b.0, b.1)) != Some(key) {
            blocks.push((key.0, key.1, DMat3::ZERO));
        }
        if let Some(block) = blocks.last_mut() {
            block.2.col_mut(j % 3)[i % 3] += v;
        }
    }
    let problem = LocalProblem {
        delassus: Delassus::from_blocks(n_c, blocks),
        q: q.chunks_exact(3).map(DVec3::from_slice).collect(),
        laws: mu.iter().map(|&mu| Law::Cone { mu }).collect(),
    };
    problem.validate()?;
    Ok(problem)
}
