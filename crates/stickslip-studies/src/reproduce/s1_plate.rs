//! S1: the plate's motion, its parts, its velocity fields and the budget of errors.

use super::entry::{Effort, Entry, Shown, Source, number, play, scene};
use core::f64::consts::PI;
use stickslip::dynamics::converge::{Settings, converge};
use stickslip::prelude::{ContactImpulse, DVec3, Scene};
use stickslip_plot::{Axis, Plot};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "plate-fig3",
        title: "Figure 3: a plate that rocks about an axis below it",
        rows: &["S1-23"],
        by_hand: "stickslip run scenes/plate_rocking.toml -o rocking.html",
        run: rocking,
    },
    Entry {
        id: "plate-forces",
        title: "Figure 1: the forces on the part",
        rows: &["S1-09"],
        by_hand: "stickslip run scenes/scaled_circle.toml --until 0.06 -o circle.csv --contacts",
        run: forces,
    },
    Entry {
        id: "plate-parts",
        title: "A particle and a tripod on the scaled circle",
        rows: &["S1-30", "S1-32", "TR5"],
        by_hand: "stickslip run scenes/tripod.toml -o tripod.html",
        run: parts,
    },
    Entry {
        id: "plate-fields",
        title: "Velocity fields of the plate",
        rows: &["S1-01", "S1-03", "S1-07", "TR6"],
        by_hand: "stickslip field circle -o circle.svg",
        run: super::s1_fields::fields,
    },
    Entry {
        id: "plate-many-parts",
        title: "Many parts on a plate gather and collide",
        rows: &["S1-47"],
        by_hand: "stickslip run scenes/plate_parts.toml -o parts.html",
        run: many_parts,
    },
    Entry {
        id: "error-budget",
        title: "Where the error comes from: step, cone, geometry, linearised distances",
        rows: &["S1-44"],
        by_hand: "stickslip converge scenes/sliding_box.toml -o order.svg",
        run: budget,
    },
];

/// Gravity, the normal force W_n λ_n and friction W_f λ_f on the particle of the scaled circle, over two periods.
fn forces(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("scaled_circle");
    let played = play(file, text, &[("step.until", "0.06".to_string())], 1)?;
    let part = played.index_of("particle")?;
    let (mass, mu, lifting, turns) = (1e-3, 0.3, 8.0, 2.0 * PI * 33.0);
    let weight = DVec3::NEG_Z * (mass * 9.81);
    // Height of the plate: its acceleration is a sin(ωt + 3π/2). The part, at rest at first, goes from height to height.
    let plate = |t: f64| -lifting / (turns * turns) * libm::sin(turns * t + 1.5 * PI);
    let mut rising = 0.0;
    let (mut normal, mut along, mut across, mut bound) = (vec![], vec![], vec![], vec![]);
    let (mut newton, mut closed, mut cone): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for pair in played.trajectory.frames.windows(2) {
        let [before, now] = [&pair[0].step, &pair[1].step];
        let on_part = |c: &&ContactImpulse| c.contact.bodies.contains(&part);
        let contacts: Vec<_> = now.contacts.iter().filter(on_part).collect();
        let sum = |f: &dyn Fn(&ContactImpulse) -> DVec3| -> DVec3 {
            let each = |c: &&ContactImpulse| {
                if c.contact.bodies[1] == part {
                    f(c)
                } else {
                    -f(c)
                }
            };
            contacts.iter().map(each).sum::<DVec3>() / now.h
        };
        let push = sum(&|c| c.contact.normal * c.impulse.x);
        let friction = sum(&|c| c.world_impulse()) - push;
        let change = now.bodies[part].twist.linear - before.bodies[part].twist.linear;
        newton = newton.max((change * (mass / now.h) - weight - push - friction).length());
        let next = (plate(now.t) - plate(before.t)) / now.h;
        closed = closed.max((push.z - mass * (9.81 + (next - rising) / now.h)).abs());
        rising = next;
        cone = cone.max(friction.length() - mu * push.length());
        let at = |force: f64| (now.t * 1e3, force * 1e3);
        normal.push(at(push.z));
        bound.push(at(mu * push.z));
        along.push(at(friction.x));
        across.push(at(friction.y));
    }
    let size = weight.length();
    let mut shown = Shown::default();
    let sum = "m a less the weight, the normal force and friction, of the weight, at most";
    shown.at_most(sum, 1e-9, newton / size, "");
    let form = "the normal force against m (g + the plate's acceleration), of the weight, at most";
    shown.at_most(form, 1e-9, closed / size, "");
    shown.at_most(
        "friction above μ times the normal force, of the weight, at most",
        1e-12,
        cone / size,
        "",
    );
    let plot = Plot::new("Forces on a part of one gramme, mean over a step")
        .x(Axis::linear("t", "ms"))
        .y(Axis::linear("force", "mN"))
        .line("weight", &[(0.0, weight.z * 1e3), (60.0, weight.z * 1e3)])
        .line("normal force", &normal)
        .line("friction along x", &along)
        .line("friction along y", &across)
        .line("μ times the normal force", &bound)
        .dashed();
    shown.plot("Gravity, normal force and friction over two periods", &plot);
    Ok(shown)
}

fn rocking(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("plate_rocking");
    let set = [
        ("step.until", "0.03".to_string()),
        ("step.h", "1e-5".into()),
    ];
    let played = play(file, text, &set, 1)?;
    let plate = played.index_of("plate")?;
    let angle: Vec<(f64, f64)> = played
        .trajectory
        .frames
        .iter()
        .map(|f| {
            let q = f.step.bodies[plate].pose.orientation;
            (f.step.t * 1e3, -2e3 * libm::atan2(q.y, q.w))
        })
        .collect();
    let rate = |f: &stickslip::record::Frame| f.step.bodies[plate].twist.angular.length();
    let fastest = played
        .trajectory
        .frames
        .iter()
        .map(rate)
        .fold(0.0, f64::max);
    let least = angle.iter().map(|p| p.1).fold(0.0, f64::min);
    let mut shown = Shown::default();
    shown.tell(
        "motion of the plate",
        "equation 15 with α = 180, T = 0.03 s, axis 5 cm below",
        "the same formula, in the scene",
    );
    // θ at T/4: αT²/32 − αT²/16.
    shown.compare(
        Source::Derived,
        "least angle, −αT²/32",
        -180.0 * 0.03 * 0.03 / 32.0 * 1e3,
        least,
        1e-9,
        "mrad",
    );
    shown.compare(
        Source::Derived,
        "largest rate, αT/4",
        1.35,
        fastest,
        1e-9,
        "rad/s",
    );
    let ends = angle.last().map_or(f64::NAN, |p| p.1);
    shown.compare(
        Source::Derived,
        "angle after a period",
        0.0,
        ends,
        1e-9,
        "mrad",
    );
    let plot = Plot::new("Angle of the plate in one period")
        .x(Axis::linear("t", "ms"))
        .y(Axis::linear("angle", "mrad"))
        .line("", &angle);
    shown.plot("Equation 15: two parabolas", &plot);
    // The plate through the two ends of its turn, its surface 50 mm above the axis; turns twenty times as large.
    let surface = |milliradians: f64| -> Vec<(f64, f64)> {
        let (sin, cos) = libm::sincos(20e-3 * milliradians);
        let at = |x: f64| (x * cos - 50.0 * sin, x * sin + 50.0 * cos - 50.0);
        vec![at(-70.0), at(70.0)]
    };
    let sketch = Plot::new("A particle on a plate that rocks about an axis below it")
        .x(Axis::linear("x", "mm"))
        .y(Axis::linear("z", "mm").range(-60.0, 20.0))
        .equal()
        .line("plate, level", &surface(0.0))
        .line(
            "plate at the ends of its turn, twenty times as large",
            &surface(least),
        )
        .dashed()
        .line("", &surface(-least))
        .like(1)
        .dashed()
        .points("axis", &[(0.0, -50.0)])
        .points("particle at the start", &[(30.0, 0.0)]);
    shown.plot("Figure 3: the plate and its axis", &sketch);
    Ok(shown)
}

fn parts(effort: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    let until = effort.of("0.6", "5");
    let mut plot = Plot::new("Carried round by the scaled circle")
        .x(Axis::linear("x", "mm"))
        .y(Axis::linear("y", "mm"))
        .equal();
    for (name, (file, text), contacts) in [
        ("particle", scene!("scaled_circle"), 1),
        ("tripod", scene!("tripod"), 3),
    ] {
        let played = play(file, text, &[("step.until", until.into())], 1)?;
        let k = played.index_of(name)?;
        let path: Vec<(f64, f64)> = played
            .trajectory
            .frames
            .iter()
            .step_by(50)
            .map(|f| f.step.bodies[k].pose.position * 1e3)
            .map(|p| (p.x, p.y))
            .collect();
        shown.compare(
            if contacts == 3 {
                Source::Printed
            } else {
                Source::Derived
            },
            &format!("contacts of the {name}"),
            f64::from(contacts),
            played.outcome.contacts.1 as f64,
            0.0,
            "",
        );
        let start = path.first().copied().unwrap_or_default();
        shown.claim(
            Source::Printed,
            &format!("start and step, {name}"),
            "(4, 0), h = 0.0001 s",
            format!(
                "({}, {}) mm, h = {} s",
                number(start.0),
                number(start.1),
                number(played.trajectory.header.h)
            ),
            (start.0 - 40.0).abs() < 1e-9 && played.trajectory.header.h == 1e-4,
        );
        plot = plot.line(name, &path);
    }
    shown.plot(&format!("Particle and tripod, {until} s"), &plot);
    shown.notes.push("The paper speaks of the same part as before (a particle), of tripod support points and of three contacts: both are here. It prints (4, 0) without a unit; ours are centimetres.".into());
    Ok(shown)
}

fn many_parts(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("plate_parts");
    let until = effort.of(0.3, 1.5);
    let played = play(file, text, &[("step.until", until.to_string())], 1)?;
    let plate = played.index_of("plate")?;
    // Mean distance of the parts from the middle.
    let spread = |f: &stickslip::record::Frame| {
        let parts = f
            .step
            .bodies
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != plate);
        let far: Vec<f64> = parts
            .map(|(_, b)| 1e3 * b.pose.position.truncate().length())
            .collect();
        (f.step.t, far.iter().sum::<f64>() / far.len().max(1) as f64)
    };
    let frames = &played.trajectory.frames;
    let curve: Vec<(f64, f64)> = frames.iter().step_by(10).map(spread).collect();
    let (first, last) = (curve[0].1, curve[curve.len() - 1].1);
    let mut shown = Shown::default();
    shown.claim(
        Source::Derived,
        "mean distance of the parts from the middle of a sink",
        "falls",
        format!(
            "from {} to {} mm in {until} s, {} contacts active at most, every step certified",
            number(first),
            number(last),
            played.outcome.contacts.1
        ),
        last < first,
    );
    let plot = Plot::new("Parts gather in the middle of the plate")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("mean distance from the middle", "mm"))
        .line("", &curve);
    shown.plot("How far the parts are from the middle", &plot);
    let options = stickslip_view::ShotOptions {
        elevation: 45.0,
        forces: false,
        caption: false,
        height: 420.0,
        ..Default::default()
    };
    let film = played.film()?;
    shown.drawing(
        "The parts at the end of the run",
        &film.shot(until, &options).map_err(|e| e.to_string())?,
    );
    shown
        .notes
        .push("Future work of the paper, which prints nothing of it; the scene is ours.".into());
    Ok(shown)
}

fn budget(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("sliding_box");
    let overrides = [stickslip::dynamics::scene::Override::new(
        "step.until",
        "0.8",
    )];
    let scene = Scene::parse(text, file, &overrides).map_err(|e| e.to_string())?;
    let settings = Settings {
        halvings: effort.of(4, 7),
        quantity: None,
        wanted: None,
        directions: true,
    };
    let study = converge(&scene, &settings, &mut |_| ()).map_err(|e| e.to_string())?;
    let unit = study.quantity.unit();
    let mut shown = Shown::default();
    let bar = &study.bar;
    for (what, error) in [
        ("step", Some(bar.step)),
        ("cone", Some(bar.cone)),
        ("geometry", bar.geometry),
        ("linearised distances", bar.linearisation),
    ] {
        shown.tell(
            &format!("error by the {what}"),
            "to be quantified (future work)",
            error.map_or("none in this scene".into(), |e| {
                format!("{} {unit}", number(e))
            }),
        );
    }
    // 2 m/s, μ = 0.5, g = 9.81: v²/(2μg) in the direction of the scene's heading.
    let exact = 2.0 * 2.0 / (2.0 * 0.5 * 9.81);
    let heading = scene_heading(&study.quantity.name());
    if let Some(cosine) = heading {
        let off = (study.rungs[0].value - exact * cosine).abs();
        shown.claim(
            Source::Derived,
            "true error of the scene's own h, against the closed form",
            &format!("inside the bar of {} {unit}", number(bar.total())),
            format!("{} {unit}", number(off)),
            off <= 1.2 * bar.total(),
        );
    }
    shown.plot(
        "Distance from the extrapolated value, and what that is not sure of",
        &crate::order_plot::order_plot(&study),
    );
    Ok(shown)
}

/// Part of the stopping distance that a coordinate of the sliding box has: it is thrown at 30° from the x axis.
fn scene_heading(quantity: &str) -> Option<f64> {
    match quantity {
        "box.x" => Some(libm::cos(std::f64::consts::FRAC_PI_6)),
        "box.y" => Some(libm::sin(std::f64::consts::FRAC_PI_6)),
        _ => None,
    }
}
