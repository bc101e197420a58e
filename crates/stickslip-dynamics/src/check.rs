//! Checks a trajectory from its file alone: the world is rebuilt from the scene text in it, and every
//! stored number is recomputed or judged.

mod report;
mod steps;

use crate::budget::FANS;
use crate::methods::{Driver, Grid, Method};
use crate::scene::{Files, Override, Scene, SceneError};
use crate::simulate::steps_until;
use crate::step::find::touching::Touch;
use crate::step::gate::seen;
use crate::step::integrate::Motion;
use crate::step::task::{Plan, Task};
use crate::world::World;
use std::path::Path;
use steps::check_step;
use stickslip_geometry::separation::separation;
use stickslip_model::{BodyState, Certificate, Cone, ContactImpulse, Kind, Scheme, StepRecord};
use stickslip_record::base64;
use stickslip_record::{
    Frame, Header, Reader, RecordError, Seal, Start, StateHash, Summary, Trajectory,
};

pub use report::{Finding, Judgement, MAX_FINDINGS, Report};

/// Judges every recorded step of a trajectory.
///
/// # Errors
/// When the scene text in the file cannot be read any more.
pub fn check(trajectory: &Trajectory) -> Result<Report, SceneError> {
    let mut checker = Checker::new(&trajectory.header)?;
    let mut before = None;
    for frame in &trajectory.frames {
        checker.look(before, frame);
        before = Some(frame);
    }
    let mut report = checker.finish(trajectory.summary.as_ref(), before);
    report.notes.extend(trajectory.warnings.iter().cloned());
    Ok(report)
}

/// Why a file could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// It is no trajectory, or damaged.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The scene in it cannot be read any more.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// Judges every recorded step of a trajectory on disk, one after the other: its length does not matter for the memory.
///
/// # Errors
/// When the file is no trajectory, or the scene text in it cannot be read any more.
pub fn check_file(path: &Path) -> Result<(Header, Report), CheckError> {
    let mut reader = Reader::open(path)?;
    let mut checker = Checker::new(&reader.header)?;
    let mut before = None;
    for frame in reader.by_ref() {
        let frame = frame?;
        checker.look(before.as_ref(), &frame);
        before = Some(frame);
    }
    checker.check_seal(reader.seal(), before.as_ref());
    let mut report = checker.finish(reader.summary.as_ref(), before.as_ref());
    report.notes.append(&mut reader.warnings);
    Ok((reader.header, report))
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
    scene_in(&trajectory.header)
}

/// The scene in a header.
///
/// # Errors
/// When its text cannot be read any more, or an override or the copy of a file is none.
pub fn scene_in(header: &Header) -> Result<Scene, SceneError> {
    let wrong = |what: String| SceneError::unreadable(&header.scene_file, what);
    let overrides = header.overrides.iter().map(|text| {
        Override::from_option(text)
            .ok_or_else(|| wrong(format!("the override `{text}` in the file is no KEY=VALUE")))
    });
    let overrides = overrides.collect::<Result<Vec<_>, _>>()?;
    let files = header.files.iter().map(|(name, text)| {
        let bytes = base64::decode(text);
        let bytes = bytes.ok_or_else(|| wrong(format!("the copy of `{name}` is damaged")))?;
        Ok((name.clone(), bytes.into()))
    });
    let files = Files::copies(files.collect::<Result<_, SceneError>>()?);
    Scene::parse_with(&header.scene, &header.scene_file, &overrides, files)
}

/// A trajectory while it is checked, frame by frame.
struct Checker {
    world: World,
    header: Header,
    until: f64,
    report: Report,
    hash: StateHash,
    /// A step that may be there only if it is the last.
    odd: Option<StepRecord>,
    frames: u64,
}

impl Checker {
    fn new(header: &Header) -> Result<Self, SceneError> {
        let scene = scene_in(header)?;
        let world = World::from_scene(&scene)?;
        let mut checker = Self {
            world,
            header: header.clone(),
            until: scene.step.until,
            report: Report::default(),
            hash: StateHash::new(&header.bodies),
            odd: None,
            frames: 0,
        };
        checker.check_header();
        Ok(checker)
    }

    /// The header must agree with the scene text, or one of them was changed.
    fn check_header(&mut self) {
        let (header, settings) = (&self.header, self.world.settings());
        let model = self.world.model();
        let claims = [
            (
                header
                    .bodies
                    .iter()
                    .map(String::as_str)
                    .eq(model.body_names())
                    && header
                        .joints
                        .iter()
                        .map(String::as_str)
                        .eq(model.joint_names()),
                "the bodies or joints are not those of the scene in the file",
            ),
            (
                header.method == settings.method.name(),
                "the method is not that of the scene in the file",
            ),
            (
                header.h == settings.h
                    && (header.tolerance, header.accept) == (settings.tolerance, settings.accept)
                    && header.cone == settings.cone,
                "step, tolerance or cone are not those of the scene in the file",
            ),
            (
                header.solver == settings.solver && header.until == self.until,
                "the solver or the end is not that of the scene in the file",
            ),
        ];
        let start = StepRecord::default();
        for (_, what) in claims.iter().filter(|(so, _)| !so) {
            self.report.find(&start, (*what).into());
        }
        let ours = env!("CARGO_PKG_VERSION");
        if header.version != ours {
            self.report.notes.push(format!(
                "written by stickslip {}, judged by stickslip {ours}",
                header.version
            ));
        }
    }

    /// The next frame, after the one before it. Where the header is wrong there is nothing to judge by.
    fn look(&mut self, before: Option<&Frame>, frame: &Frame) {
        let step = &frame.step;
        if self.frames == 0 && !self.report.valid() {
            return;
        }
        self.frames += 1;
        self.hash.update(step.step, &step.bodies, &step.joints);
        match before {
            None => check_initial(&self.world, step, &mut self.report),
            Some(before) => {
                self.check_place(&before.step, step);
                check_step(&mut self.world, before, frame, &mut self.report);
            }
        }
    }

    /// Is this the step that should come next, as the header says how many are recorded?
    fn check_place(&mut self, before: &StepRecord, step: &StepRecord) {
        if let Some(odd) = self.odd.take() {
            let what = format!("it is neither one in {} nor the last", self.header.every);
            self.report.find(&odd, what);
        }
        let hole = step.step != before.step + 1;
        if self.header.every == 1 {
            if hole {
                let what = "steps before it are missing, though the header says that all are here";
                self.report.find(step, what.into());
            }
            return;
        }
        let every = self.header.every;
        let [last, here] = [before, step].map(|step| self.whole_steps(step));
        let due = (last / every + 1) * every;
        if here > due {
            let what = format!("steps before it are missing beyond the one in {every} announced");
            self.report.find(step, what);
        } else if here < due || step.kind == Kind::Part {
            self.odd = Some(step.clone());
        }
    }

    /// How many steps, but for parts of divided ones, there are up to a record.
    fn whole_steps(&self, step: &StepRecord) -> u64 {
        let settings = self.world.settings();
        match (settings.method.has_fixed_step(), step.kind) {
            (false, _) => step.step,
            (true, Kind::Part) => (step.t / settings.h + 1e-9) as u64,
            (true, _) => (step.t / settings.h).round() as u64,
        }
    }

    fn check_seal(&mut self, seal: Seal, last: Option<&Frame>) {
        if let Some(what) = seal.warning() {
            let step = last.map(|frame| frame.step.clone()).unwrap_or_default();
            self.report.find(&step, what);
        }
    }

    fn finish(mut self, summary: Option<&Summary>, last: Option<&Frame>) -> Report {
        match last {
            None => self
                .report
                .find(&StepRecord::default(), "the file holds no state".into()),
            Some(_) if self.frames == 0 => {}
            Some(last) => self.check_summary(summary, &last.step),
        }
        self.report.add_unchecked(&self.header, summary);
        self.report
    }

    fn check_summary(&mut self, summary: Option<&Summary>, last: &StepRecord) {
        self.report.absent = (last.step + 1).saturating_sub(self.frames);
        let Some(summary) = summary else {
            let note = "the run did not end: what it had computed is here";
            self.report.notes.push(note.into());
            return;
        };
        if let Some(why) = &summary.failure {
            let note = format!("the run stopped early: {why}");
            self.report.notes.push(note);
        }
        let certified = summary.failure.is_none() && summary.approximate.count == 0;
        let claims = [
            (
                (summary.steps, summary.t) == (last.step, last.t),
                "the last step is not the one the run ended with",
            ),
            (
                summary.failure.is_none() == self.at_end(last),
                "it does not say truly whether the run came to its end",
            ),
            (
                summary.certified == certified && self.counted(summary),
                "it does not say how many steps are approximate or were divided",
            ),
            (
                self.header.every > 1 || self.hash.hex() == summary.hash,
                "the state hash is not that of the states",
            ),
        ];
        for (_, what) in claims.iter().filter(|(so, _)| !so) {
            self.report.find(last, (*what).into());
        }
    }

    /// Does the run end with this step?
    fn at_end(&self, last: &StepRecord) -> bool {
        let settings = self.world.settings();
        if settings.method.has_fixed_step() {
            let due = steps_until(settings.h, self.until);
            last.kind != Kind::Part && self.whole_steps(last) >= due
        } else {
            last.t >= self.until - 1e-9 * settings.h
        }
    }

    /// Are approximate and divided steps as many as the summary says, or at least not more where some are not here?
    fn counted(&self, summary: &Summary) -> bool {
        let account = &self.report.account;
        let (found, said) = (account.approximate, summary.approximate);
        if self.header.every == 1 {
            return (said, summary.divided) == (found, account.divided);
        }
        found.count <= said.count && found.worst <= said.worst
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
            let name = &body.name;
            let what = format!("the initial state of \"{name}\" is not that of the scene");
            report.find(first, what);
        }
    }
    if first.energy != world.energy() {
        report.find(first, "the energy is not that of the states".into());
    }
    let rest = StepRecord {
        step: first.step,
        t: first.t,
        bodies: first.bodies.clone(),
        energy: first.energy,
        ..StepRecord::default()
    };
    if *first != rest {
        let what = "the initial state has contacts, residuals or a solver";
        report.find(first, what.into());
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
