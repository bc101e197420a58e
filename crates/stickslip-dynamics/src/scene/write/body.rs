//! `[[body]]` as text: what it is, how it is moved, how its surface moves.

use std::fmt::Write as _;

use glam::{DQuat, DVec3};
use stickslip_model::Grain;

use super::put_moments;
use super::shapes::shape;
use super::values::{
    Lines, friction_of, function, functions, matrix, number, numbers, quaternion, quoted, vector,
};
use crate::prescribed::Sinusoid;
use crate::scene::{Body, Mass, Mobility, Prescribed, Scene, SurfaceMotion};
use crate::spline::COLUMNS;

/// One body; `scene` gives what it has where the body says nothing.
pub(super) fn write_body(body: &Body, scene: &Scene, lines: &mut Lines) {
    lines.open("[[body]]");
    lines.put("name", &quoted(&body.name));
    lines.put("shape", &shape(&body.shape));
    match &body.motion {
        Mobility::Free => {}
        Mobility::Fixed => lines.put("motion", "\"fixed\""),
        Mobility::Prescribed(motion) => {
            lines.put("motion", &prescribed(motion));
        }
    }
    write_mass(&body.mass, lines);
    if !matches!(body.motion, Mobility::Prescribed(_)) {
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
    match body.surfaces.as_slice() {
        [] => {}
        [only] => lines.put("surface", &surface_motion(only)),
        several => {
            let several: Vec<String> = several.iter().map(surface_motion).collect();
            lines.put("surface", &format!("[{}]", several.join(", ")));
        }
    }
    if let Some(Grain { direction, ratio }) = body.grain {
        let (direction, ratio) = (vector(direction), number(ratio));
        let grain = format!("{{ direction = {direction}, ratio = {ratio} }}");
        lines.put("grain", &grain);
    }
    if let Some(name) = &body.made_of {
        lines.put("material", &quoted(name));
    }
    if body.material.friction != scene.material.friction || body.curve != scene.curve {
        let given = friction_of(body.material.friction, body.curve.as_ref());
        lines.put("friction", &given);
    }
    if body.material.restitution != scene.material.restitution {
        lines.put("restitution", &number(body.material.restitution));
    }
    put_moments(body.material.moments, scene.material.moments, lines);
    if let Some(colour) = body.colour {
        lines.put("color", &vector(DVec3::from_array(colour)));
    }
}

fn write_mass(mass: &Mass, lines: &mut Lines) {
    match *mass {
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
}

fn surface_motion(surface: &SurfaceMotion) -> String {
    let (velocity, spin) = (
        functions(&surface.velocity),
        functions(&surface.angular_velocity),
    );
    let face = surface
        .face
        .map(|face| format!(", face = {}", vector(face)));
    let face = face.unwrap_or_default();
    format!("{{ velocity = {velocity}, angular-velocity = {spin}{face} }}")
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
