//! Functions of time as formulas again.

use std::fmt;

use super::STATE_NAMES;
use super::code::{FUNCTIONS, Operator, Step};
use super::function::Function;

/// How tightly a piece of a formula holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bond {
    Comparison,
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// A formula that gives the same function, to the last bit, when it is parsed and bound again.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack: Vec<(String, Bond)> = Vec::new();
        for step in self.steps().iter() {
            let piece = match step {
                Step::Constant(value) => constant(*value),
                Step::Time => ("t".to_owned(), Bond::Atom),
                Step::State(k) => (STATE_NAMES[*k].to_owned(), Bond::Atom),
                Step::Apply(operator) => {
                    let operands = stack.split_off(stack.len() - operator.arity());
                    applied(*operator, operands)
                }
            };
            stack.push(piece);
        }
        stack.iter().try_for_each(|(text, _)| f.write_str(text))
    }
}

/// A number in the shortest form that reads back to the same bits.
fn constant(value: f64) -> (String, Bond) {
    if value.is_nan() {
        ("0/0".to_owned(), Bond::Product)
    } else if value.is_infinite() {
        let text = if value > 0.0 { "1/0" } else { "-1/0" };
        (text.to_owned(), Bond::Product)
    } else if value.is_sign_negative() {
        (format!("{value:?}"), Bond::Sign)
    } else {
        (format!("{value:?}"), Bond::Atom)
    }
}

fn applied(operator: Operator, operands: Vec<(String, Bond)>) -> (String, Bond) {
    // The sign between two operands, how tightly it binds, and what each side must hold to go without
    // brackets: sums and products group to the left, powers to the right.
    let infix = match operator {
        Operator::Less => Some(("<", Bond::Comparison, Bond::Sum, Bond::Sum)),
        Operator::LessEqual => Some(("<=", Bond::Comparison, Bond::Sum, Bond::Sum)),
        Operator::Greater => Some((">", Bond::Comparison, Bond::Sum, Bond::Sum)),
        Operator::GreaterEqual => Some((">=", Bond::Comparison, Bond::Sum, Bond::Sum)),
        Operator::Add => Some(("+", Bond::Sum, Bond::Sum, Bond::Product)),
        Operator::Sub => Some(("-", Bond::Sum, Bond::Sum, Bond::Product)),
        Operator::Mul => Some(("*", Bond::Product, Bond::Product, Bond::Sign)),
        Operator::Div => Some(("/", Bond::Product, Bond::Product, Bond::Sign)),
        Operator::Pow => Some(("^", Bond::Power, Bond::Atom, Bond::Sign)),
        _ => None,
    };
    let within = |(text, bond): &(String, Bond), least: Bond| {
        if *bond >= least {
            text.clone()
        } else {
            format!("({text})")
        }
    };
    if let (Some((sign, bond, left, right)), [a, b]) = (infix, &operands[..]) {
        let (a, b) = (within(a, left), within(b, right));
        return (format!("{a} {sign} {b}"), bond);
    }
    if let (Operator::Neg, [a]) = (operator, &operands[..]) {
        return (format!("-{}", within(a, Bond::Sign)), Bond::Sign);
    }
    let named = FUNCTIONS.iter().find(|(_, function)| *function == operator);
    let name = named.map_or("", |(name, _)| name);
    let operands: Vec<String> = operands.into_iter().map(|(text, _)| text).collect();
    (format!("{name}({})", operands.join(", ")), Bond::Atom)
}
