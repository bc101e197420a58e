//! S0: LCP methods for rigid bodies.

use super::entry::{Effort, Entry, Shown, number, play, scene};
use std::f64::consts::PI;
use stickslip::planar::{Contact, Options, State, solve};
use stickslip::prelude::Residual;
use stickslip_plot::{Axis, Colour, Image, Plot, colour};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "certificates",
        title: "The law in the certificate of every step",
        rows: &[
            "S0-01", "S0-03", "S0-04", "S0-06", "S0-07", "S0-08", "S0-09", "S0-11", "S1-12",
            "S1-16", "S3-24", "S3-29",
        ],
        by_hand: "stickslip run scenes/box_stack.toml --json",
        run: certificates,
    },
    Entry {
        id: "free-top",
        title: "A torque-free top keeps energy, momentum and its unit quaternion",
        rows: &["S0-02", "S1-08"],
        by_hand: "stickslip run scenes/free_top.toml",
        run: free_top,
    },
    Entry {
        id: "pyramid-deficit",
        title: "What a pyramid in place of the cone costs",
        rows: &["S0-10", "S1-21", "TR1"],
        by_hand: "stickslip run scenes/sliding_box.toml --cone pyramid:4 --set heading=pi/4",
        run: pyramid_deficit,
    },
    Entry {
        id: "painleve",
        title: "Painlevé's rod: no, one, two and three accelerations",
        rows: &["S0-15", "S0-16", "S2-07", "S2-55", "TR2"],
        by_hand: "stickslip accel scenes/planar/painleve-none.toml",
        run: painleve,
    },
    Entry {
        id: "stiff-damper",
        title: "A stiff damper: explicit steps blow up, linearly implicit ones do not",
        rows: &["S0-25", "S0-28", "S0-29"],
        by_hand: "stickslip run scenes/stiff_damper.toml --set damping=100",
        run: stiff_damper,
    },
    Entry {
        id: "cannonball",
        title: "The table of cannonball piles",
        rows: &["S0-53", "S0-54", "S0-55", "S0-56"],
        by_hand: "stickslip bench cannonball",
        run: cannonball,
    },
];

const SCENES: [(&str, &str); 10] = [
    scene!("backspin"),
    scene!("billiard"),
    scene!("box_stack"),
    scene!("colliding_boxes"),
    scene!("incline_slip"),
    scene!("incline_stick"),
    scene!("ladder"),
    scene!("rolling_sphere"),
    scene!("sliding_box"),
    scene!("static_and_kinetic"),
];

fn certificates(effort: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    let (mut residuals, mut bounds, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (file, text)) in SCENES.iter().enumerate() {
        let set: &[(&str, String)] = &effort.of(vec![], vec![("step.h", "0.001".to_string())]);
        let set = if *file == "scenes/sliding_box.toml" && effort == Effort::Quick {
            vec![("step.until", "2".into())]
        } else {
            set.to_vec()
        };
        let played = play(file, text, &set, 1)?;
        let name = file
            .trim_start_matches("scenes/")
            .trim_end_matches(".toml")
            .replace('_', " ");
        let worst = Residual::LAW
            .iter()
            .map(|r| played.outcome.worst[*r as usize].0)
            .fold(0.0, f64::max);
        // The first frame is the initial state: no step, no certificate.
        let steps = &played.trajectory.frames[1..];
        let bound = steps
            .iter()
            .map(|f| f.step.certificate.bound(played.trajectory.header.tolerance))
            .fold(0.0, f64::max);
        let holds = steps
            .iter()
            .all(|f| f.step.certificate.holds(played.trajectory.header.tolerance));
        shown.claim(
            &name,
            "the law holds in every step",
            format!(
                "{} steps: worst residual {} m/s, penetration {} m, equalities at {} of rounding",
                played.outcome.steps,
                number(worst),
                number(played.outcome.penetration.0),
                number(played.outcome.rounding.0)
            ),
            holds && played.outcome.certified(),
        );
        residuals.push((k as f64, worst.max(1e-18)));
        bounds.push((k as f64, bound));
        names.push(name);
    }
    let (file, text) = scene!("box_stack");
    let pyramid = play(file, text, &[("step.cone", "pyramid:8".into())], 1)?;
    let worst = Residual::LAW
        .iter()
        .map(|r| pyramid.outcome.worst[*r as usize].0)
        .fold(0.0, f64::max);
    shown.at_most(
        "pyramid of 8 directions put back into its conditions",
        1e-10,
        worst,
        "m/s",
    );
    let plot = Plot::new("Worst residual of the contact law in each scene")
        .x(Axis::names("", names))
        .y(Axis::log("residual", "m/s").range(1e-18, 1e-8))
        .bars("worst residual", &residuals)
        .points("largest bound of a step", &bounds)
        .size(900.0, 380.0)
        .note("Residuals recomputed by the judge from states, impulses and shapes. A residual of 0 is drawn at 1e-18.");
    shown.plot("Residuals against their bounds", &plot);
    Ok(shown)
}

fn free_top(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("free_top");
    let played = play(
        file,
        text,
        &[("step.until", effort.of("30", "100").into())],
        1,
    )?;
    let inertia = [1.0, 2.0, 3.0];
    let measured: Vec<(f64, f64, f64, f64)> = played
        .trajectory
        .frames
        .iter()
        .map(|f| {
            let body = &f.step.bodies[0];
            let w = body.pose.orientation.conjugate() * body.twist.angular;
            let momentum = [inertia[0] * w.x, inertia[1] * w.y, inertia[2] * w.z];
            let local = stickslip::prelude::DVec3::from_array(momentum);
            let world = body.pose.orientation * local;
            let first = stickslip::prelude::DVec3::from_array(inertia);
            let drift = (world - first).length() / first.length();
            (
                f.step.t,
                (0.5 * w.dot(local) / 3.0 - 1.0).abs(),
                drift,
                (body.pose.orientation.length() - 1.0).abs(),
            )
        })
        .collect();
    let most =
        |pick: fn(&(f64, f64, f64, f64)) -> f64| measured.iter().map(pick).fold(0.0, f64::max);
    let mut shown = Shown::default();
    shown.at_most("angular momentum, relative drift", 1e-10, most(|m| m.2), "");
    shown.at_most(
        "energy at h = 0.01 s, relative drift (falls as h²)",
        1e-4,
        most(|m| m.1),
        "",
    );
    shown.at_most("quaternion norm", 1e-14, most(|m| m.3), "");
    let half = play(
        file,
        text,
        &[
            ("step.until", effort.of("30", "100").into()),
            ("step.h", "0.005".into()),
        ],
        1,
    )?;
    let drift = |p: &super::entry::Played| {
        p.trajectory
            .frames
            .iter()
            .map(|f| (f.step.energy / 3.0 - 1.0).abs())
            .fold(0.0, f64::max)
    };
    shown.compare(
        "order of the energy drift in h",
        2.0,
        libm::log2(drift(&played) / drift(&half)),
        0.1,
        "",
    );
    let series = |pick: fn(&(f64, f64, f64, f64)) -> f64| -> Vec<(f64, f64)> {
        measured
            .iter()
            .step_by(10)
            .map(|m| (m.0, pick(m).max(1e-17)))
            .collect()
    };
    let plot = Plot::new("Drift of a free top with inertia 1, 2, 3")
        .x(Axis::linear("t", "s"))
        .y(Axis::log("relative drift", ""))
        .line("energy", &series(|m| m.1))
        .line("angular momentum, world frame", &series(|m| m.2))
        .line("quaternion norm", &series(|m| m.3));
    shown.plot("Torque-free motion, h = 0.01 s", &plot);
    Ok(shown)
}

fn pyramid_deficit(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("sliding_box");
    let mut shown = Shown::default();
    let (mut ours, mut theory) = (Vec::new(), Vec::new());
    for (n, printed, within) in [
        (4, 0.293, 5e-4),
        (8, 0.0761, 5e-5),
        (16, 0.0192, 5e-5),
        (32, 0.0048, 5e-5),
    ] {
        let until = 0.2;
        let set = [
            ("step.cone", format!("pyramid:{n}")),
            ("heading", format!("pi/{n}")),
            ("step.until", until.to_string()),
        ];
        let played = play(file, text, &set, 1)?;
        let speed = played
            .world
            .body("box")
            .ok_or("no box")?
            .twist
            .linear
            .length();
        // Halfway between two directions friction is μ N cos(π/n); 2 m/s at the start, μ = 0.5.
        let deficit = 1.0 - (2.0 - speed) / (0.5 * 9.81 * until);
        shown.compare(
            &format!("{n} directions: deficit between two of them"),
            printed,
            deficit,
            within,
            "",
        );
        ours.push((f64::from(n), deficit));
        theory.push((f64::from(n), 1.0 - libm::cos(PI / f64::from(n))));
    }
    let plot = Plot::new("Missing friction halfway between two directions")
        .x(Axis::log("directions n", ""))
        .y(Axis::log("deficit", ""))
        .points("a sliding box, from its deceleration", &ours)
        .line("1 − cos(π/n)", &theory)
        .dashed();
    shown.plot("The polygonal cone against the round one", &plot);
    Ok(shown)
}

fn stiff_damper(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("stiff_damper");
    let mut shown = Shown::default();
    // Two unit masses and the damper alone: each step multiplies the relative velocity by a number.
    let alone = text
        .replace("[0, 0, -0.1]", "[0, 0, 0]")
        .replace("20*cos(t)", "0*cos(t)")
        // Far enough not to meet while the velocity grows.
        .replace("position = [3, 0, 0.1]", "position = [300, 0, 0.1]")
        .replace(
            "position = [0, 0, 0.1]",
            "position = [0, 0, 0.1]\nvelocity = [1, 0, 0]",
        );
    let explicit = alone.replace("name = \"damper\"", "name = \"damper\"\nexplicit = true");
    for (how, text, factors) in [
        ("explicit", &explicit, [1.0, 9.0]),
        ("implicit", &alone, [1.0 / 3.0, 1.0 / 11.0]),
    ] {
        for (damping, printed) in [("20", 0), ("100", 1)] {
            let set = [
                ("damping", damping.to_string()),
                ("material.friction", "0".into()),
                ("step.until", "0.1".into()),
            ];
            let played = play(file, text, &set, 1)?;
            let relative = |k: usize| -> Result<f64, String> {
                let names = &played.trajectory.header.bodies;
                let of = |name: &str| {
                    names
                        .iter()
                        .position(|n| n == name)
                        .ok_or_else(|| format!("no body {name}"))
                };
                let bodies = &played
                    .trajectory
                    .frames
                    .get(k)
                    .ok_or("too few steps")?
                    .step
                    .bodies;
                Ok(bodies[of("left")?].twist.linear.x - bodies[of("right")?].twist.linear.x)
            };
            let factor = (relative(2)? / relative(1)?).abs();
            shown.compare(
                &format!("{how}, δ = {damping}: factor of the relative velocity a step"),
                factors[printed],
                factor,
                1e-6,
                "",
            );
        }
    }
    let mut plot =
        Plot::new("Two bodies with friction, a damper between them, 20 cos t on the left one")
            .x(Axis::linear("t", "s"))
            .y(Axis::linear("relative velocity", "m/s"));
    for damping in ["20", "100"] {
        let played = play(file, text, &[("damping", damping.into())], 1)?;
        let names = &played.trajectory.header.bodies;
        let of = |name: &str| {
            names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| format!("no body {name}"))
        };
        let (left, right) = (of("left")?, of("right")?);
        let line: Vec<(f64, f64)> = played
            .trajectory
            .frames
            .iter()
            .map(|f| {
                (
                    f.step.t,
                    f.step.bodies[left].twist.linear.x - f.step.bodies[right].twist.linear.x,
                )
            })
            .collect();
        plot = plot.line(&format!("δ = {damping} N s/m"), &line);
    }
    shown.plot("Linearly implicit steps of 0.05 s", &plot);
    Ok(shown)
}

fn cannonball(effort: Effort) -> Result<Shown, String> {
    use crate::bench_cannonball::{ROWS, TOLERANCE, pile, solve as solve_pile};
    use stickslip::prelude::{Cone, simulate};
    let mut shown = Shown::default();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for (base, mu, contacts, printed) in ROWS {
        let row = solve_pile(base, mu, Cone::Quadratic).map_err(|e| e.to_string())?;
        let words = printed.map_or("FAIL".to_string(), |s| format!("{s} s"));
        shown.claim(
            &format!("{} bodies, μ = {mu}", base * (base + 1) / 2),
            &format!("{contacts} contacts, {words}"),
            format!(
                "{} contacts, {} s, residual {} m/s, {}",
                row.contacts,
                number(row.seconds),
                number(row.residual),
                row.motion()
            ),
            row.residual <= TOLERANCE,
        );
        if let Some(seconds) = printed {
            theirs.push((contacts as f64, seconds));
        }
        ours.push((row.contacts as f64, row.seconds));
    }
    shown.notes.push("The document does not state its arrangement; ours are rows of k, k − 1, …, 1 balls. A line holds where the step is solved.".into());
    let plot = Plot::new("Time of the first step of a pile")
        .x(Axis::log("contacts", ""))
        .y(Axis::log("time", "s"))
        .points("the document, LCP", &theirs)
        .points("ours, exact cone", &ours);
    shown.plot("Seconds against contacts", &plot);
    let mut world = pile(effort.of(6, 10), 0.8, Cone::Quadratic).map_err(|e| e.to_string())?;
    let mut trajectory = stickslip::record::Trajectory::new();
    let header = stickslip::record::Header {
        bodies: world
            .model()
            .bodies
            .iter()
            .map(|b| b.name.clone())
            .collect(),
        h: world.settings().h,
        every: 1,
        tolerance: world.settings().tolerance,
        ..Default::default()
    };
    let until = 2.0 * header.h;
    simulate(&mut world, &header, until, &mut trajectory, &mut |_| {})
        .map_err(|e| e.to_string())?;
    let film = stickslip_view::Film::new(world.model(), &trajectory).map_err(|e| e.to_string())?;
    let options = stickslip_view::ShotOptions {
        caption: false,
        azimuth: -80.0,
        ..Default::default()
    };
    shown.drawing(
        "A pile and its contact forces after two steps",
        &film.shot(until, &options).map_err(|e| e.to_string())?,
    );
    Ok(shown)
}

/// The rod of the document: length 1 m, mass 1 kg, its tip sliding on the ground at an angle (rad).
fn rod(angle: f64, mu: f64) -> State {
    let mut state = State::new(1.0, libm::sqrt(1.0 / 12.0));
    let tip = [0.5 * libm::cos(angle), 0.5 * libm::sin(angle)];
    state.contacts = vec![Contact::new([0.0, 1.0], tip, mu)];
    state.force = [0.0, -9.81, 0.0];
    state.velocity = [-1.0, 0.0, 0.0];
    state
}

fn painleve(effort: Effort) -> Result<Shown, String> {
    let count = |angle: f64, mu: f64| -> Result<usize, String> {
        let answer = solve(&rod(angle, mu), &Options::default()).map_err(|e| e.to_string())?;
        Ok(answer.sets.len())
    };
    // Where the single solution is lost: by bisection on the enumeration alone.
    let onset = |degrees: f64| -> Result<f64, String> {
        let (mut low, mut high) = (1.0, 10.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if count(degrees.to_radians(), middle)? == 1 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    };
    let mut shown = Shown::default();
    shown.compare("onset of μ at 72°", 1.4591, onset(72.0)?, 1e-4, "");
    shown.compare(
        "smallest onset, at 63.435°",
        4.0 / 3.0,
        onset(63.434_948_822_922)?,
        1e-6,
        "",
    );
    for (file, text, expected) in [
        (
            scene!("planar/painleve-none").0,
            scene!("planar/painleve-none").1,
            0,
        ),
        (
            scene!("planar/painleve-one").0,
            scene!("planar/painleve-one").1,
            1,
        ),
        (
            scene!("planar/painleve-two").0,
            scene!("planar/painleve-two").1,
            2,
        ),
        (
            scene!("planar/painleve-three").0,
            scene!("planar/painleve-three").1,
            3,
        ),
    ] {
        let state = State::from_toml(text).map_err(|e| e.to_string())?;
        let found = solve(&state, &Options::default())
            .map_err(|e| e.to_string())?
            .sets
            .len();
        shown.claim(
            file,
            &format!("{expected} accelerations"),
            format!("{found} accelerations"),
            found == expected,
        );
    }
    let n = effort.of(60, 160);
    let mut cells = Vec::with_capacity(n * n);
    for j in 0..n {
        for i in 0..n {
            let angle = (i as f64 + 0.5) / n as f64 * 90.0;
            let mu = (j as f64 + 0.5) / n as f64 * 3.0;
            cells.push(if count(angle.to_radians(), mu)? == 0 {
                NONE
            } else {
                ONE
            });
        }
    }
    let formula = |degrees: f64| {
        let (s, c) = (
            libm::sin(degrees.to_radians()),
            libm::cos(degrees.to_radians()),
        );
        (1.0 + 3.0 * c * c) / (3.0 * s * c)
    };
    let curve: Vec<(f64, f64)> = (1..180)
        .map(|k| 0.5 * f64::from(k))
        .map(|d| (d, formula(d)))
        .filter(|p| p.1 <= 3.0)
        .collect();
    let plot = Plot::new("A rod whose tip slides: legal accelerations")
        .x(Axis::linear("angle of the rod", "°").range(0.0, 90.0))
        .y(Axis::linear("μ", "").range(0.0, 3.0))
        .image(Image {
            x: (0.0, 90.0),
            y: (0.0, 3.0),
            columns: n,
            cells,
        })
        .line("1 + 3 (cos² − μ sin cos) = 0", &curve)
        .coloured(colour::INK)
        .key("one acceleration", ONE)
        .key("none", NONE);
    shown.plot("Enumerated accelerations and the formula", &plot);
    Ok(shown)
}

const ONE: Colour = Colour::rgb(0xd6e6f2);
const NONE: Colour = Colour::rgb(0xe9a06b);
