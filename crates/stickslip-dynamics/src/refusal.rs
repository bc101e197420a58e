//! Why a step is refused, in words: time, bodies, contact, residual, and what was tried.

use crate::error::StepError;
use crate::world::World;
use stickslip_certify::Place;
use stickslip_model::Certificate;
use stickslip_model::joint::AXIS_NAMES;
use stickslip_solvers::solver::SolveError;

/// Why an attempt at a step ended.
pub(crate) enum Failure {
    /// The solver failed: another may do better.
    Solver(SolveError),
    /// The step itself cannot be done.
    Step(Box<StepError>),
}

impl From<SolveError> for Failure {
    fn from(e: SolveError) -> Self {
        Self::Solver(e)
    }
}

impl World {
    /// A solver's failure is noted and the next solver tried; a step that cannot be is an error at once.
    pub(crate) fn failed(&self, failure: Failure) -> Result<String, StepError> {
        match failure {
            Failure::Solver(SolveError::Ray { contacts, .. }) => Ok(self.no_motion(&contacts)),
            Failure::Solver(e) => Ok(e.to_string()),
            Failure::Step(e) => Err(*e),
        }
    }

    /// The contacts of a ray, by their bodies.
    fn no_motion(&self, contacts: &[usize]) -> String {
        let mut pairs: Vec<[usize; 2]> = contacts
            .iter()
            .filter_map(|&k| self.work.contacts.get(k).map(|c| c.bodies))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let names = pairs.iter().map(|pair| {
            let [a, b] = pair.map(|i| &self.model.bodies[i].name);
            format!("\"{a}\" with \"{b}\"")
        });
        let named = names.collect::<Vec<_>>().join(", ");
        format!("no motion keeps these contacts open together: {named}")
    }

    pub(crate) fn not_certified(&mut self, certificate: &Certificate, tried: String) -> StepError {
        let tolerance = self.settings.tolerance;
        let (kind, value) = certificate.worst_of_law();
        let (kind, value, bound) =
            if certificate.rounding > 1.0 && value <= certificate.bound(tolerance) {
                ("rounding", certificate.rounding, 1.0)
            } else {
                (kind.name(), value, certificate.bound(tolerance))
            };
        StepError::NotCertified {
            step: self.last.step + 1,
            t: self.t_next(),
            kind,
            value,
            bound,
            place: self.worst_contact(),
            tried,
        }
    }

    /// No solver gave an answer: names the bodies of the step's problem.
    pub(crate) fn not_solved(&self, tried: String) -> StepError {
        const NAMED: usize = 8;
        let mut all: Vec<usize> = self.work.contacts.iter().flat_map(|c| c.bodies).collect();
        all.extend(self.model.joined().flatten().flatten());
        all.sort_unstable();
        all.dedup();
        let named = all
            .iter()
            .take(NAMED)
            .map(|&i| format!("\"{}\"", self.model.bodies[i].name));
        let mut bodies = named.collect::<Vec<_>>().join(", ");
        if all.len() > NAMED {
            bodies.push_str(&format!(" and {} more", all.len() - NAMED));
        }
        StepError::NotSolved {
            step: self.last.step + 1,
            t: self.t_next(),
            contacts: self.work.contacts.len(),
            bodies,
            tried,
        }
    }

    /// Names what misses its law most: a contact, an axis of a joint or a spring.
    fn worst_contact(&mut self) -> String {
        let (judge, case) = self.judge_and_case();
        match judge.worst_place(&case) {
            Some(Place::Contact(k)) => {
                let contact = &self.work.impulses[k].contact;
                let [a, b] = contact.bodies.map(|i| &self.model.bodies[i].name);
                let x = contact.point;
                format!(
                    ", worst between \"{a}\" and \"{b}\" at ({:.6}, {:.6}, {:.6}) m",
                    x.x, x.y, x.z
                )
            }
            Some(Place::Joint { joint, axis }) => {
                let name = &self.model.joints[joint].name;
                format!(", worst at {} of joint \"{name}\"", AXIS_NAMES[axis])
            }
            Some(Place::Spring(k)) => {
                format!(", worst at spring \"{}\"", self.model.springs[k].name)
            }
            None => String::new(),
        }
    }

    /// The event loop does not come to the next grid point.
    pub(crate) fn stalled(&self, events: usize) -> StepError {
        let mut all: Vec<usize> = self
            .last
            .contacts
            .iter()
            .flat_map(|c| c.contact.bodies)
            .collect();
        all.sort_unstable();
        all.dedup();
        let name = |&i: &usize| format!("\"{}\"", self.model.bodies[i].name);
        StepError::Stalled {
            step: self.last.step + 1,
            t: self.last.t,
            events,
            bodies: all.iter().take(4).map(name).collect::<Vec<_>>().join(", "),
        }
    }

    pub(crate) fn not_finite(&self, what: &'static str, body: usize) -> StepError {
        let body = self.model.bodies[body].name.clone();
        StepError::NotFinite {
            step: self.last.step + 1,
            t: self.t_next(),
            what,
            body,
        }
    }

    pub(crate) fn joint_open(&self, joint: usize, misfit: f64) -> StepError {
        StepError::JointOpen {
            step: self.last.step + 1,
            t: self.t_next(),
            joint: self.model.joints[joint].name.clone(),
            misfit,
        }
    }

    pub(crate) fn joint_singular(&self, joint: usize) -> StepError {
        StepError::JointSingular {
            step: self.last.step + 1,
            t: self.t_next(),
            joint: self.model.joints[joint].name.clone(),
        }
    }

    pub(crate) fn too_fast(&self, i: usize) -> StepError {
        StepError::TooFast {
            step: self.last.step + 1,
            t: self.t_next(),
            body: self.model.bodies[i].name.clone(),
            angle: self.last.bodies[i].twist.angular.length() * self.settings.h,
        }
    }
}

pub(crate) fn note(tried: &mut String, what: &str) {
    if !tried.is_empty() {
        tried.push_str("; ");
    }
    tried.push_str(what);
}
