//! An island that differs from that of the last call by its right-hand side: a round of the joints.

use crate::auto::Auto;
use crate::auto::plans::{AIM, FEW};
use crate::auto::steps::{Asked, IslandMemory};
use crate::auto::stored::ISLANDS;
use crate::problem::{ContactProblem, Posed, residual};
use crate::solver::Solved;
use crate::trace::Ran;
use glam::DVec3;

/// The name of this in traces.
const ROUND: &str = "round";

impl Auto {
    /// The answer by the factors of the round before, or by new ones at the guess; None where modes change, or there is nothing to go on from.
    pub(super) fn by_round(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
        memory: &mut IslandMemory,
    ) -> Option<Solved> {
        let enough = asked.round?;
        if problem.contacts.len() <= FEW || guess.iter().all(|p| *p == DVec3::ZERO) {
            return None;
        }
        let began = self.kit.trace.now();
        let mut impulses = guess.to_vec();
        let mut system = memory.system.system(Posed::Step(problem));
        let outcome = (memory.chord).improve(&mut system, &mut impulses, AIM.max(enough));
        let residual = residual::of_step(problem, &impulses, &mut self.kit.nu).0;
        let won = residual <= asked.tolerance;
        self.kit.trace.push(Ran {
            table: ISLANDS,
            stage: ROUND,
            islands: 1,
            contacts: problem.contacts.len(),
            effort: outcome.effort,
            residual,
            won,
            seconds: began.map(|began| began.elapsed().as_secs_f64()),
        });
        won.then_some(Solved {
            impulses,
            iterations: outcome.effort.iterations,
            solver: "newton",
            stage: ROUND,
            residual,
        })
    }
}
