//! The time-stepping methods, each a driver around the one certified step: those with a fixed step in `fixed`, which differ by their
//! `Scheme`; the event loop; and extrapolation.
//!
//! A driver reads the world and returns what is to be accepted; it cannot write the state.

mod driver;
mod event_driven;
mod events;
mod extrapolated;
mod fixed;
mod patience;
mod projection;

pub(crate) use driver::{Driver, Next, Progress};
pub(crate) use event_driven::Loop;
pub(crate) use extrapolated::{Control, places_apart};
pub(crate) use fixed::Grid;
pub(crate) use patience::Patience;
pub use projection::Projections;

/// The names of the methods, as scene files use them.
pub const METHODS: [&str; 5] = [
    "stewart-trinkle",
    "implicit",
    "event-driven",
    "anitescu",
    "extrapolated",
];

/// A time-stepping method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Stewart and Trinkle's: contact frames at the start of the step, velocities at its end.
    #[default]
    StewartTrinkle,
    /// Gaps, frames and levers at the end of the step, iterated.
    Implicit,
    /// Collision times are located, and impacts have two phases of their own.
    EventDriven,
    /// Anitescu's: places move with the old velocity, then velocities obey the constraints of the new places.
    Anitescu,
    /// Stewart and Trinkle's steps extrapolated to higher order, with step size by a wanted error.
    Extrapolated,
}

impl Method {
    /// All methods, in the order of [`METHODS`].
    pub const ALL: [Self; METHODS.len()] = [
        Self::StewartTrinkle,
        Self::Implicit,
        Self::EventDriven,
        Self::Anitescu,
        Self::Extrapolated,
    ];

    /// The name used in scene files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        METHODS[self as usize]
    }

    /// The method of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Is every record a step of length h, or, where one was divided, a part of it?
    #[must_use]
    pub const fn has_fixed_step(self) -> bool {
        matches!(self, Self::StewartTrinkle | Self::Implicit | Self::Anitescu)
    }
}
