//! The signs that steps are too long, and their words.

use std::f64::consts::PI;
use std::fmt;

use stickslip_model::words::{three_digits, time};

/// A sign that the steps are too long for what they are to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// A body turns far in one step.
    Turn {
        /// Whose.
        body: String,
        /// The largest turn, rad.
        angle: f64,
        /// When, s.
        t: f64,
    },
    /// Two bodies bounce on each other in few steps.
    Bounce {
        /// Which.
        bodies: [String; 2],
        /// Steps of the longest bounce.
        steps: f64,
    },
    /// A spring swings, and the step damps it.
    Spring {
        /// Which.
        spring: String,
        /// Its period, s.
        period: f64,
        /// In steps.
        steps: f64,
        /// Part of the swing that is lost each period beyond what its damper takes.
        lost: f64,
    },
    /// A prescribed body moves to and fro in few steps.
    Motion {
        /// Which.
        body: String,
        /// Mean time between two reversals the same way, s.
        period: f64,
        /// In steps.
        steps: f64,
    },
    /// Bodies overlap.
    Overlap {
        /// How deep, m.
        depth: f64,
        /// Half of the thickness of the thinnest body in contact then, m.
        thickness: f64,
        /// When, s.
        t: f64,
    },
}

impl Doubt {
    /// A word for programs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Turn { .. } => "turn",
            Self::Bounce { .. } => "bounce",
            Self::Spring { .. } => "spring",
            Self::Motion { .. } => "motion",
            Self::Overlap { .. } => "overlap",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn { body, angle, t } => write!(
                f,
                "\"{body}\" turns {angle:.2} rad in the step to t = {} s: {:.0} steps a turn",
                time(*t),
                2.0 * PI / angle
            ),
            Self::Bounce {
                bodies: [a, b],
                steps,
            } => write!(
                f,
                // What bounces stands after what it bounces on.
                "no bounce of \"{b}\" and \"{a}\" takes more than {steps:.0} steps: each begins up to a step late"
            ),
            Self::Spring {
                spring,
                period,
                steps,
                lost,
            } => write!(
                f,
                "\"{spring}\" swings with a period of {} s, {steps:.1} steps: they take {:.0} % of its swing each period",
                three_digits(*period),
                100.0 * lost
            ),
            Self::Motion {
                body,
                period,
                steps,
            } => write!(
                f,
                "\"{body}\" moves to and fro every {} s, in {steps:.1} steps",
                three_digits(*period)
            ),
            Self::Overlap {
                depth,
                thickness,
                t,
            } => write!(
                f,
                "bodies overlap by {depth:.1e} m at t = {} s: {} of the thinnest there",
                time(*t),
                share(depth / thickness)
            ),
        }
    }
}

/// A share as people say it.
fn share(of: f64) -> String {
    if of < 10.0 {
        format!("{:.1} %", 100.0 * of)
    } else {
        format!("{of:.0e} times the thickness")
    }
}
