//! A result against one parameter, or a map of it over two; runs that stopped or were refused are marked.

use crate::error::SweepError;
use crate::folder::Stored;
use crate::row::Row;
use stickslip_plot::colour::scale;
use stickslip_plot::{Axis, Colour, Image, Plot};

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The result; the first unless given.
    pub of: Option<String>,
    /// One parameter or two; the first ones with more than one value unless given.
    pub over: Vec<String>,
}

const FAILED: Colour = Colour::rgb(0xc0_39_2b);

/// Draws a result of a sweep.
///
/// # Errors
/// Where there is no such result or parameter, or a parameter is no number.
pub fn plot(stored: &Stored, look: &Look) -> Result<Plot, SweepError> {
    let about = &stored.description;
    let wrong = |message: String| SweepError::Input(message);
    let result = match &look.of {
        None => (!about.of.is_empty()).then_some(0),
        Some(name) => about.of.iter().position(|n| n == name),
    };
    let result = result.ok_or_else(|| {
        wrong(format!(
            "no such result in the sweep; it has {}",
            if about.of.is_empty() {
                "none (give --of)".into()
            } else {
                about.of.join(", ")
            }
        ))
    })?;
    let place = |name: &String| {
        let found = about.parameters.iter().position(|n| n == name);
        found.ok_or_else(|| {
            wrong(format!(
                "`{name}` is no parameter of the sweep; it has {}",
                about.parameters.join(", ")
            ))
        })
    };
    let over = look.over.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let over = if over.is_empty() {
        let changes = |&k: &usize| {
            stored
                .rows
                .iter()
                .any(|r| r.values[k] != stored.rows[0].values[k])
        };
        (0..about.parameters.len())
            .filter(changes)
            .take(2)
            .collect()
    } else {
        over
    };
    let name = &about.of[result];
    match over[..] {
        [x] => line(stored, x, result, name),
        [x, y] => map(stored, (x, y), result, name),
        _ => Err(wrong("a plot is over one parameter or two".into())),
    }
}

fn number(stored: &Stored, row: &Row, k: usize) -> Result<f64, SweepError> {
    row.values[k].parse().map_err(|_| {
        let key = &stored.description.parameters[k];
        SweepError::Input(format!(
            "{key}={}: only numbers can be drawn over",
            row.values[k]
        ))
    })
}

fn line(stored: &Stored, x: usize, result: usize, name: &str) -> Result<Plot, SweepError> {
    let (mut good, mut failed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for row in &stored.rows {
        let at = number(stored, row, x)?;
        match row.results.get(result).copied().flatten() {
            Some(value) if row.state.ended() => good.push((at, value)),
            Some(value) => failed.push((at, value)),
            None => refused.push(at),
        }
    }
    good.sort_by(|a, b| a.0.total_cmp(&b.0));
    let floor = good
        .iter()
        .chain(&failed)
        .map(|p| p.1)
        .fold(f64::INFINITY, f64::min);
    let floor = if floor.is_finite() { floor } else { 0.0 };
    let refused: Vec<(f64, f64)> = refused.iter().map(|&x| (x, floor)).collect();
    let one_each = good.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let mut plot = Plot::new(&stored.description.scene_file)
        .x(Axis::linear(&stored.description.parameters[x], ""))
        .y(Axis::linear(name, ""));
    if one_each && good.len() > 1 {
        plot = plot.line("", &good);
    }
    plot = plot.points("came to its end", &good);
    if !failed.is_empty() {
        plot = plot.points("stopped", &failed).coloured(FAILED);
    }
    if !refused.is_empty() {
        plot = plot
            .points("refused (no value)", &refused)
            .coloured(Colour::rgb(0x80_80_80));
    }
    Ok(plot)
}

fn map(
    stored: &Stored,
    (x, y): (usize, usize),
    result: usize,
    name: &str,
) -> Result<Plot, SweepError> {
    let mut cells: Vec<(f64, f64, Option<f64>, bool)> = Vec::new();
    for row in &stored.rows {
        let at = (number(stored, row, x)?, number(stored, row, y)?);
        let value = row.results.get(result).copied().flatten();
        cells.push((at.0, at.1, value, row.state.ended()));
    }
    let ended = cells.iter().filter(|c| c.3).filter_map(|c| c.2);
    let (low, high) = ended.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    let colour = |value: f64| {
        let range = high - low;
        scale(if range > 0.0 {
            (value - low) / range
        } else {
            0.5
        })
    };
    let names = &stored.description.parameters;
    let mut plot = Plot::new(format!("{}: {name}", stored.description.scene_file))
        .x(Axis::linear(&names[x], ""))
        .y(Axis::linear(&names[y], ""));
    let (xs, ys) = (
        places(cells.iter().map(|c| c.0)),
        places(cells.iter().map(|c| c.1)),
    );
    if let (Some(dx), Some(dy)) = (even(&xs), even(&ys)) {
        let mut image = vec![Colour::rgb(0xff_ff_ff); xs.len() * ys.len()];
        for &(a, b, value, good) in &cells {
            let at = |all: &[f64], v: f64| all.iter().position(|&w| w == v).unwrap_or(0);
            let cell = &mut image[at(&ys, b) * xs.len() + at(&xs, a)];
            *cell = value.filter(|_| good).map_or(FAILED, colour);
        }
        plot = plot.image(Image {
            x: (xs[0] - 0.5 * dx, xs[xs.len() - 1] + 0.5 * dx),
            y: (ys[0] - 0.5 * dy, ys[ys.len() - 1] + 0.5 * dy),
            columns: xs.len(),
            cells: image,
        });
    } else {
        for &(a, b, value, good) in &cells {
            let shade = value.filter(|_| good).map_or(FAILED, colour);
            plot = plot.points("", &[(a, b)]).coloured(shade);
        }
    }
    if low <= high {
        for part in [0.0, 0.5, 1.0] {
            plot = plot.key(&format!("{:.4}", low + part * (high - low)), scale(part));
        }
    }
    let failed = cells.iter().filter(|c| !c.3).count();
    if failed > 0 {
        plot = plot.key(&format!("stopped or refused ({failed})"), FAILED);
    }
    Ok(plot)
}

/// The different numbers, sorted.
fn places(all: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = all.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The distance between numbers that are evenly spaced; 1 for a single one.
fn even(all: &[f64]) -> Option<f64> {
    let n = all.len();
    if n < 2 {
        return Some(1.0);
    }
    let step = (all[n - 1] - all[0]) / (n - 1) as f64;
    let off = |k: usize| (all[k] - all[0] - k as f64 * step).abs() > 1e-6 * step.abs() * n as f64;
    (!(0..n).any(off)).then_some(step)
}
