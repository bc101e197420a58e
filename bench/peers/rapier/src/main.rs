//! Rapier (f64) on a scene of `cargo xtask peers`.
//!
//! Usage: stickslip-with-rapier SETTING SCENE.json STATES EVERY LIMIT, as `bench/peers/stepped.py` says. Settings: `default`, the
//! engine's own; `x4`, four times the solver's iterations, Coulomb friction. Nothing is put to sleep in either.

use cpu_time::ProcessTime;
use rapier3d_f64::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::fmt::Write as _;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_program, setting, scene, states, every, limit] = arguments.as_slice() else {
        return Err("SETTING SCENE.json STATES EVERY LIMIT".into());
    };
    let scene: Value = serde_json::from_str(&std::fs::read_to_string(scene)?)?;
    let (mut world, free) = match build(setting, &scene) {
        Ok(built) => built,
        Err(lacks) => {
            println!("{}", json!({ "lacks": lacks }));
            return Ok(());
        }
    };
    let (every, limit): (usize, f64) = (every.parse()?, limit.parse()?);
    let steps = (number(&scene["until"]) / number(&scene["h"]) - 1e-9).ceil() as usize;
    let (mut text, mut times, mut spent, mut contacts) = (String::new(), vec![], 0.0, 0);
    sample(&mut text, 0, &world, &free);
    for step in 1..=steps {
        let start = ProcessTime::now();
        world.step();
        let time = start.elapsed().as_secs_f64();
        times.push(time);
        spent += time;
        let over = spent > limit;
        if step % every == 0 || step == steps || over {
            sample(&mut text, step, &world, &free);
            contacts = contacts.max(touching(&world));
        }
        if over {
            break;
        }
    }
    std::fs::write(states, text)?;
    let done = times.len();
    times.sort_by(f64::total_cmp);
    println!(
        "{}",
        json!({ "steps": done, "cpu": spent, "median": times[done / 2], "worst": times[done - 1],
                "contacts": contacts, "timeout": done < steps })
    );
    Ok(())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array();
    list.map(|a| a.iter().map(number).collect())
        .unwrap_or_default()
}

fn vector(value: &Value) -> Vector {
    let v = numbers(value);
    Vector::new(v[0], v[1], v[2])
}

fn vectors(value: &Value) -> Vec<Vector> {
    let list = value.as_array();
    list.map(|a| a.iter().map(vector).collect())
        .unwrap_or_default()
}

/// The world of a scene and its free bodies; or what the engine has not.
fn build(setting: &str, scene: &Value) -> Result<(PhysicsWorld, Vec<RigidBodyHandle>), String> {
    let mut world = PhysicsWorld::default();
    world.gravity = vector(&scene["gravity"]);
    let parameters = &mut world.integration_parameters;
    parameters.dt = number(&scene["h"]);
    parameters.min_ccd_dt = parameters.dt / 100.0;
    if setting == "x4" {
        parameters.num_solver_iterations *= 4;
        parameters.friction_model = FrictionModel::Coulomb;
    }
    let mut free = vec![];
    for body in scene["bodies"].as_array().into_iter().flatten() {
        let collider = shape(body)?
            .friction(number(&scene["mu"]))
            .restitution(number(&scene["restitution"]));
        if body["kind"] == "half-space" {
            world.colliders.insert(collider);
            continue;
        }
        let q = numbers(&body["quat"]);
        let place = |rigid: RigidBodyBuilder| {
            let mut rigid = rigid.translation(vector(&body["pos"]));
            rigid.position.rotation = Rotation::from_xyzw(q[1], q[2], q[3], q[0]);
            rigid
        };
        match (body["mass"].as_f64(), body["moves"].is_null()) {
            (Some(mass), _) => {
                let rigid = place(RigidBodyBuilder::dynamic())
                    .linvel(vector(&body["vel"]))
                    .angvel(vector(&body["ang"]))
                    .can_sleep(false);
                free.push(world.insert(rigid, collider.mass(mass)).0);
            }
            (None, true) => {
                world.insert(place(RigidBodyBuilder::fixed()), collider);
            }
            (None, false) => {
                let moving = RigidBodyBuilder::kinematic_velocity_based();
                world.insert(place(moving.linvel(vector(&body["moves"]))), collider);
            }
        }
    }
    Ok((world, free))
}

fn shape(body: &Value) -> Result<ColliderBuilder, String> {
    let dims = &body["dims"];
    let d = numbers(dims);
    let shape = match body["kind"].as_str().unwrap_or_default() {
        "ball" => ColliderBuilder::ball(d[0]),
        "box" => ColliderBuilder::cuboid(d[0] / 2.0, d[1] / 2.0, d[2] / 2.0),
        "capsule" => ColliderBuilder::capsule_z(d[1] / 2.0, d[0]),
        // The engine's cylinders are along y.
        "cylinder" => {
            ColliderBuilder::cylinder(d[1] / 2.0, d[0]).rotation(Vector::new(FRAC_PI_2, 0.0, 0.0))
        }
        "hull" => ColliderBuilder::convex_hull(&vectors(dims)).ok_or("a hull so thin")?,
        "half-space" => {
            let normal = Vector::new(d[0], d[1], d[2]).normalize();
            let unit = rapier3d_f64::na::Unit::new_unchecked(normal);
            ColliderBuilder::halfspace(unit).translation(normal * d[3])
        }
        "mesh" => {
            let corners = dims["triangles"].as_array().into_iter().flatten();
            let corners = corners.map(|t| [0, 1, 2].map(|k| number(&t[k]) as u32));
            triangles(vectors(&dims["vertices"]), corners.collect())?
        }
        "height-field" => field(dims)?,
        other => return Err(format!("a {other}")),
    };
    Ok(shape)
}

fn triangles(points: Vec<Vector>, corners: Vec<[u32; 3]>) -> Result<ColliderBuilder, String> {
    ColliderBuilder::trimesh(points, corners).map_err(|e| format!("such a mesh ({e})"))
}

/// Two triangles for each cell.
fn field(dims: &Value) -> Result<ColliderBuilder, String> {
    let rows: Vec<Vec<f64>> = dims["heights"]
        .as_array()
        .into_iter()
        .flatten()
        .map(numbers)
        .collect();
    let (spacing, wide) = (numbers(&dims["spacing"]), rows[0].len());
    let at = |i: usize, n: usize, d: f64| (i as f64 - (n - 1) as f64 / 2.0) * d;
    let (mut points, mut corners) = (vec![], vec![]);
    for (j, row) in rows.iter().enumerate() {
        for (i, z) in row.iter().enumerate() {
            let (x, y) = (at(i, wide, spacing[0]), at(j, rows.len(), spacing[1]));
            points.push(Vector::new(x, y, *z));
            if j + 1 < rows.len() && i + 1 < wide {
                let (a, up) = ((j * wide + i) as u32, wide as u32);
                corners.extend([[a, a + 1, a + up], [a + 1, a + up + 1, a + up]]);
            }
        }
    }
    triangles(points, corners)
}

fn touching(world: &PhysicsWorld) -> usize {
    let pairs = world.narrow_phase.contact_pairs();
    let manifolds = pairs.flat_map(|pair| pair.manifolds());
    manifolds.map(|m| m.data.solver_contacts.len()).sum()
}

fn sample(text: &mut String, step: usize, world: &PhysicsWorld, free: &[RigidBodyHandle]) {
    let _ = writeln!(text, "S {step}");
    for handle in free {
        let body = &world.bodies[*handle];
        let (p, q) = (body.translation(), body.rotation());
        let (v, w) = (body.linvel(), body.angvel());
        let numbers = [
            p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z,
        ];
        let words = numbers.map(|x| format!("{x:?}"));
        let _ = writeln!(text, "{}", words.join(" "));
    }
}
