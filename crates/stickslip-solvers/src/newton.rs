//! Regularised semismooth Newton on the natural map of the exact law.

use crate::local::LocalProblem;
use crate::nsgs::Outcome;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved};
use crate::system::{
    BodyMemory, BodySystem, Coupled, DelassusMemory, DelassusSystem, Linearised, Refinement,
};
use glam::{DMat3, DVec3};

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Most Newton steps.
    pub iterations: usize,
    /// Relative regularisation of W: each step solves with W + ε w̄ I, which redundant contacts need
    /// and which does not move the solution (the residual is that of the exact problem).
    pub regularisation: f64,
    /// Halvings of a step before the regularisation is raised.
    pub halvings: usize,
    /// Steps within which the merit must halve.
    pub patience: usize,
    /// Steps whose largest merit a new one must beat (nonmonotone line search).
    pub memory: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            iterations: 60,
            regularisation: 1e-9,
            halvings: 8,
            patience: 12,
            memory: 4,
        }
    }
}

/// Semismooth Newton on F_i = x_i − P_i(x_i − ũ_i), x = w̄ p, ũ = u + μσ(u_t) e_n.
///
/// With D = P' and C = I + e_n ∇(μσ)ᵀ each contact gives w̄ (I − D + ε I) δp + D C δu = −F. Merit ‖F‖₂
/// with a nonmonotone line search; ε grows a hundredfold where no step is found. Quadratic near a
/// solution with strict complementarity; no global guarantee, which is why `auto` has a chain.
/// References: Alart and Curnier 1991; Qi and Sun 1993.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// Settings.
    pub settings: NewtonSettings,
    bodies: BodyMemory,
    contacts: DelassusMemory,
    local: LocalProblem,
    work: Work,
}

#[derive(Clone, Debug, Default)]
struct Work {
    u: Vec<DVec3>,
    f: Vec<DVec3>,
    dp: Vec<DVec3>,
    trial: Vec<DVec3>,
    trial_u: Vec<DVec3>,
    best: Vec<DVec3>,
    rows: Vec<Linearised>,
    merits: Vec<f64>,
    refinement: Refinement,
}

/// ‖F‖₂, largest |F_i| and the largest speed in play.
struct Measure {
    merit: f64,
    worst: f64,
    speed: f64,
}

fn natural_maps<S: Coupled>(system: &S, p: &[DVec3], u: &[DVec3], f: &mut Vec<DVec3>) -> Measure {
    f.clear();
    let (mut sum, mut worst, mut speed) = (0.0, 0.0f64, 0.0f64);
    for (i, (&p, &u)) in p.iter().zip(u).enumerate() {
        let w_bar = system.w_bar(i);
        let f_i = system.law(i).natural_map(p, u, w_bar);
        let r2 = f_i.length_squared();
        sum += r2;
        worst = worst.max(r2);
        speed = speed
            .max(u.length_squared())
            .max(p.length_squared() * w_bar * w_bar);
        f.push(f_i);
    }
    if sum.is_nan() {
        sum = f64::INFINITY;
        worst = f64::INFINITY;
    }
    Measure {
        merit: sum.sqrt(),
        worst: worst.sqrt(),
        speed: speed.sqrt(),
    }
}

impl Newton {
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: NewtonSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Improves `p` on a local problem until the residual (m/s) is at most `tolerance`.
    pub fn solve_local(
        &mut self,
        problem: &LocalProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut system = DelassusSystem {
            problem,
            memory: &mut self.contacts,
        };
        self.work.solve(&mut system, p, tolerance, &self.settings)
    }

    /// Improves `p` on the problem of a step until the residual (m/s) is at most `tolerance`.
    pub fn solve_step(
        &mut self,
        problem: &ContactProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        // On the contacts where that system is the smaller one, else on the bodies.
        if problem.contacts.len() <= 4 {
            self.local.assemble(problem);
            let mut system = DelassusSystem {
                problem: &self.local,
                memory: &mut self.contacts,
            };
            return self.work.solve(&mut system, p, tolerance, &self.settings);
        }
        let mut system = BodySystem::new(problem, &mut self.bodies);
        self.work.solve(&mut system, p, tolerance, &self.settings)
    }
}

impl Work {
    fn solve<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NewtonSettings,
    ) -> Outcome {
        system.velocities(p, &mut self.u);
        let mut now = natural_maps(system, p, &self.u, &mut self.f);
        self.best.clone_from(p);
        let mut best = now.worst;
        self.merits.clear();
        let mut epsilon = settings.regularisation;
        let mut stalled = 0;
        let mut mark = f64::INFINITY;
        for iteration in 0..settings.iterations {
            let rounding = 4.0 * f64::EPSILON * now.speed;
            if now.worst <= rounding || best <= tolerance && stalled >= 3 {
                return self.end(p, best, iteration);
            }
            // No factor of two in so many steps: this start leads nowhere.
            if iteration % settings.patience == settings.patience - 1 {
                if now.merit > 0.5 * mark && best > tolerance {
                    return self.end(p, best, iteration);
                }
                mark = now.merit;
            }
            // Polishing: only steps down, with the least regularisation.
            if best <= tolerance {
                self.merits.clear();
                epsilon = settings.regularisation;
            }
            if self.merits.len() >= settings.memory {
                self.merits.remove(0);
            }
            self.merits.push(now.merit);
            let reference = self.merits.iter().fold(0.0f64, |m, v| m.max(*v));
            let Some(next) = self.step(system, p, &mut epsilon, reference, settings) else {
                return self.end(p, best, iteration);
            };
            now = next;
            stalled = if now.worst < 0.5 * best {
                0
            } else {
                stalled + 1
            };
            if now.worst < best {
                best = now.worst;
                self.best.clone_from(p);
            }
            if best > tolerance {
                stalled = 0;
            }
        }
        self.end(p, best, settings.iterations)
    }

    fn end(&self, p: &mut Vec<DVec3>, residual: f64, iterations: usize) -> Outcome {
        p.clone_from(&self.best);
        Outcome {
            residual,
            iterations,
        }
    }

    /// One step with line search; raises ε while none is found. None when even that fails.
    fn step<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        epsilon: &mut f64,
        reference: f64,
        settings: &NewtonSettings,
    ) -> Option<Measure> {
        let first = *epsilon;
        while *epsilon <= 1.0 {
            self.linearise(system, p, *epsilon);
            if system.factor(&self.rows) {
                system.refined_solve(&mut self.rows, 1, &mut self.dp, &mut self.refinement);
                let mut t = 1.0;
                for _ in 0..=settings.halvings {
                    self.trial.clear();
                    self.trial
                        .extend(p.iter().zip(&self.dp).map(|(&p, &d)| p + d * t));
                    system.velocities(&self.trial, &mut self.trial_u);
                    let next = natural_maps(system, &self.trial, &self.trial_u, &mut self.f);
                    if next.merit <= (1.0 - 1e-4 * t) * reference {
                        std::mem::swap(p, &mut self.trial);
                        std::mem::swap(&mut self.u, &mut self.trial_u);
                        if *epsilon == first {
                            *epsilon = (*epsilon * 0.1).max(settings.regularisation);
                        }
                        return Some(next);
                    }
                    t *= 0.5;
                }
            }
            natural_maps(system, p, &self.u, &mut self.f);
            *epsilon *= 100.0;
        }
        *epsilon = 1.0;
        None
    }

    /// A = w̄ (I − D + ε I), B = D C, g = −F at (p, u).
    fn linearise<S: Coupled>(&mut self, system: &S, p: &[DVec3], epsilon: f64) {
        self.rows.clear();
        for i in 0..p.len() {
            let law = system.law(i);
            let w_bar = system.w_bar(i);
            let u = self.u[i];
            let (shift, gradient) = law.slip(u);
            let x = p[i] * w_bar - u - DVec3::X * shift;
            let d = law.project_derivative(x, w_bar);
            // D C = D + (D e_n) ∇ᵀ.
            let b = d + crate::law::outer(d.x_axis, gradient);
            // A contact that no body feels has w̄ = 0: keep A regular.
            let scale = if w_bar > 0.0 { w_bar } else { 1.0 };
            let a = (DMat3::IDENTITY * (1.0 + epsilon) - d) * scale;
            self.rows.push(Linearised {
                a,
                b,
                g: -self.f[i],
            });
        }
    }
}

impl ContactSolver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "converges quadratically from a start near enough to a solution",
            hypotheses: "strict complementarity and a regular Jacobian (up to redundant contacts)",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let mut p = crate::solver::starting_impulses(self.name(), problem, guess)?;
        let outcome = self.solve_step(problem, &mut p, tolerance);
        crate::solver::finish(self.name(), problem, p, outcome.iterations, tolerance)
    }
}
