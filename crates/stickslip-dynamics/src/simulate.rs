//! A whole run: step after step into a recorder, with an account at the end.

use crate::budget::Chosen;
use crate::error::StepError;
use crate::methods::Projections;
use crate::scene::Scene;
use crate::snapshot::Snapshot;
use crate::world::World;
use std::ops::ControlFlow;
use stickslip_model::bytes::Stored;
use stickslip_model::{BodyState, Residual, stored};
use stickslip_record::base64;
use stickslip_record::{
    Account, Header, RecordError, Recorder, Start, StateHash, Summary, Trajectory,
};
use stickslip_solvers::auto::selection::RULE;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of the last step.
    pub steps: u64,
    /// How the steps of this run came to be accepted.
    pub account: Account,
    /// Time reached, s.
    pub t: f64,
    /// Largest residual of each kind, m/s, and when.
    pub worst: [(f64, f64); Residual::ALL.len()],
    /// Largest equality residual in units of its rounding bound, and when.
    pub rounding: (f64, f64),
    /// Deepest penetration, m, and when.
    pub penetration: (f64, f64),
    /// Largest overlap allowed to a pair that does overlap, m, and when.
    pub allowed: (f64, f64),
    /// Widest bound of a residual of the law, m/s, and when.
    pub bound: (f64, f64),
    /// Most candidate contacts in a step, and most that carried an impulse.
    pub contacts: (usize, usize),
    /// Solver iterations in all.
    pub iterations: u64,
    /// Steps in which the solver asked for ended in another motion than that of the selection rule, which was taken instead.
    pub by_rule: u64,
    /// Where the scene gives a budget for friction cones: the fewest and most directions of a contact, the largest work and
    /// expected error of a step.
    pub cones: Option<Chosen>,
    /// What projections did, where the scene asks for them.
    pub projections: Option<Projections>,
    /// Energy at the start and at the end, J.
    pub energy: (f64, f64),
    /// SHA-256 of all states, hexadecimal.
    pub hash: String,
    /// Why it stopped early, if it did: the step that could not be accepted.
    pub failure: Option<StepError>,
    /// Why it was ended between two steps by who watched it, if it was.
    pub interrupted: Option<Interruption>,
}

/// Why who watches a run ends it between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Its time was over.
    Limit,
    /// Somebody asked for it: a signal.
    Signal,
}

impl Interruption {
    /// As a trajectory says it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Limit => "its limit was reached",
            Self::Signal => "it was interrupted",
        }
    }
}

stored!(Outcome {
    steps,
    account,
    t,
    worst,
    rounding,
    penetration,
    allowed,
    bound,
    contacts,
    iterations,
    by_rule,
    cones,
    projections,
    energy,
    hash;
    failure = None,
    interrupted = None,
});

impl Outcome {
    /// Did every step meet its tolerance?
    #[must_use]
    pub const fn certified(&self) -> bool {
        self.failure.is_none() && self.account.certified()
    }

    /// Did it come to its end?
    #[must_use]
    pub const fn reached_end(&self) -> bool {
        self.failure.is_none() && self.interrupted.is_none()
    }
}

/// Number of steps of h that reach `until`: the last one may go past it where h does not divide it.
#[must_use]
pub fn steps_until(h: f64, until: f64) -> u64 {
    (until / h - 1e-9).ceil().max(0.0) as u64
}

/// What a trajectory of this scene says about itself.
#[must_use]
pub fn header(scene: &Scene, world: &World) -> Header {
    let settings = world.settings();
    Header {
        version: env!("CARGO_PKG_VERSION").into(),
        scene_file: scene.file.clone(),
        scene: scene.text.to_string(),
        overrides: scene
            .overrides
            .iter()
            .map(|o| format!("{}={}", o.key, o.value))
            .collect(),
        files: scene
            .files
            .iter()
            .map(|(name, bytes)| (name.clone(), base64::encode(bytes)))
            .collect(),
        bodies: world.model().body_names().map(Into::into).collect(),
        joints: world.model().joint_names().map(Into::into).collect(),
        kinds: world.model().joint_kinds(),
        h: settings.h,
        until: scene.step.until,
        every: 1,
        tolerance: settings.tolerance,
        accept: settings.accept,
        cone: settings.cone,
        method: scene.step.method.name().into(),
        solver: settings.solver.clone(),
    }
}

/// Runs a scene to its end, every frame kept in memory.
///
/// # Errors
/// When the trajectory cannot take a frame.
pub fn simulate_in_memory(
    scene: &Scene,
    world: &mut World,
) -> Result<(Trajectory, Outcome), RecordError> {
    let mut trajectory = Trajectory::new();
    let header = header(scene, world);
    let outcome = simulate(
        world,
        &header,
        scene.step.until,
        &mut trajectory,
        &mut to_the_end,
    )?;
    Ok((trajectory, outcome))
}

/// For [`simulate`]: nobody ends the run.
pub const fn to_the_end(_: &World) -> ControlFlow<Interruption> {
    ControlFlow::Continue(())
}

/// Steps `world` until `until` and hands every step to `recorder`; `progress` is called after each, and may end the run.
///
/// A step that cannot be accepted ends the run: what was computed is kept, and the outcome says why.
///
/// # Errors
/// When the recorder fails; it has been told to end with what it has.
pub fn simulate(
    world: &mut World,
    header: &Header,
    until: f64,
    recorder: &mut dyn Recorder,
    progress: &mut dyn FnMut(&World) -> ControlFlow<Interruption>,
) -> Result<Outcome, RecordError> {
    let mut hash = StateHash::new(&header.bodies);
    hash.update(world.steps(), world.states(), &world.last_step().joints);
    recorder.start(header, world.last_step())?;
    let underway = Underway {
        hash,
        outcome: Outcome::of(world),
        end: End::of(world, until),
    };
    underway.run(world, recorder, progress)
}

/// Goes on with a run from what its recorder was given to remember: `world` is of the same scene, and is put where the run stood.
/// States, hash and account are to the bit those of a run that was never interrupted.
///
/// # Errors
/// When the recorder fails; it has been told to end with what it has. [`RecordError::Header`] where `memory` is none, or of another
/// scene.
pub fn resume(
    world: &mut World,
    memory: &[u8],
    recorder: &mut dyn Recorder,
    progress: &mut dyn FnMut(&World) -> ControlFlow<Interruption>,
) -> Result<Outcome, RecordError> {
    let mut rest = memory;
    let damaged = || RecordError::Header("what the run remembered is damaged".into());
    let underway = Underway::take(&mut rest).ok_or_else(damaged)?;
    let snapshot = Snapshot::from_bytes(rest);
    snapshot
        .and_then(|snapshot| world.resume(&snapshot))
        .map_err(|error| RecordError::Header(error.to_string()))?;
    underway.run(world, recorder, progress)
}

/// A run between two steps, but for its world.
struct Underway {
    hash: StateHash,
    outcome: Outcome,
    end: End,
}

stored!(Underway { hash, outcome, end });

impl Underway {
    fn run(
        mut self,
        world: &mut World,
        recorder: &mut dyn Recorder,
        progress: &mut dyn FnMut(&World) -> ControlFlow<Interruption>,
    ) -> Result<Outcome, RecordError> {
        let mut before: Vec<BodyState> = Vec::new();
        while !self.end.reached(world) && self.outcome.interrupted.is_none() {
            before.clear();
            before.extend_from_slice(world.states());
            let t = world.time();
            if let Err(e) = world.step() {
                self.outcome.failure = Some(e);
                break;
            }
            if let Err(error) = self.record(world, t, &before, recorder) {
                return Err(self.give_up(recorder, error));
            }
            self.outcome.interrupted = progress(world).break_value();
        }
        let reached = self.end.reached(world);
        self.outcome.interrupted = self.outcome.interrupted.filter(|_| !reached);
        recorder.remember(&|| self.memory(world), true)?;
        self.outcome.hash = self.hash.hex();
        recorder.finish(&self.outcome.summary())?;
        Ok(self.outcome)
    }

    /// Takes the step just done from the time `t` and the states `before`.
    fn record(
        &mut self,
        world: &World,
        t: f64,
        before: &[BodyState],
        recorder: &mut dyn Recorder,
    ) -> Result<(), RecordError> {
        let step = world.last_step();
        self.hash.update(step.step, &step.bodies, &step.joints);
        self.outcome.add(world);
        let bodies = world.started_from().unwrap_or(before);
        recorder.record(Start { t, bodies }, step)?;
        recorder.remember(&|| self.memory(world), false)
    }

    /// What the run needs to go on from here.
    fn memory(&self, world: &World) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes);
        bytes.extend(world.snapshot().to_bytes());
        bytes
    }

    /// After a step that could not be recorded.
    fn give_up(mut self, recorder: &mut dyn Recorder, error: RecordError) -> RecordError {
        self.outcome.hash = self.hash.hex();
        let failure = Some(error.to_string());
        // It may have room again for an end; what went wrong first is what is told.
        let _ = recorder.finish(&Summary {
            certified: false,
            failure,
            ..self.outcome.summary()
        });
        error
    }
}

/// When a run is at its end.
enum End {
    /// With so many whole steps.
    Steps(u64),
    /// At this time, s.
    Time(f64),
}

impl Stored for End {
    fn put(&self, out: &mut Vec<u8>) {
        let (steps, time) = match self {
            Self::Steps(steps) => (Some(*steps), None),
            Self::Time(until) => (None, Some(*until)),
        };
        (steps, time).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        match Stored::take(from)? {
            (Some(steps), None) => Some(Self::Steps(steps)),
            (None, Some(until)) => Some(Self::Time(until)),
            _ => None,
        }
    }
}

impl End {
    fn of(world: &World, until: f64) -> Self {
        let settings = world.settings();
        if settings.method.has_fixed_step() {
            Self::Steps(world.whole_steps() + steps_until(settings.h, until))
        } else {
            Self::Time(until)
        }
    }

    fn reached(&self, world: &World) -> bool {
        match self {
            Self::Steps(steps) => world.whole_steps() >= *steps,
            Self::Time(until) => world.reached(*until),
        }
    }
}

impl Outcome {
    /// Before the first step.
    fn of(world: &World) -> Self {
        Self {
            steps: 0,
            account: Account::default(),
            t: world.time(),
            worst: Default::default(),
            rounding: (0.0, 0.0),
            penetration: (0.0, 0.0),
            allowed: (0.0, 0.0),
            bound: (0.0, 0.0),
            contacts: (0, 0),
            iterations: 0,
            by_rule: 0,
            cones: None,
            projections: None,
            energy: (world.energy(), world.energy()),
            hash: String::new(),
            failure: None,
            interrupted: None,
        }
    }

    fn summary(&self) -> Summary {
        let failure = self.failure.as_ref().map(ToString::to_string);
        let interrupted = || self.interrupted.map(|why| why.words().to_owned());
        Summary {
            steps: self.steps,
            t: self.t,
            certified: self.certified() && self.reached_end(),
            approximate: self.account.approximate,
            divided: self.account.divided,
            leaving: self.account.leaving,
            hash: self.hash.clone(),
            failure: failure.or_else(interrupted),
        }
    }
}

impl Outcome {
    fn add(&mut self, world: &World) {
        let step = world.last_step();
        let raise = |worst: &mut (f64, f64), value: f64| {
            if value > worst.0 {
                *worst = (value, step.t);
            }
        };
        for (worst, &value) in self.worst.iter_mut().zip(&step.certificate.residuals) {
            raise(worst, value);
        }
        raise(&mut self.rounding, step.certificate.rounding);
        raise(&mut self.penetration, step.certificate.penetration);
        raise(&mut self.allowed, step.certificate.allowed);
        let tolerance = world.settings().tolerance;
        raise(&mut self.bound, step.certificate.bound(tolerance));
        let active = world.contacts_with_force();
        self.contacts.0 = self.contacts.0.max(step.contacts.len());
        self.contacts.1 = self.contacts.1.max(active);
        self.iterations += step.iterations;
        self.by_rule += u64::from(step.solver == RULE);
        self.projections = world.projections();
        if let Some(now) = world.chosen_cones().filter(|_| !step.contacts.is_empty()) {
            let all = self.cones.get_or_insert(now);
            all.directions.0 = all.directions.0.min(now.directions.0);
            all.directions.1 = all.directions.1.max(now.directions.1);
            all.work = all.work.max(now.work);
            all.error = all.error.max(now.error);
            all.over |= now.over;
        }
        self.energy.1 = step.energy;
        (self.steps, self.t) = (step.step, step.t);
        self.account.add(step, world.settings().tolerance);
    }
}
