//! What looks at every step of a run: the progress bar, the watch for ambiguous states, the dump of problems, and the
//! count of steps that another solver answered.

use super::Args;
use super::dump::Dump;
use indicatif::ProgressBar;
use stickslip::dynamics::alarm::Watch;
use stickslip::dynamics::simulate::steps_until;
use stickslip::prelude::{Outcome, Scene, World};
use stickslip::solvers::auto::selection::RULE;
use stickslip_console::{Failure, progress_bar};

pub(super) struct Onlookers {
    bar: ProgressBar,
    /// Length of a step, s. The bar goes by time: steps may be shorter than h.
    h: f64,
    pub(super) watch: Option<Watch>,
    pub(super) others: Others,
    pub(super) dump: Option<Dump>,
    /// The first problem that could not be written; the run goes on without the dump.
    pub(super) dumped: Result<(), Failure>,
}

impl Onlookers {
    pub(super) fn new(args: &Args, scene: &Scene, world: &World) -> Result<Self, Failure> {
        let h = scene.step.h;
        let steps = steps_until(h, scene.step.until);
        let bar = progress_bar(steps, "step", args.quiet || args.json);
        let mut watch = args.alarm.then(Watch::default);
        if let Some(watch) = &mut watch {
            watch.look(world);
        }
        let folder = args.dump.as_deref();
        let dump = folder
            .map(|folder| Dump::new(folder, &args.dump_steps, args.dump_blocks, &args.scene))
            .transpose()?;
        Ok(Self {
            bar,
            h,
            watch,
            others: Others::of(&scene.step.solver),
            dump,
            dumped: Ok(()),
        })
    }

    /// After a step.
    pub(super) fn look(&mut self, world: &World) {
        if world.steps().is_multiple_of(16) {
            self.bar.set_position((world.time() / self.h) as u64);
        }
        if let Some(watch) = &mut self.watch {
            watch.look(world);
        }
        self.others.look(&world.last_step().solver);
        if let (Some(dump), Ok(())) = (&mut self.dump, &self.dumped) {
            self.dumped = dump.look(world);
        }
    }

    /// After the last step; a refused one is dumped.
    pub(super) fn end(&mut self, world: &World, outcome: &Outcome) {
        self.bar.finish_and_clear();
        if let (Some(dump), Ok(()), Some(_)) = (&mut self.dump, &self.dumped, &outcome.failure) {
            self.dumped = dump.refused(world);
        }
    }
}

/// How many steps were answered by another solver than the one asked for.
pub(super) struct Others {
    /// `None` for `auto`, which chooses.
    asked: Option<String>,
    pub(super) steps: u64,
}

impl Others {
    fn of(asked: &str) -> Self {
        Self {
            asked: (asked != "auto").then(|| asked.to_owned()),
            steps: 0,
        }
    }

    fn look(&mut self, solver: &str) {
        let other = self.asked.as_ref().is_some_and(|a| a != solver) && solver != RULE;
        self.steps += u64::from(other);
    }

    pub(super) fn text(&self, of: u64) -> Option<String> {
        let asked = self.asked.as_ref().filter(|_| self.steps > 0)?;
        Some(format!(
            "  solver       {asked} had no answer for {} of {of} steps; others gave it",
            self.steps
        ))
    }
}
