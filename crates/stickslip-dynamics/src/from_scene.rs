//! From what the file says to a checked world.

use crate::builder::{
    AxisSpec, BodySpec, GearSpec, HoldSpec, JointSpec, MaterialPair, MotorSpec, SpringSpec,
    WorldBuilder,
};
use crate::error::BuildError;
use crate::expression::{Function, STATE_NAMES};
use crate::motion::{Motion, SurfaceLaw, TimeFunction};
use crate::prescribed::at_time;
use crate::scene::{self, Scene, SceneError};
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;
use stickslip_geometry::mass::{centred, shifted};
use stickslip_geometry::{MassProperties, Pose, Twist};
use stickslip_model::joint::AXIS_NAMES;
use stickslip_model::{BodyState, Wrench};

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
            .torsion(scene.material.moments.torsion)
            .rolling(scene.material.moments.rolling)
            .method(scene.step.method)
            .reading(scene.step.impact_friction)
            .error(scene.step.error, scene.step.until)
            .time_step(scene.step.h)
            .cone(scene.step.cone)
            .contact(scene.step.contact)
            .solver(scene.step.solver.clone())
            .tolerance(scene.step.tolerance)
            .accept(scene.step.accept)
            .energy_check(scene.step.energy_check)
            .projection(scene.step.projection);
        for body in &scene.bodies {
            builder = builder.body(body_spec(body));
        }
        for pair in &scene.contact_overrides {
            builder = with_pair(builder, pair);
        }
        for pair in &scene.material_pairs {
            builder = builder.material_pair(material_pair(pair));
        }
        for force in &scene.forces {
            builder = builder.force(force.body.clone(), wrench_of(force));
        }
        for joint in &scene.joints {
            builder = builder.joint(joint_spec(joint));
        }
        for spring in &scene.springs {
            builder = builder.spring(spring_spec(spring));
        }
        for joint in &scene.joints {
            for spring in axis_springs(joint) {
                builder = builder.spring(spring);
            }
        }
        for gear in &scene.gears {
            builder = builder.gear(gear_spec(gear));
        }
        for frame in &scene.frames {
            builder = builder.frame(frame.name.clone(), frame.body.clone(), frame.pose);
        }
        builder.build().map_err(|e| at_its_place(scene, &e))
    }
}

/// What holds for one pair of bodies, whatever the bodies say.
fn with_pair(mut builder: WorldBuilder, pair: &scene::ContactPair) -> WorldBuilder {
    let [a, b] = &pair.bodies;
    if !pair.collide {
        builder = builder.ignore(a.clone(), b.clone());
    }
    if let Some(curve) = &pair.curve {
        builder = builder.pair_slip_curve(a.clone(), b.clone(), curve.function());
    } else if let Some(f) = pair.friction {
        builder = builder.pair_friction(a.clone(), b.clone(), f);
    }
    if let Some(e) = pair.restitution {
        builder = builder.pair_restitution(a.clone(), b.clone(), e);
    }
    if pair.torsion.is_some() || pair.rolling.is_some() {
        builder = builder.pair_moments(a.clone(), b.clone(), pair.torsion, pair.rolling);
    }
    builder
}

fn material_pair(pair: &scene::PairOfMaterials) -> MaterialPair {
    MaterialPair {
        materials: pair.materials.clone(),
        friction: pair.friction,
        curve: pair.curve.as_ref().map(scene::Curve::function),
        restitution: pair.restitution,
        torsion: pair.torsion,
        rolling: pair.rolling,
    }
}

fn gear_spec(gear: &scene::Gear) -> GearSpec {
    GearSpec {
        name: gear.name.clone(),
        joints: gear.joints.clone(),
        axes: gear.axes,
        ratio: gear.ratio,
        offset: gear.offset,
    }
}

/// The force at its point and the torque of a `[[force]]`, about the centre of mass.
fn wrench_of(force: &scene::Force) -> impl Fn(f64, &BodyState) -> Wrench + Send + Sync + 'static {
    let (f, tau, point) = (force.force.clone(), force.torque.clone(), force.point);
    move |t, state| {
        let numbers = state_numbers(state);
        let at = |f: &[Function; 3]| {
            let [x, y, z] = f.each_ref().map(|f| f.value_at(t, &numbers));
            DVec3::new(x, y, z)
        };
        let force = at(&f);
        let lever = state.pose.orientation * point;
        Wrench {
            force,
            torque: at(&tau) + lever.cross(force),
        }
    }
}

fn body_spec(body: &scene::Body) -> BodySpec {
    let pose = Pose {
        position: body.position,
        orientation: body.orientation,
    };
    // A free body's origin is its centre of mass.
    let shape = match (&body.motion, body.mass) {
        (scene::Mobility::Free, scene::Mass::Given { centre, .. }) => shifted(&body.shape, -centre),
        (scene::Mobility::Free, _) => centred(&body.shape),
        (scene::Mobility::Fixed | scene::Mobility::Prescribed(_), _) => body.shape.clone(),
    };
    let mass = match body.mass {
        scene::Mass::Unneeded => None,
        scene::Mass::Density(density) => MassProperties::with_density(&body.shape, density),
        scene::Mass::Total { mass, inertia } => {
            let given = inertia.map(|inertia| MassProperties { mass, inertia });
            given.or_else(|| MassProperties::with_mass(&body.shape, mass))
        }
        scene::Mass::Given { mass, inertia, .. } => Some(MassProperties { mass, inertia }),
    };
    BodySpec {
        name: body.name.clone(),
        shape,
        mass,
        motion: match &body.motion {
            scene::Mobility::Free => Motion::Free,
            scene::Mobility::Fixed => Motion::fixed(pose),
            scene::Mobility::Prescribed(path) => {
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
        material: body.made_of.clone(),
        friction: Some(body.material.friction),
        restitution: Some(body.material.restitution),
        torsion: Some(body.material.moments.torsion),
        rolling: Some(body.material.moments.rolling),
        groups: body.groups.clone(),
        collide: body.collide,
        any_inertia: matches!(body.mass, scene::Mass::Given { any: true, .. }),
        surfaces: body.surfaces.iter().map(surface_spec).collect(),
        grain: body.grain,
        colour: body.colour,
        curve: body.curve.as_ref().map(scene::Curve::function),
    }
}

fn surface_spec(surface: &scene::SurfaceMotion) -> (Option<DVec3>, SurfaceLaw) {
    let (velocity, spin) = (surface.velocity.clone(), surface.angular_velocity.clone());
    let at = |f: &[Function; 3], t: f64| DVec3::from_array(f.each_ref().map(|f| f.value(t)));
    let law = move |t: f64| Twist {
        linear: at(&velocity, t),
        angular: at(&spin, t),
    };
    (surface.face, Arc::new(law))
}

/// A spring for the damping, stiffness and armature of each axis that has any.
fn axis_springs(joint: &scene::Joint) -> impl Iterator<Item = SpringSpec> {
    let axes = joint.axes.iter().enumerate();
    axes.filter(|(_, axis)| axis.is_sprung())
        .map(|(k, axis)| SpringSpec {
            name: format!("{} {}", joint.name, AXIS_NAMES[k]),
            ends: scene::SpringEnds::Axis {
                joint: joint.name.clone(),
                axis: k,
            },
            stiffness: axis.stiffness,
            damping: axis.damping,
            inertance: axis.armature,
            rest: Some(axis.rest),
            explicit: false,
        })
}

fn joint_spec(joint: &scene::Joint) -> JointSpec {
    let time = |f: &Function| -> TimeFunction {
        let f = f.clone();
        Arc::new(move |t| f.value(t))
    };
    JointSpec {
        name: joint.name.clone(),
        bodies: joint.bodies.clone(),
        anchor: joint.anchor,
        frame: joint.frame,
        axes: joint.axes.each_ref().map(|axis| AxisSpec {
            hold: match &axis.hold {
                scene::AxisHold::Free => HoldSpec::Free,
                scene::AxisHold::Locked => HoldSpec::Locked,
                scene::AxisHold::Driven(f) => HoldSpec::Driven(time(f)),
            },
            limits: axis.limits,
            motor: axis.motor.as_ref().map(|m| MotorSpec {
                target: time(&m.target),
                goal: m.goal,
                force: m.force,
            }),
            friction: axis.friction,
        }),
        collide: joint.collide,
    }
}

fn spring_spec(spring: &scene::Spring) -> SpringSpec {
    SpringSpec {
        name: spring.name.clone(),
        ends: spring.ends.clone(),
        stiffness: spring.stiffness,
        damping: spring.damping,
        inertance: spring.inertance,
        rest: spring.rest,
        explicit: spring.explicit,
    }
}

/// The numbers of a body's state in formulas, in the order of their names.
fn state_numbers(state: &BodyState) -> [f64; STATE_NAMES.len()] {
    let (x, q) = (state.pose.position, state.pose.orientation);
    let (v, w) = (state.twist.linear, state.twist.angular);
    [
        x.x, x.y, x.z, v.x, v.y, v.z, q.w, q.x, q.y, q.z, w.x, w.y, w.z,
    ]
}

/// Points the error at the body it is about.
fn at_its_place(scene: &Scene, error: &BuildError) -> SceneError {
    let about: &str = match error {
        BuildError::Overlap { mover, .. } => mover,
        BuildError::DuplicateName { name } | BuildError::UnknownBody { name, .. } => name,
        BuildError::Body { body, .. } => body,
        BuildError::Joint { joint, .. } => joint,
        BuildError::Setting { setting, .. } => setting,
    };
    let bodies = scene.bodies.iter().map(|b| (&b.name, &b.span));
    let joints = scene.joints.iter().map(|j| (&j.name, &j.span));
    let springs = scene.springs.iter().map(|s| (&s.name, &s.span));
    let gears = scene.gears.iter().map(|g| (&g.name, &g.span));
    let joined = joints.chain(springs).chain(gears);
    let span = if matches!(error, BuildError::Joint { .. }) {
        joined.into_iter().find(|(name, _)| *name == about)
    } else {
        bodies.into_iter().find(|(name, _)| *name == about)
    };
    let span = span.map_or(0..0, |(_, span)| span.clone());
    scene.error_at(span, error.to_string(), help(scene, error))
}

/// What to do about bodies of one entry that all stand in one place.
fn help(scene: &Scene, error: &BuildError) -> Option<String> {
    let BuildError::Overlap { a, b, .. } = error else {
        return None;
    };
    let place = |name: &String| scene.bodies.iter().find(|body| body.name == *name);
    let (a, b) = (place(a)?, place(b)?);
    let counted = a.span == b.span && a.position == b.position;
    counted.then(|| {
        "bodies of a `count` stand apart by a formula of i, such as position = [\"0.3*i\", 0, 1]".into()
    })
}
