//! The files a scene names beside itself: meshes and height fields.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::node::Place;
use stickslip_geometry::Mesh;
use stickslip_record::files::open_plain;

/// The largest file read, bytes.
pub const MAX_BESIDE: u64 = 256 << 20;

/// Files by the names a scene gives them.
pub type Contents = BTreeMap<String, Arc<[u8]>>;

/// Where the files of a scene come from: a folder, or copies kept in a trajectory.
#[derive(Debug, Default)]
pub struct Files {
    folder: Option<PathBuf>,
    anywhere: bool,
    /// What has been read, and what was given.
    contents: RefCell<Contents>,
    /// Meshes made of them, by file and how it was read: bodies share them.
    meshes: RefCell<BTreeMap<String, Arc<Mesh>>>,
    notes: RefCell<Vec<String>>,
    /// What is to be said about places of the scene file.
    pub(super) remarks: RefCell<Vec<(Place, String)>>,
}

impl Files {
    /// Those in the folder of a scene file, and in folders inside it.
    #[must_use]
    pub fn beside(scene: &Path) -> Self {
        let folder = match scene.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Self {
            folder: Some(folder),
            ..Self::default()
        }
    }

    /// Copies, and nothing else.
    #[must_use]
    pub fn copies(contents: Contents) -> Self {
        Self {
            contents: RefCell::new(contents),
            ..Self::default()
        }
    }

    /// With leave to read outside the folder as well.
    #[must_use]
    pub fn anywhere(mut self, leave: bool) -> Self {
        self.anywhere = leave;
        self
    }

    /// What was read or given, and the repairs that were made.
    pub(super) fn finish(self) -> (Contents, Vec<String>) {
        (self.contents.into_inner(), self.notes.into_inner())
    }

    /// The bytes of a file.
    pub(super) fn bytes(&self, name: &str) -> Result<Arc<[u8]>, FileFault> {
        if let Some(known) = self.contents.borrow().get(name) {
            return Ok(Arc::clone(known));
        }
        let Some(folder) = &self.folder else {
            return Err(FileFault::new(format!(
                "there is no copy of the file `{name}`"
            )));
        };
        let unreadable = |e: std::io::Error| FileFault::new(format!("cannot read `{name}`: {e}"));
        let path = folder.join(name);
        let path = path.canonicalize().map_err(|e| {
            let why = super::missing(&path, &e).unwrap_or_else(|| e.to_string());
            FileFault::new(format!("cannot read `{name}`: {why}"))
        })?;
        let inside = folder.canonicalize().is_ok_and(|f| path.starts_with(f));
        if !inside && !self.anywhere {
            return Err(FileFault {
                message: format!("`{name}` is not in the scene's folder"),
                help: Some("put it there, or allow it with --allow-outside"),
            });
        }
        let file = open_plain(&path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut bytes = Vec::new();
        // A file that says how long it is need not be read to be refused.
        if length <= MAX_BESIDE {
            let read = file.take(MAX_BESIDE + 1).read_to_end(&mut bytes);
            read.map_err(unreadable)?;
        }
        if length.max(bytes.len() as u64) > MAX_BESIDE {
            let most = MAX_BESIDE >> 20;
            let message = format!("`{name}` is too large: at most {most} MiB are read");
            return Err(FileFault::new(message));
        }
        let bytes: Arc<[u8]> = bytes.into();
        self.contents
            .borrow_mut()
            .insert(name.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// The mesh known by `key`, or the one that `make` makes, whose repairs are noted under `name`.
    pub(super) fn mesh<E>(
        &self,
        key: String,
        name: &str,
        make: impl FnOnce() -> Result<Mesh, E>,
    ) -> Result<Arc<Mesh>, E> {
        if let Some(known) = self.meshes.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let mesh = Arc::new(make()?);
        let notes = mesh.notes().iter().map(|note| format!("{name}: {note}"));
        self.notes.borrow_mut().extend(notes);
        self.meshes.borrow_mut().insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}

/// Why a file could not be used.
pub(super) struct FileFault {
    pub(super) message: String,
    pub(super) help: Option<&'static str>,
}

impl FileFault {
    fn new(message: String) -> Self {
        Self {
            message,
            help: None,
        }
    }
}
