//! What looks at every step of a run: progress, signs of steps that are too long, the watch for ambiguous states, the stages that ran, the dump of problems, and the
//! count of steps that another solver answered.

use super::Args;
use super::dump::Dump;
use super::traced::Traced;
use std::path::Path;
use std::time::Instant;
use stickslip::dynamics::accuracy::Accuracy;
use stickslip::dynamics::alarm::Watch;
use stickslip::dynamics::methods::Method;
use stickslip::model::words::three_digits;
use stickslip::prelude::{Outcome, Scene, World};
use stickslip::solvers::auto::selection::RULE;
use stickslip_console::progress::Progress;
use stickslip_console::{Failure, time};

pub(super) struct Onlookers {
    progress: Progress,
    /// When the run is to end, s. Progress goes by time: steps may be shorter than h.
    until: f64,
    begun: Instant,
    /// The step from which this process goes on, and its time; known with the first one that it does.
    pub(super) since: Option<(u64, f64)>,
    pub(super) watch: Option<Watch>,
    pub(super) accuracy: Accuracy,
    crawl: Crawl,
    pub(super) others: Others,
    pub(super) traced: Option<Traced>,
    pub(super) dump: Option<Dump>,
    /// The first problem that could not be written; the run goes on without the dump.
    pub(super) dumped: Result<(), Failure>,
}

impl Onlookers {
    pub(super) fn new(args: &Args, scene: &Scene, world: &World) -> Result<Self, Failure> {
        let mut watch = args.alarm.then(Watch::default);
        if let Some(watch) = &mut watch {
            watch.look(world);
        }
        let folder = args.dump.as_deref();
        let dump = folder
            .map(|folder| {
                let file = Path::new(&scene.file);
                Dump::new(folder, &args.dump_steps, args.dump_blocks, file)
            })
            .transpose()?;
        Ok(Self {
            progress: Progress::new(args.progress, args.quiet || args.json),
            until: scene.step.until,
            begun: Instant::now(),
            since: None,
            watch,
            accuracy: Accuracy::of(world),
            crawl: Crawl::of(scene),
            others: Others::of(&scene.step.solver),
            traced: args.trace.then(Traced::new),
            dump,
            dumped: Ok(()),
        })
    }

    /// After a step.
    pub(super) fn look(&mut self, world: &World) {
        self.tell(world);
        if let Some(watch) = &mut self.watch {
            watch.look(world);
        }
        self.accuracy.look(world);
        self.crawl.look(world);
        self.others.look(&world.last_step().solver);
        if let Some(traced) = &mut self.traced {
            traced.look(world.steps(), world.time());
        }
        if let (Some(dump), Ok(())) = (&mut self.dump, &self.dumped) {
            self.dumped = dump.look(world);
        }
    }

    /// Simulated time, steps, contacts, speed, and what is left.
    fn tell(&mut self, world: &World) {
        let last = world.last_step();
        let (step, t) = *self.since.get_or_insert((last.step - 1, last.t - last.h));
        if last.step == step + 1 {
            self.progress.start_at(t / self.until);
        }
        let (until, begun) = (self.until, self.begun);
        self.progress.at(last.t / until, || {
            let active = world.contacts_with_force();
            let speed = (last.step - step) as f64 / begun.elapsed().as_secs_f64();
            format!(
                "t = {} s of {} s, {} steps, {active} contacts, {speed:.0} steps/s",
                time(last.t),
                time(until),
                last.step
            )
        });
    }

    /// After the last step; a refused one is dumped.
    pub(super) fn end(&mut self, world: &World, outcome: &Outcome) {
        self.progress.end();
        if let (Some(traced), Some(_)) = (&mut self.traced, &outcome.failure) {
            traced.refused(world);
        }
        if let (Some(dump), Ok(()), Some(_)) = (&mut self.dump, &self.dumped, &outcome.failure) {
            self.dumped = dump.refused(world);
        }
    }
}

/// Says once, early, that a run to a wanted error takes steps so short that its end is far away.
struct Crawl {
    /// The longest step there may be and the end of the run, s; `None` where steps have a given length, or it has been said.
    to_look_at: Option<(f64, f64)>,
}

impl Crawl {
    /// After so many steps it can be told.
    const AFTER: u64 = 300;
    /// More steps than anybody expects, beside those that h alone would make.
    const MANY: f64 = 20_000.0;

    fn of(scene: &Scene) -> Self {
        let chosen = scene.step.method == Method::Extrapolated;
        let (h, until) = (scene.step.h, scene.step.until);
        Self {
            to_look_at: chosen.then_some((h, until)),
        }
    }

    fn look(&mut self, world: &World) {
        let Some((h, until)) = self.to_look_at else {
            return;
        };
        // Steps come in bursts: what the first few take says nothing, and what comes later may still crawl.
        if !world.steps().is_multiple_of(Self::AFTER) {
            return;
        }
        let mean = world.time() / world.steps() as f64;
        let left = (until - world.time()) / mean;
        if left > Self::MANY && mean < 0.1 * h {
            self.to_look_at = None;
            eprintln!(
                "note: to this error steps are {} s long in the mean of the first {}, of {h} s at most: some {left:.0} are left. Each contact \
                 that begins to slide or to stick ends a step; where several do so all the time, a larger --error, or steps of one length \
                 with `stickslip converge` to tell their error, come to the end sooner",
                three_digits(mean),
                world.steps()
            );
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
