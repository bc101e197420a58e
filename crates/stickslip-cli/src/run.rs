//! `stickslip run`: from a scene file to a certified trajectory.

use crate::dump::Dump;
use crate::output::{Failure, Verdict, print, print_json, progress_bar, seconds, time};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::dynamics::alarm::Watch;
use stickslip::dynamics::scene::{Files, Override};
use stickslip::dynamics::simulate::{header, steps_until};
use stickslip::planar::Status;
use stickslip::prelude::{Outcome, Residual, Scene, World, simulate};
use stickslip::record::csv::{contacts_path, joints_path};
use stickslip::record::{CsvWriter, Every, ParquetWriter, Tee};
use stickslip::solvers::auto::selection::RULE;
use stickslip_view::PageWriter;

/// Simulate a scene and certify every step
///
/// Example: stickslip run scenes/box_stack.toml --h 0.005 -o stack.parquet
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scene file (TOML)
    scene: PathBuf,
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
    /// Largest residual accepted, m/s
    #[arg(long, value_name = "TOL", allow_hyphen_values = true)]
    tolerance: Option<String>,
    /// Threads to use; the answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Set a parameter of the scene or a key such as material.friction (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Record to this file: .parquet, .csv, or .html to look at (may be repeated)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,
    /// Record every Nth step only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
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
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let overrides = self.overrides()?;
        let files = Files::beside(&self.scene).anywhere(self.allow_outside);
        let scene = Scene::read_with(&self.scene, &overrides, files)?;
        for note in &scene.notes {
            eprintln!("note: {note}");
        }
        let mut world = World::from_scene(&scene)?;
        world.set_threads(self.threads as usize);
        let header = header(&scene, &world);
        let mut recorder = Every::new(self.every, self.recorder(&scene, &world)?);
        // By time: steps may be shorter than h.
        let h = scene.step.h;
        let steps = steps_until(h, scene.step.until);
        let bar = progress_bar(steps, "step", self.quiet || self.json);
        let mut watch = self.alarm.then(Watch::default);
        if let Some(watch) = &mut watch {
            watch.look(&world);
        }
        let mut dump = match &self.dump {
            Some(folder) => Some(Dump::new(
                folder,
                &self.dump_steps,
                self.dump_blocks,
                &self.scene,
            )?),
            None => None,
        };
        let mut not_dumped = Ok(());
        let mut others = Others::of(&scene.step.solver);
        let start = Instant::now();
        let outcome = simulate(
            &mut world,
            &header,
            scene.step.until,
            &mut recorder,
            &mut |w| {
                if w.steps().is_multiple_of(16) {
                    bar.set_position((w.time() / h) as u64);
                }
                if let Some(watch) = &mut watch {
                    watch.look(w);
                }
                others.look(&w.last_step().solver);
                if let (Some(dump), Ok(())) = (&mut dump, &not_dumped) {
                    not_dumped = dump.look(w);
                }
            },
        )?;
        bar.finish_and_clear();
        if let (Some(dump), Ok(()), Some(_)) = (&mut dump, &not_dumped, &outcome.failure) {
            not_dumped = dump.refused(&world);
        }
        let elapsed = start.elapsed().as_secs_f64();
        if self.json {
            let mut json = json_of(&outcome, elapsed);
            if let Some(watch) = &watch {
                json["alarms"] = alarms_json(watch);
            }
            json["by_other_solvers"] = json!(others.steps);
            json["by_rule"] = json!(outcome.by_rule);
            if let Some(dump) = &dump {
                json["dumped"] = json!(dump.written);
            }
            print_json(&json)?;
        } else {
            print(&self.text_of(&scene, &world, &outcome, elapsed))?;
            if let Some(text) = others.text(outcome.steps) {
                print(&text)?;
            }
            if outcome.by_rule > 0 {
                print(&format!(
                    "  solver       {} ended in another motion than the rule's in {} of {} steps; the rule's was taken",
                    scene.step.solver, outcome.by_rule, outcome.steps
                ))?;
            }
            if let Some(watch) = &watch {
                print(&alarms_text(watch))?;
            }
            for path in dump.iter().flat_map(|d| &d.written) {
                print(&format!("  dumped       {}", path.display()))?;
            }
        }
        not_dumped?;
        Ok(if outcome.certified() {
            Verdict::Good
        } else {
            Verdict::Bad
        })
    }

    /// The command line's own settings, as overrides of the scene's keys.
    fn overrides(&self) -> Result<Vec<Override>, Failure> {
        let mut overrides = Vec::new();
        for option in &self.set {
            let parsed = Override::from_option(option)
                .ok_or_else(|| Failure::Input(format!("--set {option}: expected KEY=VALUE")))?;
            overrides.push(parsed);
        }
        // A wanted error is what one method is for.
        let implied = self.error.as_ref().map(|_| "extrapolated".to_string());
        let method = self.method.clone().or(implied);
        for (flag, key, value) in [
            ("--h", "step.h", &self.h),
            ("--until", "step.until", &self.until),
            ("--method", "step.method", &method),
            ("--error", "step.error", &self.error),
            ("--cone", "step.cone", &self.cone),
            ("--solver", "step.solver", &self.solver),
            ("--tolerance", "step.tolerance", &self.tolerance),
        ] {
            overrides.extend(
                value
                    .as_ref()
                    .map(|v| Override::by_flag(flag, key, v.clone())),
            );
        }
        Ok(overrides)
    }

    fn recorder(&self, scene: &Scene, world: &World) -> Result<Tee<'static>, Failure> {
        let mut tee = Tee::new();
        let mut written: Vec<PathBuf> = Vec::new();
        for path in &self.output {
            // What is written beside it counts too.
            let mut files = vec![path.clone()];
            let ending = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default()
                .to_ascii_lowercase();
            tee = match ending.as_str() {
                "parquet" => tee.with(ParquetWriter::new(path)),
                "csv" => {
                    let mut csv = CsvWriter::new(path);
                    if self.contacts {
                        csv = csv.with_contacts();
                        files.push(contacts_path(path));
                    }
                    if self.joints {
                        csv = csv.with_joints();
                        files.push(joints_path(path));
                    }
                    tee.with(csv)
                }
                "html" => tee.with(PageWriter::new(
                    path,
                    title_of(scene),
                    world.model().clone(),
                )),
                _ => {
                    return Err(Failure::Input(format!(
                        "{}: what to write is told by the ending, which must be .parquet, .csv or .html",
                        path.display()
                    )));
                }
            };
            for file in files {
                if same_file(&self.scene, &file) {
                    return Err(Failure::Input(format!(
                        "{}: the scene would be overwritten",
                        file.display()
                    )));
                }
                if written.iter().any(|other| same_file(other, &file)) {
                    return Err(Failure::Input(format!(
                        "{}: this file would be written twice",
                        file.display()
                    )));
                }
                written.push(file);
            }
        }
        for (asked, flag) in [(self.contacts, "--contacts"), (self.joints, "--joints")] {
            let csv = |p: &PathBuf| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
            if asked && !self.output.iter().any(csv) {
                return Err(Failure::Input(format!(
                    "{flag}: needs an output that ends in .csv (a .parquet has them anyway)"
                )));
            }
        }
        Ok(tee)
    }

    fn text_of(&self, scene: &Scene, world: &World, o: &Outcome, elapsed: f64) -> String {
        let mut lines = Vec::new();
        lines.push(title_of(scene).to_owned());
        let each = if o.steps > 0 {
            elapsed / o.steps as f64
        } else {
            0.0
        };
        lines.push(format!(
            "  {} steps of {} s to t = {} s in {} ({} a step)",
            o.steps,
            scene.step.h,
            time(o.t),
            seconds(elapsed),
            seconds(each)
        ));
        let over = o.t - scene.step.until;
        if o.failure.is_none() && over > 1e-9 * scene.step.h {
            lines.push(format!(
                "  until        {} s is no whole number of steps: the last step ends {} s later",
                scene.step.until,
                time(over)
            ));
        }
        let tolerance = world.settings().tolerance;
        match &o.failure {
            None => lines.push(format!(
                "  certified    every step obeys the law to {tolerance:.0e} m/s × max(1, |ν|)"
            )),
            Some(e) => lines.push(format!("  STOPPED      {e}")),
        }
        let worst = Residual::LAW
            .iter()
            .map(|&kind| (kind, o.worst[kind as usize]))
            .fold((Residual::Gap, (0.0, 0.0)), |a, b| {
                if b.1.0 > a.1.0 { b } else { a }
            });
        lines.push(format!(
            "  worst        {:.1e} m/s ({}, t = {} s); equalities at {:.2} of their rounding bound",
            worst.1.0,
            worst.0.name(),
            time(worst.1.1),
            o.rounding.0
        ));
        lines.push(format!("  penetration  {:.1e} m at most", o.penetration.0));
        lines.push(format!(
            "  contacts     {} candidates at most, {} active at most; {} solver iterations",
            o.contacts.0, o.contacts.1, o.iterations
        ));
        if let Some(c) = &o.cones {
            let (least, most) = c.directions;
            let cones = if most == 0 {
                "the exact cone everywhere".to_string()
            } else {
                format!("{least} to {most} directions")
            };
            let over = if c.over {
                "; the budget does not even cover the fewest"
            } else {
                ""
            };
            lines.push(format!(
                "  cones        {cones}; work {} a step at most, expected error {:.1e} m/s at most{over}",
                c.work, c.error
            ));
        }
        if let Some(p) = &o.projections {
            lines.push(format!(
                "  projections  {}, of overlaps up to {:.1e} m (left: {:.1e} m); energy {:+.3e} J, {:.3e} J exchanged",
                p.count, p.deepest, p.left, p.energy, p.exchanged
            ));
        }
        lines.push(format!(
            "  energy       {:.6} J → {:.6} J",
            o.energy.0, o.energy.1
        ));
        lines.push(format!("  state hash   {}", o.hash));
        for path in &self.output {
            lines.push(format!("  written      {}", path.display()));
        }
        lines.join("\n")
    }
}

/// How many steps were answered by another solver than the one asked for.
struct Others {
    /// None for `auto`, which chooses.
    asked: Option<String>,
    steps: u64,
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

    fn text(&self, of: u64) -> Option<String> {
        let asked = self.asked.as_ref().filter(|_| self.steps > 0)?;
        Some(format!(
            "  solver       {asked} had no answer for {} of {of} steps; others gave it",
            self.steps
        ))
    }
}

/// The scene's title, or its file where it has none.
fn title_of(scene: &Scene) -> &str {
    if scene.title.is_empty() {
        &scene.file
    } else {
        &scene.title
    }
}

/// Do two paths lead to one file, however they are written? A file that is not there yet counts by its folder and name.
fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        std::fs::canonicalize(path).ok().or_else(|| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    a == b || matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}

fn json_of(o: &Outcome, elapsed: f64) -> serde_json::Value {
    let worst: serde_json::Map<String, serde_json::Value> = Residual::ALL
        .iter()
        .zip(&o.worst)
        .map(|(kind, (value, t))| (kind.name().to_string(), json!({ "value": value, "t": t })))
        .collect();
    json!({
        "steps": o.steps,
        "t": o.t,
        "certified": o.certified(),
        "failure": o.failure.as_ref().map(ToString::to_string),
        "worst": worst,
        "rounding": { "value": o.rounding.0, "t": o.rounding.1 },
        "penetration": o.penetration.0,
        "candidates": o.contacts.0,
        "active": o.contacts.1,
        "iterations": o.iterations,
        "energy": { "start": o.energy.0, "end": o.energy.1 },
        "hash": o.hash,
        "seconds": elapsed,
    })
}

/// The alarms of a run, for people; a long list is cut and says so.
fn alarms_text(watch: &Watch) -> String {
    const MOST: usize = 20;
    let mut lines: Vec<String> = watch
        .alarms
        .iter()
        .take(MOST)
        .map(|a| {
            format!(
                "  alarm        \"{}\" has {} legal accelerations from t = {} s to {} s{}",
                a.body,
                match a.status {
                    Status::None => "no",
                    Status::Several => "several",
                    _ => "a continuum of",
                },
                time(a.from),
                time(a.to),
                if a.static_friction {
                    " (static friction above kinetic)"
                } else {
                    ""
                }
            )
        })
        .collect();
    if watch.alarms.len() > MOST {
        lines.push(format!("  … and {} more alarms", watch.alarms.len() - MOST));
    }
    let passed = if watch.passed_over.is_empty() {
        "none passed over".to_owned()
    } else {
        let reasons: Vec<String> = watch
            .passed_over
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        format!("passed over: {}", reasons.join(", "))
    };
    lines.push(format!(
        "  alarms       {} in {} planar states looked at ({} with an impact first); {passed}",
        watch.alarms.len(),
        watch.looked_at,
        watch.impacts
    ));
    lines.join("\n")
}

fn alarms_json(watch: &Watch) -> serde_json::Value {
    let alarms: Vec<_> = watch
        .alarms
        .iter()
        .map(|a| {
            json!({
                "body": a.body,
                "status": a.status.word(),
                "static_friction": a.static_friction,
                "from": a.from,
                "to": a.to,
            })
        })
        .collect();
    json!({
        "list": alarms,
        "looked_at": watch.looked_at,
        "impacts": watch.impacts,
        "passed_over": watch.passed_over,
    })
}
