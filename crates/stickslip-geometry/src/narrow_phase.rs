//! Future contacts.
/// Which features of two shapes meet: identifies a contact from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Feature(pub u32);
/// Placeholder.
pub struct Candidate;
/// Placeholder.
pub struct Moving;
