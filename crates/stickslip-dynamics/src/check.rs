//! Checks a trajectory from its file alone: the world is rebuilt from the scene text in it, and every
//! stored number is recomputed or judged.

use crate::scene::{Files, Override, Scene, SceneError};
use crate::world::{World, energy};
use stickslip_certify::{BodyState, Certificate, ContactImpulse, Residual, StepRecord};
use stickslip_record::base64;
use stickslip_record::{Frame, StateHash, Trajectory};

/// Something in the file that is not so.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// In which step (0 is the initial state).
    pub step: u64,
    /// Time at its end, s.
    pub t: f64,
    /// What is wrong, with the bodies concerned.
    pub what: String,
}

/// What the check came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Steps judged.
    pub steps: u64,
    /// Largest residual of each kind, m/s, and when.
    pub worst: [(f64, f64); Residual::ALL.len()],
    /// Largest equality residual in units of its rounding bound, and when.
    pub rounding: (f64, f64),
    /// Deepest penetration, m, and when.
    pub penetration: (f64, f64),
    /// What is wrong, in order of time; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Findings beyond those listed.
    pub more: usize,
    /// What the file leaves open: a run that died, steps that were thinned away.
    pub notes: Vec<String>,
}

/// So many findings are listed; the rest are counted.
pub const MAX_FINDINGS: usize = 100;

impl Report {
    /// Is everything in the file so?
    #[must_use]
    pub fn valid(&self) -> bool {
        self.findings.is_empty()
    }

    fn find(&mut self, step: &StepRecord, what: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding {
                step: step.step,
                t: step.t,
                what,
            });
        } else {
            self.more += 1;
        }
    }
}

/// Judges every recorded step of a trajectory.
///
/// # Errors
/// When the scene text in the file cannot be read any more.
pub fn check(trajectory: &Trajectory) -> Result<Report, SceneError> {
    let mut world = world_of(trajectory)?;
    let mut report = Report::default();
    check_header(&world, trajectory, &mut report);
    if !report.valid() {
        return Ok(report);
    }
    report.notes.extend(trajectory.warnings.iter().cloned());
    for (k, frame) in trajectory.frames.iter().enumerate() {
        match k {
            0 => check_initial(&world, &frame.step, &mut report),
            _ => check_step(&mut world, &trajectory.frames[k - 1], frame, &mut report),
        }
    }
    check_summary(trajectory, &mut report);
    Ok(report)
}

/// The world at the start of a recorded run, rebuilt from the scene text in the file.
///
/// # Errors
/// When that text cannot be read any more.
pub fn world_of(trajectory: &Trajectory) -> Result<World, SceneError> {
    let header = &trajectory.header;
    let overrides: Vec<Override> = header
        .overrides
        .iter()
        .filter_map(|o| Override::from_option(o))
        .collect();
    let files = header
        .files
        .iter()
        .filter_map(|(name, text)| Some((name.clone(), base64::decode(text)?.into())))
        .collect();
    World::from_scene(&Scene::parse_with(
        &header.scene,
        &header.scene_file,
        &overrides,
        Files::copies(files),
    )?)
}

/// The header must agree with the scene text, or one of them was changed.
fn check_header(world: &World, trajectory: &Trajectory, report: &mut Report) {
    let (header, settings) = (&trajectory.header, world.settings());
    let start = StepRecord::default();
    let names = world.model().bodies.iter().map(|b| &b.name);
    if !header.bodies.iter().eq(names) {
        report.find(
            &start,
            "the bodies are not those of the scene in the file".into(),
        );
    }
    if header.h != settings.h
        || header.tolerance != settings.tolerance
        || header.cone != settings.cone
    {
        report.find(
            &start,
            "step, tolerance or cone are not those of the scene in the file".into(),
        );
    }
    if trajectory.frames.is_empty() {
        report.find(&start, "the file holds no state".into());
    }
}

fn check_initial(world: &World, first: &StepRecord, report: &mut Report) {
    if first.step != 0 || first.t != 0.0 {
        report.find(
            first,
            "the first state is not that of step 0 at t = 0".into(),
        );
    }
    for (i, body) in world.model().bodies.iter().enumerate() {
        if first.bodies.get(i) != world.states().get(i) {
            report.find(
                first,
                format!(
                    "the initial state of \"{}\" is not that of the scene",
                    body.name
                ),
            );
        }
    }
    if first.energy != world.energy() {
        report.find(first, "the energy is not that of the states".into());
    }
    if !first.contacts.is_empty()
        || !first.joints.is_empty()
        || first.certificate != Certificate::default()
    {
        report.find(first, "the initial state has contacts or residuals".into());
    }
}

fn check_step(world: &mut World, before: &Frame, frame: &Frame, report: &mut Report) {
    let step = &frame.step;
    let h = world.settings().h;
    if step.t != step.step as f64 * h {
        report.find(step, format!("its time is not {} h", step.step));
        return;
    }
    let start: &[BodyState] = match &frame.start {
        Some(start) => {
            if start.t != (step.step - 1) as f64 * h {
                report.find(
                    step,
                    "the time of its starting state is not one step earlier".into(),
                );
            }
            &start.bodies
        }
        None if before.step.step + 1 == step.step => &before.step.bodies,
        None => {
            report.find(step, "the state before it is missing".into());
            return;
        }
    };
    let Some(found) = world.judge_recorded(start, step) else {
        report.find(
            step,
            "a force or a prescribed motion is not finite here".into(),
        );
        return;
    };
    report.steps += 1;
    let raise = |worst: &mut (f64, f64), value: f64| {
        if value > worst.0 || value.is_nan() {
            *worst = (value, step.t);
        }
    };
    for (worst, &value) in report.worst.iter_mut().zip(&found.residuals) {
        raise(worst, value);
    }
    raise(&mut report.rounding, found.rounding);
    raise(&mut report.penetration, found.penetration);

    let tolerance = world.settings().tolerance;
    if !found.holds(tolerance) {
        let (kind, value) = found.worst_of_law();
        let what = if value <= found.bound(tolerance) {
            let (kind, value) = found.worst();
            format!(
                "{} residual {value:.3e} m/s is {:.3e} times what rounding explains",
                kind.name(),
                found.rounding
            )
        } else {
            let bound = found.bound(tolerance);
            format!(
                "{} residual {value:.3e} m/s exceeds {bound:.1e} m/s",
                kind.name()
            )
        };
        report.find(step, what);
    }
    if found != step.certificate {
        report.find(
            step,
            "the stored certificate is not that of the states and impulses".into(),
        );
    }
    let gravity = world.settings().gravity;
    if step.energy != energy(world.model(), gravity, &step.bodies, &step.joints) {
        report.find(step, "the stored energy is not that of the states".into());
    }
    for contact in &step.contacts {
        if let Some(what) = world.misrecorded(step, contact) {
            let [a, b] = contact
                .contact
                .bodies
                .map(|i| &world.model().bodies[i].name);
            report.find(step, format!("contact of \"{a}\" and \"{b}\": {what}"));
        }
    }
}

fn check_summary(trajectory: &Trajectory, report: &mut Report) {
    let Some(last) = trajectory.frames.last() else {
        return;
    };
    let Some(summary) = &trajectory.summary else {
        report
            .notes
            .push("the run did not end: what it had computed is here".into());
        return;
    };
    if let Some(why) = &summary.failure {
        report.notes.push(format!("the run stopped early: {why}"));
    }
    if summary.steps != last.step.step || summary.t != last.step.t {
        report.find(
            &last.step,
            "the last step is not the one the run ended with".into(),
        );
    }
    if trajectory.header.every > 1 {
        report.notes.push(format!(
            "every {}th step was recorded: the steps between were certified when they ran and cannot be \
             judged again",
            trajectory.header.every
        ));
        return;
    }
    let mut hash = StateHash::new(&trajectory.header.bodies);
    for frame in &trajectory.frames {
        hash.update(frame.step.step, &frame.step.bodies);
    }
    if hash.hex() != summary.hash {
        report.find(
            &last.step,
            "the state hash is not that of the states".into(),
        );
    }
}

impl World {
    /// Judges a recorded step; `None` where a force or a motion is not finite.
    fn judge_recorded(&mut self, start: &[BodyState], step: &StepRecord) -> Option<Certificate> {
        self.last.step = step.step - 1;
        self.last.t = (step.step - 1) as f64 * self.settings.h;
        self.last.bodies.clear();
        self.last.bodies.extend_from_slice(start);
        self.apply_forces().ok()?;
        self.predict().ok()?;
        self.work.next.clone_from(&step.bodies);
        self.work.impulses.clone_from(&step.contacts);
        self.work.joints.impulses.clone_from(&step.joints);
        Some(self.judge())
    }

    /// What the record of a contact says that its impulse, its place and the scene do not; the step has
    /// been judged just before.
    fn misrecorded(&self, step: &StepRecord, contact: &ContactImpulse) -> Option<&'static str> {
        if contact.contact.friction != self.frictions.of(contact.contact.bodies) {
            return Some("its friction is not that of the scene");
        }
        if contact.mode != self.law_of(&step.bodies, contact).mode() {
            return Some("its mode is not that of its impulse and slip");
        }
        None
    }
}
