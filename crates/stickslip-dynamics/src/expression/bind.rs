//! Binding names to numbers and folding what is constant.

use std::collections::BTreeMap;

use stickslip_random::Random;

use super::code::{Draw, Item, Operator, Step};
use super::function::{Function, STACK};
use super::jet::Jet;
use super::nearest::nearest;
use super::{BUILT_IN, Expression, ExpressionError, STATE_NAMES, Span};

/// What the names in a formula stand for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// The scene's parameters.
    pub(super) parameters: Option<&'a BTreeMap<String, f64>>,
    /// The index of the body, where there is one.
    pub(super) index: Option<f64>,
    /// Whether the time `t` may be used.
    pub(super) time: bool,
    /// Whether a body's state may be used.
    pub(super) state: bool,
    /// The seed of the formula's random numbers, where it may draw some.
    pub(super) seed: Option<u64>,
}

impl<'a> Scope<'a> {
    /// A scope that knows these parameters, and neither time nor index.
    #[must_use]
    pub fn new(parameters: &'a BTreeMap<String, f64>) -> Self {
        Self {
            parameters: Some(parameters),
            index: None,
            time: false,
            state: false,
            seed: None,
        }
    }

    /// The same scope with the index `i` known.
    #[must_use]
    pub fn with_index(mut self, index: f64) -> Self {
        self.index = Some(index);
        self
    }

    /// The same scope with the time `t` allowed.
    #[must_use]
    pub fn with_time(mut self) -> Self {
        self.time = true;
        self
    }

    /// The same scope with the state of a body allowed: [`super::STATE_NAMES`].
    #[must_use]
    pub fn with_state(mut self) -> Self {
        self.state = true;
        self
    }

    /// The same scope with random numbers from this seed: each formula draws from it anew.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Whether the index `i` is known.
    #[must_use]
    pub fn knows_index(&self) -> bool {
        self.index.is_some()
    }

    /// Whether a body's state may be used.
    #[must_use]
    pub fn knows_state(&self) -> bool {
        self.state
    }

    fn look_up(&self, name: &str, span: &Span) -> Result<Step, ExpressionError> {
        match name {
            "pi" => return Ok(Step::Constant(std::f64::consts::PI)),
            "t" if self.time => return Ok(Step::Time),
            "t" => {
                let message = "`t` cannot be used here: this number does not change in time; formulas of t belong in a `motion`, a `[[force]]`, a motor or a surface";
                return Err(ExpressionError::new(span.clone(), message));
            }
            "i" => {
                let missing = "`i` is known only in an entry that has `count`";
                let missing = || ExpressionError::new(span.clone(), missing);
                return self.index.map(Step::Constant).ok_or_else(missing);
            }
            _ => {}
        }
        // A parameter hides a number of the state.
        let state = STATE_NAMES.iter().position(|known| *known == name);
        match self.parameters.and_then(|known| known.get(name)) {
            None if state.is_some() && self.state => Ok(Step::State(state.unwrap_or(0))),
            Some(&value) => Ok(Step::Constant(value)),
            None => Err(self.unknown(name, span)),
        }
    }

    fn unknown(&self, name: &str, span: &Span) -> ExpressionError {
        let parameters = self.parameters.into_iter().flat_map(BTreeMap::keys);
        let state = STATE_NAMES.iter().copied().filter(|_| self.state);
        let known = parameters.map(String::as_str).chain(BUILT_IN).chain(state);
        let error = ExpressionError::new(span.clone(), format!("unknown name `{name}`"));
        match nearest(name, known) {
            Some(meant) => error.with_help(format!("did you mean `{meant}`?")),
            None => error.with_help("names come from [parameters]; `t`, `i` and `pi` are built in"),
        }
    }
}

/// An operand during folding: a constant with the piece to blame if it is not finite, or code.
enum Operand {
    Constant { value: f64, blame: Option<Span> },
    Code,
}

impl Expression {
    /// Binds the names to the numbers of a scope and folds what is constant.
    ///
    /// # Errors
    /// Where a name is unknown, the formula needs more than 64 intermediate results at once, or it
    /// is constant but no finite number, such as 1/0.
    pub fn bind(&self, scope: &Scope<'_>) -> Result<Function, ExpressionError> {
        let mut steps: Vec<Step> = Vec::new();
        let mut stack: Vec<Operand> = Vec::new();
        let mut random = scope.seed.map(Random::new);
        for (item, span) in &self.code {
            let step = match item {
                Item::Number(value) => Step::Constant(*value),
                Item::Name(name) => scope.look_up(name, span)?,
                Item::Draw(draw) => {
                    Step::Constant(drawn(*draw, span, random.as_mut(), &mut steps, &mut stack)?)
                }
                Item::Apply(operator) => {
                    apply(*operator, span, &mut steps, &mut stack);
                    continue;
                }
            };
            stack.push(match step {
                Step::Constant(value) => Operand::Constant { value, blame: None },
                Step::Time | Step::State(_) | Step::Apply(_) => Operand::Code,
            });
            steps.push(step);
        }
        match stack.first() {
            Some(Operand::Constant { value, blame }) if !value.is_finite() => {
                let span = blame.clone().unwrap_or_else(|| self.span());
                let message = format!("this is not a finite number but {value}");
                Err(ExpressionError::new(span, message))
            }
            Some(Operand::Constant { value, .. }) => Ok(Function::constant(*value)),
            _ => Function::from_steps(steps).ok_or_else(|| {
                let message = format!("this needs more than {STACK} intermediate results at once");
                let error = ExpressionError::new(self.span(), message);
                error.with_help("put parts of the formula into [parameters]")
            }),
        }
    }

    /// From the first to the last piece of the formula.
    fn span(&self) -> Span {
        let start = self.code.iter().map(|(_, span)| span.start).min();
        let end = self.code.iter().map(|(_, span)| span.end).max();
        start.unwrap_or(0)..end.unwrap_or(0)
    }
}

/// A random number, whose two operands are taken off the stack.
fn drawn(
    draw: Draw,
    span: &Span,
    random: Option<&mut Random>,
    steps: &mut Vec<Step>,
    stack: &mut Vec<Operand>,
) -> Result<f64, ExpressionError> {
    let refused = |message: &str| Err(ExpressionError::new(span.clone(), message));
    let Some(random) = random else {
        return refused("random numbers are drawn in the formulas of a [[body]] only");
    };
    let operands = stack.split_off(stack.len() - 2);
    let [
        Operand::Constant { value: a, .. },
        Operand::Constant { value: b, .. },
    ] = operands[..]
    else {
        return refused("a random number is drawn once: its bounds cannot change in time");
    };
    // Each constant is one step.
    steps.truncate(steps.len() - 2);
    match draw {
        Draw::Uniform if a > b => {
            refused("`uniform(a, b)` is between a and b, and a must not be the larger")
        }
        Draw::Uniform => Ok(random.between(a, b)),
        Draw::Normal if b < 0.0 => {
            refused("`normal(m, s)` has the standard deviation s, which must not be negative")
        }
        Draw::Normal => Ok(a + b * random.normal()),
    }
}

/// Folds an operator whose operands are all constant; appends it to the code otherwise.
fn apply(operator: Operator, span: &Span, steps: &mut Vec<Step>, stack: &mut Vec<Operand>) {
    let operands = stack.split_off(stack.len() - operator.arity());
    let mut values = [Jet::default(); 3];
    let mut first_blame = None;
    let mut constant = true;
    for (slot, operand) in values.iter_mut().zip(&operands) {
        match operand {
            Operand::Constant { value, blame } => {
                *slot = Jet::constant(*value);
                first_blame = first_blame.or_else(|| blame.clone());
            }
            Operand::Code => constant = false,
        }
    }
    if constant {
        let value = operator.apply(&values[..operands.len()]).value;
        let blame = (!value.is_finite()).then(|| first_blame.unwrap_or_else(|| span.clone()));
        steps.truncate(steps.len() - operands.len()); // each constant is one step
        steps.push(Step::Constant(value));
        stack.push(Operand::Constant { value, blame });
    } else {
        steps.push(Step::Apply(operator));
        stack.push(Operand::Code);
    }
}
