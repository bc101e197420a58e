//! Nonsmooth Gauss-Seidel: contact after contact, each solved exactly with the others held.

use crate::coupling::{System, SystemMemory};
use crate::engines::colouring;
use crate::engines::one_contact;
use crate::limit;
use crate::problem::local::{BodyMedium, DelassusMedium, Medium};
use crate::problem::residual;
use crate::problem::{ContactBlock, ContactProblem, Twist};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use glam::{DMat3, DVec3};

/// Settings of [`Nsgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NsgsSettings {
    /// Most sweeps over the contacts.
    pub sweeps: usize,
    /// Sweeps beyond the tolerance, towards rounding level, as a fraction of those it took to get
    /// there (at least 20); none where it is zero.
    pub polish: f64,
    /// None: contact after contact in their order. Some(n): colour after colour on n threads,
    /// with the same bits for every n (problems of steps; local ones have no bodies to colour by).
    pub threads: Option<usize>,
}

impl Default for NsgsSettings {
    fn default() -> Self {
        Self {
            sweeps: 10_000,
            polish: 1.0,
            threads: None,
        }
    }
}

/// Nonsmooth Gauss-Seidel (Jean and Moreau) with the exact one-contact solver.
///
/// Velocities are kept at the bodies, so a sweep costs the same for each contact whatever touches
/// what; they are recomputed from the impulses at every test, so rounding does not pile up.
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    /// Settings.
    pub settings: NsgsSettings,
    memory: SystemMemory,
    nu: Vec<Twist>,
    best: Vec<DVec3>,
    gathered: Vec<DVec3>,
    diagonal: Vec<(DMat3, f64)>,
    solved: Vec<DVec3>,
}

impl Nsgs {
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: NsgsSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Colour after colour, on as many threads as the machine has.
    #[must_use]
    pub fn coloured() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(NsgsSettings {
            threads: Some(threads),
            ..NsgsSettings::default()
        })
    }
}

impl Engine for Nsgs {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        self.diagonal.clear();
        let outcome = match system {
            System::Bodies(bodies) => {
                let problem = bodies.problem;
                let block = |c: &ContactBlock| with_mean(c.diagonal(&problem.inverse_mass));
                self.diagonal.extend(problem.contacts.iter().map(block));
                let nu = &mut self.nu;
                let mut medium = BodyMedium { problem, nu };
                let (diagonal, settings) = (&self.diagonal, &self.settings);
                let coloured = settings.threads.map(|n| (colouring::colours(problem), n));
                let solved = &mut self.solved;
                let mut pass = |medium: &mut BodyMedium, p: &mut [DVec3]| match &coloured {
                    Some((colours, threads)) => {
                        colouring::sweep(medium, colours, *threads, diagonal, p, solved);
                    }
                    None => in_order(medium, diagonal, p),
                };
                let best = &mut self.best;
                sweep(
                    &mut medium,
                    diagonal,
                    p,
                    best,
                    tolerance,
                    settings,
                    &mut pass,
                )
            }
            System::Contacts(contacts) => {
                let problem = contacts.problem;
                let block = |i| with_mean(*problem.delassus.diagonal(i));
                self.diagonal.extend((0..problem.len()).map(block));
                let gathered = &mut self.gathered;
                let mut medium = DelassusMedium {
                    problem,
                    p: gathered,
                };
                let (diagonal, settings) = (&self.diagonal, &self.settings);
                let mut pass = |medium: &mut DelassusMedium, p: &mut [DVec3]| {
                    in_order(medium, diagonal, p);
                };
                let best = &mut self.best;
                sweep(
                    &mut medium,
                    diagonal,
                    p,
                    best,
                    tolerance,
                    settings,
                    &mut pass,
                )
            }
        };
        p.clone_from(&self.best);
        outcome
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
    }
}

/// W_ii with w̄ = tr(W_ii)/3.
fn with_mean(w: DMat3) -> (DMat3, f64) {
    (w, (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0)
}

/// One sweep, contact after contact.
fn in_order<M: Medium>(medium: &mut M, diagonal: &[(DMat3, f64)], p: &mut [DVec3]) {
    for i in 0..p.len() {
        let (w, _) = &diagonal[i];
        let q = medium.velocity(i, p[i]) - *w * p[i];
        let next = one_contact::solve(medium.law(i), w, q);
        medium.add(i, next - p[i]);
        p[i] = next;
    }
}

/// The sweeps, wherever velocities come from and in whichever order `pass` goes. `best` ends as the impulses of least residual.
fn sweep<M: Medium>(
    medium: &mut M,
    diagonal: &[(DMat3, f64)],
    p: &mut [DVec3],
    best: &mut Vec<DVec3>,
    tolerance: f64,
    settings: &NsgsSettings,
    pass: &mut dyn FnMut(&mut M, &mut [DVec3]),
) -> Outcome {
    let n_c = medium.len();
    medium.reset(p);
    let mut best_residual = f64::INFINITY;
    let mut most = settings.sweeps;
    let mut reached = false;
    let mut since_better = 0;
    let mut sweeps = 0;
    loop {
        // Residual of the present impulses, recomputed.
        let mut residual: f64 = 0.0;
        let mut speed: f64 = 0.0;
        for i in 0..n_c {
            let u = medium.velocity(i, p[i]);
            let r = residual::of_contact(medium.law(i), p[i], u, diagonal[i].1);
            residual = if r.is_finite() {
                residual.max(r)
            } else {
                f64::INFINITY
            };
            speed = speed.max(u.length()).max(p[i].length() * diagonal[i].1);
        }
        if residual < best_residual || best.len() != n_c {
            best.clear();
            best.extend_from_slice(p);
            since_better = if residual < 0.9 * best_residual {
                0
            } else {
                since_better + 1
            };
            best_residual = residual;
        } else {
            since_better += 1;
        }
        if residual <= tolerance && !reached {
            reached = true;
            let extra = (settings.polish * sweeps as f64) as usize;
            let extra = if settings.polish > 0.0 {
                extra.max(20)
            } else {
                0
            };
            most = most.min(sweeps + extra);
        }
        let rounding = 2.0 * f64::EPSILON * speed;
        let stalled = reached && since_better >= 3;
        let ended = sweeps >= most || limit::reached();
        if residual <= rounding || ended || stalled || !residual.is_finite() {
            return Outcome {
                residual: best_residual,
                iterations: sweeps,
            };
        }
        // Tests cost about a sweep: few while far away.
        let count = if reached {
            2
        } else {
            (sweeps / 10).clamp(1, 20)
        };
        for _ in 0..count {
            pass(medium, p);
        }
        sweeps += count;
        medium.reset(p);
    }
}

impl ContactSolver for Nsgs {
    fn name(&self) -> &'static str {
        match self.settings.threads {
            None => "nsgs",
            Some(_) => "nsgs-coloured",
        }
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "converges to a solution",
            hypotheses: "no friction (symmetric positive semidefinite W); with friction none is proved",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        solve_by(self.name(), self, problem, guess, tolerance)
    }
}
