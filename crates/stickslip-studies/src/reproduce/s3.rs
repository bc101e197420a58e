//! S3: dvc3d.

use super::entry::{Effort, Entry, Shown, Source, play, scene};
use stickslip_plot::{Axis, Plot, Sheet};
use stickslip_view::ShotOptions;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "box-stack",
        title: "Figure 2: ten boxes dropped from 15 m stand",
        rows: &["S3-02", "S3-03", "S3-11", "TR13"],
        by_hand: "stickslip run scenes/box_stack.toml -o stack.html",
        run: box_stack,
    },
    Entry {
        id: "one-answer",
        title: "The same answer on any number of threads",
        rows: &["S3-04"],
        by_hand: "stickslip run scenes/box_stack.toml --threads 8",
        run: one_answer,
    },
    Entry {
        id: "rolling",
        title: "A ball launched sliding goes over to rolling",
        rows: &["S3-12"],
        by_hand: "stickslip run scenes/backspin.toml",
        run: rolling,
    },
    Entry {
        id: "hinge",
        title: "A pendulum on a hinge",
        rows: &["S3-20", "S0-05"],
        by_hand: "stickslip run scenes/pendulum.toml -o pendulum.html",
        run: hinge,
    },
];

fn hinge(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("pendulum");
    let h = effort.of(1e-3, 1e-4);
    let played = play(file, text, &[("step.h", h.to_string())], 1)?;
    let mut shown = Shown::default();
    // The angle is zero where x changes sign; between the first and the third time lies one period.
    let rod = played.index_of("rod")?;
    let x: Vec<(f64, f64)> = played
        .trajectory
        .frames
        .iter()
        .map(|f| (f.step.t, f.step.bodies[rod].pose.position.x))
        .collect();
    let crossings: Vec<f64> = x
        .windows(2)
        .filter(|w| w[0].1 * w[1].1 <= 0.0 && w[0].1 != w[1].1)
        .map(|w| w[0].0 + (w[1].0 - w[0].0) * w[0].1 / (w[0].1 - w[1].1))
        .collect();
    let period = match crossings.as_slice() {
        [first, _, third, ..] => third - first,
        _ => return Err("the pendulum does not swing".into()),
    };
    shown.compare(
        Source::Derived,
        "period from 1.2 rad (closed form)",
        1.801_056,
        period,
        2.0 * h,
        "s",
    );
    let coordinates = |k: usize| {
        played
            .trajectory
            .frames
            .iter()
            .filter_map(move |f| f.step.joints.first().map(|j| j.coordinates[k].abs()))
    };
    let open = (0..3).flat_map(coordinates).fold(0.0, f64::max);
    shown.at_most("gap of the joint, ever", 1e-9, open, "m");
    let plot = Plot::new("Centre of the rod")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("x", "m"))
        .line("", &x);
    shown.plot("Two periods", &plot);
    shown.drawing(
        "The pendulum at t = 0.5 s",
        &played
            .film()?
            .shot(0.5, &ShotOptions::default())
            .map_err(|e| e.to_string())?,
    );
    Ok(shown)
}

fn box_stack(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("box_stack");
    let played = play(file, text, &[], 1)?;
    let mut shown = Shown::default();
    let film = played.film()?;
    let mut sheet = Sheet::new("", 4);
    for t in [2.0, 4.0, 6.0, 8.0] {
        let options = ShotOptions {
            width: 260.0,
            height: 420.0,
            forces: false,
            caption: false,
            ..ShotOptions::default()
        };
        let mut shot = film.shot(t, &options).map_err(|e| e.to_string())?;
        shot.text(
            [130.0, 408.0],
            13.0,
            stickslip_plot::Anchor::Middle,
            stickslip_plot::colour::INK,
            &format!("t = {t} s"),
        );
        sheet = sheet.part(shot);
    }
    shown.drawing("The stack at 2, 4, 6 and 8 s", &sheet.drawing());
    // Impact: the first step in which the ground pushes.
    let header = &played.trajectory.header;
    let ground = played.index_of("ground")?;
    let frames = &played.trajectory.frames;
    let pushes = |f: &&stickslip::record::Frame| {
        f.step
            .contacts
            .iter()
            .any(|c| c.contact.bodies.contains(&ground) && c.impulse.x > 0.0)
    };
    let landing = frames.iter().find(pushes).ok_or("the stack never lands")?;
    shown.compare(
        Source::Derived,
        "time of the impact (g = 9.81 m/s², 15 m)",
        1.7487,
        landing.step.t,
        header.h,
        "s",
    );
    let before = frames
        .iter()
        .rfind(|f| f.step.t < landing.step.t - 0.5 * header.h)
        .ok_or("it lands at once")?;
    let fastest = before
        .step
        .bodies
        .iter()
        .map(|b| b.twist.linear.length())
        .fold(0.0, f64::max);
    shown.compare(
        Source::Derived,
        "speed just before (within g h)",
        17.155,
        fastest,
        9.81 * header.h,
        "m/s",
    );
    let last = &frames.last().ok_or("no frames")?.step;
    let mut offset = 0.0f64;
    let mut tilt = 0.0f64;
    for (_, body) in last.bodies.iter().enumerate().filter(|(k, _)| *k != ground) {
        offset = offset
            .max(body.pose.position.x.abs())
            .max(body.pose.position.y.abs());
        let up = body.pose.orientation * stickslip::prelude::DVec3::Z;
        tilt = tilt.max(libm::hypot(up.x, up.y));
    }
    shown.claim(
        Source::Printed,
        "the stack at 8 s",
        "stays stably in contact",
        if tilt < 1e-3 && offset < 1e-3 {
            "stands"
        } else {
            "has fallen"
        },
        tilt < 1e-3 && offset < 1e-3,
    );
    shown.at_most("lateral offset at 8 s", 1e-9, offset, "m");
    shown.at_most("tilt at 8 s", 1e-9, tilt, "rad");
    shown.at_most(
        "penetration, ever",
        1e-12,
        played.outcome.penetration.0,
        "m",
    );
    let energy: Vec<(f64, f64)> = frames.iter().map(|f| (f.step.t, f.step.energy)).collect();
    // The first frame is the initial state: no step, no certificate.
    let steps = &frames[1..];
    let residual: Vec<(f64, f64)> = steps
        .iter()
        .map(|f| (f.step.t, f.step.certificate.worst_of_law().1.max(1e-18)))
        .collect();
    let bound: Vec<(f64, f64)> = steps
        .iter()
        .map(|f| (f.step.t, f.step.certificate.bound(header.tolerance)))
        .collect();
    let energy = Plot::new("Energy of the stack")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("energy", "J"))
        .line("", &energy)
        .size(480.0, 320.0);
    let residual = Plot::new("Worst residual of the contact law")
        .x(Axis::linear("t", "s"))
        .y(Axis::log("residual", "m/s"))
        .line("residual", &residual)
        .line("bound", &bound)
        .dashed()
        .size(480.0, 320.0);
    shown.drawing(
        "Energy and certificate",
        &Sheet::new("", 2).plot(&energy).plot(&residual).drawing(),
    );
    Ok(shown)
}

fn one_answer(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("box_stack");
    let mut shown = Shown::default();
    let first = play(file, text, &[], 1)?.outcome.hash;
    for threads in [2, 8] {
        let hash = play(file, text, &[], threads)?.outcome.hash;
        shown.claim(
            Source::Printed,
            &format!("hash of all states on {threads} threads"),
            "the same result from the same state (where Bullet gives three)",
            if hash == first {
                format!("{}…, as on one thread", &hash[..12.min(hash.len())])
            } else {
                format!("{hash}, not {first} as on one thread")
            },
            hash == first,
        );
    }
    Ok(shown)
}

fn rolling(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("backspin");
    let h = effort.of(1e-3, 1e-4);
    let mut shown = Shown::default();
    let mut plot = Plot::new("Slip of a ball launched at 2 m/s, μ = 0.3")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("slip", "m/s"));
    // The slip v + ω r falls by 7/2 μ g: rolling begins at 2 s₀ / (7 μ g).
    for (name, spin) in [("no spin", 0.0), ("backspin 50 rad/s", 50.0)] {
        let set = [
            ("step.h", h.to_string()),
            ("backspin", spin.to_string()),
            ("step.until", "1.2".to_string()),
        ];
        let played = play(file, text, &set, 1)?;
        let ball = played.index_of("ball")?;
        let slip: Vec<(f64, f64)> = played
            .trajectory
            .frames
            .iter()
            .map(|f| {
                let twist = &f.step.bodies[ball].twist;
                (f.step.t, (twist.linear.x - 0.1 * twist.angular.y).abs())
            })
            .collect();
        let rolls = slip.iter().find(|p| p.1 < 1e-9).map_or(f64::NAN, |p| p.0);
        let expected = 2.0 * (2.0 + 0.1 * spin) / (7.0 * 0.3 * 9.81);
        shown.compare(
            Source::Derived,
            &format!("rolling begins, {name}: 2 s₀ / (7 μ g)"),
            expected,
            rolls,
            2.0 * h,
            "s",
        );
        plot = plot.line(name, &slip);
    }
    shown.plot("From slipping to rolling", &plot);
    Ok(shown)
}
