//! Meshes that models name: their vertices, and the convex hull of them.

use crate::files::{Files, Packages};
use crate::place::{Outcome, Place, RobotError};
use glam::DVec3;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use stickslip_geometry::hull::Hull;
use stickslip_geometry::mesh::{obj, stl};
use stickslip_geometry::{Mesh, Shape, ShapeError};

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

    /// The convex hull of a mesh whose coordinates are multiplied by `scale`, and in words what was done.
    pub(crate) fn hull(
        &self,
        address: &str,
        scale: DVec3,
        place: &Place,
    ) -> Outcome<(Shape, String)> {
        let mesh = self.mesh(address, place)?;
        let points: Vec<DVec3> = mesh.vertices().iter().map(|v| *v * scale).collect();
        hull(&points, address, place)
    }
}

/// The convex hull of points. One with too many corners is made of those that are farthest along directions all around; the words say
/// how far others stand out of it.
pub(crate) fn hull(points: &[DVec3], name: &str, place: &Place) -> Outcome<(Shape, String)> {
    let fault = |e: ShapeError| RobotError::new(place, format!("the hull of `{name}`: {e}"));
    let whole = Shape::hull(points);
    if let Ok(shape) = whole {
        return Ok((shape, "its convex hull collides".into()));
    }
    let farthest = |d: DVec3| {
        let best = |a: &DVec3, b: &DVec3| a.dot(d).total_cmp(&b.dot(d));
        points.iter().copied().max_by(best)
    };
    let corners: Vec<DVec3> = all_around(DIRECTIONS).filter_map(farthest).collect();
    let made = Hull::new(&corners).map_err(fault)?;
    let out = points.iter().map(|p| made.distance(*p)).fold(0.0, f64::max);
    let why = format!(
        "a hull of {} corners collides; others stand out of it by up to {out:.1e} m",
        made.vertices().len()
    );
    Ok((Shape::Hull(Arc::new(made)), why))
}

/// Directions in which corners are looked for, where there are too many.
const DIRECTIONS: usize = 240;

/// Unit vectors spread evenly over the sphere: a spiral of equal areas and the golden angle.
fn all_around(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - libm::sqrt(5.0));
    (0..count).map(move |k| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / count as f64;
        let (sin, cos) = libm::sincos(golden * k as f64);
        let across = libm::sqrt(1.0 - z * z);
        DVec3::new(across * cos, across * sin, z)
    })
}
