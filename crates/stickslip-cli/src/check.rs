//! `stickslip check`: is a trajectory what it claims to be?

use crate::account;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::dynamics::check::{Report, check};
use stickslip::prelude::Residual;
use stickslip::record::Trajectory;
use stickslip_console::{Failure, Verdict, print_as, seconds, time};

/// Recompute every certificate of a trajectory from its file alone
///
/// Rebuilds the world from the scene text in the file, and judges every recorded step anew from states,
/// impulses and shapes. Says VALID, or which step and contact is not.
///
/// Example: stickslip check stack.parquet
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A trajectory written by `stickslip run … -o FILE.parquet`
    trajectory: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let start = Instant::now();
        if self
            .trajectory
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv"))
        {
            return Err(Failure::Input(format!(
                "{}: a CSV holds no impulses, so nothing can be recomputed from it; record the run with \
                 -o NAME.parquet and check that",
                self.trajectory.display()
            )));
        }
        let trajectory = Trajectory::open(&self.trajectory)?;
        let report = check(&trajectory)?;
        print_as(
            self.json,
            || json_of(&report),
            || {
                text_of(
                    &report,
                    &self.trajectory.display().to_string(),
                    trajectory.header.tolerance,
                    start.elapsed().as_secs_f64(),
                )
            },
        )?;
        Ok(Verdict::of(report.valid()))
    }
}

fn json_of(report: &Report) -> serde_json::Value {
    let worst: serde_json::Map<String, serde_json::Value> = Residual::ALL
        .iter()
        .zip(&report.worst)
        .map(|(kind, (value, t))| (kind.name().to_string(), json!({ "value": value, "t": t })))
        .collect();
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|f| json!({ "step": f.step, "t": f.t, "what": f.what }))
        .collect();
    let account = account::json_of(&report.account);
    json!({
        "valid": report.valid(),
        "steps": report.account.steps,
        "certified": report.valid() && report.account.certified(),
        "approximate": account["approximate"],
        "divided": account["divided"],
        "worst": worst,
        "rounding": { "value": report.rounding.0, "t": report.rounding.1 },
        "penetration": report.penetration.0,
        "findings": findings,
        "more_findings": report.more,
        "notes": report.notes,
    })
}

fn text_of(report: &Report, file: &str, tolerance: f64, elapsed: f64) -> String {
    let mut lines = Vec::new();
    let verdict = if report.valid() { "VALID" } else { "NOT VALID" };
    lines.push(format!(
        "{verdict}  {file}: {} steps judged in {}",
        report.account.steps,
        seconds(elapsed)
    ));
    if report.valid() && report.account.steps > 0 {
        let words = account::words(&report.account, tolerance);
        lines.push(format!("  certified: {words}"));
    }
    for f in &report.findings {
        lines.push(format!(
            "  step {} at t = {} s: {}",
            f.step,
            time(f.t),
            f.what
        ));
    }
    if report.more > 0 {
        lines.push(format!("  … and {} more", report.more));
    }
    if report.account.steps > 0 {
        for (kind, (value, t)) in Residual::ALL.iter().zip(&report.worst) {
            lines.push(format!(
                "  {:<16} {value:9.2e} m/s at t = {} s",
                kind.name(),
                time(*t)
            ));
        }
        lines.push(format!(
            "  equalities are within {:.2} of what rounding explains; penetration at most {:.2e} m",
            report.rounding.0, report.penetration.0
        ));
    }
    for note in &report.notes {
        lines.push(format!("note: {note}"));
    }
    lines.join("\n")
}
