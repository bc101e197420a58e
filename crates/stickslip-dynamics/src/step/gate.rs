//! Lines 8 and 9: the gate. A motion is judged here, and accepted here: nothing else can write the state of a world (where it is
//! put into a recorded one, that is done here too), for the fields of [`State`] and [`Memory`] are private to this file.
//!
//! A [`Judged`] step can be made in three ways only: by [`Gate::judge`], from a motion whose certificate holds (and whose energy
//! inequality, where that is asked for); by [`Approximate::accept`], from one that misses it by what the settings accept; or by
//! [`Judged::extrapolated`], from several steps that passed the gate. Its fields are
//! private to this file, so no method can accept a step of its own. What an extrapolated record combines has been judged step by
//! step; the combination itself solves no step's law, and is not judged: its record says that it is one.

use crate::budget::Chosen;
use crate::methods::{Next, Progress};
use crate::step::assemble::chosen_cones;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use crate::step::refuse::{Failure, Refusal, Why, missed_most};
use crate::step::seen::seen;
use crate::step::task::Task;
use crate::world::{World, energy};
use stickslip_certify::{Breach, Case, Judge, Place, Rebounds};
use stickslip_geometry::Pose;
use stickslip_model::joint::AXIS_NAMES;
use stickslip_model::restitution::Seen;
use stickslip_model::{
    BodyState, Certificate, Contact, ContactImpulse, Kind, Mode, Residual, Restitution, StepRecord,
    stored,
};

/// How far rounding may break the energy inequality, relative to its size.
const ENERGY_ROUNDING: f64 = 1e-12;

/// What a step changes.
#[derive(Clone)]
pub(crate) struct State {
    /// The last accepted step: the states of the bodies, and the contacts from which the next one is warm started.
    last: StepRecord,
    /// Where the last step started, if bodies had been moved before it.
    started: Option<Vec<BodyState>>,
    /// The friction cones chosen in the last step, where there is a budget for them.
    cones: Option<Chosen>,
    /// What was left of the energy inequality in the last step, relative to its size; where it is checked.
    energy_slack: Option<f64>,
}

stored!(State {
    last,
    started,
    cones,
    energy_slack
});

/// What later steps need to know of earlier ones beside the state.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    /// Compressions that are to be given back.
    restitution: Restitution,
    progress: Progress,
}

stored!(Memory {
    restitution,
    progress
});

impl State {
    /// At this record, with no step before it.
    const fn at(last: StepRecord) -> Self {
        Self {
            last,
            started: None,
            cones: None,
            energy_slack: None,
        }
    }

    /// Of a world before its first step.
    pub(crate) fn initial(last: StepRecord) -> (Self, Memory) {
        (Self::at(last), Memory::default())
    }

    pub(crate) const fn last(&self) -> &StepRecord {
        &self.last
    }

    pub(crate) const fn started(&self) -> Option<&Vec<BodyState>> {
        self.started.as_ref()
    }

    pub(crate) const fn cones(&self) -> Option<Chosen> {
        self.cones
    }

    pub(crate) const fn energy_slack(&self) -> Option<f64> {
        self.energy_slack
    }
}

impl Memory {
    pub(crate) const fn restitution(&self) -> &Restitution {
        &self.restitution
    }

    pub(crate) const fn progress(&self) -> &Progress {
        &self.progress
    }
}

/// The judge at the gate.
#[derive(Default)]
pub(crate) struct Gate {
    judge: Judge,
    rebounds: Rebounds,
}

/// A step that has passed the gate: all that the world takes over when it is accepted.
pub(crate) struct Judged {
    record: StepRecord,
    /// The worst of the certificates of the steps in a row that led here, this one included.
    worst: Certificate,
    /// What restitution is to know of each contact; `None` where it takes no part.
    seen: Option<Vec<Seen>>,
    /// The friction cones that were chosen, where there is a budget for them.
    cones: Option<Chosen>,
    /// What is left of the energy inequality, relative to its size; where it is checked.
    energy_slack: Option<f64>,
}

/// A step that has not passed, with a residual that may be accepted where nothing better is found. Its record has that residual in its
/// certificate, which does not hold: nobody takes it for a certified one.
pub(crate) struct Approximate(Box<Judged>);

impl Approximate {
    /// A judged answer that misses the law by what may be accepted at most. A gain of energy is not accepted: it has no size
    /// that would tell what it does to the motion.
    fn of(judged: Judged, why: &Why, accept: f64) -> Option<Self> {
        let near = matches!(why, Why::Law { certificate, .. } if certificate.is_within(accept));
        near.then(|| Self(Box::new(judged)))
    }

    /// There is nothing better.
    pub(crate) fn accept(self) -> Judged {
        *self.0
    }
}

impl Gate {
    /// Judges a motion through the step, whose contacts were measured with bodies at `placed`.
    ///
    /// # Errors
    /// [`Failure::Gate`] where its certificate does not hold, or where it gains energy.
    pub(crate) fn judge(
        &mut self,
        step: &Predicted,
        placed: &[Pose],
        mut motion: Motion,
    ) -> Result<Judged, Failure> {
        let certificate = self.certificate(step, &mut motion);
        let energy_slack = self.energy_slack(step, &motion);
        let why = self.objection(step, &motion, &certificate, energy_slack);
        let unfounded = self.unfounded(step, &motion, why.as_ref());
        let solver = motion.solved.solver;
        let judged = Judged {
            worst: certificate,
            seen: seen(step, placed, &motion),
            cones: chosen_cones(step, &motion.bodies, &motion.contacts),
            energy_slack,
            record: record(step, motion, certificate),
        };
        let Some(why) = why else {
            return Ok(judged);
        };
        Err(Failure::Gate(Box::new(Refusal {
            solver,
            approximate: Approximate::of(judged, &why, step.settings.accept),
            why,
            unfounded,
        })))
    }

    /// Of a motion that misses the law, the contacts that the shapes do not have.
    fn unfounded(&mut self, step: &Predicted, motion: &Motion, why: Option<&Why>) -> Vec<Contact> {
        let Some(Why::Law { .. }) = why else {
            return Vec::new();
        };
        let tolerance = step.settings.tolerance;
        let rows = self.judge.unfounded(&case(step, motion), tolerance);
        rows.into_iter()
            .map(|k| motion.contacts[k].contact)
            .collect()
    }

    /// What stands against a motion, if anything.
    fn objection(
        &mut self,
        step: &Predicted,
        motion: &Motion,
        certificate: &Certificate,
        energy_slack: Option<f64>,
    ) -> Option<Why> {
        if !certificate.holds(step.settings.tolerance) {
            let (kind, ..) = missed_most(certificate, step.settings.tolerance);
            return Some(Why::Law {
                certificate: *certificate,
                place: self.worst_place(step, motion, kind),
            });
        }
        let gains = energy_slack.filter(|s| *s < -ENERGY_ROUNDING || s.is_nan());
        gains.map(|slack| Why::Energy(-slack))
    }

    /// The judge's word on a motion, and what each contact does in it. For those who accept nothing: `check`.
    pub(crate) fn certificate(&mut self, step: &Predicted, motion: &mut Motion) -> Certificate {
        let certificate = self.judge.judge(&case(step, motion));
        for (contact, &mode) in motion.contacts.iter_mut().zip(self.judge.modes()) {
            contact.mode = mode;
        }
        certificate
    }

    /// What the judge has against what a recorded motion gives back, from the motions before it alone: a contact and what is wrong there. For
    /// `check`, which shows him all of them in their order.
    pub(crate) fn breach(&mut self, step: &Predicted, motion: &Motion) -> Option<(usize, String)> {
        let (tolerance, restitutions) = (step.settings.tolerance, &step.setup.restitutions);
        let case = case(step, motion);
        let rebound = (self.rebounds).judge(&case, tolerance, |pair| restitutions.of(pair));
        let breach = rebound.breach.filter(|_| !rebound.holds())?;
        Some(match breach {
            Breach::Pulls(contact) => (contact, "what it gives back does not push".into()),
            Breach::Impulse {
                contact,
                given,
                most,
            } => {
                let what =
                    format!("its bodies give back {given:.3e} N s, and may give {most:.3e} N s");
                (contact, what)
            }
            Breach::Energy {
                contact,
                given,
                most,
            } => {
                let what = format!(
                    "what its island gives back does the work {given:.3e} J, and it lost {most:.3e} J"
                );
                (contact, what)
            }
        })
    }

    /// Forgets what the motions before took.
    pub(crate) fn forget(&mut self) {
        self.rebounds.clear();
    }

    /// What each contact of the motion judged last does.
    pub(crate) fn modes(&self) -> &[Mode] {
        self.judge.modes()
    }

    /// Where asked for: what is left of the energy inequality of the step, relative to its size.
    fn energy_slack(&mut self, step: &Predicted, motion: &Motion) -> Option<f64> {
        if !step.settings.energy_check {
            return None;
        }
        let (left, size) = self.judge.energy_slack(&case(step, motion));
        Some(if size > 0.0 { left / size } else { 0.0 })
    }

    /// Names what misses most: a contact, a pair that overlaps, an axis of a joint, a spring or a gear.
    fn worst_place(&mut self, step: &Predicted, motion: &Motion, kind: Residual) -> String {
        let model = step.model();
        match self.judge.worst_place(&case(step, motion), kind) {
            Some(Place::Contact(k)) => {
                let contact = &motion.contacts[k].contact;
                let [a, b] = contact.bodies.map(|i| &model.bodies[i].name);
                let x = contact.point;
                format!(
                    ", worst between \"{a}\" and \"{b}\" at ({:.6}, {:.6}, {:.6}) m",
                    x.x, x.y, x.z
                )
            }
            Some(Place::Overlap(pair)) => {
                let [a, b] = pair.map(|i| &model.bodies[i].name);
                format!(", where \"{a}\" and \"{b}\" overlap")
            }
            Some(Place::Joint { joint, axis }) => {
                let name = &model.joints[joint].name;
                format!(", worst at {} of joint \"{name}\"", AXIS_NAMES[axis])
            }
            Some(Place::Spring(k)) => {
                format!(", worst at spring \"{}\"", model.springs[k].name)
            }
            Some(Place::Gear(k)) => format!(", worst at gear \"{}\"", model.gears[k].name),
            None => String::new(),
        }
    }
}

/// The step and its motion, laid before the judge.
fn case<'a>(step: &'a Predicted, motion: &'a Motion) -> Case<'a> {
    Case {
        model: step.model(),
        given: step.given(),
        before: step.start(),
        after: &motion.bodies,
        contacts: &motion.contacts,
        joints: &motion.joints,
    }
}

fn record(step: &Predicted, motion: Motion, certificate: Certificate) -> StepRecord {
    let Motion {
        bodies,
        contacts,
        joints,
        solved,
        ..
    } = motion;
    StepRecord {
        step: step.number(),
        t: step.plan.t_next,
        h: step.plan.h,
        kind: step.plan.kind,
        energy: energy(step.model(), step.settings.gravity, &bodies, &joints),
        bodies,
        contacts,
        joints,
        certificate,
        solver: solved.solver.to_owned(),
        iterations: solved.iterations as u64,
    }
}

impl Judged {
    /// What will be recorded of it.
    pub(crate) const fn record(&self) -> &StepRecord {
        &self.record
    }

    /// This step after `before`, of which it is the next in a row: remembers the worse certificate of the two.
    pub(crate) fn following(mut self, before: &Self) -> Self {
        self.worst.join(&before.worst);
        self.energy_slack = least(self.energy_slack, before.energy_slack);
        self
    }

    /// The step of `task` in place of several subdivisions of it, each of which passed the gate: contacts of the finest, the
    /// worst of all certificates, and the extrapolated states of free bodies if they are given.
    pub(crate) fn extrapolated(
        task: &Task,
        finest: Self,
        coarser: &[Self],
        states: Option<Vec<BodyState>>,
    ) -> Self {
        let mut all = coarser.iter().fold(finest, Self::following);
        let record = &mut all.record;
        (record.step, record.h) = (task.number(), task.plan.h);
        record.kind = Kind::Extrapolated;
        record.certificate = all.worst;
        if let Some(states) = states {
            let bodies = task.model().bodies.iter();
            for (i, _) in bodies.enumerate().filter(|(_, body)| body.is_free()) {
                // Prescribed bodies stay where they are told to be.
                record.bodies[i] = states[i];
            }
            let gravity = task.settings.gravity;
            record.energy = energy(task.model(), gravity, &record.bodies, &record.joints);
        }
        all
    }
}

/// The smaller of two, where there are two.
fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl World {
    /// Takes over a step that has passed the gate: the only place where a step changes the state of the world.
    pub(crate) fn accept(&mut self, next: Next) {
        let Next {
            judged,
            progress,
            started,
        } = next;
        let old = std::mem::replace(&mut self.state.last, judged.record);
        if let Some(seen) = &judged.seen {
            let (model, last) = (&self.setup.model, &self.state.last);
            let restitution = &mut self.memory.restitution;
            restitution.advance(model, last.h, &last.contacts, seen);
        }
        self.memory.progress = progress;
        self.state.started = started;
        self.state.cones = judged.cones;
        self.state.energy_slack = judged.energy_slack;
        self.stepper.reuse(old);
    }

    /// Puts the world at a record, with no step before it and nothing remembered. Beside [`World::put_back`] the only other place that writes its state.
    pub(crate) fn put(&mut self, last: StepRecord) {
        self.memory = Memory {
            restitution: Restitution::default(),
            progress: Progress::at(last.t, self.settings.h),
        };
        self.state = State::at(last);
    }

    /// Remembers of a recorded step of length `h` what later ones are to give back, for those who accept nothing: `check`.
    pub(crate) fn replay(&mut self, h: f64, contacts: &[ContactImpulse], seen: &[Seen]) {
        let restitution = &mut self.memory.restitution;
        restitution.advance(&self.setup.model, h, contacts, seen);
    }

    /// Forgets what is to be given back, where `check` does not have the steps before.
    pub(crate) fn forget_compressions(&mut self) {
        self.memory.restitution.clear();
        self.stepper.forget();
    }

    /// Puts the world where another one was, with all that was remembered there.
    pub(crate) fn put_back(&mut self, state: State, memory: Memory) {
        (self.state, self.memory) = (state, memory);
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
