//! S0: LCP methods for rigid bodies.

use super::entry::{Effort, Entry, Played, Shown, Source, number, play, scene};
use std::f64::consts::PI;
use stickslip::prelude::Residual;
use stickslip_plot::{Axis, Plot};

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
        run: super::s0_painleve::painleve,
    },
    Entry {
        id: "stiff-damper",
        title: "A stiff damper: explicit steps blow up, linearly implicit ones do not",
        rows: &["S0-25", "S0-28", "S0-29"],
        by_hand: "stickslip run scenes/stiff_damper.toml --set damping=100 -o damper.csv (explicit = true on its spring for the other)",
        run: stiff_damper,
    },
    Entry {
        id: "cannonball",
        title: "The table of cannonball piles",
        rows: &["S0-53", "S0-54", "S0-55", "S0-56", "TR4"],
        by_hand: "stickslip bench cannonball",
        run: super::s0_piles::cannonball,
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
            Source::Bound,
            &name,
            "every residual of every step within its bound",
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
    shown.about(&["S0-06"]);
    let [linear, angular] = momentum_drift()?;
    shown.at_most(
        "momentum of eight balls that collide in free space, relative drift",
        1e-12,
        linear,
        "",
    );
    shown.at_most(
        "their angular momentum about the origin, relative drift",
        1e-12,
        angular,
        "",
    );
    shown.about(&["S0-11"]);
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

/// Balls thrown at each other with nothing else there.
const CLOSED: &str = r#"
title = "Balls in free space"
gravity = [0, 0, 0]
[step]
h = 0.005
until = 2
[material]
friction = 0.4
[[body]]
name = "ball"
count = 8
shape = { ball = { radius = 0.2 } }
mass = "1 + i"
position = ["cos(pi*i/4)", "sin(pi*i/4)", "0.05*i"]
velocity = ["-cos(pi*i/4)", "-1.1*sin(pi*i/4)", "-0.04*i"]
angular-velocity = ["3 - i", 2, "0.5*i"]
"#;

/// Largest changes of momentum and angular momentum, in parts of what the balls have one by one.
fn momentum_drift() -> Result<[f64; 2], String> {
    use stickslip::prelude::DVec3;
    let played = play("free space", CLOSED, &[], 1)?;
    if played.outcome.contacts.1 == 0 {
        return Err("the balls never met".into());
    }
    let (mut scale, mut first, mut drift) = ([0.0; 2], None, [0.0_f64; 2]);
    for f in &played.trajectory.frames {
        let mut sum = [DVec3::ZERO; 2];
        let begins = first.is_none();
        for (i, body) in f.step.bodies.iter().enumerate() {
            let m = 1.0 + i as f64;
            let linear = body.twist.linear * m;
            let angular =
                body.pose.position.cross(linear) + body.twist.angular * (0.4 * m * 0.2 * 0.2);
            for (k, part) in [linear, angular].into_iter().enumerate() {
                sum[k] += part;
                if begins {
                    scale[k] += part.length();
                }
            }
        }
        let start: [DVec3; 2] = *first.get_or_insert(sum);
        for k in 0..2 {
            drift[k] = drift[k].max((sum[k] - start[k]).length() / scale[k]);
        }
    }
    Ok(drift)
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
    let drift = |p: &Played| {
        p.trajectory
            .frames
            .iter()
            .map(|f| (f.step.energy / 3.0 - 1.0).abs())
            .fold(0.0, f64::max)
    };
    shown.compare(
        Source::Derived,
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
    for n in [4, 8, 16, 32] {
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
        let expected = 1.0 - libm::cos(PI / f64::from(n));
        shown.compare(
            Source::Derived,
            &format!("{n} directions: deficit between two of them, 1 − cos(π/{n})"),
            expected,
            deficit,
            1e-9,
            "",
        );
        ours.push((f64::from(n), deficit));
        theory.push((f64::from(n), expected));
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
    let explicitly =
        |text: &str| text.replace("name = \"damper\"", "name = \"damper\"\nexplicit = true");
    // Far enough not to meet while the velocity grows.
    // Forces at the centres, so that none tips a body over.
    let apart = text
        .replace("position = [3, 0, 0.1]", "position = [1e12, 0, 0.1]")
        .replace("[0, 0, -0.1]", "[0, 0, 0]");
    // Two unit masses and the damper alone: each step multiplies the relative velocity by a number.
    let alone = apart.replace("20*cos(t)", "0*cos(t)").replace(
        "position = [0, 0, 0.1]",
        "position = [0, 0, 0.1]\nvelocity = [1, 0, 0]",
    );
    let mut shown = Shown::default();
    shown.about(&["S0-29"]);
    for (how, text, factors) in [
        ("explicit", explicitly(&alone), [1.0, 9.0]),
        ("implicit", alone.clone(), [1.0 / 3.0, 1.0 / 11.0]),
    ] {
        for (damping, expected) in [("20", factors[0]), ("100", factors[1])] {
            let set = [
                ("damping", damping.to_string()),
                ("material.friction", "0".into()),
                ("step.until", "0.1".into()),
            ];
            let slip = relative_velocity(&play(file, &text, &set, 1)?)?;
            let &[_, first, second, ..] = slip.as_slice() else {
                return Err("too few steps".into());
            };
            let formula = if how == "explicit" {
                "|1 − 2hδ|"
            } else {
                "1/(1 + 2hδ)"
            };
            shown.compare(
                Source::Derived,
                &format!("{how}, δ = {damping}: factor of the relative velocity a step, {formula}"),
                expected,
                (second.1 / first.1).abs(),
                1e-6,
                "",
            );
        }
    }
    let largest = |points: &[(f64, f64)]| points.iter().map(|p| p.1.abs()).fold(0.0, f64::max);
    // As long as the numbers stay of any use.
    let mut grows = Plot::new("The first steps, h = 0.05 s")
        .x(Axis::linear("t", "s"))
        .y(Axis::log("relative velocity", "m/s"))
        .size(480.0, 360.0);
    for (damping, says) in [("20", "no instability"), ("100", "instability")] {
        let set = [
            ("damping", damping.to_string()),
            ("step.until", "0.5".into()),
        ];
        let slip = relative_velocity(&play(file, &explicitly(&apart), &set, 1)?)?;
        let most = largest(&slip);
        shown.claim(
            Source::Printed,
            &format!("δ = {damping}, explicit: the first half second"),
            says,
            format!("relative velocity up to {} m/s", number(most)),
            (most > 100.0) == (damping == "100"),
        );
        // From the first step on: nothing slides at the start, which no logarithm shows.
        let stepped = slip.get(1..).unwrap_or_default();
        let sizes: Vec<(f64, f64)> = stepped.iter().map(|p| (p.0, p.1.abs())).collect();
        grows = grows.line(&format!("explicit, δ = {damping}"), &sizes);
    }
    shown.about(&["S0-28", "S0-25"]);
    let mut whole = Plot::new("The whole run, linearly implicit")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("relative velocity", "m/s"))
        .size(480.0, 360.0);
    for damping in ["20", "100"] {
        let slip = relative_velocity(&play(file, text, &[("damping", damping.into())], 1)?)?;
        shown.at_most(
            &format!("δ = {damping}, linearly implicit: relative velocity in 10 s"),
            1.0,
            largest(&slip),
            "m/s",
        );
        let name = format!("implicit, δ = {damping}");
        let start: Vec<(f64, f64)> = slip
            .iter()
            .map(|p| (p.0, p.1.abs()))
            .filter(|p| p.0 > 0.0 && p.0 <= 0.5)
            .collect();
        grows = grows.line(&name, &start).dashed();
        whole = whole.line(&name, &slip);
    }
    shown.drawing(
        "Two bodies with friction, a damper δ between them, 20 cos t on the left one: explicit steps with δ = 100 grow nine times each",
        &stickslip_plot::Sheet::new("", 2).plot(&grows).plot(&whole).drawing(),
    );
    Ok(shown)
}

/// How fast the left body of the stiff example nears the right one, at each time.
fn relative_velocity(played: &Played) -> Result<Vec<(f64, f64)>, String> {
    let (left, right) = (played.index_of("left")?, played.index_of("right")?);
    let at = |f: &stickslip::record::Frame| {
        let speed = |k: usize| f.step.bodies[k].twist.linear.x;
        (f.step.t, speed(left) - speed(right))
    };
    Ok(played.trajectory.frames.iter().map(at).collect())
}
