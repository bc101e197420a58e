//! What one run of a sweep came to.

use serde::{Deserialize, Serialize};

/// How a run of a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// At its end, with every step certified.
    #[serde(rename = "certified")]
    Certified,
    /// At its end, with steps that are approximate.
    #[serde(rename = "approximate")]
    Approximate,
    /// Before its end: a step could not be accepted, or its time was over.
    #[serde(rename = "stopped")]
    Stopped,
    /// The scene with these values is none.
    #[serde(rename = "refused input")]
    Refused,
}

impl State {
    /// As tables say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Approximate => "approximate",
            Self::Stopped => "stopped",
            Self::Refused => "refused input",
        }
    }

    /// Did it come to its end?
    #[must_use]
    pub const fn ended(self) -> bool {
        matches!(self, Self::Certified | Self::Approximate)
    }
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// SHA-256 of the scene with its settings and the program's version.
    pub key: String,
    /// Values of the parameters.
    pub values: Vec<String>,
    /// How it ended.
    pub state: State,
    /// Steps computed.
    pub steps: u64,
    /// Largest residual of the law in a step, m/s.
    pub worst: f64,
    /// SHA-256 of all states; empty where there are none.
    pub hash: String,
    /// How long it took, s: the only number that two runs of one key do not share.
    pub seconds: f64,
    /// Why it stopped or was refused.
    pub why: Option<String>,
    /// What was asked for, in its order; `None` where the run has no such number.
    pub results: Vec<Option<f64>>,
}
