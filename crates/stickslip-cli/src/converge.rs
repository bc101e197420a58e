//! `stickslip converge`: how large is my error, and which h should I use?

use crate::options::{overrides, paintable, quoted, title_of, unpainted};
use serde_json::json;
use std::path::PathBuf;
use stickslip::dynamics::converge::{
    ConvergeError, OrderAtEvent, Others, Quantity, Settings, Study, converge,
};
use stickslip::prelude::Scene;
use stickslip_console::{Failure, Verdict, clean_time, print_as, progress_bar};
use stickslip_studies::order_plot::order_plot;

/// How large is my error, and which h should I use?
///
/// Runs the scene with h, h/2, h/4 … and with pyramids of 4 to 32 directions, and compares the answers: observed
/// orders and the events at which they are lost, Richardson's value, the error bar of the scene's own h in its
/// parts, and the h for a wanted error.
///
/// Example: stickslip converge scenes/sliding_box.toml --quantity box.x --error 1e-4 -o order.svg
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scene file (TOML)
    scene: PathBuf,
    /// What to look at: BODY.x, .y, .z, .qs … .wz, .speed, or energy; the coordinate known worst by default
    #[arg(long, value_name = "Q")]
    quantity: Option<String>,
    /// Halvings of h
    #[arg(long, value_name = "N", default_value_t = 5)]
    halvings: usize,
    /// The error for which h is recommended; a tenth of the present one by default
    #[arg(long, value_name = "E")]
    error: Option<f64>,
    /// Time-stepping method
    #[arg(long, value_name = "M")]
    method: Option<String>,
    /// Largest step, s
    #[arg(long, value_name = "H")]
    h: Option<String>,
    /// Set a parameter of the scene or a key such as material.friction (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Do not run pyramids
    #[arg(long)]
    no_directions: bool,
    /// Draw the errors: .svg or .png
    #[arg(short, long = "output", value_name = "OUT")]
    output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let bad = |e: &dyn std::error::Error| Failure::Input(e.to_string());
        let flags = [
            ("--h", "step.h", &self.h),
            ("--method", "step.method", &self.method),
        ];
        let overrides = overrides(&self.set, &flags)?;
        if self.error.is_some_and(|e| !(e > 0.0 && e.is_finite())) {
            return Err(Failure::Input("--error must be positive".into()));
        }
        self.output.as_deref().map_or(Ok(()), paintable)?;
        let scene = Scene::read(&self.scene, &overrides)?;
        let quantity = self.quantity.as_deref().map(Quantity::parse).transpose();
        let settings = Settings {
            halvings: self.halvings,
            quantity: quantity.map_err(|e| bad(&e))?,
            wanted: self.error,
            directions: !self.no_directions,
        };
        let bar = progress_bar(self.halvings as u64 + 6, "run", self.quiet || self.json);
        let study = converge(&scene, &settings, &mut |_| bar.inc(1));
        bar.finish_and_clear();
        let study = match study {
            Ok(study) => study,
            Err(e @ ConvergeError::Step { .. }) => return Err(Failure::Work(e.to_string())),
            Err(ConvergeError::Scene(e)) => return Err(e.into()),
            Err(e) => return Err(bad(&e)),
        };
        if let Some(path) = &self.output {
            order_plot(&study).write(path).map_err(unpainted)?;
        }
        print_as(
            self.json,
            || json_of(&study),
            || self.text_of(&scene, &study),
        )?;
        Ok(Verdict::Good)
    }

    fn text_of(&self, scene: &Scene, s: &Study) -> String {
        let mut lines = vec![format!(
            "{}: {} at t = {} s, method {}",
            title_of(scene),
            s.quantity.name(),
            scene.step.until,
            scene.step.method.name()
        )];
        if self.quantity.is_none() {
            let why = "the coordinate in which the two finest runs differ most; --quantity looks at another number";
            lines.push(format!("  looked at    {}, {why}", s.quantity.name()));
        }
        add_ladder(s, &mut lines);
        lines.extend(range_text(s));
        add_bar(s, &mut lines);
        add_events(s, &mut lines);
        lines.push(recommendation(s));
        lines.extend(others_text(s));
        if let Some(path) = &self.output {
            lines.push(format!("  written      {}", path.display()));
        }
        lines.join("\n")
    }
}

/// The runs, h falling, and what they tend to.
fn add_ladder(s: &Study, lines: &mut Vec<String>) {
    let unit = s.quantity.unit();
    lines.push(format!(
        "  {:>12} {:>8} {:>24} {:>12} {:>7}",
        "h (s)",
        "steps",
        format!("value ({unit})"),
        "off by",
        "order"
    ));
    for r in &s.rungs {
        lines.push(format!(
            "  {:>12.6e} {:>8} {:>24.16} {:>12.3e} {:>7}",
            r.h,
            r.steps,
            r.value,
            (r.value - s.extrapolated).abs(),
            order_text(r.order)
        ));
    }
    lines.push(format!(
        "  Richardson   {:.16} ± {:.1e} {unit}, with order {}",
        s.extrapolated, s.uncertainty, s.order
    ));
    for (n, value) in &s.directions {
        lines.push(format!(
            "  {n:>3} directions  {value:.16}, {:.3e} from the exact cone",
            (value - s.exact_cone).abs()
        ));
    }
}

/// Where the orders are not settled, and what that means for the rest.
fn range_text(s: &Study) -> Option<String> {
    if s.asymptotic {
        return None;
    }
    let [.., a, b] = s.rungs.as_slice() else {
        return None;
    };
    Some(format!(
        "  not in the asymptotic range: the last two orders are {} and {}, so the error below is no more than the change from run to\n  \
         run; smaller steps (--halvings {}) may settle it, a jump such as a collision met or missed does not",
        order_text(a.order),
        order_text(b.order),
        s.rungs.len() + 1
    ))
}

/// The error of the scene's own h, in its parts.
fn add_bar(s: &Study, lines: &mut Vec<String>) {
    let b = &s.bar;
    lines.push(format!(
        "  error of h = {} s: {:.2e} {}",
        s.rungs[0].h,
        b.total(),
        s.quantity.unit()
    ));
    lines.push(format!("    step           {:.2e}", b.step));
    if let Some(l) = b.linearisation {
        lines.push(format!(
            "    of which gaps linearised over the step {l:.2e}"
        ));
    }
    lines.push(format!("    cone           {:.2e}", b.cone));
    lines.push(match b.geometry {
        Some(g) if s.sagitta == 0.0 => format!("    geometry       {g:.2e} (shapes are exact)"),
        Some(g) => format!(
            "    geometry       {g:.2e} (facets moved by their sagitta, {:.1e} m)",
            s.sagitta
        ),
        None => format!(
            "    geometry       not known: with facets moved by their sagitta, {:.1e} m, the scene does not run",
            s.sagitta
        ),
    });
}

/// Where the order is lost.
fn add_events(s: &Study, lines: &mut Vec<String>) {
    for e in lost(&s.events) {
        lines.push(format!(
            "  order {} → {} at t = {:.6} s: {} and {} go from {} to {}",
            order_text(e.before),
            order_text(e.after),
            e.event.t,
            e.event.bodies[0],
            e.event.bodies[1],
            e.event.modes[0].name(),
            e.event.modes[1].name()
        ));
    }
}

/// The h for the wanted error.
fn recommendation(s: &Study) -> String {
    let ((wanted, h), unit) = (s.recommended, s.quantity.unit());
    match h {
        Some(h) => format!("  for an error of {wanted:.1e} {unit} use h = {h:.2e} s"),
        None if !s.asymptotic => format!(
            "  no h is recommended: while the orders are not settled, none can be told that gives an error of {wanted:.1e} {unit}"
        ),
        None => format!(
            "  an error of {wanted:.1e} {unit} is not to be had with this cone: it alone makes {:.1e}",
            s.bar.cone
        ),
    }
}

/// What else could be looked at, where this has no order.
fn others_text(s: &Study) -> Option<String> {
    let others = s.others.as_ref()?;
    let Others { all, settled, .. } = others;
    Some(match &others.worst {
        Some((quantity, error)) => format!(
            "  of the {all} coordinates of bodies {settled} are settled; the one of them that is known worst is off by {error:.2e} m: --quantity {}",
            quoted(&quantity.name())
        ),
        None => format!("  of the {all} coordinates of bodies none is settled"),
    })
}

fn order_text(order: Option<f64>) -> String {
    order.map_or("-".into(), |p| format!("{p:.2}"))
}

/// The events at which the order changes by more than a quarter, the first ten.
fn lost(events: &[OrderAtEvent]) -> impl Iterator<Item = &OrderAtEvent> {
    let changes = |e: &&OrderAtEvent| match (e.before, e.after) {
        (Some(a), Some(b)) => (a - b).abs() > 0.25,
        (None, Some(_)) => true,
        _ => false,
    };
    events.iter().filter(changes).take(10)
}

fn json_of(s: &Study) -> serde_json::Value {
    let rungs: Vec<_> = s
        .rungs
        .iter()
        .map(|r| json!({ "h": clean_time(r.h), "steps": r.steps, "value": r.value, "order": r.order }))
        .collect();
    let events: Vec<_> = s
        .events
        .iter()
        .map(|e| {
            json!({ "t": e.event.t, "bodies": e.event.bodies,
                    "from": e.event.modes[0].name(), "to": e.event.modes[1].name(),
                    "order_before": e.before, "order_after": e.after })
        })
        .collect();
    let directions: Vec<_> = s
        .directions
        .iter()
        .map(|(n, v)| json!({ "directions": n, "value": v, "error": (v - s.exact_cone).abs() }))
        .collect();
    json!({
        "quantity": s.quantity.name(), "unit": s.quantity.unit(), "rungs": rungs,
        "order": s.order, "extrapolated": s.extrapolated, "uncertainty": s.uncertainty, "asymptotic": s.asymptotic,
        "error": { "total": s.bar.total(), "step": s.bar.step, "cone": s.bar.cone,
                   "geometry": s.bar.geometry, "linearisation": s.bar.linearisation },
        "directions": directions, "events": events,
        "recommended": { "error": s.recommended.0, "h": s.recommended.1.map(clean_time) },
        "others": s.others.as_ref().map(|o| json!({
            "coordinates": o.all, "settled": o.settled,
            "worst": o.worst.as_ref().map(|(q, error)| json!({ "quantity": q.name(), "error": error })),
        })),
    })
}
