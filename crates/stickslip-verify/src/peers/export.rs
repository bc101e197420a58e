//! A scene as JSON for other engines: shapes, masses, poses, velocities, friction, restitution, h, until. Lengths in m, masses in
//! kg, quaternions as w, x, y, z; bodies in the order of the world.

use serde_json::{Value, json};
use stickslip::dynamics::scene::{Body, Mobility};
use stickslip::prelude::{BodyState, DQuat, DVec3, MassProperties, Scene, Shape, World};

/// The scene in words that all engines know.
///
/// # Errors
/// What the scene has that they do not: joints, motions by formulas, materials that differ, other shapes.
pub fn json(scene: &Scene, world: &World, family: &str) -> Result<Value, String> {
    let joined = !(scene.joints.is_empty() && scene.springs.is_empty() && scene.gears.is_empty());
    let pairs = !(scene.contact_overrides.is_empty() && scene.material_pairs.is_empty());
    for (there, what) in [
        (joined, "joints or springs"),
        (pairs, "settings of pairs"),
        (!scene.forces.is_empty(), "forces"),
    ] {
        if there {
            return Err(what.into());
        }
    }
    for body in &scene.bodies {
        plain(scene, body).map_err(|what| format!("{what} ({})", body.name))?;
    }
    let states = world.states();
    let model = world.model().bodies.iter().zip(states);
    let bodies: Result<Vec<Value>, String> = model
        .map(|(body, state)| {
            let told = entry(&body.shape, body.mass.as_ref(), state);
            told.map_err(|what| format!("{what} ({})", body.name))
                .map(|mut entry| {
                    entry["name"] = json!(body.name);
                    entry
                })
        })
        .collect();
    Ok(json!({
        "family": family,
        "name": scene.title,
        "h": scene.step.h,
        "until": scene.step.until,
        "mu": scene.material.friction.slide,
        "restitution": scene.material.restitution,
        "gravity": scene.gravity.to_array(),
        "bodies": bodies?,
        "joints": [],
    }))
}

/// Nothing about a body but shape, mass, pose, velocity and the one material.
fn plain(scene: &Scene, body: &Body) -> Result<(), &'static str> {
    let friction = body.material.friction;
    let simple = friction.stick == friction.slide && body.curve.is_none() && body.grain.is_none();
    let moments = body.material.moments != Default::default();
    for (there, what) in [
        (
            matches!(body.motion, Mobility::Prescribed(_)),
            "a prescribed motion",
        ),
        (!simple || moments, "friction other than one coefficient"),
        (body.material != scene.material, "materials that differ"),
        (!body.surfaces.is_empty(), "a surface that moves"),
        (
            !body.groups.is_empty() || !body.collide,
            "bodies that do not collide",
        ),
    ] {
        if there {
            return Err(what);
        }
    }
    Ok(())
}

/// A body: kind, dimensions, pose, mass and velocity.
fn entry(
    shape: &Shape,
    mass: Option<&MassProperties>,
    state: &BodyState,
) -> Result<Value, &'static str> {
    let (mut position, mut turn) = (state.pose.position, state.pose.orientation);
    let (kind, dims) = match shape {
        Shape::Ball { radius } => ("ball", json!([radius])),
        Shape::Box { half } => ("box", json!((*half * 2.0).to_array())),
        Shape::Cylinder { radius, half } => ("cylinder", json!([radius, 2.0 * half])),
        Shape::Capsule { radius, half } => ("capsule", json!([radius, 2.0 * half])),
        Shape::Hull(hull) => {
            let points: Vec<[f64; 3]> = hull.vertices().iter().map(|p| p.to_array()).collect();
            ("hull", json!(points))
        }
        Shape::HalfSpace { normal, offset } => {
            // n·x = offset in the world's frame: the others' planes have no pose.
            let n = turn * *normal;
            let offset = offset + n.dot(position);
            (position, turn) = (DVec3::ZERO, DQuat::IDENTITY);
            ("half-space", json!([n.x, n.y, n.z, offset]))
        }
        Shape::Cone { .. } => return Err("a cone"),
        Shape::Compound(_) => return Err("a compound"),
        Shape::Mesh(_) | Shape::Triangle(_) => return Err("a mesh"),
        Shape::Points { .. } => return Err("points"),
    };
    if let Some(given) = mass {
        // The others take the inertia of the shape, with uniform density.
        let own = MassProperties::with_mass(shape, given.mass).ok_or("no mass of its own")?;
        let largest = own.inertia.to_cols_array().into_iter().fold(0.0, f64::max);
        if !(own.inertia).abs_diff_eq(given.inertia, 1e-9 * largest) {
            return Err("an inertia that is not the shape's");
        }
    }
    Ok(json!({
        "kind": kind,
        "dims": dims,
        "pos": position.to_array(),
        "quat": [turn.w, turn.x, turn.y, turn.z],
        "mass": mass.map(|m| m.mass),
        "vel": state.twist.linear.to_array(),
        "ang": state.twist.angular.to_array(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ball, ground};
    use stickslip::prelude::DMat3;

    const SCENE: &str = r#"
        title = "three"
        [step]
        h = 0.01
        until = 0.1
        [material]
        friction = 0.3
        [[body]]
        name = "slope"
        motion = "fixed"
        shape = { half-space = { normal = [0, 0, 1], offset = 0.1 } }
        position = [0, 0, 0.25]
        [[body]]
        name = "box"
        shape = { box = { size = [0.4, 0.2, 0.6] } }
        mass = 2.5
        position = [1, 2, 3]
        orientation = { axis = [0, 1, 2], angle = 0.7 }
        velocity = [0.1, 0, -0.2]
        angular-velocity = [0, 3, 0]
        [[body]]
        name = "rod"
        shape = { capsule = { radius = 0.1, length = 0.3 } }
        mass = 0.125
        position = [-1, 0, 3]
    "#;

    fn both(text: &str) -> Result<(World, Value), String> {
        let scene = Scene::parse(text, "three", &[]).map_err(|e| e.to_string())?;
        let world = World::from_scene(&scene).map_err(|e| e.to_string())?;
        let told = json(&scene, &world, "test")?;
        Ok((world, told))
    }

    fn refused(text: &str) -> String {
        both(text).err().expect("something others lack")
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value
            .as_array()
            .map(|a| a.iter().filter_map(Value::as_f64).collect())
            .unwrap_or_default()
    }

    #[test]
    fn masses_poses_and_velocities_come_back_from_the_text() {
        let (world, told) = both(SCENE).expect("a plain scene");
        let told: Value = serde_json::from_str(&told.to_string()).expect("JSON");
        assert_eq!(told["mu"], 0.3);
        let bodies = told["bodies"].as_array().expect("bodies");
        for (body, told) in world.model().bodies.iter().zip(bodies) {
            assert_eq!(told["name"], body.name.as_str());
            assert_eq!(told["mass"].as_f64(), body.mass.map(|m| m.mass));
            let state = world.body(&body.name).expect("a state");
            if body.is_free() {
                let (p, q) = (numbers(&told["pos"]), numbers(&told["quat"]));
                assert_eq!(p, state.pose.position.to_array());
                let turn = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
                assert_eq!(turn, state.pose.orientation);
                assert_eq!(numbers(&told["vel"]), state.twist.linear.to_array());
                assert_eq!(numbers(&told["ang"]), state.twist.angular.to_array());
            }
        }
        let dims = |name: &str| numbers(&bodies[world.index(name).expect("a body")]["dims"]);
        assert_eq!(dims("box"), [0.4, 0.2, 0.6]);
        assert_eq!(dims("rod"), [0.1, 0.3]);
        // The plane stands where pose and offset put it: z = 0.25 + 0.1.
        assert_eq!(dims("slope"), [0.0, 0.0, 1.0, 0.35]);
    }

    #[test]
    fn what_others_lack_is_named() {
        let cone = SCENE.replace("capsule = {", "cone = {");
        assert_eq!(refused(&cone), "a cone (rod)");
        let own = SCENE.replace("mass = 0.125", "mass = 0.125\nfriction = 0.9");
        assert_eq!(refused(&own), "materials that differ (rod)");
        let group = SCENE.replace("mass = 0.125", "mass = 0.125\ncollide = false");
        assert_eq!(refused(&group), "bodies that do not collide (rod)");
    }

    #[test]
    fn an_inertia_of_its_own_is_named() {
        let mut body = ball("ball", 0.1, 1.0);
        body = body.with_inertia(DMat3::from_diagonal(DVec3::splat(0.1)));
        let world = World::builder()
            .body(ground())
            .body(body.at(DVec3::Z))
            .build()
            .expect("a world");
        let k = world.index("ball").expect("the ball");
        let (body, state) = (&world.model().bodies[k], &world.states()[k]);
        let told = entry(&body.shape, body.mass.as_ref(), state);
        assert_eq!(told.unwrap_err(), "an inertia that is not the shape's");
    }
}
