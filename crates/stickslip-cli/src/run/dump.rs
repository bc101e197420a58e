//! `stickslip run --dump DIR`: problems of steps as files, to be solved elsewhere or sent to us.

use std::path::{Path, PathBuf};
use stickslip::prelude::World;
use stickslip::problems::stored::file_of_step;
use stickslip_console::{Failure, time};

/// Where problems of steps go, and of which steps.
pub(super) struct Dump {
    folder: PathBuf,
    /// Numbers of the steps, sorted; a step that is refused is written in any case.
    steps: Vec<u64>,
    name: String,
    /// All in the step's own form.
    as_steps: bool,
    /// Files written.
    pub(super) written: Vec<PathBuf>,
}

impl Dump {
    /// Makes the folder; `steps` is a list such as `1,5,20..30`.
    pub(super) fn new(
        folder: &Path,
        steps: &str,
        as_steps: bool,
        scene: &Path,
    ) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::Input(format!("{}: {e}", folder.display())))?;
        let stem = scene.file_stem().unwrap_or_default();
        Ok(Self {
            folder: folder.into(),
            steps: numbers(steps)?,
            name: stem.to_string_lossy().into_owned(),
            as_steps,
            written: Vec::new(),
        })
    }

    /// Writes the step just done, if it was asked for.
    pub(super) fn look(&mut self, world: &World) -> Result<(), Failure> {
        if self.steps.binary_search(&world.steps()).is_ok() {
            let certificate = &world.last_step().certificate;
            let fate = if certificate.holds(world.settings().tolerance) {
                "solved and certified"
            } else {
                "accepted as approximate"
            };
            self.write(world, world.steps(), fate)?;
        }
        Ok(())
    }

    /// Writes the step that could not be done.
    pub(super) fn refused(&mut self, world: &World) -> Result<(), Failure> {
        let step = world.steps() + 1;
        if world.problem().contacts.is_empty() {
            eprintln!(
                "note: step {step} was refused before it posed a problem: there is none to dump"
            );
            return Ok(());
        }
        self.write(world, step, "refused")
    }

    fn write(&mut self, world: &World, step: u64, fate: &str) -> Result<(), Failure> {
        let title = format!("{}, step {step}", self.name);
        let (t, h) = world.problem_time();
        let about = format!(
            "the step to t = {} s, h = {} s, {fate}; velocities in m/s, impulses in N s",
            time(t),
            time(h)
        );
        let file = world.problem_file(title, about);
        let written = if self.as_steps {
            file.write().map(|text| ("json", text.into_bytes()))
        } else {
            file_of_step(&file)
        };
        let (ending, bytes) =
            written.map_err(|e| Failure::Input(format!("--dump: step {step}: {e}")))?;
        let path = self
            .folder
            .join(format!("{}-step{step}.{ending}", self.name));
        std::fs::write(&path, bytes).map_err(|e| Failure::unwritten(&path, e))?;
        self.written.push(path);
        Ok(())
    }
}

/// `1,5,20..30` as sorted numbers, both ends of a range included.
fn numbers(list: &str) -> Result<Vec<u64>, Failure> {
    let fail = |word: &str| {
        Failure::Input(format!(
            "--dump-steps {word}: expected numbers of steps such as 1,5,20..30"
        ))
    };
    let number = |word: &str| word.trim().parse::<u64>().map_err(|_| fail(word));
    let mut all = Vec::new();
    for word in list.split(',').filter(|w| !w.trim().is_empty()) {
        match word.split_once("..") {
            None => all.push(number(word)?),
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                if from > to || to - from > 100_000 {
                    return Err(fail(word));
                }
                all.extend(from..=to);
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
