//! MJCF: bodies and what is in them, defaults, equations, actuators, configurations.

mod compiler;
mod defaults;
mod geom;
mod joint;
mod sections;

use crate::Options;
use crate::colours::Palette;
use crate::files::Files;
use crate::meshes::Meshes;
use crate::model::{Inertial, Link, Model, WORLD};
use crate::notes;
use crate::place::{Note, Outcome, Place, Regard};
use crate::urdf::MOST_LINKS;
use crate::xml::{self, Asked, Element};
use compiler::Compiler;
use defaults::{Defaults, MAIN};
use geom::Asset;
use glam::DVec3;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use stickslip_geometry::Pose;

/// How deep files may include each other.
const DEEPEST_INCLUDE: usize = 16;

/// The most copies of one `<replicate>`.
const MOST_COPIES: f64 = 100_000.0;

/// Sections of the file whose children are read one by one.
const SECTIONS: [&str; 10] = [
    "compiler",
    "option",
    "asset",
    "default",
    "worldbody",
    "contact",
    "equality",
    "actuator",
    "keyframe",
    "include",
];

/// What reading a file needs at hand.
pub(crate) struct Reader<'e, 'f> {
    pub(crate) compiler: Compiler,
    pub(crate) defaults: Defaults<'e>,
    pub(crate) meshes: Meshes<'f>,
    pub(crate) assets: BTreeMap<String, Asset>,
    pub(crate) palette: Palette,
    notes: RefCell<Vec<Note>>,
    geoms: Cell<usize>,
    /// How many bodies there are so far: those without a name are called by their number.
    bodies: Cell<usize>,
    /// Links whose mass is given, whatever their geoms say.
    given: RefCell<BTreeSet<usize>>,
    /// Of each actuator, in their order.
    gears: RefCell<Vec<f64>>,
    /// Are inertias that no body has taken as they are?
    any_inertia: bool,
}

/// The most geoms of a file, replicas counted.
const MOST_GEOMS: usize = 1_000_000;

/// Where in the tree something is read: on which link, how placed on it, by which class, and what is put behind names.
#[derive(Clone, Copy)]
struct Around<'a> {
    link: usize,
    pose: Pose,
    class: usize,
    suffix: &'a str,
}

/// Reads an MJCF file.
pub(crate) fn read(root: &mut Element, files: &dyn Files, options: &Options) -> Outcome<Model> {
    include(root, files, &mut BTreeSet::new(), 0)?;
    let root = &*root;
    let asked = Asked::default();
    let mut reader = Reader {
        compiler: Compiler::default(),
        defaults: Defaults::new(&asked),
        meshes: Meshes::new(files, &options.packages),
        assets: BTreeMap::new(),
        palette: Palette::mjcf(root)?,
        notes: RefCell::default(),
        geoms: Cell::new(0),
        bodies: Cell::new(0),
        given: RefCell::default(),
        gears: RefCell::default(),
        any_inertia: options.any_inertia,
    };
    let name = root.get("model").map_or("", |a| a.value.as_str());
    let mut model = Model::empty(name.to_owned(), root.place.clone());
    for section in SECTIONS {
        root.all(section).for_each(drop);
    }
    for element in root.all("compiler") {
        reader.compiler.read(element)?;
    }
    for element in root.all("default") {
        reader.defaults.read(element)?;
    }
    for mesh in root.all("asset").flat_map(|a| a.all("mesh")) {
        let (name, asset) = reader.asset(mesh)?;
        if reader.assets.insert(name.clone(), asset).is_some() {
            return Err(mesh.error(format!("a second mesh has the name `{name}`")));
        }
    }
    for element in root.all("worldbody") {
        let around = Around {
            link: WORLD,
            pose: Pose::IDENTITY,
            class: MAIN,
            suffix: "",
        };
        reader.inside(element, &mut model, around)?;
    }
    reader.sections(root, &mut model)?;
    reader.scale_masses(&mut model);
    model.notes = reader.notes.into_inner();
    model.notes.extend(notes::mjcf(root, &asked));
    Ok(model)
}

/// Puts the contents of other files in the place of `<include>`.
fn include(
    element: &mut Element,
    files: &dyn Files,
    known: &mut BTreeSet<String>,
    depth: usize,
) -> Outcome<()> {
    let mut children = Vec::with_capacity(element.children.len());
    for mut child in std::mem::take(&mut element.children) {
        if child.tag != "include" {
            include(&mut child, files, known, depth)?;
            children.push(child);
            continue;
        }
        let file = child.need("file")?;
        if depth == DEEPEST_INCLUDE || !known.insert(file.value.clone()) {
            return Err(file.error(format!("`{}` is included twice", file.value)));
        }
        let bytes = files.bytes(&file.value).map_err(|e| file.error(e))?;
        let text = String::from_utf8(bytes.to_vec())
            .map_err(|_| file.error(format!("`{}` is not text in UTF-8", file.value)))?;
        let mut root = xml::parse(&file.value, text.into())?;
        include(&mut root, files, known, depth + 1)?;
        children.append(&mut root.children);
    }
    element.children = children;
    Ok(())
}

impl<'e> Reader<'e, '_> {
    pub(crate) fn note(&self, place: &Place, what: String, why: &str, regard: Regard) {
        self.notes.borrow_mut().push(Note {
            place: place.clone(),
            what,
            why: why.to_owned(),
            regard,
        });
    }

    /// What is in a body (or in the world, a frame, a replica of one).
    fn inside(&self, element: &'e Element, model: &mut Model, around: Around) -> Outcome<()> {
        let class = |e: &Element| match e.get("childclass") {
            Some(name) => self.defaults.find(name),
            None => Ok(around.class),
        };
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.body(child, model, around)?,
                "geom" => self.put_geom(child, model, around)?,
                "site" => self.site(child, model, around)?,
                "frame" => {
                    child.known();
                    child.know(&["name"]);
                    let look = self.defaults.look(child, around.class)?;
                    let pose = around.pose.then(&self.compiler.pose(child, &look)?);
                    let class = class(child)?;
                    let within = Around {
                        pose,
                        class,
                        ..around
                    };
                    self.inside(child, model, within)?;
                }
                "replicate" => self.replicate(child, model, around)?,
                "joint" | "freejoint" if around.link != WORLD => {
                    child.known();
                    self.joint(child, model, around)?;
                }
                // Read with the body.
                "inertial" if around.link != WORLD => child.known(),
                _ => {}
            }
        }
        Ok(())
    }

    fn body(&self, element: &'e Element, model: &mut Model, around: Around) -> Outcome<()> {
        element.known();
        if model.links.len() > MOST_LINKS {
            return Err(element.error(format!("the model has more than {MOST_LINKS} bodies")));
        }
        let number = model.links.len();
        self.bodies.set(self.bodies.get() + 1);
        let name = match element.get("name") {
            Some(name) => name.value.clone() + around.suffix,
            None => format!("body {}", self.bodies.get()),
        };
        if model.link(&name).is_some() {
            return Err(element.error(format!("a second body has the name `{name}`")));
        }
        let class = match element.get("childclass") {
            Some(name) => self.defaults.find(name)?,
            None => around.class,
        };
        let plain = self.defaults.look(element, MAIN)?;
        model.links.push(Link {
            name,
            place: element.place.clone(),
            parent: around.link,
            pose: around.pose.then(&self.compiler.pose(element, &plain)?),
            freedoms: Vec::new(),
            inertial: None,
            geoms: Vec::new(),
            colour: None,
        });
        let given = match (element.one("inertial")?, self.compiler.from_geoms) {
            (Some(given), None | Some(false)) => Some(geom::inertial(self, given, &plain)?),
            (Some(_), Some(true)) | (None, _) => None,
        };
        if self.compiler.from_geoms == Some(false) || given.is_some() {
            model.links[number].inertial = given;
            self.given.borrow_mut().insert(number);
        }
        let within = Around {
            link: number,
            pose: Pose::IDENTITY,
            class,
            suffix: around.suffix,
        };
        self.inside(element, model, within)
    }

    fn put_geom(&self, element: &'e Element, model: &mut Model, around: Around) -> Outcome<()> {
        element.known();
        self.geoms.set(self.geoms.get() + 1);
        if self.geoms.get() > MOST_GEOMS {
            return Err(element.error(format!("the model has more than {MOST_GEOMS} geoms")));
        }
        let link = &mut model.links[around.link];
        let counts = around.link != WORLD && !self.given.borrow().contains(&around.link);
        let place = (&around.pose, around.class);
        let read = self.geom(element, place, counts, around.suffix)?;
        if let Some(share) = read.inertial.filter(|_| counts) {
            let so_far = link.inertial.unwrap_or_default();
            link.inertial = Some(Inertial::with(&so_far, &share));
        }
        link.geoms.extend(read.geom);
        link.colour = link.colour.or(read.colour);
        Ok(())
    }

    /// A site is a frame: a link without mass that is welded to its body.
    fn site(&self, element: &'e Element, model: &mut Model, around: Around) -> Outcome<()> {
        element.known();
        let look = self.defaults.look(element, around.class)?;
        let mut pose = self.compiler.pose(element, &look)?;
        if let Some(ends) = look.get(element, "fromto") {
            let six: [f64; 6] = ends.exactly()?;
            let (from, to) = (DVec3::from_slice(&six), DVec3::from_slice(&six[3..]));
            let direction = (from - to).try_normalize();
            let direction = direction.ok_or_else(|| ends.error("the two ends are one point"))?;
            pose = Pose {
                position: (from + to) * 0.5,
                orientation: compiler::along(direction),
            };
        }
        let Some(name) = element.get("name") else {
            return Ok(());
        };
        let mut name = name.value.clone() + around.suffix;
        if model.link(&name).is_some() {
            name += " (site)";
        }
        if model.link(&name).is_some() {
            return Err(element.error(format!("a second site has the name `{name}`")));
        }
        model.links.push(Link {
            name,
            place: element.place.clone(),
            parent: around.link,
            pose: around.pose.then(&pose),
            freedoms: Vec::new(),
            inertial: None,
            geoms: Vec::new(),
            colour: None,
        });
        Ok(())
    }

    /// `<replicate>`: its contents again and again, each copy turned and shifted on from the last.
    fn replicate(&self, element: &'e Element, model: &mut Model, around: Around) -> Outcome<()> {
        element.known();
        let count = element.need("count")?;
        let number = count.number()?;
        if !(1.0..=MOST_COPIES).contains(&number) || number.fract() != 0.0 {
            let message = format!("`count` is a whole number from 1 to {MOST_COPIES}");
            return Err(count.error(message));
        }
        let offset = match element.get("offset") {
            Some(offset) => offset.vector()?,
            None => DVec3::ZERO,
        };
        let euler = match element.get("euler") {
            Some(euler) => euler.vector()?,
            None => DVec3::ZERO,
        };
        let separator = element.get("sep").map_or("", |s| s.value.as_str());
        let digits = (number - 1.0).to_string().len();
        let step = Pose {
            position: offset,
            orientation: self.compiler.euler(euler),
        };
        let mut pose = Pose::IDENTITY;
        for copy in 0..number as usize {
            let suffix = format!("{separator}{copy:0digits$}{}", around.suffix);
            let within = Around {
                pose: around.pose.then(&pose),
                suffix: &suffix,
                ..around
            };
            self.inside(element, model, within)?;
            pose = pose.then(&step);
            pose.orientation = pose.orientation / pose.orientation.length();
        }
        Ok(())
    }

    /// `settotalmass`: all masses and inertias in proportion.
    fn scale_masses(&self, model: &mut Model) {
        let Some(wanted) = self.compiler.total_mass else {
            return;
        };
        let have: f64 = model
            .links
            .iter()
            .filter_map(|l| l.inertial)
            .map(|i| i.mass)
            .sum();
        if have > 0.0 {
            for inertial in model.links.iter_mut().filter_map(|l| l.inertial.as_mut()) {
                inertial.mass *= wanted / have;
                inertial.inertia *= wanted / have;
            }
        }
    }
}
