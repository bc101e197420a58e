//! The names of numbers, read.

use super::{AxisPart, Load, Part, What};
use crate::converge::quantity::COMPONENTS;
use crate::expression::nearest;
use stickslip_model::Model;
use stickslip_model::joint::AXIS_NAMES;

/// `force on A`, `force on A from B`, `force between A and B` (on A), `torque on A`, each with `.x`, `.y`, `.z`; forces also with
/// `.normal` and `.friction`; `gap between A and B`, `kinetic energy of A`. `None` where the name does not begin so.
pub(super) fn of_bodies(name: &str, model: &Model) -> Option<Result<What, String>> {
    let forms = [
        ("force on ", " from "),
        ("torque on ", " from "),
        ("kinetic energy of ", " from "),
        ("force between ", " and "),
        ("gap between ", " and "),
    ];
    let begins =
        |(begin, between): (&'static str, _)| Some((begin, between, name.strip_prefix(begin)?));
    let (begin, between, rest) = forms.into_iter().find_map(begins)?;
    let (rest, part) = match begin.split(' ').next() {
        Some("force") => split_part(rest, true),
        Some("torque") => split_part(rest, false),
        _ => (rest, Part::Size),
    };
    let find = |body: &str| {
        let found = model.body_names().position(|n| n == body);
        found.ok_or_else(|| unknown("body", body, model.body_names()))
    };
    let what = |on: usize, from: Option<usize>| match (begin, from) {
        ("torque on ", _) => What::Torque(on, from, part),
        ("kinetic energy of ", _) => What::Kinetic(Some(on)),
        ("gap between ", Some(from)) => What::Gap(on, from),
        _ => What::Force(on, from, part),
    };
    if begin == "kinetic energy of " {
        return Some(find(rest).map(|on| what(on, None)));
    }
    // A body's name may hold the words between.
    if between == " from "
        && let Ok(on) = find(rest)
    {
        return Some(Ok(what(on, None)));
    }
    let pair = rest.match_indices(between).find_map(|(at, _)| {
        let (a, b) = (&rest[..at], &rest[at + between.len()..]);
        Some((find(a).ok()?, find(b).ok()?))
    });
    let first = rest.split(between).next().unwrap_or(rest);
    let second = rest.split(between).nth(1);
    Some(match pair {
        Some((a, b)) if a == b => Err(format!("`{first}` has no contacts with itself")),
        Some((a, b)) => Ok(what(a, Some(b))),
        None => Err(find(first)
            .and_then(|_| second.map_or(Err(format!("expected `{begin}A{between}B`")), find))
            .err()
            .unwrap_or_else(|| "no such bodies".into())),
    })
}

/// `frame NAME.COMPONENT`, with `ax`, `ay` and `az` for its acceleration. `None` where the name does not begin so.
pub(super) fn of_frame(name: &str, model: &Model) -> Option<Result<What, String>> {
    let rest = name.strip_prefix("frame ")?;
    let (owner, component) = rest.rsplit_once('.').unwrap_or((rest, ""));
    let found = model.frames.iter().position(|f| f.name == owner);
    let Some(frame) = found else {
        let names = model.frames.iter().map(|f| f.name.as_str());
        return Some(Err(unknown("frame", owner, names)));
    };
    let state = COMPONENTS.iter().position(|c| c.0 == component);
    let what = match (state, acceleration(component)) {
        (Some(component), _) => Ok(What::Frame(frame, component)),
        (None, Some(axis)) => Ok(What::FrameAcceleration(frame, axis)),
        (None, None) => {
            let all: Vec<&str> = COMPONENTS.iter().map(|c| c.0).collect();
            Err(format!(
                "the frame `{owner}` has {}, ax, ay, az",
                all.join(", ")
            ))
        }
    };
    Some(what)
}

/// The axis of `ax`, `ay` or `az`.
fn acceleration(component: &str) -> Option<usize> {
    ["ax", "ay", "az"].iter().position(|a| *a == component)
}

fn split_part(text: &str, force: bool) -> (&str, Part) {
    let parts = [
        (".x", Part::Component(0)),
        (".y", Part::Component(1)),
        (".z", Part::Component(2)),
        (".normal", Part::Normal),
        (".friction", Part::Friction),
    ];
    let usable = if force { 5 } else { 3 };
    parts[..usable]
        .iter()
        .find_map(|(ending, part)| Some((text.strip_suffix(ending)?, *part)))
        .unwrap_or((text, Part::Size))
}

/// `BODY.COMPONENT` (`ax`, `ay`, `az` for its acceleration), or of a joint `.x` to `.rz`, `.rate.rx`, `.force`, `.torque` (with `.x`, `.y`, `.z`), `.hold.rx`, `.motor.rx`, `.friction.rx`.
pub(super) fn of_one(name: &str, model: &Model) -> Result<What, String> {
    // Names may have dots: the longest that fits.
    let bodies = model.body_names().enumerate().map(|(k, n)| (n, k, false));
    let joints = model.joint_names().enumerate().map(|(k, n)| (n, k, true));
    // A name alone says whose, but not which number.
    let fits = |owner: &&(&str, usize, bool)| {
        name.strip_prefix(owner.0)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let owners: Vec<_> = bodies.chain(joints).collect();
    let mut fitting: Vec<_> = owners.iter().filter(fits).collect();
    fitting.sort_by_key(|owner| usize::MAX - owner.0.len());
    for &&(owner, k, is_joint) in &fitting {
        let rest = name[owner.len()..].strip_prefix('.').unwrap_or_default();
        let what = if is_joint {
            of_joint(k, rest)
        } else {
            of_body(k, rest)
        };
        if let Some(what) = what {
            return Ok(what);
        }
    }
    let Some(&&(owner, _, is_joint)) = fitting.first() else {
        let owner = name.rsplit_once('.').map_or(name, |(owner, _)| owner);
        return Err(unknown("body or joint", owner, owners.iter().map(|o| o.0)));
    };
    let body: Vec<&str> = COMPONENTS.iter().map(|c| c.0).collect();
    Err(if is_joint {
        format!(
            "the joint `{owner}` has {}, force, torque, and rate, hold, motor and friction of each axis, such as motor.rx",
            AXIS_NAMES.join(", ")
        )
    } else {
        format!(
            "the body `{owner}` has {}, ax, ay, az; contact forces are `force on {owner}`",
            body.join(", ")
        )
    })
}

fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let meant = nearest(name, known).map(|n| format!("; did you mean `{n}`?"));
    let meant = meant.unwrap_or_else(|| {
        "; such as energy, BODY.z, `force on BODY from BODY` or JOINT.torque".into()
    });
    format!("the scene has no {kind} `{name}`{meant}")
}

fn of_body(body: usize, component: &str) -> Option<What> {
    let state = COMPONENTS.iter().position(|c| c.0 == component);
    let state = state.map(|component| What::State(body, component));
    state.or_else(|| Some(What::Acceleration(body, acceleration(component)?)))
}

fn of_joint(joint: usize, rest: &str) -> Option<What> {
    let axis = |name: &str| AXIS_NAMES.iter().position(|n| *n == name);
    if let Some(axis) = axis(rest) {
        return Some(What::Coordinate(joint, axis));
    }
    let (load, part) = split_part(rest, false);
    match load {
        "force" => return Some(What::Joint(joint, Load::Force, part)),
        "torque" => return Some(What::Joint(joint, Load::Torque, part)),
        _ => {}
    }
    let (row, name) = rest.split_once('.')?;
    let row = match row {
        "hold" => AxisPart::Hold,
        "motor" => AxisPart::Motor,
        "friction" => AxisPart::Friction,
        "rate" => return axis(name).map(|axis| What::Rate(joint, axis)),
        _ => return None,
    };
    axis(name).map(|axis| What::Axis(joint, row, axis))
}
