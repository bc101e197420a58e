//! Springs and dampers: rows whose impulse follows from their length.

use crate::joint::{AXES, Joint, pose_of};
use crate::model::Model;
use crate::step::BodyState;
use glam::DVec3;
use stickslip_geometry::Pose;

/// What a spring is attached to.
#[derive(Clone, Debug, PartialEq)]
pub enum Ends {
    /// Two points of two bodies, or of a body and the world.
    Points {
        /// Indices into the model; `None` is the world.
        bodies: [Option<usize>; 2],
        /// The points, m, body frame (world frame for the world).
        points: [DVec3; 2],
    },
    /// An axis of a joint.
    Axis {
        /// Index of the joint.
        joint: usize,
        /// Index of the axis.
        axis: usize,
    },
}

/// A spring with a damper and an inerter in parallel.
///
/// Its elongation is φ = |x_b − x_a| − rest (or coordinate − rest of a joint's axis), and its force on the
/// second body along the growing φ is −γ φ − δ dφ/dt − a d²φ/dt²; a is the inertance, such as that of a rotor behind a gear. A spring between points whose length at rest is zero
/// has the three components of x_b − x_a for φ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Unique name.
    pub name: String,
    /// Where it is attached.
    pub ends: Ends,
    /// γ ≥ 0, N/m or N m/rad.
    pub stiffness: f64,
    /// δ ≥ 0, N s/m or N m s/rad.
    pub damping: f64,
    /// a ≥ 0, kg or kg m².
    pub inertance: f64,
    /// Length (or coordinate) at rest, m or rad.
    pub rest: f64,
    /// Taken at the start of the step instead of implicitly: unstable where h is too large, for comparison.
    pub explicit: bool,
}

/// How a spring acts on one of its bodies: force directions at a point, or torques.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringArm {
    /// Index of the body.
    pub body: usize,
    /// Where the force acts, world, m.
    pub point: DVec3,
    /// −1 on the first body, +1 on the second.
    pub sign: f64,
}

/// A spring at one place of its bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlacedSpring {
    /// How many of the three rows there are: 1, or 3 for one of rest length zero between points.
    pub rows: usize,
    /// φ of each row, m or rad.
    pub phi: DVec3,
    /// Direction of each row, world: dφ/dt = Σ sign d·(velocity of the point), or Σ sign d·ω for a torque.
    pub directions: [DVec3; 3],
    /// The bodies it acts on.
    pub arms: [Option<SpringArm>; 2],
    /// Does it act by a torque?
    pub torque: bool,
    /// Turns residuals in rad into m: the joint's length, 1 for forces.
    pub scale: f64,
}

/// h γ φ⁺ + δ(φ⁺ − φ) + a(∇φ·ν⁺ − ∇φ·ν) = −p with φ⁺ the elongation at the end of the step: as a row C p + φ⁺/h + … = 0.
impl Spring {
    /// C = 1/(h²γ + hδ + a), 1/kg; `None` where the spring does nothing.
    #[must_use]
    pub fn compliance(&self, h: f64) -> Option<f64> {
        let stiffness = h * (h * self.stiffness + self.damping) + self.inertance;
        (stiffness > 0.0 && !self.explicit).then(|| 1.0 / stiffness)
    }

    /// Bodies it is attached to.
    #[must_use]
    pub fn bodies(&self, joints: &[Joint]) -> [Option<usize>; 2] {
        match self.ends {
            Ends::Points { bodies, .. } => bodies,
            Ends::Axis { joint, .. } => joints[joint].bodies,
        }
    }

    /// Where the spring is when its bodies are at these states. On the axis of a joint, turns are counted so that
    /// φ is within half a turn of `near`.
    #[must_use]
    pub fn place(&self, model: &Model, states: &[BodyState], near: f64) -> PlacedSpring {
        self.place_at(model, &|i| states[i].pose, near)
    }

    /// The same with the poses given one by one.
    #[must_use]
    pub fn place_at(&self, model: &Model, pose: &dyn Fn(usize) -> Pose, near: f64) -> PlacedSpring {
        let pose = |body: Option<usize>| body.map_or(Pose::IDENTITY, pose);
        match &self.ends {
            Ends::Points { bodies, points } => {
                let [a, b] = bodies.map(pose);
                self.between(*bodies, [a.to_world(points[0]), b.to_world(points[1])])
            }
            Ends::Axis { joint, axis } => {
                let joint = &model.joints[*joint];
                let [a, b] = joint.bodies.map(pose);
                let placed = joint.place([&a, &b]);
                let at = placed.near(&[near + self.rest; AXES])[*axis];
                let arm = |k: usize, sign: f64| {
                    joint.bodies[k].map(|body| SpringArm {
                        body,
                        point: placed.point,
                        sign,
                    })
                };
                PlacedSpring {
                    rows: 1,
                    phi: DVec3::new(at - self.rest, 0.0, 0.0),
                    directions: [placed.directions[*axis], DVec3::ZERO, DVec3::ZERO],
                    arms: [arm(0, -1.0), arm(1, 1.0)],
                    torque: *axis >= 3,
                    scale: joint.scale(*axis),
                }
            }
        }
    }

    fn between(&self, bodies: [Option<usize>; 2], ends: [DVec3; 2]) -> PlacedSpring {
        let apart = ends[1] - ends[0];
        let arm = |k: usize, sign: f64| {
            bodies[k].map(|body| SpringArm {
                body,
                point: ends[k],
                sign,
            })
        };
        let arms = [arm(0, -1.0), arm(1, 1.0)];
        if self.rest == 0.0 {
            return PlacedSpring {
                rows: 3,
                phi: apart,
                directions: DVec3::AXES,
                arms,
                torque: false,
                scale: 1.0,
            };
        }
        let length = apart.length();
        // Ends that meet have no direction; any will do for one step.
        let d = if length > 0.0 {
            apart / length
        } else {
            DVec3::X
        };
        PlacedSpring {
            rows: 1,
            phi: DVec3::new(length - self.rest, 0.0, 0.0),
            directions: [d, DVec3::ZERO, DVec3::ZERO],
            arms,
            torque: false,
            scale: 1.0,
        }
    }

    /// How well its elongation can be known, m (or rad times m): 32 ε times the lengths it comes from.
    #[must_use]
    pub fn rounding(&self, model: &Model, states: &[BodyState]) -> f64 {
        match &self.ends {
            Ends::Axis { joint, axis } => {
                let joint = &model.joints[*joint];
                joint.rounding(states) + 32.0 * f64::EPSILON * self.rest.abs() * joint.scale(*axis)
            }
            Ends::Points { bodies, points } => {
                let mut size = self.rest;
                for (body, point) in bodies.iter().zip(points) {
                    size += pose_of(states, *body).position.length() + point.length();
                }
                32.0 * f64::EPSILON * size
            }
        }
    }

    /// ½ a (dφ/dt)², J.
    #[must_use]
    pub fn kinetic(&self, placed: &PlacedSpring, states: &[BodyState]) -> f64 {
        if self.inertance == 0.0 {
            return 0.0;
        }
        0.5 * self.inertance * placed.rates(states, states, |_| true).length_squared()
    }

    /// ½ γ φ², J.
    #[must_use]
    pub fn energy(&self, placed: &PlacedSpring) -> f64 {
        0.5 * self.stiffness * placed.phi.length_squared()
    }
}

impl PlacedSpring {
    /// dφ/dt of each row at these velocities; bodies for which `counts` is false are taken at rest.
    #[must_use]
    pub fn rates(
        &self,
        states: &[BodyState],
        at: &[BodyState],
        counts: impl Fn(usize) -> bool,
    ) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for arm in self.arms.iter().flatten().filter(|a| counts(a.body)) {
            let twist = &states[arm.body].twist;
            let v = if self.torque {
                twist.angular
            } else {
                twist.at(arm.point - at[arm.body].pose.position)
            };
            sum += DVec3::new(
                self.directions[0].dot(v),
                self.directions[1].dot(v),
                self.directions[2].dot(v),
            ) * arm.sign;
        }
        sum
    }

    /// Force (or torque) vector of the rows' impulses `p`, on the second body, world frame.
    #[must_use]
    pub fn vector(&self, p: DVec3) -> DVec3 {
        self.directions[0] * p.x + self.directions[1] * p.y + self.directions[2] * p.z
    }
}
