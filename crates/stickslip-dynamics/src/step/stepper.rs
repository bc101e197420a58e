//! What steps a world: solvers, the gate, and memory that the stages reuse. None of it is state: a world steps the same
//! way with a new one.

use crate::error::StepError;
use crate::step::find::Contacts;
use crate::step::gate::{Gate, Judged};
use crate::step::integrate::Motion;
use crate::step::predict::{Forces, Predicted, Predictor};
use crate::step::refuse::{Failure, Tried};
use crate::step::task::Task;
use crate::step::trial::Trial;
use crate::stopwatch::Stage;
use stickslip_model::StepRecord;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::solver::ContactSolver;

/// The solvers, the judge at his gate, and the memory of each stage.
pub(crate) struct Stepper {
    pub(crate) forces: Forces,
    pub(crate) predictor: Predictor,
    pub(crate) contacts: Contacts,
    pub(crate) trial: Trial,
    /// The chosen one first, then those tried when its answer is not certified.
    pub(crate) solvers: Vec<Box<dyn ContactSolver>>,
    pub(crate) gate: Gate,
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
        }
    }

    /// A new step begins.
    pub(crate) fn begin(&mut self) {
        self.trial.stopwatch.start();
        self.trial.begin();
    }

    /// Lines 1 to 3 alone: the step as predicted, and its contacts.
    pub(crate) fn look_ahead<'a>(
        &'a mut self,
        task: &Task<'a>,
    ) -> Result<(Predicted<'a>, &'a mut Contacts), StepError> {
        let wrench = self.forces.apply(task)?;
        let step = self.predictor.predict(task, wrench)?;
        self.trial.stopwatch.lap(Stage::Predict);
        self.contacts.find(&step);
        Ok((step, &mut self.contacts))
    }

    /// A motion through the step by the first solver that has one: not judged, and good for nothing but to look ahead, or to be
    /// judged by [`Stepper::judge`].
    pub(crate) fn attempt(&mut self, task: &Task) -> Result<Motion, StepError> {
        self.trial.begin();
        let wrench = self.forces.apply(task)?;
        let step = self.predictor.predict(task, wrench)?;
        self.trial.stopwatch.lap(Stage::Predict);
        self.contacts.find(&step);
        self.trial.stopwatch.lap(Stage::Contacts);
        let mut tried = Tried::default();
        for solver in &mut self.solvers {
            match self
                .trial
                .motion(&step, &mut self.contacts, solver.as_mut())
            {
                Ok(motion) => return Ok(motion),
                Err(failure) => tried.note(failure, step.model(), &self.contacts.list)?,
            }
        }
        Err(tried.refused(&step, &self.contacts.list))
    }

    /// Judges the motion that [`Stepper::attempt`] came to last, at the same task.
    pub(crate) fn judge(&mut self, task: &Task, motion: Motion) -> Result<Judged, Failure> {
        let wrench = self.forces.applied();
        let step = self.predictor.predicted(task, wrench);
        self.gate.judge(&step, &self.contacts.placed, motion)
    }

    /// The problem that the step poses, as first seen, with the rows of joints (linearised about the motion so far) and springs
    /// after those of the contacts; nothing is solved.
    pub(crate) fn pose(&mut self, task: &Task) -> Result<&ContactProblem, StepError> {
        self.trial.begin();
        let wrench = self.forces.apply(task)?;
        let step = self.predictor.predict(task, wrench)?;
        self.contacts.find(&step);
        let Trial {
            assembly, joints, ..
        } = &mut self.trial;
        assembly.add_contacts(&step, &self.contacts);
        match joints.assemble(&step, assembly, None) {
            Err(Failure::Step(e)) => return Err(*e),
            Err(Failure::Solver(_) | Failure::Judge(_)) | Ok(()) => {}
        }
        joints.make_rigid(assembly);
        Ok(&assembly.problem)
    }

    /// Takes back the lists of a record that is no longer needed.
    pub(crate) fn reuse(&mut self, old: StepRecord) {
        let motion = &mut self.trial.motion;
        motion.bodies = old.bodies;
        motion.contacts = old.contacts;
        motion.joints = old.joints;
    }
}
