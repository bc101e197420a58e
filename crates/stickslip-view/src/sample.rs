//! What is kept of a run to be shown: all of a short one, every 2ⁿth step of a long one.

use std::mem::size_of;
use stickslip_model::{BodyState, ContactImpulse, JointImpulse, StepRecord};
use stickslip_record::{Frame, Header, RecordError, Recorder, Start, Summary, Trajectory};

/// Bytes of frames that are held: no page shows more of a run than these.
const ROOM: usize = 100 << 20;

/// Takes the steps of a run and keeps as many as there is room for, evenly: when they are too many every second goes, and from
/// then on one in twice as many is kept. The first and the last step are always there, and those asked for by time.
pub struct Sample {
    kept: Trajectory,
    room: usize,
    bytes: usize,
    /// One in so many steps is kept; how many steps there were.
    stride: u64,
    count: u64,
    /// Times whose frames stay, s, in order; the frames about them.
    times: Vec<f64>,
    pinned: Vec<Frame>,
    /// The last step, where it is not kept.
    last: Option<Frame>,
}

impl Default for Sample {
    fn default() -> Self {
        Self::of_size(ROOM)
    }
}

impl Sample {
    /// Keeps about so many bytes of frames.
    #[must_use]
    pub fn of_size(room: usize) -> Self {
        Self {
            kept: Trajectory::new(),
            room,
            bytes: 0,
            stride: 1,
            count: 0,
            times: Vec::new(),
            pinned: Vec::new(),
            last: None,
        }
    }

    /// With the frames just before and just after each of these times (s).
    #[must_use]
    pub fn with_times(mut self, times: &[f64]) -> Self {
        self.times = times.to_vec();
        self
    }

    /// What was kept.
    #[must_use]
    pub const fn trajectory(&self) -> &Trajectory {
        &self.kept
    }

    /// One in how many steps that is.
    #[must_use]
    pub const fn kept_one_in(&self) -> u64 {
        self.stride
    }

    /// Begins with what a trajectory says about itself.
    pub fn begin(&mut self, header: &Header) {
        self.kept.header.clone_from(header);
    }

    /// Takes the next frame.
    pub fn add(&mut self, frame: Frame) {
        let before = self.last.take();
        if let Some(before) = before.as_ref().or(self.kept.frames.last())
            && about_one_of(&self.times, &before.step, &frame.step)
        {
            self.pinned.extend([before.clone(), frame.clone()]);
        }
        let due = self.count.is_multiple_of(self.stride);
        self.count += 1;
        if !due {
            self.last = Some(frame);
            return;
        }
        self.bytes += size(&frame);
        self.kept.frames.push(frame);
        while self.bytes > self.room && self.kept.frames.len() > 2 {
            self.thin();
        }
    }

    /// Every second frame goes.
    fn thin(&mut self) {
        let frames = &mut self.kept.frames;
        if frames.len().is_multiple_of(2) {
            self.last = frames.pop();
        }
        let mut place = 0..;
        frames.retain(|_| place.next().is_some_and(|k: u64| k.is_multiple_of(2)));
        self.stride *= 2;
        self.bytes = frames.iter().map(size).sum();
    }

    /// There are no more.
    pub fn end(&mut self, summary: Option<Summary>, warnings: Vec<String>) {
        self.pinned.extend(self.last.take());
        self.kept.frames.append(&mut self.pinned);
        self.kept.frames.sort_by_key(|frame| frame.step.step);
        self.kept.frames.dedup_by_key(|frame| frame.step.step);
        self.kept.summary = summary;
        self.kept.warnings = warnings;
    }
}

/// Does one of the times lie between the two?
fn about_one_of(times: &[f64], a: &StepRecord, b: &StepRecord) -> bool {
    times.iter().any(|&t| (a.t..=b.t).contains(&t))
}

/// About how many bytes a frame takes.
fn size(frame: &Frame) -> usize {
    let start = frame.start.as_ref().map_or(0, |start| start.bodies.len());
    let step = &frame.step;
    size_of::<Frame>()
        + (start + step.bodies.len()) * size_of::<BodyState>()
        + step.contacts.len() * size_of::<ContactImpulse>()
        + step.joints.len() * size_of::<JointImpulse>()
}

impl Recorder for Sample {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        self.begin(header);
        self.add(Frame {
            start: None,
            step: initial.clone(),
        });
        Ok(())
    }

    fn record(&mut self, _: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        self.add(Frame {
            start: None,
            step: step.clone(),
        });
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        self.end(Some(summary.clone()), Vec::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(steps: u64, room: usize, times: &[f64]) -> (Vec<u64>, u64) {
        let mut sample = Sample::of_size(room).with_times(times);
        for step in 0..=steps {
            sample.add(Frame {
                start: None,
                step: StepRecord {
                    step,
                    t: step as f64,
                    ..StepRecord::default()
                },
            });
        }
        sample.end(None, Vec::new());
        let kept = sample.trajectory().frames.iter().map(|f| f.step.step);
        (kept.collect(), sample.kept_one_in())
    }

    #[test]
    fn a_short_run_is_kept_whole_and_a_long_one_evenly_with_its_ends() {
        let one = size(&Frame::default());
        let (kept, stride) = sample(9, 10 * one, &[]);
        assert_eq!((kept, stride), ((0..=9).collect(), 1));
        let (kept, stride) = sample(1001, 10 * one, &[]);
        assert_eq!(stride, 128);
        assert_eq!(kept, [0, 128, 256, 384, 512, 640, 768, 896, 1001]);
        let (kept, _) = sample(1001, 10 * one, &[500.3, 641.0]);
        let wanted = [
            0, 128, 256, 384, 500, 501, 512, 640, 641, 642, 768, 896, 1001,
        ];
        assert_eq!(kept, wanted);
    }
}
