//! The system of a problem in either of its forms, on its bodies or on its contacts.

use crate::coupling::bodies::{BodyMemory, BodySystem};
use crate::coupling::contacts::{DelassusMemory, DelassusSystem};
use crate::coupling::{Coupled, Linearised};
use crate::limit;
use crate::problem::local::LocalProblem;
use crate::problem::{Law, Posed};
use glam::DVec3;

/// The system of a posed problem, on its bodies or on its contacts.
#[derive(Debug)]
pub enum System<'a> {
    /// One block row for each body.
    Bodies(BodySystem<'a>),
    /// One block row for each contact.
    Contacts(DelassusSystem<'a>),
}

/// Memory of a [`System`], reused from problem to problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemMemory {
    bodies: BodyMemory,
    contacts: DelassusMemory,
    local: LocalProblem,
}

/// Up to this many contacts a step is solved on its contacts.
const FEW_CONTACTS: usize = 4;

impl SystemMemory {
    /// Forgets the pattern of the last problem's contacts.
    pub(crate) fn forget(&mut self) {
        self.contacts.forget();
    }

    /// The system of a problem: on the contacts where the problem is given so or has few of them, else
    /// on the bodies.
    pub(crate) fn system<'a>(&'a mut self, problem: Posed<'a>) -> System<'a> {
        match problem {
            Posed::Step(step) if step.contacts.len() > FEW_CONTACTS => {
                System::Bodies(BodySystem::new(step, &mut self.bodies))
            }
            Posed::Step(step) => {
                self.local.assemble(step);
                System::Contacts(DelassusSystem::new(&self.local, &mut self.contacts))
            }
            Posed::Local(problem) => {
                System::Contacts(DelassusSystem::new(problem, &mut self.contacts))
            }
        }
    }
}

impl System<'_> {
    /// From now on contacts are eliminated by patches where that pays: several times as fast, and less accurate where
    /// contacts are nearly singular together, so that A needs more regularisation.
    pub(crate) fn by_patches(&mut self, on: bool) {
        if let System::Contacts(contacts) = self {
            contacts.by_patches(on);
        }
    }

    /// Lets `method` see impulses measured by the heaviest body: w̄ is at most `w_heavy` there. It moves no solution, only what
    /// counts as a large impulse: a light body between heavy ones carries impulses far above its own mass times any velocity.
    pub(crate) fn measured_by<R>(
        &mut self,
        w_heavy: f64,
        method: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.scale(|w| w.min(w_heavy));
        let found = method(self);
        self.scale(|w| w);
        found
    }

    /// Sets each w̄ to this function of its natural value.
    fn scale(&mut self, of: impl Fn(f64) -> f64) {
        let (natural, target) = match self {
            System::Bodies(b) => b.scales(),
            System::Contacts(c) => c.scales(),
        };
        target.clear();
        target.extend(natural.iter().map(|&w| of(w)));
    }
}

/// Calls a method of whichever system it is.
macro_rules! either {
    ($system:expr, $s:ident => $call:expr) => {
        match $system {
            System::Bodies($s) => $call,
            System::Contacts($s) => $call,
        }
    };
}

impl Coupled for System<'_> {
    fn len(&self) -> usize {
        either!(self, s => s.len())
    }

    fn law(&self, i: usize) -> &Law {
        either!(self, s => s.law(i))
    }

    fn w_bar(&self, i: usize) -> f64 {
        either!(self, s => s.w_bar(i))
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        either!(self, s => s.velocities(p, u));
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        either!(self, s => s.response(dp, du));
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        limit::spend(rows.len());
        either!(self, s => s.factor(rows))
    }

    fn direct(&self) -> bool {
        either!(self, s => s.direct())
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        either!(self, s => s.back_solve(rows, dp));
    }

    fn determinant_sign(&self) -> Option<f64> {
        either!(self, s => s.determinant_sign())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::tests::random_step;
    use crate::random::Random;

    #[test]
    fn few_contacts_of_a_step_and_stored_ones_are_solved_on_the_contacts() {
        let mut random = Random::new(48);
        let mut memory = SystemMemory::default();
        for n_c in [1, FEW_CONTACTS, FEW_CONTACTS + 1, 20] {
            let (step, local) = random_step(&mut random, n_c);
            let on_contacts = matches!(memory.system(Posed::Step(&step)), System::Contacts(_));
            assert_eq!(on_contacts, n_c <= FEW_CONTACTS);
            let stored = memory.system(Posed::Local(&local));
            assert!(matches!(stored, System::Contacts(_)) && stored.len() == n_c);
        }
    }

    #[test]
    fn a_method_sees_light_contacts_measured_by_the_heavy_ones() {
        let mut random = Random::new(49);
        let mut memory = SystemMemory::default();
        let (step, local) = random_step(&mut random, 9);
        let w: Vec<f64> = (0..9).map(|i| local.delassus.w_bar(i)).collect();
        let mut sorted = w.clone();
        sorted.sort_by(f64::total_cmp);
        let heavy = sorted[4];
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        for posed in [Posed::Step(&step), Posed::Local(&local)] {
            let mut system = memory.system(posed);
            system.measured_by(heavy, |system| {
                let mut seen = w.iter().enumerate();
                assert!(seen.all(|(i, w)| near(system.w_bar(i), w.min(heavy))));
            });
            let mut natural = w.iter().enumerate();
            assert!(natural.all(|(i, &w)| near(system.w_bar(i), w)));
        }
    }
}
