//! A step, island by island.

use crate::auto::Auto;
use crate::auto::best::rounding;
use crate::auto::chain::{Chain, Scope, Verdict};
use crate::auto::plans::{self, COLD, LAST, SKETCH, WARM};
use crate::coupling::SystemMemory;
use crate::engines::chord::Chord;
use crate::engines::one_contact;
use crate::limit::{self, WorkLimit};
use crate::problem::ContactProblem;
use crate::problem::Posed;
use crate::problem::islands::Islands;
use crate::problem::residual::{self, w_bar};
use crate::problem::soft;
use crate::solver::{ContactSolver, Purpose, SolveError, Solved, starting_impulses};
use glam::DVec3;

/// What is asked of each island.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) tolerance: f64,
    /// Residual that will do where an island is hard, m/s.
    pub(super) enough: f64,
    pub(super) purpose: Purpose<'a>,
    /// Residual that will do for a round, m/s, of an island that has rounds.
    pub(super) round: Option<f64>,
    pub(super) scope: Scope,
    /// How many budgets may be spent on it; None: as much as it takes.
    pub(super) budgets: Option<usize>,
    /// Most work on it in any case, in contacts factored.
    pub(super) most: usize,
    /// The answer that stands where an island is not solved.
    pub(super) instead: Option<&'a Solved>,
}

/// Memory of an island of a step: the order of elimination is kept as long as the island is the same, factors within a step.
#[derive(Clone, Debug, Default)]
pub(super) struct IslandMemory {
    pub(super) system: SystemMemory,
    pub(super) chord: Chord,
}

impl Asked<'_> {
    /// What is asked of these contacts of a step: no more than the floor of each allows.
    fn of_island(self, problem: &ContactProblem, members: &[usize]) -> Self {
        let tolerance = problem.asked_of(members, self.tolerance);
        let enough = match self.purpose {
            // What may be accepted grows with an island's speed as the tolerance does.
            Purpose::Easily(_) => self.enough * (tolerance / self.tolerance),
            _ => self.enough.max(tolerance),
        };
        let round = match self.purpose {
            Purpose::Round(enough) => {
                let own = members.iter().filter_map(|&i| enough.get(i));
                Some(own.fold(0.0, |most, &enough| f64::max(most, enough)))
            }
            _ => None,
        };
        Self {
            tolerance,
            enough,
            round,
            ..self
        }
    }

    /// An answer to this tolerance, whatever it takes.
    pub(super) const fn whole(tolerance: f64) -> Self {
        Self {
            tolerance,
            enough: tolerance,
            purpose: Purpose::Answer,
            round: None,
            scope: Scope::All,
            budgets: None,
            most: usize::MAX,
            instead: None,
        }
    }
}

impl Auto {
    /// The answer of the selection rule to a step, on the islands where it has one; `own` on the others.
    pub(super) fn by_rule(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
        own: &Solved,
    ) -> Option<Solved> {
        self.kit.trace.begin();
        let asked = Asked {
            scope: Scope::Rule,
            budgets: self.budgets,
            instead: Some(own),
            ..Asked::whole(tolerance)
        };
        let solved = self.solve_step(problem, guess, asked);
        self.kit.trace.end();
        solved.ok()
    }

    /// The answer to a step from nothing, if it is found with so much work on each island, in contacts factored.
    pub(super) fn solve_within(
        &mut self,
        work: usize,
        problem: &ContactProblem,
        tolerance: f64,
    ) -> Option<Solved> {
        self.kit.trace.begin();
        let asked = Asked {
            budgets: Some(1),
            most: work,
            ..Asked::whole(tolerance)
        };
        self.solve_step(problem, None, asked).ok()
    }

    /// A step; where one island of several is not solved, the answer `instead` stands there.
    pub(super) fn solve_step(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        asked: Asked<'_>,
    ) -> Result<Solved, SolveError> {
        let p = starting_impulses(self.name(), problem, guess)?;
        let mut islands = std::mem::take(&mut self.islands);
        let mut parts = std::mem::take(&mut self.parts);
        // Memory goes by the number of an island: factors of another one would decide by which way it is solved.
        if islands.find_others(problem) {
            parts.iter_mut().for_each(|part| part.chord.forget());
        }
        self.answers.begin();
        parts.resize_with(parts.len().max(islands.len()).max(1), IslandMemory::default);
        let solved = if islands.len() <= 1 {
            let asked = asked.of_island(problem, islands.members_of_all());
            self.solve_island(problem, &p, asked, &mut parts[0])
        } else {
            self.solve_islands(problem, p, asked, &islands, &mut parts)
        };
        (self.islands, self.parts) = (islands, parts);
        solved
    }

    /// The islands of a step, each for itself and by its own stages. Impulses of all are returned also where not all are
    /// solved.
    fn solve_islands(
        &mut self,
        problem: &ContactProblem,
        p: Vec<DVec3>,
        asked: Asked<'_>,
        islands: &Islands,
        parts: &mut [IslandMemory],
    ) -> Result<Solved, SolveError> {
        let mut part = std::mem::take(&mut self.part);
        part.begin(problem);
        let mut all = Together::new(p);
        let mut end = Ok(());
        for (k, memory) in parts.iter_mut().enumerate().take(islands.len()) {
            let members = islands.members(k);
            part.take(problem, &all.p, members);
            let asked = asked.of_island(problem, members);
            let found = self.solve_island(&part.problem, &part.guess, asked, memory);
            let found = match (found, asked.instead) {
                (Err(_), Some(own)) => Ok(part_of(own, members)),
                (found, _) => found,
            };
            end = all.add(members, found);
            if end.is_err() {
                break;
            }
        }
        self.part = part;
        end.and_then(|()| all.report(self.name(), asked.tolerance))
    }

    /// The closed form of a problem of one contact; None where there are more, or it is not as good as Newton would make it.
    fn one_contact(&mut self, problem: &ContactProblem, tolerance: f64) -> Option<Solved> {
        let [contact] = problem.contacts.as_slice() else {
            return None;
        };
        let d = contact.diagonal(&problem.inverse_mass);
        let p = one_contact::solve(&contact.law, &d, contact.velocity(&problem.nu_free));
        let residual = residual::of_step(problem, &[p], &mut self.kit.nu).0;
        let rounding = rounding(w_bar(contact, &problem.inverse_mass) * p.length());
        if residual > plans::AIM.min(tolerance).max(rounding) {
            return None;
        }
        self.note_single(1, residual);
        Some(Solved {
            impulses: vec![p],
            iterations: 1,
            solver: "one-contact",
            stage: "one-contact",
            residual,
        })
    }

    /// The stages on a step, or on an island of one, from the impulses of `guess`.
    pub(super) fn solve_island(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
        memory: &mut IslandMemory,
    ) -> Result<Solved, SolveError> {
        if problem.contacts.is_empty() {
            return Ok(Solved {
                solver: "newton",
                stage: "none",
                ..Solved::default()
            });
        }
        if let Some(solved) = self.one_contact(problem, asked.tolerance) {
            return Ok(solved);
        }
        let known = self.answers.find(problem, guess, asked.enough);
        let solved = match known.filter(|_| asked.scope == Scope::All) {
            Some(solved) => {
                self.note_answered(problem.contacts.len(), solved.residual);
                solved
            }
            None if soft::any(problem) => self.by_moments(problem, guess, asked, memory)?,
            None => match (self.by_guess(problem, guess, asked))
                .or_else(|| self.by_round(problem, guess, asked, memory))
            {
                Some(solved) => solved,
                None => self.by_stages(problem, guess, asked, memory)?,
            },
        };
        self.answers.keep(problem, &solved);
        Ok(solved)
    }

    /// The impulses of the guess, where they leave nothing to polish (the stage takes up to [`plans::AS_THEY_ARE`] times that): what rests, slides or rolls on as it did costs one residual, and no
    /// system is set up. The answer is that of the first stage of [`WARM`].
    fn by_guess(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
    ) -> Option<Solved> {
        let warm = guess.iter().any(|p| *p != DVec3::ZERO);
        let many = problem.contacts.len() > plans::FEW;
        let sketch = matches!(asked.purpose, Purpose::Sketch(_));
        if !(warm && many) || sketch || self.kit.leaves_out(WARM.name, plans::LAST_IMPULSES) {
            return None;
        }
        let residual = residual::of_step(problem, guess, &mut self.kit.nu).0;
        (residual <= plans::AIM.min(asked.tolerance)).then(|| {
            self.note_as_they_are(problem.contacts.len(), residual);
            Solved {
                impulses: guess.to_vec(),
                iterations: 0,
                solver: plans::LAST_IMPULSES,
                stage: plans::LAST_IMPULSES,
                residual,
            }
        })
    }

    /// The same where there are several contacts and the last call did not answer it.
    fn by_stages(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
        memory: &mut IslandMemory,
    ) -> Result<Solved, SolveError> {
        let budget = plans::budget(problem.contacts.len());
        let work = asked
            .budgets
            .map(|budgets| asked.most.min(budgets * budget));
        let _limit = WorkLimit::of(work);
        let posed = Posed::Step(problem);
        memory.chord.forget();
        let mut chain = Chain::new(posed, &mut memory.system, &mut self.kit, guess, asked);
        let table = if chain.profile.is_cold() { COLD } else { WARM };
        let mut verdict = Verdict::Next;
        if chain.may_sketch() {
            verdict = chain.walk(&SKETCH);
        }
        if matches!(verdict, Verdict::Next) {
            verdict = chain.walk(&table);
        }
        let go_on = asked.scope == Scope::All && !limit::reached();
        if matches!(verdict, Verdict::Next) && go_on {
            verdict = chain.walk(&LAST);
        }
        self.work += chain.work();
        match verdict {
            Verdict::Ray(ray) => Err(ray),
            _ => chain.report(),
        }
    }
}

/// The answers of the islands put together.
struct Together {
    p: Vec<DVec3>,
    /// What took longest, and what is worst.
    solver: &'static str,
    stage: &'static str,
    iterations: usize,
    residual: f64,
    failed: bool,
}

impl Together {
    fn new(p: Vec<DVec3>) -> Self {
        Self {
            p,
            solver: "one-contact",
            stage: "one-contact",
            iterations: 0,
            residual: 0.0,
            failed: false,
        }
    }

    /// Adds an island's answer, or its best impulses.
    ///
    /// # Errors
    /// What ends the step: a ray, with the step's own contacts.
    fn add(
        &mut self,
        members: &[usize],
        found: Result<Solved, SolveError>,
    ) -> Result<(), SolveError> {
        let found = match found {
            Ok(solved) => solved,
            Err(SolveError::NotConverged {
                solver,
                residual,
                iterations,
                best,
                ..
            }) => {
                self.failed = true;
                Solved {
                    impulses: best,
                    iterations,
                    solver,
                    stage: "none",
                    residual,
                }
            }
            Err(SolveError::Ray {
                solver,
                iterations,
                contacts,
            }) => {
                return Err(SolveError::Ray {
                    solver,
                    iterations,
                    contacts: contacts.into_iter().map(|i| members[i]).collect(),
                });
            }
            Err(other) => return Err(other),
        };
        for (&i, impulse) in members.iter().zip(found.impulses) {
            self.p[i] = impulse;
        }
        if found.iterations > self.iterations {
            (self.solver, self.stage) = (found.solver, found.stage);
            self.iterations = found.iterations;
        }
        self.residual = f64::max(self.residual, found.residual);
        Ok(())
    }

    fn report(self, name: &'static str, tolerance: f64) -> Result<Solved, SolveError> {
        if self.failed {
            return Err(SolveError::NotConverged {
                solver: name,
                residual: self.residual,
                tolerance,
                iterations: self.iterations,
                best: self.p,
            });
        }
        Ok(Solved {
            impulses: self.p,
            iterations: self.iterations,
            solver: self.solver,
            stage: self.stage,
            residual: self.residual,
        })
    }
}

/// The part of an answer that belongs to an island; its iterations are counted elsewhere.
fn part_of(solved: &Solved, members: &[usize]) -> Solved {
    Solved {
        impulses: members.iter().map(|&i| solved.impulses[i]).collect(),
        iterations: 0,
        ..*solved
    }
}
