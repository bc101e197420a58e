//! Lines 4 to 7: one solver's motion, and the loops that lead to it.
//!
//! Each loop of a step is a function of its own, this file's and those around it; the outer ones come first.
//!
//! | loop | what it repeats | how often at most |
//! |---|---|---|
//! | `Underway::by_any_solver` (`stepper.rs`) | lines 4 to 8 with `auto`, where another solver's answer did not pass | 2 |
//! | `Underway::without_unfounded` (`stepper.rs`) | lines 4 to 8 without rows that the judge does not find in the shapes | `STRIKES` times more |
//! | `Underway::motion` (`stepper.rs`) | lines 4 to 7 without what is held only because it was in the last step, where no answer is found | once more |
//! | [`Trial::motion`] | the same with joints along the gradients of the middle of the step, where they pull too hard | once more |
//! | `implicit::iterate` | only of that method, around `keep_limits`: the step at the motion that it led to | `ITERATIONS` |
//! | [`Trial::look_again`] | lines 4 to 6 with contacts that the motion meets and that had no row | [`SECOND_LOOKS`] |
//! | [`Trial::keep_limits`] | the same with limits that it breaks and that had no row | [`LIMIT_ROUNDS`] |
//! | `Trial::close_joints` | lines 5 and 6 with the rows of joints set anew about it | `joints::rounds::MOST_ROUNDS` |
//! | `Assembly::settle_curves` (`solve.rs`) | line 5 with coefficients by their curves at the slip found | `MOST_CURVE_ROUNDS` |
//! | `Assembly::settle_friction` (`solve.rs`) | the same with kinetic friction at contacts found sliding | once for each contact |

use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::implicit;
use crate::step::integrate::Motion;
use crate::step::joints::Joints;
use crate::step::joints::rounds::{Closed, Rounds};
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::task::Wish;
use crate::stopwatch::{Lap, Stopwatch};
use stickslip_model::islands::Islands;
use stickslip_model::{BodyState, Scheme};
use stickslip_solvers::solver::{ContactSolver, Purpose, Solved};

/// Second looks in a step at most. Each adds at least one contact, and a motion that meets something new every time is that
/// of a body deep among others; the judge has the last word.
const SECOND_LOOKS: usize = 50;

/// Times that a step is assembled anew at most because a limit without a row was broken. Each adds at least one limit.
const LIMIT_ROUNDS: usize = 50;

/// As long as contacts may be missing, a residual of this size will do where an island is hard, m/s: hundredths of a millimetre
/// a step.
const DRAFT: f64 = 1e-3;
/// The same once some were missing, as others then often are. (Of a bin of hulls a third of the rows were missing in the first
/// look, and six looks were made in a step; with sketches it takes two thirds of the factorisations, with those of 1e-1 m/s more.)
const SKETCH: f64 = 1e-2;
/// Looks with sketches, and the last with a draft: contacts that go on to appear may be those of motions that are not right.
const SKETCHES: usize = 9;
const LAST_DRAFT: usize = 24;

/// Answers of a step that may fail before it is left to what comes after it: a shorter one, as a rule. (Of a struck wall of a hundred
/// boxes seven failed one after another, each with another three contacts and 800 factorisations. With none that may fail, `bin_100_mixed` was divided
/// 31 times instead of 8, and took 93 s instead of 79.)
const UNANSWERED: usize = 2;

/// Memory of the loops.
#[derive(Default)]
pub(crate) struct Trial {
    pub(crate) assembly: Assembly,
    pub(crate) joints: Joints,
    /// The motion so far, once a problem of the step is solved.
    pub(crate) motion: Motion,
    solved: bool,
    /// What the next answer of a solver is for.
    purpose: Purpose<'static>,
    islands: Islands,
    rounds: Rounds,
    pub(crate) stopwatch: Stopwatch,
}

impl Trial {
    /// A new step begins: no problem is posed, no limit watched.
    pub(crate) fn begin(&mut self) {
        self.assembly.clear();
        self.joints.begin();
    }

    /// The motion through the step that `solver` finds; contacts that were missed at first are added to `contacts`. Joints act
    /// along the gradients of the start of the step, or of its middle in islands where they pull too hard for that.
    pub(crate) fn motion(
        &mut self,
        step: &Predicted,
        contacts: &mut Contacts,
        solver: &mut dyn ContactSolver,
    ) -> Result<Motion, Failure> {
        self.joints.act_along_start();
        self.rounds.forget();
        let start = self.along_gradients(step, contacts, solver);
        let hard = match &start {
            Ok(_) => self.joints.overpull(step, &self.assembly, &self.rounds),
            Err(failure) if failure.is_open_joint() => self.rounds.failed(step),
            Err(_) => Vec::new(),
        };
        if !hard.contains(&true) {
            return start;
        }
        // Islands for which those of the start will do keep their answers.
        self.joints.act_along_middle(&hard);
        solver.begin_rounds();
        match self.along_gradients(step, contacts, solver) {
            // Unstable as it may be, it is a motion.
            Err(_) if start.is_ok() => start,
            middle => middle,
        }
    }

    /// The same with the joints' impulses along the gradients that are set.
    fn along_gradients(
        &mut self,
        step: &Predicted,
        contacts: &mut Contacts,
        solver: &mut dyn ContactSolver,
    ) -> Result<Motion, Failure> {
        self.solved = false;
        self.purpose = step.purpose();
        let solved = match step.plan.scheme {
            Scheme::Implicit => implicit::iterate(self, step, contacts, solver)?,
            _ => self.look_again(step, contacts, solver)?,
        };
        Ok(Motion {
            solved,
            ..std::mem::take(&mut self.motion)
        })
    }

    /// Line 7. Solves, looks at the motion, adds the contacts that it meets without a row, and solves again, until none is
    /// missing. Only where time passes along predicted paths: between events, collisions are located instead.
    pub(crate) fn look_again(
        &mut self,
        step: &Predicted,
        contacts: &mut Contacts,
        solver: &mut dyn ContactSolver,
    ) -> Result<Solved, Failure> {
        let looks = matches!(
            step.plan.scheme,
            Scheme::StewartTrinkle | Scheme::Leaving | Scheme::Anitescu
        );
        // Joints are closed by repeated solves, which a draft would mislead.
        let may_draft = looks && step.model().joints.is_empty();
        let (mut drafts, mut unanswered) = (may_draft, 0);
        let mut solved = Solved::default();
        for look in 0..SECOND_LOOKS {
            self.purpose = match (drafts, look) {
                (true, 0) => Purpose::Draft(DRAFT),
                (true, 1..SKETCHES) => Purpose::Sketch(SKETCH),
                (true, _) => Purpose::Draft(DRAFT),
                (false, _) => step.purpose(),
            };
            solved = self.keep_limits(step, contacts, None, solver)?;
            let answered = step.is_content(solved.residual);
            let draft = drafts && !answered;
            let (motion, off) = (&self.motion.bodies, |body| self.assembly.off(body));
            let complete = !looks || contacts.add_missed(step, motion, (look, draft), off) == 0; // 7
            self.stopwatch.lap(Lap::SecondLook);
            if complete && !draft {
                break;
            }
            // What a draft cannot keep apart an answer cannot either, for ten times the work.
            let sunk = contacts.sunk().filter(|_| complete);
            if let Some(sunk) = sunk.filter(|_| step.wish != Wish::LastResort) {
                return Err(step.too_long(&sunk).into());
            }
            // An answer that fails shows what is missing no better than a draft does, for ten times the work.
            let failed = may_draft && !drafts && !answered;
            unanswered += usize::from(failed);
            if unanswered > UNANSWERED {
                break;
            }
            drafts = (drafts || failed) && !complete && look < LAST_DRAFT;
        }
        self.purpose = step.purpose();
        Ok(solved)
    }

    /// Line 4. Assembles the problem of the contacts at hand and solves it; where the motion breaks limits that have no row,
    /// they get one and it is assembled again. `iterate` is the motion at which contacts were measured, if it was one.
    pub(crate) fn keep_limits(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        iterate: Option<&[BodyState]>,
        solver: &mut dyn ContactSolver,
    ) -> Result<Solved, Failure> {
        let (mut solved, mut iterations) = (Solved::default(), 0);
        for _ in 0..LIMIT_ROUNDS {
            let earlier = self.solved.then_some(&*self.motion.contacts);
            self.assembly.pose(step, contacts, earlier, iterate); // 4
            self.joints.assemble(step, &mut self.assembly, iterate)?;
            self.stopwatch.lap(Lap::Assemble);
            let again = self.solved && iterate.is_none();
            let (found, closed) = self.close_joints(step, contacts, again, solver)?;
            iterations += found.iterations;
            solved = found;
            if closed == Closed::Yes {
                break;
            }
        }
        self.stopwatch.lap(Lap::Integrate);
        solved.iterations = iterations;
        Ok(solved)
    }

    /// Lines 5 and 6. Solves, integrates, and sets the joints' rows anew about the motion, until every joint is closed or a
    /// limit turns out to be missing. `again`: a motion of this step is at hand that was found with fewer rows, and is gone on from.
    fn close_joints(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        again: bool,
        solver: &mut dyn ContactSolver,
    ) -> Result<(Solved, Closed), Failure> {
        let mut iterations = 0;
        let (assembly, motion) = (&mut self.assembly, &mut self.motion);
        let rounds = &mut self.rounds;
        rounds.begin(step, contacts, assembly, &self.joints);
        if again {
            self.joints.go_on(step, assembly, motion, rounds);
        }
        loop {
            let purpose = rounds.purpose(self.purpose);
            let solved = assembly.solve(step, contacts, solver, purpose, rounds.coarse()); // 5
            let mut solved = solved.map_err(|failure| rounds.blame(failure, step))?;
            iterations += solved.iterations;
            rounds.put_back(assembly);
            self.stopwatch.lap(Lap::Solve);
            motion.integrate(step, assembly, contacts, &mut self.islands)?; // 6
            self.solved = true;
            let closed = (self.joints).close(step, assembly, motion, rounds)?;
            if closed != Closed::NotYet {
                if self.joints.settle(step, assembly, rounds) {
                    motion.integrate(step, assembly, contacts, &mut self.islands)?;
                    self.joints.store(step, assembly, motion);
                }
                solved.iterations = iterations;
                return Ok((solved, closed));
            }
        }
    }
}
