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

/// The stages that ran, in the order in which they first did: how often, with how many answers, and what they factored.
fn by_stage(calls: &[Trace]) -> Vec<String> {
    let mut stages: Vec<(&str, [usize; 3])> = Vec::new();
    for ran in calls.iter().flat_map(Trace::runs) {
        let known = stages.iter().position(|(name, _)| *name == ran.stage);
        let at = known.unwrap_or_else(|| {
            stages.push((ran.stage, [0; 3]));
            stages.len() - 1
        });
        let [tries, answers, factored] = &mut stages[at].1;
        *tries += 1;
        *answers += usize::from(ran.won);
        *factored += ran.effort.factorisations;
    }
    let words = stages.iter().map(|(name, [tries, answers, factored])| {
        let answers = if answers == tries {
            format!("{tries}×")
        } else {
            format!("{answers} of {tries}×")
        };
        match factored {
            0 => format!("{name} {answers}"),
            _ => format!("{name} {answers} ({factored})"),
        }
    });
    words.collect()
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
            let (solves, total) = (calls.len(), factorisations(calls));
            let ending = if solves == 1 { "" } else { "s" };
            text.push_str(&format!(
                "\n  step {step}, t = {} s: {total} factorisations in {solves} solve{ending}; {}",
                time(*t),
                by_stage(calls).join(", ")
            ));
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
