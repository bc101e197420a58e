//! From what the file says to a checked world.

use crate::builder::BodySpec;
use crate::error::BuildError;
use crate::expression::Function;
use crate::motion::Motion;
use crate::scene::{self, Scene, SceneError};
use crate::world::World;
use glam::{DQuat, DVec3};
use stickslip_certify::{BodyState, Wrench};
use stickslip_geometry::mass::centred;
use stickslip_geometry::{MassProperties, Pose, Twist, pose::exp};

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
            .time_step(scene.step.h)
            .cone(scene.step.cone)
            .contact(scene.step.contact)
            .solver(scene.step.solver.clone())
            .tolerance(scene.step.tolerance);
        for body in &scene.bodies {
            builder = builder.body(body_spec(body));
        }
        for pair in &scene.contact_overrides {
            if let Some(f) = pair.friction {
                let [a, b] = &pair.bodies;
                builder = builder.pair_friction(a.clone(), b.clone(), f);
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
    // A free body's origin is its centre of mass.
    let shape = match body.motion {
        scene::Motion::Free => centred(&body.shape),
        scene::Motion::Fixed | scene::Motion::Prescribed(_) => body.shape.clone(),
    };
    let mass = match body.mass {
        scene::Mass::Unneeded => None,
        scene::Mass::Density(density) => MassProperties::with_density(&body.shape, density),
        scene::Mass::Total { mass, inertia } => {
            MassProperties::with_mass(&body.shape, mass).map(|m| MassProperties {
                inertia: inertia.unwrap_or(m.inertia),
                ..m
            })
        }
    };
    BodySpec {
        name: body.name.clone(),
        shape,
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
    }
}

fn vector(f: &[Function; 3], t: f64) -> DVec3 {
    DVec3::new(f[0].value(t), f[1].value(t), f[2].value(t))
}

/// Pose and velocity of a prescribed body: q(t) = exp(angle(t) axis) q₀, and their exact derivatives.
fn at_time(path: &scene::Prescribed, orientation: DQuat, t: f64) -> BodyState {
    let [x, y, z] = [0, 1, 2].map(|i| path.position[i].jet(t));
    let angle = path.angle.jet(t);
    BodyState {
        pose: Pose {
            position: DVec3::new(x.value, y.value, z.value),
            orientation: (exp(path.axis * angle.value) * orientation).normalize(),
        },
        twist: Twist {
            linear: DVec3::new(x.rate, y.rate, z.rate),
            angular: path.axis * angle.rate,
        },
    }
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
