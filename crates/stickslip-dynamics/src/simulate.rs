//! A whole run: step after step into a recorder, with an account at the end.

use crate::budget::Chosen;
use crate::error::StepError;
use crate::methods::Projections;
use crate::scene::Scene;
use crate::world::World;
use stickslip_model::{BodyState, Residual};
use stickslip_record::base64;
use stickslip_record::{Header, RecordError, Recorder, Start, StateHash, Summary, Trajectory};
use stickslip_solvers::auto::selection::RULE;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of the last step.
    pub steps: u64,
    /// Steps done in this run.
    pub done: u64,
    /// Time reached, s.
    pub t: f64,
    /// Largest residual of each kind, m/s, and when.
    pub worst: [(f64, f64); Residual::ALL.len()],
    /// Largest equality residual in units of its rounding bound, and when.
    pub rounding: (f64, f64),
    /// Deepest penetration, m, and when.
    pub penetration: (f64, f64),
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
    /// Why it stopped early, if it did: the step that could not be certified.
    pub failure: Option<StepError>,
}

impl Outcome {
    /// Did every step meet its tolerance?
    #[must_use]
    pub const fn certified(&self) -> bool {
        self.failure.is_none()
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
        h: settings.h,
        until: scene.step.until,
        every: 1,
        tolerance: settings.tolerance,
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
        &mut |_| {},
    )?;
    Ok((trajectory, outcome))
}

/// Steps `world` until `until` and hands every step to `recorder`; `progress` is called after each.
///
/// A step that cannot be certified ends the run: what was computed is kept, and the outcome says why.
///
/// # Errors
/// When the recorder fails.
pub fn simulate(
    world: &mut World,
    header: &Header,
    until: f64,
    recorder: &mut dyn Recorder,
    progress: &mut dyn FnMut(&World),
) -> Result<Outcome, RecordError> {
    let mut hash = StateHash::new(&header.bodies);
    hash.update(world.steps(), world.states(), &world.last_step().joints);
    recorder.start(header, world.last_step())?;
    let mut outcome = Outcome {
        steps: 0,
        done: 0,
        t: world.time(),
        worst: Default::default(),
        rounding: (0.0, 0.0),
        penetration: (0.0, 0.0),
        contacts: (0, 0),
        iterations: 0,
        by_rule: 0,
        cones: None,
        projections: None,
        energy: (world.energy(), world.energy()),
        hash: String::new(),
        failure: None,
    };
    let mut before: Vec<BodyState> = Vec::new();
    let steps = steps_until(world.settings().h, until);
    let fixed = world.settings().method.has_fixed_step();
    while if fixed {
        outcome.done < steps
    } else {
        !world.reached(until)
    } {
        before.clear();
        before.extend_from_slice(world.states());
        let t = world.time();
        match world.step() {
            Ok(step) => {
                hash.update(step.step, &step.bodies, &step.joints);
                let bodies = world.started_from().unwrap_or(&before);
                recorder.record(Start { t, bodies }, world.last_step())?;
            }
            Err(e) => {
                outcome.failure = Some(e);
                break;
            }
        }
        outcome.add(world);
        progress(world);
    }
    outcome.hash = hash.hex();
    recorder.finish(&Summary {
        steps: outcome.steps,
        t: outcome.t,
        certified: outcome.certified(),
        hash: outcome.hash.clone(),
        failure: outcome.failure.as_ref().map(ToString::to_string),
    })?;
    Ok(outcome)
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
        let active = step.contacts.iter().filter(|c| c.impulse.x > 0.0).count();
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
        self.done += 1;
    }
}
