//! A world: what has been checked. Constant model, changing state, memory of the last step, settings and
//! results are kept apart; a step changes the state only when it is accepted.

use crate::contacts::Finder;
use crate::error::BuildError;
use crate::joints::{JointWork, last_phi};
use crate::motion::Motion;
use crate::settings::Settings;
use crate::setup::{AppliedForce, Drives, Frictions, Restitutions, Setup};
use crate::stopwatch::Stopwatch;
use glam::{DMat3, DVec3};
use stickslip_certify::Judge;
use stickslip_model::islands::Islands;
use stickslip_model::{
    Body, BodyState, ContactImpulse, JointImpulse, Kind, Model, Restitution, Scheme, StepRecord,
    Wrench,
};
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::solver::ContactSolver;

/// Rigid bodies in frictional contact, stepped one certified step at a time.
///
/// ```
/// use stickslip_dynamics::{BodySpec, World};
/// use stickslip_geometry::Shape;
/// use glam::{DMat3, DVec3};
///
/// let mut world = World::builder()
///     .body(BodySpec::fixed("ground", Shape::half_space(DVec3::Z, 0.0)?))
///     .body(BodySpec::free("ball", Shape::ball(0.1)?, 1.0).at(DVec3::new(0.0, 0.0, 1.0)))
///     .build()?;
/// while world.time() < 1.0 {
///     world.step()?;
/// }
/// assert!((world.body("ball").unwrap().pose.position.z - 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    pub(crate) model: Model,
    pub(crate) motions: Vec<Motion>,
    pub(crate) forces: Vec<AppliedForce>,
    pub(crate) frictions: Frictions,
    pub(crate) restitutions: Restitutions,
    /// Compressions that are to be given back.
    pub(crate) restitution: Restitution,
    /// What projections have done.
    pub(crate) projections: crate::methods::Projections,
    /// Where the last step started, if bodies had been moved before it.
    pub(crate) started: Option<Vec<BodyState>>,
    /// The cones chosen in the last step, where there is a budget.
    pub(crate) chosen: Option<crate::budget::Chosen>,
    /// Where the event loop stands.
    pub(crate) events: crate::methods::Loop,
    /// The step size control of the extrapolated method.
    pub(crate) control: crate::methods::Control,
    /// The functions of time of each joint.
    pub(crate) drives: Vec<Drives>,
    pub(crate) settings: Settings,
    /// The last accepted step: the state, and the contacts from which the next one is warm started.
    pub(crate) last: StepRecord,
    pub(crate) work: Workspace,
    /// The chosen solver first, then those tried when its answer is not certified.
    pub(crate) solvers: Vec<Option<Box<dyn ContactSolver>>>,
    pub(crate) judge: Judge,
    /// What was left of the energy inequality in the last step, relative to its size; where it is checked.
    pub(crate) energy_slack: Option<f64>,
    pub(crate) stopwatch: Stopwatch,
}

/// What kind of step is being tried, and how long it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// Its length, s.
    pub(crate) h: f64,
    /// Time at its end, s.
    pub(crate) t_next: f64,
    pub(crate) kind: Kind,
    pub(crate) scheme: Scheme,
}

/// Memory of a step, reused.
#[derive(Default)]
pub(crate) struct Workspace {
    /// The step at hand.
    pub(crate) plan: Plan,
    pub(crate) finder: Finder,
    pub(crate) wrench: Vec<Wrench>,
    /// I⁻¹ of each body at the start of the step, world frame.
    pub(crate) inverse: Vec<DMat3>,
    /// Where each body goes: given, or under ν_free.
    pub(crate) goal: Vec<BodyState>,
    /// Where each body's gaps and levers are measured.
    pub(crate) placed: Vec<stickslip_geometry::Pose>,
    pub(crate) contacts: Vec<stickslip_model::Contact>,
    /// r of each contact, N s; empty where nothing is restituted.
    pub(crate) restituted: Vec<f64>,
    /// What restitution is to know of each contact.
    pub(crate) seen: Vec<stickslip_model::restitution::Seen>,
    pub(crate) problem: crate::assemble::Assembly,
    pub(crate) joints: JointWork,
    pub(crate) islands: Islands,
    /// Bodies that no impulse reaches.
    pub(crate) flies: Vec<bool>,
    pub(crate) next: Vec<BodyState>,
    pub(crate) impulses: Vec<ContactImpulse>,
    /// Impulses of the problem's blocks: those that solve it, or its start as long as it is not solved.
    pub(crate) of_blocks: Vec<DVec3>,
    pub(crate) end_poses: Vec<stickslip_geometry::Pose>,
}

impl World {
    /// A world at rest in its initial state.
    pub(crate) fn new(
        setup: Setup,
        settings: Settings,
        states: Vec<BodyState>,
        solvers: Vec<Box<dyn ContactSolver>>,
    ) -> Self {
        let energy = energy(&setup.model, settings.gravity, &states, &[]);
        Self {
            model: setup.model,
            motions: setup.motions,
            forces: setup.forces,
            frictions: setup.frictions,
            restitutions: setup.restitutions,
            restitution: Restitution::default(),
            chosen: None,
            projections: crate::methods::Projections::default(),
            started: None,
            events: Default::default(),
            control: Default::default(),
            drives: setup.drives,
            settings,
            last: StepRecord {
                bodies: states,
                energy,
                ..StepRecord::default()
            },
            work: Workspace::default(),
            solvers: solvers.into_iter().map(Some).collect(),
            judge: Judge::default(),
            energy_slack: None,
            stopwatch: Stopwatch::default(),
        }
    }

    /// Time of the state, s.
    #[must_use]
    pub const fn time(&self) -> f64 {
        self.last.t
    }

    /// Steps done.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.last.step
    }

    /// The bodies, sorted by name.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// How it is stepped.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Has the run come to its end `until` (s)? Fixed steps may go past it where h does not divide it.
    #[must_use]
    pub fn reached(&self, until: f64) -> bool {
        self.last.t >= until - 1e-9 * self.settings.h
    }

    /// Steps done inside the steps of the extrapolated method, those it threw away included.
    #[must_use]
    pub const fn inner_steps(&self) -> u64 {
        self.control.inner
    }

    /// The friction cones chosen in the last step, where the scene gives a budget for them.
    #[must_use]
    pub const fn chosen_cones(&self) -> Option<crate::budget::Chosen> {
        self.chosen
    }

    /// The problem that was solved in the last step, or could not be solved if that step was refused.
    #[must_use]
    pub const fn problem(&self) -> &ContactProblem {
        &self.work.problem.problem
    }

    /// The states of all bodies, in the model's order.
    #[must_use]
    pub fn states(&self) -> &[BodyState] {
        &self.last.bodies
    }

    /// Pose and velocity of the body of that name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<&BodyState> {
        self.index(name).map(|i| &self.last.bodies[i])
    }

    /// Number of the body of that name in the model.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.model
            .bodies
            .binary_search_by(|b| b.name.as_str().cmp(name))
            .ok()
    }

    /// The last accepted step: states, contacts, impulses, certificate.
    #[must_use]
    pub const fn last_step(&self) -> &StepRecord {
        &self.last
    }

    /// Puts the world into a recorded state: step number and states in the model's order. The memory of the
    /// last step's contacts is cleared.
    ///
    /// # Errors
    /// Where the number of states is not that of the bodies.
    pub fn restore(&mut self, step: u64, states: &[BodyState]) -> Result<(), BuildError> {
        if states.len() != self.model.bodies.len() {
            let reason = format!("{} for {} bodies", states.len(), self.model.bodies.len());
            return Err(BuildError::Setting {
                setting: "states",
                reason,
            });
        }
        self.last = StepRecord {
            step,
            t: step as f64 * self.settings.h,
            bodies: states.to_vec(),
            energy: energy(&self.model, self.settings.gravity, states, &[]),
            ..StepRecord::default()
        };
        self.restitution.clear();
        self.events = crate::methods::Loop::at(step);
        self.control = self.control.anew();
        Ok(())
    }

    /// The contacts of the last step that carry an impulse, with their mean force over the step on the
    /// second body, N, world frame.
    pub fn contact_forces(&self) -> impl Iterator<Item = (&ContactImpulse, DVec3)> {
        let h = self.settings.h;
        self.last
            .contacts
            .iter()
            .filter(|c| c.impulse.x > 0.0)
            .map(move |c| (c, c.world_impulse() / h))
    }

    /// The sum of the contact forces on the body of that name, mean over the last step, N, world frame.
    #[must_use]
    pub fn contact_force_on(&self, name: &str) -> Option<DVec3> {
        let body = self.index(name)?;
        let mut sum = DVec3::ZERO;
        for (contact, force) in self.contact_forces() {
            match contact.contact.bodies.iter().position(|&i| i == body) {
                Some(0) => sum -= force,
                Some(_) => sum += force,
                None => {}
            }
        }
        Some(sum)
    }

    /// Uses this many threads where there is enough to do. The answer does not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.settings.threads = threads.max(1);
    }

    /// From now on, measure where the time of each step goes.
    pub fn measure(&mut self) {
        self.stopwatch = Stopwatch::running();
    }

    /// Time spent in each stage since [`World::measure`] was called.
    #[must_use]
    pub const fn stopwatch(&self) -> &Stopwatch {
        &self.stopwatch
    }

    /// Kinetic energy plus potential energy, in the uniform gravity field (zero at the origin) and in the
    /// springs, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let last = &self.last;
        energy(
            &self.model,
            self.settings.gravity,
            &last.bodies,
            &last.joints,
        )
    }

    /// What was left of the energy inequality in the last step, relative to its size: at least −1e-12. `None` where
    /// it is not checked.
    #[must_use]
    pub const fn energy_slack(&self) -> Option<f64> {
        self.energy_slack
    }

    /// What the joint or spring of that name did in the last step; `None` before the first one.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<&JointImpulse> {
        let k = self.model.joint_names().position(|n| n == name)?;
        self.last.joints.get(k)
    }

    /// The mean force (N) and torque (N m) of the joint of that name over the last step, on its second body, at
    /// the origin of the joint's second frame, world frame.
    #[must_use]
    pub fn joint_load(&self, name: &str) -> Option<Wrench> {
        let k = self.model.joints.iter().position(|j| j.name == name)?;
        let done = self.last.joints.get(k)?;
        Some(Wrench {
            force: done.linear / self.settings.h,
            torque: done.angular / self.settings.h,
        })
    }

    /// Linear momentum of the free bodies, kg m/s, and their angular momentum about the origin, kg m²/s.
    #[must_use]
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (body, state) in self.model.bodies.iter().zip(&self.last.bodies) {
            if let Some(mass) = body.mass {
                let p = state.twist.linear * mass.mass;
                linear += p;
                angular += state.pose.position.cross(p) + spin(body, state);
            }
        }
        (linear, angular)
    }
}

/// I ω in the world frame.
fn spin(body: &Body, state: &BodyState) -> DVec3 {
    body.mass.map_or(DVec3::ZERO, |m| {
        state.pose.turned(&m.inertia) * state.twist.angular
    })
}

/// Kinetic plus potential energy, J; `joints` says how often torsional springs have turned.
pub(crate) fn energy(
    model: &Model,
    gravity: DVec3,
    states: &[BodyState],
    joints: &[JointImpulse],
) -> f64 {
    let mut sum = 0.0;
    for (body, state) in model.bodies.iter().zip(states) {
        if let Some(mass) = body.mass {
            let v = state.twist.linear;
            sum += 0.5 * mass.mass * v.length_squared()
                + 0.5 * state.twist.angular.dot(spin(body, state))
                - mass.mass * gravity.dot(state.pose.position);
        }
    }
    for (k, spring) in model.springs.iter().enumerate() {
        let placed = spring.place(model, states, last_phi(model, joints, k));
        sum += spring.energy(&placed);
    }
    sum
}
