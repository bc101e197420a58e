//! Newton with factors that are kept: the problem of the call before, with another right-hand side.
//!
//! Rounds of joints solve one problem again and again while its b settles and the compliance of its rows falls. Modes stay as they
//! are as a rule, and so does the matrix but for the compliance: steps with the factors of the first of these problems contract
//! by the ratio of compliance to D, some 1e-4, and cost a back-substitution each. Where they do not contract, the system is factored
//! once at the impulses at hand; where that does not help either, modes change, and the caller has other methods.

use crate::coupling::{Coupled, Linearised, inverse};
use crate::limit;
use crate::problem::law::Linear;
use crate::solver::{Effort, Outcome};
use glam::{DMat3, DVec3};

/// Compliance of rows that have none of their own, relative to w̄: what redundant contacts need to have one step. It moves no
/// solution, the residual is that of the law.
const REGULAR: f64 = 1e-6;
/// A step that leaves more than this part of the residual does not contract.
const CONTRACTS: f64 = 0.2;
/// Factors that took more steps than this are made anew in the next call.
const SLOW: usize = 2;
/// Steps of one call at most. (Four take 1e-2 m/s to rounding.)
const MOST: usize = 12;

/// Newton steps with kept factors. They belong to the system whose memory was last asked to factor by this.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chord {
    /// The linearised laws of what is factored; g is that of the step at hand.
    rows: Vec<Linearised>,
    held: bool,
    u: Vec<DVec3>,
    dp: Vec<DVec3>,
    best: Vec<DVec3>,
}

impl Chord {
    /// The factors are no longer there.
    pub(crate) fn forget(&mut self) {
        self.held = false;
    }

    /// Improves `p` until the residual is at most `aim`, m/s, or steps no longer contract.
    pub(crate) fn improve<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        aim: f64,
    ) -> Outcome {
        self.held &= self.rows.len() == system.len();
        let (mut effort, mut least, mut fresh) = (Effort::default(), f64::INFINITY, false);
        let mut before = f64::INFINITY;
        for _ in 0..MOST {
            system.velocities(p, &mut self.u);
            let now = self.residual(system, p);
            if now < least {
                least = now;
                self.best.clone_from(p);
            }
            let contracts = now <= CONTRACTS * before;
            if now <= aim || limit::reached() || !contracts && fresh {
                break;
            }
            if !self.held || !contracts {
                p.clone_from(&self.best);
                system.velocities(p, &mut self.u);
                fresh = true;
                effort.factorisations += 1;
                self.held = self.factor(system, p);
                if !self.held {
                    break;
                }
            }
            before = least;
            effort.iterations += 1;
            self.step(system, p);
        }
        self.held &= effort.iterations <= SLOW;
        p.clone_from(&self.best);
        Outcome {
            residual: least,
            effort,
        }
    }

    /// Largest residual over the contacts, m/s; infinite where one is no number.
    fn residual<S: Coupled>(&self, system: &S, p: &[DVec3]) -> f64 {
        let mut worst = 0.0f64;
        for (i, (&p, &u)) in p.iter().zip(&self.u).enumerate() {
            let size = system
                .law(i)
                .natural_map(p, u, system.w_bar(i))
                .length_squared();
            if size.is_nan() {
                return f64::INFINITY;
            }
            worst = worst.max(size);
        }
        worst.sqrt()
    }

    /// Factors the system with the laws linearised at (p, u). False where singular.
    fn factor<S: Coupled>(&mut self, system: &mut S, p: &[DVec3]) -> bool {
        self.rows.clear();
        for (i, (&p, &u)) in p.iter().zip(&self.u).enumerate() {
            let w_bar = system.w_bar(i);
            let Linear { d, by_u, .. } = system.law(i).alart_curnier(p, u, w_bar);
            // A contact that no body feels has w̄ = 0: keep A regular.
            let scale = if w_bar > 0.0 { w_bar } else { 1.0 };
            let a = (DMat3::IDENTITY - d) * scale + by_u * (REGULAR * scale);
            self.rows.push(Linearised {
                a,
                a_inverse: inverse(&a),
                b: by_u,
                g: DVec3::ZERO,
            });
        }
        system.factor(&self.rows)
    }

    /// A step with the factors at hand.
    fn step<S: Coupled>(&mut self, system: &mut S, p: &mut [DVec3]) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.g = -system
                .law(i)
                .alart_curnier(p[i], self.u[i], system.w_bar(i))
                .f;
        }
        system.back_solve(&self.rows, &mut self.dp);
        for (p, d) in p.iter_mut().zip(&self.dp) {
            *p += *d;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::tests::random_step;
    use crate::coupling::{BodyMemory, BodySystem};
    use crate::engines::newton::{Newton, NewtonSettings};
    use crate::random::Random;

    /// Right-hand sides that change by little are followed with one factorisation, to the answers of Newton.
    #[test]
    fn small_changes_are_followed_by_the_factors_at_hand() {
        let mut random = Random::new(91);
        let (mut followed, mut factored) = (0, 0);
        for _ in 0..40 {
            let (mut step, _) = random_step(&mut random, 14);
            let (mut memory, mut chord) = (BodyMemory::default(), Chord::default());
            let mut p = vec![DVec3::ZERO; 14];
            let mut system = BodySystem::new(&step, &mut memory);
            let found = Newton::default().improve_coupled(
                &mut system,
                &mut p,
                1e-12,
                &NewtonSettings::ALONE,
            );
            if found.residual > 1e-12 {
                continue;
            }
            for _ in 0..4 {
                for contact in &mut step.contacts {
                    contact.b += random.vec3() * 1e-9;
                }
                let mut system = BodySystem::new(&step, &mut memory);
                let outcome = chord.improve(&mut system, &mut p, 1e-13);
                if outcome.residual > 1e-13 {
                    // A contact at the edge of two modes: the caller's other methods follow.
                    chord.forget();
                    continue;
                }
                followed += 1;
                factored += outcome.effort.factorisations;
                let mut u = Vec::new();
                system.velocities(&p, &mut u);
                for (i, (&p, &u)) in p.iter().zip(&u).enumerate() {
                    let f = system.law(i).natural_map(p, u, system.w_bar(i));
                    assert!(f.length() <= 1e-13, "contact {i}");
                }
            }
        }
        assert!(followed >= 100, "{followed} followed");
        assert!(
            2 * factored <= followed,
            "{factored} factored for {followed}"
        );
    }

    #[test]
    fn nothing_is_done_where_the_impulses_are_an_answer() {
        let mut random = Random::new(92);
        let (step, _) = random_step(&mut random, 12);
        let mut memory = BodyMemory::default();
        let mut system = BodySystem::new(&step, &mut memory);
        let mut p = vec![DVec3::ZERO; 12];
        let outcome = Chord::default().improve(&mut system, &mut p, f64::INFINITY);
        assert_eq!(outcome.effort, Effort::default());
        assert_eq!(p, vec![DVec3::ZERO; 12]);
    }
}
