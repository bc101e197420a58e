//! Lines 1 and 2: applied forces, and where bodies go if no contact acts.

use crate::error::StepError;
use crate::motion::Motion;
use crate::step::joints::efforts::apply_efforts;
use crate::step::joints::springs::apply_explicit_springs;
use crate::step::maps::{free_velocity, in_contact, world_inverses};
use crate::step::task::Task;
use glam::{DMat3, DVec3};
use std::ops::Deref;
use stickslip_geometry::Twist;
use stickslip_model::{Aims, BodyState, Given, MovingSurface, Scheme, Wrench};

/// Memory of the applied wrenches.
#[derive(Default)]
pub(crate) struct Forces {
    wrench: Vec<Wrench>,
    several: Vec<Wrench>,
}

impl Forces {
    /// The applied wrench on each body, gravity included, at the middle of the step.
    pub(crate) fn apply(&mut self, task: &Task) -> Result<&[Wrench], StepError> {
        let gravity = task.settings.gravity;
        self.wrench.clear();
        let bodies = task.model().bodies.iter();
        self.wrench.extend(bodies.map(|b| Wrench {
            force: b.mass.map_or(DVec3::ZERO, |m| gravity * m.mass),
            torque: DVec3::ZERO,
        }));
        apply_explicit_springs(task, &mut self.wrench);
        let t = task.last.t + 0.5 * task.plan.h;
        apply_efforts(task, t, &mut self.wrench).map_err(|joint| task.effort_not_finite(joint))?;
        let (several, wrench) = (&mut self.several, &mut self.wrench);
        (task.setup.add_forces(t, task.start(), several, wrench))
            .map_err(|body| task.not_finite("the force", body))?;
        Ok(&self.wrench)
    }

    /// What was applied last, once more.
    pub(crate) fn applied(&self) -> &[Wrench] {
        &self.wrench
    }
}

/// Memory of the predicted paths.
#[derive(Default)]
pub(crate) struct Predictor {
    aims: Vec<Aims>,
    surfaces: Vec<Twist>,
    inverse: Vec<DMat3>,
    goal: Vec<BodyState>,
}

/// A step with its forces and predicted paths: what all later stages start from.
#[derive(Clone, Copy)]
pub(crate) struct Predicted<'a> {
    pub(crate) task: Task<'a>,
    /// The applied wrench on each body.
    pub(crate) wrench: &'a [Wrench],
    /// What drives and motors of each joint aim at, at the end of the step.
    pub(crate) aims: &'a [Aims],
    /// How each moving surface moves along its body, at the end of the step.
    pub(crate) surfaces: &'a [Twist],
    /// I⁻¹ of each body at the start of the step, world frame, 1/(kg m²).
    pub(crate) inverse: &'a [DMat3],
    /// Where each body goes: as prescribed, or under ν_free.
    pub(crate) goal: &'a [BodyState],
}

impl<'a> Deref for Predicted<'a> {
    type Target = Task<'a>;

    fn deref(&self) -> &Task<'a> {
        &self.task
    }
}

impl Predictor {
    /// Where each body goes: prescribed ones to their place at t_{l+1}, free ones along ν_free.
    pub(crate) fn predict<'a>(
        &'a mut self,
        task: &Task<'a>,
        wrench: &'a [Wrench],
    ) -> Result<Predicted<'a>, StepError> {
        let drives = task.setup.drives.iter();
        self.aims.clear();
        self.aims.extend(drives.map(|d| d.aims(task.plan.t_next)));
        self.move_surfaces(task)?;
        world_inverses(task.model(), task.start(), &mut self.inverse);
        self.goal.clear();
        for i in 0..task.start().len() {
            let goal = goal(task, i, &self.inverse[i], &wrench[i])?;
            self.goal.push(goal);
        }
        Ok(self.predicted(task, wrench))
    }

    fn move_surfaces(&mut self, task: &Task) -> Result<(), StepError> {
        self.surfaces.clear();
        let both = task.setup.surfaces.iter().zip(&task.model().surfaces);
        for (law, MovingSurface { body, .. }) in both {
            let twist = law(task.plan.t_next);
            if !(twist.linear.is_finite() && twist.angular.is_finite()) {
                return Err(task.not_finite("the surface's velocity", *body));
            }
            self.surfaces.push(twist);
        }
        Ok(())
    }

    /// What was predicted last, once more; `task` and `wrench` are those it was predicted from.
    pub(crate) fn predicted<'a>(&'a self, task: &Task<'a>, wrench: &'a [Wrench]) -> Predicted<'a> {
        Predicted {
            task: *task,
            wrench,
            aims: &self.aims,
            surfaces: &self.surfaces,
            inverse: &self.inverse,
            goal: &self.goal,
        }
    }
}

/// Where body `i` goes without contacts.
fn goal(task: &Task, i: usize, inverse: &DMat3, wrench: &Wrench) -> Result<BodyState, StepError> {
    let (state, h) = (&task.start()[i], task.plan.h);
    let goal = match &task.setup.motions[i] {
        Motion::Prescribed(path) => path(task.plan.t_next),
        Motion::Free => {
            let nu = free_velocity(&task.model().bodies[i], inverse, state, wrench, h);
            let mut goal = in_contact(&state.pose, nu.ok_or_else(|| task.too_fast(i))?, h);
            if task.plan.scheme == Scheme::Anitescu {
                goal.pose = state.pose.moved(&state.twist, h);
            }
            goal
        }
    };
    if is_finite(&goal) {
        Ok(goal)
    } else {
        Err(task.not_finite("the motion", i))
    }
}

/// Is every number of a state finite?
pub(crate) fn is_finite(state: &BodyState) -> bool {
    state.pose.position.is_finite()
        && state.pose.orientation.is_finite()
        && state.twist.linear.is_finite()
        && state.twist.angular.is_finite()
}

impl Predicted<'_> {
    /// What the scene prescribes for the step, in the words that stepper and judge share.
    pub(crate) fn given(&self) -> Given<'_> {
        Given {
            h: self.plan.h,
            grid: self.settings.h,
            scheme: self.plan.scheme,
            reading: self.settings.reading,
            wrench: self.wrench,
            prescribed: self.goal,
            cone: self.settings.cone,
            rule: self.settings.contact,
            ignored: &self.settings.ignored,
            aims: self.aims,
            surfaces: self.surfaces,
        }
    }

    /// The same prediction with contacts read another way.
    pub(crate) const fn read_by(self, scheme: Scheme) -> Self {
        Self {
            task: self.task.read_by(scheme),
            ..self
        }
    }
}
