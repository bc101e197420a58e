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
//!
//! Contacts are swept four at a time (`groups`): those of one colour share no body, so that their order does not matter, and what is done to four is done by the same operations
//! as to each. A sweep takes some 30 ns a contact on one core.

mod alone;
mod groups;
mod lanes;
mod members;

use crate::coupling::{BodySystem, System};
use crate::limit;
use crate::problem::residual;
use crate::solver::{Effort, Outcome};
use glam::DVec3;
use groups::{Groups, Scaled};

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

/// Conjugate sweeps over a step on its bodies. It keeps memory only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conjugate {
    groups: Groups,
    /// Lᵀ W p (velocities of the bodies are ν_free + L y).
    y: Vec<Scaled>,
    /// The same of the impulses before a sweep, and of the direction.
    y_before: Vec<Scaled>,
    y_direction: Vec<Scaled>,
    best: Vec<DVec3>,
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
        pulp::Arch::new().dispatch(Improve {
            conjugate: self,
            system,
            p,
            tolerance,
            settings,
        })
    }

    #[inline(always)]
    fn improve_on_bodies(
        &mut self,
        system: &BodySystem<'_>,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &ConjugateSettings,
    ) -> Outcome {
        self.begin(system, p);
        let (mut found, mut mark) = (f64::INFINITY, f64::INFINITY);
        let (mut before, mut sweeps) = (0.0, 0);
        while sweeps < settings.sweeps && !limit::reached() {
            let (size, largest) = self.groups.sweep(system, &mut self.y);
            sweeps += 1;
            if !size.is_finite() {
                break;
            }
            if largest <= NEAR * tolerance || sweeps % LOOK_EVERY == 0 || sweeps == settings.sweeps
            {
                let residual = self.residual(system);
                if residual < found {
                    found = residual;
                    self.best.resize(p.len(), DVec3::ZERO);
                    self.groups.swept_into(&mut self.best);
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
            self.turn(system, size / before);
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

    #[inline(always)]
    fn begin(&mut self, system: &BodySystem<'_>, p: &[DVec3]) {
        self.groups.begin(system, p);
        let bodies = system.problem.inverse_mass.len();
        self.y.clear();
        self.y.resize(bodies + 1, [0.0; 8]);
        self.groups.gather(false, &mut self.y);
        self.y_before.clone_from(&self.y);
        self.y_direction.clear();
        self.y_direction.resize(bodies + 1, [0.0; 8]);
    }

    /// Largest residual of the impulses swept, m/s, with their y gathered anew: what rounding has left in it is forgotten.
    #[inline(always)]
    fn residual(&mut self, system: &BodySystem<'_>) -> f64 {
        self.groups.gather(true, &mut self.y);
        let mut worst: f64 = 0.0;
        let contacts = &system.problem.contacts;
        self.groups.each_swept(&self.y, |i, p, u, w_bar| {
            let r = residual::of_contact(&contacts[i].law, p, u, w_bar);
            worst = if r.is_finite() {
                worst.max(r)
            } else {
                f64::INFINITY
            };
        });
        worst
    }

    /// Goes on from the swept impulses along the conjugate direction; `beta` is the ratio of the last two sizes.
    #[inline(always)]
    fn turn(&mut self, system: &BodySystem<'_>, beta: f64) {
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
            for m in 0..8 {
                direction[m] = direction[m] * keep + (y[m] - before[m]) * add;
                y[m] += direction[m] * along;
            }
        }
        self.groups.turn(system, [keep, add, along], &mut self.y);
        self.y_before.copy_from_slice(&self.y);
    }
}

/// Sweeps with the widest vectors that the machine has.
struct Improve<'a, 'b> {
    conjugate: &'a mut Conjugate,
    system: &'a BodySystem<'b>,
    p: &'a mut Vec<DVec3>,
    tolerance: f64,
    settings: &'a ConjugateSettings,
}

impl pulp::WithSimd for Improve<'_, '_> {
    type Output = Outcome;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Outcome {
        let Self {
            conjugate,
            system,
            p,
            tolerance,
            settings,
        } = self;
        conjugate.improve_on_bodies(system, p, tolerance, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::problem::generate::{random_mu, random_problem};
    use crate::problem::{ContactProblem, Law, Posed};
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

    /// Whatever vectors the machine has, the bits are those of numbers one by one.
    #[test]
    fn wide_vectors_change_no_bit() {
        let mut random = Random::new(64);
        let mut law = |random: &mut Random| match random.below(4) {
            0 => Law::Unilateral,
            1 => Law::Pyramid {
                mu: random_mu(random),
                directions: 6,
            },
            _ => Law::Cone {
                mu: random_mu(random),
            },
        };
        for n_c in [5, 17, 60] {
            let problem = random_problem(&mut random, n_c, 2.0, &mut law);
            let mut memory = SystemMemory::default();
            let system = memory.system(Posed::Step(&problem));
            let System::Bodies(bodies) = &system else {
                panic!("a step of {n_c} contacts is solved on its bodies");
            };
            let mut plain = vec![DVec3::ZERO; n_c];
            let mut wide = plain.clone();
            let by_one =
                Conjugate::default().improve_on_bodies(bodies, &mut plain, 1e-9, &SETTINGS);
            let by_four = Conjugate::default().improve(&system, &mut wide, 1e-9, &SETTINGS);
            assert_eq!((by_one, plain), (by_four, wide));
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
