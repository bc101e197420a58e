//! `<geom>`: shapes, their masses, and which of them meet.

use crate::colours::{Colour, colour};
use crate::inertia;
use crate::meshes::hull;
use crate::mjcf::Reader;
use crate::mjcf::compiler::along;
use crate::mjcf::defaults::Look;
use crate::model::{Geom, Inertial};
use crate::place::{Outcome, Place, Regard};
use crate::xml::{Attribute, Element};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use stickslip_geometry::mass::centre_of_mass;
use stickslip_geometry::{MassProperties, Mesh, Pose, Shape, ShapeError};

/// kg/m³, of a geom that gives no density.
const DENSITY: f64 = 1000.0;

/// A mesh of the assets.
#[derive(Clone)]
pub(crate) struct Asset {
    /// The file, or the vertices written out.
    vertices: Vertices,
    scale: DVec3,
    reference: Pose,
    place: Place,
}

#[derive(Clone)]
enum Vertices {
    File(String),
    Given(Vec<DVec3>),
}

/// A geom with its share of the mass.
pub(crate) struct Weighed {
    /// `None` where it collides with nothing.
    pub(crate) geom: Option<Geom>,
    /// In the body's frame.
    pub(crate) inertial: Option<Inertial>,
    /// Its own, or its material's.
    pub(crate) colour: Option<Colour>,
}

impl Reader<'_, '_> {
    /// `<mesh>` of the assets: its name and what it is.
    pub(crate) fn asset(&self, element: &Element) -> Outcome<(String, Asset)> {
        let look = self.defaults.look(element, super::defaults::MAIN)?;
        let file = element.get("file");
        let name = match (element.get("name"), file) {
            (Some(name), _) => name.value.clone(),
            (None, Some(file)) => stem(&file.value).to_owned(),
            (None, None) => {
                return Err(element.error("<mesh> needs `file`, or `name` and `vertex`"));
            }
        };
        let vertices = match (file, element.get("vertex")) {
            (Some(file), _) => Vertices::File(self.compiler.mesh_file(&file.value)),
            (None, Some(vertex)) => Vertices::Given(points(vertex)?),
            (None, None) => return Err(element.error("<mesh> needs `file` or `vertex`")),
        };
        let scale = match look.get(element, "scale") {
            Some(scale) => scale.vector()?,
            None => DVec3::ONE,
        };
        let mut reference = Pose::IDENTITY;
        if let Some(pos) = element.get("refpos") {
            reference.position = pos.vector()?;
        }
        if let Some(quat) = element.get("refquat") {
            let [s, x, y, z] = quat.exactly()?;
            let q = glam::DQuat::from_xyzw(x, y, z, s);
            if q.length() < 1e-12 {
                return Err(quat.error("`refquat` must not be zero"));
            }
            reference.orientation = q / q.length();
        }
        let asset = Asset {
            vertices,
            scale,
            reference,
            place: file.map_or(&element.place, |f| &f.place).clone(),
        };
        Ok((name, asset))
    }

    /// One `<geom>` in a body, whose mass counts or not.
    pub(crate) fn geom(
        &self,
        element: &Element,
        around: (&Pose, usize),
        counts: bool,
        suffix: &str,
    ) -> Outcome<Weighed> {
        let look = self.defaults.look(element, around.1)?;
        let kind = look.get(element, "type");
        let colour = self.colour(element, &look)?;
        let number = |name: &str, other: f64| {
            look.get(element, name)
                .map_or(Ok(other), Attribute::not_negative)
        };
        let mask = |name: &str| -> Outcome<u32> {
            let value = number(name, 1.0)?;
            Ok(value as u32)
        };
        let masks = [mask("contype")?, mask("conaffinity")?];
        let meets = masks != [0, 0];
        let (given, density) = (look.get(element, "mass"), number("density", DENSITY)?);
        let given = given.map(Attribute::not_negative).transpose()?;
        let weightless = !counts || given == Some(0.0) || (given.is_none() && density == 0.0);
        let kind_name = kind.map_or("sphere", |k| k.value.as_str());
        if !meets && weightless {
            look.get(element, "mesh");
            self.know_geom(element, &look);
            let what = "<geom>".to_owned();
            let why = "for pictures: it collides with nothing and has no mass here";
            self.note(&element.place, what, why, Regard::NoEffect);
            return Ok(Weighed {
                geom: None,
                inertial: None,
                colour,
            });
        }
        let (shape, pose, solid) = match kind_name {
            "mesh" => {
                let mesh = look.get(element, "mesh");
                let mesh = mesh.ok_or_else(|| element.error("a geom of type mesh needs `mesh`"))?;
                let (shape, solid) = self.mesh(mesh)?;
                (shape, self.compiler.pose(element, &look)?, solid)
            }
            _ => {
                let (shape, pose) = self.primitive(element, &look, kind)?;
                (shape.clone(), pose, shape)
            }
        };
        self.know_geom(element, &look);
        let inertial = if weightless {
            None
        } else {
            weigh(element, &solid, &pose, given, density)?
        };
        let friction = match look.get(element, "friction") {
            Some(attribute) => {
                let numbers = attribute.numbers()?;
                if numbers.len() > 1 {
                    let what = "`friction` of <geom>".to_owned();
                    let why = "of its numbers the first, sliding friction, is used";
                    self.note(&attribute.place, what, why, Regard::NotUnderstood);
                }
                match numbers.first() {
                    Some(mu) if *mu >= 0.0 => Some(*mu),
                    _ => return Err(attribute.error("`friction` must not be negative")),
                }
            }
            None => Some(1.0),
        };
        let name = element
            .get("name")
            .map_or(String::new(), |a| a.value.clone() + suffix);
        let geom = Geom {
            name,
            place: element.place.clone(),
            shape,
            pose: around.0.then(&pose),
            friction,
            restitution: None,
            masks,
        };
        Ok(Weighed {
            geom: meets.then_some(geom),
            inertial: inertial.map(|inertial| inertial.placed(around.0)),
            colour: colour.filter(|_| kind_name != "plane"),
        })
    }

    /// The colour of a geom: its own, or that of its material.
    fn colour(&self, element: &Element, look: &Look<'_, '_>) -> Outcome<Option<Colour>> {
        let named = look.get(element, "material");
        let own = look.get(element, "rgba").map(colour).transpose()?;
        Ok(own.or_else(|| named.and_then(|name| self.palette.get(&name.value))))
    }

    /// Marks as known what a geom may say and this one need not be asked for.
    fn know_geom(&self, element: &Element, look: &Look<'_, '_>) {
        for name in ["name", "pos", "size", "fromto", "type", "friction"] {
            look.get(element, name);
        }
        for name in ["quat", "axisangle", "euler", "xyaxes", "zaxis"] {
            look.get(element, name);
        }
    }

    /// The hull of a mesh of the assets, and the solid by which it is weighed.
    fn mesh(&self, name: &Attribute) -> Outcome<(Shape, Shape)> {
        let Some(asset) = self.assets.get(name.value.as_str()).cloned() else {
            return Err(name.error(format!("there is no mesh `{}`", name.value)));
        };
        let back = asset.reference.inverse();
        let moved = |v: &DVec3| back.to_world(*v * asset.scale);
        match &asset.vertices {
            Vertices::Given(points) => {
                let points: Vec<DVec3> = points.iter().map(moved).collect();
                let (shape, _) = hull(&points, &name.value, &asset.place)?;
                Ok((shape.clone(), shape))
            }
            Vertices::File(file) => {
                let mesh = self.meshes.mesh(file, &asset.place)?;
                let points: Vec<DVec3> = mesh.vertices().iter().map(moved).collect();
                let (shape, why) = hull(&points, file, &asset.place)?;
                let what = format!("mesh `{}`", name.value);
                self.note(&name.place, what, &why, Regard::Changed);
                let solid = Mesh::new(&points, mesh.triangles());
                let solid = solid.map_err(|e| name.error(format!("`{file}`: {e}")))?;
                Ok((shape, Shape::Mesh(Arc::new(solid))))
            }
        }
    }

    /// A shape of the format's own, and its pose in the body.
    fn primitive(
        &self,
        element: &Element,
        look: &Look<'_, '_>,
        kind: Option<&Attribute>,
    ) -> Outcome<(Shape, Pose)> {
        let name = kind.map_or("sphere", |k| k.value.as_str());
        let mut pose = self.compiler.pose(element, look)?;
        let size = look.get(element, "size");
        let mut numbers = size
            .map(Attribute::numbers)
            .transpose()?
            .unwrap_or_default();
        if let Some(ends) = look.get(element, "fromto").filter(|_| name != "sphere") {
            let six: [f64; 6] = ends.exactly()?;
            let (from, to) = (DVec3::from_slice(&six), DVec3::from_slice(&six[3..]));
            let length = (from - to).length();
            let Some(direction) = (from - to).try_normalize() else {
                return Err(ends.error("the two ends of `fromto` are one point"));
            };
            pose = Pose {
                position: (from + to) * 0.5,
                orientation: along(direction),
            };
            let place = if name == "box" { 2 } else { 1 };
            let first = numbers.first().copied().unwrap_or(0.0);
            numbers.resize(place, first);
            numbers.push(0.5 * length);
        }
        let wanted = match name {
            "plane" => 0,
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "box" => 3,
            _ => {
                let message = format!("a geom of type `{name}` has no counterpart here");
                let known = "known are plane, sphere, capsule, cylinder, box and mesh";
                let place = kind.map_or(&element.place, |k| &k.place);
                return Err(crate::RobotError::new(place, message).with_help(known));
            }
        };
        if numbers.len() < wanted {
            let message = format!("a {name} needs {wanted} numbers in `size`");
            let place = size.map_or(&element.place, |s| &s.place);
            return Err(crate::RobotError::new(place, message));
        }
        let made: Result<Shape, ShapeError> = match name {
            "plane" => Shape::half_space(DVec3::Z, 0.0),
            "sphere" => Shape::ball(numbers[0]),
            "capsule" => Shape::capsule(numbers[0], 2.0 * numbers[1]),
            "cylinder" => Shape::cylinder(numbers[0], 2.0 * numbers[1]),
            _ => Shape::cuboid(DVec3::from_slice(&numbers) * 2.0),
        };
        let shape = made.map_err(|e| element.error(e.to_string()))?;
        Ok((shape, pose))
    }
}

/// Mass, centre and inertia of a geom in the body's frame.
fn weigh(
    element: &Element,
    solid: &Shape,
    pose: &Pose,
    mass: Option<f64>,
    density: f64,
) -> Outcome<Option<Inertial>> {
    if matches!(solid, Shape::HalfSpace { .. }) {
        return Ok(None);
    }
    let found = match mass {
        Some(mass) => MassProperties::with_mass(solid, mass),
        None => MassProperties::with_density(solid, density),
    };
    let (Some(found), Some(centre)) = (found, centre_of_mass(solid)) else {
        let message = "the surface of the mesh is not closed: it does not tell a mass";
        return Err(element
            .error(message)
            .with_help("give the body an <inertial>"));
    };
    let own = Inertial {
        mass: found.mass,
        centre,
        inertia: found.inertia,
    };
    Ok(Some(own.placed(pose)))
}

/// `<inertial>` of a body.
pub(crate) fn inertial(
    reader: &Reader<'_, '_>,
    element: &Element,
    look: &Look<'_, '_>,
) -> Outcome<Inertial> {
    let mass = element.need("mass")?.not_negative()?;
    element.need("pos")?;
    let pose = reader.compiler.pose(element, look)?;
    let tensor = match (element.get("diaginertia"), element.get("fullinertia")) {
        (Some(diagonal), None) => DMat3::from_diagonal(diagonal.vector()?),
        (None, Some(full)) => {
            let [xx, yy, zz, xy, xz, yz] = full.exactly()?;
            DMat3::from_cols(
                DVec3::new(xx, xy, xz),
                DVec3::new(xy, yy, yz),
                DVec3::new(xz, yz, zz),
            )
        }
        (Some(_), Some(full)) => {
            return Err(full.error("`fullinertia` beside `diaginertia`: give one"));
        }
        (None, None) => {
            return Err(element.error("<inertial> needs `diaginertia` or `fullinertia`"));
        }
    };
    let note = inertia::check(&tensor, &element.place, reader.any_inertia)?;
    reader.notes.borrow_mut().extend(note);
    let own = Inertial {
        mass,
        centre: DVec3::ZERO,
        inertia: tensor,
    };
    Ok(own.placed(&pose))
}

/// Vertices, three numbers each.
fn points(vertex: &Attribute) -> Outcome<Vec<DVec3>> {
    let numbers = vertex.numbers()?;
    if numbers.len() % 3 != 0 || numbers.len() < 12 {
        return Err(vertex.error("`vertex` has three numbers for each of at least four vertices"));
    }
    Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
