//! `stickslip bench staggered`: how fast the staggered scheme converges on stored contact problems, and how far from
//! the exact law it ends.

use crate::statistics::median;
use crate::stored::folder::problem_files;
use crate::stored::read;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use stickslip::prelude::DVec3;
use stickslip::problems::stored::StoredProblem;
use stickslip::solvers::auto::Auto;
use stickslip::solvers::engines::staggered::{Staggered, StaggeredSettings};
use stickslip::solvers::limit::Limit;
use stickslip::solvers::problem::local::LocalProblem;
use stickslip::solvers::problem::residual::GlobalResidual;
use stickslip_console::{Failure, Verdict, print, print_json, seconds};

/// Residual in Siconos' scaling at which it has converged.
const TOLERANCE: f64 = 1e-8;

/// What became of one problem.
struct ProblemOutcome {
    name: String,
    contacts: usize,
    exchanges: usize,
    seconds: f64,
    residual: f64,
    /// Mean factor of the residual in an exchange, from the first to the best.
    rate: Option<f64>,
    /// |p − p*|/|p*| and |u − u*|/|q| to the answer of `auto`, which need not be the only one.
    distance: Option<(f64, f64)>,
    /// Why it ended.
    end: &'static str,
}

pub(crate) fn run(as_json: bool, folder: &Path, limit: f64) -> Result<Verdict, Failure> {
    if !as_json {
        print(&format!(
            "{:<48} {:>8} {:>9} {:>10} {:>9} {:>8} {:>9} {:>9}",
            "problem",
            "contacts",
            "exchanges",
            "time",
            "residual",
            "factor",
            "impulses",
            "velocity"
        ))?;
    }
    let mut rows = Vec::new();
    for path in &problem_files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let problem = match read(path) {
            Ok(StoredProblem::Contact(problem)) => problem,
            Ok(StoredProblem::Complementarity(_) | StoredProblem::Step(_)) => {
                print(&format!("{name:<48} is no contact problem"))?;
                continue;
            }
            Err(e) => {
                print(&format!("{name:<48} not read: {e}"))?;
                continue;
            }
        };
        let row = solved(name.into_owned(), &problem, limit);
        if !as_json {
            print(&row.text())?;
        }
        rows.push(row);
    }
    let converged = rows.iter().filter(|r| r.residual <= TOLERANCE).count();
    let mut rates: Vec<f64> = rows.iter().filter_map(|r| r.rate).collect();
    rates.sort_by(f64::total_cmp);
    if as_json {
        let rows: Vec<Value> = rows.iter().map(ProblemOutcome::json).collect();
        print_json(
            &json!({ "converged": converged, "median_factor": median(&rates), "rows": rows }),
        )?;
    } else {
        let factor = median(&rates).map_or("none".into(), |r| format!("{r:.2}"));
        print(&format!(
            "{converged} of {} converged to {TOLERANCE:.0e}; median factor in an exchange, of those that took several: {factor}",
            rows.len()
        ))?;
    }
    Ok(Verdict::Good)
}

fn solved(name: String, problem: &LocalProblem, limit: f64) -> ProblemOutcome {
    let n = problem.len();
    let inner = 0.1 * TOLERANCE * problem.speed();
    let mut p = vec![DVec3::ZERO; n];
    let mut history = Vec::new();
    let start = Instant::now();
    let clock = Limit::seconds(limit);
    let settings = StaggeredSettings::default();
    let mut watch = |residual| history.push(residual);
    let outcome = Staggered::default().solve_watched(problem, &mut p, inner, &settings, &mut watch);
    let seconds = start.elapsed().as_secs_f64();
    let late = clock.is_reached();
    drop(clock);
    let residual = GlobalResidual::new(problem, &p).siconos();
    let best = (0..history.len()).min_by(|&a, &b| history[a].total_cmp(&history[b]));
    let rate = best
        .filter(|&k| k > 0 && history[k] > 0.0)
        .map(|k| libm::pow(history[k] / history[0], 1.0 / k as f64));
    let exact = Auto::default().solve_local(problem, &[], 1e-2 * TOLERANCE);
    let distance = exact
        .ok()
        .map(|exact| distances(problem, &p, &exact.impulses));
    ProblemOutcome {
        name,
        contacts: n,
        exchanges: outcome.effort.iterations,
        seconds,
        residual,
        rate,
        distance,
        end: if residual <= TOLERANCE {
            ""
        } else if late {
            "time is up"
        } else {
            "no longer converges"
        },
    }
}

/// |p − p*|/|p*|, |u − u*|/|q|.
fn distances(problem: &LocalProblem, p: &[DVec3], exact: &[DVec3]) -> (f64, f64) {
    let (mut dp, mut pp, mut du, mut qq) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..problem.len() {
        dp += (p[i] - exact[i]).length_squared();
        pp += exact[i].length_squared();
        du += (problem.velocity(i, p) - problem.velocity(i, exact)).length_squared();
        qq += problem.q[i].length_squared();
    }
    let over = |a: f64, b: f64| if b > 0.0 { (a / b).sqrt() } else { a.sqrt() };
    (over(dp, pp), over(du, qq))
}

impl ProblemOutcome {
    fn text(&self) -> String {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.1e}"));
        format!(
            "{:<48} {:>8} {:>9} {:>10} {:>9.1e} {:>8} {:>9} {:>9}  {}",
            self.name,
            self.contacts,
            self.exchanges,
            seconds(self.seconds),
            self.residual,
            self.rate.map_or("-".into(), |r| format!("{r:.3}")),
            number(self.distance.map(|d| d.0)),
            number(self.distance.map(|d| d.1)),
            self.end
        )
    }

    fn json(&self) -> Value {
        json!({
            "file": self.name, "contacts": self.contacts, "exchanges": self.exchanges, "seconds": self.seconds,
            "residual": self.residual, "factor": self.rate, "impulse_distance": self.distance.map(|d| d.0),
            "velocity_distance": self.distance.map(|d| d.1), "converged": self.residual <= TOLERANCE,
        })
    }
}
