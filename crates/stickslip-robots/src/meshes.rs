//! Meshes that models name: their vertices, and the convex hull of them.

use crate::files::{Files, Packages};
use crate::place::{Outcome, Place, RobotError};
use glam::DVec3;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use stickslip_geometry::mesh::{obj, stl};
use stickslip_geometry::{Mesh, Shape};

/// Meshes by their names, each read once.
pub(crate) struct Meshes<'f> {
    files: &'f dyn Files,
    packages: &'f Packages,
    known: RefCell<BTreeMap<String, Arc<Mesh>>>,
}

impl<'f> Meshes<'f> {
    pub(crate) fn new(files: &'f dyn Files, packages: &'f Packages) -> Self {
        Self {
            files,
            packages,
            known: RefCell::default(),
        }
    }

    /// The mesh at this address.
    pub(crate) fn mesh(&self, address: &str, place: &Place) -> Outcome<Arc<Mesh>> {
        if let Some(known) = self.known.borrow().get(address) {
            return Ok(Arc::clone(known));
        }
        let bytes = self.bytes(address, place)?;
        let ending = address.rsplit_once('.').map_or("", |(_, ending)| ending);
        let made = match ending.to_ascii_lowercase().as_str() {
            "stl" => stl::read(&bytes, 1.0),
            "obj" => obj::read(&bytes, 1.0),
            _ => {
                let message = format!("`{address}`: a mesh is a .stl or .obj file");
                return Err(RobotError::new(place, message));
            }
        };
        let mesh = made.map_err(|e| RobotError::new(place, format!("`{address}`: {e}")))?;
        let mesh = Arc::new(mesh);
        let mut known = self.known.borrow_mut();
        known.insert(address.to_owned(), Arc::clone(&mesh));
        Ok(mesh)
    }

    fn bytes(&self, address: &str, place: &Place) -> Outcome<Arc<[u8]>> {
        let candidates = self.packages.candidates(address);
        let mut first = None;
        for name in &candidates {
            match self.files.bytes(name) {
                Ok(bytes) => return Ok(bytes),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let fault = match first {
            Some(error) => RobotError::new(place, format!("`{address}`: {error}")),
            None => RobotError::new(place, format!("`{address}`: the package is not known")),
        };
        Err(if address.starts_with("package://") {
            fault.with_help(
                "say where packages are with --package-path, or with `packages` of [[include]]",
            )
        } else {
            fault
        })
    }

    /// The convex hull of a mesh whose coordinates are multiplied by `scale`.
    pub(crate) fn hull(&self, address: &str, scale: DVec3, place: &Place) -> Outcome<Shape> {
        let mesh = self.mesh(address, place)?;
        let points: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale).collect();
        hull(&points, address, place)
    }
}

/// The convex hull of points.
pub(crate) fn hull(points: &[DVec3], name: &str, place: &Place) -> Outcome<Shape> {
    Shape::hull(points).map_err(|e| RobotError::new(place, format!("the hull of `{name}`: {e}")))
}
