//! How far work that may take hours has come: a bar where standard error is a terminal, else a line now and then.

use crate::pace::{Pace, waiting};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A bar shows a new state so often, s.
const BAR_EVERY: f64 = 0.1;

/// Tells on standard error how far it has come.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Seconds between lines, and when the next one is due; `None` with a bar or where nothing is to be told.
    lines: Option<(f64, f64)>,
    begun: Instant,
    /// Seconds on processors before that.
    before: f64,
    /// When the bar is next due, s.
    bar_due: f64,
    pace: Pace,
}

impl Progress {
    /// Nothing is done yet; `every` is the time between lines where there is no terminal.
    #[must_use]
    pub fn new(every: Duration, hidden: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let every = every.as_secs_f64();
        Self {
            bar: (terminal && !hidden).then(bar),
            lines: (!terminal && !hidden).then_some((every, every)),
            begun: Instant::now(),
            before: on_processors().unwrap_or(0.0),
            bar_due: BAR_EVERY,
            pace: Pace::from(0.0),
        }
    }

    /// The work goes on from this part of it (0 to 1), not from its beginning.
    pub fn start_at(&mut self, done: f64) {
        self.pace = Pace::from(done);
    }

    /// This part is done; `words` says what that is, and is made only where it is shown.
    pub fn at(&mut self, done: f64, words: impl FnOnce() -> String) {
        let now = self.begun.elapsed().as_secs_f64();
        let before = self.before;
        self.pace.add(now, done, || worked(now, before));
        match (&self.bar, self.lines) {
            (Some(bar), _) if now >= self.bar_due => {
                self.bar_due = now + BAR_EVERY;
                bar.set_position((1000.0 * done) as u64);
                bar.set_message(self.line(words()));
            }
            (None, Some((every, due))) if now >= due => {
                let line = format!("{:3.0} %  {}", 100.0 * done, self.line(words()));
                // Nobody listens any more; the work goes on.
                let _ = writeln!(std::io::stderr(), "{line}");
                self.lines = Some((every, due.max(now - every) + every));
            }
            _ => {}
        }
    }

    fn line(&self, words: String) -> String {
        let now = self.begun.elapsed().as_secs_f64();
        match self.pace.left(worked(now, self.before)) {
            Some(left) => format!("{words}; about {} left", waiting(left)),
            None => words,
        }
    }

    /// No more of it.
    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.lines = None;
    }
}

/// Seconds on processors since there were so many; those of the clock where the system does not tell.
fn worked(clock: f64, before: f64) -> f64 {
    on_processors().map_or(clock, |work| work - before)
}

/// Seconds that this process has had on processors, all threads together; only Linux tells without a call into C.
fn on_processors() -> Option<f64> {
    /// What Linux counts in, whatever its clock, s.
    const TICK: f64 = 0.01;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets, which may hold anything; the 14th and 15th are ticks as user and as system.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let user: f64 = fields.nth(11)?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) * TICK)
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    let style = ProgressStyle::with_template("{bar:30} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
