//! What steps a world: solvers, the gate, and memory that the stages reuse. None of it is state: a world steps the same
//! way with a new one.

use crate::error::StepError;
use crate::step::find::Contacts;
use crate::step::gate::{Gate, Judged};
use crate::step::integrate::Motion;
use crate::step::predict::{Forces, Predicted, Predictor};
use crate::step::refuse::{Failure, Refused, Tried};
use crate::step::task::{Plan, Task};
use crate::step::trial::Trial;
use crate::stopwatch::Lap;
use stickslip_model::{Mode, StepRecord};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::solver::ContactSolver;

/// Times that rows of a step are struck at most, because the judge does not find them in the shapes. (No figure.)
const STRIKES: usize = 4;

/// The solvers, the judge at his gate, and the memory of each stage.
pub(crate) struct Stepper {
    forces: Forces,
    predictor: Predictor,
    pub(crate) contacts: Contacts,
    pub(crate) trial: Trial,
    /// The chosen one first, then `auto` if that is another.
    pub(crate) solvers: Vec<Box<dyn ContactSolver>>,
    gate: Gate,
    /// The step that was begun last.
    begun: Plan,
    /// Work of the solvers so far, in contacts factored.
    work: u64,
}

/// A step that is being made: its paths and contacts, and what works on them.
pub(crate) struct Underway<'a> {
    pub(crate) step: Predicted<'a>,
    pub(crate) contacts: &'a mut Contacts,
    pub(crate) trial: &'a mut Trial,
    pub(crate) gate: &'a mut Gate,
    solvers: &'a mut [Box<dyn ContactSolver>],
    work: &'a mut u64,
}

impl Stepper {
    pub(crate) fn new(solvers: Vec<Box<dyn ContactSolver>>) -> Self {
        Self {
            forces: Forces::default(),
            predictor: Predictor::default(),
            contacts: Contacts::default(),
            trial: Trial::default(),
            solvers,
            gate: Gate::default(),
            begun: Plan::default(),
            work: 0,
        }
    }

    /// Work of the solvers so far, in contacts factored.
    pub(crate) const fn work(&self) -> u64 {
        self.work
    }

    /// Had the step that was begun last contacts of bodies that overlap?
    pub(crate) fn meets_overlaps(&self) -> bool {
        self.contacts.any_overlap()
    }

    /// Time at the end of the step that was begun last, and its length, s.
    pub(crate) const fn begun(&self) -> (f64, f64) {
        (self.begun.t_next, self.begun.h)
    }

    /// Lines 1 to 3, whatever is to become of the step.
    pub(crate) fn begin<'a>(&'a mut self, task: &Task<'a>) -> Result<Underway<'a>, StepError> {
        self.trial.begin();
        self.begun = task.plan;
        // 1: applied forces.
        let wrench = self.forces.apply(task)?;
        // 2: predicted paths.
        let step = self.predictor.predict(task, wrench)?;
        self.trial.stopwatch.lap(Lap::Predict);
        // 3: contacts that may close on them.
        self.contacts.find(&step);
        self.trial.stopwatch.lap(Lap::Contacts);
        Ok(self.underway(task))
    }

    /// Lines 1 and 2 for a step whose contacts are known: bodies are where its scheme measures them.
    pub(crate) fn place<'a>(&'a mut self, task: &Task<'a>) -> Result<Underway<'a>, StepError> {
        let wrench = self.forces.apply(task)?;
        let step = self.predictor.predict(task, wrench)?;
        self.contacts.place(&step);
        Ok(self.underway(task))
    }

    /// The step that was begun last, at the same task, once more.
    fn underway<'a>(&'a mut self, task: &Task<'a>) -> Underway<'a> {
        let wrench = self.forces.applied();
        Underway {
            step: self.predictor.predicted(task, wrench),
            contacts: &mut self.contacts,
            trial: &mut self.trial,
            gate: &mut self.gate,
            solvers: &mut self.solvers,
            work: &mut self.work,
        }
    }

    /// A motion through the step by the first solver that has one: not judged, and good for nothing but to look ahead, or to be
    /// judged by [`Stepper::judge`].
    pub(crate) fn attempt(&mut self, task: &Task) -> Result<Motion, StepError> {
        let underway = self.begin(task)?;
        Ok(underway.by_any_solver(|underway, solver| underway.motion(solver))?)
    }

    /// Judges the motion that [`Stepper::attempt`] came to last, at the same task.
    pub(crate) fn judge(&mut self, task: &Task, motion: Motion) -> Result<Judged, Failure> {
        self.underway(task).judge(motion)
    }

    /// The problem that the step poses, as first seen, with the rows of joints (linearised about the motion so far) and springs
    /// after those of the contacts; nothing is solved.
    pub(crate) fn pose(&mut self, task: &Task) -> Result<&ContactProblem, StepError> {
        let Underway {
            step,
            contacts,
            trial,
            ..
        } = self.begin(task)?;
        let Trial {
            assembly, joints, ..
        } = trial;
        assembly.add_contacts(&step, contacts);
        match joints.assemble(&step, assembly, None) {
            Err(Failure::Step(e)) => return Err(*e),
            Err(Failure::Solver(_) | Failure::Gate(_)) | Ok(()) => {}
        }
        joints.make_rigid(assembly);
        Ok(&self.trial.assembly.problem)
    }

    /// What each contact of the motion judged last does.
    pub(crate) fn modes(&self) -> &[Mode] {
        self.gate.modes()
    }

    /// Forgets what recorded motions took ([`Gate::breach`]).
    pub(crate) fn forget(&mut self) {
        self.gate.forget();
    }

    /// Takes back the lists of a record that is no longer needed.
    pub(crate) fn reuse(&mut self, old: StepRecord) {
        let motion = &mut self.trial.motion;
        motion.bodies = old.bodies;
        motion.contacts = old.contacts;
        motion.joints = old.joints;
    }
}

impl Underway<'_> {
    /// Asks one solver after the other until there is an answer that `ask` is content with.
    ///
    /// # Errors
    /// Where none has one, what became of each; at once where the step itself cannot be done.
    pub(crate) fn by_any_solver<T>(
        mut self,
        mut ask: impl FnMut(&mut Self, &mut dyn ContactSolver) -> Result<T, Failure>,
    ) -> Result<T, Refused> {
        let mut tried = Tried::default();
        for solver in std::mem::take(&mut self.solvers) {
            solver.begin_step();
            let asked = ask(&mut self, solver.as_mut());
            *self.work += solver.work();
            match asked {
                Ok(answer) => return Ok(answer),
                Err(Failure::Step(error)) => return Err(tried.ended(error)),
                Err(Failure::Solver(e)) => {
                    tried.note_failure(&e, self.step.model(), &self.contacts.list);
                }
                Err(Failure::Gate(refusal)) => tried.note_refusal(*refusal),
            }
        }
        Err(tried.refused(&self.step, self.contacts.known()))
    }

    /// Lines 4 to 7: the motion that `solver` finds. Where it finds none, what was held in the last step may stand in the way: then
    /// without that.
    pub(crate) fn motion(&mut self, solver: &mut dyn ContactSolver) -> Result<Motion, Failure> {
        match self.trial.motion(&self.step, self.contacts, solver) {
            Err(Failure::Solver(_)) if self.contacts.doubt(&self.step) => {
                self.trial.motion(&self.step, self.contacts, solver)
            }
            motion => motion,
        }
    }

    /// Line 8.
    pub(crate) fn judge(&mut self, motion: Motion) -> Result<Judged, Failure> {
        self.gate.judge(&self.step, &self.contacts.placed, motion)
    }

    /// Where the judge does not find rows of an answer in the shapes (a row of a motion that was tried and came to nothing, or two lines
    /// that are parallel to rounding), the step again without them, as long as that is so: other rows tell of the same pair, or it
    /// is found to overlap.
    pub(crate) fn without_unfounded(
        &mut self,
        mut judged: Result<Judged, Failure>,
        solver: &mut dyn ContactSolver,
    ) -> Result<Judged, Failure> {
        for _ in 0..STRIKES {
            let Err(Failure::Gate(refusal)) = &mut judged else {
                break;
            };
            if refusal.unfounded.is_empty() {
                break;
            }
            let approximate = refusal.approximate.take();
            self.contacts.strike(&self.step, &refusal.unfounded);
            let motion = self.motion(solver);
            judged = motion.and_then(|motion| self.judge(motion));
            self.trial.stopwatch.lap(Lap::Judge);
            if let Err(Failure::Gate(refusal)) = &mut judged {
                refusal.approximate = refusal.approximate.take().or(approximate);
            }
        }
        judged
    }
}
