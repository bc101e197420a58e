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
    Table(Box<Table>),
}

/// Values at given times, with straight lines between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Rising times, s; at least two.
    pub times: Vec<f64>,
    /// As many values.
    pub values: Vec<f64>,
    /// Does it begin again at its end?
    pub repeats: bool,
}

impl Table {
    /// Value and rate at time `t`; before the first time and after the last one the value stays, unless it repeats.
    fn jet(&self, t: f64) -> Jet {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let t = match self.repeats {
            true => {
                first
                    + libm::fmod(
                        libm::fmod(t - first, last - first) + (last - first),
                        last - first,
                    )
            }
            false => t,
        };
        let k = self.times.partition_point(|at| *at <= t);
        if k == 0 {
            return Jet::constant(self.values[0]);
        }
        if k == self.times.len() {
            return Jet::constant(self.values[k - 1]);
        }
        let slope = (self.values[k] - self.values[k - 1]) / (self.times[k] - self.times[k - 1]);
        Jet {
            value: self.values[k - 1] + slope * (t - self.times[k - 1]),
            rate: slope,
            second: 0.0,
        }
    }
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

    /// Values at given times, with straight lines between them; nothing where the times do not rise, are not as many, or a number is
    /// not finite.
    #[must_use]
    pub fn table(table: Table) -> Option<Self> {
        let rises = table.times.windows(2).all(|w| w[0] < w[1]);
        let numbers = table.times.iter().chain(&table.values);
        let good = rises
            && table.times.len() > 1
            && table.times.len() == table.values.len()
            && numbers.clone().all(|x| x.is_finite());
        good.then(|| Self(Form::Table(Box::new(table))))
    }

    /// The table, if it is one.
    #[must_use]
    pub fn as_table(&self) -> Option<&Table> {
        match &self.0 {
            Form::Table(table) => Some(table),
            _ => None,
        }
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
            // A table is no formula; who prints one looks for it first.
            Form::Table(table) => Cow::Owned(vec![Step::Constant(table.values[0])]),
        }
    }

    /// The value, if the formula does not contain the time.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        match self.0 {
            Form::Constant(value) => Some(value),
            Form::Code { .. } | Form::Table(_) => None,
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
            Form::Table(table) => table.jet(t).value,
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
            Form::Table(table) => table.jet(t),
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
