//! Checks a trajectory from its file alone: the world is rebuilt from the scene text in it, and every
//! stored number is recomputed or judged.

mod report;
mod steps;

use crate::budget::FANS;
use crate::methods::{Driver, Grid, Method};
use crate::scene::{Files, Override, Scene, SceneError};
use crate::step::find::touching::Touch;
use crate::step::gate::seen;
use crate::step::integrate::Motion;
use crate::step::task::{Plan, Task};
use crate::world::World;
use steps::check_step;
use stickslip_geometry::separation::separation;
use stickslip_model::{BodyState, Certificate, Cone, ContactImpulse, Kind, Scheme, StepRecord};
use stickslip_record::base64;
use stickslip_record::{Start, StateHash, Trajectory};

pub use report::{Finding, MAX_FINDINGS, Report};

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
    World::from_scene(&scene_of(trajectory)?)
}

/// The scene of a recorded run, read from its text and the copies of its files.
///
/// # Errors
/// When that text cannot be read any more.
pub fn scene_of(trajectory: &Trajectory) -> Result<Scene, SceneError> {
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
    let files = Files::copies(files);
    Scene::parse_with(&header.scene, &header.scene_file, &overrides, files)
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
    if header.method != settings.method.name() {
        report.find(
            &start,
            "the method is not that of the scene in the file".into(),
        );
    }
    if header.h != settings.h
        || (header.tolerance, header.accept) != (settings.tolerance, settings.accept)
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

fn check_summary(trajectory: &Trajectory, report: &mut Report) {
    let Some(last) = trajectory.frames.last() else {
        return;
    };
    if trajectory
        .frames
        .iter()
        .any(|f| f.step.kind == Kind::Extrapolated)
    {
        let note = "extrapolated steps: the inner steps were certified when they ran and cannot be judged again";
        report.notes.push(note.into());
    }
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
    let counted = (report.account.approximate, report.account.divided);
    if (summary.approximate, summary.divided) != counted {
        report.find(
            &last.step,
            "it does not say how many steps are approximate or were divided".into(),
        );
    }
    let mut hash = StateHash::new(&trajectory.header.bodies);
    for frame in &trajectory.frames {
        let step = &frame.step;
        hash.update(step.step, &step.bodies, &step.joints);
    }
    if hash.hex() != summary.hash {
        report.find(
            &last.step,
            "the state hash is not that of the states".into(),
        );
    }
}

impl World {
    /// Judges a recorded step; `None` where a force or a motion is not finite. Restitution remembers it, right or wrong.
    fn judge_recorded(&mut self, start: Start, step: &StepRecord) -> Option<Certificate> {
        let last = StepRecord {
            step: step.step - 1,
            t: start.t,
            bodies: start.bodies.to_vec(),
            ..StepRecord::default()
        };
        let plan = self.plan_of(step);
        let mut motion = Motion {
            bodies: step.bodies.clone(),
            contacts: step.contacts.clone(),
            joints: step.joints.clone(),
            ..Motion::default()
        };
        let driver = Driver::of(self);
        let task = Task {
            last: &last,
            ..driver.task(plan)
        };
        let underway = driver.stepper.place(&task).ok()?;
        let (step, placed) = (&underway.step, &underway.contacts.placed);
        let certificate = underway.gate.certificate(step, &mut motion);
        if let Some(seen) = seen(step, placed, &motion) {
            let (model, memory) = (&self.setup.model, &mut self.memory);
            memory
                .restitution
                .advance(model, plan.h, &motion.contacts, &seen);
        }
        Some(certificate)
    }

    /// Is `start` where a projection of the recorded states leads?
    fn moved_to(&mut self, before: &StepRecord, start: &[BodyState]) -> bool {
        if !self.settings.projection {
            return false;
        }
        let mut driver = Driver {
            last: before,
            ..Driver::of(self)
        };
        let Ok(projected) = driver.project() else {
            return false;
        };
        projected
            .moved
            .map_or(before.bodies == start, |moved| moved.bodies == start)
    }

    /// What such a record was to be.
    const fn plan_of(&self, step: &StepRecord) -> Plan {
        Plan {
            h: step.h,
            t_next: step.t,
            kind: step.kind,
            scheme: self.scheme_of(step.kind),
        }
    }

    /// How the contacts of such a record are to be read.
    const fn scheme_of(&self, kind: Kind) -> Scheme {
        match self.settings.method {
            _ if kind.is_impact() => Scheme::Impact,
            Method::StewartTrinkle => Scheme::StewartTrinkle,
            Method::EventDriven | Method::Extrapolated => Scheme::BetweenEvents,
            Method::Implicit => Scheme::Implicit,
            Method::Anitescu => Scheme::Anitescu,
        }
    }

    /// What is wrong with the time, length or kind of a record of this method.
    fn mistimed(&self, step: &StepRecord) -> Option<String> {
        let h = self.settings.h;
        let kinds: &[Kind] = match self.settings.method {
            Method::StewartTrinkle | Method::Implicit | Method::Anitescu => {
                let on_grid = Grid::has(&self.plan_of(step), h);
                return (!on_grid).then(|| "it is no step of the grid, nor a part of one".into());
            }
            Method::EventDriven => &[Kind::Step, Kind::Compression, Kind::Decompression],
            Method::Extrapolated => &[
                Kind::Step,
                Kind::Compression,
                Kind::Decompression,
                Kind::Extrapolated,
            ],
        };
        let long = step.h < 0.0 || step.h > h * (1.0 + 1e-9);
        let empty = step.kind.is_impact() != (step.h == 0.0);
        (long || empty || !kinds.contains(&step.kind))
            .then(|| "its length or kind is none of its method's".into())
    }

    /// Does a decompression give back what was compressed just before, and is none left out?
    fn misgiven(&mut self, before: &StepRecord, step: &StepRecord) -> Option<&'static str> {
        if before.kind != Kind::Compression {
            return Some("it gives back what was not compressed");
        }
        let driver = Driver::of(self);
        let task = Task {
            last: before,
            ..driver.task(Plan::phase(before, Kind::Compression))
        };
        let underway = driver.stepper.place(&task).ok()?;
        let touch = Touch::at(&underway.step, &underway.contacts.placed);
        let given = before.contacts.iter().map(|c| touch.restitution_of(c));
        let given: Vec<f64> = given.collect();
        if step.kind != Kind::Decompression {
            let left = given.iter().any(|&r| r > 0.0);
            return left.then_some("the compression before it is not given back");
        }
        let same = before.contacts.len() == step.contacts.len()
            && (before.contacts.iter().zip(&step.contacts).zip(&given))
                .all(|((a, b), r)| a.contact == b.contact && b.restituted == *r);
        (!same).then_some("what it restitutes is not what was compressed")
    }

    /// The deepest overlap of any two bodies, m; 0 where there is none.
    fn deepest(&self, states: &[BodyState]) -> f64 {
        let bodies = &self.setup.model.bodies;
        let mut depth: f64 = 0.0;
        for (j, b) in bodies.iter().enumerate() {
            for (i, a) in bodies[..j].iter().enumerate() {
                let ignored = self.settings.ignored.binary_search(&[i, j]).is_ok();
                if self.setup.model.may_collide(i, j) && !ignored {
                    let (p, q) = (&states[i].pose, &states[j].pose);
                    depth = depth.max(-separation(&a.shape, p, &b.shape, q));
                }
            }
        }
        depth
    }

    /// The first contact whose restituted impulse is not e c, as the steps before say.
    fn misrestituted<'s>(&self, step: &'s StepRecord) -> Option<&'s ContactImpulse> {
        let contacts = step.contacts.iter();
        let mut ended = Vec::new();
        self.memory
            .restitution
            .ended(contacts.clone().map(|c| &c.contact), &mut ended);
        let wrong = |(c, ended): &(&ContactImpulse, &f64)| {
            c.restituted != self.setup.restitutions.of(c.contact.bodies) * **ended
        };
        contacts.zip(&ended).find(wrong).map(|(c, _)| c)
    }

    /// What the record of contact `k` says that its impulse, its place and the scene do not; the step has
    /// been judged just before.
    fn misrecorded(&self, k: usize, contact: &ContactImpulse) -> Option<&'static str> {
        if contact.contact.friction != self.setup.frictions.of(contact.contact.bodies) {
            return Some("its friction is not that of the scene");
        }
        let allowed = match self.settings.cone {
            Cone::Budget(_) => contact.directions == 0 || FANS.contains(&contact.directions),
            cone => contact.directions as usize == cone.directions().unwrap_or(0),
        };
        if !allowed && contact.contact.friction.stick > 0.0 {
            return Some("its number of friction directions is not the scene's");
        }
        if self.stepper.modes().get(k) != Some(&contact.mode) {
            return Some("its mode is not that of its impulse and slip");
        }
        None
    }
}
