//! A sweep: a scene, what changes in it, and what is asked; one run of it.

use crate::asked::{Asked, Watch};
use crate::error::SweepError;
use crate::plan::{Choice, Point};
use crate::range::Range;
use crate::row::{RunRow, State};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::dynamics::scene::{Contents, Files, Override};
use stickslip::dynamics::simulate::{Interruption, header};
use stickslip::prelude::{Outcome, Residual, Scene, World, simulate};
use stickslip::record::{ParquetWriter, Tee};

/// Where the scene's text and files come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file; those it names are beside it, or anywhere where that is allowed.
    File(PathBuf, bool),
    /// Copies of the files it names.
    Copies(Contents),
}

impl Origin {
    fn files(&self) -> Files {
        match self {
            Self::File(path, anywhere) => Files::beside(path).anywhere(*anywhere),
            Self::Copies(contents) => Files::copies(contents.clone()),
        }
    }
}

/// Which trajectories are kept beside the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Of every run.
    All,
    /// Of those that did not come to their end, or are approximate.
    Failed,
    /// Of none.
    Nothing,
}

impl Keep {
    /// Is the trajectory of a run that ended so kept? What was refused has none.
    pub(crate) const fn wants(self, state: State) -> bool {
        match (self, state) {
            (Self::Nothing, _) | (_, State::Refused) => false,
            (Self::All, _) => true,
            (Self::Failed, state) => !matches!(state, State::Certified),
        }
    }
}

/// One scene with many settings.
pub struct Sweep {
    origin: Origin,
    scene: Scene,
    /// Keys of the parameters and their ranges.
    pub parameters: Vec<(String, Range)>,
    points: Vec<Point>,
    /// What is asked of each run.
    pub asked: Vec<Asked>,
    /// Longest time of a run; it stops then.
    pub limit: Option<Duration>,
    description: Description,
}

/// What a sweep is, as its folder keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Version of the program.
    pub version: String,
    /// Name of the scene's file.
    pub scene_file: String,
    /// Its text.
    pub scene: String,
    /// What is set in every run, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// Keys of the parameters.
    pub parameters: Vec<String>,
    /// SHA-256 of all points.
    pub points: String,
    /// How many they are.
    pub runs: usize,
    /// What is asked.
    pub of: Vec<String>,
    /// Longest time of a run, s.
    pub limit: Option<f64>,
}

impl Sweep {
    /// A scene, of which `scene` is one reading with what is set in every run; parameters, how points are chosen, and what is asked.
    ///
    /// # Errors
    /// Where a key, a range or what is asked is none. A value that the scene refuses is not: that is a row of the table.
    pub fn new(
        scene: Scene,
        origin: Origin,
        parameters: Vec<(String, Range)>,
        choice: Choice,
        of: &[String],
        limit: Option<Duration>,
    ) -> Result<Self, SweepError> {
        let ranges: Vec<Range> = parameters.iter().map(|(_, range)| range.clone()).collect();
        let points = choice.points(&ranges)?;
        let keys: Vec<String> = parameters.iter().map(|(key, _)| key.clone()).collect();
        if let Some(twice) = (1..keys.len()).find(|&k| keys[..k].contains(&keys[k])) {
            let message = format!("{}: this key is given twice", keys[twice]);
            return Err(SweepError::Input(message));
        }
        let description = Description {
            version: env!("CARGO_PKG_VERSION").into(),
            scene_file: scene.file.clone(),
            scene: scene.text.to_string(),
            set: options(&scene.overrides),
            parameters: keys,
            points: hash_of(points.iter().flatten().map(String::as_bytes)),
            runs: points.len(),
            of: of.to_vec(),
            limit: limit.map(|limit| limit.as_secs_f64()),
        };
        let mut sweep = Self {
            origin,
            scene,
            parameters,
            points,
            asked: Vec::new(),
            limit,
            description,
        };
        Scene::check_keys(
            &sweep.scene.text,
            &sweep.scene.file,
            &sweep.overrides(&sweep.points[0]),
        )?;
        let world = World::from_scene(&sweep.scene);
        // The scene may need a value to be one at all.
        let world = match world {
            Ok(world) => world,
            Err(refused) => match sweep.read(&sweep.points[0]).map(|s| World::from_scene(&s)) {
                Ok(Ok(world)) => world,
                _ => return Err(refused.into()),
            },
        };
        let asked = of.iter().map(|text| Asked::parse(text, world.model()));
        sweep.asked = asked.collect::<Result<_, _>>()?;
        Ok(sweep)
    }

    /// What it is.
    #[must_use]
    pub const fn description(&self) -> &Description {
        &self.description
    }

    /// The points, in their order.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    fn overrides(&self, point: &[String]) -> Vec<Override> {
        let keys = self.parameters.iter().map(|(key, _)| key);
        let new = keys
            .zip(point)
            .map(|(key, value)| Override::new(key, value));
        self.scene.overrides.iter().cloned().chain(new).collect()
    }

    fn read(&self, point: &[String]) -> Result<Scene, stickslip::prelude::SceneError> {
        let (text, file) = (&self.scene.text, &self.scene.file);
        Scene::parse_with(text, file, &self.overrides(point), self.origin.files())
    }

    /// The key of a point, and its scene where it is one: files are part of both.
    #[must_use]
    pub fn prepare(&self, point: &[String]) -> Prepared {
        let scene = self.read(point).map_err(|e| e.to_string());
        let mut parts: Vec<Vec<u8>> = vec![
            self.description.version.clone().into(),
            self.scene.text.as_bytes().to_vec(),
        ];
        parts.extend(
            options(&self.overrides(point))
                .into_iter()
                .map(String::into_bytes),
        );
        if let Ok(scene) = &scene {
            for (name, bytes) in &scene.files {
                parts.extend([name.clone().into_bytes(), bytes.to_vec()]);
            }
        }
        Prepared {
            key: hash_of(parts.iter().map(Vec::as_slice)),
            point: point.to_vec(),
            scene,
        }
    }

    /// Does one run; `interrupted` is asked after every step, and a run that it ends gives nothing.
    ///
    /// # Errors
    /// Where the trajectory cannot be written.
    pub fn run(
        &self,
        prepared: &Prepared,
        (keep, folder): (Keep, &Path),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<RunRow>, SweepError> {
        let start = Instant::now();
        let first = self.simulate(prepared, keep == Keep::All, folder, interrupted)?;
        let Some(mut row) = first else {
            return Ok(None);
        };
        row.seconds = start.elapsed().as_secs_f64();
        if keep == Keep::Failed && keep.wants(row.state) {
            // Once more, to the same bits, and recorded: most runs need no trajectory.
            let again = self.simulate(prepared, true, folder, interrupted)?;
            let Some(again) = again else {
                return Ok(None);
            };
            same_bits(&row, &again, self.limit.is_some())?;
        }
        Ok(Some(row))
    }

    fn simulate(
        &self,
        prepared: &Prepared,
        record: bool,
        folder: &Path,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<RunRow>, SweepError> {
        let scene = match &prepared.scene {
            Ok(scene) => scene,
            Err(why) => return Ok(Some(self.refused(prepared, why.clone()))),
        };
        let mut world = match World::from_scene(scene) {
            Ok(world) => world,
            Err(why) => return Ok(Some(self.refused(prepared, why.to_string()))),
        };
        let model = world.model().clone();
        let mut watch = Watch::new(&model, &self.asked);
        let start = Instant::now();
        let outcome = {
            let mut tee = Tee::new().with(&mut watch);
            if record {
                tee = tee.with(ParquetWriter::new(trajectory(folder, &prepared.key)));
            }
            let header = header(scene, &world);
            let until = scene.step.until;
            simulate(
                &mut world,
                &header,
                until,
                &mut tee,
                &mut |_| match self.limit {
                    _ if interrupted() => ControlFlow::Break(Interruption::Signal),
                    Some(limit) if start.elapsed() >= limit => {
                        ControlFlow::Break(Interruption::Limit)
                    }
                    _ => ControlFlow::Continue(()),
                },
            )?
        };
        if outcome.interrupted == Some(Interruption::Signal) {
            return Ok(None);
        }
        Ok(Some(row(prepared, &outcome, watch.results())))
    }

    fn refused(&self, prepared: &Prepared, why: String) -> RunRow {
        RunRow {
            key: prepared.key.clone(),
            values: prepared.point.clone(),
            state: State::Refused,
            steps: 0,
            worst: 0.0,
            hash: String::new(),
            seconds: 0.0,
            why: Some(why),
            results: vec![None; self.asked.len()],
        }
    }
}

/// A run that can be begun, or be looked for by its key.
pub struct Prepared {
    /// Its key.
    pub key: String,
    point: Point,
    scene: Result<Scene, String>,
}

/// The trajectory of a run in the folder of its sweep.
pub(crate) fn trajectory(folder: &Path, key: &str) -> PathBuf {
    folder.join("trajectories").join(format!("{key}.parquet"))
}

/// Two runs of one key must end in the same states; where time is limited, only if both came as far.
pub(crate) fn same_bits(first: &RunRow, second: &RunRow, limited: bool) -> Result<(), SweepError> {
    let comparable = !limited || first.steps == second.steps;
    if comparable && first.hash != second.hash {
        return Err(SweepError::Differs {
            key: first.key.clone(),
            first: first.hash.clone(),
            second: second.hash.clone(),
        });
    }
    Ok(())
}

fn row(prepared: &Prepared, outcome: &Outcome, results: Vec<Option<f64>>) -> RunRow {
    let state = match (outcome.reached_end(), outcome.certified()) {
        (false, _) => State::Stopped,
        (true, false) => State::Approximate,
        (true, true) => State::Certified,
    };
    let limit = || outcome.interrupted.map(|why| why.words().to_owned());
    let law = Residual::LAW
        .iter()
        .map(|&kind| outcome.worst[kind as usize].0);
    RunRow {
        key: prepared.key.clone(),
        values: prepared.point.clone(),
        state,
        steps: outcome.steps,
        worst: law.fold(0.0, f64::max),
        hash: outcome.hash.clone(),
        seconds: 0.0,
        why: outcome
            .failure
            .as_ref()
            .map(ToString::to_string)
            .or_else(limit),
        results,
    }
}

fn options(overrides: &[Override]) -> Vec<String> {
    let each = overrides.iter().map(|o| format!("{}={}", o.key, o.value));
    each.collect()
}

/// SHA-256 over parts, each with its length before it; hexadecimal.
fn hash_of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    sha.update(b"stickslip sweep 1\n");
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    let digest = sha.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
