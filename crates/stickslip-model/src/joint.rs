//! Joints: what may move between two bodies, and its coordinates.
//!
//! Every joint has a frame on each of its two bodies and six axes: the translations x, y, z of the second
//! frame's origin along the first frame's axes, and three rotations rx, ry, rz with
//! R = R_x(rx) R_y(ry) R_z(rz), R the second frame seen from the first. A hinge leaves rx free, a slider x, a
//! ball all three rotations, a fixed joint none. ry stays within ±π/2; at ±π/2 rx and rz are one.

use crate::step::BodyState;
use glam::{DMat3, DQuat, DVec3};
use stickslip_geometry::Pose;

/// Number of axes of a joint.
pub const AXES: usize = 6;

/// Names of the axes: three translations (m), three rotations (rad).
pub const AXIS_NAMES: [&str; AXES] = ["x", "y", "z", "rx", "ry", "rz"];

/// What holds an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Nothing.
    #[default]
    Free,
    /// Its coordinate is zero.
    Locked,
    /// Its coordinate is a given function of time.
    Driven,
}

/// What a motor tries to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// A rate, m/s or rad/s, given as a function of time.
    Velocity,
    /// A coordinate, m or rad, given as a function of time, approached at most at this rate.
    Position {
        /// Largest rate, m/s or rad/s; may be infinite.
        speed: f64,
    },
    /// A coordinate as well, drawn to it by the force γ(target − c) − δ ċ.
    Servo {
        /// γ ≥ 0, N/m or N m/rad.
        stiffness: f64,
        /// δ ≥ 0, N s/m or N m s/rad.
        damping: f64,
    },
    /// A rate as well, drawn to it by the force δ(target − ċ).
    Governor {
        /// δ > 0, N s/m or N m s/rad.
        damping: f64,
    },
    /// A force or torque, N or N m: it acts along the gradient of the start of the step, like any applied force, and has no row.
    Effort,
}

impl Goal {
    /// The rate a motor aims at over a step of length h, from the coordinate `from`; `target` is the value of its function
    /// at the end of the step.
    ///
    /// A servo is linear in the step: p = −(hγ(c⁺ − target) + δ(c⁺ − c)). As a row this is u + C p = 0 with u the rate less
    /// γ(target − c)/(hγ + δ), and C = 1/(h²γ + hδ): stable at every h, whatever the gains.
    #[must_use]
    pub fn rate(self, from: f64, target: f64, h: f64) -> f64 {
        match self {
            Self::Velocity | Self::Governor { .. } => target,
            Self::Position { speed } => ((target - from) / h).clamp(-speed, speed),
            Self::Servo { stiffness, damping } => {
                stiffness * (target - from) / (h * stiffness + damping)
            }
            Self::Effort => 0.0,
        }
    }

    /// C of the motor's row in a step of length h, 1/kg or 1/(kg m²): zero for one that is rigid within its force.
    #[must_use]
    pub fn compliance(self, h: f64) -> f64 {
        match self {
            Self::Servo { stiffness, damping } => 1.0 / (h * (h * stiffness + damping)),
            Self::Governor { damping } => 1.0 / (h * damping),
            Self::Velocity | Self::Position { .. } | Self::Effort => 0.0,
        }
    }
}

/// What the drives and motors of one joint aim at, at the end of the step: values of the scene's functions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aims {
    /// Coordinates of driven axes, m or rad.
    pub hold: [f64; AXES],
    /// Rates or coordinates that motors aim at.
    pub motor: [f64; AXES],
}

/// Below this cosine of ry, rx and rz cannot be told apart.
pub const SINGULAR: f64 = 1e-6;

/// A motor on one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// What it tries to reach.
    pub goal: Goal,
    /// Largest force or torque, N or N m; may be infinite.
    pub force: f64,
}

/// One axis of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// What holds it.
    pub hold: Hold,
    /// Least and largest coordinate, m or rad; either may be infinite.
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Dry friction: largest force or torque against motion, N or N m.
    pub friction: f64,
}

impl Axis {
    /// Does anything act along this axis?
    #[must_use]
    pub fn acts(&self) -> bool {
        self.hold != Hold::Free
            || self.limits.is_some()
            || self.motor.is_some()
            || self.friction > 0.0
    }

    /// Is the coordinate `c` at its lower, at its upper limit? Within `rounding`, in its own unit.
    #[must_use]
    pub fn at_limits(&self, c: f64, rounding: f64) -> [bool; 2] {
        self.limits.map_or([false; 2], |[lo, hi]| {
            [c <= lo + rounding, c >= hi - rounding]
        })
    }
}

/// One joint between two bodies, or a body and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Indices into the model; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Origin of the joint's frame on each body, m, body frame (world frame for the world).
    pub anchors: [DVec3; 2],
    /// The joint's frame on each body: turns joint vectors into body vectors.
    pub frames: [DQuat; 2],
    /// The axes x, y, z, rx, ry, rz.
    pub axes: [Axis; AXES],
    /// Length that turns angles into distances in residuals, m: the least radius of gyration of the bodies.
    pub length: f64,
}

/// A joint at one place of its bodies: coordinates, and the directions in which its forces act.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placed {
    /// Origin of the second frame, world, m: the one point at which both bodies feel the force.
    pub point: DVec3,
    /// x, y, z in m; rx, ry, rz in rad, within ±π.
    pub coordinates: [f64; AXES],
    /// For the translations, directions d of the force (d at `point` on the second body, −d on the first);
    /// for the rotations, directions g of the torque, with rate of the angle g·(ω_b − ω_a). World frame.
    pub directions: [DVec3; AXES],
    /// cos ry: where it vanishes, rx and rz are one and their directions grow without bound.
    pub regular: f64,
}

/// Along which gradients ∇c of its coordinates the impulses of a joint act in a step.
///
/// Those of the start are the SHAKE scheme, whose energy does not drift. A body of inertia I that joints pull by p at levers r
/// swings about the line of the pull with the frequency Ω, (hΩ)² = h p r/I; where that is above 4 the scheme is unstable, and
/// soon has no solution. The gradients of the middle have one for every pull; they lose energy, at first order in h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Directions and levers of the start of the step.
    #[default]
    Start,
    /// Directions and levers with every body halfway between its poses at start and end. A torque on a body counts as carried
    /// back with it to the start of the step, where the equation of its spin is written.
    Middle,
}

/// What a joint (or a spring) did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointImpulse {
    /// Along which gradients its impulses act; springs act along those of the start.
    pub along: Along,
    /// Coordinates at the end of the step, m and rad; turns of rx and rz are counted. Of a spring: its
    /// elongation, or the three components of it where its length at rest is zero. Of a gear: first, what its equation misses.
    pub coordinates: [f64; AXES],
    /// Impulses of what holds the axes and of their limits, N s and N m s, on the second body. Of a spring:
    /// its impulse. Of a gear: first, its impulse along the axis that follows.
    pub hold: [f64; AXES],
    /// Impulses of the motors.
    pub motor: [f64; AXES],
    /// Impulses of dry friction.
    pub friction: [f64; AXES],
    /// All of it on the second body, at the origin of the second frame (of a spring: at its second end), world
    /// frame, N s. The first body feels the opposite at the same point (of a spring: at its first end).
    pub linear: DVec3,
    /// The torque's part of it, world frame, N m s.
    pub angular: DVec3,
}

impl JointImpulse {
    /// The sum of what acts along each axis, N s and N m s.
    #[must_use]
    pub fn total(&self) -> [f64; AXES] {
        std::array::from_fn(|k| self.hold[k] + self.motor[k] + self.friction[k])
    }
}

/// A rotation that takes x to `axis` (a unit vector): the frame of a joint about or along that axis.
#[must_use]
pub fn frame_along(axis: DVec3) -> DQuat {
    let [n, t1, t2] = stickslip_geometry::frame::contact_frame(axis);
    let q = DQuat::from_mat3(&DMat3::from_cols(n, t1, t2));
    // Twice: the first division leaves a rounding error in the norm.
    let q = q / q.length();
    q / q.length()
}

/// Pose of one end: that of the body, or the world itself.
#[must_use]
pub fn pose_of(states: &[BodyState], body: Option<usize>) -> Pose {
    body.map_or(Pose::IDENTITY, |i| states[i].pose)
}

impl Joint {
    /// A joint with all axes free, at the origins of the two bodies.
    #[must_use]
    pub fn free(name: impl Into<String>, bodies: [Option<usize>; 2]) -> Self {
        Self {
            name: name.into(),
            bodies,
            anchors: [DVec3::ZERO; 2],
            frames: [DQuat::IDENTITY; 2],
            axes: [Axis::default(); AXES],
            length: 1.0,
        }
    }

    /// Where the joint is when its bodies are at `poses`.
    #[must_use]
    pub fn place(&self, poses: [&Pose; 2]) -> Placed {
        let a = poses[0].orientation * self.frames[0];
        let b = poses[1].orientation * self.frames[1];
        let point = poses[1].to_world(self.anchors[1]);
        let apart = point - poses[0].to_world(self.anchors[0]);
        let e = [a * DVec3::X, a * DVec3::Y, a * DVec3::Z];
        let mut placed = Placed {
            point,
            coordinates: [
                e[0].dot(apart),
                e[1].dot(apart),
                e[2].dot(apart),
                0.0,
                0.0,
                0.0,
            ],
            directions: [e[0], e[1], e[2], DVec3::ZERO, DVec3::ZERO, DVec3::ZERO],
            regular: 1.0,
        };
        // R = R_x R_y R_z has R_02 = sin ry, (R_00, R_01) = cos ry (cos rz, −sin rz) and
        // (R_12, R_22) = cos ry (−sin rx, cos rx).
        let r = Pose {
            position: DVec3::ZERO,
            orientation: a.conjugate() * b,
        }
        .rotation();
        let row = |i: usize, j: usize| r.col(j)[i];
        let cosine = libm::sqrt(row(0, 0) * row(0, 0) + row(0, 1) * row(0, 1));
        placed.regular = cosine;
        let rx = libm::atan2(-row(1, 2), row(2, 2));
        placed.coordinates[3] = rx;
        placed.coordinates[4] = libm::atan2(row(0, 2), cosine);
        placed.coordinates[5] = libm::atan2(-row(0, 1), row(0, 0));
        // The rotations are about u1 = e_x, u2 = R_x e_y and u3 = the second frame's z; the angles' rates
        // are g·ω with g dual to u: g1 = u2 × u3/cos ry, g2 = u2, g3 = u1 × u2/cos ry.
        // At ±π/2 the directions are large but finite: axes that are free there carry no impulse.
        let cosine = cosine.max(1e-9);
        let (u1, u3) = (e[0], b * DVec3::Z);
        let u2 = e[1] * libm::cos(rx) + e[2] * libm::sin(rx);
        placed.directions[3] = u2.cross(u3) / cosine;
        placed.directions[4] = u2;
        placed.directions[5] = u1.cross(u2) / cosine;
        placed
    }

    /// The joint at the given states.
    #[must_use]
    pub fn placed(&self, states: &[BodyState]) -> Placed {
        let [a, b] = self.bodies.map(|body| pose_of(states, body));
        self.place([&a, &b])
    }

    /// The rate of each axis at these velocities, m/s or rad/s, with bodies placed as they are in `placed`.
    #[must_use]
    pub fn rates(&self, placed: &Placed, states: &[BodyState]) -> [f64; AXES] {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (body, sign) in self.bodies.into_iter().zip([-1.0, 1.0]) {
            if let Some(k) = body {
                let twist = &states[k].twist;
                linear += twist.at(placed.point - states[k].pose.position) * sign;
                angular += twist.angular * sign;
            }
        }
        std::array::from_fn(|k| placed.directions[k].dot(if k < 3 { linear } else { angular }))
    }

    /// 1 for the translations, `length` for the rotations: coordinates times this are in m.
    #[must_use]
    pub fn scale(&self, axis: usize) -> f64 {
        if axis < 3 { 1.0 } else { self.length }
    }

    /// How well a coordinate (times its scale) can be known, m: 32 ε times the lengths it comes from.
    #[must_use]
    pub fn rounding(&self, states: &[BodyState]) -> f64 {
        let mut size = self.length;
        for (body, anchor) in self.bodies.into_iter().zip(self.anchors) {
            size += pose_of(states, body).position.length() + anchor.length();
        }
        32.0 * f64::EPSILON * size
    }
}

impl Placed {
    /// Coordinates with the turns of rx and rz counted: those within half a turn of `near`.
    #[must_use]
    pub fn near(&self, near: &[f64; AXES]) -> [f64; AXES] {
        let mut c = self.coordinates;
        for k in [3, 5] {
            let turn = 2.0 * std::f64::consts::PI;
            c[k] += turn * libm::round((near[k] - c[k]) / turn);
        }
        c
    }

    /// Force at `point` and torque on the second body of the impulses `p` along the axes, world frame. The
    /// first body feels the opposite ones at the same point.
    #[must_use]
    pub fn wrench(&self, p: &[f64; AXES]) -> (DVec3, DVec3) {
        let d = &self.directions;
        (
            d[0] * p[0] + d[1] * p[1] + d[2] * p[2],
            d[3] * p[3] + d[4] * p[4] + d[5] * p[5],
        )
    }

    /// Inverse effective mass of one axis, 1/kg or 1/(kg m²): dᵀM⁻¹d over the bodies that are free, each given
    /// with its position, 1/m and I⁻¹ (world frame).
    #[must_use]
    pub fn response(&self, axis: usize, free: &[Option<(DVec3, f64, DMat3)>; 2]) -> f64 {
        let d = self.directions[axis];
        let mut sum = 0.0;
        for (position, inverse_mass, inverse_inertia) in free.iter().flatten() {
            let (force, torque) = if axis < 3 {
                (d, (self.point - *position).cross(d))
            } else {
                (DVec3::ZERO, d)
            };
            sum += force.length_squared() * inverse_mass + torque.dot(*inverse_inertia * torque);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::{Twist, pose::exp};

    /// A six-dof joint between two bodies in general position.
    fn general() -> (Joint, [Pose; 2], [Twist; 2]) {
        let mut joint = Joint::free("j", [Some(0), Some(1)]);
        joint.anchors = [DVec3::new(0.3, -0.2, 0.5), DVec3::new(-0.1, 0.4, 0.2)];
        joint.frames = [
            exp(DVec3::new(0.3, 0.1, -0.7)),
            exp(DVec3::new(-0.2, 0.5, 0.4)),
        ];
        for axis in &mut joint.axes {
            axis.hold = Hold::Locked;
        }
        let pose = |x: DVec3, r: DVec3| Pose {
            position: x,
            orientation: exp(r),
        };
        let twist = |v: DVec3, w: DVec3| Twist {
            linear: v,
            angular: w,
        };
        (
            joint,
            [
                pose(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.4, -0.3, 0.2)),
                pose(DVec3::new(1.3, 1.8, 2.6), DVec3::new(-0.1, 0.6, 0.3)),
            ],
            [
                twist(DVec3::new(0.3, -0.8, 0.1), DVec3::new(0.7, 0.2, -0.9)),
                twist(DVec3::new(-0.4, 0.5, 0.6), DVec3::new(-0.3, 1.1, 0.5)),
            ],
        )
    }

    #[test]
    fn the_directions_are_the_gradients_of_the_coordinates() {
        let (joint, poses, twists) = general();
        let placed = joint.place([&poses[0], &poses[1]]);
        let h = 1e-6;
        let at = |s: f64| {
            let moved = [0, 1].map(|k| poses[k].moved(&twists[k], s * h));
            joint.place([&moved[0], &moved[1]]).coordinates
        };
        let (plus, minus) = (at(1.0), at(-1.0));
        for k in 0..AXES {
            let rate = (plus[k] - minus[k]) / (2.0 * h);
            let d = placed.directions[k];
            let exact = if k < 3 {
                let [a, b] = [0, 1].map(|i| twists[i].at(placed.point - poses[i].position));
                d.dot(b - a)
            } else {
                d.dot(twists[1].angular - twists[0].angular)
            };
            assert!(
                (rate - exact).abs() < 1e-9,
                "{}: {rate} {exact}",
                AXIS_NAMES[k]
            );
        }
    }

    #[test]
    fn the_angles_are_those_of_the_rotation() {
        let (mut joint, _, _) = general();
        joint.frames = [DQuat::IDENTITY; 2];
        for angles in [[0.3, -0.4, 0.5], [3.0, 1.5, -3.0], [1e-9, -1e-9, 1e-9]] {
            let q =
                exp(DVec3::X * angles[0]) * exp(DVec3::Y * angles[1]) * exp(DVec3::Z * angles[2]);
            let pose = Pose {
                position: DVec3::ZERO,
                orientation: q,
            };
            let c = joint.place([&Pose::IDENTITY, &pose]).coordinates;
            for k in 0..3 {
                assert!((c[3 + k] - angles[k]).abs() < 1e-15 + 1e-14 * angles[k].abs());
            }
        }
    }

    #[test]
    fn turns_are_counted_from_where_the_joint_was() {
        let placed = Placed {
            coordinates: [0.0, 0.0, 0.0, -3.0, 0.0, 0.1],
            ..Placed::default()
        };
        let turn = 2.0 * std::f64::consts::PI;
        let c = placed.near(&[0.0, 0.0, 0.0, 3.1 + 3.0 * turn, 0.0, 0.0]);
        assert_eq!(c[3], -3.0 + 4.0 * turn);
        assert_eq!(c[5], 0.1);
    }
}
