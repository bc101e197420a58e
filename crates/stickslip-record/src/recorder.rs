//! Where steps go: the one door for files, memory, several outputs at once and thinning.

use crate::error::RecordError;
use crate::header::{Header, Summary};
use stickslip_model::bytes::Stored;
use stickslip_model::{BodyState, Residual, StepRecord, stored};

/// The state at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Time, s.
    pub t: f64,
    /// One state for each body, in the model's order.
    pub bodies: &'a [BodyState],
}

/// Takes the steps of a run, one by one.
///
/// Called in this order: `start` once with the initial state, `record` once for every accepted
/// step, `finish` once, also when the run was stopped by an error. A recorder that is dropped
/// without `finish` leaves what it had, readable, on disk.
pub trait Recorder: Send {
    /// Opens the output. `initial` is step 0: the states before the first step, no contacts.
    ///
    /// # Errors
    /// If the header is not valid, the state is not finite, or the output cannot be created.
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError>;

    /// Takes one accepted step and the state from which it started.
    ///
    /// # Errors
    /// If a number is not finite, the step does not follow the last one, or writing fails.
    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError>;

    /// After a step: what the run would need to go on from there, made where it is asked for. With `ending` the run is about to end
    /// here. A recorder that keeps none of it does nothing.
    ///
    /// # Errors
    /// If writing fails.
    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        let _ = (memory, ending);
        Ok(())
    }

    /// Closes the output.
    ///
    /// # Errors
    /// If writing fails.
    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError>;
}

/// Gives what a run needs to go on, as bytes.
pub type Memory<'a> = &'a dyn Fn() -> Vec<u8>;

impl<R: Recorder + ?Sized> Recorder for &mut R {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        (**self).start(header, initial)
    }
    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        (**self).record(before, step)
    }
    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        (**self).remember(memory, ending)
    }
    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        (**self).finish(summary)
    }
}

impl<R: Recorder + ?Sized> Recorder for Box<R> {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        (**self).start(header, initial)
    }
    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        (**self).record(before, step)
    }
    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        (**self).remember(memory, ending)
    }
    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        (**self).finish(summary)
    }
}

/// Several recorders that all see every step; none at all is a recorder that forgets.
#[derive(Default)]
pub struct Tee<'a> {
    outputs: Vec<Box<dyn Recorder + 'a>>,
}

impl<'a> Tee<'a> {
    /// No output yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one output.
    #[must_use]
    pub fn with(mut self, output: impl Recorder + 'a) -> Self {
        self.outputs.push(Box::new(output));
        self
    }
}

impl Recorder for Tee<'_> {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        self.outputs
            .iter_mut()
            .try_for_each(|output| output.start(header, initial))
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        self.outputs
            .iter_mut()
            .try_for_each(|output| output.record(before, step))
    }

    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        self.outputs
            .iter_mut()
            .try_for_each(|output| output.remember(memory, ending))
    }

    /// Finishes all of them, also when one fails; the first error is returned.
    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        let mut result = Ok(());
        for output in &mut self.outputs {
            result = result.and(output.finish(summary));
        }
        result
    }
}

/// Passes on step 0, every Nth step, and the last one. A step that was divided counts once, at its end: what is passed on keeps the
/// times it would have without that.
///
/// The state before a recorded step goes along with it, so the steps that are kept can still be
/// checked.
#[derive(Debug)]
pub struct Every<R> {
    every: u64,
    inner: R,
    /// Steps so far, but for the parts of divided ones.
    steps: u64,
    /// The latest step, if it was not passed on: it may turn out to be the last.
    held: Option<Held>,
    /// Kept between steps for its memory.
    spare: Option<Held>,
}

#[derive(Debug, Default)]
struct Held {
    t: f64,
    bodies: Vec<BodyState>,
    step: StepRecord,
}

stored!(Held { t, bodies, step });

impl<R: Recorder> Every<R> {
    /// Every `every`th step goes to `inner`; 0 is taken as 1.
    #[must_use]
    pub fn new(every: u64, inner: R) -> Self {
        Self {
            every: every.max(1),
            inner,
            steps: 0,
            held: None,
            spare: None,
        }
    }

    /// Goes on where another one stood: `memory` is what `inner` was given to remember. The rest of it, which belongs to the
    /// run, comes back; `None` where it is no such thing.
    #[must_use]
    pub fn resume(every: u64, inner: R, memory: &[u8]) -> Option<(Self, Vec<u8>)> {
        let mut rest = memory;
        let resumed = Self {
            steps: Stored::take(&mut rest)?,
            held: Stored::take(&mut rest)?,
            ..Self::new(every, inner)
        };
        Some((resumed, rest.to_vec()))
    }
}

impl<R: Recorder> Recorder for Every<R> {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        let header = Header {
            every: self.every,
            ..header.clone()
        };
        self.held = None;
        self.steps = initial.step;
        self.inner.start(&header, initial)
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        let room = self.held.take().or_else(|| self.spare.take());
        let whole = !step.kind.is_part();
        self.steps += u64::from(whole);
        if self.every == 1 || (whole && self.steps.is_multiple_of(self.every)) {
            self.spare = room;
            return self.inner.record(before, step);
        }
        let mut held = room.unwrap_or_default();
        held.t = before.t;
        held.bodies.clear();
        held.bodies.extend_from_slice(before.bodies);
        held.step.clone_from(step);
        self.held = Some(held);
        Ok(())
    }

    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        let Self {
            inner, steps, held, ..
        } = self;
        let with_ours = || {
            let mut bytes = Vec::new();
            steps.put(&mut bytes);
            held.put(&mut bytes);
            bytes.extend(memory());
            bytes
        };
        inner.remember(&with_ours, ending)
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        let mut result = Ok(());
        if let Some(Held { t, bodies, step }) = self.held.take() {
            let before = Start { t, bodies: &bodies };
            result = self.inner.record(before, &step);
        }
        result.and(self.inner.finish(summary))
    }
}

/// Names of the 13 numbers of a state, in the order of [`state_numbers`].
pub(crate) const STATE: [&str; 13] = [
    "x", "y", "z", "qs", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
];

/// The 13 numbers of a state: position, quaternion (scalar first), velocity, angular velocity.
pub(crate) fn state_numbers(state: &BodyState) -> [f64; 13] {
    let (p, q) = (state.pose.position, state.pose.orientation);
    let (v, w) = (state.twist.linear, state.twist.angular);
    [
        p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z,
    ]
}

/// Inverse of [`state_numbers`].
pub(crate) fn state_of_numbers(n: &[f64; 13]) -> BodyState {
    use glam::{DQuat, DVec3};
    use stickslip_geometry::{Pose, Twist};
    BodyState {
        pose: Pose {
            position: DVec3::new(n[0], n[1], n[2]),
            orientation: DQuat::from_xyzw(n[4], n[5], n[6], n[3]),
        },
        twist: Twist {
            linear: DVec3::new(n[7], n[8], n[9]),
            angular: DVec3::new(n[10], n[11], n[12]),
        },
    }
}

/// Refuses states that are not finite or not one for each body.
pub(crate) fn check_states(
    names: &[String],
    step: u64,
    t: f64,
    bodies: &[BodyState],
) -> Result<(), RecordError> {
    if bodies.len() != names.len() {
        return Err(RecordError::Inconsistent {
            step,
            reason: format!("{} states for {} bodies", bodies.len(), names.len()),
        });
    }
    let not_finite = |column: &str, owner: &str| RecordError::NotFinite {
        step,
        column: column.into(),
        owner: owner.into(),
    };
    if !t.is_finite() {
        return Err(not_finite("t", "the step"));
    }
    for (state, name) in bodies.iter().zip(names) {
        let numbers = state_numbers(state);
        if let Some(i) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(not_finite(STATE[i], &format!("body `{name}`")));
        }
    }
    Ok(())
}

/// Refuses a step with a number that is not finite, or with bodies that the header does not have.
pub(crate) fn check_step(names: &[String], step: &StepRecord) -> Result<(), RecordError> {
    check_states(names, step.step, step.t, &step.bodies)?;
    let not_finite = |column: &str, owner: String| RecordError::NotFinite {
        step: step.step,
        column: column.into(),
        owner,
    };
    let c = &step.certificate;
    let scalars = [
        ("energy", step.energy),
        ("h", step.h),
        ("penetration", c.penetration),
        ("speed", c.speed),
        ("rounding", c.rounding),
        ("floor", c.floor),
        ("needs", c.needs),
        ("allowed", c.allowed),
    ];
    let residuals = Residual::ALL.iter().map(|r| r.name()).zip(c.residuals);
    if let Some((name, _)) = scalars
        .into_iter()
        .chain(residuals)
        .find(|(_, x)| !x.is_finite())
    {
        return Err(not_finite(name, "the step".into()));
    }
    for (i, ci) in step.contacts.iter().enumerate() {
        let contact = &ci.contact;
        if contact.bodies.iter().any(|b| *b >= names.len()) {
            return Err(RecordError::Inconsistent {
                step: step.step,
                reason: format!("contact {i} has a body that is not in the header"),
            });
        }
        let finite = [
            ("x", contact.point.is_finite()),
            ("nx", contact.normal.is_finite()),
            ("gap", contact.gap.is_finite()),
            ("mu_static", contact.friction.stick.is_finite()),
            ("mu_kinetic", contact.friction.slide.is_finite()),
            ("p_n", ci.impulse.is_finite()),
            ("m_n", ci.moment.is_finite()),
            ("restituted", ci.restituted.is_finite()),
        ];
        if let Some((column, _)) = finite.iter().find(|(_, finite)| !finite) {
            return Err(not_finite(column, format!("contact {i}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::trajectory::Trajectory;
    use stickslip_model::Kind;

    #[test]
    fn thinning_keeps_the_first_every_nth_and_the_last_step_with_their_starts() {
        let all = testing::trajectory(&["a", "b"], 17);
        let mut kept = Trajectory::new();
        testing::run(&["a", "b"], 17, &mut Every::new(5, &mut kept));
        let steps: Vec<u64> = kept.frames.iter().map(|f| f.step.step).collect();
        assert_eq!(steps, [0, 5, 10, 15, 17]);
        assert_eq!(kept.header.every, 5);
        assert_eq!(kept.summary, all.summary);
        for (i, frame) in kept.frames.iter().enumerate().skip(1) {
            let k = frame.step.step as usize;
            assert_eq!(frame.step, all.frames[k].step);
            let start = kept.start_of(i).unwrap();
            assert_eq!(start.t, all.frames[k - 1].step.t);
            assert_eq!(start.bodies, all.frames[k - 1].step.bodies);
        }
    }

    #[test]
    fn a_divided_step_counts_once_so_that_thinning_keeps_its_times() {
        let mut all = testing::trajectory(&["a"], 17);
        // Steps 3 and 8 in parts: records 3 to 5 and 10, 11.
        for k in [3, 4, 10] {
            all.frames[k].step.kind = Kind::Part;
        }
        let thinned = |every: u64| {
            let mut kept = Trajectory::new();
            all.replay(&mut Every::new(every, &mut kept)).unwrap();
            let steps = kept.frames.iter().map(|f| f.step.step);
            steps.collect::<Vec<_>>()
        };
        assert_eq!(thinned(4), [0, 6, 11, 15, 17]);
        assert_eq!(thinned(1).len(), 18, "every record");
    }

    #[test]
    fn a_run_kept_whole_needs_no_starts_and_can_be_replayed() {
        let (mut one, mut two) = (Trajectory::new(), Trajectory::new());
        let mut tee = Tee::new().with(&mut one).with(Every::new(1, &mut two));
        testing::run(&["a", "b"], 9, &mut tee);
        drop(tee);
        assert_eq!(one, two);
        assert!(one.frames.iter().all(|frame| frame.start.is_none()));
        let mut again = Trajectory::new();
        one.replay(&mut again).unwrap();
        assert_eq!(one, again);
    }

    #[test]
    fn what_is_not_finite_or_out_of_order_is_refused() {
        let run = testing::trajectory(&["a", "b"], 4);
        let refused = |change: &dyn Fn(&mut Trajectory)| {
            let mut broken = run.clone();
            change(&mut broken);
            let mut copy = Trajectory::new();
            broken.replay(&mut copy).unwrap_err().to_string()
        };
        let message = refused(&|r| r.frames[2].step.bodies[1].twist.angular.y = f64::NAN);
        assert_eq!(message, "step 2: `wy` of body `b` is not finite");
        let message = refused(&|r| r.frames[3].step.contacts[0].impulse.x = f64::INFINITY);
        assert_eq!(message, "step 3: `p_n` of contact 0 is not finite");
        let message = refused(&|r| r.frames[3].step.certificate.residuals[1] = f64::NAN);
        assert_eq!(message, "step 3: `map` of the step is not finite");
        let message = refused(&|r| r.frames.swap(2, 3));
        assert!(message.starts_with("step 2: "), "{message}");
        let message = refused(&|r| _ = r.frames[1].step.bodies.pop());
        assert_eq!(message, "step 1: 1 states for 2 bodies");
        let message = refused(&|r| r.frames[1].step.contacts[0].contact.bodies[1] = 2);
        assert!(message.contains("not in the header"), "{message}");
        assert!(refused(&|r| r.frames.clear()).contains("no steps"));
    }
}
