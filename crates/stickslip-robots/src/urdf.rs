//! URDF: links, joints, what they collide with; and the pairs that an SRDF file lets pass through each other.

use crate::Options;
use crate::colours::Palette;
use crate::files::Files;
use crate::inertia;
use crate::meshes::Meshes;
use crate::model::{Coupling, Freedom, Geom, Inertial, Link, Model, WORLD, Way};
use crate::notes;
use crate::place::{Note, Outcome, Regard, RobotError};
use crate::xml::{Attribute, Element};
use glam::{DMat3, DQuat, DVec3};
use std::collections::BTreeMap;
use stickslip_geometry::pose::exp;
use stickslip_geometry::{Pose, Shape};

/// The most links of a model.
pub const MOST_LINKS: usize = 20_000;

/// The kinds of joint.
const KINDS: [&str; 6] = [
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
];

/// Reads a URDF file.
pub(crate) fn read(root: &Element, files: &dyn Files, options: &Options) -> Outcome<Model> {
    let name = root.get("name").map_or("", |a| a.value.as_str());
    root.know(&["version"]);
    let mut model = Model::empty(name.to_owned(), root.place.clone());
    let mut reader = Reader {
        meshes: Meshes::new(files, &options.packages),
        notes: Vec::new(),
        any_inertia: options.any_inertia,
        palette: Palette::urdf(root)?,
    };
    let links = reader.links(root)?;
    let joints = reader.joints(root, &links, &mut model.couplings)?;
    put_in_order(&mut model, links, joints, options.fixed_base)?;
    check_couplings(&model)?;
    model.notes = reader.notes;
    model.notes.extend(notes::urdf(root));
    Ok(model)
}

/// A joint before the tree is known.
struct Joint {
    name: String,
    parent: usize,
    child: usize,
    pose: Pose,
    freedoms: Vec<Freedom>,
}

struct Reader<'f> {
    meshes: Meshes<'f>,
    notes: Vec<Note>,
    any_inertia: bool,
    palette: Palette,
}

impl Reader<'_> {
    fn links(&mut self, root: &Element) -> Outcome<Vec<Link>> {
        let mut links: Vec<Link> = Vec::new();
        let mut names = BTreeMap::new();
        for element in root.all("link") {
            if links.len() == MOST_LINKS {
                return Err(element.error(format!("the model has more than {MOST_LINKS} links")));
            }
            let name = element.need("name")?;
            element.know(&["type"]);
            once(&mut names, name, links.len(), "link")?;
            links.push(Link {
                name: name.value.clone(),
                place: name.place.clone(),
                parent: WORLD,
                pose: Pose::IDENTITY,
                freedoms: Vec::new(),
                inertial: self.inertial(element)?,
                geoms: self.geoms(element)?,
                colour: self.palette.of_link(element)?,
            });
        }
        if links.is_empty() {
            return Err(root.error("the model has no <link>"));
        }
        Ok(links)
    }

    fn inertial(&mut self, link: &Element) -> Outcome<Option<Inertial>> {
        let Some(element) = link.one("inertial")? else {
            return Ok(None);
        };
        let Some(mass) = element.one("mass")? else {
            return Err(element.error("<inertial> needs <mass>"));
        };
        let mass = mass.need("value")?.not_negative()?;
        let Some(given) = element.one("inertia")? else {
            return Err(element.error("<inertial> needs <inertia>"));
        };
        let moment = |name: &str, needed: bool| match given.get(name) {
            Some(attribute) => attribute.number(),
            None if needed => Err(given.error(format!("<inertia> needs `{name}`"))),
            None => Ok(0.0),
        };
        let (xx, yy, zz) = (
            moment("ixx", true)?,
            moment("iyy", true)?,
            moment("izz", true)?,
        );
        let (xy, xz, yz) = (
            moment("ixy", false)?,
            moment("ixz", false)?,
            moment("iyz", false)?,
        );
        let tensor = DMat3::from_cols(
            DVec3::new(xx, xy, xz),
            DVec3::new(xy, yy, yz),
            DVec3::new(xz, yz, zz),
        );
        let note = inertia::check(&tensor, &given.place, self.any_inertia)?;
        self.notes.extend(note);
        let own = Inertial {
            mass,
            centre: DVec3::ZERO,
            inertia: tensor,
        };
        Ok(Some(own.placed(&origin(element)?)))
    }

    fn geoms(&mut self, link: &Element) -> Outcome<Vec<Geom>> {
        let (friction, restitution) = surface(link)?;
        let mut geoms = Vec::new();
        for collision in link.all("collision") {
            let Some(geometry) = collision.one("geometry")? else {
                return Err(collision.error("<collision> needs <geometry>"));
            };
            let shape = self.shape(geometry)?;
            geoms.push(Geom {
                name: collision
                    .get("name")
                    .map_or(String::new(), |a| a.value.clone()),
                place: collision.place.clone(),
                shape,
                pose: origin(collision)?,
                friction,
                restitution,
                masks: [1, 1],
            });
        }
        Ok(geoms)
    }

    fn shape(&mut self, geometry: &Element) -> Outcome<Shape> {
        let [one] = geometry.children.as_slice() else {
            let message = format!(
                "<geometry> has one shape in it, not {}",
                geometry.children.len()
            );
            return Err(geometry.error(message));
        };
        one.known();
        let impossible = |e: stickslip_geometry::ShapeError| one.error(e.to_string());
        match one.tag.as_str() {
            "box" => Shape::cuboid(one.need("size")?.vector()?).map_err(impossible),
            "sphere" => Shape::ball(one.need("radius")?.number()?).map_err(impossible),
            "cylinder" | "capsule" => {
                let radius = one.need("radius")?.number()?;
                let length = one.need("length")?.number()?;
                let made = if one.tag == "cylinder" {
                    Shape::cylinder(radius, length)
                } else {
                    Shape::capsule(radius, length)
                };
                made.map_err(impossible)
            }
            "mesh" => {
                let file = one.need("filename")?;
                let scale = match one.get("scale") {
                    Some(scale) => scale.vector()?,
                    None => DVec3::ONE,
                };
                let (hull, why) = self.meshes.hull(&file.value, scale, &file.place)?;
                self.notes.push(Note {
                    place: file.place.clone(),
                    what: format!("mesh `{}`", file.value),
                    why,
                    regard: Regard::Changed,
                });
                Ok(hull)
            }
            other => {
                let message = format!("<{other}> is no shape that is known");
                let known = "known are <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
                Err(one.error(message).with_help(known))
            }
        }
    }

    fn joints(
        &mut self,
        root: &Element,
        links: &[Link],
        couplings: &mut Vec<Coupling>,
    ) -> Outcome<Vec<Joint>> {
        let number: BTreeMap<&str, usize> = links
            .iter()
            .enumerate()
            .map(|(k, l)| (l.name.as_str(), k))
            .collect();
        let mut joints = Vec::new();
        let mut names = BTreeMap::new();
        for element in root.all("joint") {
            let name = element.need("name")?;
            once(&mut names, name, joints.len(), "joint")?;
            let end = |tag: &str| -> Outcome<usize> {
                let Some(end) = element.one(tag)? else {
                    return Err(element.error(format!("<joint> needs <{tag}>")));
                };
                let link = end.need("link")?;
                let found = number.get(link.value.as_str());
                found
                    .copied()
                    .ok_or_else(|| link.error(format!("there is no link `{}`", link.value)))
            };
            let (parent, child) = (end("parent")?, end("child")?);
            joints.push(Joint {
                name: name.value.clone(),
                parent,
                child,
                pose: origin(element)?,
                freedoms: self.freedoms(element, name)?,
            });
            couplings.extend(mimic(element, name)?);
        }
        Ok(joints)
    }

    fn freedoms(&mut self, element: &Element, name: &Attribute) -> Outcome<Vec<Freedom>> {
        let kind = element.need("type")?;
        if !KINDS.contains(&kind.value.as_str()) {
            let message = format!("unknown kind of joint `{}`", kind.value);
            let help = format!("known are {}", KINDS.join(", "));
            return Err(kind.error(message).with_help(help));
        }
        let axis = match element.one("axis")? {
            Some(axis) => axis.need("xyz")?.direction()?,
            None => DVec3::X,
        };
        let new = |name: String, way: Way, axis: DVec3| {
            let place = element.place.clone();
            Freedom::new(name, place, way, DVec3::ZERO, axis)
        };
        let own = name.value.clone();
        let mut freedoms = match kind.value.as_str() {
            "fixed" => Vec::new(),
            "floating" => vec![new(own, Way::Free, axis)],
            "planar" => {
                let [_, u, v] = stickslip_geometry::frame::contact_frame(axis);
                vec![
                    new(format!("{own} x"), Way::Slide, u),
                    new(format!("{own} y"), Way::Slide, v),
                    new(own, Way::Hinge, axis),
                ]
            }
            "prismatic" => vec![new(own, Way::Slide, axis)],
            _ => vec![new(own, Way::Hinge, axis)],
        };
        let one = freedoms.len() == 1 && freedoms[0].is_scalar();
        if let Some(freedom) = freedoms.first_mut().filter(|_| one) {
            self.limits(element, &kind.value, freedom)?;
            dynamics(element, freedom)?;
        } else if freedoms.is_empty() {
            // What is said of a joint that does not move has no effect.
            for tag in ["limit", "dynamics"] {
                if let Some(inner) = element.one(tag)? {
                    inner.know(&[
                        "lower", "upper", "effort", "velocity", "damping", "friction",
                    ]);
                }
            }
        }
        Ok(freedoms)
    }

    fn limits(&mut self, element: &Element, kind: &str, freedom: &mut Freedom) -> Outcome<()> {
        let Some(limit) = element.one("limit")? else {
            if kind == "continuous" {
                return Ok(());
            }
            return Err(element.error(format!("a {kind} joint needs <limit>")));
        };
        if let Some(effort) = limit.get("effort") {
            // Zero is what is written where none is known.
            let effort = effort.not_negative()?;
            freedom.effort = if effort > 0.0 { effort } else { f64::INFINITY };
        }
        let number = |name: &str| limit.get(name).map(Attribute::number).transpose();
        let (lower, upper) = (number("lower")?, number("upper")?);
        if kind == "continuous" {
            return Ok(());
        }
        if lower.is_none() && upper.is_none() {
            self.notes.push(Note {
                place: limit.place.clone(),
                what: format!("<limit> of `{}`", freedom.name),
                why: "neither `lower` nor `upper` is given: it has no limits".into(),
                regard: Regard::Changed,
            });
            return Ok(());
        }
        let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
        if lower > upper {
            let message = format!("the limits are reversed: {lower} is above {upper}");
            return Err(limit.error(message));
        }
        if lower == upper {
            let message = format!("the limits leave no room: both are {lower}");
            return Err(limit.error(message).with_help("make the joint `fixed`"));
        }
        freedom.limits = Some([lower, upper]);
        Ok(())
    }
}

/// Friction and restitution of a link's surface, as Bullet writes them.
fn surface(link: &Element) -> Outcome<(Option<f64>, Option<f64>)> {
    let Some(contact) = link.one("contact")? else {
        return Ok((None, None));
    };
    let value = |tag: &str| -> Outcome<Option<f64>> {
        let Some(inner) = contact.one(tag)? else {
            return Ok(None);
        };
        inner.need("value")?.not_negative().map(Some)
    };
    let (friction, restitution) = (value("lateral_friction")?, value("restitution")?);
    if let Some(e) = restitution.filter(|e| *e > 1.0) {
        return Err(contact.error(format!("the restitution must be from 0 to 1, but is {e}")));
    }
    Ok((friction, restitution))
}

fn dynamics(element: &Element, freedom: &mut Freedom) -> Outcome<()> {
    let Some(given) = element.one("dynamics")? else {
        return Ok(());
    };
    if let Some(damping) = given.get("damping") {
        freedom.damping = damping.not_negative()?;
    }
    if let Some(friction) = given.get("friction") {
        freedom.friction = friction.not_negative()?;
    }
    Ok(())
}

fn mimic(element: &Element, name: &Attribute) -> Outcome<Option<Coupling>> {
    let Some(given) = element.one("mimic")? else {
        return Ok(None);
    };
    let number = |name: &str, other: f64| given.get(name).map_or(Ok(other), Attribute::number);
    Ok(Some(Coupling {
        name: format!("mimic {}", name.value),
        place: given.place.clone(),
        joint: name.value.clone(),
        of: Some(given.need("joint")?.value.clone()),
        ratio: number("multiplier", 1.0)?,
        offset: number("offset", 0.0)?,
    }))
}

/// Both ends of a mimic must have one coordinate.
fn check_couplings(model: &Model) -> Outcome<()> {
    for coupling in &model.couplings {
        for name in std::iter::once(&coupling.joint).chain(&coupling.of) {
            let found = model.find(name);
            if !found.is_some_and(|(k, i)| model.links[k].freedoms[i].is_scalar()) {
                let message = format!("there is no joint `{name}` with one coordinate");
                return Err(RobotError::new(&coupling.place, message));
            }
        }
        if coupling.of.as_ref() == Some(&coupling.joint) {
            let message = format!("joint `{}` mimics itself", coupling.joint);
            return Err(RobotError::new(&coupling.place, message));
        }
    }
    Ok(())
}

/// Puts the links into the model, parents before children, in the order of the file where that leaves a choice.
fn put_in_order(
    model: &mut Model,
    links: Vec<Link>,
    joints: Vec<Joint>,
    fixed_base: bool,
) -> Outcome<()> {
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (k, joint) in joints.iter().enumerate() {
        if let Some(first) = above[joint.child] {
            let (name, first) = (&links[joint.child].name, &joints[first].name);
            let message = format!(
                "link `{name}` is the child of two joints, `{first}` and `{}`: a model is a tree",
                joint.name
            );
            let help = "close loops with [[joint]] in a scene that includes the model";
            return Err(RobotError::new(&links[joint.child].place, message).with_help(help));
        }
        above[joint.child] = Some(k);
        below[joint.parent].push(k);
    }
    let root = (0..links.len()).find(|&k| above[k].is_none());
    let mut todo: Vec<(usize, usize)> = (0..links.len())
        .rev()
        .filter(|&k| above[k].is_none())
        .map(|k| (k, WORLD))
        .collect();
    let mut links: Vec<Option<Link>> = links.into_iter().map(Some).collect();
    let mut joints: Vec<Option<Joint>> = joints.into_iter().map(Some).collect();
    while let Some((k, parent)) = todo.pop() {
        let Some(mut link) = links[k].take() else {
            continue;
        };
        link.parent = parent;
        match above[k].and_then(|j| joints[j].take()) {
            Some(joint) => {
                link.pose = joint.pose;
                link.freedoms = joint.freedoms;
            }
            None if fixed_base => {}
            None => {
                let name = format!("{} floats", link.name);
                let free = Freedom::new(name, link.place.clone(), Way::Free, DVec3::ZERO, DVec3::X);
                link.freedoms.push(free);
            }
        }
        let number = model.links.len();
        model.links.push(link);
        let next = below[k].iter().rev();
        todo.extend(next.filter_map(|&j| Some((joints[j].as_ref()?.child, number))));
    }
    match links.iter().flatten().next() {
        Some(left) if root.is_none() => {
            let message = "the links are a ring: none is without a parent";
            Err(RobotError::new(&left.place, message))
        }
        Some(left) => {
            let message = format!(
                "link `{}` is in a ring of joints that no root reaches",
                left.name
            );
            Err(RobotError::new(&left.place, message))
        }
        None => Ok(()),
    }
}

/// The pose that `<origin>` gives.
fn origin(element: &Element) -> Outcome<Pose> {
    let Some(origin) = element.one("origin")? else {
        return Ok(Pose::IDENTITY);
    };
    let vector = |name: &str| match origin.get(name) {
        Some(attribute) => attribute.vector(),
        None => Ok(DVec3::ZERO),
    };
    Ok(Pose {
        position: vector("xyz")?,
        orientation: rpy(vector("rpy")?),
    })
}

/// R_z(yaw) R_y(pitch) R_x(roll).
fn rpy(angles: DVec3) -> DQuat {
    let turn = exp(DVec3::Z * angles.z) * exp(DVec3::Y * angles.y) * exp(DVec3::X * angles.x);
    turn / turn.length()
}

/// Takes a name for the thing of this number; each can be taken once.
fn once<'a>(
    names: &mut BTreeMap<&'a str, usize>,
    name: &'a Attribute,
    number: usize,
    what: &str,
) -> Outcome<()> {
    match names.insert(name.value.as_str(), number) {
        Some(_) => Err(name.error(format!("a second {what} has the name `{}`", name.value))),
        None => Ok(()),
    }
}

/// The pairs of links that an SRDF file lets pass through each other; what else it says is noted.
pub(crate) fn disabled(root: &Element, model: &mut Model) -> Outcome<()> {
    root.know(&["name", "version"]);
    for element in root.all("disable_collisions") {
        let (a, b) = (element.need("link1")?, element.need("link2")?);
        element.know(&["reason"]);
        let find = |name: &Attribute| {
            let found = model.link(&name.value).filter(|&k| k != WORLD);
            found.ok_or_else(|| name.error(format!("there is no link `{}`", name.value)))
        };
        let pair = [find(a)?, find(b)?];
        model.excluded.push(pair);
    }
    model.notes.extend(notes::srdf(root));
    Ok(())
}
