//! S2: all accelerations of a planar body.

use super::entry::{Effort, Entry, Shown, Source, number, scene};
use stickslip::planar::{MapOptions, Options, State, figure, mode_map, solve};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "three-point",
        title: "Figures 5 and 6: three feet on a table",
        rows: &[
            "S2-01", "S0-13", "S2-12", "S2-16", "S2-24", "S2-25", "S2-26", "S2-28", "S2-29",
            "S2-30", "S2-31",
        ],
        by_hand: "stickslip accel scenes/planar/three-point.toml --why --figure three.svg",
        run: three_point,
    },
    Entry {
        id: "mode-map",
        title: "The plane of force and torque, split by contact mode",
        rows: &["S2-09"],
        by_hand: "stickslip modes scenes/planar/three-point.toml",
        run: maps,
    },
    Entry {
        id: "planar-examples",
        title: "Feeder, grasp, wall and peg",
        rows: &["S2-03", "S2-04", "S2-05", "S2-06"],
        by_hand: "stickslip accel scenes/planar/peg-jams.toml",
        run: examples,
    },
];

fn state(text: &str) -> Result<State, String> {
    State::from_toml(text).map_err(|e| e.to_string())
}

fn three_point(_: Effort) -> Result<Shown, String> {
    let options = Options::default();
    let mut state = state(scene!("planar/three-point").1)?;
    let mut shown = Shown::default();
    // The document's equation (4) and figure 6: edges of the cones at ρ = 1, μ = 0.25.
    let printed = [
        [[0.25, 1.0, -0.75], [-0.25, 1.0, -1.25]],
        [[0.25, 1.0, 1.25], [-0.25, 1.0, 0.75]],
        [[0.25, 1.0, 0.25], [-0.25, 1.0, -0.25]],
    ];
    for (contact, edges) in state.contacts.iter().zip(printed) {
        let ours = contact.frame(state.rho).cone_edges(contact.mu);
        let same =
            |a: &[f64; 3], b: &stickslip::planar::V3| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
        // The document lists each pair in its own order.
        let good = (same(&edges[0], &ours[0]) && same(&edges[1], &ours[1]))
            || (same(&edges[0], &ours[1]) && same(&edges[1], &ours[0]));
        let words = |e: [[f64; 3]; 2]| {
            e.map(|v| format!("({})", v.map(number).join(", ")))
                .join(", ")
        };
        let found = words([0, 1].map(|i| [0, 1, 2].map(|k| ours[i][k])));
        shown.claim(
            Source::Printed,
            &format!("edges of the cone at the {} foot", contact_name(&shown)),
            &words(edges),
            found,
            good,
        );
    }
    let answer = solve(&state, &options).map_err(|e| e.to_string())?;
    let a = answer
        .sets
        .first()
        .and_then(|s| s.acceleration())
        .unwrap_or([f64::NAN; 3]);
    shown.claim(
        Source::Printed,
        "pushed sideways with 0.6 N",
        "slides, and nothing else",
        format!(
            "{} solution, mode {}",
            answer.sets.len(),
            answer.sets.first().map_or("", |s| &s.mode)
        ),
        answer.sets.len() == 1,
    );
    shown.compare(
        Source::Derived,
        "its acceleration, (0.6 − μ)/m",
        0.35,
        a[0],
        1e-12,
        "m/s²",
    );
    let rejected = answer.hypotheses.len();
    shown.claim(
        Source::Printed,
        "other hypotheses",
        "single contacts would push through the table",
        format!("{rejected} looked at, one kept; each with its reason by --why"),
        answer.sets.len() == 1,
    );
    shown.svg(
        "Real space and configuration space",
        figure::both_svg(&state, &answer),
    );
    // A growing torque turns the body about a foot: where, by bisection.
    let (mut low, mut high) = (0.0, 5.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        state.force = [0.0, -1.0, middle];
        let answer = solve(&state, &options).map_err(|e| e.to_string())?;
        let turns = answer
            .sets
            .first()
            .and_then(|s| s.acceleration())
            .is_some_and(|a| a[2].abs() > 1e-9);
        if turns { high = middle } else { low = middle }
    }
    shown.compare(
        Source::Derived,
        "torque at which it turns about a foot, weight 1 N",
        1.0,
        low,
        1e-6,
        "N m",
    );
    Ok(shown)
}

/// Which foot the next line of the table is about.
fn contact_name(shown: &Shown) -> &'static str {
    ["left", "right", "middle"][shown.lines.len().min(2)]
}

fn maps(effort: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for (file, text) in [scene!("planar/three-point"), scene!("planar/peg-slides")] {
        let state = state(text)?;
        let fine = effort.of(6, 9);
        let options = MapOptions::for_state(&state);
        let options = MapOptions {
            coarse: options.coarse.min(fine),
            fine,
            ..options
        };
        let map = mode_map(&state, &Options::default(), &options).map_err(|e| e.to_string())?;
        let total: f64 = map.json()["regions"].as_array().map_or(0.0, |r| {
            r.iter()
                .filter_map(|x| x["area"].as_f64().or(x["fraction"].as_f64()))
                .sum()
        });
        let regions = map.json()["regions"].as_array().map_or(0, Vec::len);
        shown.tell(
            file,
            "regions of constant mode",
            format!(
                "{regions} regions{}",
                if total > 0.0 {
                    format!(", area fractions add up to {}", number(total))
                } else {
                    String::new()
                }
            ),
        );
        shown.svg(&format!("Modes of {}", state.title), map.svg(&state));
    }
    Ok(shown)
}

fn examples(_: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    for ((file, text), expected, moves) in [
        (scene!("planar/feeder-rests"), "rests", false),
        (scene!("planar/feeder-slides"), "slides", true),
        (scene!("planar/feeder-tips"), "tips", true),
        (scene!("planar/wall-push-sticks"), "sticks", false),
        (scene!("planar/wall-push-slides"), "slides", true),
        (scene!("planar/peg-slides"), "slides", true),
    ] {
        let state = state(text)?;
        let answer = solve(&state, &Options::default()).map_err(|e| e.to_string())?;
        let a = answer.sets.first().and_then(|s| s.acceleration());
        let size = a.map(|a| a.iter().map(|x| x.abs()).fold(0.0, f64::max));
        let good = answer.sets.len() == 1 && size.is_some_and(|s| (s > 1e-9) == moves);
        let ours = a.map_or("no single acceleration".into(), |a| {
            format!("acceleration ({})", a.map(number).join(", "))
        });
        shown.claim(Source::Derived, file, expected, ours, good);
        shown.svg(&state.title, figure::real_space_svg(&state, &answer));
    }
    for ((file, text), closed) in [
        (scene!("planar/grasp-closed"), true),
        (scene!("planar/grasp-open"), false),
    ] {
        let found = state(text)?.force_closure();
        shown.claim(
            Source::Derived,
            file,
            if closed {
                "force closure"
            } else {
                "no force closure"
            },
            format!("force closure: {found}"),
            found == closed,
        );
    }
    Ok(shown)
}
