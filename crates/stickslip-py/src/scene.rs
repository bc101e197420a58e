//! What a scene file says.

use crate::errors::detached;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::dynamics::scene::{Contents, Files, Model, Note, Override, Regard, schema};
use stickslip::prelude::DVec3;

/// A scene that has been read; it cannot be changed.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct Scene {
    pub(crate) read: Arc<stickslip::prelude::Scene>,
}

type Set = Vec<(String, String)>;

fn overrides(set: Set) -> Vec<Override> {
    set.into_iter()
        .map(|(key, value)| Override::new(key, value))
        .collect()
}

#[pymethods]
impl Scene {
    /// Reads a scene file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, set: Set, allow_outside: bool) -> PyResult<Self> {
        let scene = detached(py, || {
            let files = Files::beside(&path).anywhere(allow_outside);
            Ok(stickslip::prelude::Scene::read_with(
                &path,
                &overrides(set),
                files,
            )?)
        })?;
        Ok(Self {
            read: Arc::new(scene),
        })
    }

    /// Reads a scene's text; files that it names are in `folder`, or among `copies` where there is none.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        text: &str,
        file: &str,
        set: Set,
        folder: Option<PathBuf>,
        copies: Vec<(String, Vec<u8>)>,
        allow_outside: bool,
    ) -> PyResult<Self> {
        let files = match folder {
            Some(folder) => Files::beside(&folder.join("scene.toml")).anywhere(allow_outside),
            None => Files::copies(
                copies
                    .into_iter()
                    .map(|(name, bytes)| (name, bytes.into()))
                    .collect::<Contents>(),
            ),
        };
        let scene = detached(py, move || {
            Ok(stickslip::prelude::Scene::parse_with(
                text,
                file,
                &overrides(set),
                files,
            )?)
        })?;
        Ok(Self {
            read: Arc::new(scene),
        })
    }

    /// The scene of a URDF or MJCF model alone; `root` is the first element that the file must have.
    #[staticmethod]
    fn model(
        py: Python<'_>,
        path: PathBuf,
        set: Set,
        root: &str,
        how: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let get = |key: &str| -> PyResult<Bound<'_, PyAny>> {
            let found = how.get_item(key)?;
            found.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(key.to_owned()))
        };
        let [x, y, z] = get("position")?.extract::<[f64; 3]>()?;
        let model = Model {
            fixed_base: get("fixed_base")?.extract()?,
            prefix: get("prefix")?.extract()?,
            position: DVec3::new(x, y, z),
            packages: get("packages")?.extract()?,
            srdf: get("srdf")?.extract()?,
            joints: get("joints")?.extract()?,
            key: get("key")?.extract()?,
            ignore_overlaps: get("ignore_overlaps")?.extract()?,
            any_inertia: get("any_inertia")?.extract()?,
            no_self_collision: !get("self_collision")?.extract::<bool>()?,
            hold: get("hold")?.extract()?,
            ground: get("ground")?.extract()?,
            friction: get("friction")?.extract()?,
        };
        let scene = detached(py, || {
            let set = overrides(set);
            let scene = stickslip::prelude::Scene::from_model(&path, &model, &set, Some(root));
            Ok(scene?)
        })?;
        Ok(Self {
            read: Arc::new(scene),
        })
    }

    /// What of its models is not used as it stands in their files: place, what, why, and what becomes of it.
    #[getter]
    fn model_notes(&self) -> Vec<(String, String, String, &'static str)> {
        let note = |note: &Note| {
            let regard = match note.regard {
                Regard::NotUnderstood => "not understood",
                Regard::Changed => "changed",
                Regard::NoEffect => "no effect",
            };
            (
                note.place.to_string(),
                note.what.clone(),
                note.why.clone(),
                regard,
            )
        };
        self.read.model_notes.iter().map(note).collect()
    }

    #[getter]
    fn frames(&self) -> Vec<&str> {
        self.read.frames.iter().map(|f| f.name.as_str()).collect()
    }

    #[getter]
    fn title(&self) -> &str {
        &self.read.title
    }

    #[getter]
    fn text(&self) -> &str {
        &self.read.text
    }

    #[getter]
    fn file(&self) -> &str {
        &self.read.file
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.read.notes.clone()
    }

    #[getter]
    fn h(&self) -> f64 {
        self.read.step.h
    }

    #[getter]
    fn until(&self) -> f64 {
        self.read.step.until
    }

    #[getter]
    fn bodies(&self) -> Vec<&str> {
        self.read.bodies.iter().map(|b| b.name.as_str()).collect()
    }

    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.read.joints.iter().map(|j| j.name.as_str()).collect()
    }

    #[getter]
    fn springs(&self) -> Vec<&str> {
        self.read.springs.iter().map(|s| s.name.as_str()).collect()
    }

    /// The files that it names, as they were read.
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (name, bytes) in &self.read.files {
            files.set_item(name, PyBytes::new(py, bytes))?;
        }
        Ok(files)
    }

    fn to_toml(&self) -> String {
        self.read.to_toml()
    }
}

/// The format of scene files as JSON Schema.
#[pyfunction]
pub(crate) fn scene_schema() -> String {
    schema().to_string()
}
