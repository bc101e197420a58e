//! What stands beside the bodies: options, contact pairs, equations, actuators, configurations.

use super::{Reader, defaults::MAIN};
use crate::model::{Actuator, At, Closure, Configuration, Coupling, Drive, Key, Model, WORLD, Way};
use crate::place::{Outcome, Regard, RobotError};
use crate::xml::{Attribute, Element};
use glam::{DQuat, DVec3};
use stickslip_geometry::Pose;

/// Actuators share the defaults that are about all of them.
const ACTUATORS: [&str; 4] = ["motor", "position", "velocity", "general"];

impl Reader<'_, '_> {
    pub(super) fn sections(&self, root: &Element, model: &mut Model) -> Outcome<()> {
        for option in root.all("option") {
            self.option(option, model)?;
        }
        for exclude in root.all("contact").flat_map(|c| c.all("exclude")) {
            exclude.know(&["name"]);
            let pair = [
                body(model, exclude.need("body1")?)?,
                body(model, exclude.need("body2")?)?,
            ];
            model.excluded.push(pair);
        }
        for equality in root.all("equality") {
            for element in &equality.children {
                self.equality(element, model)?;
            }
        }
        for actuator in root.all("actuator") {
            for element in &actuator.children {
                self.actuator(element, model)?;
            }
        }
        for key in root.all("keyframe").flat_map(|k| k.all("key")) {
            self.key(key, model)?;
        }
        Ok(())
    }

    fn option(&self, option: &Element, model: &mut Model) -> Outcome<()> {
        if let Some(step) = option.get("timestep") {
            model.step = Some(step.positive()?);
        }
        if let Some(gravity) = option.get("gravity") {
            model.gravity = Some(gravity.vector()?);
        }
        let other = [
            "integrator",
            "cone",
            "jacobian",
            "solver",
            "iterations",
            "tolerance",
            "ls_iterations",
            "ls_tolerance",
            "noslip_iterations",
            "noslip_tolerance",
            "ccd_iterations",
            "ccd_tolerance",
            "impratio",
            "apirate",
            "sdf_iterations",
            "sdf_initpoints",
            "sleep_tolerance",
            "o_margin",
            "o_solref",
            "o_solimp",
            "o_friction",
        ];
        for name in other {
            if let Some(given) = option.get(name) {
                let what = format!("`{name}` of <option>");
                self.note(&given.place, what, "of another solver", Regard::NoEffect);
            }
        }
        Ok(())
    }

    fn equality(&self, element: &Element, model: &mut Model) -> Outcome<()> {
        let look = self.defaults.look(element, MAIN)?;
        let name = element.get("name").map(|n| n.value.clone());
        let name = name.unwrap_or_else(|| {
            let count = model.closures.len() + model.couplings.len() + 1;
            format!("{} {count}", element.tag)
        });
        let active = match look.get(element, "active") {
            Some(active) => active.flag()?,
            None => true,
        };
        let place = element.place.clone();
        match element.tag.as_str() {
            "connect" | "weld" => {
                element.known();
                let weld = element.tag == "weld";
                let Some((links, anchor)) = self.ends(element, model, weld)? else {
                    return Ok(());
                };
                if weld && let Some(relpose) = element.get("relpose") {
                    let seven: [f64; 7] = relpose.exactly()?;
                    // A quaternion of zeros stands for the pose of the zero configuration.
                    if seven[3..] != [0.0; 4] {
                        let message = "a weld holds the pose that the bodies have at the zero of their joints";
                        return Err(relpose.error(message));
                    }
                }
                if active {
                    let closure = Closure {
                        name,
                        place,
                        links,
                        anchor,
                        weld,
                    };
                    model.closures.push(closure);
                }
            }
            "joint" => {
                element.known();
                let coupling = self.coupling(element, model, name)?;
                if active {
                    model.couplings.extend(coupling);
                }
            }
            _ => {}
        }
        if !active {
            self.note(
                &element.place,
                format!("<{}>", element.tag),
                "it is not active",
                Regard::NoEffect,
            );
        }
        Ok(())
    }

    /// The two bodies of a closure and its anchor on the first, by bodies or by sites.
    fn ends(
        &self,
        element: &Element,
        model: &Model,
        weld: bool,
    ) -> Outcome<Option<([usize; 2], DVec3)>> {
        if let Some(first) = element.get("site1") {
            let links = [body(model, first)?, body(model, element.need("site2")?)?];
            return Ok(Some((links, DVec3::ZERO)));
        }
        let first = body(model, element.need("body1")?)?;
        let second = match element.get("body2") {
            Some(name) => body(model, name)?,
            None => WORLD,
        };
        let anchor = match element.get("anchor") {
            Some(anchor) => anchor.vector()?,
            None if weld => DVec3::ZERO,
            None => return Err(element.error("<connect> needs `anchor`")),
        };
        if first == second {
            return Err(element.error("the two bodies are one"));
        }
        Ok(Some(([first, second], anchor)))
    }

    fn coupling(
        &self,
        element: &Element,
        model: &Model,
        name: String,
    ) -> Outcome<Option<Coupling>> {
        let joint = |attribute: &Attribute| -> Outcome<String> {
            scalar(model, attribute)?;
            Ok(attribute.value.clone())
        };
        let first = joint(element.need("joint1")?)?;
        let second = element.get("joint2").map(joint).transpose()?;
        let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(given) = element.get("polycoef") {
            let numbers = given.numbers()?;
            if numbers.len() > 5 {
                return Err(given.error("`polycoef` has five numbers at most"));
            }
            coefficients = [0.0; 5];
            coefficients[..numbers.len()].copy_from_slice(&numbers);
            if coefficients[2..] != [0.0; 3] {
                let message = "`polycoef` with squares and higher powers has no counterpart here";
                return Err(given.error(message));
            }
        }
        // Coordinates count from where the joints are at their zero.
        let zero = |name: &str| {
            let found = model.find(name);
            found.map_or(0.0, |(k, i)| model.links[k].freedoms[i].zero)
        };
        let from = second.as_deref().map_or(0.0, zero);
        Ok(Some(Coupling {
            name,
            place: element.place.clone(),
            offset: zero(&first) + coefficients[0] - coefficients[1] * from,
            joint: first,
            of: second,
            ratio: coefficients[1],
        }))
    }

    fn actuator(&self, element: &Element, model: &mut Model) -> Outcome<()> {
        let tag = element.tag.as_str();
        if !["motor", "position", "velocity"].contains(&tag) {
            return Ok(());
        }
        let look = self.defaults.look(element, MAIN)?;
        let common = |name: &str| look.get_as(element, &ACTUATORS, name);
        let Some(joint) = element.get("joint") else {
            element.known();
            element.know(&["name"]);
            let what = format!("<{tag}>");
            let why = "only actuators of joints have a counterpart here";
            self.note(&element.place, what, why, Regard::NotUnderstood);
            return Ok(());
        };
        element.known();
        let (link, freedom) = scalar(model, joint)?;
        let gear = match common("gear") {
            Some(gear) => gear.numbers()?.first().copied().unwrap_or(1.0),
            None => 1.0,
        };
        if gear == 0.0 {
            return Err(element.error("a `gear` of zero does nothing"));
        }
        let own = |name: &str, other: f64| {
            look.get(element, name)
                .map_or(Ok(other), Attribute::not_negative)
        };
        let drive = match tag {
            "motor" => Drive::Effort,
            "position" => Drive::Position {
                stiffness: own("kp", 1.0)? * gear * gear,
                damping: own("kv", 0.0)? * gear * gear,
            },
            _ => Drive::Velocity {
                damping: own("kv", 1.0)? * gear * gear,
            },
        };
        // What the actuator aims at is its control, 0 brought within its range.
        let control = self.range_of(element, &common, ["ctrlrange", "ctrllimited"])?;
        let at_rest = control.map_or(0.0, |[lo, hi]| 0.0_f64.clamp(lo, hi));
        let mut force = model.links[link].freedoms[freedom].effort;
        if let Some(range) = self.range_of(element, &common, ["forcerange", "forcelimited"])? {
            force = force.min(gear.abs() * self.largest(element, "forcerange", range));
        }
        if let (Drive::Effort, Some(range)) = (drive, control) {
            force = force.min(gear.abs() * self.largest(element, "ctrlrange", range));
        }
        let name = element
            .get("name")
            .map_or_else(|| joint.value.clone(), |n| n.value.clone());
        model.actuators.push(Actuator {
            name,
            place: element.place.clone(),
            joint: joint.value.clone(),
            target: in_joint(drive, at_rest, gear),
            drive,
            force,
        });
        self.gears.borrow_mut().push(gear);
        Ok(())
    }

    /// The same as `range`, with defaults that all actuators share.
    fn range_of<'a>(
        &self,
        element: &Element,
        common: &dyn Fn(&str) -> Option<&'a Attribute>,
        [range, limited]: [&str; 2],
    ) -> Outcome<Option<[f64; 2]>> {
        let given = common(range);
        let counts = match common(limited) {
            Some(word) if word.value != "auto" => word.flag()?,
            _ => self.compiler.autolimits && given.is_some(),
        };
        match given {
            Some(given) if counts => {
                let [lo, hi] = given.exactly()?;
                if lo >= hi {
                    let message = format!("`{range}` is reversed: {lo} is not below {hi}");
                    return Err(given.error(message));
                }
                Ok(Some([lo, hi]))
            }
            None if counts => Err(element.error(format!("`{limited}` without `{range}`"))),
            _ => Ok(None),
        }
    }

    fn key(&self, element: &Element, model: &mut Model) -> Outcome<()> {
        let name = element.get("name").map(|n| n.value.clone());
        let name = name.unwrap_or_else(|| format!("key {}", model.keys.len()));
        element.know(&["time"]);
        for other in ["qvel", "act", "mpos", "mquat"] {
            if let Some(given) = element.get(other) {
                let still = given.numbers()?.iter().all(|x| *x == 0.0);
                if !still {
                    let what = format!("`{other}` of <key>");
                    self.note(
                        &given.place,
                        what,
                        "models start at rest",
                        Regard::NotUnderstood,
                    );
                }
            }
        }
        let configuration = match element.get("qpos") {
            Some(given) => Some(configuration(model, given)?),
            None => None,
        };
        let targets = match element.get("ctrl") {
            Some(given) => self.targets(model, given)?,
            None => Vec::new(),
        };
        model.keys.push(Key {
            name,
            place: element.place.clone(),
            configuration,
            targets,
        });
        Ok(())
    }

    fn targets(&self, model: &Model, given: &Attribute) -> Outcome<Vec<f64>> {
        let numbers = given.numbers()?;
        let gears = self.gears.borrow();
        if numbers.len() != gears.len() {
            let what = "`ctrl` of <key>".to_owned();
            let why = "there are not as many actuators that are understood";
            self.note(&given.place, what, why, Regard::NotUnderstood);
            return Ok(Vec::new());
        }
        let all = model.actuators.iter().zip(gears.iter()).zip(numbers);
        Ok(all
            .map(|((a, gear), x)| in_joint(a.drive, x, *gear))
            .collect())
    }
}

/// What a control asks of the joint: a force is multiplied by the gear, a coordinate or rate divided by it.
fn in_joint(drive: Drive, control: f64, gear: f64) -> f64 {
    match drive {
        Drive::Effort => control * gear,
        Drive::Position { .. } | Drive::Velocity { .. } => control / gear,
    }
}

/// The body (or site) that an attribute names.
fn body(model: &Model, name: &Attribute) -> Outcome<usize> {
    let found = model.link(&name.value);
    found.ok_or_else(|| name.error(format!("there is no body `{}`", name.value)))
}

/// The joint with one coordinate that an attribute names.
fn scalar(model: &Model, name: &Attribute) -> Outcome<(usize, usize)> {
    let found = model.find(&name.value);
    match found.filter(|&(k, i)| model.links[k].freedoms[i].is_scalar()) {
        Some(found) => Ok(found),
        None => Err(name.error(format!(
            "there is no joint `{}` with one coordinate",
            name.value
        ))),
    }
}

/// `qpos`: seven numbers for a free joint, four for a ball, one for others, in the order of the file.
fn configuration(model: &Model, given: &Attribute) -> Outcome<Configuration> {
    let numbers = given.numbers()?;
    let mut rest = numbers.as_slice();
    let mut take = |n: usize| -> Result<Vec<f64>, Box<RobotError>> {
        let (these, others) = rest.split_at_checked(n).ok_or_else(|| {
            given.error(format!(
                "`{}` has too few numbers for the joints",
                given.name
            ))
        })?;
        rest = others;
        Ok(these.to_vec())
    };
    let turn = |q: &[f64]| {
        let q = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
        if q.length() < 1e-12 {
            return Err(given.error("a quaternion in `qpos` is zero"));
        }
        let q = q / q.length();
        Ok(q / q.length())
    };
    let mut all = Vec::new();
    for link in &model.links {
        let mut here = Vec::new();
        for freedom in &link.freedoms {
            here.push(match freedom.way {
                Way::Hinge | Way::Slide => At::Scalar(take(1)?[0]),
                Way::Ball => At::Turn(turn(&take(4)?)?),
                Way::Free => {
                    let seven = take(7)?;
                    At::Place(Pose {
                        position: DVec3::from_slice(&seven),
                        orientation: turn(&seven[3..])?,
                    })
                }
            });
        }
        all.push(here);
    }
    if !rest.is_empty() {
        let message = format!("`{}` has {} numbers too many", given.name, rest.len());
        return Err(given.error(message));
    }
    Ok(Configuration(all))
}
