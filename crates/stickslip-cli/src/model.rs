//! Scenes and models as commands take them: `robot.urdf` and `robot.xml` beside scene files.

use clap::Args;
use std::collections::BTreeMap;
use std::path::Path;
use stickslip::dynamics::scene::{Files, Model, Note, Override, Regard};
use stickslip::prelude::{DVec3, Scene};
use stickslip_console::Failure;

/// How a model (.urdf, .xml, .mjcf) becomes a scene
#[derive(Args, Default)]
pub(crate) struct ModelArgs {
    /// Of a URDF model: its base stays where it is
    #[arg(long, help_heading = "Models (.urdf, .xml)")]
    fixed_base: bool,
    /// Where package:// files are: a folder, or PREFIX=FOLDER (may be repeated)
    #[arg(long, value_name = "DIR", help_heading = "Models (.urdf, .xml)")]
    package_path: Vec<String>,
    /// SRDF file beside the model whose disabled pairs do not collide
    #[arg(long, value_name = "FILE", help_heading = "Models (.urdf, .xml)")]
    srdf: Option<String>,
    /// Coordinate of a joint at the start, m or rad (may be repeated)
    #[arg(
        long,
        value_name = "JOINT=Q",
        allow_hyphen_values = true,
        help_heading = "Models (.urdf, .xml)"
    )]
    start: Vec<String>,
    /// Configuration of the file (keyframe) in which the model starts
    #[arg(long, value_name = "NAME", help_heading = "Models (.urdf, .xml)")]
    key: Option<String>,
    /// Height of the model's base at the start, m
    #[arg(
        long,
        value_name = "Z",
        allow_hyphen_values = true,
        help_heading = "Models (.urdf, .xml)"
    )]
    height: Option<f64>,
    /// Motors that hold every joint where it starts: stiffness, or stiffness,damping
    #[arg(long, value_name = "GAINS", help_heading = "Models (.urdf, .xml)")]
    hold: Option<String>,
    /// A ground: the half-space below z = 0
    #[arg(long, help_heading = "Models (.urdf, .xml)")]
    ground: bool,
    /// Friction of what gives none
    #[arg(long, value_name = "MU", help_heading = "Models (.urdf, .xml)")]
    friction: Option<f64>,
    /// Links that overlap at the start pass through each other
    #[arg(long, help_heading = "Models (.urdf, .xml)")]
    ignore_overlaps: bool,
    /// Links never collide with each other
    #[arg(long, help_heading = "Models (.urdf, .xml)")]
    no_self_collision: bool,
    /// Inertias that break the triangle inequality are taken as they are
    #[arg(long, help_heading = "Models (.urdf, .xml)")]
    any_inertia: bool,
}

impl ModelArgs {
    /// Reads a scene file, or the scene of a model alone; says what was repaired and what was not understood.
    pub(crate) fn read(
        &self,
        path: &Path,
        overrides: &[Override],
        allow_outside: bool,
    ) -> Result<Scene, Failure> {
        let scene = if is_model(path) {
            Scene::from_model(path, &self.model()?, overrides, None)?
        } else {
            self.refuse_beside_scene()?;
            let files = Files::beside(path).anywhere(allow_outside);
            Scene::read_with(path, overrides, files)?
        };
        for note in &scene.notes {
            eprintln!("note: {note}");
        }
        for line in remarks(&scene.model_notes) {
            eprintln!("{line}");
        }
        Ok(scene)
    }

    fn model(&self) -> Result<Model, Failure> {
        let mut joints = BTreeMap::new();
        for option in &self.start {
            let parsed = option.rsplit_once('=').and_then(|(name, q)| {
                let q = q.trim().parse::<f64>().ok().filter(|q| q.is_finite())?;
                Some((name.trim().to_owned(), q))
            });
            let Some((name, q)) = parsed else {
                return Err(Failure::Input(format!(
                    "--start {option}: expected JOINT=NUMBER"
                )));
            };
            joints.insert(name, q);
        }
        let hold = match &self.hold {
            None => None,
            Some(text) if text.contains(',') => Some(crate::options::numbers("--hold", text)?),
            Some(text) => crate::options::numbers::<1>("--hold", text).map(|[k]| Some([k, 0.0]))?,
        };
        let mut position = DVec3::ZERO;
        position.z = self.height.unwrap_or(0.0);
        Ok(Model {
            fixed_base: self.fixed_base,
            prefix: String::new(),
            position,
            packages: self.package_path.clone(),
            srdf: self.srdf.clone(),
            joints,
            key: self.key.clone(),
            ignore_overlaps: self.ignore_overlaps,
            any_inertia: self.any_inertia,
            no_self_collision: self.no_self_collision,
            hold,
            ground: self.ground,
            friction: self.friction,
        })
    }

    /// Options of models have no effect on a scene file, and are refused beside one.
    fn refuse_beside_scene(&self) -> Result<(), Failure> {
        let given = [
            ("--fixed-base", self.fixed_base),
            ("--package-path", !self.package_path.is_empty()),
            ("--srdf", self.srdf.is_some()),
            ("--start", !self.start.is_empty()),
            ("--key", self.key.is_some()),
            ("--height", self.height.is_some()),
            ("--hold", self.hold.is_some()),
            ("--ground", self.ground),
            ("--friction", self.friction.is_some()),
            ("--ignore-overlaps", self.ignore_overlaps),
            ("--no-self-collision", self.no_self_collision),
            ("--any-inertia", self.any_inertia),
        ];
        match given.iter().find(|(_, on)| *on) {
            Some((flag, _)) => Err(Failure::Input(format!(
                "{flag} is about a model (.urdf, .xml, .mjcf); in a scene file it is a key of [[include]]"
            ))),
            None => Ok(()),
        }
    }
}

/// Is this the name of a model, and not of a scene?
fn is_model(path: &Path) -> bool {
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|e| ["urdf", "xml", "mjcf"].contains(&e.as_str()))
}

/// How many places of one remark are shown.
const PLACES: usize = 3;

/// What was not understood and what was changed, the same things in one line with their places; then how much has no effect.
fn remarks(notes: &[Note]) -> Vec<String> {
    let mut lines = Vec::new();
    for (regard, word) in [
        (Regard::NotUnderstood, "not understood"),
        (Regard::Changed, "changed"),
    ] {
        let mut same: BTreeMap<(&str, &str), Vec<&Note>> = BTreeMap::new();
        for note in notes.iter().filter(|n| n.regard == regard) {
            let key = (note.what.as_str(), note.why.as_str());
            same.entry(key).or_default().push(note);
        }
        for ((what, why), those) in same {
            let places: Vec<String> = those
                .iter()
                .take(PLACES)
                .map(|n| n.place.to_string())
                .collect();
            let more = match those.len().saturating_sub(PLACES) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            lines.push(format!("{word}: {what}{why} ({}{more})", places.join(", ")));
        }
    }
    let idle = notes
        .iter()
        .filter(|n| n.regard == Regard::NoEffect)
        .count();
    if idle > 0 {
        lines.push(format!(
            "of no effect on motion: {idle} elements and attributes"
        ));
    }
    lines
}
