//! `stickslip bench contacts`: the narrow phase by kind of pair, and both phases for many bodies.

use serde_json::json;
use std::time::Instant;
use stickslip::geometry::broad_phase::{Bounds, Sweep};
use stickslip::geometry::narrow_phase::future_contacts;
use stickslip::geometry::pose::exp;
use stickslip::geometry::separation::{nearest, separation};
use stickslip::geometry::{Candidate, Moving, ShapeError};
use stickslip::prelude::{DVec3, Pose, Shape};
use stickslip_console::{Failure, Verdict, print_as};
use stickslip_random::Random;

const KINDS: [&str; 6] = ["ball", "box", "cylinder", "cone", "capsule", "hull"];

/// Random places of each kind of pair.
const PLACES: usize = 64;

/// A shape of a size near 1.
fn shape(random: &mut Random, kind: &str) -> Result<Shape, ShapeError> {
    let (r, l) = (0.4 + 0.1 * random.signed(), 0.8 + 0.2 * random.signed());
    match kind {
        "ball" => Shape::ball(r),
        "box" => Shape::cuboid(DVec3::splat(0.8) + random.vec3() * 0.2),
        "cylinder" => Shape::cylinder(r, l),
        "cone" => Shape::cone(r, l),
        "capsule" => Shape::capsule(0.5 * r, l),
        _ => {
            let points: Vec<DVec3> = (0..16).map(|_| random.vec3() * 0.6).collect();
            Shape::hull(&points)
        }
    }
}

/// A pair that is about to touch.
struct Place {
    shapes: [Shape; 2],
    poses: [Pose; 2],
    end: Pose,
}

impl Place {
    fn new(random: &mut Random, kinds: [&str; 2]) -> Result<Self, ShapeError> {
        let shapes = [shape(random, kinds[0])?, shape(random, kinds[1])?];
        let a = Pose {
            position: DVec3::ZERO,
            orientation: exp(random.vec3() * 3.0),
        };
        let away = random.vec3().try_normalize().unwrap_or(DVec3::Z);
        let mut b = Pose {
            position: away * 4.0,
            orientation: exp(random.vec3() * 3.0),
        };
        // Along the line until a tenth of a millimetre is left.
        for _ in 0..40 {
            if let Some(near) = nearest(&shapes[0], &a, &shapes[1], &b) {
                b.position += away * (0.5 * (1e-4 - near.gap));
            }
        }
        let end = Pose {
            position: b.position - away * 1e-3,
            ..b
        };
        Ok(Self {
            shapes,
            poses: [a, b],
            end,
        })
    }

    fn contacts(&self, out: &mut Vec<Candidate>) {
        out.clear();
        future_contacts(
            &Moving::free(&self.shapes[0], self.poses[0], self.poses[0]),
            &Moving::free(&self.shapes[1], self.poses[1], self.end),
            out,
        );
    }
}

/// Microseconds for each of `count` calls: the best of several rounds.
fn micros(count: usize, mut round: impl FnMut()) -> f64 {
    round();
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e6 / count as f64
}

struct Kind {
    names: [&'static str; 2],
    contacts: f64,
    separation: f64,
    rows: f64,
}

fn kinds() -> Result<Vec<Kind>, ShapeError> {
    // The sequence of the figures on the pages.
    let mut random = Random::congruential(5);
    let mut table = Vec::new();
    for (i, first) in KINDS.into_iter().enumerate() {
        for &second in &KINDS[i..] {
            let places = (0..PLACES)
                .map(|_| Place::new(&mut random, [first, second]))
                .collect::<Result<Vec<_>, _>>()?;
            let (mut out, mut rows, mut sum) = (Vec::new(), 0, 0.0);
            for place in &places {
                place.contacts(&mut out);
                rows += out.len();
            }
            let contacts = micros(PLACES, || {
                for place in &places {
                    place.contacts(&mut out);
                }
            });
            let apart = micros(PLACES, || {
                for Place { shapes, poses, .. } in &places {
                    sum += separation(&shapes[0], &poses[0], &shapes[1], &poses[1]);
                }
            });
            if !f64::is_finite(sum) {
                continue;
            }
            table.push(Kind {
                names: [first, second],
                contacts,
                separation: apart,
                rows: rows as f64 / PLACES as f64,
            });
        }
    }
    Ok(table)
}

struct Many {
    bodies: usize,
    pairs: usize,
    rows: usize,
    /// µs of the broad phase and of both.
    broad: f64,
    both: f64,
}

/// Bodies of all kinds, one for each unit of a cube with sides of 1.2 `side`, each on a short way.
fn many((bodies, side): (usize, f64)) -> Result<Many, ShapeError> {
    // The sequence of the figures on the pages.
    let mut random = Random::congruential(7);
    let mut shapes = Vec::new();
    let mut ways = Vec::new();
    for k in 0..bodies {
        shapes.push(shape(&mut random, KINDS[k % KINDS.len()])?);
        let start = Pose {
            position: random.vec3() * (0.6 * side),
            orientation: exp(random.vec3() * 3.0),
        };
        let end = Pose {
            position: start.position + random.vec3() * 0.01,
            ..start
        };
        ways.push([start, end]);
    }
    let mut bounds: Vec<Bounds> = Vec::new();
    for (shape, [start, end]) in shapes.iter().zip(&ways) {
        bounds.push(Bounds::of(shape, start).union(&Bounds::of(shape, end)));
    }
    let (mut sweep, mut out) = (Sweep::default(), Vec::new());
    let pairs: Vec<[usize; 2]> = sweep.pairs(&bounds, |_, _| true).to_vec();
    let broad = micros(1, || {
        sweep.pairs(&bounds, |_, _| true);
    });
    let mut rows = 0;
    let narrow = micros(1, || {
        rows = 0;
        for &[i, j] in &pairs {
            let moving = |k: usize| Moving::free(&shapes[k], ways[k][0], ways[k][1]);
            out.clear();
            future_contacts(&moving(i), &moving(j), &mut out);
            rows += out.len();
        }
    });
    Ok(Many {
        bodies,
        pairs: pairs.len(),
        rows,
        broad,
        both: broad + narrow,
    })
}

pub(crate) fn run(as_json: bool) -> Result<Verdict, Failure> {
    let bad = |e: ShapeError| Failure::Input(e.to_string());
    let kinds = kinds().map_err(bad)?;
    let many = [(1_000, 10.0), (10_000, 21.544)]
        .into_iter()
        .map(many)
        .collect::<Result<Vec<_>, _>>()
        .map_err(bad)?;
    print_as(
        as_json,
        || json_of(&kinds, &many),
        || text_of(&kinds, &many),
    )?;
    Ok(Verdict::Good)
}

/// How much slower `b` is than `a`, over n log n.
fn growth(a: &Many, b: &Many, time: impl Fn(&Many) -> f64) -> f64 {
    let size = |m: &Many| m.bodies as f64 * f64::from(m.bodies.ilog10());
    time(b) / time(a) / (size(b) / size(a))
}

fn text_of(kinds: &[Kind], many: &[Many]) -> String {
    let mut lines = vec![
        "Pairs about to touch: µs for the future contacts and for the separation, rows (best of 7 rounds)"
            .to_string(),
        format!("{:>9} {:<9} {:>10} {:>11} {:>6}", "", "", "contacts", "separation", "rows"),
    ];
    for k in kinds {
        lines.push(format!(
            "{:>9} {:<9} {:>10.2} {:>11.2} {:>6.1}",
            k.names[0], k.names[1], k.contacts, k.separation, k.rows
        ));
    }
    lines.push(String::new());
    lines.push("Bodies of all kinds in a cube: broad phase, and both phases".to_string());
    lines.push(format!(
        "{:>8} {:>8} {:>8} {:>12} {:>12} {:>14}",
        "bodies", "pairs", "rows", "broad, ms", "both, ms", "pairs/s"
    ));
    for m in many {
        lines.push(format!(
            "{:>8} {:>8} {:>8} {:>12.3} {:>12.3} {:>14.0}",
            m.bodies,
            m.pairs,
            m.rows,
            m.broad * 1e-3,
            m.both * 1e-3,
            m.pairs as f64 / m.both * 1e6
        ));
    }
    if let [a, b] = many {
        lines.push(format!(
            "growth over n log n: broad phase {:.2}, both {:.2}",
            growth(a, b, |m| m.broad),
            growth(a, b, |m| m.both)
        ));
    }
    lines.join("\n")
}

fn json_of(kinds: &[Kind], many: &[Many]) -> serde_json::Value {
    let kinds: Vec<_> = kinds
        .iter()
        .map(|k| {
            json!({ "pair": k.names, "contacts_microseconds": k.contacts,
                    "separation_microseconds": k.separation, "rows": k.rows })
        })
        .collect();
    let sizes: Vec<_> = many
        .iter()
        .map(|m| {
            json!({ "bodies": m.bodies, "pairs": m.pairs, "rows": m.rows,
                    "broad_microseconds": m.broad, "both_microseconds": m.both,
                    "pairs_per_second": m.pairs as f64 / m.both * 1e6 })
        })
        .collect();
    let mut all = json!({ "bench": "contacts", "kinds": kinds, "many": sizes });
    if let [a, b] = many {
        all["growth_over_n_log_n"] = json!(growth(a, b, |m| m.both));
    }
    all
}
