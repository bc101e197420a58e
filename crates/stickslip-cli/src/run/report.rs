//! What a run came to, for people and as JSON.

use super::onlookers::Onlookers;
use super::outputs::is_parquet;
use super::traced::Traced;
use crate::account;
use crate::options::{quoted, title_of};
use serde_json::{Value, json};
use std::path::PathBuf;
use stickslip::dynamics::alarm::Watch;
use stickslip::dynamics::simulate::Interruption;
use stickslip::model::words::three_digits;
use stickslip::planar::Status;
use stickslip::prelude::{Friction, Outcome, Residual, Scene, World};
use stickslip_console::{seconds, time};

pub(super) struct Report<'a> {
    pub(super) scene: &'a Scene,
    pub(super) world: &'a World,
    pub(super) outcome: &'a Outcome,
    pub(super) onlookers: &'a Onlookers,
    /// Trajectory files.
    pub(super) written: &'a [PathBuf],
    /// What the command that goes on says of other files.
    pub(super) beside: String,
    /// Of the whole run, s.
    pub(super) elapsed: f64,
}

impl Report<'_> {
    pub(super) fn text(&self) -> String {
        let mut lines = vec![title_of(self.scene).to_owned()];
        self.add_account(&mut lines);
        self.add_length(&mut lines);
        self.add_certificate(&mut lines);
        self.add_work(&mut lines);
        let o = self.outcome;
        lines.push(format!(
            "  energy       {:.6} J → {:.6} J",
            o.energy.0, o.energy.1
        ));
        lines.push(format!("  state hash   {}", o.hash));
        for path in self.written {
            lines.push(format!("  written      {}", path.display()));
        }
        lines.extend(self.no_friction());
        self.add_doubts(&mut lines);
        self.add_onlookers(&mut lines);
        lines.join("\n")
    }

    /// How many steps, and how long they took.
    fn add_length(&self, lines: &mut Vec<String>) {
        let (o, step) = (self.outcome, &self.scene.step);
        let (since, t) = self.onlookers.since.unwrap_or((o.steps, o.t));
        let each = if o.steps > since {
            self.elapsed / (o.steps - since) as f64
        } else {
            0.0
        };
        lines.push(format!(
            "  {} to t = {} s in {} ({} a step)",
            self.steps(),
            time(o.t),
            seconds(self.elapsed),
            seconds(each)
        ));
        if since > 0 {
            lines.push(format!(
                "  resumed      at t = {} s, after {since} steps: time and pace are those of the rest",
                time(t)
            ));
        }
        let over = o.t - step.until;
        if o.reached_end() && over > 1e-9 * step.h {
            lines.push(format!(
                "  until        {} s is no whole number of steps: the last step ends {} s later",
                time(step.until),
                time(over)
            ));
        }
    }

    /// `800 steps of 0.01 s`, where all are; else what h is then: the longest there may be.
    fn steps(&self) -> String {
        let (o, step) = (self.outcome, &self.scene.step);
        let some = if o.steps == 1 { "step" } else { "steps" };
        let whole = (o.t - o.steps as f64 * step.h).abs() <= 1e-9 * o.t;
        if whole || o.steps == 0 {
            return format!("{} {some} of {} s", o.steps, step.h);
        }
        let mean = three_digits(o.t / o.steps as f64);
        format!(
            "{} {some} of {mean} s in the mean, {} s at most,",
            o.steps, step.h
        )
    }

    /// Is every step certified, and did the run come to its end?
    fn add_account(&self, lines: &mut Vec<String>) {
        let o = self.outcome;
        if let Some(e) = &o.failure {
            lines.push(format!("  STOPPED      {e}"));
        }
        if let Some(why) = o.interrupted {
            let (t, until) = (time(o.t), time(self.scene.step.until));
            let what = match why {
                Interruption::Limit => "LIMIT        reached",
                Interruption::Signal => "INTERRUPTED ",
            };
            lines.push(format!(
                "  {what} at t = {t} s of {until} s; what was computed is kept"
            ));
        }
        let file = self.resumable();
        let beside = &self.beside;
        let go_on = |file| format!("  to go on     stickslip run --resume {file}{beside}");
        lines.extend(file.map(go_on));
        if o.account.steps > 0 {
            let words = account::words(&o.account, self.world.settings().tolerance);
            lines.push(format!("  certified    {words}"));
        }
    }

    /// The file from which an interrupted run can go on, as it is written on a command line.
    fn resumable(&self) -> Option<String> {
        self.outcome.interrupted?;
        let file = self.written.iter().find(|path| is_parquet(path))?;
        Some(quoted(&file.display().to_string()))
    }

    /// What came nearest to not being certified, or was not.
    fn add_certificate(&self, lines: &mut Vec<String>) {
        let o = self.outcome;
        let worst = Residual::LAW
            .iter()
            .map(|&kind| (kind, o.worst[kind as usize]))
            .fold((Residual::Gap, (0.0, 0.0)), |a, b| {
                if b.1.0 > a.1.0 { b } else { a }
            });
        lines.push(format!(
            "  worst        {:.1e} m/s ({}, t = {} s); equalities at {:.2} of their rounding bound",
            worst.1.0,
            worst.0.name(),
            time(worst.1.1),
            o.rounding.0
        ));
        lines.push(format!(
            "  bounds       {:.1e} m/s at most (t = {} s): tolerance and rounding, island by island",
            o.bound.0,
            time(o.bound.1)
        ));
        lines.push(format!(
            "  penetration  {:.1e} m at most, of {:.1e} m that linear rows may leave unseen",
            o.penetration.0, o.allowed.0
        ));
    }

    /// Contacts, and what the settings of the scene asked for beside them.
    fn add_work(&self, lines: &mut Vec<String>) {
        let o = self.outcome;
        lines.push(format!(
            "  contacts     {} candidates at most, {} active at most; {} solver iterations",
            o.contacts.0, o.contacts.1, o.iterations
        ));
        if let Some(c) = &o.cones {
            let (least, most) = c.directions;
            let cones = if most == 0 {
                "the exact cone everywhere".to_string()
            } else {
                format!("{least} to {most} directions")
            };
            let over = if c.over {
                "; the budget does not even cover the fewest"
            } else {
                ""
            };
            lines.push(format!(
                "  cones        {cones}; work {} a step at most, expected error {:.1e} m/s at most{over}",
                c.work, c.error
            ));
        }
        if let Some(p) = &o.projections {
            lines.push(format!(
                "  projections  {}, of overlaps up to {:.1e} m (left: {:.1e} m); energy {:+.3e} J, {:.3e} J exchanged",
                p.count, p.deepest, p.left, p.energy, p.exchanged
            ));
        }
    }

    /// Bodies touched, and nothing in the scene says how rough they are: probably forgotten.
    fn no_friction(&self) -> Option<String> {
        let scene = self.scene;
        let word = "friction";
        let said =
            scene.text.contains(word) || scene.overrides.iter().any(|o| o.key.contains(word));
        let rough = |f: Friction| f.stick > 0.0;
        let any = scene.bodies.iter().any(|b| rough(b.material.friction));
        (!said && !any && self.outcome.contacts.1 > 0).then(|| {
            "  friction     none is given, so bodies in contact slide freely: [material] friction = 0.5 for rough ones, 0 if that is meant".into()
        })
    }

    /// Signs that the steps are too long for what they are to show: certified is not accurate.
    fn add_doubts(&self, lines: &mut Vec<String>) {
        /// So many are told one by one.
        const MOST: usize = 5;
        let doubts = self.onlookers.accuracy.doubts(self.world);
        lines.extend(
            doubts
                .iter()
                .take(MOST)
                .map(|d| format!("  long steps   {d}")),
        );
        if doubts.len() > MOST {
            lines.push(format!(
                "  long steps   … and {} more signs",
                doubts.len() - MOST
            ));
        }
        if !doubts.is_empty() {
            let file = quoted(&self.scene.file);
            lines.push(format!(
                "               how far they are off: stickslip converge {file}"
            ));
        }
    }

    /// What was seen on the way.
    fn add_onlookers(&self, lines: &mut Vec<String>) {
        let (o, seen) = (self.outcome, self.onlookers);
        let since = seen.since.map_or(0, |(step, _)| step);
        lines.extend(seen.others.text(o.steps - since));
        if o.by_rule > 0 {
            lines.push(format!(
                "  solver       {} ended in another motion than the rule's in {} of {} steps; the rule's was taken",
                self.scene.step.solver, o.by_rule, o.steps
            ));
        }
        lines.extend(seen.watch.as_ref().map(alarms_text));
        lines.extend(seen.traced.as_ref().map(Traced::text));
        for path in seen.dump.iter().flat_map(|d| &d.written) {
            lines.push(format!("  dumped       {}", path.display()));
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut json = json_of(self.outcome, self.elapsed);
        let seen = self.onlookers;
        if let Some(watch) = &seen.watch {
            json["alarms"] = alarms_json(watch);
        }
        if let Some(traced) = &seen.traced {
            json["trace"] = traced.json();
        }
        let doubts = seen.accuracy.doubts(self.world);
        let doubts = doubts
            .iter()
            .map(|d| json!({ "kind": d.name(), "words": d.to_string() }));
        json["long_steps"] = doubts.collect();
        json["notes"] = json!(self.scene.notes);
        json["resume"] = json!(self.resumable());
        json["by_other_solvers"] = json!(seen.others.steps);
        json["by_rule"] = json!(self.outcome.by_rule);
        if let Some(dump) = &seen.dump {
            json["dumped"] = json!(dump.written);
        }
        json
    }
}

fn json_of(o: &Outcome, elapsed: f64) -> Value {
    let worst: serde_json::Map<String, Value> = Residual::ALL
        .iter()
        .zip(&o.worst)
        .map(|(kind, (value, t))| (kind.name().to_string(), json!({ "value": value, "t": t })))
        .collect();
    let account = account::json_of(&o.account);
    json!({
        "steps": o.steps,
        "t": o.t,
        "certified": o.certified(),
        "approximate": account["approximate"],
        "divided": account["divided"],
        "leaving": account["leaving"],
        "limit": o.interrupted == Some(Interruption::Limit),
        "interrupted": o.interrupted == Some(Interruption::Signal),
        "failure": o.failure.as_ref().map(ToString::to_string),
        "worst": worst,
        "rounding": { "value": o.rounding.0, "t": o.rounding.1 },
        "penetration": o.penetration.0,
        "allowed": o.allowed.0,
        "bound": { "value": o.bound.0, "t": o.bound.1 },
        "candidates": o.contacts.0,
        "active": o.contacts.1,
        "iterations": o.iterations,
        "energy": { "start": o.energy.0, "end": o.energy.1 },
        "hash": o.hash,
        "seconds": elapsed,
    })
}

/// The alarms of a run, for people; a long list is cut and says so.
fn alarms_text(watch: &Watch) -> String {
    const MOST: usize = 20;
    let mut lines: Vec<String> = watch
        .alarms
        .iter()
        .take(MOST)
        .map(|a| {
            format!(
                "  alarm        \"{}\" has {} legal accelerations from t = {} s to {} s{}",
                a.body,
                match a.status {
                    Status::None => "no",
                    Status::Several => "several",
                    _ => "a continuum of",
                },
                time(a.from),
                time(a.to),
                if a.static_friction {
                    " (static friction above kinetic)"
                } else {
                    ""
                }
            )
        })
        .collect();
    if watch.alarms.len() > MOST {
        lines.push(format!("  … and {} more alarms", watch.alarms.len() - MOST));
    }
    let passed = if watch.passed_over.is_empty() {
        "none passed over".to_owned()
    } else {
        let reasons: Vec<String> = watch
            .passed_over
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        format!("passed over: {}", reasons.join(", "))
    };
    lines.push(format!(
        "  alarms       {} in {} planar states looked at ({} with an impact first); {passed}",
        watch.alarms.len(),
        watch.looked_at,
        watch.impacts
    ));
    lines.join("\n")
}

fn alarms_json(watch: &Watch) -> Value {
    let alarms: Vec<_> = watch
        .alarms
        .iter()
        .map(|a| {
            json!({
                "body": a.body,
                "status": a.status.word(),
                "static_friction": a.static_friction,
                "from": a.from,
                "to": a.to,
            })
        })
        .collect();
    json!({
        "list": alarms,
        "looked_at": watch.looked_at,
        "impacts": watch.impacts,
        "passed_over": watch.passed_over,
    })
}
