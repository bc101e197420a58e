//! LU of a sparse matrix of small dense blocks, block by block where there are few nodes, by fronts where there are many.

use crate::factor::block_lu::{Block, BlockLu};
use crate::factor::fronts::FrontLu;

/// From this many nodes on they are eliminated by fronts.
const MANY: usize = 64;

/// Factors of a matrix of B×B blocks with a symmetric pattern; pattern and memory are kept between uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeLu<const B: usize> {
    few: BlockLu<B>,
    many: FrontLu<B>,
    is_many: bool,
    /// By fronts, however few.
    fronts: bool,
}

impl<const B: usize> NodeLu<B> {
    /// By fronts, however few nodes there are: they know the sign of the determinant.
    pub(crate) fn by_fronts() -> Self {
        Self {
            fronts: true,
            ..Self::default()
        }
    }

    /// As [`BlockLu::analyse`]; rows are sorted.
    pub(crate) fn analyse(&mut self, starts: &[usize], cols: &[usize]) {
        self.is_many = self.fronts || starts.len() > MANY;
        if self.is_many {
            self.many.analyse(starts, cols);
        } else {
            self.few.analyse(starts, cols);
        }
    }

    /// Forgets the pattern: the next analysis is made anew.
    pub(crate) fn forget(&mut self) {
        self.few.forget();
        self.many.forget();
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        if self.is_many {
            self.many.add(i, j, block);
        } else {
            self.few.add(i, j, block);
        }
    }

    /// Factors what was added. False where singular.
    pub(crate) fn factor(&mut self) -> bool {
        if self.is_many {
            self.many.factor()
        } else {
            self.few.factor()
        }
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [[f64; B]]) {
        if self.is_many {
            self.many.solve(b);
        } else {
            self.few.solve(b);
        }
    }

    /// Sign of the determinant of what was factored last; None where it is not known.
    pub(crate) fn determinant_sign(&self) -> Option<f64> {
        self.is_many.then(|| self.many.determinant_sign())
    }
}
