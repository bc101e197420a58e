//! What can go wrong, in three kinds: a world that cannot be, a step that cannot be certified, a file.

use stickslip_model::words::{length, time};

/// A world that cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// Two bodies of the same name.
    #[error("two bodies are named \"{name}\"")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name that no body has.
    #[error("{place} names the body \"{name}\", which does not exist")]
    UnknownBody {
        /// The name.
        name: String,
        /// Who asks for it.
        place: String,
    },
    /// A number that makes no sense.
    #[error("body \"{body}\": {reason}")]
    Body {
        /// Which body.
        body: String,
        /// What is wrong.
        reason: String,
    },
    /// A joint or spring that cannot be.
    #[error("{what} \"{joint}\": {reason}")]
    Joint {
        /// Joint or spring.
        what: &'static str,
        /// Which one.
        joint: String,
        /// What is wrong.
        reason: String,
    },
    /// A setting that makes no sense.
    #[error("{setting}: {reason}")]
    Setting {
        /// Which setting.
        setting: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Two bodies overlap at the start.
    #[error("\"{a}\" and \"{b}\" overlap at the start by {} m: {}", length(*depth), apart(mover, way.as_deref()))]
    Overlap {
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// How deep, m.
        depth: f64,
        /// The one to move: of a free body and another the free one.
        mover: String,
        /// How far and in which direction along an axis, `0.1 m along z`, where one is found.
        way: Option<String>,
    },
}

fn apart(mover: &str, way: Option<&str>) -> String {
    way.map_or("move them apart".into(), |way| {
        format!("move \"{mover}\" by {way}")
    })
}

/// A step that could not be accepted. The world is as it was before the step.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepError {
    /// No solver reached the tolerance.
    #[error(
        "step {step} at t = {} s is not certified: {kind} residual {value:.3e} m/s against \
         {bound:.1e} m/s{place}; tried {tried}", time(*t))]
    NotCertified {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// The worst residual's name.
        kind: &'static str,
        /// Its value, m/s.
        value: f64,
        /// The bound it missed, m/s.
        bound: f64,
        /// Where: bodies and contact, or nothing.
        place: String,
        /// The solvers tried and what each said.
        tried: String,
    },
    /// Bodies turn too far in the step for linear rows: on a first motion they end up inside each other, and no row tells of it.
    #[error(
        "step {step} at t = {} s is too long: \"{}\" and \"{}\" would overlap by {depth:.1e} m, and at their turn linear rows may \
         leave {unseen:.1e} m unseen", time(*t), bodies[0], bodies[1])]
    Sunk {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// Names of the two.
        bodies: [String; 2],
        /// By how much they would overlap, m.
        depth: f64,
        /// How much of an overlap rows may leave unseen there, m.
        unseen: f64,
    },
    /// No solver found an answer at all.
    #[error(
        "step {step} at t = {} s has no answer: {contacts} contacts of {bodies}; tried {tried}", time(*t))]
    NotSolved {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// How many contacts the step's problem has.
        contacts: usize,
        /// The bodies in contact, or the first of them.
        bodies: String,
        /// The solvers tried and what each said.
        tried: String,
    },
    /// Too many events within one step.
    #[error(
        "step {step} at t = {} s: {events} events within one step, the last between {bodies}: they do not come to an end", time(*t))]
    Stalled {
        /// Number of the step.
        step: u64,
        /// Time, s.
        t: f64,
        /// How many.
        events: usize,
        /// The bodies of the last event.
        bodies: String,
    },
    /// The wanted error asks for steps so short that the run would not end.
    #[error(
        "step {step} at t = {t} s: a wanted error of {error:.1e} m asks for steps of {h:.1e} s, {steps:.0e} of them to the end; \
         what rounding and joints leave in a step does not fall with its length: ask for a larger error, or for a fixed h"
    )]
    Crawling {
        /// Number of the step.
        step: u64,
        /// Time, s.
        t: f64,
        /// The wanted error, m.
        error: f64,
        /// Length of the steps, s.
        h: f64,
        /// How many more of these it would take.
        steps: f64,
    },
    /// A force, motion or state is not finite.
    #[error("step {step} at t = {} s: {what} of body \"{body}\" is not finite", time(*t))]
    NotFinite {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// What.
        what: &'static str,
        /// Whose.
        body: String,
    },
    /// A joint could not be closed.
    #[error(
        "step {step} at t = {} s: joint \"{joint}\" cannot be held: it stays {misfit:.3e} m off; a smaller h \
         may help, unless it works against another joint or bears its load to second order only (bodies in one line or \
         plane)", time(*t))]
    JointOpen {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// Which joint.
        joint: String,
        /// How far it stays off, m (angles times the joint's length).
        misfit: f64,
    },
    /// The energy inequality is broken, where it is checked.
    #[error(
        "step {step} at t = {} s breaks the energy inequality by {gain:.3e} of the energy: forces taken at the start \
         of the step, or a fast turn, put it in; tried {tried}", time(*t))]
    EnergyGain {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// How much, relative to the energy.
        gain: f64,
        /// The solvers tried and what each said.
        tried: String,
    },
    /// A step that is refused, and so are shorter ones in its place.
    #[error("{whole}; its first part of {parts} is refused as well, and those longer than that")]
    EvenInParts {
        /// Why the whole step is.
        whole: Box<StepError>,
        /// How many parts at most.
        parts: u32,
    },
    /// A joint's angles cannot be told.
    #[error(
        "step {step} at t = {} s: ry of joint \"{joint}\" is at a right angle: rx and rz are one there", time(*t))]
    JointSingular {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// Which joint.
        joint: String,
    },
    /// A body turns too far in one step for its motion to be determined.
    #[error(
        "step {step} at t = {} s: body \"{body}\" turns {angle:.1} rad in one step: take a smaller h", time(*t))]
    TooFast {
        /// Number of the step.
        step: u64,
        /// Time at its end, s.
        t: f64,
        /// Whose.
        body: String,
        /// h|ω|, rad.
        angle: f64,
    },
}

impl StepError {
    /// Why the step is refused, whatever else was tried in its place.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::EvenInParts { whole, .. } => whole.cause(),
            error => error,
        }
    }

    /// Could a shorter step pass? Not where a force or a motion is not finite, nor where events are all there is, nor where steps are too
    /// short already.
    pub(crate) const fn may_pass_if_shorter(&self) -> bool {
        !matches!(
            self,
            Self::NotFinite { .. } | Self::Stalled { .. } | Self::Crawling { .. }
        )
    }

    /// The same error of a step that was divided into so many parts at last.
    pub(crate) fn even_in_parts(self, parts: u32) -> Self {
        if parts == 1 {
            return self;
        }
        Self::EvenInParts {
            whole: Box::new(self),
            parts,
        }
    }
}
