//! Scenes as text again.

mod body;
mod joints;
mod shapes;
mod values;

use glam::DQuat;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_model::{Cone, Moments};
use stickslip_record::header::cone_to_string;

use self::body::write_body;
use self::joints::{write_gear, write_joint, write_spring};
use self::values::{Lines, friction_of, functions, number, quaternion, quoted, vector};
use super::settings::CONTACTS;
use super::{ContactPair, Force, Frame, Method, PairOfMaterials, Scene, StepSettings};

impl Scene {
    /// The scene as a file of its own: overrides applied, counted bodies one by one, formulas of
    /// parameters and index evaluated. Parsed again it gives the same scene, to the last bit.
    ///
    /// A scene of several hundred thousand bodies gives more than [`MAX_FILE`](super::MAX_FILE) bytes,
    /// which cannot be read again: for such a one keep `text` and `overrides`.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut lines = Lines(String::new());
        lines.put("format", &self.format.to_string());
        lines.put("title", &quoted(&self.title));
        lines.put("gravity", &vector(self.gravity));
        write_step(&self.step, &mut lines);
        lines.open("[material]");
        let given = friction_of(self.material.friction, self.curve.as_ref());
        lines.put("friction", &given);
        lines.put("restitution", &number(self.material.restitution));
        put_moments(self.material.moments, Moments::default(), &mut lines);
        for body in &self.bodies {
            write_body(body, self, &mut lines);
        }
        for pair in &self.contact_overrides {
            write_pair(pair, &mut lines);
        }
        for pair in &self.material_pairs {
            write_materials(pair, &mut lines);
        }
        for force in &self.forces {
            write_force(force, &mut lines);
        }
        for joint in &self.joints {
            write_joint(joint, &mut lines);
        }
        for spring in &self.springs {
            write_spring(spring, &mut lines);
        }
        for gear in &self.gears {
            write_gear(gear, &mut lines);
        }
        for frame in &self.frames {
            write_frame(frame, &mut lines);
        }
        lines.0
    }
}

fn write_step(step: &StepSettings, lines: &mut Lines) {
    lines.open("[step]");
    lines.put("h", &number(step.h));
    lines.put("until", &number(step.until));
    lines.put("method", &quoted(step.method.name()));
    match step.cone {
        Cone::Quadratic => lines.put("cone", "\"quadratic\""),
        Cone::Pyramid(count) => lines.put("cone", &format!("{{ pyramid = {count} }}")),
        Cone::Budget(work) => lines.put("cone", &format!("{{ budget = {work} }}")),
        Cone::Fan(_) => lines.put("cone", &quoted(&cone_to_string(step.cone))),
    }
    if step.method == Method::Extrapolated {
        lines.put("error", &number(step.error));
    }
    lines.put("impact-friction", &quoted(step.impact_friction.name()));
    if step.contact == Rule::Conjunctive {
        lines.put("contact", &quoted(CONTACTS[1]));
    }
    lines.put("solver", &quoted(&step.solver));
    lines.put("tolerance", &number(step.tolerance));
    lines.put("accept", &number(step.accept));
    if step.projection {
        lines.put("projection", "true");
    }
    if step.energy_check {
        lines.put("energy-check", "true");
    }
}

fn write_pair(pair: &ContactPair, lines: &mut Lines) {
    lines.open("[[contact]]");
    let [a, b] = pair.bodies.each_ref().map(|name| quoted(name));
    lines.put("bodies", &format!("[{a}, {b}]"));
    if !pair.collide {
        lines.put("collide", "false");
    }
    if let Some(given) = pair.friction {
        lines.put("friction", &friction_of(given, pair.curve.as_ref()));
    }
    if let Some(given) = pair.restitution {
        lines.put("restitution", &number(given));
    }
    for (key, given) in [("torsion", pair.torsion), ("rolling", pair.rolling)] {
        if let Some(given) = given {
            lines.put(key, &number(given));
        }
    }
}

/// Torsion and rolling, where they are others.
fn put_moments(own: Moments, other: Moments, lines: &mut Lines) {
    if own.torsion != other.torsion {
        lines.put("torsion", &number(own.torsion));
    }
    if own.rolling != other.rolling {
        lines.put("rolling", &number(own.rolling));
    }
}

fn write_materials(pair: &PairOfMaterials, lines: &mut Lines) {
    lines.open("[[pair]]");
    let [a, b] = pair.materials.each_ref().map(|name| quoted(name));
    lines.put("materials", &format!("[{a}, {b}]"));
    if let Some(given) = pair.friction {
        lines.put("friction", &friction_of(given, pair.curve.as_ref()));
    }
    let numbers = [
        ("restitution", pair.restitution),
        ("torsion", pair.torsion),
        ("rolling", pair.rolling),
    ];
    for (key, given) in numbers {
        if let Some(given) = given {
            lines.put(key, &number(given));
        }
    }
}

fn write_force(force: &Force, lines: &mut Lines) {
    lines.open("[[force]]");
    lines.put("body", &quoted(&force.body));
    lines.put("force", &functions(&force.force));
    lines.put("torque", &functions(&force.torque));
    lines.put_vector("point", force.point);
}

fn write_frame(frame: &Frame, lines: &mut Lines) {
    lines.open("[[frame]]");
    lines.put("name", &quoted(&frame.name));
    lines.put("body", &quoted(&frame.body));
    lines.put_vector("position", frame.pose.position);
    if frame.pose.orientation != DQuat::IDENTITY {
        lines.put("orientation", &quaternion(frame.pose.orientation));
    }
}
