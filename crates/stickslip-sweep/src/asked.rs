//! What is asked of each run: a number of its steps, and which of all of them.

use crate::error::SweepError;
use stickslip::dynamics::probe::Probe;
use stickslip::model::{BodyState, Model, StepRecord};
use stickslip::record::{Header, RecordError, Recorder, Start, Summary};

/// Which of the values that a number takes in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// At the end.
    Last,
    /// The largest.
    Max,
    /// The least.
    Min,
    /// The mean over time: each step counts by its length.
    Mean,
}

const TAKES: [(&str, Take); 4] = [
    (".last", Take::Last),
    (".max", Take::Max),
    (".min", Take::Min),
    (".mean", Take::Mean),
];

/// One result of a run: `box.x.last`, `force on box.max`; the last value where nothing is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// As it was asked for: the name of its column.
    pub name: String,
    probe: Probe,
    take: Take,
}

impl Asked {
    /// Reads a name in the words of [`Probe`], with `.last`, `.max`, `.min` or `.mean` after it.
    ///
    /// # Errors
    /// Where the model has no such number.
    pub fn parse(text: &str, model: &Model) -> Result<Self, SweepError> {
        let name = text.trim();
        let taken = TAKES.iter().find_map(|(ending, take)| {
            let probe = Probe::parse(name.strip_suffix(ending)?, model).ok()?;
            Some((probe, *take))
        });
        let (probe, take) = match taken {
            Some(taken) => taken,
            None => {
                // Said of the number itself, without what is taken of it.
                let ending = TAKES
                    .iter()
                    .find_map(|(ending, _)| name.strip_suffix(ending));
                (Probe::parse(ending.unwrap_or(name), model)?, Take::Last)
            }
        };
        Ok(Self {
            name: name.to_owned(),
            probe,
            take,
        })
    }

    /// Its unit.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.probe.unit()
    }
}

/// Looks at every step of a run and keeps what is asked for.
pub(crate) struct Watch<'a> {
    model: &'a Model,
    asked: &'a [Asked],
    seen: Vec<Seen>,
    /// The states at the end of the last step, where somebody looks back.
    before: Option<Vec<BodyState>>,
}

/// What has been seen of one number.
#[derive(Clone, Debug)]
struct Seen {
    last: Option<f64>,
    max: f64,
    min: f64,
    /// ∫ x dt and the time over which it was taken, s.
    sum: f64,
    time: f64,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(model: &'a Model, asked: &'a [Asked]) -> Self {
        let nothing = Seen {
            last: None,
            max: f64::NEG_INFINITY,
            min: f64::INFINITY,
            sum: 0.0,
            time: 0.0,
        };
        Self {
            model,
            asked,
            seen: vec![nothing; asked.len()],
            before: None,
        }
    }

    fn look(&mut self, step: &StepRecord) {
        for (asked, seen) in self.asked.iter().zip(&mut self.seen) {
            if let Some(x) = asked.probe.of(self.model, self.before.as_deref(), step) {
                seen.last = Some(x);
                seen.max = seen.max.max(x);
                seen.min = seen.min.min(x);
                seen.sum += x * step.h;
                seen.time += step.h;
            }
        }
        if self.asked.iter().any(|asked| asked.probe.looks_back()) {
            self.before = Some(step.bodies.clone());
        }
    }

    /// The results; `None` where a number was never there.
    pub(crate) fn results(&self) -> Vec<Option<f64>> {
        let result = |(asked, seen): (&Asked, &Seen)| {
            let last = seen.last?;
            Some(match asked.take {
                Take::Last => last,
                Take::Max => seen.max,
                Take::Min => seen.min,
                Take::Mean if seen.time > 0.0 => seen.sum / seen.time,
                Take::Mean => last,
            })
        };
        self.asked.iter().zip(&self.seen).map(result).collect()
    }
}

impl Recorder for Watch<'_> {
    fn start(&mut self, _: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        self.look(initial);
        Ok(())
    }

    fn record(&mut self, _: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        self.look(step);
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), RecordError> {
        Ok(())
    }
}
