//! Checks a trajectory from its file alone: the world is rebuilt from the scene text in it, and every
//! stored number is recomputed or judged.

mod checker;
mod report;
mod steps;

use crate::budget::FANS;
use crate::methods::{Driver, Grid, Method};
use crate::scene::{Files, Override, Scene, SceneError};
use crate::step::find::touching::Touch;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use crate::step::seen::{given_back, measured, seen};
use crate::step::task::{Plan, Task};
use crate::world::World;
use checker::Checker;
use std::path::Path;
use stickslip_geometry::Pose;
use stickslip_model::{
    BodyState, Certificate, Cone, ContactImpulse, Kind, Model, Scheme, StepRecord,
};
use stickslip_record::base64;
use stickslip_record::{Header, Reader, RecordError, Start, Trajectory};

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
/// As [`world_in`].
pub fn world_of(trajectory: &Trajectory) -> Result<World, SceneError> {
    world_in(&trajectory.header).map(|(_, world)| world)
}

/// The scene in a header and its world at the start, whose bodies have the numbers that they have in the file.
///
/// # Errors
/// As [`scene_in`]; and where bodies or joints, or their order, are not those of the header.
pub fn world_in(header: &Header) -> Result<(Scene, World), SceneError> {
    let scene = scene_in(header)?;
    let world = World::from_scene(&scene)?;
    if names_agree(header, world.model()) {
        return Ok((scene, world));
    }
    let what = "the bodies or joints of the file are not those of the scene in it, or stand in another order";
    Err(SceneError::unreadable(&header.scene_file, what))
}

/// Are bodies and joints of a header those of a model, in its order?
fn names_agree(header: &Header, model: &Model) -> bool {
    let (bodies, joints) = (header.bodies.iter(), header.joints.iter());
    header.kinds == model.joint_kinds()
        && bodies.map(String::as_str).eq(model.body_names())
        && joints.map(String::as_str).eq(model.joint_names())
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

/// What is found of a recorded step.
struct Judged {
    certificate: Certificate,
    /// The first contact that does not give back what the steps before say.
    misrestituted: Option<usize>,
    /// What the judge has against what it gives back, and at which contact.
    breach: Option<(usize, String)>,
}

/// The first contact whose restituted impulse is not what is left of e c, as the steps before say: to the bit, but for an implicit step, whose contacts
/// were measured by rounding beside its end.
fn misrestituted(step: &Predicted, placed: &[Pose], motion: &Motion) -> Option<usize> {
    let contacts = motion.contacts.iter();
    let mut given = Vec::new();
    given_back(
        step,
        contacts.clone().map(|c| &c.contact),
        &measured(step, placed, motion),
        &mut given,
    );
    let rounding = match step.plan.scheme {
        Scheme::Implicit => 1e-9,
        _ => 0.0,
    };
    let same = |r: f64, given: f64| r == given || (r - given).abs() <= rounding * given;
    let mut both = contacts.zip(&given);
    both.position(|(c, given)| !same(c.restituted, *given))
}

impl World {
    /// Judges a recorded step, and whether it gives back what was compressed before; `None` where a force or a motion is not finite. Restitution
    /// remembers it, right or wrong.
    fn judge_recorded(&mut self, start: Start, step: &StepRecord) -> Option<Judged> {
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
        let breach = underway.gate.breach(step, &motion);
        let misrestituted = misrestituted(step, placed, &motion);
        if let Some(seen) = seen(step, placed, &motion) {
            self.replay(plan.h, &motion.contacts, &seen);
        }
        Some(Judged {
            certificate,
            misrestituted,
            breach,
        })
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
            Method::StewartTrinkle if kind.leaves_overlaps() => Scheme::Leaving,
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

    /// An extrapolated step made again from the record before it; `None` where that fails.
    fn made_again(&mut self, before: &StepRecord, step: &StepRecord) -> Option<StepRecord> {
        let mut driver = Driver {
            last: before,
            ..Driver::of(self)
        };
        driver.extrapolated_again(step.h, &step.bodies).ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::simulate_in_memory;

    /// A file whose bodies stand otherwise than those of its scene, as those of earlier formats did, is not misread.
    #[test]
    fn names_in_another_order_than_the_scenes_are_refused() {
        let text = "step = { h = 0.01, until = 0.02 }\n\
             [[body]]\nname = \"a\"\nmass = 1\nshape = { ball = { radius = 0.1 } }\nposition = [0, 0, 2]\n\
             [[body]]\nname = \"b\"\nmass = 1\nshape = { ball = { radius = 0.1 } }\nposition = [0, 0, 1]\n";
        let scene = Scene::parse(text, "two", &[]).expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        let (mut run, _) = simulate_in_memory(&scene, &mut world).expect("a run");
        assert_eq!(run.header.bodies, ["b", "a"]);
        assert!(world_of(&run).is_ok());
        assert!(check(&run).expect("a scene").valid());
        run.header.bodies.swap(0, 1);
        let Err(error) = world_of(&run) else {
            panic!("it was read");
        };
        assert!(error.to_string().contains("another order"), "{error}");
        assert!(!check(&run).expect("a scene").valid());
    }
}
