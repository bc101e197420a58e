//! LU of a sparse matrix of small dense blocks, block by block where there are few nodes, by fronts where there are many.

use crate::factor::block_lu::{Block, BlockLu};
use crate::factor::fronts::{FrontLu, FrontRows};
use std::ops::Range;

/// From this many nodes on they are eliminated by fronts.
const FRONTS_FROM: usize = 64;

/// Factors of a matrix of B×B blocks with a symmetric pattern; pattern and memory are kept between uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeLu<const B: usize> {
    by_blocks: BlockLu<B>,
    by_fronts: FrontLu<B>,
    /// Which of the two holds the matrix at hand.
    is_by_fronts: bool,
    /// By fronts, however few nodes there are.
    always_fronts: bool,
}

impl<const B: usize> NodeLu<B> {
    /// By fronts, however few nodes there are: they know the sign of the determinant.
    pub(crate) fn by_fronts() -> Self {
        Self {
            always_fronts: true,
            ..Self::default()
        }
    }

    /// As [`BlockLu::analyse`]; rows are sorted.
    pub(crate) fn analyse(&mut self, starts: &[usize], cols: &[usize]) {
        self.is_by_fronts = self.always_fronts || starts.len() > FRONTS_FROM;
        if self.is_by_fronts {
            self.by_fronts.analyse(starts, cols);
        } else {
            self.by_blocks.analyse(starts, cols);
        }
    }

    /// Forgets the pattern: the next analysis is made anew.
    pub(crate) fn forget(&mut self) {
        self.by_blocks.forget();
        self.by_fronts.forget();
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        if self.is_by_fronts {
            self.by_fronts.add(i, j, block);
        } else {
            self.by_blocks.add(i, j, block);
        }
    }

    /// The block rows in so many parts at most, for several threads to add to.
    pub(crate) fn parts(&mut self, parts: usize) -> Vec<BlockRows<'_, B>> {
        if self.is_by_fronts {
            let parts = self.by_fronts.parts(parts);
            parts.into_iter().map(BlockRows::Fronts).collect()
        } else {
            vec![BlockRows::All(&mut self.by_blocks)]
        }
    }

    /// Factors what was added. False where singular.
    pub(crate) fn factor(&mut self) -> bool {
        if self.is_by_fronts {
            self.by_fronts.factor()
        } else {
            self.by_blocks.factor()
        }
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [[f64; B]]) {
        if self.is_by_fronts {
            self.by_fronts.solve(b);
        } else {
            self.by_blocks.solve(b);
        }
    }

    /// Sign of the determinant of what was factored last; None where it is not known.
    pub(crate) fn determinant_sign(&self) -> Option<f64> {
        self.is_by_fronts.then(|| self.by_fronts.determinant_sign())
    }
}

/// Some block rows of a matrix.
#[derive(Debug)]
pub(crate) enum BlockRows<'a, const B: usize> {
    /// All of them.
    All(&'a mut BlockLu<B>),
    /// Some, or all.
    Fronts(FrontRows<'a, B>),
}

impl<const B: usize> BlockRows<'_, B> {
    /// Which rows.
    pub(crate) fn rows(&self) -> Range<usize> {
        match self {
            Self::All(lu) => 0..lu.len(),
            Self::Fronts(rows) => rows.rows.clone(),
        }
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern and among these rows.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        match self {
            Self::All(lu) => lu.add(i, j, block),
            Self::Fronts(rows) => rows.add(i, j, block),
        }
    }
}
