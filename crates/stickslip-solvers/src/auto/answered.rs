//! Answers of the last call: an island whose problem is the same, and whose guess is its answer, is answered.
//!
//! A step is solved again where its motion meets contacts that had no row. Most islands are not touched by that: their
//! problems stay the same to the last bit, and so do their answers. What rests for many steps may be the same too.

use crate::problem::ContactProblem;
use crate::solver::Solved;
use glam::DVec3;

/// Islands come in the order of their first contacts, so one that stayed is found near where it was: so many places before and
/// after.
const NEAR: usize = 8;

/// The name of this in traces.
pub(super) const ANSWERED: &str = "answered";

/// A problem and its answer.
#[derive(Clone, Debug, Default)]
struct Answered {
    problem: ContactProblem,
    solved: Solved,
}

impl Answered {
    /// Is this the problem, and the guess its answer? (Impulses that are nothing but rounding may have been taken off it.)
    fn is(&self, problem: &ContactProblem, guess: &[DVec3]) -> bool {
        let own = self.solved.impulses.iter();
        own.len() == guess.len()
            && own.zip(guess).all(|(own, p)| own == p || *p == DVec3::ZERO)
            && self.problem == *problem
    }
}

/// The answers of the last call, and those of the one at hand; memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    last: Vec<Answered>,
    now: Vec<Answered>,
    /// How many of `now` are in use.
    used: usize,
    /// About where the next island was in the last call.
    place: usize,
}

impl Answers {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    /// A call begins.
    pub(super) fn begin(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.last.truncate(self.used);
        (self.used, self.place) = (0, 0);
    }

    /// The answer of the last call to this problem, within the tolerance. It took no iterations.
    pub(super) fn find(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Option<Solved> {
        let from = self.place.saturating_sub(NEAR).min(self.last.len());
        let to = (self.place + NEAR).min(self.last.len());
        self.place += 1;
        let near = &self.last[from..to];
        let k = near.iter().position(|a| a.is(problem, guess))?;
        self.place = from + k + 1;
        let solved = &self.last[from + k].solved;
        (solved.residual <= tolerance).then(|| Solved {
            iterations: 0,
            stage: ANSWERED,
            ..solved.clone()
        })
    }

    /// Keeps an answer for the next call.
    pub(super) fn keep(&mut self, problem: &ContactProblem, solved: &Solved) {
        if self.used == self.now.len() {
            self.now.push(Answered::default());
        }
        let kept = &mut self.now[self.used];
        kept.problem.clone_from(problem);
        let mut impulses = std::mem::take(&mut kept.solved.impulses);
        impulses.clone_from(&solved.impulses);
        kept.solved = Solved {
            impulses,
            ..*solved
        };
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::tests::random_step;
    use crate::random::Random;

    #[test]
    fn islands_are_found_near_where_they_were() {
        let mut random = Random::new(73);
        let problems: Vec<_> = (0..30).map(|_| random_step(&mut random, 3).0).collect();
        let solved = |k: usize| Solved {
            impulses: vec![DVec3::X * k as f64; 3],
            ..Solved::default()
        };
        let mut answers = Answers::default();
        answers.begin();
        for (k, problem) in problems.iter().enumerate() {
            answers.keep(problem, &solved(k));
        }
        answers.begin();
        // The first three have become one island, which is not known.
        for (k, problem) in problems.iter().enumerate().skip(3) {
            let guess = solved(k).impulses;
            let found = answers.find(problem, &guess, 1e-9).expect("known");
            assert_eq!(found.impulses, guess);
        }
        answers.begin();
        assert!(
            answers
                .find(&problems[5], &solved(5).impulses, 1e-9)
                .is_none()
        );
    }
}
