//! The stages of `auto` that ran in a run, added up, and the steps that took most of them.

use serde_json::{Value, json};
use stickslip::prelude::World;
use stickslip::solvers::trace::{Trace, Watch};
use stickslip_console::{seconds, time};
use stickslip_studies::stages::{Tally, trace_json};

/// Steps that are shown one by one.
const SHOWN: usize = 5;

pub(super) struct Traced {
    watch: Watch,
    tally: Tally,
    /// The steps with most factorisations, the worst first: number, time, calls of the solver.
    hardest: Vec<(u64, f64, Vec<Trace>)>,
}

fn factorisations(calls: &[Trace]) -> usize {
    let runs = calls.iter().flat_map(Trace::runs);
    runs.map(|ran| ran.effort.factorisations).sum()
}

impl Traced {
    pub(super) fn new() -> Self {
        Self {
            watch: Watch::start(),
            tally: Tally::default(),
            hardest: Vec::new(),
        }
    }

    /// After a step, or after one that was refused.
    pub(super) fn look(&mut self, step: u64, t: f64) {
        let calls = self.watch.take();
        for call in &calls {
            self.tally.add(call);
        }
        if calls.iter().any(|call| !call.runs().is_empty()) {
            self.hardest.push((step, t, calls));
            self.hardest
                .sort_by_key(|(step, _, calls)| (usize::MAX - factorisations(calls), *step));
            self.hardest.truncate(SHOWN);
        }
    }

    /// The refused step, which nobody looks at after it.
    pub(super) fn refused(&mut self, world: &World) {
        self.look(world.steps() + 1, world.problem_time().0);
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "  stages       {} in the solver\n{}",
            seconds(self.tally.seconds()),
            self.tally.text("  ", false)
        );
        for (step, t, calls) in &self.hardest {
            text.push_str(&format!(
                "\n  step {step}, t = {} s: {} factorisations",
                time(*t),
                factorisations(calls)
            ));
            let runs = calls.iter().flat_map(Trace::runs).map(|ran| {
                let end = if ran.won { "" } else { " (goes on)" };
                format!("{}{end}", ran.stage)
            });
            let mut runs: Vec<String> = runs.collect();
            runs.dedup();
            text.push_str(&format!("; {}", runs.join(", ")));
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let hardest = self.hardest.iter().map(|(step, t, calls)| {
            json!({ "step": step, "t": t, "calls": calls.iter().map(trace_json).collect::<Value>() })
        });
        json!({ "stages": self.tally.json(), "hardest": hardest.collect::<Value>() })
    }
}
