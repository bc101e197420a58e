//! Nonsmooth Gauss-Seidel: contact after contact, each solved exactly with the others held.

use crate::coupling::System;
use crate::engines::colouring;
use crate::engines::one_contact;
use crate::limit;
use crate::problem::local::{BodyMedium, DelassusMedium, Medium};
use crate::problem::residual;
use crate::problem::{ContactBlock, Twist};
use crate::solver::{Effort, Engine, Guarantee, Outcome};
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

impl NsgsSettings {
    /// Gauss-Seidel by itself. The numbers were chosen without measurement.
    pub const ALONE: Self = Self {
        sweeps: 10_000,
        polish: 1.0,
        threads: None,
    };

    /// Colour after colour, on as many threads as the machine has.
    #[must_use]
    pub fn coloured() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: Some(threads),
            ..Self::ALONE
        }
    }
}

impl NsgsSettings {
    /// Sweeps beyond the tolerance, met after so many.
    fn beyond(&self, sweeps: usize) -> usize {
        if self.polish > 0.0 {
            ((self.polish * sweeps as f64) as usize).max(20)
        } else {
            0
        }
    }
}

impl Default for NsgsSettings {
    fn default() -> Self {
        Self::ALONE
    }
}

/// Nonsmooth Gauss-Seidel (Jean and Moreau) with the exact one-contact solver. It keeps memory only.
///
/// Velocities are kept at the bodies, so a sweep costs the same for each contact whatever touches
/// what; they are recomputed from the impulses at every test, so rounding does not pile up.
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    nu: Vec<Twist>,
    best: Vec<DVec3>,
    gathered: Vec<DVec3>,
    diagonal: Vec<(DMat3, f64)>,
    solved: Vec<DVec3>,
}

impl Engine for Nsgs {
    type Settings = NsgsSettings;
    const NAME: &'static str = "nsgs";
    const GUARANTEE: Guarantee = Guarantee {
        claim: "converges to a solution",
        hypotheses: "no friction (symmetric positive semidefinite D); with friction none is proved",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NsgsSettings,
    ) -> Outcome {
        self.diagonal.clear();
        let Self {
            nu,
            best,
            gathered,
            diagonal,
            solved,
        } = self;
        let sweeps = Sweeps {
            best,
            tolerance,
            settings,
        };
        let outcome = match system {
            System::Bodies(bodies) => {
                let problem = bodies.problem;
                let block = |c: &ContactBlock| with_mean(c.diagonal(&problem.inverse_mass));
                diagonal.extend(problem.contacts.iter().map(block));
                let coloured = settings.threads.map(|n| (colouring::colours(problem), n));
                let medium = &mut BodyMedium { problem, nu };
                sweeps.run(medium, diagonal, p, &mut |medium, p| match &coloured {
                    Some((colours, threads)) => {
                        colouring::sweep(medium, colours, *threads, diagonal, p, solved);
                    }
                    None => in_order(medium, diagonal, p),
                })
            }
            System::Contacts(contacts) => {
                let problem = contacts.problem;
                let block = |i| with_mean(*problem.delassus.diagonal(i));
                diagonal.extend((0..problem.len()).map(block));
                let medium = &mut DelassusMedium {
                    problem,
                    p: gathered,
                };
                sweeps.run(medium, diagonal, p, &mut |medium, p| {
                    in_order(medium, diagonal, p);
                })
            }
        };
        p.clone_from(&self.best);
        outcome
    }
}

/// D_ii with w̄ = tr(D_ii)/3.
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

/// What the sweeps go by; `best` ends as the impulses of least residual.
struct Sweeps<'a> {
    best: &'a mut Vec<DVec3>,
    tolerance: f64,
    settings: &'a NsgsSettings,
}

impl Sweeps<'_> {
    /// The sweeps, wherever velocities come from and in whichever order `pass` goes.
    fn run<M: Medium>(
        self,
        medium: &mut M,
        diagonal: &[(DMat3, f64)],
        p: &mut [DVec3],
        pass: &mut dyn FnMut(&mut M, &mut [DVec3]),
    ) -> Outcome {
        medium.reset(p);
        let mut first = true;
        let mut best_residual = f64::INFINITY;
        let mut most = self.settings.sweeps;
        let mut reached = false;
        let mut since_better = 0;
        let mut sweeps = 0;
        loop {
            let (residual, speed) = residual_and_speed(medium, diagonal, p);
            if residual < best_residual || first {
                self.best.clear();
                self.best.extend_from_slice(p);
                first = false;
                since_better = if residual < 0.9 * best_residual {
                    0
                } else {
                    since_better + 1
                };
                best_residual = residual;
            } else {
                since_better += 1;
            }
            if residual <= self.tolerance && !reached {
                reached = true;
                most = most.min(sweeps + self.settings.beyond(sweeps));
            }
            let rounding = 2.0 * f64::EPSILON * speed;
            let stalled = reached && since_better >= 3;
            let ended = sweeps >= most || limit::reached();
            if residual <= rounding || ended || stalled || !residual.is_finite() {
                return Outcome {
                    residual: best_residual,
                    effort: Effort::of_iterations(sweeps),
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
}

/// Largest residual of the present impulses, recomputed, and the largest speed in play, m/s.
fn residual_and_speed<M: Medium>(medium: &M, diagonal: &[(DMat3, f64)], p: &[DVec3]) -> (f64, f64) {
    let mut residual: f64 = 0.0;
    let mut speed: f64 = 0.0;
    for i in 0..medium.len() {
        let u = medium.velocity(i, p[i]);
        let r = residual::of_contact(medium.law(i), p[i], u, diagonal[i].1);
        residual = if r.is_finite() {
            residual.max(r)
        } else {
            f64::INFINITY
        };
        speed = speed.max(u.length()).max(p[i].length() * diagonal[i].1);
    }
    (residual, speed)
}
