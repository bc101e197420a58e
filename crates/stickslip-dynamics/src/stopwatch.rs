//! Where the time of a step goes.

use std::time::{Duration, Instant};

/// The parts of a step whose time is measured, in order. (Stages are those of `auto`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lap {
    /// Forces, prescribed motions and ν_free.
    Predict,
    /// Broad and narrow phase.
    Contacts,
    /// M, W, b.
    Assemble,
    /// Impulses.
    Solve,
    /// Next states and modes.
    Integrate,
    /// The second look for missed contacts.
    SecondLook,
    /// The certificate.
    Judge,
    /// The record becomes the world's state.
    Accept,
}

impl Lap {
    /// All stages, in order.
    pub const ALL: [Self; 8] = [
        Self::Predict,
        Self::Contacts,
        Self::Assemble,
        Self::Solve,
        Self::Integrate,
        Self::SecondLook,
        Self::Judge,
        Self::Accept,
    ];

    /// Name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Contacts => "contacts",
            Self::Assemble => "assemble",
            Self::Solve => "solve",
            Self::Integrate => "integrate",
            Self::SecondLook => "second look",
            Self::Judge => "judge",
            Self::Accept => "accept",
        }
    }
}

/// Time spent in each stage since the measuring began. Off (and free) unless asked for.
#[derive(Clone, Debug, Default)]
pub struct Stopwatch {
    /// Sum for each [`Lap`], in its order.
    pub spent: [Duration; Lap::ALL.len()],
    last: Option<Instant>,
    on: bool,
}

impl Stopwatch {
    /// A running one.
    pub(crate) fn running() -> Self {
        Self {
            on: true,
            ..Self::default()
        }
    }

    /// A step begins; from now on all time is some stage's.
    pub(crate) fn start(&mut self) {
        if self.on {
            self.last = Some(Instant::now());
        }
    }

    /// The step is over: what is done until the next one begins is no stage's.
    pub(crate) const fn stop(&mut self) {
        self.last = None;
    }

    /// The stage ends: the time since the last call is its.
    pub(crate) fn lap(&mut self, stage: Lap) {
        if let Some(last) = self.last {
            let now = Instant::now();
            self.spent[stage as usize] += now - last;
            self.last = Some(now);
        }
    }
}
