//! Why a step is refused, in words: time, bodies, contact, residual, and what was tried.

use crate::error::StepError;
use crate::step::predict::Predicted;
use crate::step::task::Task;
use stickslip_model::{Certificate, Contact, Model, StepRecord};
use stickslip_solvers::solver::SolveError;

/// Bodies named in a message at most.
const NAMED: usize = 8;

/// Why an attempt at a step ended.
pub(crate) enum Failure {
    /// The solver failed: another may do better.
    Solver(SolveError),
    /// The judge refused the solver's answer: another's may be better.
    Judge(Box<Refusal>),
    /// The step itself cannot be done.
    Step(Box<StepError>),
}

impl Failure {
    /// Was it a joint that cannot be closed?
    pub(crate) fn is_open_joint(&self) -> bool {
        matches!(self, Self::Step(e) if matches!(**e, StepError::JointOpen { .. }))
    }
}

/// The judge's word on an answer that he refused.
pub(crate) struct Refusal {
    pub(crate) solver: &'static str,
    pub(crate) certificate: Certificate,
    /// What misses its law most, in words for the message; empty where nothing does.
    pub(crate) place: String,
}

impl From<SolveError> for Failure {
    fn from(e: SolveError) -> Self {
        Self::Solver(e)
    }
}

impl From<StepError> for Failure {
    fn from(e: StepError) -> Self {
        Self::Step(Box::new(e))
    }
}

/// The solvers tried on a step and what became of each.
#[derive(Default)]
pub(crate) struct Tried {
    said: Vec<String>,
    refusal: Option<Refusal>,
}

impl Tried {
    /// A failure of a solver is noted, so that the next one can be tried; a step that cannot be is an error at once.
    pub(crate) fn note(
        &mut self,
        failure: Failure,
        model: &Model,
        contacts: &[Contact],
    ) -> Result<(), StepError> {
        let said = match failure {
            Failure::Solver(SolveError::Ray { contacts: ray, .. }) => {
                no_motion(model, contacts, &ray)
            }
            Failure::Solver(e) => e.to_string(),
            Failure::Judge(refusal) => {
                let said = format!("{} (refused by the judge)", refusal.solver);
                self.refusal = Some(*refusal);
                said
            }
            Failure::Step(e) => return Err(*e),
        };
        self.said.push(said);
        Ok(())
    }

    /// No solver is left: the answer that the judge refused last, or that there was none.
    pub(crate) fn refused(self, step: &Predicted, contacts: &[Contact]) -> StepError {
        let tried = self.said.join("; ");
        match self.refusal {
            Some(refusal) => not_certified(step, refusal, tried),
            None => not_solved(step, contacts, tried),
        }
    }
}

/// The contacts of a ray, by their bodies.
fn no_motion(model: &Model, contacts: &[Contact], ray: &[usize]) -> String {
    let mut pairs: Vec<[usize; 2]> = ray
        .iter()
        .filter_map(|&k| contacts.get(k).map(|c| c.bodies))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let names = pairs.iter().map(|pair| {
        let [a, b] = pair.map(|i| &model.bodies[i].name);
        format!("\"{a}\" with \"{b}\"")
    });
    let named = names.collect::<Vec<_>>().join(", ");
    format!("no motion keeps these contacts open together: {named}")
}

fn not_certified(step: &Predicted, refusal: Refusal, tried: String) -> StepError {
    let Refusal {
        certificate, place, ..
    } = refusal;
    let bound = certificate.bound(step.settings.tolerance);
    let (kind, value) = certificate.worst_of_law();
    let (kind, value, bound) = if certificate.rounding > 1.0 && value <= bound {
        ("rounding", certificate.rounding, 1.0)
    } else {
        (kind.name(), value, bound)
    };
    StepError::NotCertified {
        step: step.number(),
        t: step.plan.t_next,
        kind,
        value,
        bound,
        place,
        tried,
    }
}

/// No solver gave an answer: names the bodies of the step's problem.
fn not_solved(step: &Predicted, contacts: &[Contact], tried: String) -> StepError {
    let mut all: Vec<usize> = contacts.iter().flat_map(|c| c.bodies).collect();
    all.extend(step.model().joined().flatten().flatten());
    all.sort_unstable();
    all.dedup();
    let named = all
        .iter()
        .take(NAMED)
        .map(|&i| format!("\"{}\"", step.model().bodies[i].name));
    let mut bodies = named.collect::<Vec<_>>().join(", ");
    if all.len() > NAMED {
        bodies.push_str(&format!(" and {} more", all.len() - NAMED));
    }
    StepError::NotSolved {
        step: step.number(),
        t: step.plan.t_next,
        contacts: contacts.len(),
        bodies,
        tried,
    }
}

/// An event loop does not come to an end after `last`.
pub(crate) fn stalled(model: &Model, last: &StepRecord, events: usize) -> StepError {
    let contacts = last.contacts.iter();
    let mut all: Vec<usize> = contacts.flat_map(|c| c.contact.bodies).collect();
    all.sort_unstable();
    all.dedup();
    let name = |&i: &usize| format!("\"{}\"", model.bodies[i].name);
    StepError::Stalled {
        step: last.step + 1,
        t: last.t,
        events,
        bodies: all.iter().take(4).map(name).collect::<Vec<_>>().join(", "),
    }
}

impl Task<'_> {
    /// Its number.
    pub(crate) const fn number(&self) -> u64 {
        self.last.step + 1
    }

    pub(crate) fn not_finite(&self, what: &'static str, body: usize) -> StepError {
        StepError::NotFinite {
            step: self.number(),
            t: self.plan.t_next,
            what,
            body: self.model().bodies[body].name.clone(),
        }
    }

    pub(crate) fn joint_open(&self, joint: usize, misfit: f64) -> StepError {
        StepError::JointOpen {
            step: self.number(),
            t: self.plan.t_next,
            joint: self.model().joints[joint].name.clone(),
            misfit,
        }
    }

    pub(crate) fn joint_singular(&self, joint: usize) -> StepError {
        StepError::JointSingular {
            step: self.number(),
            t: self.plan.t_next,
            joint: self.model().joints[joint].name.clone(),
        }
    }

    pub(crate) fn too_fast(&self, i: usize) -> StepError {
        StepError::TooFast {
            step: self.number(),
            t: self.plan.t_next,
            body: self.model().bodies[i].name.clone(),
            angle: self.start()[i].twist.angular.length() * self.settings.h,
        }
    }
}
