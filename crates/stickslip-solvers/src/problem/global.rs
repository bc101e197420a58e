//! Frictional contact in global form, and its reduction to the contacts.

use crate::factor::dense::DenseLu;
use crate::factor::sparse::SparseMatrix;
use crate::problem::Law;
use crate::problem::delassus::Delassus;
use crate::problem::local::LocalProblem;
use glam::{DMat3, DVec3};

/// Frictional contact with velocities: find v, r, u with
///
/// ```text
///   M v = H r + G λ + f,    u = Hᵀ v + w,    Gᵀ v + b = 0,    (r_i, u_i) in Coulomb's law with μ_i,
/// ```
///
/// M symmetric positive definite (n_dof × n_dof), H n_dof × 3 n_c, normal first in each contact, G n_dof × n_eq.
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
    /// G; without columns where there are no equations.
    pub g: SparseMatrix,
    /// b.
    pub b: Vec<f64>,
}

/// Largest block of M (degrees of freedom coupled with each other) that is factored densely.
const LARGEST_BLOCK: usize = 4000;

/// Most entries of D: one body that all of many contacts touch makes it dense.
const MOST_COUPLINGS: usize = 50_000_000;

impl GlobalProblem {
    /// Eliminates the velocities: D = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w, and the same with (H G) and (w, b). The equations' λ are the
    /// impulses of bilateral blocks after the contacts, three to a block.
    ///
    /// M falls apart into blocks of coupled degrees of freedom (bodies, or a finite-element mesh);
    /// each is factored by itself.
    ///
    /// # Errors
    /// Sizes that disagree, or a block that is singular or too large.
    pub fn to_local(&self) -> Result<LocalProblem, String> {
        self.validate()?;
        let n_c = self.mu.len();
        let rows = 3 * n_c + self.b.len();
        let shifted = self.g.entries().map(|(i, j, v)| (i, 3 * n_c + j, v));
        let both: Vec<_> = self.h.entries().chain(shifted).collect();
        let h = SparseMatrix::from_triplets(self.f.len(), rows, &both)?;
        let groups = Groups::of(&self.m, &h);
        let couplings = |list: &Vec<usize>| list.len() * list.len();
        let stored: usize = groups.columns.iter().map(couplings).sum();
        if stored > MOST_COUPLINGS {
            return Err(format!(
                "the Delassus matrix would have {stored} entries; at most {MOST_COUPLINGS} are taken"
            ));
        }
        let mut q = [&self.w[..], &self.b].concat();
        let mut entries = Vec::new();
        let mut lu = DenseLu::default();
        for g in 0..groups.members.len() {
            if !groups.columns[g].is_empty() {
                self.eliminate(g, &groups, &h, &mut lu, &mut entries, &mut q)?;
            }
        }
        local_problem(rows, &entries, &q, &self.mu)
    }

    /// Checks sizes and finite numbers.
    fn validate(&self) -> Result<(), String> {
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
        let n_eq = self.b.len();
        if self.g.n_cols() != n_eq || n_eq > 0 && self.g.n_rows() != n {
            let (rows, cols) = (self.g.n_rows(), self.g.n_cols());
            return Err(format!(
                "sizes disagree: M {n} x {n}, G {rows} x {cols}, b {n_eq}"
            ));
        }
        for (name, matrix) in [("M", &self.m), ("H", &self.h), ("G", &self.g)] {
            if let Some((i, j, v)) = matrix.entries().find(|e| !e.2.is_finite()) {
                return Err(format!("{name}({i}, {j}) is {v}"));
            }
        }
        for (name, vector) in [("f", &self.f), ("w", &self.w), ("b", &self.b)] {
            if let Some((i, v)) = vector.iter().enumerate().find(|e| !e.1.is_finite()) {
                return Err(format!("{name}({i}) is {v}"));
            }
        }
        Ok(())
    }

    /// Adds the share of one group of coupled degrees of freedom: Hᵀ M⁻¹ H to the entries of D, Hᵀ M⁻¹ f to q.
    fn eliminate(
        &self,
        g: usize,
        groups: &Groups,
        h: &SparseMatrix,
        lu: &mut DenseLu,
        entries: &mut Vec<(usize, usize, f64)>,
        q: &mut [f64],
    ) -> Result<(), String> {
        let (members, columns) = (&groups.members[g], &groups.columns[g]);
        let (group, place) = (&groups.group, &groups.place);
        let size = members.len();
        if size > LARGEST_BLOCK {
            return Err(format!("a block of M couples {size} unknowns"));
        }
        let a = lu.matrix(size);
        for &i in members {
            // A zero that is stored couples nothing.
            for (r, v) in self.m.column(i).filter(|&(r, _)| group[r] == g) {
                a[place[r] * size + place[i]] = v;
            }
        }
        if !lu.factor_in_place() {
            return Err("M is singular".into());
        }
        let of_group = |j: usize| h.column(j).filter(|&(i, _)| group[i] == g);
        let dot = |j: usize, x: &[f64]| of_group(j).map(|(i, v)| v * x[place[i]]).sum::<f64>();
        // The velocity without impulses, then the response to each column of H.
        let mut x: Vec<f64> = members.iter().map(|&i| self.f[i]).collect();
        lu.solve(&mut x);
        for &j in columns {
            q[j] += dot(j, &x);
        }
        for &c in columns {
            x.fill(0.0);
            for (i, v) in of_group(c) {
                x[place[i]] = v;
            }
            lu.solve(&mut x);
            for &r in columns {
                entries.push((r, c, dot(r, &x)));
            }
        }
        Ok(())
    }
}

/// Groups of degrees of freedom that M couples: bodies, or finite-element meshes.
struct Groups {
    /// Group of each degree of freedom, and its place in it.
    group: Vec<usize>,
    place: Vec<usize>,
    /// Degrees of freedom of each group, and the columns of H that touch it, rising.
    members: Vec<Vec<usize>>,
    columns: Vec<Vec<usize>>,
}

impl Groups {
    fn of(m: &SparseMatrix, h: &SparseMatrix) -> Self {
        let group = components(m);
        let n_groups = group.iter().max().map_or(0, |g| g + 1);
        let mut members = vec![Vec::new(); n_groups];
        let mut place = vec![0; group.len()];
        for (i, &g) in group.iter().enumerate() {
            place[i] = members[g].len();
            members[g].push(i);
        }
        let mut columns = vec![Vec::new(); n_groups];
        for j in 0..h.n_cols() {
            for (i, _) in h.column(j) {
                if columns[group[i]].last() != Some(&j) {
                    columns[group[i]].push(j);
                }
            }
        }
        for list in &mut columns {
            list.sort_unstable();
            list.dedup();
        }
        Self {
            group,
            place,
            members,
            columns,
        }
    }
}

/// Connected component of each row in the graph of M, numbered in the order of their first rows.
fn components(m: &SparseMatrix) -> Vec<usize> {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let n = m.n_rows();
    let mut parent: Vec<usize> = (0..n).collect();
    for (i, j, v) in m.entries() {
        if v != 0.0 {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = vec![usize::MAX; n];
    let mut count = 0;
    let mut numbered = |i: usize| {
        let r = root(&mut parent, i);
        if number[r] == usize::MAX {
            number[r] = count;
            count += 1;
        }
        number[r]
    };
    (0..n).map(&mut numbered).collect()
}

/// Local problem from scalar entries of D (n × n; W in FCLIB's files), q and μ; checked. The first 3 n_c rows are those of the contacts, what
/// is left are equations: bilateral blocks after the contacts, three rows to a block, absent ones in the last.
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
    if n < 3 * n_c || q.len() != n {
        return Err(format!(
            "the Delassus matrix has {n} rows, q {} and mu {n_c}: there must be three rows for each mu",
            q.len()
        ));
    }
    let mut blocks: Vec<(usize, usize, DMat3)> = Vec::new();
    let mut sorted: Vec<_> = entries.to_vec();
    sorted.sort_by_key(|&(i, j, _)| (i / 3, j / 3));
    for (i, j, v) in sorted {
        if i >= n || j >= n {
            return Err(format!("entry ({i}, {j}) of a Delassus matrix of {n} rows"));
        }
        let key = (i / 3, j / 3);
        if blocks.last().map(|b| (b.0, b.1)) != Some(key) {
            blocks.push((key.0, key.1, DMat3::ZERO));
        }
        if let Some(block) = blocks.last_mut() {
            block.2.col_mut(j % 3)[i % 3] += v;
        }
    }
    let mut rows = q.to_vec();
    rows.resize(n.next_multiple_of(3), 0.0);
    let equations = (n_c..rows.len() / 3).map(|k| Law::bilateral([0, 1, 2].map(|i| 3 * k + i < n)));
    let problem = LocalProblem {
        delassus: Delassus::from_blocks(rows.len() / 3, blocks),
        q: rows.chunks_exact(3).map(DVec3::from_slice).collect(),
        laws: (mu.iter().map(|&mu| Law::Cone { mu }))
            .chain(equations)
            .collect(),
    };
    problem.validate()?;
    Ok(problem)
}
