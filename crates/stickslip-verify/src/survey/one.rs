//! One scene of a survey: run to its end or to its limit, with the time of every step.

use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use stickslip::dynamics::check::check;
use stickslip::dynamics::scene::{Override, SceneError};
use stickslip::dynamics::simulate::{Interruption, header};
use stickslip::model::words::time;
use stickslip::prelude::*;
use stickslip::record::{Account, Recorder, Tee, Trajectory};

/// How a scene ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It came to its end.
    Ended,
    /// A step was refused.
    Refused,
    /// It came to its end, and `check` calls its trajectory not valid.
    Invalid,
    /// Its limit of time was reached between two steps.
    Limit,
    /// A step took so long that the process had to be ended.
    Hang,
    /// No world could be made of it.
    Unbuilt,
    /// The process panicked or was aborted.
    Panic,
}

impl State {
    /// All, best first.
    pub const ALL: [Self; 7] = [
        Self::Ended,
        Self::Refused,
        Self::Invalid,
        Self::Limit,
        Self::Hang,
        Self::Unbuilt,
        Self::Panic,
    ];

    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Refused => "refused",
            Self::Invalid => "invalid",
            Self::Limit => "limit",
            Self::Hang => "hang",
            Self::Unbuilt => "unbuilt",
            Self::Panic => "panic",
        }
    }
}

/// What became of a scene.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub state: State,
    /// Why, if not at its end.
    pub message: String,
    /// Steps that were recorded.
    pub steps: u64,
    /// Of these, approximate ones.
    pub approximate: u64,
    /// Their largest residual, m/s.
    pub worst_residual: f64,
    /// Whole steps that were done as shorter ones.
    pub divided: u64,
    /// On a processor, s.
    pub seconds: f64,
    /// The median whole step, s.
    pub median: f64,
    /// The slowest whole step, s.
    pub slowest: f64,
    /// When it ended, s.
    pub slowest_at: f64,
}

impl Ran {
    /// A scene that did not get as far as a step, or whose process died.
    #[must_use]
    pub fn without_steps(state: State, message: impl Into<String>) -> Self {
        Self {
            state,
            message: message.into(),
            steps: 0,
            approximate: 0,
            worst_residual: 0.0,
            divided: 0,
            seconds: 0.0,
            median: 0.0,
            slowest: 0.0,
            slowest_at: 0.0,
        }
    }

    /// For the process that asked.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "state": self.state.word(),
            "message": self.message,
            "steps": self.steps,
            "approximate": self.approximate,
            "worst_residual": self.worst_residual,
            "divided": self.divided,
            "seconds": self.seconds,
            "median": self.median,
            "slowest": self.slowest,
            "slowest_at": self.slowest_at,
        })
    }

    /// What [`Ran::to_json`] wrote; nothing where it is something else.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let number = |key: &str| value[key].as_f64();
        let whole = |key: &str| value[key].as_u64();
        let word = value["state"].as_str()?;
        Some(Self {
            state: State::ALL.into_iter().find(|s| s.word() == word)?,
            message: value["message"].as_str()?.to_owned(),
            steps: whole("steps")?,
            approximate: whole("approximate")?,
            worst_residual: number("worst_residual")?,
            divided: whole("divided")?,
            seconds: number("seconds")?,
            median: number("median")?,
            slowest: number("slowest")?,
            slowest_at: number("slowest_at")?,
        })
    }
}

/// Runs a scene file, at most so many seconds on a processor, and so many whole steps if that is given; with `checked` what it
/// recorded is laid before `check`.
#[must_use]
pub fn run_file(path: &Path, limit: f64, steps: Option<u32>, checked: bool) -> Ran {
    match read(path, steps) {
        Ok(scene) if checked => run_checked(&scene, limit),
        Ok(scene) => run(&scene, limit),
        Err(e) => Ran::without_steps(State::Unbuilt, e.to_string()),
    }
}

/// The scene of a file, or its first steps.
fn read(path: &Path, steps: Option<u32>) -> Result<Scene, SceneError> {
    let scene = Scene::read(path, &[])?;
    let Some(steps) = steps else {
        return Ok(scene);
    };
    let until = scene.step.until.min(f64::from(steps) * scene.step.h);
    // As an override, so that the header of a trajectory has it too.
    let until = Override::from_option(&format!("step.until={until}"));
    Scene::read(path, &until.into_iter().collect::<Vec<_>>())
}

/// Runs a scene, at most so many seconds on a processor.
#[must_use]
pub fn run(scene: &Scene, limit: f64) -> Ran {
    // Nothing of it is kept: every step is judged and hashed all the same.
    run_into(scene, limit, &mut Tee::new())
}

/// Runs a scene likewise, keeps it in memory, and has its trajectory checked.
#[must_use]
pub fn run_checked(scene: &Scene, limit: f64) -> Ran {
    let mut trajectory = Trajectory::new();
    let mut ran = run_into(scene, limit, &mut trajectory);
    if ran.state == State::Unbuilt {
        return ran;
    }
    let found = match check(&trajectory) {
        Ok(report) => report.findings.first().map(|finding| {
            format!(
                "step {}, t = {} s: {}",
                finding.step,
                time(finding.t),
                finding.what
            )
        }),
        Err(e) => Some(e.to_string()),
    };
    if let Some(what) = found {
        (ran.state, ran.message) = (State::Invalid, what);
    }
    ran
}

fn run_into(scene: &Scene, limit: f64, recorder: &mut dyn Recorder) -> Ran {
    let mut world = match World::from_scene(scene) {
        Ok(world) => world,
        Err(e) => return Ran::without_steps(State::Unbuilt, e.to_string()),
    };
    let header = header(scene, &world);
    let start = Moment::now();
    let mut steps = Steps::since(start);
    let outcome = simulate(&mut world, &header, scene.step.until, recorder, &mut |w| {
        let now = Moment::now();
        steps.note(w, now);
        if start.until(&now) < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Interruption::Limit)
        }
    });
    match outcome {
        Ok(outcome) => steps.account(&outcome, start.until(&Moment::now())),
        Err(e) => Ran::without_steps(State::Refused, e.to_string()),
    }
}

/// Times of whole steps: the parts of a divided one count together.
struct Steps {
    whole: u64,
    since: Moment,
    /// How long each took, s, and its end.
    times: Vec<(f64, f64)>,
}

impl Steps {
    const fn since(since: Moment) -> Self {
        Self {
            whole: 0,
            since,
            times: Vec::new(),
        }
    }

    fn note(&mut self, world: &World, now: Moment) {
        if world.whole_steps() > self.whole {
            self.whole = world.whole_steps();
            self.times.push((self.since.until(&now), world.time()));
            self.since = now;
        }
    }

    fn account(mut self, outcome: &Outcome, seconds: f64) -> Ran {
        let Account {
            steps,
            approximate,
            divided,
            ..
        } = &outcome.account;
        let state = match (&outcome.failure, outcome.interrupted.is_some()) {
            (Some(_), _) => State::Refused,
            (None, true) => State::Limit,
            (None, false) => State::Ended,
        };
        let message = match (&outcome.failure, state) {
            (Some(e), _) => e.to_string(),
            (None, State::Limit) => format!("t = {} s when its time was up", time(outcome.t)),
            _ => String::new(),
        };
        self.times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (slowest, slowest_at) = self.times.last().copied().unwrap_or_default();
        Ran {
            state,
            message,
            steps: *steps,
            approximate: approximate.count,
            worst_residual: approximate.worst,
            divided: *divided,
            seconds,
            median: self.times.get(self.times.len() / 2).map_or(0.0, |t| t.0),
            slowest,
            slowest_at,
        }
    }
}

/// Ticks in which some machines count the time on a processor, s.
const TICK: f64 = 0.004;

/// A moment, by the clock and by the time on a processor where the system tells it (Linux).
#[derive(Clone, Copy)]
struct Moment {
    clock: Instant,
    on_cpu: Option<f64>,
}

impl Moment {
    fn now() -> Self {
        Self {
            clock: Instant::now(),
            on_cpu: on_cpu("thread-self"),
        }
    }

    /// Time on a processor from here to `end`, s: never more than the time that passed, whatever else ran meanwhile.
    fn until(&self, end: &Self) -> f64 {
        let passed = (end.clock - self.clock).as_secs_f64();
        match (self.on_cpu, end.on_cpu) {
            (Some(then), Some(now)) => (now - then + TICK).min(passed),
            _ => passed,
        }
    }
}

/// How long a process (its number, or `thread-self`) has been on a processor, s; only Linux tells.
#[must_use]
pub fn on_cpu(process: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds)
}
