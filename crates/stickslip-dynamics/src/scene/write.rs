//! Scenes as text again.

use std::fmt::Write as _;

use glam::{DMat3, DQuat, DVec3};

use super::settings::CONTACTS;
use super::{Body, Force, Mass, Motion, Scene};
use crate::expression::Function;
use stickslip_certify::{Cone, Friction};
use stickslip_geometry::narrow_phase::Rule;
use stickslip_geometry::{Piece, Shape};

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
        lines.open("[step]");
        lines.put("h", &number(self.step.h));
        lines.put("until", &number(self.step.until));
        lines.put("method", &quoted(self.step.method.name()));
        match self.step.cone {
            Cone::Quadratic => lines.put("cone", "\"quadratic\""),
            Cone::Pyramid(count) => lines.put("cone", &format!("{{ pyramid = {count} }}")),
        }
        if self.step.contact == Rule::Conjunctive {
            lines.put("contact", &quoted(CONTACTS[1]));
        }
        lines.put("solver", &quoted(&self.step.solver));
        lines.put("tolerance", &number(self.step.tolerance));
        lines.open("[material]");
        lines.put("friction", &friction(self.material.friction));
        lines.put("restitution", &number(self.material.restitution));
        for body in &self.bodies {
            self.write_body(body, &mut lines);
        }
        for pair in &self.contact_overrides {
            lines.open("[[contact]]");
            let [a, b] = pair.bodies.each_ref().map(|name| quoted(name));
            lines.put("bodies", &format!("[{a}, {b}]"));
            if let Some(given) = pair.friction {
                lines.put("friction", &friction(given));
            }
            if let Some(given) = pair.restitution {
                lines.put("restitution", &number(given));
            }
        }
        for force in &self.forces {
            write_force(force, &mut lines);
        }
        lines.0
    }

    fn write_body(&self, body: &Body, lines: &mut Lines) {
        lines.open("[[body]]");
        lines.put("name", &quoted(&body.name));
        lines.put("shape", &shape(&body.shape));
        match &body.motion {
            Motion::Free => {}
            Motion::Fixed => lines.put("motion", "\"fixed\""),
            Motion::Prescribed(motion) => {
                let position = functions(&motion.position);
                let (axis, angle) = (vector(motion.axis), function(&motion.angle));
                let text = format!("{{ position = {position}, axis = {axis}, angle = {angle} }}");
                lines.put("motion", &text);
            }
        }
        match body.mass {
            Mass::Unneeded => {}
            Mass::Density(density) => lines.put("density", &number(density)),
            Mass::Total { mass, inertia } => {
                lines.put("mass", &number(mass));
                if let Some(inertia) = inertia {
                    lines.put("inertia", &matrix(inertia));
                }
            }
        }
        if !matches!(body.motion, Motion::Prescribed(_)) {
            lines.put_vector("position", body.position);
        }
        if let Some(turned) = quaternion(body.orientation) {
            lines.put("orientation", &turned);
        }
        lines.put_vector("velocity", body.velocity);
        lines.put_vector("angular-velocity", body.angular_velocity);
        if body.material.friction != self.material.friction {
            lines.put("friction", &friction(body.material.friction));
        }
        if body.material.restitution != self.material.restitution {
            lines.put("restitution", &number(body.material.restitution));
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

/// The text so far.
struct Lines(String);

impl Lines {
    fn open(&mut self, header: &str) {
        let _ = writeln!(self.0, "\n{header}");
    }

    /// A vector, unless it is zero, which is the default.
    fn put_vector(&mut self, key: &str, value: DVec3) {
        if value.to_array().map(f64::to_bits) != [0; 3] {
            self.put(key, &vector(value));
        }
    }

    fn put(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.0, "{key} = {value}");
    }
}

/// A number in the shortest form that reads back to the same bits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn vector(v: DVec3) -> String {
    let [x, y, z] = v.to_array().map(number);
    format!("[{x}, {y}, {z}]")
}

/// A quaternion, scalar first; `None` for no turn, which is the default.
fn quaternion(q: DQuat) -> Option<String> {
    let q = [q.w, q.x, q.y, q.z];
    if q.map(f64::to_bits) == [1.0, 0.0, 0.0, 0.0].map(f64::to_bits) {
        return None;
    }
    let [s, x, y, z] = q.map(number);
    Some(format!("[{s}, {x}, {y}, {z}]"))
}

fn matrix(m: DMat3) -> String {
    let [x, y, z] = [m.row(0), m.row(1), m.row(2)].map(vector);
    format!("[{x}, {y}, {z}]")
}

fn function(f: &Function) -> String {
    match f.as_constant() {
        Some(value) => number(value),
        None => format!("\"{f}\""),
    }
}

fn functions(f: &[Function; 3]) -> String {
    let [x, y, z] = f.each_ref().map(function);
    format!("[{x}, {y}, {z}]")
}

fn friction(given: Friction) -> String {
    if given.stick == given.slide {
        return number(given.stick);
    }
    let (sticking, sliding) = (number(given.stick), number(given.slide));
    format!("{{ static = {sticking}, kinetic = {sliding} }}")
}

fn piece(piece: &Piece) -> String {
    let (shape, position) = (shape(&piece.shape), vector(piece.pose.position));
    let turned = quaternion(piece.pose.orientation);
    let turned = turned.map_or(String::new(), |q| format!(", orientation = {q}"));
    format!("{{ shape = {shape}, position = {position}{turned} }}")
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::HalfSpace { normal, offset } => {
            let (normal, offset) = (vector(*normal), number(*offset));
            format!("{{ half-space = {{ normal = {normal}, offset = {offset} }} }}")
        }
        Shape::Ball { radius } => format!("{{ ball = {{ radius = {} }} }}", number(*radius)),
        Shape::Box { half } => format!("{{ box = {{ size = {} }} }}", vector(*half * 2.0)),
        Shape::Compound(c) => {
            let pieces: Vec<String> = c.pieces().iter().map(piece).collect();
            format!("{{ compound = [{}] }}", pieces.join(", "))
        }
    }
}
