//! The scene file: what it says, checked as far as no geometry is needed.
//!
//! [`Scene::read`] and [`Scene::parse`] turn TOML into a [`Scene`]: formulas of parameters and index
//! are evaluated, counted bodies are numbered, names are resolved, and anything unknown, of the wrong
//! type or impossible is refused with a [`SceneError`] that gives file, line, column and a
//! suggestion. The format is documented key by key in `docs/scene.md`; [`schema()`] gives it as JSON
//! Schema.

mod body;
mod error;
mod files;
mod include_checks;
mod included;
mod joint;
mod keys;
mod material;
mod models;
mod node;
mod overrides;
mod paths;
mod png;
mod read_body;
mod read_frame;
mod read_gear;
mod read_include;
mod read_joint;
mod read_mass;
mod read_material;
mod read_mesh;
mod read_motion;
mod read_motor;
mod read_pairs;
mod read_scene;
mod read_shape;
mod read_spring;
mod read_step;
mod read_surface;
mod reader;
mod remarks;
mod schema;
mod settings;
mod slips;
mod table;
mod write;

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use stickslip_model::Moments;
use stickslip_record::files::open_plain;

use glam::DVec3;

pub use crate::methods::{METHODS, Method};
pub use body::{Body, Mass, Mobility, Prescribed, SurfaceMotion};
pub use error::SceneError;
pub use files::{Contents, Files, MAX_BESIDE};
pub use joint::{
    Anchor, Axes, AxisHold, Frame, Gear, JOINT_TYPES, Joint, JointAxis, JointMotor, JointType,
    Spring, SpringEnds,
};
pub use material::{ContactPair, Curve, Material, PairOfMaterials};
pub use models::Model;
pub use overrides::Override;
pub use schema::schema;
pub use settings::{SOLVERS, StepSettings};
pub use stickslip_robots::{Note, Regard};

use crate::expression::{Function, nearest};

/// The version of the scene format this program reads.
pub const FORMAT: u32 = 1;

/// The largest scene file accepted, bytes.
pub const MAX_FILE: usize = 64 << 20;

/// The most bodies a scene may have.
pub const MAX_BODIES: usize = 1_000_000;

/// How the files begin in which runs are recorded.
const PARQUET: &[u8] = b"PAR1";

/// What a scene file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The title, empty if none is given.
    pub title: String,
    /// The version of the format, 1.
    pub format: u32,
    /// The acceleration of gravity, m/s², world frame.
    pub gravity: DVec3,
    /// Step size, end of the run, method, cone, solver, tolerance.
    pub step: StepSettings,
    /// The default material, `[material]`.
    pub material: Material,
    /// Its friction by the speed of the slip, where the file gives that.
    pub curve: Option<Curve>,
    /// All bodies, in the order of the file, counted ones numbered.
    pub bodies: Vec<Body>,
    /// The `[[contact]]` entries.
    pub contact_overrides: Vec<ContactPair>,
    /// The `[[pair]]` entries.
    pub material_pairs: Vec<PairOfMaterials>,
    /// The `[[force]]` entries.
    pub forces: Vec<Force>,
    /// The `[[joint]]` entries.
    pub joints: Vec<Joint>,
    /// The `[[spring]]` entries.
    pub springs: Vec<Spring>,
    /// The `[[gear]]` entries, after those of included models.
    pub gears: Vec<Gear>,
    /// The `[[frame]]` entries.
    pub frames: Vec<Frame>,
    /// The name of the file.
    pub file: String,
    /// The text of the file, without the overrides.
    pub text: Arc<str>,
    /// The overrides that were applied to the text.
    pub overrides: Vec<Override>,
    /// The files it names, as they were read.
    pub files: Contents,
    /// In words: repairs that were made to meshes, numbers that look as if they were in other units, origins that are not where shapes have theirs.
    pub notes: Vec<String>,
    /// What of included models is not used as it stands in their files.
    pub model_notes: Vec<Note>,
}

/// A `[[force]]` entry: a force and a torque that act on one free body, as functions of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// The name of the body.
    pub body: String,
    /// The force, N, world frame.
    pub force: [Function; 3],
    /// The torque about the body's origin, N m, world frame, on top of what the force gives.
    pub torque: [Function; 3],
    /// The point at which the force acts, m, in the body's frame; the origin unless given.
    pub point: DVec3,
    /// The bytes of the file to point at in messages: the value of `body`.
    pub span: Range<usize>,
}

impl Scene {
    /// Gravity in a scene that gives none, m/s².
    pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

    /// A scene without bodies, to be filled in code. What is put in by hand has not been checked:
    /// `Scene::parse(&scene.to_toml(), …)` checks it as if it came from a file.
    ///
    /// ```
    /// use stickslip_dynamics::scene::{Body, Scene, StepSettings};
    /// use stickslip_geometry::Shape;
    ///
    /// let mut scene = Scene::new(StepSettings::new(0.01, 2.0));
    /// scene.bodies.push(Body::free("ball", Shape::ball(0.1)?, 1.0));
    /// let checked = Scene::parse(&scene.to_toml(), "ball", &[])?;
    /// assert_eq!(checked.bodies[0].shape, scene.bodies[0].shape);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(step: StepSettings) -> Self {
        Self {
            title: String::new(),
            format: FORMAT,
            gravity: Self::GRAVITY,
            step,
            material: Material::default(),
            curve: None,
            bodies: Vec::new(),
            material_pairs: Vec::new(),
            contact_overrides: Vec::new(),
            forces: Vec::new(),
            joints: Vec::new(),
            springs: Vec::new(),
            gears: Vec::new(),
            frames: Vec::new(),
            file: String::new(),
            text: Arc::from(""),
            overrides: Vec::new(),
            files: Contents::new(),
            notes: Vec::new(),
            model_notes: Vec::new(),
        }
    }

    /// Reads a scene file and applies the overrides. Files it names must be in its folder.
    ///
    /// # Errors
    /// Where the file cannot be read, or as [`Scene::parse`].
    pub fn read(path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        Self::read_with(path, overrides, Files::beside(path))
    }

    /// Reads a scene file and applies the overrides; the files it names are among `files`.
    ///
    /// # Errors
    /// Where the file cannot be read, or as [`Scene::parse`].
    pub fn read_with(
        path: &Path,
        overrides: &[Override],
        files: Files,
    ) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let unreadable = |error: std::io::Error| {
            let error = missing(path, &error).unwrap_or_else(|| error.to_string());
            SceneError::unreadable(&file, format!("cannot read the scene: {error}"))
        };
        let mut bytes = Vec::new();
        open_plain(path)
            .and_then(|opened| opened.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if bytes.starts_with(PARQUET) {
            let what = "this is a recorded run, not a scene: `stickslip check`, `series`, `view` and `shot` read it, `stickslip run --resume` goes on with it";
            return Err(SceneError::unreadable(&file, what));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse_with(&text, &file, overrides, files),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text: Arc<str> = String::from_utf8_lossy(error.as_bytes()).into();
                let message = "this is not text in UTF-8";
                Err(SceneError::at(&file, &text, at..at + 1, message, None))
            }
        }
    }

    /// Parses the text of a scene; `file` is its name in messages, and files it names must be in its folder.
    ///
    /// # Errors
    /// Where the text is no TOML, has unknown keys or names, values of the wrong type or impossible
    /// ones, or where an override does not fit the scene.
    pub fn parse(text: &str, file: &str, overrides: &[Override]) -> Result<Self, SceneError> {
        Self::parse_with(text, file, overrides, Files::beside(Path::new(file)))
    }

    /// Parses the text of a scene whose files are among `files`.
    ///
    /// # Errors
    /// As [`Scene::parse`].
    pub fn parse_with(
        text: &str,
        file: &str,
        overrides: &[Override],
        files: Files,
    ) -> Result<Self, SceneError> {
        let sources = node::Sources::new(file, text, overrides);
        let (mut scene, included) =
            read_scene::read_scene(&sources, &files).map_err(|fault| sources.error(*fault))?;
        let mut remarks = remarks::in_words(&sources, &files);
        remarks.extend(remarks::of_bodies(&scene, included));
        (scene.files, scene.notes) = files.finish();
        scene.notes.append(&mut remarks);
        Ok(scene)
    }

    /// Are these overrides of keys that a scene with this text has? What the values mean is not looked at.
    ///
    /// # Errors
    /// As [`Scene::parse`], for the first that is not.
    pub fn check_keys(text: &str, file: &str, overrides: &[Override]) -> Result<(), SceneError> {
        let sources = node::Sources::new(file, text, overrides);
        let applied = sources
            .document()
            .and_then(|mut document| overrides::apply(&mut document, &sources));
        applied.map_err(|fault| sources.error(*fault))
    }

    /// An error at a place of this scene's file, such as the `span` of a body.
    #[must_use]
    pub fn error_at(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> SceneError {
        SceneError::at(&self.file, &self.text, span, message, help)
    }

    /// The material between two bodies: the pair's own `[[contact]]` entry where it gives a value, else the `[[pair]]` of their materials,
    /// else the larger of the two bodies'.
    #[must_use]
    pub fn material_between(&self, a: &Body, b: &Body) -> Material {
        let mut combined = a.material.combined(b.material);
        let of_pair = |pair: &&PairOfMaterials| {
            let [first, second] = pair.materials.each_ref().map(|m| Some(m.as_str()));
            let made = [a.made_of.as_deref(), b.made_of.as_deref()];
            made == [first, second] || made == [second, first]
        };
        if let Some(pair) = self.material_pairs.iter().find(of_pair) {
            combined = Material {
                friction: pair.friction.unwrap_or(combined.friction),
                restitution: pair.restitution.unwrap_or(combined.restitution),
                moments: Moments {
                    torsion: pair.torsion.unwrap_or(combined.moments.torsion),
                    rolling: pair.rolling.unwrap_or(combined.moments.rolling),
                },
            };
        }
        let mut entries = self.contact_overrides.iter();
        match entries.find(|pair| pair.is_between(&a.name, &b.name)) {
            None => combined,
            Some(pair) => Material {
                friction: pair.friction.unwrap_or(combined.friction),
                restitution: pair.restitution.unwrap_or(combined.restitution),
                moments: Moments {
                    torsion: pair.torsion.unwrap_or(combined.moments.torsion),
                    rolling: pair.rolling.unwrap_or(combined.moments.rolling),
                },
            },
        }
    }
}

/// What to say of a file that is not there: which of its neighbours may be meant.
fn missing(path: &Path, error: &std::io::Error) -> Option<String> {
    if error.kind() != std::io::ErrorKind::NotFound {
        return None;
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Some(format!("there is no folder {}", folder.display()));
    };
    let names = entries.flatten().take(10_000).map(|e| e.file_name());
    let mut names: Vec<String> = names.filter_map(|n| n.into_string().ok()).collect();
    names.retain(|name| Path::new(name).extension() == path.extension());
    names.sort();
    let wanted = path
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    let meant = nearest(wanted, names.iter().map(String::as_str));
    Some(match meant {
        Some(meant) => format!("there is no such file; did you mean {meant}?"),
        None => "there is no such file".into(),
    })
}
