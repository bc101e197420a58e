//! GLB: the film as an animation that other programs show (glTF 2.0, one binary file).
//!
//! A node for each body with its poses over time as linear and spherical interpolation, a child node for each of its
//! parts, a mesh for each mesh. glTF has y up; a root node turns z up into it.

use crate::film::{Actor, Film};
use crate::solid::Look;
use glam::DVec3;
use serde_json::{Value, json};

/// Half of the side of the square that stands for a plane without end, in radii of the film.
const GROUND: f64 = 6.0;

/// Numbers for the buffer, each list aligned to four bytes, with its description.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn add(
        &mut self,
        values: &[f32],
        width: usize,
        kind: &str,
        target: Option<u32>,
        bounds: bool,
    ) -> usize {
        let (offset, count) = (self.bytes.len(), values.len() / width);
        self.bytes
            .extend(values.iter().flat_map(|v| v.to_le_bytes()));
        let mut view =
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        let mut accessor = json!({ "bufferView": self.views.len() - 1, "componentType": 5126, "count": count, "type": kind });
        if bounds {
            let fold = |k: usize, start: f32, pick: fn(f32, f32) -> f32| {
                values[k..]
                    .iter()
                    .step_by(width)
                    .fold(start, |a, b| pick(a, *b))
            };
            accessor["min"] = (0..width)
                .map(|k| fold(k, f32::INFINITY, f32::min))
                .collect();
            accessor["max"] = (0..width)
                .map(|k| fold(k, f32::NEG_INFINITY, f32::max))
                .collect();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

fn flat(points: &[DVec3]) -> Vec<f32> {
    points
        .iter()
        .flat_map(|p| p.to_array().map(|x| x as f32))
        .collect()
}

impl Film<'_> {
    /// The bytes of a GLB file.
    #[must_use]
    pub fn glb(&self) -> Vec<u8> {
        let mut buffer = Buffer::default();
        let mut geometry: Vec<(usize, usize)> = Vec::new();
        for mesh in &self.meshes.list {
            let positions = buffer.add(&flat(&mesh.corners), 3, "VEC3", Some(34962), true);
            let normals = buffer.add(&flat(&mesh.normals), 3, "VEC3", Some(34962), false);
            geometry.push((positions, normals));
        }
        let size = GROUND * self.extent(0..self.frames().len()).radius();
        let needs_plane = self
            .actors
            .iter()
            .any(|a| matches!(a.look, Look::Plane { .. }));
        let square = needs_plane.then(|| {
            let corner = |x: f64, y: f64| DVec3::new(x * size, y * size, 0.0);
            let corners = [
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ];
            let positions = buffer.add(&flat(&corners), 3, "VEC3", Some(34962), true);
            (
                positions,
                buffer.add(&flat(&[DVec3::Z; 6]), 3, "VEC3", Some(34962), false),
            )
        });

        let mut paints = Paints::default();
        // glTF meshes carry their material: one for each pair of mesh and colour that is used.
        let mut meshes: Vec<Value> = Vec::new();
        let mut used: Vec<(usize, usize)> = Vec::new();
        let mut mesh_of = |mesh: Option<usize>, paint: usize, meshes: &mut Vec<Value>| {
            let key = (mesh.map_or(0, |m| m + 1), paint);
            used.iter().position(|u| *u == key).unwrap_or_else(|| {
                let (positions, normals) =
                    mesh.map_or_else(|| square.unwrap_or_default(), |m| geometry[m]);
                let attributes = json!({ "POSITION": positions, "NORMAL": normals });
                meshes.push(
                    json!({ "primitives": [{ "attributes": attributes, "material": paint }] }),
                );
                used.push(key);
                used.len() - 1
            })
        };

        let mut nodes = vec![
            json!({ "name": "z up", "rotation": [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2] }),
        ];
        let (mut roots, mut channels, mut samplers) = (Vec::new(), Vec::new(), Vec::new());
        let times: Vec<f32> = self.frames().iter().map(|f| f.step.t as f32).collect();
        let moves = times.len() > 1 && times.windows(2).all(|w| w[1] > w[0]);
        let clock = moves.then(|| buffer.add(&times, 1, "SCALAR", None, true));
        for (k, actor) in self.actors.iter().enumerate() {
            let paint = paints.of(actor);
            let mut children = Vec::new();
            let child = |value: Value, nodes: &mut Vec<Value>| {
                nodes.push(value);
                nodes.len() - 1
            };
            match &actor.look {
                Look::Plane { normal, offset } => {
                    let mesh = mesh_of(None, paint, &mut meshes);
                    let turn = glam::DQuat::from_rotation_arc(DVec3::Z, *normal);
                    let place = *normal * *offset;
                    children.push(child(json!({ "mesh": mesh, "rotation": turn.to_array(), "translation": place.to_array() }), &mut nodes));
                }
                Look::Solid(parts) => {
                    for part in parts {
                        let mesh = mesh_of(Some(part.mesh), paint, &mut meshes);
                        let (place, turn) = (part.pose.position, part.pose.orientation);
                        children.push(child(
                            json!({ "mesh": mesh, "rotation": turn.to_array(), "translation": place.to_array(), "scale": part.scale.to_array() }),
                            &mut nodes,
                        ));
                    }
                }
            }
            let first = self.pose(0, k);
            nodes.push(json!({ "name": actor.name, "children": children, "translation": first.position.to_array(),
                               "rotation": unit(first.orientation) }));
            let node = nodes.len() - 1;
            roots.push(node);
            let poses = || self.frames().iter().map(|f| f.step.bodies[k].pose);
            let still = poses().all(|p| p == first);
            if let (Some(clock), false) = (clock, still) {
                let places: Vec<f32> = poses()
                    .flat_map(|p| p.position.to_array().map(|x| x as f32))
                    .collect();
                let turns: Vec<f32> = poses().flat_map(|p| unit(p.orientation)).collect();
                for (path, output) in [
                    ("translation", buffer.add(&places, 3, "VEC3", None, false)),
                    ("rotation", buffer.add(&turns, 4, "VEC4", None, false)),
                ] {
                    channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                    samplers.push(
                        json!({ "input": clock, "output": output, "interpolation": "LINEAR" }),
                    );
                }
            }
        }
        nodes[0]["children"] = json!(roots);

        let mut document = json!({
            "asset": { "version": "2.0", "generator": format!("stickslip {}", self.trajectory.header.version) },
            "scene": 0,
            "scenes": [{ "name": self.title, "nodes": [0] }],
            "nodes": nodes,
            "meshes": meshes,
            "materials": paints.materials(),
            "accessors": buffer.accessors,
            "bufferViews": buffer.views,
            "buffers": [{ "byteLength": buffer.bytes.len() }],
        });
        if !channels.is_empty() {
            document["animations"] =
                json!([{ "name": "run", "channels": channels, "samplers": samplers }]);
        }
        container(&document, &buffer.bytes)
    }
}

/// The colours that are used, linear as glTF has them.
struct Paints(Vec<(String, [f64; 3])>);

impl Default for Paints {
    fn default() -> Self {
        Self(vec![
            ("fixed".into(), [0.45, 0.48, 0.52]),
            ("free".into(), [0.12, 0.32, 0.6]),
        ])
    }
}

impl Paints {
    /// The number of the colour of a body: its own, or that of all that are fixed or free.
    fn of(&mut self, actor: &Actor) -> usize {
        let Some(colour) = actor.colour else {
            return usize::from(actor.mass.is_some());
        };
        let linear = colour.map(linear);
        let known = self.0.iter().position(|(_, c)| *c == linear);
        known.unwrap_or_else(|| {
            self.0
                .push((format!("colour {}", self.0.len() - 1), linear));
            self.0.len() - 1
        })
    }

    fn materials(&self) -> Vec<Value> {
        let material = |(name, [r, g, b]): &(String, [f64; 3])| {
            json!({ "name": name, "doubleSided": true, "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 } })
        };
        self.0.iter().map(material).collect()
    }
}

/// A part of a colour as screens have it (sRGB), in proportion to light.
fn linear(x: f64) -> f64 {
    if x <= 0.04045 {
        x / 12.92
    } else {
        libm::pow((x + 0.055) / 1.055, 2.4)
    }
}

/// x, y, z, w of a quaternion as f32 of unit length: glTF asks for it, and rounding must not spoil it.
fn unit(q: glam::DQuat) -> [f32; 4] {
    q.normalize().to_array().map(|x| x as f32)
}

/// The header, the JSON chunk and the binary chunk, padded to four bytes.
fn container(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let mut out = Vec::with_capacity(total);
    for word in [0x4654_6c67, 2, total as u32, json.len() as u32, 0x4e4f_534a] {
        out.extend(word.to_le_bytes());
    }
    out.extend(&json);
    for word in [binary.len() as u32, 0x004e_4942] {
        out.extend(word.to_le_bytes());
    }
    out.extend(&binary);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_bodies_are_materials() {
        let actor = |mass: Option<f64>, colour: Option<[f64; 3]>| Actor {
            name: String::new(),
            mass,
            inertia: None,
            colour,
            look: Look::Solid(Vec::new()),
            radius: 1.0,
        };
        let mut paints = Paints::default();
        let red = Some([1.0, 0.0, 0.0]);
        let given = [
            actor(None, None),
            actor(Some(1.0), None),
            actor(Some(1.0), red),
            actor(None, Some([0.5; 3])),
            actor(None, red),
        ];
        assert_eq!(given.map(|a| paints.of(&a)), [0, 1, 2, 3, 2]);
        let materials = paints.materials();
        assert_eq!(materials.len(), 4);
        let of = |k: usize| &materials[k]["pbrMetallicRoughness"]["baseColorFactor"];
        assert_eq!(of(2), &json!([1.0, 0.0, 0.0, 1.0]));
        // Half of a screen's signal is 21 % of its light.
        let grey = of(3)[0].as_f64().expect("a number");
        assert!((grey - 0.214).abs() < 1e-3, "{grey}");
    }
}
