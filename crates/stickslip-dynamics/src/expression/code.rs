//! Formulas as postfix code: operands and operators in the order in which they are evaluated.
//!
//! There is no tree: the parser writes postfix directly, so that a formula of a million terms needs
//! no recursion to fold, compile, run or drop.

use super::jet::Jet;

/// An operation on one, two or three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Mod,
    If,
    Abs,
    Min,
    Max,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sqrt,
    Exp,
    Ln,
    Floor,
}

/// A random number, drawn when the formula is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// Uniform between two numbers.
    Uniform,
    /// Normal, by mean and standard deviation.
    Normal,
}

/// The functions that draw, by name; both take two arguments.
pub(super) const DRAWS: [(&str, Draw); 2] = [("normal", Draw::Normal), ("uniform", Draw::Uniform)];

/// The functions a formula may call, by name.
pub(super) const FUNCTIONS: [(&str, Operator); 15] = [
    ("abs", Operator::Abs),
    ("acos", Operator::Acos),
    ("asin", Operator::Asin),
    ("atan", Operator::Atan),
    ("cos", Operator::Cos),
    ("exp", Operator::Exp),
    ("floor", Operator::Floor),
    ("if", Operator::If),
    ("ln", Operator::Ln),
    ("max", Operator::Max),
    ("min", Operator::Min),
    ("mod", Operator::Mod),
    ("sin", Operator::Sin),
    ("sqrt", Operator::Sqrt),
    ("tan", Operator::Tan),
];

/// Is this the name of a function?
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|f| f.0 == name) || DRAWS.iter().any(|f| f.0 == name)
}

impl Operator {
    /// The number of operands taken from the stack.
    pub(super) fn arity(self) -> usize {
        use Operator as O;
        match self {
            O::If => 3,
            O::Add | O::Sub | O::Mul | O::Div | O::Pow => 2,
            O::Less | O::LessEqual | O::Greater | O::GreaterEqual => 2,
            O::Mod | O::Min | O::Max => 2,
            O::Neg | O::Abs | O::Sin | O::Cos | O::Tan | O::Asin | O::Acos | O::Atan => 1,
            O::Sqrt | O::Exp | O::Ln | O::Floor => 1,
        }
    }

    /// Applies the operator to its operands, of which there are `arity()`.
    pub(super) fn apply(self, x: &[Jet]) -> Jet {
        use Operator as O;
        match self {
            O::Neg => x[0].neg(),
            O::Add => x[0].add(x[1]),
            O::Sub => x[0].sub(x[1]),
            O::Mul => x[0].mul(x[1]),
            O::Div => x[0].div(x[1]),
            O::Pow => x[0].pow(x[1]),
            O::Less => Jet::truth(x[0].value < x[1].value),
            O::LessEqual => Jet::truth(x[0].value <= x[1].value),
            O::Greater => Jet::truth(x[0].value > x[1].value),
            O::GreaterEqual => Jet::truth(x[0].value >= x[1].value),
            O::Mod => x[0].modulo(x[1]),
            O::If => x[if x[0].value != 0.0 { 1 } else { 2 }],
            O::Abs => x[0].abs(),
            O::Min => x[0].min(x[1]),
            O::Max => x[0].max(x[1]),
            O::Sin => x[0].sin(),
            O::Cos => x[0].cos(),
            O::Tan => x[0].tan(),
            O::Asin => x[0].asin(),
            O::Acos => x[0].acos(),
            O::Atan => x[0].atan(),
            O::Sqrt => x[0].sqrt(),
            O::Exp => x[0].exp(),
            O::Ln => x[0].ln(),
            O::Floor => x[0].floor(),
        }
    }
}

/// One piece of a formula as written: a number, a name or an operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Number(f64),
    Name(Box<str>),
    Apply(Operator),
    Draw(Draw),
}

/// One piece of a bound formula, in which only the time (and a body's state) is unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Constant(f64),
    Time,
    /// One of the numbers of [`super::STATE_NAMES`].
    State(usize),
    Apply(Operator),
}
