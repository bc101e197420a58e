//! A problem in one of its two forms.

use crate::problem::ContactProblem;
use crate::problem::local::LocalProblem;

/// A contact problem in one of its two forms.
#[derive(Clone, Copy, Debug)]
pub enum Posed<'a> {
    /// Bodies, contacts, laws.
    Step(&'a ContactProblem),
    /// Reduced to the contacts.
    Local(&'a LocalProblem),
}
