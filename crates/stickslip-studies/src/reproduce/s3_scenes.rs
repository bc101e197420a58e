//! S3: ragdolls, the feeder's gate, and contacts of the future.

use super::entry::{Effort, Entry, Shown, Source, number, play, scene};
use stickslip_plot::{Anchor, Axis, Plot, Sheet, colour};
use stickslip_view::ShotOptions;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "ragdolls",
        title: "Figure 3: two ragdolls",
        rows: &["S3-26"],
        by_hand: "stickslip run scenes/ragdolls.toml -o ragdolls.html",
        run: ragdolls,
    },
    Entry {
        id: "feeder-gate",
        title: "A gate sorts parts on a vibrating track",
        rows: &["S3-25"],
        by_hand: "stickslip run scenes/feeder_gate.toml -o gate.html",
        run: feeder_gate,
    },
    Entry {
        id: "future-contacts",
        title: "Pairs that might touch: penetration prevented, not corrected",
        rows: &["S3-27", "S3-28"],
        by_hand: "stickslip bench contacts",
        run: future_contacts,
    },
];

fn ragdolls(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("ragdolls");
    let until = effort.of(0.8, 3.0);
    let played = play(file, text, &[("step.until", until.to_string())], 1)?;
    let mut shown = Shown::default();
    let frames = &played.trajectory.frames;
    shown.tell(
        "two ragdolls",
        "a picture, no numbers",
        format!(
            "{} bodies, {} joints, {} steps, every one certified",
            played.trajectory.header.bodies.len(),
            frames.last().map_or(0, |f| f.step.joints.len()),
            played.outcome.steps
        ),
    );
    let gaps = frames.iter().flat_map(|f| &f.step.joints);
    let open = gaps
        .flat_map(|j| j.coordinates[..3].iter().map(|x| x.abs()))
        .fold(0.0, f64::max);
    shown.at_most("joints open by, ever", 1e-9, open, "m");
    shown.at_most("penetration, ever", 1e-6, played.outcome.penetration.0, "m");
    let energy: Vec<(f64, f64)> = frames.iter().map(|f| (f.step.t, f.step.energy)).collect();
    let gain = energy
        .windows(2)
        .map(|w| (w[1].1 - w[0].1) / energy[0].1)
        .fold(0.0, f64::max);
    shown.at_most(
        "energy gained in a step, in parts of the first",
        1e-3,
        gain,
        "",
    );
    let film = played.film()?;
    let mut sheet = Sheet::new("", 3);
    for part in [0.0, 0.55, 1.0] {
        let t = part * until;
        let options = ShotOptions {
            width: 360.0,
            height: 360.0,
            forces: false,
            caption: false,
            whole: true,
            ..ShotOptions::default()
        };
        let mut shot = film.shot(t, &options).map_err(|e| e.to_string())?;
        let words = format!("t = {} s", number(t));
        shot.text([180.0, 350.0], 13.0, Anchor::Middle, colour::INK, &words);
        sheet = sheet.part(shot);
    }
    shown.drawing(
        "Two ragdolls of eleven parts each fall on stairs",
        &sheet.drawing(),
    );
    let plot = Plot::new("Energy of the ragdolls")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("energy", "J"))
        .line("", &energy);
    shown.plot("Energy", &plot);
    shown.notes.push(format!("The document gives a picture and no numbers; the scene is ours. Run to {until} s here; to 10 s, when they have come to rest, in the tests."));
    Ok(shown)
}

fn feeder_gate(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("feeder_gate");
    let until = effort.of(1.0, 2.0);
    let played = play(file, text, &[("step.until", until.to_string())], 1)?;
    let mut shown = Shown::default();
    let mut plot = Plot::new("Parts on their way to the gate")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("x", "mm"));
    // The gate is from 28 to 32 mm; half of a part is 7 mm.
    for (name, passes) in [("flat[0]", true), ("flat[1]", true), ("standing", false)] {
        let k = played.index_of(name)?;
        let frames = played.trajectory.frames.iter().step_by(20);
        let x: Vec<(f64, f64)> = frames
            .map(|f| (f.step.t, 1e3 * f.step.bodies[k].pose.position.x))
            .collect();
        let end = 1e3 * played.end_of(name)?.x;
        shown.claim(
            Source::Derived,
            name,
            if passes {
                "lies flat, 4 mm high: passes the slit of 6 mm"
            } else {
                "stands, 10 mm high: is held where its front meets the gate, at 21 mm"
            },
            format!("at {} mm after {until} s", number(end)),
            if passes {
                end > 35.0
            } else {
                (end - 21.0).abs() < 1.0
            },
        );
        plot = plot.line(name, &x);
    }
    let plot = plot
        .line("gate", &[(0.0, 28.0), (until, 28.0)])
        .coloured(colour::GREY)
        .dashed();
    shown.plot(
        "Two flat parts pass the gate, the standing one is held",
        &plot,
    );
    let options = ShotOptions {
        forces: false,
        caption: false,
        height: 420.0,
        ..ShotOptions::default()
    };
    let film = played.film()?;
    shown.drawing(
        "The gate at the end of the run",
        &film.shot(until, &options).map_err(|e| e.to_string())?,
    );
    shown.notes.push(
        "The document says that such experiments were met and cites them; the scene is ours."
            .into(),
    );
    Ok(shown)
}

/// A ball that goes 10 m in a step towards a plate of 1 mm.
const BULLET: &str = r#"
title = "A ball at a kilometre a second"
gravity = [0, 0, 0]
[parameters]
speed = 1000
[step]
h = 0.01
until = 0.1
[[body]]
name = "plate"
motion = "fixed"
shape = { box = { size = [4, 4, 0.001] } }
[[body]]
name = "ball"
shape = { ball = { radius = 0.01 } }
mass = 1
position = [0.3, 0.2, "1 + 0.4321*speed*step_size"]
velocity = [0, 0, "-speed"]
"#;

fn future_contacts(_: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    shown.about(&["S3-28"]);
    for speed in ["1", "30", "1000"] {
        let text = BULLET.replace("step_size", "0.01");
        // Long enough to arrive at the lowest speed.
        let set = [
            ("speed", speed.to_string()),
            (
                "step.until",
                if speed == "1" { "1.5" } else { "0.1" }.into(),
            ),
        ];
        let played = play("a thin plate", &text, &set, 1)?;
        let z = played.end_of("ball")?.z;
        shown.claim(
            Source::Printed,
            &format!("a ball at {speed} m/s against a plate of 1 mm, h = 0.01 s"),
            "penetration is prevented",
            format!(
                "stops {} m before it, penetration {} m at most",
                number((z - 0.0105).abs()),
                number(played.outcome.penetration.0)
            ),
            z > 0.0105 - 1e-9 && played.outcome.penetration.0 < 1e-9,
        );
    }
    shown.about(&["S3-27"]);
    let mut bars = [Vec::new(), Vec::new()];
    let scenes = [
        ("box stack", scene!("box_stack")),
        ("cracked ramp", scene!("cracked_ramp")),
        ("tight hole", scene!("tight_hole")),
        ("colliding boxes", scene!("colliding_boxes")),
    ];
    for (k, (name, (file, text))) in scenes.iter().enumerate() {
        let played = play(file, text, &[], 1)?;
        let (might, do_touch) = played.outcome.contacts;
        shown.claim(
            Source::Printed,
            &format!("{name}: contacts in a step"),
            "those that might touch in the next step are known before",
            format!(
                "{might} candidates and {do_touch} that push at most, penetration {} m at most",
                number(played.outcome.penetration.0)
            ),
            might >= do_touch && played.outcome.penetration.0 < 1e-9,
        );
        bars[0].push((k as f64, might as f64));
        bars[1].push((k as f64, do_touch as f64));
    }
    let plot = Plot::new("Contacts in a step, at most")
        .x(Axis::names("", scenes.map(|s| s.0)))
        .y(Axis::linear("contacts", ""))
        .bars("might touch", &bars[0])
        .bars("push", &bars[1]);
    shown.plot("Candidates and contacts", &plot);
    Ok(shown)
}
