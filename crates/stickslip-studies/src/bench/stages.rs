//! `bench stages`: what each stage of `auto` is worth on scenes and on stored problems.
//!
//! Every call is traced. A step that its first stages left, and every stored problem, is solved again with the stage that
//! answered it left out: what is then not solved, only that stage solves.

use crate::stages::Tally;
use serde_json::json;
use std::path::{Path, PathBuf};
use stickslip::prelude::{Scene, World};
use stickslip::problems::stored::StoredProblem;
use stickslip::solvers::auto::Auto;
use stickslip::solvers::limit::Limit;
use stickslip::solvers::problem::Law;
use stickslip::solvers::problem::generate::{random_mu, random_problem};
use stickslip::solvers::solver::{ContactSolver, StoredSolver};
use stickslip::solvers::trace::{KeptStep, Trace, Watch};
use stickslip_console::{Failure, Verdict, print_as, progress_bar, time};
use stickslip_random::Random;

/// What to look at, and how much work it may be.
pub(super) struct Options<'a> {
    /// Files and folders: scenes (.toml) and stored problems.
    pub(super) places: &'a [PathBuf],
    /// Contacts factored for each scene or problem, and for each problem that is solved again: the table is the same on every
    /// machine.
    pub(super) work: usize,
    /// Random problems of one to four contacts beside them, half of them under steep cones.
    pub(super) random: usize,
}

/// Residual that counts as solved for a stored problem.
const TOLERANCE: f64 = 1e-8;

/// Problems that are solved again with a stage left out, at most for each scene: the hardest of a pile are much alike.
const AGAIN: usize = 40;

#[derive(Default)]
struct Study {
    tally: Tally,
    calls: usize,
    unsolved: Vec<String>,
    passed_over: Vec<String>,
}

pub(super) fn run(as_json: bool, options: &Options) -> Result<Verdict, Failure> {
    let mut files = Vec::new();
    for place in options.places {
        collect(place, &mut files)
            .map_err(|e| Failure::Input(format!("{}: {e}", place.display())))?;
    }
    let bar = progress_bar(files.len() as u64, "file", as_json);
    let mut study = Study::default();
    for path in &files {
        bar.set_message(path.display().to_string());
        if path.extension().is_some_and(|e| e == "toml") {
            study.scene(path, options.work);
        } else {
            study.problem(path, options.work);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    study.random(options.random, options.work);
    print_as(as_json, || study.json(), || study.text())?;
    Ok(Verdict::Good)
}

/// Scenes and problems of a folder and those below it, sorted.
fn collect(place: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !place.is_dir() {
        files.push(place.to_owned());
        return Ok(());
    }
    let mut inside: Vec<PathBuf> = std::fs::read_dir(place)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    inside.sort();
    for path in inside {
        let ending = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            collect(&path, files)?;
        } else if ["toml", "hdf5", "json"].contains(&ending) {
            files.push(path);
        }
    }
    Ok(())
}

impl Study {
    /// Runs a scene to its end or until its work is done.
    fn scene(&mut self, path: &Path, work: usize) {
        let name = path.display().to_string();
        let made = Scene::read(path, &[])
            .map_err(|e| e.to_string())
            .and_then(|scene| {
                let world = World::from_scene(&scene).map_err(|e| e.to_string())?;
                Ok((scene.step.until, world))
            });
        let (until, mut world) = match made {
            Ok(made) => made,
            Err(why) => {
                let first = why.lines().next().unwrap_or_default().to_owned();
                return self.passed_over.push(format!("{name}: {first}"));
            }
        };
        let watch = Watch::keeping();
        let allowed = Limit::work(work);
        let mut kept = Vec::new();
        while !world.reached(until) && !allowed.is_reached() {
            let failed = world.step().is_err();
            // What the limit cut short says nothing of the stages.
            if allowed.is_reached() {
                break;
            }
            for trace in watch.take() {
                self.calls += 1;
                self.tally.add(&trace);
            }
            kept.extend(watch.kept());
            if failed {
                self.unsolved
                    .push(format!("{name} at t = {} s", time(world.time())));
                break;
            }
        }
        drop(allowed);
        drop(watch);
        // Evenly over the run.
        let every = kept.len().div_ceil(AGAIN).max(1);
        for (k, step) in kept.iter().enumerate().step_by(every) {
            self.step_without(&format!("{name} #{k}"), step, work);
        }
    }

    /// Random problems of few contacts: masses over twelve decades and friction up to 10, and every other one masses over two and
    /// friction up to 1e6. The last stages for few contacts are there for these.
    fn random(&mut self, count: usize, work: usize) {
        const TOLERANCE: f64 = 1e-10;
        const MOST_CONTACTS: usize = 4;
        let mut random = Random::new(11);
        let watch = Watch::keeping();
        let mut auto = Auto::default();
        for k in 0..count {
            let steep = k % 2 == 1;
            let mut law = |r: &mut Random| Law::Cone {
                mu: if steep {
                    r.decade(1.0, 6.0)
                } else {
                    random_mu(r)
                },
            };
            let contacts = 1 + k / 2 % MOST_CONTACTS;
            let decades = if steep { 2.0 } else { 12.0 };
            let problem = random_problem(&mut random, contacts, decades, &mut law);
            let allowed = Limit::work(work);
            let solved = auto.solve(&problem, None, TOLERANCE).is_ok();
            drop(allowed);
            if !solved {
                self.unsolved.push(format!("random problem {k}"));
            }
            for trace in watch.take() {
                self.calls += 1;
                self.tally.add(&trace);
            }
        }
        let kept = watch.kept();
        drop(watch);
        for (k, step) in kept.iter().enumerate() {
            self.step_without(&format!("random #{k}"), step, work);
        }
    }

    /// Solves a step again without the stages that answered its islands.
    fn step_without(&mut self, name: &str, step: &KeptStep, work: usize) {
        for (table, stage) in late_answers(&step.trace) {
            let without = format!("{table}/{stage}");
            let mut solver = Auto::default().without(&[&without]);
            let allowed = Limit::work(work);
            let guess = step.guess.as_deref();
            let solved = solver.solve(&step.problem, guess, step.tolerance).is_ok();
            drop(allowed);
            if !solved {
                self.tally.of(table, stage).alone.push(name.to_owned());
            }
        }
    }

    /// Solves a stored problem, then again without the stages that answered it.
    fn problem(&mut self, path: &Path, work: usize) {
        let name = path.display().to_string();
        let problem = match StoredProblem::read(path) {
            Ok(problem) => problem,
            Err(e) => return self.passed_over.push(format!("{name}: {e}")),
        };
        let solve = |auto: &mut Auto| match &problem {
            StoredProblem::Contact(local) => Some(auto.solve_stored(local, TOLERANCE).is_ok()),
            StoredProblem::Step(file) => Some(auto.solve(&file.problem, None, TOLERANCE).is_ok()),
            StoredProblem::Complementarity(_) => None,
        };
        let watch = Watch::start();
        let allowed = Limit::work(work);
        let solved = solve(&mut Auto::default());
        drop(allowed);
        let traces = watch.take();
        drop(watch);
        let Some(solved) = solved else {
            return self
                .passed_over
                .push(format!("{name}: an LCP, which has no stages"));
        };
        for trace in &traces {
            self.calls += 1;
            self.tally.add(trace);
        }
        if !solved {
            return self.unsolved.push(name);
        }
        for (table, stage) in traces.iter().flat_map(late_answers) {
            let without = format!("{table}/{stage}");
            let allowed = Limit::work(work);
            if solve(&mut Auto::default().without(&[&without])) == Some(false) {
                self.tally.of(table, stage).alone.push(name.clone());
            }
            drop(allowed);
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![
            format!(
                "{} calls of auto, {:.1} s; {} not solved",
                self.calls,
                self.tally.seconds(),
                self.unsolved.len()
            ),
            self.tally.text("  ", true),
        ];
        let never = self.tally.never_ran();
        if !never.is_empty() {
            lines.push(format!("never ran: {}", never.join(", ")));
        }
        let lists = [
            ("not solved", &self.unsolved),
            ("passed over", &self.passed_over),
        ];
        for (what, list) in lists {
            lines.extend(list.iter().map(|name| format!("{what}: {name}")));
        }
        lines.join("\n")
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "calls": self.calls,
            "seconds": self.tally.seconds(),
            "stages": self.tally.json(),
            "never_ran": self.tally.never_ran(),
            "unsolved": self.unsolved,
            "passed_over": self.passed_over,
        })
    }
}

/// The stages that answered an island after another had tried.
fn late_answers(trace: &Trace) -> Vec<(&'static str, &'static str)> {
    let mut late: Vec<_> = trace
        .runs()
        .windows(2)
        .filter(|pair| pair[1].won && !pair[0].won)
        .map(|pair| (pair[1].table, pair[1].stage))
        .collect();
    late.sort_unstable();
    late.dedup();
    late
}
