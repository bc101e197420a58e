//! Scenes as text again.

use std::fmt::Write as _;

use glam::{DMat3, DQuat, DVec3};

use super::settings::CONTACTS;
use super::{
    Anchor, Axes, AxisHold, Body, Force, Joint, JointAxis, JointType, Mass, Method, Motion,
    Prescribed, Scene, Spring, SpringEnds,
};
use crate::expression::Function;
use crate::prescribed::Sinusoid;
use crate::spline::COLUMNS;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_geometry::{Piece, Shape};
use stickslip_model::joint::{AXIS_NAMES, Goal};
use stickslip_model::{Cone, Friction};
use stickslip_record::header::cone_to_string;

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
            Cone::Budget(work) => lines.put("cone", &format!("{{ budget = {work} }}")),
            Cone::Fan(_) => lines.put("cone", &quoted(&cone_to_string(self.step.cone))),
        }
        if self.step.method == Method::Extrapolated {
            lines.put("error", &number(self.step.error));
        }
        lines.put("impact-friction", &quoted(self.step.impact_friction.name()));
        if self.step.contact == Rule::Conjunctive {
            lines.put("contact", &quoted(CONTACTS[1]));
        }
        lines.put("solver", &quoted(&self.step.solver));
        lines.put("tolerance", &number(self.step.tolerance));
        lines.put("accept", &number(self.step.accept));
        if self.step.projection {
            lines.put("projection", "true");
        }
        if self.step.energy_check {
            lines.put("energy-check", "true");
        }
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
            if !pair.collide {
                lines.put("collide", "false");
            }
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
        for joint in &self.joints {
            write_joint(joint, &mut lines);
        }
        for spring in &self.springs {
            write_spring(spring, &mut lines);
        }
        for frame in &self.frames {
            lines.open("[[frame]]");
            lines.put("name", &quoted(&frame.name));
            lines.put("body", &quoted(&frame.body));
            lines.put_vector("position", frame.pose.position);
            if frame.pose.orientation != DQuat::IDENTITY {
                lines.put("orientation", &quaternion(frame.pose.orientation));
            }
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
                lines.put("motion", &prescribed(motion));
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
            Mass::Given {
                mass,
                centre,
                inertia,
                any,
            } => {
                lines.put("mass", &number(mass));
                lines.put("center-of-mass", &vector(centre));
                lines.put("inertia", &matrix(inertia));
                if any {
                    lines.put("any-inertia", "true");
                }
            }
        }
        if !matches!(body.motion, Motion::Prescribed(_)) {
            lines.put_vector("position", body.position);
        }
        if body.orientation != DQuat::IDENTITY {
            lines.put("orientation", &quaternion(body.orientation));
        }
        lines.put_vector("velocity", body.velocity);
        lines.put_vector("angular-velocity", body.angular_velocity);
        if !body.groups.is_empty() {
            let names: Vec<String> = body.groups.iter().map(|g| quoted(g)).collect();
            lines.put("groups", &format!("[{}]", names.join(", ")));
        }
        if !body.collide {
            lines.put("collide", "false");
        }
        if body.material.friction != self.material.friction {
            lines.put("friction", &friction(body.material.friction));
        }
        if body.material.restitution != self.material.restitution {
            lines.put("restitution", &number(body.material.restitution));
        }
    }
}

fn prescribed(motion: &Prescribed) -> String {
    let position = functions(&motion.position);
    let (axis, angle) = (vector(motion.axis), function(&motion.angle));
    let mut text = format!("{{ position = {position}, axis = {axis}, angle = {angle}");
    if motion.rotation.iter().any(|f| f.as_constant() != Some(0.0)) {
        let _ = write!(text, ", rotation = {}", functions(&motion.rotation));
    }
    if !motion.accelerations.is_empty() {
        let terms: Vec<String> = motion.accelerations.iter().map(sinusoid).collect();
        let _ = write!(text, ", accelerations = [{}]", terms.join(", "));
    }
    if let Some(table) = &motion.table {
        let (times, columns) = table.rows();
        let _ = write!(text, ", table = {{ t = {}", numbers(times));
        for (name, column) in COLUMNS.iter().zip(columns) {
            if !column.is_empty() {
                let _ = write!(text, ", {name} = {}", numbers(column));
            }
        }
        text.push_str(" }");
    }
    text + " }"
}

fn sinusoid(term: &Sinusoid) -> String {
    let how = if term.about { "about" } else { "along" };
    let direction = vector(term.direction);
    let [amplitude, frequency, phase] = [term.amplitude, term.frequency, term.phase].map(number);
    format!(
        "{{ {how} = {direction}, amplitude = {amplitude}, frequency = {frequency}, phase = {phase} }}"
    )
}

fn numbers(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|x| number(*x)).collect();
    format!("[{}]", values.join(", "))
}

fn write_force(force: &Force, lines: &mut Lines) {
    lines.open("[[force]]");
    lines.put("body", &quoted(&force.body));
    lines.put("force", &functions(&force.force));
    lines.put("torque", &functions(&force.torque));
    lines.put_vector("point", force.point);
}

fn write_joint(joint: &Joint, lines: &mut Lines) {
    lines.open("[[joint]]");
    lines.put("name", &quoted(&joint.name));
    lines.put("type", &quoted(joint.kind.name()));
    let [a, b] = joint.bodies.each_ref().map(|name| quoted(name));
    lines.put("bodies", &format!("[{a}, {b}]"));
    match joint.anchor {
        Anchor::World(anchor) => lines.put("anchor", &vector(anchor)),
        Anchor::Bodies([a, b]) => {
            lines.put("anchors", &format!("[{}, {}]", vector(a), vector(b)));
        }
    }
    match joint.frame {
        Axes::Axis(axis) => lines.put("axis", &vector(axis)),
        Axes::BodyAxes([a, b]) => lines.put("axes", &format!("[{}, {}]", vector(a), vector(b))),
        Axes::Frame(frame) if frame == DQuat::IDENTITY => {}
        Axes::Frame(frame) => lines.put("orientation", &quaternion(frame)),
        Axes::BodyFrames([a, b]) => {
            let (a, b) = (quaternion(a), quaternion(b));
            lines.put("orientations", &format!("[{a}, {b}]"));
        }
    }
    if let Some(k) = joint.kind.free_axis() {
        for (key, value) in axis_entries(&joint.axes[k]) {
            lines.put(key, &value);
        }
    }
    if joint.kind == JointType::SixDof {
        for (axis, name) in joint.axes.iter().zip(AXIS_NAMES) {
            let entries = axis_entries(axis);
            if axis.hold == AxisHold::Locked {
                lines.put(name, "\"locked\"");
            } else if entries.is_empty() {
                lines.put(name, "\"free\"");
            } else {
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{key} = {value}"));
                let entries = entries.collect::<Vec<_>>().join(", ");
                lines.put(name, &format!("{{ {entries} }}"));
            }
        }
    }
    if joint.collide {
        lines.put("collide", "true");
    }
}

/// What acts on a free axis, as keys and values.
fn axis_entries(axis: &JointAxis) -> Vec<(&'static str, String)> {
    let mut entries = Vec::new();
    if let AxisHold::Driven(motion) = &axis.hold {
        entries.push(("motion", function(motion)));
    }
    if let Some([lo, hi]) = axis.limits {
        entries.push(("limits", format!("[{}, {}]", number(lo), number(hi))));
    }
    if let Some(motor) = &axis.motor {
        let target = function(&motor.target);
        let aim = match motor.goal {
            Goal::Velocity => format!("velocity = {target}"),
            Goal::Position { speed } => format!("position = {target}, speed = {}", number(speed)),
            Goal::Servo { stiffness, damping } => {
                let (stiffness, damping) = (number(stiffness), number(damping));
                format!("position = {target}, stiffness = {stiffness}, damping = {damping}")
            }
            Goal::Governor { damping } => {
                format!("velocity = {target}, damping = {}", number(damping))
            }
            Goal::Effort => format!("effort = {target}"),
        };
        let text = format!("{{ {aim}, force = {} }}", number(motor.force));
        entries.push(("motor", text));
    }
    if axis.friction != 0.0 {
        entries.push(("friction", number(axis.friction)));
    }
    for (key, value) in [
        ("damping", axis.damping),
        ("stiffness", axis.stiffness),
        ("rest", axis.rest),
        ("armature", axis.armature),
    ] {
        if value != 0.0 {
            entries.push((key, number(value)));
        }
    }
    entries
}

fn write_spring(spring: &Spring, lines: &mut Lines) {
    lines.open("[[spring]]");
    lines.put("name", &quoted(&spring.name));
    let rest = match &spring.ends {
        SpringEnds::Points { bodies, points } => {
            let end = |k: usize| {
                let (body, point) = (quoted(&bodies[k]), vector(points[k]));
                format!("{{ body = {body}, point = {point} }}")
            };
            lines.put("between", &format!("[{}, {}]", end(0), end(1)));
            "length"
        }
        SpringEnds::Axis { joint, axis } => {
            lines.put("joint", &quoted(joint));
            lines.put("axis", &quoted(AXIS_NAMES[*axis]));
            "rest"
        }
    };
    lines.put("stiffness", &number(spring.stiffness));
    lines.put("damping", &number(spring.damping));
    if spring.inertance != 0.0 {
        lines.put("inertance", &number(spring.inertance));
    }
    if let Some(value) = spring.rest {
        lines.put(rest, &number(value));
    }
    if spring.explicit {
        lines.put("explicit", "true");
    }
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

fn matrix(m: DMat3) -> String {
    let [x, y, z] = [m.row(0), m.row(1), m.row(2)].map(vector);
    format!("[{x}, {y}, {z}]")
}

fn function(f: &Function) -> String {
    if let Some(table) = f.as_table() {
        let (times, values) = (numbers(&table.times), numbers(&table.values));
        let repeat = if table.repeats { ", repeat = true" } else { "" };
        return format!("{{ t = {times}, value = {values}{repeat} }}");
    }
    match f.as_constant() {
        Some(value) => number(value),
        None => format!("\"{f}\""),
    }
}

/// A quaternion, scalar first.
fn quaternion(q: DQuat) -> String {
    let [s, x, y, z] = [q.w, q.x, q.y, q.z].map(number);
    format!("[{s}, {x}, {y}, {z}]")
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

/// A mesh with all its vertices.
fn surface(vertices: &[DVec3], triangles: &[[u32; 3]]) -> String {
    let vertices: Vec<String> = vertices.iter().map(|v| vector(*v)).collect();
    let triangles: Vec<String> = triangles.iter().map(|t| format!("{t:?}")).collect();
    let (vertices, triangles) = (vertices.join(", "), triangles.join(", "));
    format!("{{ mesh = {{ vertices = [{vertices}], triangles = [{triangles}] }} }}")
}

fn piece(piece: &Piece) -> String {
    let (shape, position) = (shape(&piece.shape), vector(piece.pose.position));
    let turned = match piece.pose.orientation {
        turned if turned == DQuat::IDENTITY => String::new(),
        turned => format!(", orientation = {}", quaternion(turned)),
    };
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
        Shape::Mesh(mesh) => surface(mesh.vertices(), mesh.triangles()),
        Shape::Triangle(facet) => surface(&facet.points(), &[[0, 1, 2]]),
        Shape::Cylinder { radius, half } => along_z("cylinder", *radius, 2.0 * half),
        Shape::Cone { radius, length } => along_z("cone", *radius, *length),
        Shape::Capsule { radius, half } => along_z("capsule", *radius, 2.0 * half),
        Shape::Hull(hull) => {
            let points: Vec<String> = hull.vertices().iter().map(|p| vector(*p)).collect();
            format!("{{ hull = {{ points = [{}] }} }}", points.join(", "))
        }
        Shape::Points { points, .. } => {
            let points: Vec<String> = points.iter().map(|p| vector(*p)).collect();
            format!("{{ points = {{ at = [{}] }} }}", points.join(", "))
        }
    }
}

fn along_z(kind: &str, radius: f64, length: f64) -> String {
    let (radius, length) = (number(radius), number(length));
    format!("{{ {kind} = {{ radius = {radius}, length = {length} }} }}")
}
