//! A whole trajectory in memory.

use crate::error::RecordError;
use crate::hash::StateHash;
use crate::header::{Header, Summary};
use crate::parquet::{Reader, check_joints};
use crate::recorder::{Recorder, Start, check_states, check_step};
use crate::states::Snapshot;
use std::path::Path;
use stickslip_model::{BodyState, StepRecord};

/// One recorded step and, where the step before it was not recorded, the state from which it started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The state before the step; `None` where that is the state of the frame before this one (and
    /// for step 0, which has none).
    pub start: Option<Snapshot>,
    /// The step.
    pub step: StepRecord,
}

/// A trajectory in memory: what a Parquet file holds, all at once.
///
/// It is itself a [`Recorder`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// What it says about itself.
    pub header: Header,
    /// The recorded steps in order, step 0 first.
    pub frames: Vec<Frame>,
    /// `None` if the run has not ended (or died).
    pub summary: Option<Summary>,
    /// What a reader found odd but could live with, such as a file left by a run that died.
    pub warnings: Vec<String>,
}

impl Trajectory {
    /// An empty one, to be given to a run as its recorder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a whole trajectory: `run.parquet`, or the folder that a run left when it died.
    ///
    /// # Errors
    /// Whatever is wrong with the files. A CSV gives [`RecordError::NoImpulses`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let mut reader = Reader::open(path)?;
        let frames = reader.by_ref().collect::<Result<_, _>>()?;
        reader.warnings.extend(reader.seal().warning());
        Ok(Self {
            header: reader.header,
            frames,
            summary: reader.summary,
            warnings: reader.warnings,
        })
    }

    /// The state from which frame `index` started; `None` for step 0.
    #[must_use]
    pub fn start_of(&self, index: usize) -> Option<Start<'_>> {
        if let Some(Snapshot { t, bodies }) = &self.frames.get(index)?.start {
            return Some(Start { t: *t, bodies });
        }
        let before = &self.frames.get(index.checked_sub(1)?)?.step;
        Some(Start {
            t: before.t,
            bodies: &before.bodies,
        })
    }

    /// Plays the trajectory into another recorder: writes it as a file, for example.
    ///
    /// # Errors
    /// Whatever the recorder refuses; [`RecordError::Empty`] for a trajectory without step 0.
    pub fn replay(&self, recorder: &mut dyn Recorder) -> Result<(), RecordError> {
        let first = self
            .frames
            .first()
            .ok_or(RecordError::Empty("the trajectory has no steps"))?;
        recorder.start(&self.header, &first.step)?;
        for index in 1..self.frames.len() {
            if let Some(before) = self.start_of(index) {
                recorder.record(before, &self.frames[index].step)?;
            }
        }
        match &self.summary {
            Some(summary) => recorder.finish(summary),
            None => recorder.finish(&self.interrupted()),
        }
    }

    /// What can be said of a run that did not live to say it.
    fn interrupted(&self) -> Summary {
        let last = self.frames.last().map(|frame| &frame.step);
        Summary {
            steps: last.map_or(0, |step| step.step),
            t: last.map_or(0.0, |step| step.t),
            hash: self.state_hash(),
            failure: Some("the run did not end".into()),
            ..Summary::default()
        }
    }

    /// The hash of the recorded states; that of the run if every step was recorded.
    #[must_use]
    pub fn state_hash(&self) -> String {
        let mut hash = StateHash::new(&self.header.bodies);
        for frame in &self.frames {
            let step = &frame.step;
            hash.update(step.step, &step.bodies, &step.joints);
        }
        hash.hex()
    }
}

impl Recorder for Trajectory {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        header.validate()?;
        check_step(&header.bodies, initial)?;
        check_joints(&header.joints, initial)?;
        *self = Self {
            header: header.clone(),
            ..Self::default()
        };
        self.frames.push(Frame {
            start: None,
            step: initial.clone(),
        });
        Ok(())
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        let last = self
            .frames
            .last()
            .ok_or(RecordError::Order("record before start"))?;
        check_successor(&self.header, &last.step, before, step)?;
        let known =
            step.step == last.step.step + 1 && same_start(before, last.step.t, &last.step.bodies);
        let start = (!known).then(|| Snapshot {
            t: before.t,
            bodies: before.bodies.to_vec(),
        });
        self.frames.push(Frame {
            start,
            step: step.clone(),
        });
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        self.summary = Some(summary.clone());
        Ok(())
    }
}

/// Is this the very state, bit by bit, in which the last recorded step ended?
pub(crate) fn same_start(before: Start<'_>, t: f64, bodies: &[BodyState]) -> bool {
    use crate::recorder::state_numbers;
    let bits = |state: &BodyState| state_numbers(state).map(f64::to_bits);
    before.t.to_bits() == t.to_bits()
        && before.bodies.len() == bodies.len()
        && before
            .bodies
            .iter()
            .zip(bodies)
            .all(|(a, b)| bits(a) == bits(b))
}

/// Refuses a step that does not come after the last recorded one, or that is not finite.
pub(crate) fn check_successor(
    header: &Header,
    last: &StepRecord,
    before: Start<'_>,
    step: &StepRecord,
) -> Result<(), RecordError> {
    // No time passes in an impact.
    let after = |t: f64| step.t > t || (step.kind.is_impact() && step.t == t);
    let late = step.step > last.step && after(last.t) && before.t >= last.t && after(before.t);
    if !late {
        return Err(RecordError::Inconsistent {
            step: step.step,
            reason: format!(
                "from {} s to {} s, after step {} which ended at {} s",
                before.t, step.t, last.step, last.t
            ),
        });
    }
    check_states(&header.bodies, step.step, before.t, before.bodies)?;
    check_joints(&header.joints, step)?;
    check_step(&header.bodies, step)
}
