//! What ran on the way to an answer: stage after stage, for those who want to see or count it.
//!
//! A solver that works in stages keeps the [`Trace`] of its last call ([`crate::solver::ContactSolver::trace`]). Times are
//! taken only while a [`Watch`] of the thread lives, which also collects the traces of every call; no answer depends on it.

use crate::solver::Effort;
use core::fmt;
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
    }
}
