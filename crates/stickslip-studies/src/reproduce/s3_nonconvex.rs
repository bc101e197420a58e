//! S3: contact where the free space is not convex, by the new rule and by the old.

use super::entry::{Effort, Entry, Played, Shown, Source, number, play, scene};
use stickslip::prelude::DVec3;
use stickslip::solvers::lcp::enumerate::all_solutions;
use stickslip::solvers::lcp::max_gap::{chain, conjunction, face};
use stickslip_plot::{Anchor, Axis, Plot, Sheet, colour};
use stickslip_view::ShotOptions;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "corner",
        title: "Figures 4 and 5: a particle at a corner, edge by edge",
        rows: &["S3-31", "S3-32", "S3-36"],
        by_hand: "stickslip reproduce corner --json",
        run: corner,
    },
    Entry {
        id: "cracked-ramp",
        title: "Figures 6 and 7: a box on a cracked ramp, both ways",
        rows: &["S3-40", "S3-38", "S3-39", "S3-43", "S3-30"],
        by_hand: "stickslip run scenes/cracked_ramp.toml --set step.contact=conjunctive -o ramp.html",
        run: cracked_ramp,
    },
    Entry {
        id: "tight-hole",
        title: "Figures 8 and 9: a box of 9.99 and a hole of 10, both ways",
        rows: &["S3-42"],
        by_hand: "stickslip run scenes/tight_hole.toml --set step.contact=conjunctive -o hole.html",
        run: tight_hole,
    },
];

/// The new rule and the old one, by their names in a scene.
const RULES: [(&str, &str); 2] = [("new", "max-gap"), ("old", "conjunctive")];

/// A run at four times side by side.
fn strip(played: &Played, times: [f64; 4], options: &ShotOptions) -> Result<Sheet, String> {
    let film = played.film()?;
    let mut sheet = Sheet::new("", 4);
    for t in times {
        let mut shot = film.shot(t, options).map_err(|e| e.to_string())?;
        let at = [0.5 * options.width, options.height - 10.0];
        shot.text(at, 13.0, Anchor::Middle, colour::INK, &format!("t = {t} s"));
        sheet = sheet.part(shot);
    }
    Ok(sheet)
}

/// Angle by which a body has turned since the start, at most, rad.
fn turned(played: &Played, body: &str) -> Result<f64, String> {
    let k = played.index_of(body)?;
    let frames = &played.trajectory.frames;
    let first = frames.first().ok_or("no frames")?.step.bodies[k]
        .pose
        .orientation;
    let angle = |f: &stickslip::record::Frame| {
        let q = first.conjugate() * f.step.bodies[k].pose.orientation;
        2.0 * libm::atan2(q.xyz().length(), q.w.abs())
    };
    Ok(frames.iter().map(angle).fold(0.0, f64::max))
}

fn cracked_ramp(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("cracked_ramp");
    let mut shown = Shown::default();
    let run = |crack: &str, rule: &str| {
        let set = [
            ("crack", crack.to_string()),
            ("step.contact", rule.to_string()),
        ];
        play(file, text, &set, 1)
    };
    // Along the ramp, whose slope is π/6.
    let along = |played: &Played| -> Result<f64, String> {
        let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_6);
        Ok(played.end_of("box")?.dot(DVec3::new(cos, 0.0, -sin)))
    };
    let whole = along(&run("0", RULES[0].1)?)?;
    let options = ShotOptions {
        width: 300.0,
        height: 240.0,
        azimuth: -90.0,
        elevation: 4.0,
        forces: false,
        caption: false,
        whole: true,
        ..ShotOptions::default()
    };
    let mut rows = Vec::new();
    for (name, rule) in RULES {
        let played = run("0.02", rule)?;
        let (end, turn) = (along(&played)?, turned(&played, "box")?);
        shown.about(&["S3-40", "S3-30"]);
        shown.claim(
            Source::Printed,
            &format!("{name} rule, a crack of 2 cm, h = 0.008 s"),
            if name == "new" {
                "slides to the end of the ramp"
            } else {
                "the crack makes it tumble"
            },
            format!(
                "comes {} m along the ramp, turns by {} rad at most",
                number(end),
                number(turn)
            ),
            if name == "new" {
                turn < 1e-6 && (end - whole).abs() < 1e-6
            } else {
                turn > 0.5
            },
        );
        // As long as both slide alike.
        let set = [
            ("step.contact", rule.to_string()),
            ("step.until", "0.9".into()),
        ];
        rows.push(play(file, text, &set, 1)?.outcome.contacts.0);
        let caption = match name {
            "new" => "Figure 6: the new rule slides over the crack",
            _ => {
                "Figure 7: the old rule takes the crack's wall for a wall in the air, and the box tumbles"
            }
        };
        let shots = strip(&played, [0.5, 1.1, 1.5, 1.9], &options)?;
        shown.drawing(caption, &shots.drawing());
    }
    shown.about(&["S3-38"]);
    shown.claim(
        Source::Printed,
        "conditions in a step, new and old",
        "as many by either rule",
        format!(
            "at most {} and {} up to 0.9 s, when both still slide",
            rows[0], rows[1]
        ),
        rows[0] == rows[1],
    );
    shown.about(&["S3-40"]);
    let mut curves = [Vec::new(), Vec::new()];
    let cracks = effort.of(
        vec![0.001, 0.05, 0.2],
        vec![1e-4, 0.001, 0.01, 0.05, 0.1, 0.2, 0.216],
    );
    for crack in cracks {
        for (k, (_, rule)) in RULES.iter().enumerate() {
            let played = run(&crack.to_string(), rule)?;
            curves[k].push((crack, turned(&played, "box")?.max(1e-16)));
        }
    }
    let worst = curves[0].iter().map(|p| p.1).fold(0.0, f64::max);
    shown.at_most(
        "turn with the new rule, cracks up to a third of the box",
        1e-9,
        worst,
        "rad",
    );
    let plot = Plot::new("How far the box turns on its way down")
        .x(Axis::log("width of the crack", "m"))
        .y(Axis::log("turn", "rad"))
        .line("new rule (max-gap)", &curves[0])
        .line("old rule (conjunctive)", &curves[1]);
    shown.plot(
        "Cracks of all widths; no turn at all is drawn at 1e-16",
        &plot,
    );
    shown.notes.push("The document states neither slope, friction, box nor crack: ours are 30°, 0.2, a cube of 0.6 m and a crack of 2 cm.".into());
    Ok(shown)
}

fn tight_hole(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("tight_hole");
    let mut shown = Shown::default();
    let options = ShotOptions {
        width: 300.0,
        height: 300.0,
        forces: false,
        caption: false,
        whole: true,
        glass: vec!["block".into()],
        ..ShotOptions::default()
    };
    let height = |played: &Played| played.end_of("box").map(|p| p.z);
    for (name, rule) in RULES {
        let played = play(file, text, &[("step.contact", rule.to_string())], 1)?;
        let z = height(&played)?;
        // The floor is 12 below the rim, the box 5 high.
        shown.claim(
            Source::Printed,
            &format!("{name} rule, h = 0.0125 s"),
            if name == "new" {
                "falls through to the hole's floor"
            } else {
                "stays on the rim"
            },
            format!(
                "its underside ends {} above the floor, 12 deep",
                number(z - 2.5 + 12.0)
            ),
            if name == "new" {
                (z + 9.5).abs() < 1e-9
            } else {
                z > 2.4
            },
        );
        let caption = match name {
            "new" => "Figure 8: the new rule lets it fall to the floor",
            _ => "Figure 9: the old rule holds it on the rim",
        };
        let shots = strip(&played, [0.0, 0.8, 1.4, 3.0], &options)?;
        shown.drawing(caption, &shots.drawing());
    }
    for clearance in effort.of(vec![1e-6], vec![1e-3, 1e-4, 1e-5, 1e-6]) {
        let set = [("clearance", clearance.to_string())];
        let z = height(&play(file, text, &set, 1)?)?;
        shown.at_most(
            &format!("a hole only {clearance} wider: distance from the floor at the end"),
            1e-9,
            (z + 9.5).abs(),
            "",
        );
    }
    Ok(shown)
}

/// A particle of 1 kg at a corner of two edges (0, 1) and (1, 0) for one step: where it may end.
struct Corner {
    start: [f64; 2],
    velocity: [f64; 2],
}

const H: f64 = 0.1;
const NORMALS: [[f64; 2]; 2] = [[0.0, 1.0], [1.0, 0.0]];

impl Corner {
    /// Without contact.
    fn free(&self) -> [f64; 2] {
        [0, 1].map(|i| self.start[i] + H * self.velocity[i])
    }

    /// Gaps to both edges there.
    fn gaps(&self) -> [f64; 2] {
        let [x, y] = self.free();
        [y, x]
    }

    fn pushed(&self, impulses: [f64; 2]) -> [f64; 2] {
        let push = |i: usize| H * (NORMALS[0][i] * impulses[0] + NORMALS[1][i] * impulses[1]);
        let free = self.free();
        [0, 1].map(|i| free[i] + push(i))
    }

    /// Equation 18 or 19: the largest gap with a push along one edge.
    fn along(&self, edge: usize) -> Result<[f64; 2], String> {
        let response: Vec<f64> = (0..2).map(|k| if k == edge { H } else { 0.0 }).collect();
        let all = all_solutions(&chain(&self.gaps(), &response), 1e-13)?;
        let p = all.first().and_then(|z| z.last()).ok_or("no solution")?;
        let mut impulses = [0.0; 2];
        impulses[edge] = *p;
        Ok(self.pushed(impulses))
    }

    /// Equation 13: all gaps at once.
    fn conjunctive(&self) -> Result<[f64; 2], String> {
        let all = all_solutions(&conjunction(&self.gaps(), &[H, 0.0, 0.0, H]), 1e-13)?;
        let z = all.first().ok_or("no solution")?;
        Ok(self.pushed([z[0], z[1]]))
    }
}

fn point(p: [f64; 2]) -> String {
    // No minus before a zero.
    let tidy = p.map(|x| number(if x.abs() < 1e-15 { 0.0 } else { x }));
    format!("({})", tidy.join(", "))
}

fn corner(_: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    let near = |a: [f64; 2], b: [f64; 2]| (0..2).all(|i| (a[i] - b[i]).abs() < 1e-12);
    // The obstacle is the third quadrant.
    shown.about(&["S3-31"]);
    for (cone, start, velocity) in [
        ("II", [0.05, 0.2], [-1.0, -0.5]),
        ("IV", [0.1, 0.05], [-0.2, -1.0]),
    ] {
        let case = Corner { start, velocity };
        let (free, new, old) = (case.free(), case.along(0)?, case.conjunctive()?);
        shown.claim(
            Source::Printed,
            &format!("figure 4a: into cone {cone}, which is free"),
            "the new rule lets it pass, the old one does not",
            format!(
                "free {}, new {}, old {}",
                point(free),
                point(new),
                point(old)
            ),
            near(free, new) && !near(free, old),
        );
    }
    shown.about(&["S3-32"]);
    // A triangle with a vertex about to enter it by its lower edge.
    let high = libm::sqrt(0.75);
    let normals = [[0.0, -1.0], [high, 0.5], [-high, 0.5]];
    let gaps = [-0.03, 0.015 - high, 0.015 - high];
    let response = |u: usize| -> Vec<f64> {
        let dot = |k: usize| normals[k][0] * normals[u][0] + normals[k][1] * normals[u][1];
        (0..3).map(|k| H * dot(k)).collect()
    };
    let all: Vec<f64> = (0..3).flat_map(response).collect();
    let old = all_solutions(&conjunction(&gaps, &all), 1e-13)?;
    let new = all_solutions(&chain(&gaps, &response(0)), 1e-13)?;
    shown.claim(
        Source::Printed,
        "figure 4b: all edges of a triangle at once",
        "infeasible by the old rule",
        format!(
            "{} solutions by the old rule, {} by the new",
            old.len(),
            new.len()
        ),
        old.is_empty() && !new.is_empty(),
    );
    shown.about(&["S3-36"]);
    let case = Corner {
        start: [0.05, 0.02],
        velocity: [-0.7, -1.0],
    };
    let ends = [case.along(0)?, case.along(1)?, case.conjunctive()?];
    let expected = [[-0.02, 0.0], [0.0, -0.08], [0.0, 0.0]];
    let what = ["P₁, along edge 1", "P₂, along edge 2", "P*, both at once"];
    for ((what, end), wanted) in what.iter().zip(ends).zip(expected) {
        shown.claim(
            Source::Derived,
            &format!("figure 5: {what}"),
            &point(wanted),
            point(end),
            near(end, wanted),
        );
    }
    let [x, y] = case.start;
    let chosen = face(&[y, x], &case.gaps());
    shown.claim(
        Source::Printed,
        "figure 5: which is best",
        "P₂, arguably",
        chosen.map_or("none is chosen".into(), |k| {
            format!("P{} is chosen", ["₁", "₂"][k.min(1)])
        }),
        chosen == Some(1),
    );
    let plot = Plot::new("A vertex P that would end at P′ inside the obstacle")
        .x(Axis::linear("x", "").range(-0.12, 0.12))
        .y(Axis::linear("y", "").range(-0.12, 0.06))
        .equal()
        .region(
            "obstacle",
            &[(-1.0, -1.0), (0.0, -1.0), (0.0, 0.0), (-1.0, 0.0)],
        )
        .coloured(colour::GREY)
        .line("without contact", &[(x, y), case.free().into()])
        .dashed()
        .points("P", &[(x, y)])
        .points("P′, free", &[case.free().into()])
        .points("P₁, new rule along edge 1 (top)", &[ends[0].into()])
        .points("P₂, new rule along edge 2 (side)", &[ends[1].into()])
        .points("P*, old rule", &[ends[2].into()]);
    shown.plot("Figure 5: where the vertex ends by each rule", &plot);
    Ok(shown)
}
