//! `stickslip run`: from a scene file to a certified trajectory.

mod dump;
mod onlookers;
mod outputs;
mod report;
mod resume;
mod traced;

use crate::model::ModelArgs;
use crate::options::{overrides, quoted, title_of};
use crate::signals::Signals;
use onlookers::Onlookers;
use outputs::{Outputs, is_parquet};
use report::Report;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::dynamics::scene::Override;
use stickslip::dynamics::simulate::{Interruption, header, resume};
use stickslip::prelude::{Scene, World, simulate};
use stickslip::record::{Every, Recorder};
use stickslip_console::{Failure, Verdict, positive_count, positive_seconds, print_as};
use stickslip_view::Live;

/// Simulate a scene and certify every step
///
/// Ctrl-C and SIGTERM end a run after the step at hand, with everything written; a second one ends it at once. However a run
/// ended, kill -9 included, `--resume` goes on from its last saved step, to the same bits.
///
/// Example: stickslip run scenes/box_stack.toml --h 0.005 -o stack.parquet
///
/// Example: stickslip run --resume stack.parquet
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scene file (TOML), or a model (.urdf, .xml, .mjcf)
    #[arg(required_unless_present = "resume")]
    scene: Option<PathBuf>,
    /// Go on with the run that was to write this Parquet file, from its last saved step; scene and settings are those in the file
    #[arg(long, value_name = "OUT.parquet", conflicts_with_all = OF_A_NEW_RUN)]
    resume: Option<PathBuf>,
    /// Length of a step, s
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    h: Option<String>,
    /// Time at which to stop, s
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    until: Option<String>,
    /// Time-stepping method
    #[arg(long, value_name = "M")]
    method: Option<String>,
    /// Wanted error of places at the end, m, with method extrapolated (which it implies)
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    error: Option<String>,
    /// Friction cone: quadratic, or pyramid:N
    #[arg(long, value_name = "CONE")]
    cone: Option<String>,
    /// Solver tried first
    #[arg(long, value_name = "S")]
    solver: Option<String>,
    /// Largest residual of a certified step, m/s
    #[arg(long, value_name = "TOL", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Largest residual of a step that is accepted as approximate where it cannot be certified, however short, m/s
    #[arg(long, value_name = "TOL", allow_hyphen_values = true)]
    accept: Option<String>,
    /// Stop at a step that cannot be certified, instead of accepting an approximate one
    #[arg(long, conflicts_with = "accept")]
    strict: bool,
    /// Stop after so many seconds, between two steps, with everything saved
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    limit: Option<Duration>,
    /// Threads to use; all cores unless given. The answer does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Set a parameter of the scene or a key such as material.friction (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Record to this file: .parquet, .csv, or .html to look at (may be repeated); with --resume a .csv or .html, made from the whole
    /// Parquet file at the end
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,
    /// Begin anew although a run was killed there that --resume could go on with
    #[arg(long)]
    overwrite: bool,
    /// Show the run in a browser while it goes on: serves its page on this machine alone, at the address that is printed, until Ctrl-C
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", conflicts_with = "resume")]
    live: Option<u16>,
    /// Record every Nth step only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive_count)]
    every: u64,
    /// Seconds between saves of a .parquet: what a run that is killed may have to compute again
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = positive_seconds)]
    save_every: Duration,
    /// With a .csv: also write the contacts with their forces, beside it
    #[arg(long)]
    contacts: bool,
    /// With a .csv: also write the joints and springs with their forces, beside it
    #[arg(long)]
    joints: bool,
    /// Read meshes and height fields also outside the scene's folder
    #[arg(long)]
    allow_outside: bool,
    /// Mark times at which a planar body in contact has no, several or a continuum of legal accelerations
    #[arg(long)]
    alarm: bool,
    /// Show which stages of `auto` ran in all steps, how often each gave the answer, what they took, and the steps that took most
    #[arg(long)]
    trace: bool,
    /// Write the problem of a refused step into this folder: an FCLIB file, a mixed LCP in JSON, or (joints, springs and
    /// restitution beside round cones) the step itself in JSON
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// With --dump: also the problems of these steps, such as 1,5,20..30
    #[arg(long, value_name = "STEPS", requires = "dump", default_value = "")]
    dump_steps: String,
    /// With --dump: every problem as a step in JSON, with the names of its bodies and contacts
    #[arg(long, requires = "dump")]
    dump_blocks: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Where standard error is no terminal: seconds between lines of progress
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = positive_seconds)]
    progress: Duration,
    /// No progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    model: ModelArgs,
}

/// Options that a run which goes on has had already.
const OF_A_NEW_RUN: [&str; 25] = [
    "scene",
    "overwrite",
    "h",
    "until",
    "method",
    "error",
    "cone",
    "solver",
    "tolerance",
    "accept",
    "strict",
    "set",
    "every",
    "fixed_base",
    "package_path",
    "srdf",
    "start",
    "key",
    "height",
    "hold",
    "ground",
    "friction",
    "ignore_overlaps",
    "no_self_collision",
    "any_inertia",
];

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        match (&self.resume, &self.scene) {
            (Some(file), _) => self.go_on(file),
            (None, Some(scene)) => self.begin(scene),
            (None, None) => Err(Failure::Input("no scene".into())),
        }
    }

    /// A new run.
    fn begin(&self, file: &Path) -> Result<Verdict, Failure> {
        let overrides = self.overrides()?;
        let scene = self.model.read(file, &overrides, self.allow_outside)?;
        let world = World::from_scene(&scene)?;
        let mut outputs = self.outputs(file).recorder(&scene, &world)?;
        if let Some(port) = self.live {
            outputs = outputs.with(live(port, &scene, &world)?);
        }
        let run = Run {
            recorder: Every::new(self.every, outputs),
            scene: &scene,
            world,
            memory: None,
            written: &self.output,
        };
        self.finish(run)
    }

    /// To the end of a run, new or not, and what it came to.
    fn finish<R: Recorder>(&self, run: Run<'_, R>) -> Result<Verdict, Failure> {
        let Run {
            scene,
            mut world,
            mut recorder,
            memory,
            written,
        } = run;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        world.set_threads(self.threads.map_or(cores, |n| n as usize));
        let signals = Signals::watch()?;
        let start = Instant::now();
        let mut onlookers = Onlookers::new(self, scene, &world)?;
        let mut progress = |w: &World| {
            onlookers.look(w);
            match self.limit {
                _ if signals.came() => ControlFlow::Break(Interruption::Signal),
                Some(limit) if start.elapsed() >= limit => ControlFlow::Break(Interruption::Limit),
                _ => ControlFlow::Continue(()),
            }
        };
        let outcome = match memory {
            None => {
                let (header, until) = (header(scene, &world), scene.step.until);
                simulate(&mut world, &header, until, &mut recorder, &mut progress)?
            }
            Some(memory) => resume(&mut world, &memory, &mut recorder, &mut progress)?,
        };
        onlookers.end(&world, &outcome);
        let report = Report {
            scene,
            world: &world,
            outcome: &outcome,
            onlookers: &onlookers,
            written,
            beside: self.beside(),
            elapsed: start.elapsed().as_secs_f64(),
        };
        print_as(self.json, || report.json(), || report.text())?;
        if self.live.is_some() && !signals.came() {
            eprintln!("live: the run has ended and can still be seen; Ctrl-C ends");
            signals.wait();
        }
        onlookers.dumped?;
        Ok(match outcome.interrupted {
            Some(Interruption::Signal) => Verdict::Interrupted,
            _ => Verdict::of(outcome.reached_end()),
        })
    }

    /// The command line's own settings, as overrides of the scene's keys.
    fn overrides(&self) -> Result<Vec<Override>, Failure> {
        // A wanted error is what one method is for.
        let implied = self.error.as_ref().map(|_| "extrapolated".to_string());
        let method = self.method.clone().or(implied);
        let nothing = self.strict.then(|| "0".to_string());
        let accept = self.accept.clone().or(nothing);
        overrides(
            &self.set,
            &[
                ("--h", "step.h", &self.h),
                ("--until", "step.until", &self.until),
                ("--method", "step.method", &method),
                ("--error", "step.error", &self.error),
                ("--cone", "step.cone", &self.cone),
                ("--solver", "step.solver", &self.solver),
                ("--tolerance", "step.tolerance", &self.tolerance),
                ("--accept", "step.accept", &accept),
            ],
        )
    }

    /// The words by which the command that goes on makes what is written beside the Parquet file.
    fn beside(&self) -> String {
        let others = self.output.iter().filter(|path| !is_parquet(path));
        let flags = [(self.contacts, " --contacts"), (self.joints, " --joints")];
        others
            .map(|path| format!(" -o {}", quoted(&path.display().to_string())))
            .chain(flags.iter().filter(|f| f.0).map(|f| f.1.to_owned()))
            .collect()
    }

    fn outputs<'a>(&'a self, scene: &'a Path) -> Outputs<'a> {
        Outputs {
            files: &self.output,
            scene,
            contacts: self.contacts,
            joints: self.joints,
            overwrite: self.overwrite,
            save_every: self.save_every,
        }
    }
}

/// The page of a run that goes on, at an address that only this machine reaches.
fn live(port: u16, scene: &Scene, world: &World) -> Result<Live, Failure> {
    let live = Live::serve(port, title_of(scene), world.model().clone())
        .map_err(|e| Failure::Input(format!("--live={port}: {e}")))?;
    eprintln!("live: {}", live.address());
    Ok(live)
}

/// A run that is about to begin, or to go on.
struct Run<'a, R> {
    scene: &'a Scene,
    world: World,
    recorder: R,
    /// Where it goes on: what its recorder was given to remember.
    memory: Option<Vec<u8>>,
    /// Trajectory files.
    written: &'a [PathBuf],
}
