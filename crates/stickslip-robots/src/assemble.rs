//! From the tree of links to bodies and joints.

use crate::combine::combine;
use crate::model::{At, Closure, Configuration, Freedom, Geom, Inertial, Model, WORLD, Way};
use crate::place::{Note, Outcome, Regard, RobotError};
use crate::robot::{Body, Coordinate, Frame, Joint, Kind, Robot};
use crate::simplify::{carriers, masses, on_carriers, scenery, split, weigh};
use glam::DMat3;
use std::collections::{BTreeMap, BTreeSet};
use stickslip_geometry::{Pose, Shape};

/// Where and how a model starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The pose of the model's world (its base, where that floats or is fixed) in the scene.
    pub pose: Pose,
    /// Coordinates by the names of their joints, m or rad.
    pub joints: BTreeMap<String, f64>,
    /// The name of a configuration of the file.
    pub key: Option<String>,
}

/// Makes bodies and joints of a model.
pub(crate) fn assemble(mut model: Model, start: &Start) -> Outcome<Robot> {
    let mut at = configuration(&mut model, start)?;
    weigh(&mut model, &mut at)?;
    let between = split(&mut model, &mut at);
    let carriers = carriers(&model);
    let placed = on_carriers(&model, &carriers);
    let poses: Vec<Pose> = model
        .poses(&at)
        .iter()
        .map(|p| unit(start.pose.then(p)))
        .collect();
    let mut build = Build {
        masses: masses(&model, &carriers),
        scenery: scenery(&model, &carriers),
        body_of: vec![None; model.links.len()],
        bodies: Vec::new(),
        joints: Vec::new(),
        coordinates: Vec::new(),
        model,
        carriers,
        between,
        placed,
        poses,
    };
    build.bodies()?;
    build.joints(&at);
    build.closures(start)?;
    Ok(build.finish())
}

fn unit(mut pose: Pose) -> Pose {
    pose.orientation = pose.orientation / pose.orientation.length();
    pose
}

/// Where everything starts: as a key of the file says, or at zero; then as the start says; then within limits and equations.
fn configuration(model: &mut Model, start: &Start) -> Outcome<Configuration> {
    let root = model.links[WORLD].place.clone();
    let mut at = model.zero();
    if let Some(name) = &start.key {
        let Some(key) = model.keys.iter().find(|k| k.name == *name) else {
            let known: Vec<&str> = model.keys.iter().map(|k| k.name.as_str()).collect();
            let fault = RobotError::new(&root, format!("there is no key `{name}`"));
            return Err(match known.as_slice() {
                [] => fault.with_help("the file has no keys"),
                known => fault.with_help(format!("known are `{}`", known.join("`, `"))),
            });
        };
        if let Some(configuration) = &key.configuration {
            at = configuration.clone();
        }
        for (actuator, target) in model.actuators.iter_mut().zip(&key.targets) {
            actuator.target = *target;
        }
    }
    for (name, value) in &start.joints {
        match model.find(name) {
            Some((k, i)) if model.links[k].freedoms[i].is_scalar() => {
                at.0[k][i] = At::Scalar(*value);
            }
            _ => {
                let message = format!("there is no joint `{name}` with one coordinate");
                return Err(RobotError::new(&root, message));
            }
        }
    }
    keep_limits(model, &mut at, start)?;
    follow(model, &mut at, start);
    Ok(at)
}

/// A coordinate outside its limits starts at the nearer one; one that was given there is an error.
fn keep_limits(model: &mut Model, at: &mut Configuration, start: &Start) -> Outcome<()> {
    for (link, at) in model.links.iter().zip(&mut at.0) {
        for (freedom, at) in link.freedoms.iter().zip(at) {
            let (Some([lo, hi]), At::Scalar(q)) = (freedom.limits, at) else {
                continue;
            };
            if *q >= lo && *q <= hi {
                continue;
            }
            if start.joints.contains_key(&freedom.name) {
                let message = format!(
                    "joint `{}` cannot start at {q}: its limits are {lo} and {hi}",
                    freedom.name
                );
                return Err(RobotError::new(&freedom.place, message));
            }
            let near = q.clamp(lo, hi);
            model.notes.push(Note {
                place: freedom.place.clone(),
                what: format!("joint `{}`", freedom.name),
                why: format!("it starts at its limit {near}, for {q} is outside"),
                regard: Regard::Changed,
            });
            *q = near;
        }
    }
    Ok(())
}

/// Followers start where their equations put them, unless their start was given.
fn follow(model: &Model, at: &mut Configuration, start: &Start) {
    // Once for each link of a chain of followers.
    for _ in 0..model.couplings.len() {
        for coupling in &model.couplings {
            if start.joints.contains_key(&coupling.joint) {
                continue;
            }
            let read = |name: &String| {
                let (k, i) = model.find(name)?;
                match at.0[k][i] {
                    At::Scalar(q) => Some(q),
                    _ => None,
                }
            };
            let of = coupling.of.as_ref().map_or(Some(0.0), read);
            let place = model.find(&coupling.joint);
            if let (Some(of), Some((k, i))) = (of, place) {
                at.0[k][i] = At::Scalar(coupling.offset + coupling.ratio * of);
            }
        }
    }
}

struct Build {
    model: Model,
    carriers: Vec<usize>,
    /// Links that were put between axes.
    between: BTreeSet<usize>,
    /// Pose of each link on its carrier, and in the world at the start.
    placed: Vec<Pose>,
    poses: Vec<Pose>,
    masses: Vec<Inertial>,
    /// Does the link stand around the robot?
    scenery: Vec<bool>,
    /// The body of each link that carries, or that stands in the world.
    body_of: Vec<Option<usize>>,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    coordinates: Vec<Coordinate>,
}

impl Build {
    fn bodies(&mut self) -> Outcome<()> {
        for k in 0..self.model.links.len() {
            if self.carriers[k] == WORLD {
                self.standing(k)?;
            } else if self.carriers[k] == k {
                self.moving(k)?;
            }
        }
        Ok(())
    }

    /// A link that never moves: its planes are bodies of their own, its other shapes one.
    fn standing(&mut self, k: usize) -> Outcome<()> {
        let link = &self.model.links[k];
        let is_plane = |g: &Geom| matches!(g.shape, Shape::HalfSpace { .. });
        let (planes, others): (Vec<Geom>, Vec<Geom>) =
            link.geoms.iter().cloned().partition(is_plane);
        let (name, place) = (link.name.clone(), link.place.clone());
        let (colour, scenery) = (link.colour, self.scenery[k]);
        for plane in planes {
            let name = match plane.name.as_str() {
                "" => "plane".to_owned(),
                given => given.to_owned(),
            };
            let pose = unit(self.poses[k].then(&plane.pose));
            let body = Body {
                name: self.free_name(name),
                place: plane.place.clone(),
                inertial: None,
                pose,
                geoms: vec![Geom {
                    pose: Pose::IDENTITY,
                    ..plane
                }],
                colour: None,
                scenery,
            };
            self.bodies.push(body);
        }
        if !others.is_empty() {
            let name = if k == WORLD {
                "static".to_owned()
            } else {
                name
            };
            self.body_of[k] = Some(self.bodies.len());
            let body = Body {
                name: self.free_name(name),
                place,
                inertial: None,
                pose: self.poses[k],
                geoms: others,
                colour,
                scenery,
            };
            self.bodies.push(body);
        }
        Ok(())
    }

    /// The name, or one made of it that no body has.
    fn free_name(&self, name: String) -> String {
        let taken = |name: &str| {
            let links = self.model.links.iter().enumerate();
            let mut links = links.filter(|(k, _)| self.carriers[*k] == *k && *k != WORLD);
            self.bodies.iter().any(|b| b.name == name) || links.any(|(_, l)| l.name == name)
        };
        let mut made = name.clone();
        let mut count = 1;
        while taken(&made) {
            count += 1;
            made = format!("{name} {count}");
        }
        made
    }

    /// A link that moves, with all that is welded to it, about their centre of mass.
    fn moving(&mut self, k: usize) -> Outcome<()> {
        let link = &self.model.links[k];
        let whole = self.masses[k];
        if !is_definite(&whole.inertia) {
            let message = format!(
                "link `{}` has a mass of {} kg but an axis without a moment of inertia",
                link.name, whole.mass
            );
            return Err(RobotError::new(&link.place, message));
        }
        let to_centre = Pose::at(-whole.centre);
        let (mut geoms, mut colour) = (Vec::new(), link.colour);
        for (n, part) in self.model.links.iter().enumerate() {
            if self.carriers[n] != k {
                continue;
            }
            colour = colour.or(part.colour);
            for geom in &part.geoms {
                if matches!(geom.shape, Shape::HalfSpace { .. }) {
                    let message = "a plane cannot move: it has no end";
                    return Err(RobotError::new(&geom.place, message));
                }
                let pose = unit(to_centre.then(&self.placed[n]).then(&geom.pose));
                geoms.push(Geom {
                    pose,
                    ..geom.clone()
                });
            }
        }
        self.body_of[k] = Some(self.bodies.len());
        // Symmetric to the last bit.
        let inertia = (whole.inertia + whole.inertia.transpose()) * 0.5;
        self.bodies.push(Body {
            name: link.name.clone(),
            place: link.place.clone(),
            inertial: Some(Inertial { inertia, ..whole }),
            pose: self.poses[k].then(&Pose::at(whole.centre)),
            geoms,
            colour,
            scenery: false,
        });
        Ok(())
    }

    /// The body of a link and the link's pose on it; the world itself where the link stands and has no shape.
    fn seat(&self, link: usize) -> (Option<usize>, Pose) {
        let carrier = self.carriers[link];
        if carrier == WORLD {
            return match self.body_of[link] {
                Some(body) => (Some(body), Pose::IDENTITY),
                None => (None, self.poses[link]),
            };
        }
        let centre = Pose::at(-self.masses[carrier].centre);
        (self.body_of[carrier], centre.then(&self.placed[link]))
    }

    fn joints(&mut self, at: &Configuration) {
        for (k, link) in self.model.links.iter().enumerate() {
            let Some(made) = combine(&link.freedoms).filter(|_| !link.freedoms.is_empty()) else {
                continue;
            };
            let (parent, on_parent) = self.seat(link.parent);
            let (child, on_child) = self.seat(k);
            let zero = on_parent.then(&link.pose);
            let [first, second] = made.frames;
            let name = name_of(&made.coordinates, &link.freedoms);
            for mut coordinate in made.coordinates {
                coordinate.joint = self.joints.len();
                let i = link.freedoms.iter().position(|f| f.name == coordinate.name);
                if let Some(At::Scalar(q)) = i.map(|i| at.0[k][i]) {
                    coordinate.start = q;
                }
                self.coordinates.push(coordinate);
            }
            self.joints.push(Joint {
                name,
                place: link.freedoms[0].place.clone(),
                bodies: [parent, child],
                frames: [unit(zero.then(&first)), unit(on_child.then(&second))],
                kind: made.kind,
                axes: made.axes,
                closes: false,
            });
        }
    }

    /// Joints that close loops: they hold what is so at the zero of all freedoms.
    fn closures(&mut self, start: &Start) -> Outcome<()> {
        let zero = self.model.poses(&self.model.zero());
        let zero: Vec<Pose> = zero.iter().map(|p| start.pose.then(p)).collect();
        for closure in &self.model.closures {
            let Closure { links, anchor, .. } = closure;
            let [a, b] = *links;
            let frame = zero[a].then(&Pose::at(*anchor));
            let ends = [a, b].map(|k| {
                let (body, on_body) = self.seat(k);
                (body, unit(on_body.then(&zero[k].inverse().then(&frame))))
            });
            if ends[0].0 == ends[1].0 {
                let message = "the two bodies of this equation move as one anyway";
                return Err(RobotError::new(&closure.place, message));
            }
            self.joints.push(Joint {
                name: closure.name.clone(),
                place: closure.place.clone(),
                bodies: ends.map(|e| e.0),
                frames: ends.map(|e| e.1),
                kind: if closure.weld {
                    Kind::Fixed
                } else {
                    Kind::Ball
                },
                axes: [None; 6],
                closes: true,
            });
        }
        Ok(())
    }

    fn frames(&self) -> Vec<Frame> {
        // Link 0 is the world, which has its name already.
        let links = self.model.links.iter().enumerate().skip(1);
        let frame = |(k, link): (usize, &crate::model::Link)| {
            let (body, pose) = self.seat(k);
            Frame {
                name: link.name.clone(),
                body,
                pose: unit(pose),
            }
        };
        links.map(frame).collect()
    }

    /// Pairs of bodies that do not collide: named by the file, neighbours over links without shapes, and by the masks of their geoms.
    fn excluded(&self, notes: &mut Vec<Note>) -> Vec<[usize; 2]> {
        let mut pairs = BTreeSet::new();
        let mut put = |a: Option<usize>, b: Option<usize>| {
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                pairs.insert([a.min(b), a.max(b)]);
            }
        };
        for [a, b] in &self.model.excluded {
            put(self.seat(*a).0, self.seat(*b).0);
        }
        // Over the links that were put between axes, and over a base that stands.
        // (Link 0 is the world: nothing is above it.)
        for (k, link) in self.model.links.iter().enumerate().skip(1) {
            let mut above = link.parent;
            while self.between.contains(&above) {
                above = self.model.links[above].parent;
            }
            let floats = link.freedoms.iter().any(|f| f.way == Way::Free);
            if self.carriers[k] == k && !floats && above != WORLD {
                put(self.seat(k).0, self.seat(above).0);
            }
        }
        for i in 0..self.bodies.len() {
            for j in i + 1..self.bodies.len() {
                let (a, b) = (&self.bodies[i], &self.bodies[j]);
                match meet(a, b) {
                    Meet::Never => put(Some(i), Some(j)),
                    Meet::Always => {}
                    Meet::Partly => notes.push(Note {
                        place: a.geoms[0].place.clone(),
                        what: format!(
                            "`contype` and `conaffinity` between `{}` and `{}`",
                            a.name, b.name
                        ),
                        why: "some of their geoms are to meet and some not: here all meet".into(),
                        regard: Regard::NotUnderstood,
                    }),
                }
            }
        }
        pairs.into_iter().collect()
    }

    fn finish(mut self) -> Robot {
        let mut notes = std::mem::take(&mut self.model.notes);
        let excluded = self.excluded(&mut notes);
        let frames = self.frames();
        Robot {
            name: self.model.name,
            bodies: self.bodies,
            joints: self.joints,
            frames,
            coordinates: self.coordinates,
            couplings: self.model.couplings,
            actuators: self.model.actuators,
            excluded,
            gravity: self.model.gravity,
            step: self.model.step,
            notes,
        }
    }
}

/// The names of the freedoms, with a minus before those whose coordinate is counted the other way round.
fn name_of(coordinates: &[Coordinate], freedoms: &[Freedom]) -> String {
    let mut name = String::new();
    for freedom in freedoms {
        let of = coordinates.iter().find(|c| c.name == freedom.name);
        let minus = of.is_some_and(|c| c.sign < 0.0);
        name += match (name.is_empty(), minus) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        name += &freedom.name;
    }
    name
}

/// Which of the geoms of two bodies may meet.
enum Meet {
    Always,
    Never,
    Partly,
}

fn meet(a: &Body, b: &Body) -> Meet {
    let plain = |body: &Body| body.geoms.iter().all(|g| g.masks == [1, 1]);
    if (plain(a) && plain(b)) || a.geoms.is_empty() || b.geoms.is_empty() {
        return Meet::Always;
    }
    let pairs = a
        .geoms
        .iter()
        .flat_map(|x| b.geoms.iter().map(move |y| (x, y)));
    let may = |(x, y): (&Geom, &Geom)| x.masks[0] & y.masks[1] != 0 || y.masks[0] & x.masks[1] != 0;
    let (mut some, mut all) = (false, true);
    for pair in pairs {
        some |= may(pair);
        all &= may(pair);
    }
    match (some, all) {
        (false, _) => Meet::Never,
        (true, true) => Meet::Always,
        (true, false) => Meet::Partly,
    }
}

/// Is a symmetric matrix positive definite, by more than rounding?
fn is_definite(m: &DMat3) -> bool {
    let size = m.x_axis.x.max(m.y_axis.y).max(m.z_axis.z);
    if size <= 0.0 || size.is_nan() {
        return false;
    }
    let m = *m * (1.0 / size);
    let (x, y) = (m.x_axis, m.y_axis);
    x.x > 1e-12 && x.x * y.y - x.y * y.x > 1e-20 && m.determinant() > 1e-28
}
