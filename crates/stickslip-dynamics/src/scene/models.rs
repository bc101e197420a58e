//! Scenes of one model alone: what `run robot.urdf` runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use stickslip_record::files::open_plain;

use super::{Files, MAX_FILE, Override, Scene, SceneError};

/// How a model becomes a scene of its own: the keys of `[[include]]`, and what is around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Does the base of a URDF model stay where it is?
    pub fixed_base: bool,
    /// Put before the names of its bodies, joints and frames.
    pub prefix: String,
    /// Where its base, or its world, is, m.
    pub position: DVec3,
    /// What package:// stands for: folders, or "PREFIX=FOLDER".
    pub packages: Vec<String>,
    /// The SRDF file whose disabled pairs do not collide.
    pub srdf: Option<String>,
    /// Coordinates at the start by the names of the file's joints, m or rad.
    pub joints: BTreeMap<String, f64>,
    /// The configuration of the file in which it starts.
    pub key: Option<String>,
    /// Do links that overlap at the start pass through each other? Else they are refused.
    pub ignore_overlaps: bool,
    /// Are inertias that break the triangle inequality taken as they are? Else they are refused.
    pub any_inertia: bool,
    /// Do links never collide with each other?
    pub no_self_collision: bool,
    /// Stiffness and damping of motors that hold every joint where it starts.
    pub hold: Option<[f64; 2]>,
    /// Is there a ground, the half-space below z = 0?
    pub ground: bool,
    /// Friction of what gives none.
    pub friction: Option<f64>,
}

/// Step and end of a scene that is made of a model which gives none, s.
const STEP: f64 = 0.001;
const UNTIL: f64 = 1.0;

impl Scene {
    /// The scene of a URDF model alone.
    ///
    /// # Errors
    /// Where the file cannot be read, is no URDF, or as [`Scene::parse`].
    pub fn from_urdf(
        path: &Path,
        model: &Model,
        overrides: &[Override],
    ) -> Result<Self, SceneError> {
        Self::from_model(path, model, overrides, Some("robot"))
    }

    /// The scene of an MJCF model alone.
    ///
    /// # Errors
    /// Where the file cannot be read, is no MJCF, or as [`Scene::parse`].
    pub fn from_mjcf(
        path: &Path,
        model: &Model,
        overrides: &[Override],
    ) -> Result<Self, SceneError> {
        Self::from_model(path, model, overrides, Some("mujoco"))
    }

    /// The scene of a model alone; `root` is the first element that the file must have.
    ///
    /// # Errors
    /// Where the file cannot be read, is no such model, or as [`Scene::parse`].
    pub fn from_model(
        path: &Path,
        model: &Model,
        overrides: &[Override],
        root: Option<&str>,
    ) -> Result<Self, SceneError> {
        let shown = path.display().to_string();
        let unreadable = |e: &dyn std::fmt::Display| {
            SceneError::unreadable(&shown, format!("cannot read the model: {e}"))
        };
        let mut bytes = Vec::new();
        let opened = open_plain(path).map_err(|e| unreadable(&e))?;
        std::io::Read::read_to_end(
            &mut std::io::Read::take(opened, MAX_FILE as u64 + 1),
            &mut bytes,
        )
        .map_err(|e| unreadable(&e))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable(&"it is not text in UTF-8"))?;
        let head = stickslip_robots::head(&shown, &text).map_err(|error| {
            let (file, text) = (&error.place.source.file, &error.place.source.text);
            SceneError::at(
                file,
                text,
                error.place.span.clone(),
                error.message,
                error.help,
            )
        })?;
        if let Some(root) = root.filter(|root| head.root != *root) {
            let message = format!("the file begins with <{}>, not with <{root}>", head.root);
            let text: Arc<str> = text.into();
            return Err(SceneError::at(&shown, &text, 0..0, message, None));
        }
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let scene = model.scene(&name.unwrap_or_default(), &head);
        // Folders of packages are named on purpose: they may be anywhere.
        let files = Files::beside(path).anywhere(!model.packages.is_empty());
        let file = format!("{shown} as a scene");
        Self::parse_with(&scene, &file, overrides, files)
    }
}

impl Model {
    /// The text of the scene.
    fn scene(&self, file: &str, head: &stickslip_robots::Head) -> String {
        let mut text = String::new();
        let mut put = |line: String| {
            let _ = writeln!(text, "{line}");
        };
        put(format!("title = {}", quoted(file)));
        if let Some(g) = head.gravity {
            put(format!("gravity = [{:?}, {:?}, {:?}]", g.x, g.y, g.z));
        }
        put(format!(
            "\n[step]\nh = {:?}\nuntil = {UNTIL:?}",
            head.step.unwrap_or(STEP)
        ));
        if let Some(friction) = self.friction {
            put(format!("\n[material]\nfriction = {friction:?}"));
        }
        text.push_str(&self.include(file));
        if self.ground {
            text.push_str("\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = { half-space = { normal = [0, 0, 1] } }\n");
        }
        text
    }

    /// The `[[include]]` of the model.
    fn include(&self, file: &str) -> String {
        let mut text = String::new();
        let mut put = |line: String| {
            let _ = writeln!(text, "{line}");
        };
        put(format!("\n[[include]]\nfile = {}", quoted(file)));
        if !self.prefix.is_empty() {
            put(format!("prefix = {}", quoted(&self.prefix)));
        }
        let DVec3 { x, y, z } = self.position;
        if self.position != DVec3::ZERO {
            put(format!("position = [{x:?}, {y:?}, {z:?}]"));
        }
        for (key, on) in [
            ("fixed-base", self.fixed_base),
            ("any-inertia", self.any_inertia),
        ] {
            if on {
                put(format!("{key} = true"));
            }
        }
        if self.no_self_collision {
            put("self-collision = false".into());
        }
        if self.ignore_overlaps {
            put("overlaps = \"ignore\"".into());
        }
        if !self.packages.is_empty() {
            let all: Vec<String> = self.packages.iter().map(|p| quoted(p)).collect();
            put(format!("packages = [{}]", all.join(", ")));
        }
        for (key, value) in [("srdf", &self.srdf), ("key", &self.key)] {
            if let Some(value) = value {
                put(format!("{key} = {}", quoted(value)));
            }
        }
        if let Some([stiffness, damping]) = self.hold {
            put(format!(
                "hold = {{ stiffness = {stiffness:?}, damping = {damping:?} }}"
            ));
        }
        if !self.joints.is_empty() {
            let all: Vec<String> = self
                .joints
                .iter()
                .map(|(name, q)| format!("{} = {q:?}", quoted(name)))
                .collect();
            put(format!("joints = {{ {} }}", all.join(", ")));
        }
        text
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
