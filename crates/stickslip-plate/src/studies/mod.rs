//! The studies of the plate paper, each as a function that gives its table and its pictures: what was printed beside
//! what we find.
//!
//! The paper leaves open the coefficient of friction, the part's mass and the starting velocity; ours are μ = 0.3, a
//! particle (or a tripod) at rest on the plate, and the axis and the accelerations that it prints.

mod axis;
mod cones;
mod solve_time;
mod steady;
mod step_size;

pub use axis::{lift_off, nearer_axis};
pub use cones::{CONES, cone_error};
pub use solve_time::solve_time;
pub use steady::steady_velocity;
pub use step_size::step_size;

use crate::field::FieldError;
use stickslip_plot::Plot;

/// What a study found.
#[derive(Clone, Debug)]
pub struct Study {
    /// Name on the command line, such as `plate-fig4`.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Names and units of the columns.
    pub columns: Vec<(&'static str, &'static str)>,
    /// The numbers; NaN where there is none.
    pub rows: Vec<Vec<f64>>,
    /// What the paper printed beside what we find, one line each.
    pub findings: Vec<Finding>,
    /// Pictures, each with a name for its file.
    pub plots: Vec<(&'static str, Plot)>,
}

/// One statement of the paper and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is compared.
    pub what: String,
    /// What the paper prints, or what its formula gives.
    pub printed: String,
    /// What we find.
    pub ours: String,
}

impl Study {
    fn find(&mut self, what: &str, printed: impl Into<String>, ours: impl Into<String>) {
        self.findings.push(Finding {
            what: what.into(),
            printed: printed.into(),
            ours: ours.into(),
        });
    }

    /// The table as text for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![self.title.to_string()];
        let heads = self.columns.iter().map(|(name, unit)| {
            let head = if unit.is_empty() {
                (*name).to_string()
            } else {
                format!("{name} ({unit})")
            };
            format!("{head:>18}")
        });
        lines.push(heads.collect::<Vec<_>>().join(" "));
        const MOST: usize = 40;
        let every = self.rows.len().div_ceil(MOST).max(1);
        for row in self.rows.iter().step_by(every) {
            let cells = row.iter().map(|x| format!("{x:>18.6e}"));
            lines.push(cells.collect::<Vec<_>>().join(" "));
        }
        if every > 1 {
            let count = self.rows.len();
            lines.push(format!("(every {every}th of {count} rows)"));
        }
        for f in &self.findings {
            lines.push(format!(
                "  {}: printed {}; ours {}",
                f.what, f.printed, f.ours
            ));
        }
        lines.join("\n")
    }
}

/// A study that can be asked for by name.
pub type Run = fn(Effort) -> Result<Study, FieldError>;

/// How much to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Coarse steps: seconds.
    Quick,
    /// As the figures in the documentation: minutes.
    Full,
}

/// All studies by name.
pub const STUDIES: [(&str, Run); 6] = [
    ("plate-fig4", steady_velocity),
    ("plate-fig5", cone_error),
    ("plate-fig6", solve_time),
    ("plate-step-size", step_size),
    ("plate-nearer-axis", nearer_axis),
    ("plate-lift-off", lift_off),
];

/// Slope of log y against log x by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|&(x, y)| (libm::log(x), libm::log(y)))
        .collect();
    let n = logs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(&|l| l.0), mean(&|l| l.1));
    let sxy = mean(&|l| (l.0 - mx) * (l.1 - my));
    sxy / mean(&|l| (l.0 - mx) * (l.0 - mx))
}
