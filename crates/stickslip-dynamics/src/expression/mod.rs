//! Formulas in scene files: numbers written as expressions of the time `t`, the index `i` of a
//! counted body, `pi`, and the scene's parameters.
//!
//! A formula goes through three forms: its text; an [`Expression`], parsed, with the place of every
//! piece; and a [`Function`] of time alone, with everything else bound and folded, that gives value,
//! rate and second derivative without allocation.
//!
//! ```
//! use stickslip_dynamics::expression::{Expression, Scope};
//!
//! let motion = Expression::parse("0.002*cos(2*pi*33*t)")?;
//! let motion = motion.bind(&Scope::default().with_time())?;
//! let jet = motion.jet(0.0);
//! assert_eq!((jet.value, jet.rate), (0.002, 0.0));
//! # Ok::<(), stickslip_dynamics::expression::ExpressionError>(())
//! ```

mod bind;
mod code;
mod function;
mod jet;
mod lexer;
mod nearest;
mod parameters;
mod parser;
mod print;

pub use bind::Scope;
pub use function::{Function, Table};
pub use jet::Jet;
pub(crate) use nearest::nearest;
pub use parameters::resolve;

use code::Item;

/// A range of bytes in the text of a formula.
pub type Span = std::ops::Range<usize>;

/// The most numbers, names and operators a formula may have.
pub const MAX_ITEMS: usize = 10_000;

/// The longest formula accepted, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// The bytes of the formula that are wrong.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl ExpressionError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A formula that has been parsed; its names are not bound yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    code: Vec<(Item, Span)>,
}

impl Expression {
    /// Parses a formula.
    ///
    /// # Errors
    /// Where the text is no formula, is nested too deeply, or has more than [`MAX_ITEMS`] pieces.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if text.len() > MAX_LENGTH {
            let message = format!("this formula is longer than {MAX_LENGTH} bytes");
            return Err(ExpressionError::new(0..0, message));
        }
        let code = parser::parse(text)?;
        match code.get(MAX_ITEMS) {
            None => Ok(Self { code }),
            Some((_, span)) => {
                let message =
                    format!("this formula has more than {MAX_ITEMS} numbers, names and operators");
                Err(ExpressionError::new(span.clone(), message))
            }
        }
    }

    /// The formula that is just a number.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self {
            code: vec![(Item::Number(value), 0..0)],
        }
    }

    /// The names the formula uses, each with its place, in the order of evaluation.
    pub fn names(&self) -> impl Iterator<Item = (&str, Span)> {
        self.code.iter().filter_map(|(item, span)| match item {
            Item::Name(name) => Some((&**name, span.clone())),
            Item::Number(_) | Item::Apply(_) | Item::Draw(_) => None,
        })
    }

    /// The number a formula stands for, when it depends on neither time nor index.
    ///
    /// # Errors
    /// As [`Expression::bind`], and where the formula depends on time.
    pub fn number(&self, scope: &Scope<'_>) -> Result<f64, ExpressionError> {
        let mut scope = *scope;
        scope.time = false;
        scope.state = false;
        Ok(self.bind(&scope)?.value(0.0))
    }
}

/// The names of a body's state in the formulas of its forces: position (m), velocity (m/s), unit quaternion
/// (scalar first), angular velocity (rad/s), world frame.
pub const STATE_NAMES: [&str; 13] = [
    "x", "y", "z", "vx", "vy", "vz", "qs", "qx", "qy", "qz", "wx", "wy", "wz",
];

/// The names a formula always knows besides the functions.
const BUILT_IN: [&str; 3] = ["i", "pi", "t"];

/// Says why `name` cannot be the name of a parameter, if it cannot.
#[must_use]
pub fn refused_as_parameter(name: &str) -> Option<&'static str> {
    let mut letters = name.chars();
    let begins_well = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !begins_well || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some("a parameter's name is letters, digits and `_`, and begins with no digit");
    }
    if BUILT_IN.contains(&name) {
        return Some("`t` (time), `i` (index) and `pi` have their own meaning in formulas");
    }
    if code::is_function(name) {
        return Some("this is the name of a function");
    }
    None
}
