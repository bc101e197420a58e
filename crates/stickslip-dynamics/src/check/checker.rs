//! A trajectory from its first frame to its last: the header and the summary against the scene and the steps, holes, the hash.

use super::report::Report;
use super::steps::check_step;
use super::{names_agree, scene_in};
use crate::scene::SceneError;
use crate::simulate::steps_until;
use crate::world::World;
use stickslip_model::StepRecord;
use stickslip_record::{Frame, Header, Seal, StateHash, Summary};

/// A trajectory while it is checked, frame by frame.
pub(super) struct Checker {
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
    pub(super) fn new(header: &Header) -> Result<Self, SceneError> {
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
        let claims = [
            (
                names_agree(header, self.world.model()),
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
    pub(super) fn look(&mut self, before: Option<&Frame>, frame: &Frame) {
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
        } else if here < due || step.kind.is_part() {
            self.odd = Some(step.clone());
        }
    }

    /// How many steps, but for parts of divided ones, there are up to a record.
    fn whole_steps(&self, step: &StepRecord) -> u64 {
        let settings = self.world.settings();
        match (settings.method.has_fixed_step(), step.kind) {
            (false, _) => step.step,
            (true, kind) if kind.is_part() => (step.t / settings.h + 1e-9) as u64,
            (true, _) => (step.t / settings.h).round() as u64,
        }
    }

    pub(super) fn check_seal(&mut self, seal: Seal, last: Option<&Frame>) {
        if let Some(what) = seal.warning() {
            let step = last.map(|frame| frame.step.clone()).unwrap_or_default();
            self.report.find(&step, what);
        }
    }

    pub(super) fn finish(mut self, summary: Option<&Summary>, last: Option<&Frame>) -> Report {
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
            self.report.early = Some(last.t);
            return;
        };
        if let Some(why) = &summary.failure {
            let note = format!("the run stopped early: {why}");
            self.report.notes.push(note);
            self.report.early = Some(last.t);
        }
        let certified = summary.failure.is_none() && summary.approximate.count == 0;
        let claims = [
            (
                (summary.steps, summary.t) == (last.step, last.t),
                "the last step is not the one the run ended with",
            ),
            (
                summary.failure.is_some() || self.at_end(last),
                "the run says that it came to its end, and did not",
            ),
            (
                summary.certified == certified && self.counted(summary),
                "it does not say how many steps are approximate, were divided or leave overlaps",
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
            !last.kind.is_part() && self.whole_steps(last) >= due
        } else {
            last.t >= self.until - 1e-9 * settings.h
        }
    }

    /// Are approximate and divided steps as many as the summary says, or at least not more where some are not here?
    fn counted(&self, summary: &Summary) -> bool {
        let account = &self.report.account;
        let (found, said) = (account.approximate, summary.approximate);
        if self.header.every == 1 {
            let said = (said, summary.divided, summary.leaving);
            return said == (found, account.divided, account.leaving);
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
