//! The answer for machines.

use crate::forces::{ContactForce, ForceSet, forces};
use crate::modes::closed_modes;
use crate::report::{describe, interval, kind};
use crate::solve::{Options, Solution, Solutions};
use crate::state::State;
use crate::trace::{Hypothesis, Place, Verdict};
use serde_json::{Map, Value, json};

/// `answer` as a JSON object. Contacts are numbered from 0 and infinities are the strings "inf" and "-inf".
///
/// `solutions` lists `{modes, acceleration: [ax, ay, alpha], vertices, rays, …}`; the acceleration is null for continuous
/// sets.
#[must_use]
pub fn json(state: &State, options: &Options, answer: &Solutions) -> Value {
    let options = answer.options(options);
    let solutions: Vec<Value> = answer
        .sets
        .iter()
        .map(|s| solution(state, &options, answer, s))
        .collect();
    json!({
        "title": state.title,
        "status": answer.status().word(),
        "count": answer.sets.len(),
        "solutions": solutions,
        "active": answer.active,
        "separating": answer.separating,
        "collision": answer.colliding.iter().map(|(contact, speed)| json!({
            "contact": contact,
            "normal_velocity": speed,
        })).collect::<Vec<_>>(),
        "tolerance": answer.tolerance,
        "h": answer.h,
        "slip": answer.slip,
        "subsets": {
            "total": answer.subsets.total().map_or_else(|| json!(answer.subsets.total_text()), |n| json!(n)),
            "tried": answer.subsets.tried,
        },
        "hypotheses": answer.hypotheses.iter().map(hypothesis).collect::<Vec<_>>(),
        "notes": answer.notes.iter().map(|note| json!({
            "kind": note.word(),
            "contacts": note.contacts(),
            "non_generic": note.non_generic(),
            "text": note.to_string(),
        })).collect::<Vec<_>>(),
    })
}

fn number(x: f64) -> Value {
    if x.is_finite() {
        json!(x)
    } else if x > 0.0 {
        json!("inf")
    } else {
        json!("-inf")
    }
}

fn solution(state: &State, options: &Options, answer: &Solutions, s: &Solution) -> Value {
    let mut map = Map::new();
    let (mode, modes) = if answer.active.is_empty() {
        ("(free)".to_owned(), vec!["(free)".to_owned()])
    } else {
        (s.mode.clone(), closed_modes(state, options, s))
    };
    map.insert("mode".into(), json!(mode));
    map.insert("modes".into(), json!(modes));
    map.insert("kind".into(), json!(kind(s)));
    let sets: Vec<Value> = s
        .region
        .vertices
        .iter()
        .map(|&v| force_set(&forces(state, options, v)))
        .collect();
    map.insert("acceleration".into(), json!(s.acceleration()));
    map.insert("vertices".into(), json!(s.vertices));
    map.insert("rays".into(), json!(s.rays));
    if s.region.is_point() {
        let only = sets.first().cloned().unwrap_or(Value::Null);
        map.insert("forces".into(), only);
    } else if let Some((t_c, lo, hi)) = interval(state, s) {
        let interval = json!({ "t_c": t_c, "c": [number(lo), number(hi)] });
        map.insert("interval".into(), interval);
    }
    map.insert("forces_at_vertices".into(), json!(sets));
    Value::Object(map)
}

fn force_set(set: &ForceSet) -> Value {
    let list = |forces: &Vec<ContactForce>| -> Vec<Value> {
        forces
            .iter()
            .map(|f| json!({ "contact": f.contact, "normal": f.normal, "friction": f.friction }))
            .collect()
    };
    json!({
        "unique": set.unique(),
        "complete": set.complete,
        "vertices": set.vertices.iter().map(list).collect::<Vec<_>>(),
        "rays": set.rays.iter().map(list).collect::<Vec<_>>(),
    })
}

fn hypothesis(h: &Hypothesis) -> Value {
    let pieces: Vec<Value> = h
        .pieces
        .iter()
        .map(|piece| {
            let place = match &piece.place {
                Place::ZeroReaction => json!("zero-reaction"),
                Place::ZeroNetForce => json!("zero-net-force"),
                Place::TwoProjections => json!("two-projections"),
                Place::Corner => json!("corner"),
                Place::Cell(ways) => json!({ "sliding": ways }),
                Place::Interval { lo, hi } => json!({ "c": [number(*lo), number(*hi)] }),
                Place::Endpoint { c } => json!({ "c": number(*c) }),
            };
            match &piece.verdict {
                Verdict::Solution(i) => json!({ "place": place, "solution": i }),
                Verdict::Rejected(reason) => {
                    json!({ "place": place, "rejected": reason.to_string() })
                }
            }
        })
        .collect();
    json!({
        "contacts": h.contacts,
        "dimension": h.dimension,
        "text": describe(h),
        "pieces": pieces,
    })
}
