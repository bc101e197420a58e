//! The system on the contacts, (A + B D) δp = g: one block row for each contact.

use crate::coupling::patches::Patches;
use crate::coupling::{Coupled, Linearised, block_of};
use crate::factor::dense::DenseLu;
use crate::factor::node_lu::NodeLu;
use crate::problem::Law;
use crate::problem::delassus::Delassus;
use crate::problem::local::LocalProblem;
use glam::{DMat3, DVec3};

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
}

/// A local problem with its memory.
#[derive(Debug)]
pub struct DelassusSystem<'a> {
    pub(crate) problem: &'a LocalProblem,
    memory: &'a mut DelassusMemory,
}

impl<'a> DelassusSystem<'a> {
    /// Prepares the system of a local problem.
    pub fn new(problem: &'a LocalProblem, memory: &'a mut DelassusMemory) -> Self {
        memory.w_bar.clear();
        let w_bar = |i| problem.delassus.w_bar(i);
        memory.w_bar.extend((0..problem.len()).map(w_bar));
        memory.natural_w_bar.clone_from(&memory.w_bar);
        memory.patched = Some(false);
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

    /// Whether patches may be used from now on; they are where they are few enough to pay.
    pub(crate) fn by_patches(&mut self, on: bool) {
        self.memory.patched = if on { None } else { Some(false) };
    }

    /// w̄ as the problem gives it, and w̄ as it is used.
    pub(crate) fn scales(&mut self) -> (&[f64], &mut Vec<f64>) {
        (&self.memory.natural_w_bar, &mut self.memory.w_bar)
    }

    /// A + B D, dense.
    fn factor_dense(&mut self, rows: &[Linearised]) -> bool {
        let n = 3 * rows.len();
        let a = self.memory.dense.matrix(n);
        for (i, row) in rows.iter().enumerate() {
            let (cols, blocks) = self.problem.delassus.row(i);
            for (&j, d) in cols.iter().zip(blocks) {
                let m = entry(row, d, i == j);
                for (r, row) in block_of(&m).iter().enumerate() {
                    let at = (3 * i + r) * n + 3 * j;
                    a[at..at + 3].copy_from_slice(row);
                }
            }
        }
        self.memory.dense.factor_in_place()
    }

    /// A + B D in the sparse blocks of D.
    fn factor_sparse(&mut self, rows: &[Linearised]) -> bool {
        let delassus = &self.problem.delassus;
        let memory = &mut *self.memory;
        memory.starts.clear();
        memory.starts.push(0);
        memory.cols.clear();
        for i in 0..rows.len() {
            memory.cols.extend_from_slice(delassus.row(i).0);
            memory.starts.push(memory.cols.len());
        }
        memory.sparse.analyse(&memory.starts, &memory.cols);
        for (i, row) in rows.iter().enumerate() {
            let (cols, blocks) = delassus.row(i);
            for (&j, d) in cols.iter().zip(blocks) {
                let m = entry(row, d, i == j);
                memory.sparse.add(i, j, &block_of(&m));
            }
        }
        memory.sparse.factor()
    }
}

/// The block (A + B D)_ij of a row of contact i, from D_ij.
#[inline]
fn entry(row: &Linearised, delassus: &DMat3, on_diagonal: bool) -> DMat3 {
    let mut m = row.b * *delassus;
    if on_diagonal {
        m += row.a;
    }
    m
}

impl DelassusMemory {
    /// Forgets the pattern of the last problem's contacts.
    pub(crate) fn forget(&mut self) {
        self.sparse.forget();
        self.patches.forget();
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

    fn direct(&self) -> bool {
        self.len() <= DENSE_CONTACTS
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        if self.direct() {
            self.factor_dense(rows)
        } else if self.patched() {
            self.memory.patches.factor(rows)
        } else {
            self.factor_sparse(rows)
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::tests::{dense_step, difference, random_rows, random_step};
    use crate::random::Random;

    /// Dense (up to 12 contacts), in sparse blocks and by patches: the step of a dense elimination.
    #[test]
    fn every_factorisation_gives_the_same_step() {
        let mut random = Random::new(46);
        let mut memory = DelassusMemory::default();
        for n_c in [1, 3, 12, 13, 40] {
            let (_, local) = random_step(&mut random, n_c);
            // A compliant block of D has full rank and joins no patch: take the rigid part.
            let rigid = |i, j, d: &DMat3| {
                let own = if i == j && i % 3 == 0 {
                    DVec3::new(0.1, 0.2, 0.3)
                } else {
                    DVec3::ZERO
                };
                (i, j, *d - DMat3::from_diagonal(own))
            };
            let blocks = (0..n_c).flat_map(|i| {
                let (cols, blocks) = local.delassus.row(i);
                cols.iter().zip(blocks).map(move |(&j, d)| rigid(i, j, d))
            });
            let problem = LocalProblem {
                delassus: Delassus::from_blocks(n_c, blocks.collect()),
                ..local.clone()
            };
            let rows = random_rows(&mut random, &problem.delassus);
            let wanted = dense_step(&problem.delassus, &rows);
            let mut system = DelassusSystem::new(&problem, &mut memory);
            assert_eq!(system.direct(), n_c <= DENSE_CONTACTS);
            for by_patches in [false, true] {
                system.by_patches(by_patches);
                let mut dp = Vec::new();
                assert!(system.factor(&rows));
                system.back_solve(&rows, &mut dp);
                assert!(
                    difference(&dp, &wanted) < 1e-8,
                    "{n_c} contacts, patches {by_patches}"
                );
            }
        }
    }

    #[test]
    fn a_singular_system_is_refused() {
        let mut random = Random::new(47);
        let mut memory = DelassusMemory::default();
        for n_c in [2, 20] {
            let (_, local) = random_step(&mut random, n_c);
            let mut system = DelassusSystem::new(&local, &mut memory);
            let nothing = Linearised {
                a: DMat3::ZERO,
                a_inverse: DMat3::ZERO,
                b: DMat3::ZERO,
                g: DVec3::ZERO,
            };
            assert!(!system.factor(&vec![nothing; n_c]));
        }
    }
}
