//! A world: what has been checked. What never changes, what changes with each step, what is remembered from step to step,
//! settings, what was set from outside, and the stepper are kept apart; a step changes the state only when it is accepted.

use crate::budget::Chosen;
use crate::control::Controls;
use crate::error::{BuildError, StepError};
use crate::methods::Driver;
use crate::settings::Settings;
use crate::setup::Setup;
use crate::step::gate::{Memory, State};
use crate::step::joints::springs::last_phi;
use crate::step::stepper::Stepper;
use crate::step::task::Plan;
use crate::stopwatch::Stopwatch;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_model::{
    Body, BodyState, ContactImpulse, JointImpulse, Model, Scheme, StepRecord, Wrench,
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
    /// What never changes.
    pub(crate) setup: Setup,
    pub(crate) settings: Settings,
    /// What a step changes, and what later steps need to know beside it: only the gate can write them.
    pub(crate) state: State,
    pub(crate) memory: Memory,
    /// What was set from outside between steps.
    pub(crate) controls: Controls,
    pub(crate) stepper: Stepper,
}

impl World {
    /// A world in its initial state.
    pub(crate) fn new(
        setup: Setup,
        settings: Settings,
        states: Vec<BodyState>,
        solvers: Vec<Box<dyn ContactSolver>>,
    ) -> Self {
        let last = StepRecord {
            energy: energy(&setup.model, settings.gravity, &states, &[]),
            bodies: states,
            ..StepRecord::default()
        };
        let (state, memory) = State::initial(last);
        Self {
            setup,
            settings,
            state,
            memory,
            controls: Controls::default(),
            stepper: Stepper::new(solvers),
        }
    }

    /// Time of the state, s.
    #[must_use]
    pub const fn time(&self) -> f64 {
        self.state.last().t
    }

    /// Number of the last step: each record is one, parts of divided steps included.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.state.last().step
    }

    /// The bodies and what joins them.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.setup.model
    }

    /// How it is stepped.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Grid points that a method with fixed steps has reached: steps of h, however many parts they were divided into.
    #[must_use]
    pub const fn whole_steps(&self) -> u64 {
        self.memory.progress().grid.reached()
    }

    /// Has the run come to its end `until` (s)? Fixed steps may go past it where h does not divide it.
    #[must_use]
    pub fn reached(&self, until: f64) -> bool {
        self.state.last().t >= until - 1e-9 * self.settings.h
    }

    /// Steps done inside the steps of the extrapolated method, those it threw away included.
    #[must_use]
    pub const fn inner_steps(&self) -> u64 {
        self.memory.progress().control.inner
    }

    /// The friction cones chosen in the last step, where the scene gives a budget for them.
    #[must_use]
    pub const fn chosen_cones(&self) -> Option<Chosen> {
        self.state.cones()
    }

    /// Time at the end of the step whose problem [`World::problem`] is, and its length, s.
    #[must_use]
    pub const fn problem_time(&self) -> (f64, f64) {
        self.stepper.begun()
    }

    /// The problem that was solved in the last step, or could not be solved if that step was refused; if it was divided, that of
    /// the shortest part.
    #[must_use]
    pub const fn problem(&self) -> &ContactProblem {
        &self.stepper.trial.assembly.problem
    }

    /// The problem that the next step poses, as first seen, with the rows of joints (linearised about the motion so far) and
    /// springs after those of the contacts; nothing is solved.
    ///
    /// # Errors
    /// [`StepError`] where a force or a prescribed motion is not finite, or a joint is where its rotation cannot be told.
    pub fn next_problem(&mut self) -> Result<&ContactProblem, StepError> {
        let driver = Driver::of(self);
        let grid = &driver.progress.grid;
        let plan = Plan::on_grid(grid, driver.settings.h, Scheme::StewartTrinkle);
        let task = driver.task(plan);
        driver.stepper.pose(&task)
    }

    /// The states of all bodies, in the model's order.
    #[must_use]
    pub fn states(&self) -> &[BodyState] {
        &self.state.last().bodies
    }

    /// Pose and velocity of the body of that name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<&BodyState> {
        self.index(name).map(|i| &self.state.last().bodies[i])
    }

    /// Number of the body of that name in the model.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.setup.model.index(name)
    }

    /// The last accepted step: states, contacts, impulses, certificate.
    #[must_use]
    pub const fn last_step(&self) -> &StepRecord {
        self.state.last()
    }

    /// Puts the world into a recorded state: step number, time (s) and states in the model's order. Nothing is remembered of the
    /// steps before: no contacts, no compressions, no accounts of what methods did.
    ///
    /// # Errors
    /// Where the number of states is not that of the bodies.
    pub fn restore(&mut self, step: u64, t: f64, states: &[BodyState]) -> Result<(), BuildError> {
        if states.len() != self.setup.model.bodies.len() {
            let reason = format!(
                "{} for {} bodies",
                states.len(),
                self.setup.model.bodies.len()
            );
            return Err(BuildError::Setting {
                setting: "states",
                reason,
            });
        }
        self.put(StepRecord {
            step,
            t,
            bodies: states.to_vec(),
            energy: energy(&self.setup.model, self.settings.gravity, states, &[]),
            ..StepRecord::default()
        });
        Ok(())
    }

    /// The time over which impulses of the last record are taken as mean forces, s: its own length, which between events may be
    /// less than h; h where no time passes (an impact has impulses, not forces).
    fn duration(&self) -> f64 {
        match self.state.last().h {
            h if h > 0.0 => h,
            _ => self.settings.h,
        }
    }

    /// The contacts of the last step that carry an impulse, with their mean force over the step on the
    /// second body, N, world frame. (Of an impact: the impulse over h.)
    pub fn contact_forces(&self) -> impl Iterator<Item = (&ContactImpulse, DVec3)> {
        let h = self.duration();
        self.state
            .last()
            .contacts
            .iter()
            .filter(|c| c.impulse.x > 0.0)
            .map(move |c| (c, c.world_impulse() / h))
    }

    /// How many contacts of the last step bear a force, and not only rounding.
    #[must_use]
    pub fn contacts_with_force(&self) -> usize {
        let tolerance = self.settings.tolerance;
        let bodies = &self.model().bodies;
        let mass = |k: usize| bodies[k].mass.as_ref().map_or(f64::INFINITY, |m| m.mass);
        let bears = |c: &&ContactImpulse| {
            let [a, b] = c.contact.bodies;
            c.bears(mass(a).min(mass(b)), tolerance)
        };
        self.state.last().contacts.iter().filter(bears).count()
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
        self.stepper.trial.stopwatch = Stopwatch::running();
    }

    /// Time spent in each stage since [`World::measure`] was called.
    #[must_use]
    pub const fn stopwatch(&self) -> &Stopwatch {
        &self.stepper.trial.stopwatch
    }

    /// Kinetic energy plus potential energy, in the uniform gravity field (zero at the origin) and in the
    /// springs, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        let last = self.state.last();
        energy(
            &self.setup.model,
            self.settings.gravity,
            &last.bodies,
            &last.joints,
        )
    }

    /// What was left of the energy inequality in the last step, relative to its size: at least −1e-12. `None` where
    /// it is not checked.
    #[must_use]
    pub const fn energy_slack(&self) -> Option<f64> {
        self.state.energy_slack()
    }

    /// Where the frame of that name is in the world; `None` where there is none.
    #[must_use]
    pub fn frame(&self, name: &str) -> Option<Pose> {
        let frame = self.setup.model.frame(name)?;
        Some(frame.state(self.states()).pose)
    }

    /// What the joint or spring of that name did in the last step; `None` before the first one.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<&JointImpulse> {
        let k = self.setup.model.joint_names().position(|n| n == name)?;
        self.state.last().joints.get(k)
    }

    /// The mean force (N) and torque (N m) of the joint of that name over the last step, on its second body, at
    /// the origin of the joint's second frame, world frame.
    #[must_use]
    pub fn joint_load(&self, name: &str) -> Option<Wrench> {
        let k = self
            .setup
            .model
            .joints
            .iter()
            .position(|j| j.name == name)?;
        let done = self.state.last().joints.get(k)?;
        Some(Wrench {
            force: done.linear / self.duration(),
            torque: done.angular / self.duration(),
        })
    }

    /// Linear momentum of the free bodies, kg m/s, and their angular momentum about the origin, kg m²/s.
    #[must_use]
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (body, state) in self
            .setup
            .model
            .bodies
            .iter()
            .zip(&self.state.last().bodies)
        {
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
        sum += spring.energy(&placed) + spring.kinetic(&placed, states);
    }
    sum
}

#[cfg(test)]
mod tests {
    use crate::BodySpec;
    use crate::methods::Method;
    use crate::world::World;
    use glam::DVec3;
    use stickslip_geometry::Shape;

    /// A ball lands between two grid points and stays: over the rest of that step, which is shorter than h, the ground carries
    /// its weight.
    #[test]
    fn a_force_is_the_mean_over_the_records_own_length() {
        let ball = Shape::ball(0.1).expect("a ball");
        let mut world = World::builder()
            .time_step(0.01)
            .method(Method::EventDriven)
            .body(BodySpec::fixed(
                "ground",
                Shape::half_space(DVec3::Z, 0.0).expect("a half-space"),
            ))
            .body(BodySpec::free("ball", ball, 2.0).at(DVec3::new(0.0, 0.0, 0.1 + 0.011)))
            .build()
            .expect("a world");
        let (mut shorter, mut whole) = (0, 0);
        while world.time() < 0.2 {
            let h = world.step().expect("a step").h;
            let load = world.contact_force_on("ball").expect("a ball");
            if h > 0.0 && load != DVec3::ZERO {
                assert!(
                    (load - DVec3::Z * (2.0 * 9.81)).length() < 1e-9,
                    "{h} {load}"
                );
                let count = if h < 0.0099 { &mut shorter } else { &mut whole };
                *count += 1;
            }
        }
        assert!(shorter > 0 && whole > 0);
    }
}
