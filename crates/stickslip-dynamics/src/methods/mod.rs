//! The time-stepping methods, each a driver around the one certified step.

/// The names of the methods, as scene files use them.
pub const METHODS: [&str; 1] = ["stewart-trinkle"];

/// A time-stepping method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Stewart and Trinkle's: contact frames at the start of the step, velocities at its end.
    #[default]
    StewartTrinkle,
}

impl Method {
    /// All methods, in the order of [`METHODS`].
    pub const ALL: [Self; METHODS.len()] = [Self::StewartTrinkle];

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
}
