//! Factoring a tree of fronts, by one thread or by several.

use crate::factor::block_lu::Block;
use crate::factor::fronts::kernel::{FrontMatrix, Packed};
use crate::factor::fronts::tree::FrontTree;
use std::cmp::Reverse;
use std::ops::Range;

/// From this many products on a matrix is divided among threads (a quarter of a millisecond).
const DIVIDED: usize = 600_000;

/// The dense matrix at hand and what fronts have left to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    dense: FrontMatrix,
    stack: Vec<f64>,
    packed: Packed,
}

/// Memory of a factorisation: that of one thread, and that of each branch of the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct FrontWork {
    own: Work,
    branches: Vec<Work>,
}

/// A matrix to be factored.
#[derive(Clone, Copy)]
pub(super) struct Job<'a, const B: usize> {
    pub(super) tree: &'a FrontTree,
    pub(super) blocks: &'a [Block<B>],
    pub(super) arch: pulp::Arch,
}

/// Where the factors of some fronts go.
#[derive(Debug)]
pub(super) struct Out<'a> {
    pub(super) factors: &'a mut [f64],
    /// Row k of a front's own was exchanged with this one.
    pub(super) rows: &'a mut [usize],
}

/// A branch of the tree, or fronts between two of them.
struct Share<'a> {
    fronts: Range<usize>,
    out: Out<'a>,
}

impl<const B: usize> Job<'_, B> {
    /// Factors all fronts into `out`. False where a pivot is zero.
    pub(super) fn run(self, out: Out<'_>, work: &mut FrontWork) -> bool {
        work.own.stack.clear();
        let products = B * B * B * self.tree.products;
        if products >= DIVIDED && stickslip_threads::allowed() > 1 {
            return self.divided(out, work);
        }
        self.factor(0..self.tree.fronts.len(), out, &mut work.own, &mut [])
    }

    /// Branches first, each by itself, then the fronts above them.
    fn divided(self, out: Out<'_>, work: &mut FrontWork) -> bool {
        let tree = self.tree;
        let FrontWork { own, branches } = work;
        branches.resize_with(tree.branches.len(), Work::default);
        let (shares, above) = self.shares(out);
        let mut shares: Vec<_> = (shares.into_iter())
            .zip(&mut *branches)
            .map(|(share, work)| (share, work, false))
            .collect();
        // The longest first, so that nobody is left alone with it at the end.
        shares.sort_by_key(|(Share { fronts, .. }, ..)| Reverse(tree.products_of(fronts)));
        stickslip_threads::each(&mut shares, |_, (share, work, done)| {
            work.stack.clear();
            let out = Out {
                factors: share.out.factors,
                rows: share.out.rows,
            };
            *done = self.factor(share.fronts.clone(), out, work, &mut []);
        });
        let done = shares.iter().all(|(.., done)| *done);
        done && (above.into_iter()).all(|share| self.factor(share.fronts, share.out, own, branches))
    }

    /// The branches, and the fronts between them, each with its part of what comes out.
    fn shares<'a>(self, out: Out<'a>) -> (Vec<Share<'a>>, Vec<Share<'a>>) {
        let (mut shares, mut above) = (Vec::new(), Vec::new());
        let Out {
            mut factors,
            mut rows,
        } = out;
        let mut take = |fronts: Range<usize>| {
            let (blocks, nodes) = self.tree.extent(&fronts);
            let (own, rest) = std::mem::take(&mut factors).split_at_mut(B * B * blocks);
            let (own_rows, rest_rows) = std::mem::take(&mut rows).split_at_mut(B * nodes);
            (factors, rows) = (rest, rest_rows);
            Share {
                fronts,
                out: Out {
                    factors: own,
                    rows: own_rows,
                },
            }
        };
        let mut from = 0;
        for branch in &self.tree.branches {
            above.push(take(from..branch.start));
            shares.push(take(branch.clone()));
            from = branch.end;
        }
        above.push(take(from..self.tree.fronts.len()));
        (shares, above)
    }

    /// Factors some fronts one after the other. What branches have left is taken from `branches`, all else from the stack of `work`.
    fn factor(
        self,
        fronts: Range<usize>,
        out: Out<'_>,
        work: &mut Work,
        branches: &mut [Work],
    ) -> bool {
        let (mut at, mut place) = (0, 0);
        for number in fronts {
            self.assemble(number, work, branches);
            let front = &self.tree.fronts[number];
            let (own, n) = (B * front.own, B * front.size());
            let Work {
                dense,
                stack,
                packed,
            } = work;
            let rows = &mut out.rows[place..][..own];
            if !dense.eliminate(self.arch, own, rows, packed) {
                return false;
            }
            place += own;
            // Own rows and columns are factors, the rest is left to the parent.
            for r in 0..n {
                let row = &dense.row(r)[..if r < own { n } else { own }];
                out.factors[at..at + row.len()].copy_from_slice(row);
                at += row.len();
            }
            for r in own..n {
                stack.extend_from_slice(&dense.row(r)[own..]);
            }
        }
        true
    }

    /// The matrix of a front: its entries, and what its children have left on the stacks.
    fn assemble(self, number: usize, work: &mut Work, branches: &mut [Work]) {
        let tree = self.tree;
        let front = &tree.fronts[number];
        let Work { dense, stack, .. } = work;
        dense.reset(B * front.size());
        for &(at, r, c) in &tree.entries[front.entries.clone()] {
            for (k, row) in self.blocks[at].iter().enumerate() {
                dense.row_mut(B * r + k)[B * c..][..B].copy_from_slice(row);
            }
        }
        for &c in front.children.iter().rev() {
            let places = &tree.in_parent[tree.fronts[c].later.clone()];
            match tree.branch_of(c).and_then(|b| branches.get_mut(b)) {
                Some(branch) => add_left::<B>(places, &mut branch.stack, dense),
                None => add_left::<B>(places, stack, dense),
            }
        }
    }
}

/// Adds what a child has left last on its stack, its rows at these places.
fn add_left<const B: usize>(places: &[usize], stack: &mut Vec<f64>, dense: &mut FrontMatrix) {
    let m = B * places.len();
    let left = &stack[stack.len() - m * m..];
    for (r, row) in left.chunks_exact(m.max(1)).enumerate() {
        let target = dense.row_mut(B * places[r / B] + r % B);
        for (k, &c) in places.iter().enumerate() {
            let (target, values) = (&mut target[B * c..][..B], &row[B * k..][..B]);
            for j in 0..B {
                target[j] += values[j];
            }
        }
    }
    stack.truncate(stack.len() - m * m);
}
