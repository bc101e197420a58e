//! Gauss-Seidel sweeps made conjugate to each other: some hundred of them cost what ten factorisations of a large heap cost.
//!
//! A sweep of exact one-contact solutions takes impulses p to S(p). Its displacement g = S(p) − p is taken as a preconditioned
//! gradient, and directions are made of displacements as in Fletcher and Reeves' conjugate gradients:
//!
//! ```text
//!   β = |g|²/|g before|²,   d ← β d + g,   p ← P(S(p) + β d),      d = 0 where β > 1,
//! ```
//!
//! with |g| measured as w̄|g| and P the projection on each contact's set of impulses. (Silcowitz-Hansen, Niebe and Erleben 2010,
//! there with the projection left to the next sweep.)

use crate::coupling::{
    BodySystem, Coupled, ScaledArm, System, relative_velocity, transposed_times,
};
use crate::engines::one_contact;
use crate::limit;
use crate::problem::{Law, residual};
use crate::solver::{Effort, Outcome};
use glam::{DMat3, DVec2, DVec3};

/// Settings of [`Conjugate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConjugateSettings {
    /// Most sweeps.
    pub(crate) sweeps: usize,
    /// Sweeps within which the least residual must halve.
    pub(crate) patience: usize,
}

/// Sweeps between two looks at the residual, which costs half a sweep, while displacements are far above the tolerance.
const LOOK_EVERY: usize = 10;
/// Times the tolerance at which displacements of a sweep call for a look.
const NEAR: f64 = 4.0;
/// Parts of D_ii that are rounding, relative to D_nn.
const ROUNDING: f64 = 1e-13;

/// Conjugate sweeps over a step on its bodies. It keeps memory only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conjugate {
    /// u without impulses, and Lᵀ W p (velocities of the bodies are ν_free + L y).
    free: Vec<DVec3>,
    y: Vec<[f64; 6]>,
    /// The same of the impulses before a sweep, and of the direction.
    y_before: Vec<[f64; 6]>,
    y_direction: Vec<[f64; 6]>,
    blocks: Vec<Diagonal>,
    swept: Vec<DVec3>,
    direction: Vec<DVec3>,
    best: Vec<DVec3>,
}

/// D_ii of a contact.
#[derive(Clone, Copy, Debug)]
struct Diagonal {
    w: DMat3,
    /// tr(D_ii)/3.
    mean: f64,
    /// D_nn and D_tt where D_ii is diag(D_nn, D_tt, D_tt) to rounding, as between balls.
    round: Option<(f64, f64)>,
}

impl Diagonal {
    fn new(arms: &[ScaledArm], compliance: DVec3) -> Self {
        let mut w = DMat3::from_diagonal(compliance);
        for arm in arms {
            for c in 0..3 {
                for r in 0..3 {
                    let both = arm.rows[r].iter().zip(&arm.rows[c]);
                    w.col_mut(c)[r] += both.map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        let (n, t) = (w.x_axis.x, 0.5 * (w.y_axis.y + w.z_axis.z));
        let ideal = DMat3::from_diagonal(DVec3::new(n, t, t));
        let off = (w - ideal).to_cols_array();
        let is_round = n > 0.0 && t > 0.0 && off.iter().all(|v| v.abs() <= ROUNDING * n);
        Self {
            w,
            mean: (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0,
            round: is_round.then_some((n, t)),
        }
    }

    /// The impulse that solves the contact alone, with u = `q` without it.
    fn solve(&self, law: &Law, q: DVec3) -> DVec3 {
        match (law, self.round) {
            (Law::Cone { mu }, Some((n, t))) => {
                if q.x >= 0.0 {
                    return DVec3::ZERO;
                }
                let p_n = -q.x / n;
                let q_t = DVec2::new(q.y, q.z);
                let (most, holds) = (mu * p_n, q_t.length() / t);
                let p_t = if holds <= most {
                    -q_t / t
                } else {
                    q_t * (-most / (holds * t))
                };
                DVec3::new(p_n, p_t.x, p_t.y)
            }
            _ => one_contact::solve(law, &self.w, q),
        }
    }
}

impl Conjugate {
    /// Improves `p` until the residual (m/s) is at most `tolerance`, or `settings.patience` sweeps have not halved the least one. A system
    /// on its contacts (a stored problem, a few contacts) is left as it is.
    pub(crate) fn improve(
        &mut self,
        system: &System<'_>,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &ConjugateSettings,
    ) -> Outcome {
        let System::Bodies(system) = system else {
            return Outcome::NONE;
        };
        self.begin(system, p);
        let (mut found, mut mark) = (f64::INFINITY, f64::INFINITY);
        let (mut before, mut sweeps) = (0.0, 0);
        while sweeps < settings.sweeps && !limit::reached() {
            let (size, largest) = self.sweep(system, p);
            sweeps += 1;
            if !size.is_finite() {
                break;
            }
            if largest <= NEAR * tolerance || sweeps % LOOK_EVERY == 0 || sweeps == settings.sweeps
            {
                let residual = self.residual(system);
                if residual < found {
                    found = residual;
                    self.best.clone_from(&self.swept);
                }
                if found <= tolerance || !residual.is_finite() {
                    break;
                }
            }
            if sweeps % settings.patience == 0 {
                if found > 0.5 * mark {
                    break;
                }
                mark = found;
            }
            self.turn(system, p, size / before);
            before = size;
        }
        if found < f64::INFINITY {
            p.clone_from(&self.best);
        }
        Outcome {
            residual: found,
            effort: Effort::of_iterations(sweeps),
        }
    }

    fn begin(&mut self, system: &BodySystem<'_>, p: &[DVec3]) {
        let problem = system.problem;
        self.free.clear();
        let contacts = problem.contacts.iter();
        self.free
            .extend(contacts.map(|c| c.velocity(&problem.nu_free)));
        self.blocks.clear();
        let blocks = problem.contacts.iter().enumerate();
        self.blocks
            .extend(blocks.map(|(i, c)| Diagonal::new(system.arms(i), c.compliance)));
        self.direction.clear();
        self.direction.resize(p.len(), DVec3::ZERO);
        self.swept.clear();
        self.swept.resize(p.len(), DVec3::ZERO);
        self.gather(system, p);
        self.y_before.clone_from(&self.y);
        self.y_direction.clear();
        self.y_direction.resize(self.y.len(), [0.0; 6]);
    }

    /// y = Lᵀ W p.
    fn gather(&mut self, system: &BodySystem<'_>, p: &[DVec3]) {
        self.y.clear();
        self.y.resize(system.problem.inverse_mass.len(), [0.0; 6]);
        for (i, &p) in p.iter().enumerate() {
            for arm in system.arms(i) {
                transposed_times(arm, p, &mut self.y[arm.body]);
            }
        }
    }

    /// A sweep from `p`, whose y is at hand: S(p) is left in `swept` with its y. Σ (w̄|g|)² and the largest w̄|g|.
    fn sweep(&mut self, system: &BodySystem<'_>, p: &[DVec3]) -> (f64, f64) {
        let (mut size, mut largest) = (0.0, 0.0f64);
        for (i, contact) in system.problem.contacts.iter().enumerate() {
            let arms = system.arms(i);
            let block = &self.blocks[i];
            let u = self.free[i] + relative_velocity(arms, &self.y) + contact.compliance * p[i];
            let next = block.solve(&contact.law, u - block.w * p[i]);
            let g = next - p[i];
            for arm in arms {
                transposed_times(arm, g, &mut self.y[arm.body]);
            }
            self.swept[i] = next;
            let moved = (block.mean * block.mean) * g.length_squared();
            size += moved;
            largest = largest.max(moved);
        }
        (size, largest.sqrt())
    }

    /// Largest residual of the impulses in `swept`, m/s, with their y gathered anew: what rounding has left in it is forgotten.
    fn residual(&mut self, system: &BodySystem<'_>) -> f64 {
        let swept = std::mem::take(&mut self.swept);
        self.gather(system, &swept);
        self.swept = swept;
        let mut worst: f64 = 0.0;
        for (i, contact) in system.problem.contacts.iter().enumerate() {
            let p = self.swept[i];
            let u =
                self.free[i] + relative_velocity(system.arms(i), &self.y) + contact.compliance * p;
            let r = residual::of_contact(&contact.law, p, u, self.blocks[i].mean);
            worst = if r.is_finite() {
                worst.max(r)
            } else {
                f64::INFINITY
            };
        }
        worst
    }

    /// Goes on from the swept impulses along the conjugate direction; `beta` is the ratio of the last two sizes.
    fn turn(&mut self, system: &BodySystem<'_>, p: &mut [DVec3], beta: f64) {
        // The first displacement is a direction; after a restart the next one is.
        let (keep, add, along) = if beta <= 1.0 {
            (beta, 1.0, beta)
        } else {
            (0.0, f64::from(u8::from(beta == f64::INFINITY)), 0.0)
        };
        let bodies = self
            .y
            .iter_mut()
            .zip(&mut self.y_before)
            .zip(&mut self.y_direction);
        for ((y, before), direction) in bodies {
            for m in 0..6 {
                direction[m] = direction[m] * keep + (y[m] - before[m]) * add;
                y[m] += direction[m] * along;
            }
        }
        for i in 0..p.len() {
            let (swept, d) = (self.swept[i], &mut self.direction[i]);
            *d = *d * keep + (swept - p[i]) * add;
            let moved = swept + *d * along;
            p[i] = system.law(i).project(moved, 1.0);
            if p[i] != moved {
                for arm in system.arms(i) {
                    transposed_times(arm, p[i] - moved, &mut self.y[arm.body]);
                }
            }
        }
        self.y_before.clone_from(&self.y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::problem::generate::{random_mu, random_problem};
    use crate::problem::{ContactProblem, Posed};
    use crate::random::Random;

    const SETTINGS: ConjugateSettings = ConjugateSettings {
        sweeps: 3_000,
        patience: 3_000,
    };

    fn solve(problem: &ContactProblem, tolerance: f64) -> (Vec<DVec3>, Outcome) {
        let mut memory = SystemMemory::default();
        let system = memory.system(Posed::Step(problem));
        let mut p = vec![DVec3::ZERO; problem.contacts.len()];
        let outcome = Conjugate::default().improve(&system, &mut p, tolerance, &SETTINGS);
        (p, outcome)
    }

    /// Residuals are those of the problem as given, and most random problems are solved.
    #[test]
    fn sweeps_come_to_an_answer_and_say_how_good_it_is() {
        let mut random = Random::new(61);
        let mut law = |random: &mut Random| Law::Cone {
            mu: random_mu(random),
        };
        let mut solved = 0;
        for _ in 0..40 {
            let problem = random_problem(&mut random, 12, 2.0, &mut law);
            let (p, outcome) = solve(&problem, 1e-9);
            let true_residual = residual::of_step(&problem, &p, &mut Vec::new()).0;
            assert!(
                (true_residual - outcome.residual).abs() <= 1e-12,
                "{outcome:?} {true_residual}"
            );
            solved += usize::from(outcome.residual <= 1e-9);
        }
        assert!(solved >= 30, "{solved} of 40");
    }

    /// Between balls D_ii is round, and the quick form is the exact one.
    #[test]
    fn a_round_contact_is_solved_as_any_other() {
        let mut random = Random::new(62);
        let (law, w) = (
            Law::Cone { mu: 0.4 },
            DMat3::from_diagonal(DVec3::new(2.0, 7.0, 7.0)),
        );
        let block = Diagonal {
            w,
            mean: 16.0 / 3.0,
            round: Some((2.0, 7.0)),
        };
        for _ in 0..200 {
            let q = random.vec3();
            let (quick, exact) = (block.solve(&law, q), one_contact::solve(&law, &w, q));
            assert!((quick - exact).length() < 1e-14, "{q}: {quick} {exact}");
        }
    }

    /// A few contacts are solved on their contacts, by others.
    #[test]
    fn a_system_on_its_contacts_is_left() {
        let mut random = Random::new(63);
        let problem = random_problem(&mut random, 3, 2.0, &mut |_| Law::Cone { mu: 0.5 });
        let (p, outcome) = solve(&problem, 1e-9);
        assert_eq!((p, outcome.residual), (vec![DVec3::ZERO; 3], f64::INFINITY));
    }
}
