//! Which stages of `auto` ran, and what each is worth: tries, answers, work and time, added up over many calls.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stickslip::solvers::auto::plans;
use stickslip::solvers::solver::Effort;
use stickslip::solvers::trace::{Ran, Trace};

/// What one stage came to over many calls.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Islands on which it was tried.
    pub tries: usize,
    /// Those on which it ended the search.
    pub wins: usize,
    /// What it took.
    pub effort: Effort,
    /// Seconds on the clock.
    pub seconds: f64,
    /// Answers that no other stage gives, by the name of the problem; where that was looked for.
    pub alone: Vec<String>,
}

/// Counts of all stages, in the order of their tables.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: BTreeMap<(usize, &'static str, &'static str), Count>,
}

/// Where a stage stands: tables in their order, stages in theirs; what is done before the tables comes first.
fn place(table: &str, stage: &str) -> usize {
    let all = plans::TABLES.iter();
    let mut stages = all.flat_map(|t| t.stages.iter().map(move |s| (t.name, s.name)));
    stages
        .position(|s| s == (table, stage))
        .map_or(0, |k| k + 1)
}

impl Tally {
    /// Adds the stages of one call.
    pub fn add(&mut self, trace: &Trace) {
        for ran in trace.runs() {
            self.add_run(ran);
        }
    }

    fn add_run(&mut self, ran: &Ran) {
        let count = self.of(ran.table, ran.stage);
        count.tries += ran.islands;
        count.wins += if ran.won { ran.islands } else { 0 };
        count.effort += ran.effort;
        count.seconds += ran.seconds.unwrap_or(0.0);
    }

    /// The counts of a stage.
    pub fn of(&mut self, table: &'static str, stage: &'static str) -> &mut Count {
        let key = (place(table, stage), table, stage);
        self.counts.entry(key).or_default()
    }

    /// Seconds of all stages together.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.counts.values().map(|c| c.seconds).sum()
    }

    /// Names of the stages of the tables that never ran, as `table/stage`.
    #[must_use]
    pub fn never_ran(&self) -> Vec<String> {
        let all = plans::TABLES.iter();
        let stages = all.flat_map(|t| t.stages.iter().map(move |s| (t.name, s.name)));
        let ran = |(t, s): &(&str, &str)| self.counts.keys().any(|k| (k.1, k.2) == (*t, *s));
        stages
            .filter(|s| !ran(s))
            .map(|(t, s)| format!("{t}/{s}"))
            .collect()
    }

    /// A table for people, each line led by `indent`. With `alone` it says what only a stage solves.
    #[must_use]
    pub fn text(&self, indent: &str, alone: bool) -> String {
        let all = self.seconds().max(f64::MIN_POSITIVE);
        let mut text = format!(
            "{indent}{:<38} {:>8} {:>8} {:>10} {:>10} {:>7}{}",
            "stage",
            "tries",
            "answers",
            "iterations",
            "factored",
            "time",
            if alone { "  only it" } else { "" }
        );
        for ((_, table, stage), c) in &self.counts {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n{indent}{:<38} {:>8} {:>8} {:>10} {:>10} {:>6.1}%",
                format!("{table}/{stage}"),
                c.tries,
                c.wins,
                c.effort.iterations,
                c.effort.factorisations,
                100.0 * c.seconds / all
            );
            if alone {
                let _ = write!(text, "  {:>7}", c.alone.len());
            }
        }
        text
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows = self.counts.iter().map(|((_, table, stage), c)| {
            json!({
                "table": table,
                "stage": stage,
                "tries": c.tries,
                "answers": c.wins,
                "iterations": c.effort.iterations,
                "factorisations": c.effort.factorisations,
                "seconds": c.seconds,
                "only_it": c.alone,
            })
        });
        rows.collect()
    }
}

/// The stages of one call for programs.
#[must_use]
pub fn trace_json(trace: &Trace) -> Value {
    let runs = trace.runs().iter().map(|ran| {
        json!({
            "table": ran.table,
            "stage": ran.stage,
            "contacts": ran.contacts,
            "iterations": ran.effort.iterations,
            "factorisations": ran.effort.factorisations,
            "residual": ran.residual.is_finite().then_some(ran.residual),
            "answer": ran.won,
            "seconds": ran.seconds,
        })
    });
    runs.collect()
}
