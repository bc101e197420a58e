//! Formulas of time alone, ready to be evaluated.

use std::borrow::Cow;

use super::STATE_NAMES;
use super::code::Step;
use super::jet::Jet;

/// The most intermediate results a formula may need at once.
pub(super) const STACK: usize = 64;

/// A formula in which only the time is unknown (and, in the formula of a force, a body's state).
#[derive(Clone, Debug, PartialEq)]
pub struct Function(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Constant(f64),
    Code { steps: Box<[Step]>, depth: usize },
}

impl Default for Function {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl From<f64> for Function {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl Function {
    /// A function with the same value at all times.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self(Form::Constant(value))
    }

    /// From postfix code that leaves one result; nothing if it ever holds more than [`STACK`].
    pub(super) fn from_steps(steps: Vec<Step>) -> Option<Self> {
        let (mut height, mut depth) = (0_usize, 0);
        for step in &steps {
            if let Step::Apply(operator) = step {
                height -= operator.arity();
            }
            height += 1;
            depth = depth.max(height);
        }
        let steps = steps.into();
        (depth <= STACK).then_some(Self(Form::Code { steps, depth }))
    }

    /// The function as postfix code.
    pub(super) fn steps(&self) -> Cow<'_, [Step]> {
        match &self.0 {
            Form::Constant(value) => Cow::Owned(vec![Step::Constant(*value)]),
            Form::Code { steps, .. } => Cow::Borrowed(steps),
        }
    }

    /// The value, if the formula does not contain the time.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        match self.0 {
            Form::Constant(value) => Some(value),
            Form::Code { .. } => None,
        }
    }

    /// The value at time `t` (s). It may be infinite or NaN where the formula is.
    #[must_use]
    pub fn value(&self, t: f64) -> f64 {
        self.jet(t).value
    }

    /// The value at time `t` (s) and a body's state, whose numbers are in the order of
    /// [`STATE_NAMES`].
    #[must_use]
    pub fn value_at(&self, t: f64, state: &[f64; STATE_NAMES.len()]) -> f64 {
        match &self.0 {
            Form::Constant(value) => *value,
            Form::Code { steps, depth } if *depth <= 8 => run::<8>(steps, t, state).value,
            Form::Code { steps, .. } => run::<STACK>(steps, t, state).value,
        }
    }

    /// Value, rate and second derivative at time `t` (s): exact derivatives of the formula, from the
    /// right where it has a corner. No memory is allocated.
    #[must_use]
    pub fn jet(&self, t: f64) -> Jet {
        match &self.0 {
            Form::Constant(value) => Jet::constant(*value),
            Form::Code { steps, depth } if *depth <= 8 => run::<8>(steps, t, &NO_STATE),
            Form::Code { steps, .. } => run::<STACK>(steps, t, &NO_STATE),
        }
    }
}

/// The state of a formula that does not use one.
const NO_STATE: [f64; STATE_NAMES.len()] = [0.0; STATE_NAMES.len()];

/// Runs postfix code on a stack of N results.
fn run<const N: usize>(steps: &[Step], t: f64, state: &[f64; STATE_NAMES.len()]) -> Jet {
    let mut stack = [Jet::default(); N];
    let mut height = 0;
    for step in steps {
        let result = match step {
            Step::Constant(value) => Jet::constant(*value),
            Step::Time => Jet::time(t),
            Step::State(k) => Jet::constant(state[*k]),
            Step::Apply(operator) => {
                let operands = operator.arity();
                height -= operands;
                operator.apply(&stack[height..height + operands])
            }
        };
        stack[height] = result;
        height += 1;
    }
    stack[0]
}
