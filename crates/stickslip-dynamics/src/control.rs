//! What is set from outside between steps: forces on bodies, targets of motors, motions of prescribed bodies.
//!
//! Each stays until it is set again. A controller reads the state, sets these and steps; the scene knows nothing of them, so what a
//! run recorded under control cannot be recomputed from its scene: `check` would miss the forces.

use crate::error::BuildError;
use crate::motion::Motion;
use crate::setup::{AppliedForce, Setup};
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;
use stickslip_geometry::{Pose, Twist, pose::exp};
use stickslip_model::joint::{AXES, AXIS_NAMES};
use stickslip_model::{Body, BodyState, Wrench, stored};

/// What was set, and how the world was before anything was.
#[derive(Clone, Default)]
pub(crate) struct Controls {
    pub(crate) set: Set,
    /// The setup that the scene gave; `None` while nothing is set.
    scenes: Option<Box<Setup>>,
}

/// All that is set, in the order in which it first was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Set {
    pushes: Vec<Push>,
    motors: Vec<Aim>,
    courses: Vec<Course>,
}

/// A constant force (N) and torque (N m) on a free body, world frame; the force acts at `point`, in the body's frame (m).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Push {
    body: usize,
    wrench: Wrench,
    point: DVec3,
}

/// What the motor on an axis of a joint aims at, and its largest force or torque.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aim {
    joint: usize,
    axis: usize,
    target: f64,
    force: f64,
}

/// A prescribed body moves on from a pose with a constant twist:
/// x(t) = x₀ + v (t − t₀), R(t) = exp(ω (t − t₀)) R₀.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Course {
    body: usize,
    /// t₀, s.
    since: f64,
    from: BodyState,
}

stored!(Set {
    pushes,
    motors,
    courses
});
stored!(Push {
    body,
    wrench,
    point
});
stored!(Aim {
    joint,
    axis,
    target,
    force
});
stored!(Course { body, since, from });

impl Push {
    fn on(self, state: &BodyState) -> Wrench {
        let lever = state.pose.orientation * self.point;
        Wrench {
            force: self.wrench.force,
            torque: self.wrench.torque + lever.cross(self.wrench.force),
        }
    }
}

impl Course {
    fn at(self, t: f64) -> BodyState {
        let (
            Pose {
                position,
                orientation,
            },
            Twist { linear, angular },
        ) = (self.from.pose, self.from.twist);
        let passed = t - self.since;
        BodyState {
            pose: Pose {
                position: position + linear * passed,
                orientation: (exp(angular * passed) * orientation).normalize(),
            },
            twist: self.from.twist,
        }
    }
}

impl Set {
    /// Is nothing set?
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Does it speak of bodies and joints that this setup has?
    pub(crate) fn fits(&self, setup: &Setup) -> bool {
        let (bodies, joints) = (setup.motions.len(), setup.drives.len());
        self.pushes.iter().all(|p| p.body < bodies)
            && self.courses.iter().all(|c| c.body < bodies)
            && self
                .motors
                .iter()
                .all(|m| m.joint < joints && m.axis < AXES)
    }
}

/// Puts a value in place of the one that is about the same thing, or behind all; where it is now.
fn put<T>(list: &mut Vec<T>, value: T, same: impl Fn(&T) -> bool) -> usize {
    let place = list.iter().position(same);
    match place {
        Some(k) => list[k] = value,
        None => list.push(value),
    }
    place.unwrap_or(list.len() - 1)
}

impl World {
    /// From now on this force (N) and torque (N m) act on a free body beside those of the scene, world frame; the force acts at
    /// `point`, in the body's frame (m).
    ///
    /// # Errors
    /// Where there is no such body, it is not free, or a number is not finite.
    pub fn set_force(
        &mut self,
        body: usize,
        wrench: Wrench,
        point: DVec3,
    ) -> Result<(), BuildError> {
        let found = self.known(body)?;
        let bad = |reason: &str| {
            Err(BuildError::Body {
                body: found.name.clone(),
                reason: reason.into(),
            })
        };
        if !found.is_free() {
            return bad("is not free: a force on it has no effect");
        }
        if !(wrench.force.is_finite() && wrench.torque.is_finite() && point.is_finite()) {
            return bad("the force is not finite");
        }
        self.keep_scenes_setup();
        let push = Push {
            body,
            wrench,
            point,
        };
        let place = put(&mut self.controls.set.pushes, push, |p| p.body == body);
        self.push(push, place);
        Ok(())
    }

    /// From now on the motor on this axis of a joint aims at `target` (a rate or a coordinate, as the scene has it), with at most
    /// `force` (N or N m; the present bound where `None`).
    ///
    /// # Errors
    /// Where there is no such motor, or a number makes no sense.
    pub fn set_motor(
        &mut self,
        joint: usize,
        axis: usize,
        target: f64,
        force: Option<f64>,
    ) -> Result<(), BuildError> {
        let Some(found) = self.setup.model.joints.get(joint) else {
            return Err(BuildError::Setting {
                setting: "joint",
                reason: format!("there is none of number {joint}"),
            });
        };
        let bad = |reason: String| {
            Err(BuildError::Joint {
                what: "joint",
                joint: found.name.clone(),
                reason,
            })
        };
        let Some(motor) = found.axes.get(axis).and_then(|a| a.motor) else {
            let axis = AXIS_NAMES.get(axis).copied().unwrap_or("this axis");
            return bad(format!(
                "has no motor on {axis}: its scene must give it one"
            ));
        };
        let force = force.unwrap_or(motor.force);
        if !target.is_finite() || force.is_nan() || force < 0.0 {
            return bad(format!(
                "a motor cannot aim at {target} with a force of {force}"
            ));
        }
        self.keep_scenes_setup();
        let aim = Aim {
            joint,
            axis,
            target,
            force,
        };
        put(&mut self.controls.set.motors, aim, |a| {
            (a.joint, a.axis) == (joint, axis)
        });
        self.aim(aim);
        Ok(())
    }

    /// From now on a prescribed or fixed body moves on from where it is with this velocity (m/s, rad/s; world frame).
    ///
    /// # Errors
    /// Where there is no such body, it is free, or a number is not finite.
    pub fn set_motion(&mut self, body: usize, twist: Twist) -> Result<(), BuildError> {
        let found = self.known(body)?;
        let bad = |reason: &str| {
            Err(BuildError::Body {
                body: found.name.clone(),
                reason: reason.into(),
            })
        };
        if found.is_free() {
            return bad("is free: it moves by the forces on it");
        }
        if !(twist.linear.is_finite() && twist.angular.is_finite()) {
            return bad("the velocity is not finite");
        }
        self.keep_scenes_setup();
        let from = BodyState {
            pose: self.states()[body].pose,
            twist,
        };
        let course = Course {
            body,
            since: self.time(),
            from,
        };
        put(&mut self.controls.set.courses, course, |c| c.body == body);
        self.steer(course);
        Ok(())
    }

    /// Takes back all that was set: from now on the world is driven by its scene alone.
    pub fn release(&mut self) {
        self.control(Set::default());
    }

    /// Was anything set from outside since the world was built or released?
    #[must_use]
    pub fn is_controlled(&self) -> bool {
        !self.controls.set.is_empty()
    }

    /// All that is set becomes this.
    pub(crate) fn control(&mut self, set: Set) {
        if let Some(scenes) = self.controls.scenes.take() {
            self.setup = *scenes;
        }
        if !set.is_empty() {
            self.keep_scenes_setup();
        }
        for (place, push) in set.pushes.iter().enumerate() {
            self.push(*push, place);
        }
        for aim in &set.motors {
            self.aim(*aim);
        }
        for course in &set.courses {
            self.steer(*course);
        }
        self.controls.set = set;
    }

    fn known(&self, body: usize) -> Result<&Body, BuildError> {
        let found = self.setup.model.bodies.get(body);
        found.ok_or_else(|| BuildError::Setting {
            setting: "body",
            reason: format!("there is none of number {body}"),
        })
    }

    fn keep_scenes_setup(&mut self) {
        let setup = &self.setup;
        self.controls
            .scenes
            .get_or_insert_with(|| Box::new(setup.clone()));
    }

    fn push(&mut self, push: Push, place: usize) {
        let force = AppliedForce {
            body: push.body,
            law: Arc::new(move |_, state| push.on(state)),
        };
        let pushes = &mut self.setup.pushes;
        match pushes.get_mut(place) {
            Some(old) => *old = force,
            None => pushes.push(force),
        }
    }

    fn aim(&mut self, aim: Aim) {
        let target = aim.target;
        self.setup.drives[aim.joint].motor[aim.axis] = Some(Arc::new(move |_| target));
        if let Some(motor) = &mut self.setup.model.joints[aim.joint].axes[aim.axis].motor {
            motor.force = aim.force;
        }
    }

    fn steer(&mut self, course: Course) {
        self.setup.motions[course.body] = Motion::path(move |t| course.at(t));
    }
}
