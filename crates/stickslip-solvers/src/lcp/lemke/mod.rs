//! Lemke's method for linear complementarity problems, plain and mixed.
//!
//! | module | what |
//! |---|---|
//! | `start` | the basis it starts from |
//! | `pivoting` | the scaled problem with its present basis |
//! | `path` | one path, and the list of paths that are tried |
//! | `basis`, `sparse_lu` | B⁻¹ as an LU factorisation and a product of pivots |

mod basis;
mod path;
mod pivoting;
mod sparse_lu;
mod start;

use crate::lcp::lemke::path::{ATTEMPTS, PathChoice, PathEnd};
use crate::lcp::lemke::pivoting::{Pivoting, largest};
use crate::lcp::{LcpError, LcpSolution, MixedLcp};
use crate::limit;

/// Times that a path is taken up again from the basis it ended with.
const CORRECTIONS: usize = 3;

/// Settings of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeSettings {
    /// Most pivots of one path, as a multiple of the size of the problem (plus 100); the last path may take 20 times
    /// as many.
    pub pivots_per_row: usize,
    /// Most pivots between factorisations of the basis.
    pub refactor: usize,
    /// Residual ‖min(z, w)‖/‖q‖ at which a point counts as a solution.
    pub tolerance: f64,
    /// Paths tried, up to [`LemkeSettings::ALL`], before giving up on a ray or a cycle.
    pub attempts: usize,
}

impl LemkeSettings {
    /// Every path there is, the long one among them.
    pub const ALL: usize = ATTEMPTS.len();
}

impl Default for LemkeSettings {
    fn default() -> Self {
        Self {
            pivots_per_row: 10,
            refactor: 64,
            tolerance: 1e-9,
            attempts: Self::ALL - 1,
        }
    }
}

/// Lemke's complementary pivoting on w − M z − c z₀ = q from z₀ large.
///
/// It starts from a basis of free variables and one variable of each complementary pair (`start`); c = B d with
/// d > 0 on the pairs covers what is negative there. The basis is a sparse LU factorisation with a product of the
/// pivots since (`Basis`). Ties are broken by a second right-hand side B t, t > 0 drawn at random, as if q were
/// q + ε B t with ε → 0: the lexicographic rule with one column, which decides almost surely. Rows and columns are scaled
/// by powers of two. A path that ends on a ray or takes too long is tried again under another covering vector; what it
/// ends with is judged on the data as given. References: Lemke 1965; Cottle, Pang, Stone 1992, sections 4.4 and 4.9;
/// Harris 1973 for the ratio test.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Settings.
    pub settings: LemkeSettings,
    pivoting: Pivoting,
}

impl Lemke {
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: LemkeSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Solves a mixed LCP.
    ///
    /// # Errors
    /// [`LcpError::Ray`] when a ray ends the path for every covering vector tried,
    /// [`LcpError::Limit`] after too many pivots, [`LcpError::Unsuitable`] for data that are none.
    pub fn solve(&mut self, problem: &MixedLcp) -> Result<LcpSolution, LcpError> {
        problem.validate()?;
        self.pivoting.scale(problem);
        let start = start::basis(&self.pivoting.m, self.pivoting.n_eq);
        self.pivoting.variables.clone_from(&start);
        if let Some(direction) = self.contradiction(problem) {
            let z = self.pivoting.point();
            return Err(LcpError::Ray {
                pivots: 0,
                infeasible: true,
                direction,
                residual: problem.residual(&z),
                z,
            });
        }
        let mut failure: Option<LcpError> = None;
        let mut total = 0;
        for attempt in &ATTEMPTS[..self.settings.attempts.clamp(1, ATTEMPTS.len())] {
            self.pivoting.variables.clone_from(&start);
            let (end, solution) = self.follow(problem, *attempt);
            total += solution.iterations;
            // A path that ends on a ray or in a cycle may do so at a solution: the residual judges.
            if solution.residual <= self.settings.tolerance {
                return Ok(LcpSolution {
                    iterations: total,
                    ..solution
                });
            }
            let this = self.failure(problem, end, solution);
            let proof = is_proof(&this);
            if failure
                .as_ref()
                .is_none_or(|before| outranks(&this, before))
            {
                failure = Some(this);
            }
            if proof || limit::reached() {
                break;
            }
        }
        let failure = failure.unwrap_or_else(|| LcpError::Unsuitable("no attempt was made".into()));
        Err(counted(failure, total))
    }

    /// One path, and where it ends away from a solution a few more pivots from its last basis for the q as given: how it
    /// ended, and its point with the number of pivots.
    fn follow(&mut self, problem: &MixedLcp, attempt: PathChoice) -> (PathEnd, LcpSolution) {
        let (end, pivots) = self.pivoting.run(attempt, &self.settings);
        let mut out = self.point(problem, pivots);
        // The last basis of a moved problem may need a few more pivots for the true one.
        for _ in 0..CORRECTIONS {
            if end != PathEnd::Solved || out.residual <= self.settings.tolerance {
                break;
            }
            let (_, pivots) = self.pivoting.run(attempt.unmoved(), &self.settings);
            out = self.point(problem, out.iterations + pivots);
        }
        (end, out)
    }

    /// The point of the present basis.
    fn point(&mut self, problem: &MixedLcp, iterations: usize) -> LcpSolution {
        let z = self.pivoting.point();
        LcpSolution {
            residual: problem.residual(&z),
            z,
            iterations,
        }
    }

    /// What a path that did not end at a solution says.
    fn failure(&mut self, problem: &MixedLcp, end: PathEnd, point: LcpSolution) -> LcpError {
        let LcpSolution {
            z,
            residual,
            iterations,
        } = point;
        let PathEnd::Ray(entering) = end else {
            return LcpError::Limit {
                iterations,
                z,
                residual,
            };
        };
        let direction = self.pivoting.direction(entering);
        LcpError::Ray {
            pivots: iterations,
            infeasible: problem.is_refuted_by(&direction),
            direction,
            z,
            residual,
        }
    }

    /// A combination of equations that reads 0 = something, from the w of dependent ones that stay in the basis at the
    /// start; None where they agree, or where disagreement is within the tolerance.
    fn contradiction(&mut self, problem: &MixedLcp) -> Option<Vec<f64>> {
        let pivoting = &mut self.pivoting;
        let n = pivoting.n;
        let places: Vec<usize> = (0..n)
            .filter(|&place| pivoting.variables[place] < pivoting.n_eq)
            .collect();
        if places.is_empty() || !pivoting.begin() {
            return None;
        }
        for place in places {
            let mut y = pivoting.basis.inverse_row(place, n);
            for (y, scale) in y.iter_mut().zip(&pivoting.row_scale) {
                *y *= scale;
            }
            let value: f64 = y.iter().zip(&problem.q).map(|(y, q)| y * q).sum();
            let size = largest(&y);
            if value.abs() > self.settings.tolerance * size * largest(&problem.q) {
                for y in &mut y {
                    *y *= -value.signum() / size;
                }
                if problem.is_refuted_by(&y) {
                    return Some(y);
                }
            }
        }
        None
    }
}

/// Does the failure prove that there is no solution?
fn is_proof(failure: &LcpError) -> bool {
    matches!(
        failure,
        LcpError::Ray {
            infeasible: true,
            ..
        }
    )
}

/// Is `this` the failure to report rather than the one `before`? The first ray is, and one that proves something before all
/// others; a ray outranks a limit, and of those the nearest to a solution is kept.
fn outranks(this: &LcpError, before: &LcpError) -> bool {
    match (before, this) {
        (LcpError::Limit { .. }, LcpError::Ray { .. }) => true,
        (LcpError::Limit { residual: old, .. }, LcpError::Limit { residual: new, .. }) => new < old,
        _ => is_proof(this),
    }
}

/// The failure with the pivots of all paths.
fn counted(mut failure: LcpError, total: usize) -> LcpError {
    if let LcpError::Ray { pivots: done, .. }
    | LcpError::Limit {
        iterations: done, ..
    } = &mut failure
    {
        *done = total;
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::sparse::SparseMatrix;
    use crate::lcp::Lcp;
    use crate::lcp::enumerate::all_solutions;
    use crate::random::Random;

    fn problem(n: usize, m: &[f64], q: &[f64], n_eq: usize) -> MixedLcp {
        MixedLcp {
            m: SparseMatrix::from_dense(n, n, m),
            q: q.to_vec(),
            n_eq,
        }
    }

    fn solve(problem: &MixedLcp) -> Result<LcpSolution, LcpError> {
        Lemke::default().solve(problem)
    }

    /// Every answer is one of all that enumeration finds; for a P-matrix there is one.
    #[test]
    fn random_problems_agree_with_enumeration() {
        let mut random = Random::new(61);
        for n in 1..9 {
            for _ in 0..20 {
                let a: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
                let mut m = vec![0.0; n * n];
                for i in 0..n {
                    for j in 0..n {
                        m[i * n + j] = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>()
                            + (a[i * n + j] - a[j * n + i]);
                    }
                    m[i * n + i] += 0.1;
                }
                let q: Vec<f64> = (0..n).map(|_| random.signed()).collect();
                let mixed = problem(n, &m, &q, 0);
                let z = solve(&mixed).expect("positive definite").z;
                let plain = Lcp { m: mixed.m, q };
                let all = all_solutions(&plain, 1e-10).expect("small");
                assert_eq!(all.len(), 1);
                for (a, b) in z.iter().zip(&all[0]) {
                    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()));
                }
            }
        }
    }

    /// x + 2y + z = 3, x − y = 0 free in (x, y); 0 ≤ z ⟂ y + z − ½ ≥ 0: x = y, 3y + z = 3, so y = 1, z = 0 (w = ½).
    #[test]
    fn equations_hold_exactly() {
        let m = [1.0, 2.0, 1.0, 1.0, -1.0, 0.0, 0.0, 1.0, 1.0];
        let solved = solve(&problem(3, &m, &[-3.0, 0.0, -0.5], 2)).expect("solved");
        for (z, wanted) in solved.z.iter().zip([1.0, 1.0, 0.0]) {
            assert!((z - wanted).abs() < 1e-14, "{:?}", solved.z);
        }
    }

    /// 0 ≤ z₁ ⟂ −z₂ − 1 ≥ 0: no z ≥ 0 has w ≥ 0, and the ray proves it.
    #[test]
    fn a_ray_proves_that_there_is_no_solution() {
        let refuted = problem(2, &[0.0, -1.0, 1.0, 0.0], &[-1.0, 1.0], 0);
        match solve(&refuted) {
            Err(LcpError::Ray {
                infeasible: true,
                direction,
                ..
            }) => assert!(refuted.is_refuted_by(&direction)),
            other => panic!("{other:?}"),
        }
    }

    /// Two equations that contradict each other: x = 1 and 2x = 3.
    #[test]
    fn contradictory_equations_are_named() {
        let m = [1.0, 0.0, 2.0, 0.0];
        let contradiction = problem(2, &m, &[-1.0, -3.0], 2);
        match solve(&contradiction) {
            Err(LcpError::Ray {
                pivots: 0,
                infeasible: true,
                direction,
                ..
            }) => assert!(contradiction.is_refuted_by(&direction)),
            other => panic!("{other:?}"),
        }
        // The same twice over agrees.
        let solved = solve(&problem(2, &m, &[-1.0, -2.0], 2)).expect("agree");
        assert!((solved.z[0] - 1.0).abs() < 1e-15);
    }

    /// Rows and columns over ten decades: the answer is that of the scaled problem.
    #[test]
    fn scales_do_not_matter() {
        let m = [2e10, 1.0, 1.0, 2e-10];
        let z = solve(&problem(2, &m, &[-3e5, -3e-5], 0))
            .expect("definite")
            .z;
        // In (1e5 z₁, 1e-5 z₂): [[2, 1], [1, 2]] z = (3, 3).
        assert!(
            (z[0] * 1e5 - 1.0).abs() < 1e-12 && (z[1] * 1e-5 - 1.0).abs() < 1e-12,
            "{z:?}"
        );
    }

    #[test]
    fn the_failure_that_says_most_is_reported() {
        let limit = |residual| LcpError::Limit {
            iterations: 1,
            z: Vec::new(),
            residual,
        };
        let ray = |infeasible| LcpError::Ray {
            pivots: 1,
            infeasible,
            direction: Vec::new(),
            z: Vec::new(),
            residual: 1.0,
        };
        assert!(outranks(&limit(0.1), &limit(0.2)) && !outranks(&limit(0.2), &limit(0.1)));
        assert!(outranks(&ray(false), &limit(0.1)) && !outranks(&limit(0.1), &ray(false)));
        assert!(outranks(&ray(true), &ray(false)) && !outranks(&ray(false), &ray(true)));
    }

    #[test]
    fn what_is_no_problem_is_refused() {
        let wrong = problem(1, &[f64::NAN], &[1.0], 0);
        assert!(matches!(solve(&wrong), Err(LcpError::Unsuitable(_))));
    }
}
