//! Where the time of a step goes.

use std::time::{Duration, Instant};

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
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
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 7] = [
        Self::Predict,
        Self::Contacts,
        Self::Assemble,
        Self::Solve,
        Self::Integrate,
        Self::SecondLook,
        Self::Judge,
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
        }
    }
}

/// Time spent in each stage since the measuring began. Off (and free) unless asked for.
#[derive(Clone, Debug, Default)]
pub struct Stopwatch {
    /// Sum for each [`Stage`], in its order.
    pub spent: [Duration; Stage::ALL.len()],
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

    /// The step begins.
    pub(crate) fn start(&mut self) {
        if self.on {
            self.last = Some(Instant::now());
        }
    }

    /// The stage ends: the time since the last call is its.
    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(last) = self.last {
            let now = Instant::now();
            self.spent[stage as usize] += now - last;
            self.last = Some(now);
        }
    }
}
