//! From what the file says to a checked world.

use crate::builder::BodySpec;
use crate::error::BuildError;
use crate::expression::Function;
use crate::motion::Motion;
use crate::prescribed::at_time;
use crate::scene::{self, Scene, SceneError};
use crate::world::World;
use glam::DVec3;
use stickslip_certify::{BodyState, Wrench};
use stickslip_geometry::{MassProperties, Pose, Twist};

impl World {
    /// Builds the world of a scene.
    ///
    /// # Errors
    /// A [`SceneError`] at the body's place in the file where the world cannot be: bodies that overlap,
    /// an inertia that no body has, and the like.
    pub fn from_scene(scene: &Scene) -> Result<Self, SceneError> {
        let mut builder = Self::builder()
            .gravity(scene.gravity)
            .default_friction(scene.material.friction)
            .restitution(scene.material.restitution)
            .method(scene.step.method)
            .reading(scene.step.impact_friction)
            .error(scene.step.error, scene.step.until)
            .time_step(scene.step.h)
            .cone(scene.step.cone)
            .solver(scene.step.solver.clone())
            .tolerance(scene.step.tolerance);
        for body in &scene.bodies {
            builder = builder.body(body_spec(body));
        }
        for pair in &scene.contact_overrides {
            let [a, b] = &pair.bodies;
            if let Some(f) = pair.friction {
                builder = builder.pair_friction(a.clone(), b.clone(), f);
            }
            if let Some(e) = pair.restitution {
                builder = builder.pair_restitution(a.clone(), b.clone(), e);
            }
        }
        for force in &scene.forces {
            let (f, tau, point) = (force.force.clone(), force.torque.clone(), force.point);
            builder = builder.force(force.body.clone(), move |t, state: &BodyState| {
                let force = vector(&f, t);
                let lever = state.pose.orientation * point;
                Wrench {
                    force,
                    torque: vector(&tau, t) + lever.cross(force),
                }
            });
        }
        builder.build().map_err(|e| at_its_place(scene, &e))
    }
}

fn body_spec(body: &scene::Body) -> BodySpec {
    let pose = Pose {
        position: body.position,
        orientation: body.orientation,
    };
    let mass = match body.mass {
        scene::Mass::Unneeded => None,
        scene::Mass::Density(density) => MassProperties::with_density(&body.shape, density),
        scene::Mass::Total { mass, inertia } => {
            let given = inertia.map(|inertia| MassProperties { mass, inertia });
            given.or_else(|| MassProperties::with_mass(&body.shape, mass))
        }
    };
    BodySpec {
        name: body.name.clone(),
        shape: body.shape.clone(),
        mass,
        motion: match &body.motion {
            scene::Motion::Free => Motion::Free,
            scene::Motion::Fixed => Motion::fixed(pose),
            scene::Motion::Prescribed(path) => {
                let (path, orientation) = (path.clone(), body.orientation);
                Motion::path(move |t| at_time(&path, orientation, t))
            }
        },
        state: BodyState {
            pose,
            twist: Twist {
                linear: body.velocity,
                angular: body.angular_velocity,
            },
        },
        friction: Some(body.material.friction),
        restitution: Some(body.material.restitution),
    }
}

fn vector(f: &[Function; 3], t: f64) -> DVec3 {
    DVec3::new(f[0].value(t), f[1].value(t), f[2].value(t))
}

/// Points the error at the body it is about.
fn at_its_place(scene: &Scene, error: &BuildError) -> SceneError {
    let about: &str = match error {
        BuildError::Overlap { a, b, .. } => {
            // The one that stands later in the file is the one to move.
            let place = |name: &String| scene.bodies.iter().find(|s| s.name == *name);
            match (place(a), place(b)) {
                (Some(x), Some(y)) if y.span.start > x.span.start => b,
                _ => a,
            }
        }
        BuildError::DuplicateName { name } | BuildError::UnknownBody { name, .. } => name,
        BuildError::Body { body, .. } => body,
        BuildError::Setting { setting, .. } => setting,
    };
    let span = scene
        .bodies
        .iter()
        .find(|b| b.name == *about)
        .map_or(0..0, |b| b.span.clone());
    scene.error_at(span, error.to_string(), None)
}
