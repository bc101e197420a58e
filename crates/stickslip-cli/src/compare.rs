//! `stickslip compare`: the distance between two trajectories over time.

use serde_json::json;
use std::path::PathBuf;
use stickslip::record::{Comparison, Metric, States, compare};
use stickslip_console::{Failure, Verdict, print_as, time};

/// Distance between two trajectories over time
///
/// Bodies are matched by name. Where the second trajectory has no state at a time of the first, it is
/// interpolated.
///
/// Example: stickslip compare coarse.parquet fine.parquet --metric dist
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first trajectory (.parquet or .csv): its times are used
    a: PathBuf,
    /// The second trajectory
    b: PathBuf,
    /// What to tabulate over time: dist (m), angle (rad), velocity (m/s), spin (rad/s)
    #[arg(long, value_name = "METRIC", default_value = "dist")]
    metric: String,
    /// Rows of the table; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    rows: usize,
    /// Fail (exit 1) if the largest distance of this metric exceeds this
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    within: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let metric = Metric::from_name(&self.metric).ok_or_else(|| {
            let names: Vec<_> = Metric::ALL.iter().map(|m| m.name()).collect();
            Failure::Input(format!(
                "--metric {}: expected one of {}",
                self.metric,
                names.join(", ")
            ))
        })?;
        if self
            .within
            .is_some_and(|bound| bound.is_nan() || bound < 0.0)
        {
            return Err(Failure::Input(
                "--within: expected a number that is not negative".into(),
            ));
        }
        let comparison = compare(States::open(&self.a)?, States::open(&self.b)?)?;
        print_as(
            self.json,
            || json_of(&comparison),
            || self.text_of(&comparison, metric),
        )?;
        let largest = comparison.max(metric).largest[metric as usize].value;
        Ok(match self.within {
            // A NaN is not within anything.
            Some(bound) if largest.is_nan() || largest > bound => Verdict::Bad,
            _ => Verdict::Good,
        })
    }

    fn text_of(&self, c: &Comparison, metric: Metric) -> String {
        let mut lines = vec![format!(
            "{:>14}  {:>12}  body",
            "t (s)",
            format!("{} ({})", metric.name(), metric.unit())
        )];
        let stride = if self.rows == 0 {
            1
        } else {
            c.rows.len().div_ceil(self.rows).max(1)
        };
        for (k, row) in c.rows.iter().enumerate() {
            if k % stride == 0 || k + 1 == c.rows.len() {
                let largest = row.largest[metric as usize];
                let name = &c.names[largest.body];
                let how = if row.interpolated {
                    "  (interpolated)"
                } else {
                    ""
                };
                lines.push(format!(
                    "{:>14}  {:>12.4e}  {name}{how}",
                    time(row.t),
                    largest.value
                ));
            }
        }
        for m in Metric::ALL {
            let (max, last) = (c.max(m).largest[m as usize], c.last().largest[m as usize]);
            lines.push(format!(
                "{:<9} largest {:.4e} {} (\"{}\"), at the end {:.4e}",
                m.name(),
                max.value,
                m.unit(),
                c.names[max.body],
                last.value
            ));
        }
        if c.outside > 0 {
            lines.push(format!(
                "note: {} states of the first lie outside the time of the second",
                c.outside
            ));
        }
        lines.join("\n")
    }
}

fn json_of(c: &Comparison) -> serde_json::Value {
    let metrics: serde_json::Map<String, serde_json::Value> = Metric::ALL
        .iter()
        .map(|&m| {
            let (max, last) = (c.max(m).largest[m as usize], c.last().largest[m as usize]);
            let value = json!({ "max": max.value, "body": c.names[max.body], "final": last.value, "unit": m.unit() });
            (m.name().to_string(), value)
        })
        .collect();
    let rows: Vec<_> = c
        .rows
        .iter()
        .map(|r| {
            json!({ "t": r.t, "dist": r.largest[0].value, "angle": r.largest[1].value,
                         "velocity": r.largest[2].value, "spin": r.largest[3].value })
        })
        .collect();
    json!({ "metrics": metrics, "rows": rows, "outside": c.outside })
}
