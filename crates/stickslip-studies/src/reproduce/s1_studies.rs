//! S1: the figures of the plate paper, from the studies of the plate.

use super::entry::{Effort, Entry, Shown, Source, number, slope};
use stickslip_plate::studies::{self, Run, Study};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "plate-fig4",
        title: "Figure 4: steady velocity over a rocking plate",
        rows: &["S1-25", "S1-28"],
        by_hand: "stickslip field rocking",
        run: steady_velocity,
    },
    Entry {
        id: "plate-fig5",
        title: "Figure 5: error against the number of directions",
        rows: &["S1-34", "S1-35", "S1-41"],
        by_hand: "stickslip compare of two runs of scenes/scaled_circle.toml, --cone quadratic and pyramid:8",
        run: cone_error,
    },
    Entry {
        id: "plate-fig6",
        title: "Figure 6: time of a solve against the number of directions",
        rows: &["S1-37", "S1-38", "S1-39", "S1-40"],
        by_hand: "stickslip bench plate",
        run: solve_time,
    },
    Entry {
        id: "plate-time",
        title: "Time of a run of 5 s, three contacts: 32 directions against the cone",
        rows: &["S1-36"],
        by_hand: "stickslip bench plate",
        run: run_time,
    },
    Entry {
        id: "plate-nearer-axis",
        title: "An axis nearer to the plate: parts stick",
        rows: &["S1-27"],
        by_hand: "stickslip field rocking-near",
        run: nearer_axis,
    },
    Entry {
        id: "plate-lift-off",
        title: "Where parts leave the plate",
        rows: &["S1-26"],
        by_hand: "stickslip field rocking --half 0.08",
        run: lift_off,
    },
];

/// A study of the plate, and its plots with their captions.
fn study(run: Run, effort: Effort, captions: &[&str]) -> Result<(Study, Shown), String> {
    let study =
        run(effort.of(studies::Effort::Quick, studies::Effort::Full)).map_err(|e| e.to_string())?;
    if study.plots.len() != captions.len() {
        return Err(format!("{}: {} plots", study.id, study.plots.len()));
    }
    let mut shown = Shown::default();
    for ((_, plot), caption) in study.plots.iter().zip(captions) {
        shown.plot(caption, plot);
    }
    Ok((study, shown))
}

fn steady_velocity(effort: Effort) -> Result<Shown, String> {
    let (study, mut shown) = study(
        studies::steady_velocity,
        effort,
        &["Mean velocity in each period beside b r + c r³ at the mean place"],
    )?;
    let ratio = |k: usize| study.rows[k][2] / study.rows[k][3];
    let times = |k: usize| format!("{} times the formula", number(ratio(k)));
    shown.claim(
        Source::Printed,
        "first period",
        "much larger than the predicted steady velocity",
        times(0),
        ratio(0) > 1.2,
    );
    shown.claim(
        Source::Printed,
        "after 30 periods",
        "appears to converge to the steady velocity",
        times(30),
        (ratio(30) - 1.0).abs() < 0.05,
    );
    let rate = |k: usize, l: usize| (study.rows[k][l] / study.rows[k][1], study.rows[k][1]);
    let (b, r) = rate(60, 2);
    shown.claim(
        Source::Derived,
        "v/r after 60 periods",
        &format!(
            "{} 1/s by the formula, of leading order only",
            number(rate(60, 3).0)
        ),
        format!("{} 1/s at r = {} mm", number(b), number(r * 1e3)),
        (ratio(60) - 1.0).abs() < 0.03,
    );
    shown.notes.push("The paper cites b and c and prints neither; they are derived here with μ = 0.3, which it does not print either. The true motion differs from the leading order by 1.4 % in b.".into());
    Ok(shown)
}

fn cone_error(effort: Effort) -> Result<Shown, String> {
    let (study, mut shown) = study(
        studies::cone_error,
        effort,
        &[
            "Figure 5a: trajectories, ticks every 0.3 s",
            "The ends of the trajectories, larger",
            "Figure 5b: distance from the trajectory of the exact cone",
            "The error after 5 s against the number of directions",
        ],
    )?;
    let errors: Vec<(f64, f64)> = study.rows.iter().map(|r| (r[0], r[1])).collect();
    shown.about(&["S1-35"]);
    shown.claim(
        Source::Printed,
        "more directions",
        "increasingly improve the trajectory",
        errors
            .iter()
            .map(|e| format!("{}: {} mm", e.0, number(e.1 * 1e3)))
            .collect::<Vec<_>>()
            .join(", "),
        errors.windows(2).all(|w| w[1].1 < w[0].1),
    );
    shown.compare(
        Source::Derived,
        "the error falls as n_d to the power, from 32 to 64",
        -1.0,
        slope(&errors[3..]),
        0.15,
        "",
    );
    shown.about(&["S1-41"]);
    let eight = errors[1].1;
    shown.claim(
        Source::Printed,
        "8 directions",
        "insufficient for accurate simulations",
        format!(
            "{} mm off after 5 s on a circle of 4 cm",
            number(eight * 1e3)
        ),
        eight > 0.01 * 0.04,
    );
    Ok(shown)
}

fn solve_time(effort: Effort) -> Result<Shown, String> {
    let (study, mut shown) = study(
        studies::solve_time,
        effort,
        &["Time of one solve: LCP with d directions, and the exact cone"],
    )?;
    let rows = &study.rows;
    shown.about(&["S1-37"]);
    let as_printed = rows.iter().all(|r| r[1] == 12.0 + 3.0 * r[0]);
    shown.claim(
        Source::Printed,
        "size of the LCP",
        "12 + 3d",
        if as_printed {
            "12 + 3d for every d"
        } else {
            "another"
        },
        as_printed,
    );
    shown.about(&["S1-38"]);
    let times = |d: f64| rows.iter().find(|r| r[0] == d).map_or(f64::NAN, |r| r[2]);
    let doubled = [4.0, 8.0, 16.0, 32.0].map(times);
    shown.claim(
        Source::Printed,
        "time of the LCP with 4, 8, 16, 32 directions",
        "grows with the directions",
        format!("{} µs", doubled.map(number).join(", ")),
        doubled.windows(2).all(|w| w[1] > w[0]),
    );
    shown.about(&["S1-39"]);
    let crossover = rows.iter().find(|r| r[2] > r[3]).map_or(f64::NAN, |r| r[0]);
    shown.compare(
        Source::Printed,
        "directions from which the LCP is slower than the cone",
        8.0,
        crossover,
        2.0,
        "",
    );
    shown.because("the solvers are others: PATH there, here Lemke's method for the LCP and Newton's for the cone, which is faster than the LCP with the fewest directions there are");
    shown.about(&["S1-40"]);
    let slower = rows.iter().filter(|r| r[0] >= 8.0).all(|r| r[2] > r[3]);
    shown.claim(
        Source::Printed,
        "from 8 directions on",
        "the cone is more accurate and faster",
        format!(
            "cone {} µs, LCP with 8 directions {} µs",
            number(rows[0][3]),
            number(times(8.0))
        ),
        slower,
    );
    Ok(shown)
}

fn run_time(effort: Effort) -> Result<Shown, String> {
    use stickslip::prelude::Cone;
    let until = effort.of(0.5, 5.0);
    let micros = |cone: Cone| crate::bench::plate::micros(cone, until).map_err(|e| e.to_string());
    let (exact, pyramid) = (micros(Cone::Quadratic)?, micros(Cone::Pyramid(32))?);
    let mut shown = Shown::default();
    let whole = |micros: f64| format!("{} s, {} µs a step", number(micros * 0.05), number(micros));
    shown.tell(
        "5 s with 32 directions",
        "slightly over 2 minutes (Pentium M, 1.6 GHz)",
        whole(pyramid),
    );
    shown.tell(
        "5 s with the exact cone",
        "a little over 20 s (same machine)",
        whole(exact),
    );
    shown.claim(
        Source::Printed,
        "which is faster",
        "the cone",
        if exact < pyramid {
            "the cone"
        } else {
            "32 directions"
        },
        exact < pyramid,
    );
    shown.compare(
        Source::Printed,
        "how many times as long 32 directions take",
        6.0,
        pyramid / exact,
        1.5,
        "",
    );
    shown.because(
        "the solvers are others: PATH on the LCP there, while here both start from the last step's impulses",
    );
    shown.notes.push(format!("A tripod on the scaled circle, h = 1e-4 s, {until} s of it run, recorded and certified; times of this machine, on its processor where the system tells."));
    Ok(shown)
}

fn nearer_axis(effort: Effort) -> Result<Shown, String> {
    let (study, mut shown) = study(
        studies::nearer_axis,
        effort,
        &["Fractions of the time that a particle 2 cm from the foot of the axis sticks and slides"],
    )?;
    // A reversal of the slip shows as a step or two of stick.
    let sticks = |r: &&Vec<f64>| r[3] * effort.of(300.0, 3000.0) > 4.0;
    let first = study.rows.iter().find(sticks).map_or(f64::NAN, |r| r[0]);
    let bound = study.rows.iter().find(|r| r[0] <= r[2]);
    let last = study.rows.last().map_or(f64::NAN, |r| r[3]);
    shown.claim(
        Source::Printed,
        "axis closer to the plate",
        "sticks during portions of each cycle",
        format!(
            "never with the axis 5 cm below, from {} mm down it does; {} of the time at 5 mm",
            number(first * 1e3),
            number(last)
        ),
        first < 0.05 && last > 0.0,
    );
    shown.compare(
        Source::Derived,
        "depth from which it sticks, μ(g + α|r|)/α to leading order, looked for in steps of 1 mm",
        bound.map_or(f64::NAN, |r| r[0]) * 1e3,
        first * 1e3,
        1.001,
        "mm",
    );
    Ok(shown)
}

fn lift_off(effort: Effort) -> Result<Shown, String> {
    let (study, mut shown) = study(
        studies::lift_off,
        effort,
        &["Fractions of the time in the air and sliding, by the distance from the axis"],
    )?;
    let first = study.rows.iter().find(|r| r[1] > 0.0);
    let first = first.map_or(f64::NAN, |r| r[0]);
    shown.claim(
        Source::Printed,
        "α = 180, T = 0.03 s, axis 5 cm below",
        "contact is kept near the axis, as the analysis needs",
        format!("kept up to {} mm from its foot", number(first * 1e3)),
        first > 0.05,
    );
    shown.compare(
        Source::Derived,
        "distance from which contact is lost, g/α to leading order, looked for in steps of 1 mm",
        9.81 / 180.0 * 1e3,
        first * 1e3,
        2.0,
        "mm",
    );
    Ok(shown)
}
