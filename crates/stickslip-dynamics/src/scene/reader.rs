//! Numbers, vectors and functions from the values of the document.

use glam::DVec3;

use super::files::Files;
use super::node::{Fault, Node, Outcome, Value};
use super::table::Table;
use crate::expression::{Expression, Function, Scope, nearest};
use stickslip_random::Random;

/// Reads values with a given meaning of the names in formulas.
#[derive(Clone, Copy)]
pub(super) struct Reader<'p> {
    pub(super) scope: Scope<'p>,
    /// The files the scene names.
    pub(super) files: &'p Files,
    /// Where random numbers come from, in the entry of a body.
    pub(super) draws: Option<Draws<'p>>,
}

/// Where the random numbers of a body come from: the scene's seed and the body's name, and for each of its formulas the place in the order of its
/// entry. No other entry changes them, and a formula that is read twice has the same ones.
#[derive(Clone, Copy)]
pub(super) struct Draws<'p> {
    pub(super) seed: u64,
    /// Where the texts of the entry begin, rising.
    pub(super) texts: &'p [usize],
}

impl<'p> Draws<'p> {
    /// Those of the body of this name.
    pub(super) fn of(self, name: &str) -> Self {
        let seed = name
            .bytes()
            .fold(mixed(self.seed), |s, byte| mixed(s ^ u64::from(byte)));
        Self { seed, ..self }
    }

    /// The seed of one formula.
    fn of_formula(&self, node: &Node) -> u64 {
        let place = self
            .texts
            .partition_point(|&start| start < node.place.span.start);
        mixed(self.seed ^ place as u64)
    }
}

fn mixed(seed: u64) -> u64 {
    Random::new(seed).bits()
}

impl Reader<'_> {
    /// What the names of this formula stand for.
    fn scope_of(&self, node: &Node) -> Scope<'_> {
        match &self.draws {
            Some(draws) => self.scope.with_seed(draws.of_formula(node)),
            None => self.scope,
        }
    }

    /// A finite number, given as such or as a formula constant in time.
    pub(super) fn number(&self, node: &Node) -> Outcome<f64> {
        match &node.value {
            Value::Number(value) => finite(node, *value),
            Value::Text(text) => text
                .formula()
                .map_err(|error| node.formula_fault(error))?
                .number(&self.scope_of(node))
                .map_err(|error| node.formula_fault(&error)),
            _ => {
                let message = format!("expected a number or a formula, found {}", node.kind());
                Err(Fault::new(&node.place, message))
            }
        }
    }

    /// A function of time that is finite, with its derivatives, at t = 0.
    pub(super) fn function(&self, node: &Node) -> Outcome<Function> {
        let Value::Text(text) = &node.value else {
            return self.number(node).map(Function::constant);
        };
        let function = text
            .formula()
            .map_err(|error| node.formula_fault(error))?
            .bind(&self.scope_of(node).with_time())
            .map_err(|error| node.formula_fault(&error))?;
        // What a formula of a body's state is at the start is not known yet: the step looks.
        if self.scope.knows_state() {
            return Ok(function);
        }
        let jet = function.jet(0.0);
        if jet.is_finite() {
            return Ok(function);
        }
        let message = if jet.value.is_finite() {
            format!(
                "the derivatives of this formula at t = 0 are not finite: {} and {}",
                jet.rate, jet.second
            )
        } else {
            format!("at t = 0 this is not a finite number but {}", jet.value)
        };
        Err(Fault::new(&node.place, message))
    }

    /// A number above zero.
    pub(super) fn positive(&self, node: &Node, what: &str) -> Outcome<f64> {
        let value = self.number(node)?;
        if is_positive(value) {
            return Ok(value);
        }
        let message = if value > 0.0 {
            format!("{what} is too small to compute with: {}", shown(value))
        } else {
            format!("{what} must be positive, but is {}", shown(value))
        };
        Err(Fault::new(&node.place, message))
    }

    /// A number at or above zero.
    pub(super) fn not_negative(&self, node: &Node, what: &str) -> Outcome<f64> {
        let value = self.number(node)?;
        if value >= 0.0 {
            return Ok(value);
        }
        let message = format!("{what} must not be negative, but is {}", shown(value));
        Err(Fault::new(&node.place, message))
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(&self, node: &Node, what: &str, least: u32, most: u32) -> Outcome<u32> {
        let value = self.number(node)?;
        if value.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(&value) {
            return Ok(value as u32);
        }
        let value = shown(value);
        let message =
            format!("{what} must be a whole number from {least} to {most}, but is {value}");
        Err(Fault::new(&node.place, message))
    }

    /// A name; in a counted entry the number in its brackets may be a formula of the index, `link[i + 1]`.
    pub(super) fn indexed(&self, node: &Node, expected: &str) -> Outcome<String> {
        let name = text(node, expected)?;
        let inner = name.strip_suffix(']').and_then(|rest| rest.split_once('['));
        let Some((base, formula)) = inner.filter(|_| self.scope.knows_index()) else {
            return Ok(name.to_owned());
        };
        let value = Expression::parse(formula).and_then(|f| f.number(&self.scope));
        let value =
            value.map_err(|e| Fault::new(&node.place, format!("`{name}`: {}", e.message)))?;
        if value.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&value) {
            let message = format!("`{name}`: the number in the brackets is {}", shown(value));
            return Err(Fault::new(&node.place, message));
        }
        Ok(format!("{base}[{}]", value as u32))
    }

    /// Does something once, or `count` times with the index known; faults say for which index.
    pub(super) fn counted(
        &self,
        table: &Table<'_>,
        mut each: impl FnMut(&Self, Option<u32>) -> Outcome<()>,
    ) -> Outcome<()> {
        let Some(count) = table.get("count") else {
            return each(self, None);
        };
        for index in 0..self.whole(count, "`count`", 1, super::MAX_BODIES as u32)? {
            let reader = Reader {
                scope: self.scope.with_index(f64::from(index)),
                ..*self
            };
            each(&reader, Some(index)).map_err(|mut fault| {
                fault.message = format!("{} (for i = {index})", fault.message);
                fault
            })?;
        }
        Ok(())
    }

    /// Three numbers.
    pub(super) fn vector(&self, node: &Node) -> Outcome<DVec3> {
        let [x, y, z] = three(node)?;
        Ok(DVec3::new(
            self.number(x)?,
            self.number(y)?,
            self.number(z)?,
        ))
    }

    /// Three numbers, or the default where the key is absent.
    pub(super) fn vector_or(&self, table: &Table<'_>, key: &str, other: DVec3) -> Outcome<DVec3> {
        table.get(key).map_or(Ok(other), |node| self.vector(node))
    }

    /// A direction: three numbers, not all zero, made a unit vector.
    pub(super) fn direction(&self, node: &Node, what: &str) -> Outcome<DVec3> {
        let given = self.vector(node)?;
        if is_unit(given.length_squared()) {
            return Ok(given);
        }
        let largest = given.abs().max_element();
        if largest > 0.0
            && let Some(unit) = (given / largest).try_normalize()
        {
            return Ok(unit);
        }
        let message = format!("{what} must not be zero: it gives a direction");
        Err(Fault::new(&node.place, message))
    }

    /// Three functions of time; zero where the key is absent.
    pub(super) fn functions(&self, table: &Table<'_>, key: &str) -> Outcome<[Function; 3]> {
        let Some(node) = table.get(key) else {
            return Ok(Default::default());
        };
        let [x, y, z] = three(node)?;
        Ok([self.function(x)?, self.function(y)?, self.function(z)?])
    }
}

/// True if this is the squared length of a vector that has been made a unit vector before.
pub(super) fn is_unit(length_squared: f64) -> bool {
    (length_squared - 1.0).abs() <= 16.0 * f64::EPSILON
}

/// True for numbers above zero whose reciprocal is finite too.
pub(super) fn is_positive(value: f64) -> bool {
    value >= f64::MIN_POSITIVE
}

/// A number as messages show it: with an exponent where it would be long without.
pub(super) fn shown(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

fn finite(node: &Node, value: f64) -> Outcome<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    let message = format!("expected a finite number, found {value}");
    Err(Fault::new(&node.place, message))
}

/// The items of an array.
pub(super) fn items<'n>(node: &'n Node, expected: &str) -> Outcome<&'n [Node]> {
    match &node.value {
        Value::Array(items) => Ok(items),
        _ => {
            let message = format!("expected {expected}, found {}", node.kind());
            Err(Fault::new(&node.place, message))
        }
    }
}

/// The tables of an array such as `[[body]]`.
pub(super) fn tables<'n>(node: &'n Node, name: &str) -> Outcome<&'n [Node]> {
    items(node, "an array of tables")
        .map_err(|fault| fault.with_help(format!("write [[{name}]], with two brackets")))
}

/// The three items of an array.
fn three(node: &Node) -> Outcome<&[Node; 3]> {
    let items = items(node, "an array of three numbers [x, y, z]")?;
    items.try_into().map_err(|_| {
        let message = format!("expected three numbers [x, y, z], found {}", items.len());
        Fault::new(&node.place, message)
    })
}

/// The text of a string.
pub(super) fn text<'n>(node: &'n Node, expected: &str) -> Outcome<&'n str> {
    match &node.value {
        Value::Text(text) => Ok(&text.text),
        _ => {
            let message = format!("expected {expected}, found {}", node.kind());
            Err(Fault::new(&node.place, message))
        }
    }
}

/// True or false.
pub(super) fn flag(node: &Node) -> Outcome<bool> {
    match node.value {
        Value::Bool(value) => Ok(value),
        _ => {
            let message = format!("expected true or false, found {}", node.kind());
            Err(Fault::new(&node.place, message))
        }
    }
}

/// What other programs call our joints, motions and solvers.
const ELSEWHERE: [(&str, &str); 14] = [
    ("revolute", "hinge"),
    ("continuous", "hinge"),
    ("prismatic", "slider"),
    ("spherical", "ball"),
    ("ball-and-socket", "ball"),
    ("weld", "fixed"),
    ("rigid", "fixed"),
    ("generic", "six-dof"),
    ("free", "six-dof"),
    ("static", "fixed"),
    ("dynamic", "free"),
    ("pgs", "nsgs"),
    ("gauss-seidel", "nsgs"),
    ("psor", "nsgs"),
];

/// One of a list of names.
pub(super) fn choice(node: &Node, what: &str, known: &[&'static str]) -> Outcome<&'static str> {
    let name = text(node, &format!("the name of a {what}"))?;
    if let Some(found) = known.iter().find(|candidate| **candidate == name) {
        return Ok(found);
    }
    let fault = Fault::new(&node.place, format!("unknown {what} \"{name}\""));
    let ours = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name);
    let ours = ours
        .map(|(_, ours)| *ours)
        .filter(|ours| known.contains(ours));
    let all = format!("known are \"{}\"", known.join("\", \""));
    Err(
        match ours.or_else(|| nearest(name, known.iter().copied())) {
            // What is near in letters need not be what was meant.
            Some(meant) => fault.with_help(format!("did you mean \"{meant}\"? K{}", &all[1..])),
            None => fault.with_help(all),
        },
    )
}
