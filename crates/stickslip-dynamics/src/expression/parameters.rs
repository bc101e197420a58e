//! Parameters that depend on each other.

use std::collections::BTreeMap;

use super::{Expression, ExpressionError, Scope};

/// Evaluates named formulas that may use each other, in whatever order they are written.
///
/// # Errors
/// The name of the parameter whose formula is wrong, and what is wrong in it: an unknown name, a
/// formula that leads back to itself, or a value that is not finite.
pub fn resolve(
    formulas: &BTreeMap<String, Expression>,
) -> Result<BTreeMap<String, f64>, (String, ExpressionError)> {
    let mut known = BTreeMap::new();
    // Each round evaluates every formula whose names are all known; without progress there is a
    // ring among the rest.
    loop {
        let before = known.len();
        for (name, formula) in formulas {
            let waits = |used: &str| formulas.contains_key(used) && !known.contains_key(used);
            if known.contains_key(name) || formula.names().any(|(used, _)| waits(used)) {
                continue;
            }
            let value = formula
                .number(&Scope::new(&known))
                .map_err(|error| (name.clone(), improve(error, formulas)))?;
            known.insert(name.clone(), value);
        }
        if known.len() == formulas.len() {
            return Ok(known);
        }
        if known.len() == before {
            return Err(ring(formulas, &known));
        }
    }
}

/// An unknown name is compared with all parameters, not only those evaluated so far.
fn improve(error: ExpressionError, formulas: &BTreeMap<String, Expression>) -> ExpressionError {
    let unknown = error
        .message
        .strip_prefix("unknown name `")
        .and_then(|rest| rest.strip_suffix('`'));
    let meant = unknown.and_then(|name| super::nearest(name, formulas.keys().map(String::as_str)));
    match meant {
        Some(meant) => error.with_help(format!("did you mean `{meant}`?")),
        None => error,
    }
}

/// Follows unknown names from the first formula that has one until a name comes again.
fn ring(
    formulas: &BTreeMap<String, Expression>,
    known: &BTreeMap<String, f64>,
) -> (String, ExpressionError) {
    let first_unknown = |name: &str| {
        let mut names = formulas[name].names();
        names.find(|(used, _)| formulas.contains_key(*used) && !known.contains_key(*used))
    };
    let mut path: Vec<&str> = Vec::new();
    let mut name = formulas
        .keys()
        .find(|name| !known.contains_key(*name))
        .map_or("", String::as_str);
    while !path.contains(&name) {
        path.push(name);
        match first_unknown(name) {
            Some((used, _)) => name = used,
            None => break,
        }
    }
    let start = path.iter().position(|step| *step == name).unwrap_or(0);
    let mut round = path.split_off(start);
    let span = first_unknown(name).map_or(0..0, |(_, span)| span);
    round.push(name);
    let message = if round.len() == 2 {
        format!("the parameter `{name}` depends on itself")
    } else {
        format!(
            "parameters depend on each other in a ring: {}",
            round.join(" -> ")
        )
    };
    (name.to_owned(), ExpressionError::new(span, message))
}
