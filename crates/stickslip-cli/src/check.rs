//! `stickslip check`: is a trajectory what it claims to be?

use crate::account;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;
use stickslip::dynamics::check::{CheckError, Judgement, Report, check_file};
use stickslip::prelude::Residual;
use stickslip::record::Header;
use stickslip::record::header::cone_to_string;
use stickslip_console::{Failure, Verdict, print_as, seconds, time};

/// Recompute every certificate of a trajectory from its file alone
///
/// Rebuilds the world from the scene text in the file, and judges every recorded step anew from states,
/// impulses and shapes. Says VALID, or which step and contact is not; NOT JUDGED (exit code 3) where a step in the file cannot
/// be judged, or there is none. What no check can show is listed.
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
        let (header, report) = check_file(&self.trajectory).map_err(|error| match error {
            CheckError::Record(error) => Failure::from(error),
            CheckError::Scene(error) => Failure::from(error),
        })?;
        print_as(
            self.json,
            || json_of(&header, &report),
            || {
                let file = self.trajectory.display().to_string();
                text_of(&header, &report, &file, start.elapsed().as_secs_f64())
            },
        )?;
        Ok(match report.judgement() {
            Judgement::Valid => Verdict::Good,
            Judgement::NotValid => Verdict::Bad,
            Judgement::NotJudged => Verdict::Unjudged,
        })
    }
}

fn json_of(header: &Header, report: &Report) -> Value {
    let worst: serde_json::Map<String, Value> = Residual::ALL
        .iter()
        .zip(&report.worst)
        .map(|(kind, (value, t))| (kind.name().to_string(), json!({ "value": value, "t": t })))
        .collect();
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|f| json!({ "step": f.step, "t": f.t, "what": f.what }))
        .collect();
    let unjudged = report.unjudged.iter();
    let unjudged = unjudged.map(|(why, count)| json!({ "why": why, "steps": count }));
    let account = account::json_of(&report.account);
    let valid = report.judgement() == Judgement::Valid;
    json!({
        "valid": valid,
        "verdict": word(report),
        "steps": report.judged(),
        "absent": report.absent,
        "early": report.early,
        "unjudged": unjudged.collect::<Value>(),
        "method": header.method,
        "h": header.h,
        "cone": cone_to_string(header.cone),
        "tolerance": header.tolerance,
        "accept": header.accept,
        "certified": valid && report.account.certified(),
        "approximate": account["approximate"],
        "divided": account["divided"],
        "leaving": account["leaving"],
        "worst": worst,
        "rounding": { "value": report.rounding.0, "t": report.rounding.1 },
        "penetration": report.penetration.0,
        "allowed": report.allowed.0,
        "bound": { "value": report.bound.0, "t": report.bound.1 },
        "findings": findings,
        "more_findings": report.more,
        "unchecked": report.unchecked,
        "notes": report.notes,
    })
}

fn word(report: &Report) -> &'static str {
    match report.judgement() {
        Judgement::Valid => "VALID",
        Judgement::NotValid => "NOT VALID",
        Judgement::NotJudged => "NOT JUDGED",
    }
}

fn text_of(header: &Header, report: &Report, file: &str, elapsed: f64) -> String {
    let mut lines = vec![format!(
        "{}  {file}: {} in {}{}",
        word(report),
        counts(report),
        seconds(elapsed),
        early(header, report)
    )];
    lines.push(format!(
        "  judged by: {}, h = {} s, {} cone, tolerance {:.0e} m/s{}",
        header.method,
        header.h,
        cone_to_string(header.cone),
        header.tolerance,
        accepted(header)
    ));
    if report.valid() && report.judged() > 0 {
        let words = account::words(&report.account, header.tolerance);
        lines.push(format!("  certified: {words}"));
    }
    for (why, count) in &report.unjudged {
        lines.push(format!("  not judged: {count} steps: {why}"));
    }
    if report.account.steps == 0 {
        lines.push("  not judged: there is no step in it".into());
    }
    add_findings(&mut lines, report);
    if report.account.steps > 0 {
        add_residuals(&mut lines, report);
    }
    let unchecked = report.unchecked.iter();
    lines.extend(unchecked.map(|what| format!("  not checked: {what}")));
    for note in &report.notes {
        lines.push(format!("note: {note}"));
    }
    lines.join("\n")
}

/// What is judged may be less than what was to be run.
fn early(header: &Header, report: &Report) -> String {
    report.early.map_or(String::new(), |t| {
        let (t, until) = (time(t), time(header.until));
        format!("; the run ended early, at t = {t} s of {until} s")
    })
}

/// `550 of 1100 steps judged (550 are not in the file)`.
fn counts(report: &Report) -> String {
    let judged = report.judged();
    let all = report.account.steps + report.absent;
    match report.absent {
        0 if judged == all => format!("{judged} steps judged"),
        0 => format!("{judged} of {all} steps judged"),
        n => format!("{judged} of {all} steps judged ({n} are not in the file)"),
    }
}

/// What was to be accepted where a step could not be certified.
fn accepted(header: &Header) -> String {
    if header.accept > 0.0 {
        format!(", up to {:.0e} m/s accepted as approximate", header.accept)
    } else {
        String::new()
    }
}

fn add_findings(lines: &mut Vec<String>, report: &Report) {
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
}

fn add_residuals(lines: &mut Vec<String>, report: &Report) {
    for (kind, (value, t)) in Residual::ALL.iter().zip(&report.worst) {
        lines.push(format!(
            "  {:<16} {value:9.2e} m/s at t = {} s",
            kind.name(),
            time(*t)
        ));
    }
    lines.push(format!(
        "  equalities are within {:.2} of what rounding explains; bounds of the law are {:.1e} m/s at most (t = {} s)",
        report.rounding.0,
        report.bound.0,
        time(report.bound.1)
    ));
    lines.push(format!(
        "  penetration at most {:.2e} m (t = {} s), of {:.1e} m that linear rows may leave unseen (t = {} s)",
        report.penetration.0,
        time(report.penetration.1),
        report.allowed.0,
        time(report.allowed.1)
    ));
}
