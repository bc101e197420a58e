//! The `[step]` table.

use super::keys::{CONE, STEP};
use super::node::{Fault, Node, Outcome, Value};
use super::reader::{Reader, choice, flag, shown, text};
use stickslip_geometry::narrow_phase::Rule;
use stickslip_model::{Cone, Fan, Reading};
use stickslip_record::header::cone_from_str;

use super::settings::{CONTACTS, SOLVERS, StepSettings};
use super::table::Table;
use crate::expression::nearest;
use crate::methods::{METHODS, Method};
use crate::settings::Settings;

/// The most directions of a friction pyramid.
const MAX_DIRECTIONS: u32 = stickslip_solvers::problem::MOST_DIRECTIONS as u32;

/// The most steps of a run.
const MAX_STEPS: f64 = 1e12;
/// The longest step, s: of a year's step nobody knows what it would be for, and squares of much more are no numbers any more.
const LONGEST: f64 = 1e9;
/// The largest tolerance, relative to max(1 m/s, speed): a law that is missed by all of the speed is no law.
const LOOSEST: f64 = 1.0;

/// Reads the `[step]` table.
pub(super) fn read_step(reader: &Reader<'_>, node: &Node) -> Outcome<StepSettings> {
    let table = Table::open(node, &STEP)?;
    let (h, until) = read_times(reader, &table)?;
    let method = table.get("method").map_or(Ok(Method::default()), method)?;
    let cone = match table.get("cone") {
        Some(node) => read_cone(reader, node)?,
        None => Cone::default(),
    };
    let error = match table.get("error") {
        Some(node) if method != Method::Extrapolated => {
            let message = "`error` has no effect with this method";
            let help = "method = \"extrapolated\" chooses its steps by a wanted error";
            return Err(Fault::new(&node.place, message).with_help(help));
        }
        Some(node) => reader.positive(node, "the wanted error")?,
        None => StepSettings::ERROR,
    };
    let impact_friction = table
        .get("impact-friction")
        .map_or(Ok(Reading::default()), reading)?;
    let contact = match table.get("contact") {
        Some(node) if choice(node, "contact", &CONTACTS)? == CONTACTS[1] => Rule::Conjunctive,
        _ => Rule::MaxGap,
    };
    let solver = match table.get("solver") {
        Some(node) => choice(node, "solver", SOLVERS)?,
        None => SOLVERS[0],
    };
    let tolerance = match table.get("tolerance") {
        Some(node) => read_tolerance(reader, node)?,
        None => Settings::TOLERANCE,
    };
    let accept = match table.get("accept") {
        Some(node) => reader.not_negative(node, "what is accepted")?,
        None => Settings::ACCEPT,
    };
    Ok(StepSettings {
        h,
        until,
        method,
        cone,
        error,
        impact_friction,
        contact,
        solver: solver.to_owned(),
        tolerance,
        accept,
        energy_check: table.get("energy-check").map_or(Ok(false), flag)?,
        projection: table.get("projection").map_or(Ok(false), flag)?,
    })
}

/// What a certified step may miss the law by, relative to max(1 m/s, speed).
fn read_tolerance(reader: &Reader<'_>, node: &Node) -> Outcome<f64> {
    let tolerance = reader.positive(node, "the tolerance")?;
    if tolerance <= LOOSEST {
        return Ok(tolerance);
    }
    let message = format!(
        "the tolerance must be at most {LOOSEST}, but is {}: whatever bodies do would be certified",
        shown(tolerance)
    );
    Err(Fault::new(&node.place, message))
}

/// The step size and the end of the run, s.
fn read_times(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<(f64, f64)> {
    let h = reader.positive(table.need("h")?, "the step size `h`")?;
    if h > LONGEST {
        let message = format!(
            "a step of {} s is longer than {LONGEST:e} s, the most that can be computed with",
            shown(h)
        );
        return Err(Fault::new(&table.need("h")?.place, message));
    }
    let end = table.need("until")?;
    let until = reader.positive(end, "the end `until`")?;
    if h > until {
        let (until, h) = (shown(until), shown(h));
        let message = format!("the run ends at {until} s, before the first step of {h} s");
        return Err(Fault::new(&end.place, message));
    }
    if until / h > MAX_STEPS {
        let (count, h) = (shown(until / h), shown(h));
        let message = format!("{count} steps of h = {h} are too many; {MAX_STEPS:e} is the limit");
        return Err(Fault::new(&end.place, message));
    }
    Ok((h, until))
}

/// One of the methods by its name.
fn method(node: &Node) -> Outcome<Method> {
    let name = choice(node, "method", &METHODS)?;
    Ok(Method::named(name).unwrap_or_default())
}

/// One of the readings of friction in impacts by its name.
fn reading(node: &Node) -> Outcome<Reading> {
    let names = Reading::ALL.map(Reading::name);
    let name = choice(node, "impact-friction", &names)?;
    let found = Reading::ALL.into_iter().find(|r| r.name() == name);
    Ok(found.unwrap_or_default())
}

/// What a count of directions and a budget are called in messages.
const WHAT: &str = "the number of directions of a pyramid";
const BUDGET: &str = "the work of a step";

fn read_cone(reader: &Reader<'_>, node: &Node) -> Outcome<Cone> {
    match node.value {
        Value::Table(_) => read_cone_table(reader, node),
        _ => read_cone_text(node),
    }
}

/// `{ pyramid = 8, fan = "body", turn = 0.5 }` or `{ budget = 30000 }`.
fn read_cone_table(reader: &Reader<'_>, node: &Node) -> Outcome<Cone> {
    let table = Table::open(node, &CONE)?;
    if let Some(node) = table.get("budget") {
        if table.get("pyramid").is_some() {
            let message = "a cone has `pyramid` or `budget`, not both";
            return Err(Fault::new(&node.place, message));
        }
        let work = reader.whole(node, BUDGET, 1, u32::MAX)?;
        return Ok(Cone::Budget(u64::from(work)));
    }
    let count = reader.whole(table.need("pyramid")?, WHAT, 3, MAX_DIRECTIONS)?;
    let directions = count as usize;
    let (fan, turn) = (table.get("fan"), table.get("turn"));
    if fan.is_none() && turn.is_none() {
        return Ok(Cone::Pyramid(directions));
    }
    let frame = fan.map_or(Ok("world"), |node| choice(node, "fan", &["world", "body"]))?;
    Ok(Cone::Fan(Fan {
        directions,
        carried: frame == "body",
        turn: turn.map_or(Ok(0.0), |node| reader.number(node))?,
    }))
}

/// `"quadratic"`, `"pyramid:8"` or `"budget:30000"`.
fn read_cone_text(node: &Node) -> Outcome<Cone> {
    let name = text(node, "\"quadratic\" or { pyramid = 8 }")?;
    if name == "quadratic" {
        return Ok(Cone::Quadratic);
    }
    if let Some(rest) = name.strip_prefix("pyramid:") {
        let count = rest.split(':').next().unwrap_or(rest);
        let within = count.parse().ok();
        if !within.is_some_and(|count: u32| (3..=MAX_DIRECTIONS).contains(&count)) {
            let message = format!(
                "{WHAT} must be a whole number from 3 to {MAX_DIRECTIONS}, but is `{count}`"
            );
            return Err(Fault::new(&node.place, message));
        }
        return cone_from_str(name).ok_or_else(|| {
            let message = format!("`{name}` is no fan of directions");
            Fault::new(&node.place, message)
                .with_help("use \"pyramid:8:world:0.5\" or \"pyramid:8:body\"")
        });
    }
    if let Some(rest) = name.strip_prefix("budget:") {
        return match rest.parse() {
            Ok(work @ 1..=u32::MAX) => Ok(Cone::Budget(u64::from(work))),
            _ => {
                let most = u32::MAX;
                let message =
                    format!("{BUDGET} must be a whole number from 1 to {most}, but is `{rest}`");
                Err(Fault::new(&node.place, message))
            }
        };
    }
    let fault = Fault::new(&node.place, format!("unknown cone \"{name}\""));
    Err(match nearest(name, ["quadratic"]) {
        Some(meant) => fault.with_help(format!("did you mean \"{meant}\"?")),
        None => fault.with_help("use \"quadratic\", \"pyramid:8\" or { pyramid = 8 }"),
    })
}
