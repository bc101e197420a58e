//! One path of Lemke's method: z₀ enters, then the complement of whatever left, until z₀ leaves.

use crate::lcp::lemke::LemkeSettings;
use crate::lcp::lemke::pivoting::{Pivoting, largest};
use crate::limit;
use crate::random::Random;

/// One try: a covering vector, by how much q is moved (relative to the largest basic variable at the start), and how
/// many times the usual number of pivots it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathChoice {
    cover: Cover,
    perturbation: f64,
    patience: usize,
}

impl PathChoice {
    /// The same with q as it is.
    pub(crate) fn unmoved(self) -> Self {
        Self {
            perturbation: 0.0,
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Cover {
    /// Entries drawn from [1, 2) with this seed: unequal, so that symmetric problems, whose rows tie by the dozen
    /// under d = (1, …, 1), do not.
    Drawn(u64),
    /// d = (1, …, 1).
    Ones,
    /// max(−x, 0) and a little: the loads of the problem grow together.
    Load,
}

const fn attempt(cover: Cover, perturbation: f64, patience: usize) -> PathChoice {
    PathChoice {
        cover,
        perturbation,
        patience,
    }
}

/// The tries in their order; the last has the patience for the long paths of large piles.
pub(crate) const ATTEMPTS: [PathChoice; 7] = [
    attempt(Cover::Drawn(0), 0.0, 1),
    attempt(Cover::Drawn(1), 1e-8, 1),
    attempt(Cover::Ones, 1e-6, 1),
    attempt(Cover::Load, 0.0, 1),
    attempt(Cover::Load, 1e-7, 1),
    attempt(Cover::Drawn(2), 1e-4, 1),
    attempt(Cover::Drawn(0), 0.0, 20),
];

/// Pivots between checks of the basic variables, and the error of B x = q, relative, that asks for new factors.
const CHECK: usize = 16;
const DRIFT: f64 = 1e-9;

/// A pivot that is smaller than this share of its column is believed on a refined column only.
const SMALL_PIVOT: f64 = 1e-6;

/// Most pivots of any path.
const MOST_PIVOTS: usize = 500_000;

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PathEnd {
    /// z₀ left, or was not needed.
    Solved,
    /// Nothing leaves when this variable enters.
    Ray(usize),
    /// Too many pivots, or no time left.
    Limit,
    /// The basis became singular.
    Singular,
}

/// Random numbers from [1, 2) on the bounded variables, zero on the free ones.
fn drawn(bounded: &[bool], random: &mut Random) -> Vec<f64> {
    let draw = |&b: &bool| if b { 1.0 + random.unit() } else { 0.0 };
    bounded.iter().map(draw).collect()
}

impl Cover {
    /// d, by which the basic variables are lifted: positive where they are bounded.
    fn vector(self, bounded: &[bool], x: &[f64]) -> Vec<f64> {
        match self {
            Self::Drawn(seed) => drawn(bounded, &mut Random::new(seed)),
            Self::Ones => bounded.iter().map(|&b| f64::from(u8::from(b))).collect(),
            Self::Load => {
                let size = 1e-3 * largest(x);
                let load = |(&b, &x): (&bool, &f64)| if b { (-x).max(0.0) + size } else { 0.0 };
                bounded.iter().zip(x).map(load).collect()
            }
        }
    }
}

impl Pivoting {
    /// Follows a path from the present basis; how it ended, and its pivots.
    pub(crate) fn run(
        &mut self,
        attempt: PathChoice,
        settings: &LemkeSettings,
    ) -> (PathEnd, usize) {
        if !self.begin() {
            return (PathEnd::Singular, 0);
        }
        let Some(mut out) = self.enter_cover(attempt) else {
            return (PathEnd::Solved, 0);
        };
        let n = self.n;
        let most = (attempt.patience * settings.pivots_per_row * n + 100).min(MOST_PIVOTS);
        for pivots in 1..=most {
            if limit::reached() {
                return (PathEnd::Limit, pivots);
            }
            if self.is_stale(settings) && !self.refactor() {
                return (PathEnd::Singular, pivots);
            }
            // The complement of what left enters.
            let entering = if out < n { out + n } else { out - n };
            let row = match self.leaving(entering) {
                Ok(Some(row)) => row,
                Ok(None) => return (PathEnd::Ray(entering), pivots),
                Err(Singular) => return (PathEnd::Singular, pivots),
            };
            out = self.variables[row];
            self.pivot(row, entering);
            if out == 2 * n {
                return (PathEnd::Solved, pivots);
            }
        }
        (PathEnd::Limit, most)
    }

    /// Draws the ties, moves q if the attempt says so, and lets z₀ enter where x/d is least. The variable that leaves, or
    /// None where none is negative.
    fn enter_cover(&mut self, attempt: PathChoice) -> Option<usize> {
        let n = self.n;
        let mut random = Random::new(0x5eed);
        let bounded: Vec<bool> = (0..n).map(|i| self.is_bounded(i)).collect();
        self.ties = drawn(&bounded, &mut random);
        self.tie_side = self.times_basis(&self.ties);
        if attempt.perturbation > 0.0 {
            let size = attempt.perturbation * largest(&self.x);
            let drawn = drawn(&bounded, &mut random);
            let shift: Vec<f64> = drawn.iter().map(|v| v * size).collect();
            let moved = self.times_basis(&shift);
            for (q, d) in self.side.iter_mut().zip(&moved) {
                *q += d;
            }
            for (x, d) in self.x.iter_mut().zip(&shift) {
                *x += d;
            }
        }
        let cover = attempt.cover.vector(&bounded, &self.x);
        let mut row = None;
        for i in (0..n).filter(|&i| bounded[i] && self.x[i] < 0.0) {
            let ratio = |k: usize| (self.x[k] / cover[k], self.ties[k] / cover[k]);
            if row.is_none_or(|row| ratio(i) < ratio(row)) {
                row = Some(i);
            }
        }
        let row = row?;
        self.cover = self.times_basis(&cover);
        self.y = cover.iter().map(|d| -d).collect();
        let out = self.variables[row];
        self.pivot(row, 2 * n);
        Some(out)
    }

    /// Is it time for new factors: after many pivots, long products, or an error of B x = q?
    fn is_stale(&mut self, settings: &LemkeSettings) -> bool {
        let replaced = self.basis.replaced();
        replaced >= settings.refactor
            || self.basis.is_long()
            || replaced > 0 && replaced.is_multiple_of(CHECK) && self.refine() > DRIFT
    }

    /// Row that leaves when `entering` enters, None on a ray.
    fn leaving(&mut self, entering: usize) -> Result<Option<usize>, Singular> {
        self.load(entering);
        let mut row = self.ratio_test();
        // A small pivot is believed on a refined column only, a ray on fresh factors.
        if row.is_some_and(|r| self.y[r] < SMALL_PIVOT * largest(&self.y)) {
            self.refine_column(entering);
            row = self.ratio_test();
        }
        if row.is_none() && self.basis.replaced() > 0 {
            if !self.refactor() {
                return Err(Singular);
            }
            self.load(entering);
            row = self.ratio_test();
        }
        Ok(row)
    }
}

/// The basis has no inverse.
struct Singular;
