//! Contacts that bear something, without those that do not.
//!
//! Every pair of features that may close in a step has a row, and in a heap that falls or is stirred half of the rows stay open: 2,000 rows
//! of 300 boxes, of which 900 bear something. Open rows change nothing of the answer, but everything of its cost: they join islands that do not
//! touch, fill the fronts of the elimination, and have their law smoothed in each step of the interior point. So sweeps tell roughly which
//! bodies meet, the contacts that are well open then are left out, the others are solved as if they were all, and the residual of the whole
//! says whether one of those left out is broken: it is then taken in, and the rest goes on from the answer.
//!
//! (26 problems of 300 boxes and 16 of 100 hulls in a bin, within their budgets: 36 solved in 10.2 s with all rows, 41 in 9.0 s so; 41 in 6.4 s if it were
//! known beforehand which rows bear something.)

use crate::auto::Auto;
use crate::auto::chain::{Chain, Verdict};
use crate::auto::steps::Asked;
use crate::engines::conjugate::ConjugateSettings;
use crate::limit;
use crate::problem::islands::Part;
use crate::problem::{ContactProblem, Law, Posed};
use crate::solver::{ContactSolver, Effort, Purpose, ROUGH, SolveError};
use glam::DVec3;

/// The name of the stage, which the search among those that bear leaves out.
pub(super) const NAME: &str = "bearing";

/// Residual at which impulses tell which contacts are open, m/s, and the sweeps that may come to it.
const TELLING: f64 = 1e-2;
const SWEEPS: ConjugateSettings = ConjugateSettings {
    sweeps: 100,
    patience: 100,
};
/// Speed at which a contact opens that is left out, m/s.
const OPEN: f64 = 0.1;
/// Contacts that must be left out for it to be worth while: one in so many.
const WORTH: usize = 8;
/// Times that contacts are taken in again at most.
const ROUNDS: usize = 4;

/// What is kept from problem to problem: memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Bearing {
    auto: Box<Auto>,
    part: Part,
    members: Vec<usize>,
}

impl Bearing {
    /// A step begins: answers to the last one's problems are none of this one's.
    pub(super) fn begin_step(&mut self) {
        self.auto.begin_step();
    }
}

impl Chain<'_> {
    /// Solves the contacts that are not well open after a few sweeps, and looks whether the others stay open.
    pub(super) fn those_that_bear(&mut self, p: &mut [DVec3]) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        let mut open = p.to_vec();
        if self.from_guess > TELLING {
            let engine = &mut self.kit.conjugate;
            let outcome = engine.improve(&self.system, &mut open, TELLING, &SWEEPS);
            self.charge(outcome.effort);
            if outcome.residual > ROUGH * TELLING {
                return Verdict::Next;
            }
        }
        let mut bearing = self.kit.bearing.take().unwrap_or_default();
        step.velocity_into(&open, &mut self.kit.nu);
        bearing.members.clear();
        let bears = |&i: &usize| {
            let contact = &step.contacts[i];
            !may_be_left_out(&contact.law)
                || open[i] != DVec3::ZERO
                || contact.velocity(&self.kit.nu).x < OPEN
        };
        bearing.members.extend((0..p.len()).filter(bears));
        let worth = (p.len() - bearing.members.len()) * WORTH >= p.len();
        let found = worth && self.bear(step, &mut bearing, p);
        self.kit.bearing = Some(bearing);
        found.into()
    }

    /// Solves the members, and those that turn out to be broken with them; true where the whole is then solved.
    fn bear(&mut self, step: &ContactProblem, bearing: &mut Bearing, p: &mut [DVec3]) -> bool {
        for _ in 0..ROUNDS {
            let Bearing {
                auto,
                part,
                members,
            } = &mut *bearing;
            part.begin(step);
            part.take(step, p, members);
            let asked = Asked {
                tolerance: self.inner,
                enough: self.enough,
                purpose: self.purpose_of_part(),
                budgets: Some(1),
                ..Asked::whole(self.inner)
            };
            let before = auto.work;
            let (solved, impulses) = auto.solve_bearing(&part.problem, &part.guess, asked);
            self.charge(auto.effort((auto.work - before) as usize / p.len()));
            p.fill(DVec3::ZERO);
            for (&i, impulse) in members.iter().zip(&impulses) {
                p[i] = *impulse;
            }
            if self.judge(p, Effort::default(), "auto") || self.best.residual <= self.enough {
                return true;
            }
            if !solved || limit::reached() {
                return false;
            }
            step.velocity_into(p, &mut self.kit.nu);
            let broken = |&i: &usize| step.contacts[i].velocity(&self.kit.nu).x < 0.0;
            let others = (0..p.len()).filter(|i| members.binary_search(i).is_err());
            let broken: Vec<usize> = others.filter(broken).collect();
            if broken.is_empty() {
                return false;
            }
            members.extend(broken);
            members.sort_unstable();
        }
        false
    }

    /// What the answer to a part is for; residuals of rounds are given by places in the whole.
    const fn purpose_of_part(&self) -> Purpose<'static> {
        match self.purpose {
            Purpose::Draft(enough) => Purpose::Draft(enough),
            Purpose::Sketch(enough) => Purpose::Sketch(enough),
            Purpose::Easily(enough) => Purpose::Easily(enough),
            Purpose::LastResort => Purpose::LastResort,
            Purpose::Answer | Purpose::Round(_) => Purpose::Answer,
        }
    }
}

/// Is an open contact under this law the same as none?
const fn may_be_left_out(law: &Law) -> bool {
    matches!(
        law,
        Law::Cone { .. } | Law::Unilateral | Law::Pyramid { .. }
    )
}

impl Auto {
    /// The answer to a part of a step, or its best impulses; was it found?
    fn solve_bearing(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
    ) -> (bool, Vec<DVec3>) {
        self.kit.without = vec![NAME.into()];
        self.kit.trace.begin();
        match self.solve_step(problem, Some(guess), asked) {
            Ok(solved) => (true, solved.impulses),
            Err(SolveError::NotConverged { best, .. }) => (false, best),
            Err(_) => (false, guess.to_vec()),
        }
    }

    /// What the last call took, with so many factorisations of the whole.
    fn effort(&self, factorisations: usize) -> Effort {
        let runs = self.kit.trace.runs().iter();
        Effort {
            iterations: runs.map(|ran| ran.effort.iterations).sum(),
            factorisations,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::kit::Kit;
    use crate::auto::mend::tests::row_of_blocks;
    use crate::coupling::SystemMemory;
    use crate::problem::residual;

    const TOLERANCE: f64 = 1e-9;

    /// A row of blocks on a table, each under a lid that it does not come near to.
    fn under_lids(n: usize) -> ContactProblem {
        let mut problem = row_of_blocks(n);
        for i in 0..n {
            let mut lid = problem.contacts[0].clone();
            lid.frame[0] = -lid.frame[0];
            lid.frame[2] = -lid.frame[2];
            lid.b = DVec3::X * 5.0;
            for arm in lid.arms.iter_mut().flatten() {
                (arm.body, arm.lever) = (i, DVec3::Z * 0.4);
            }
            problem.contacts.push(lid);
        }
        problem
    }

    fn residual_of(problem: &ContactProblem, p: &[DVec3]) -> f64 {
        residual::of_step(problem, p, &mut Vec::new()).0
    }

    #[test]
    fn lids_are_left_out_and_the_answer_is_that_of_the_whole() {
        let problem = under_lids(40);
        let guess = vec![DVec3::X * 0.02; problem.contacts.len()];
        let (mut memory, mut kit) = (SystemMemory::default(), Kit::default());
        let asked = Asked::whole(TOLERANCE);
        let mut chain = Chain::new(Posed::Step(&problem), &mut memory, &mut kit, &guess, asked);
        let mut p = guess.clone();
        chain.as_they_are(&mut p);
        assert!(matches!(chain.those_that_bear(&mut p), Verdict::Answer));
        let members = &chain.kit.bearing.as_ref().unwrap().members;
        assert_eq!(members.len(), problem.contacts.len() - 40, "no lid");
        assert!(residual_of(&problem, &p) <= TOLERANCE);
    }

    #[test]
    fn contacts_that_are_broken_without_a_row_are_taken_in() {
        let problem = under_lids(40);
        let guess = vec![DVec3::ZERO; problem.contacts.len()];
        let (mut memory, mut kit) = (SystemMemory::default(), Kit::default());
        let asked = Asked::whole(TOLERANCE);
        let mut chain = Chain::new(Posed::Step(&problem), &mut memory, &mut kit, &guess, asked);
        // Neither lids nor the last foot of each block.
        let feet = (0..199).filter(|i| i % 5 != 3);
        let mut bearing = Bearing {
            members: feet.collect(),
            ..Bearing::default()
        };
        let known = bearing.members.len();
        let mut p = guess.clone();
        assert!(chain.bear(&problem, &mut bearing, &mut p));
        assert!(bearing.members.len() > known, "feet are missing");
        assert!(bearing.members.is_sorted());
        assert!(residual_of(&problem, &p) <= TOLERANCE);
    }
}
