//! Why a step is refused, in words: time, bodies, contact, residual, and what was tried.

use crate::error::StepError;
use crate::step::find::finder::Sunk;
use crate::step::gate::{Approximate, Judged};
use crate::step::predict::Predicted;
use crate::step::task::Task;
use stickslip_model::{Certificate, Contact, Model, Residual, StepRecord};
use stickslip_solvers::solver::SolveError;

/// Bodies named in a message at most.
const NAMED: usize = 8;

/// Why an attempt at a step ended.
pub(crate) enum Failure {
    /// The solver failed: another may do better.
    Solver(SolveError),
    /// The solver's answer did not pass the gate: another's may be better.
    Gate(Box<Refusal>),
    /// The step itself cannot be done.
    Step(Box<StepError>),
}

impl Failure {
    /// Was it a joint that cannot be closed?
    pub(crate) fn is_open_joint(&self) -> bool {
        matches!(self, Self::Step(e) if matches!(**e, StepError::JointOpen { .. }))
    }
}

/// An answer that did not pass the gate.
pub(crate) struct Refusal {
    pub(crate) solver: &'static str,
    pub(crate) why: Why,
    /// The answer, where it is near enough to be accepted as approximate.
    pub(crate) approximate: Option<Approximate>,
    /// Its contacts that the shapes do not have.
    pub(crate) unfounded: Vec<Contact>,
}

/// Why it did not.
pub(crate) enum Why {
    /// It misses the law.
    Law {
        certificate: Certificate,
        /// What misses it most, in words for the message; empty where nothing does.
        place: String,
    },
    /// It obeys the law, and gains energy, in units of the step's own.
    Energy(f64),
}

/// A step that no solver's answer passed the gate of.
pub(crate) struct Refused {
    pub(crate) error: Box<StepError>,
    /// Of the answers that came near enough to be accepted as approximate, the nearest.
    pub(crate) approximate: Option<Approximate>,
}

impl Refused {
    /// The step as an approximate one, where it can be.
    pub(crate) fn accepted(self) -> Result<Judged, StepError> {
        let error = self.error;
        self.approximate
            .map_or_else(|| Err(*error), |answer| Ok(answer.accept()))
    }
}

impl From<StepError> for Refused {
    fn from(error: StepError) -> Self {
        Self {
            error: Box::new(error),
            approximate: None,
        }
    }
}

impl From<Refused> for StepError {
    fn from(refused: Refused) -> Self {
        *refused.error
    }
}

impl Refusal {
    /// How far from passing, to tell which of several refusals is the least one: the worst residual, m/s; a gain of energy
    /// counts as none.
    fn distance(&self) -> f64 {
        match &self.why {
            Why::Law { certificate, .. } => certificate.worst().1,
            Why::Energy(_) => 0.0,
        }
    }

    /// For the list of what was tried.
    fn said(&self) -> String {
        match &self.why {
            Why::Law { certificate, .. } => {
                let (kind, value) = certificate.worst();
                format!(
                    "{} (refused by the judge: {} {value:.1e} m/s)",
                    self.solver,
                    kind.name()
                )
            }
            Why::Energy(gain) => format!("{} (gains {gain:.1e} of the energy)", self.solver),
        }
    }
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
    /// Of the answers that did not pass, the one that came nearest.
    refusal: Option<Refusal>,
}

impl Tried {
    /// A solver had no answer.
    pub(crate) fn note_failure(&mut self, e: &SolveError, model: &Model, contacts: &[Contact]) {
        self.said.push(match e {
            SolveError::Ray { contacts: ray, .. } => no_motion(model, contacts, ray),
            e => e.to_string(),
        });
    }

    /// A solver's answer did not pass the gate.
    pub(crate) fn note_refusal(&mut self, refusal: Refusal) {
        self.said.push(refusal.said());
        let best = self.refusal.as_ref().map(Refusal::distance);
        if best.is_none_or(|best| refusal.distance().total_cmp(&best).is_lt()) {
            self.refusal = Some(refusal);
        }
    }

    /// The step itself cannot be done with the solver at hand: no other is asked, but an answer of one before may do.
    pub(crate) fn ended(self, error: Box<StepError>) -> Refused {
        let approximate = self.refusal.and_then(|refusal| refusal.approximate);
        Refused { error, approximate }
    }

    /// No solver is left: the answer that came nearest to passing, or that there was none.
    pub(crate) fn refused(self, step: &Predicted, contacts: &[Contact]) -> Refused {
        let tried = self.said.join("; ");
        let Some(Refusal {
            why, approximate, ..
        }) = self.refusal
        else {
            return not_solved(step, contacts, tried).into();
        };
        let error = match why {
            Why::Law { certificate, place } => not_certified(step, &certificate, place, tried),
            Why::Energy(gain) => StepError::EnergyGain {
                step: step.number(),
                t: step.plan.t_next,
                gain,
                tried,
            },
        };
        Refused {
            error: Box::new(error),
            approximate,
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

/// What a certificate that does not hold misses most, by how much, and its bound, m/s.
pub(crate) fn missed_most(certificate: &Certificate, tolerance: f64) -> (Residual, f64, f64) {
    let (kind, value) = certificate.worst_of_law();
    let equality = certificate.worst_of_equalities();
    let law = certificate.needs <= tolerance;
    if law || (certificate.rounding > 1.0 && equality.1 > value) {
        // An equality is missed by more than rounding, and that is all, or the worse.
        return (equality.0, equality.1, equality.1 / certificate.rounding);
    }
    (kind, value, certificate.bound_of(value, tolerance))
}

fn not_certified(
    step: &Predicted,
    certificate: &Certificate,
    place: String,
    tried: String,
) -> StepError {
    let (kind, value, bound) = missed_most(certificate, step.settings.tolerance);
    StepError::NotCertified {
        step: step.number(),
        t: step.plan.t_next,
        kind: kind.name(),
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

    /// A motor's force is no finite number.
    pub(crate) fn effort_not_finite(&self, joint: usize) -> StepError {
        StepError::NotFinite {
            step: self.number(),
            t: self.plan.t_next,
            what: "the force of a motor",
            body: self.model().joints[joint].name.clone(),
        }
    }

    pub(crate) fn too_long(&self, sunk: &Sunk) -> StepError {
        StepError::Sunk {
            step: self.number(),
            t: self.plan.t_next,
            bodies: sunk.pair.map(|i| self.model().bodies[i].name.clone()),
            depth: sunk.depth,
            unseen: sunk.unseen,
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
            angle: self.start()[i].twist.angular.length() * self.plan.h,
        }
    }
}
