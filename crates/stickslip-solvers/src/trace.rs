//! What ran on the way to an answer: stage after stage, for those who want to see or count it.
//!
//! A solver that works in stages keeps the [`Trace`] of its last call ([`crate::solver::ContactSolver::trace`]). Times are
//! taken only while a [`Watch`] of the thread lives, which also collects the traces of every call; no answer depends on it.

use crate::problem::ContactProblem;
use crate::solver::Effort;
use core::fmt;
use glam::DVec3;
use std::cell::{Cell, RefCell};
use std::time::Instant;

/// A stage that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The table it stands in (`auto::plans`).
    pub table: &'static str,
    /// Its name, unique in its table.
    pub stage: &'static str,
    /// Islands it ran on: one, except where single contacts are counted together.
    pub islands: usize,
    /// Contacts of these.
    pub contacts: usize,
    /// What it took.
    pub effort: Effort,
    /// Least residual it reached, as the caller judges (m/s for a step); infinite where it offered nothing.
    pub residual: f64,
    /// Did it end the search with an answer?
    pub won: bool,
    /// Seconds on the clock, where a [`Watch`] looks on.
    pub seconds: Option<f64>,
}

/// The stages that ran in one call of a solver, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    runs: Vec<Ran>,
    timed: bool,
}

impl Trace {
    /// A trace of nothing.
    pub const NONE: &'static Self = &Self {
        runs: Vec::new(),
        timed: false,
    };

    /// The stages in their order.
    #[must_use]
    pub fn runs(&self) -> &[Ran] {
        &self.runs
    }

    /// A new call begins.
    pub(crate) fn begin(&mut self) {
        self.runs.clear();
        self.timed = WATCHED.get();
    }

    /// The call has ended.
    pub(crate) fn end(&self) {
        if self.timed {
            TRACES.with_borrow_mut(|traces| traces.push(self.clone()));
        }
    }

    /// The call on a step has ended: its problem is kept where a [`Watch`] asks for it and a stage went on without an answer.
    pub(crate) fn keep(&self, problem: &ContactProblem, guess: Option<&[DVec3]>, tolerance: f64) {
        if !self.timed || self.runs.iter().all(|ran| ran.won) {
            return;
        }
        KEPT.with_borrow_mut(|kept| {
            if let Some(kept) = kept {
                kept.push(KeptStep {
                    problem: problem.clone(),
                    guess: guess.map(<[DVec3]>::to_vec),
                    tolerance,
                    trace: self.clone(),
                });
            }
        });
    }

    /// The clock, where somebody looks on.
    pub(crate) fn now(&self) -> Option<Instant> {
        self.timed.then(Instant::now)
    }

    pub(crate) fn push(&mut self, ran: Ran) {
        self.runs.push(ran);
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<26} {:>8} {:>10} {:>14} {:>9}  result",
            "stage", "contacts", "iterations", "factorisations", "residual"
        )?;
        for ran in &self.runs {
            writeln!(
                f,
                "{:<26} {:>8} {:>10} {:>14} {:>9}  {}{}",
                ran.stage,
                ran.contacts,
                ran.effort.iterations,
                ran.effort.factorisations,
                if ran.residual < f64::INFINITY {
                    format!("{:.1e}", ran.residual)
                } else {
                    "-".into()
                },
                if ran.won { "answer" } else { "goes on" },
                ran.seconds
                    .map_or(String::new(), |s| format!(", {s:.2e} s")),
            )?;
        }
        Ok(())
    }
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static TRACES: RefCell<Vec<Trace>> = const { RefCell::new(Vec::new()) };
    static KEPT: RefCell<Option<Vec<KeptStep>>> = const { RefCell::new(None) };
}

/// A step's problem that no first stage solved, as the solver was asked for it.
#[derive(Clone, Debug)]
pub struct KeptStep {
    /// The problem.
    pub problem: ContactProblem,
    /// The impulses to start from.
    pub guess: Option<Vec<DVec3>>,
    /// The residual asked for, m/s.
    pub tolerance: f64,
    /// What ran.
    pub trace: Trace,
}

/// Collects the traces of every call on this thread, with times, as long as it lives. One at a time.
#[derive(Debug)]
pub struct Watch(());

impl Watch {
    /// From now on.
    #[must_use]
    pub fn start() -> Self {
        WATCHED.set(true);
        TRACES.take();
        Self(())
    }

    /// From now on, and keep the problems of steps that were not solved by the first stages that ran on their islands: to solve
    /// them again with stages left out.
    #[must_use]
    pub fn keeping() -> Self {
        KEPT.set(Some(Vec::new()));
        Self::start()
    }

    /// The problems kept since the start, or since they were last taken.
    #[must_use]
    pub fn kept(&self) -> Vec<KeptStep> {
        KEPT.with_borrow_mut(|kept| kept.as_mut().map(std::mem::take).unwrap_or_default())
    }

    /// The traces of the calls since the start, or since they were last taken.
    #[must_use]
    pub fn take(&self) -> Vec<Trace> {
        TRACES.take()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.set(false);
        TRACES.take();
        KEPT.take();
    }
}
