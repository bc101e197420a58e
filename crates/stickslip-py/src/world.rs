//! A world that is stepped from Python.

use crate::arguments::{STATE, numbers, rows, state_numbers, state_of, vector};
use crate::certificate::Certificate;
use crate::errors::{Fault, caught, detached};
use crate::run;
use crate::scene::Scene;
use crate::trajectory::{Trajectory, inverse};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use stickslip::dynamics::Snapshot;
use stickslip::dynamics::simulate::header;
use stickslip::model::joint::AXIS_NAMES;
use stickslip::prelude::{BodyState, Mode, Twist, Wrench};
use stickslip::record::{Account, Recorder, Start, StateHash, Summary};

type Inner = stickslip::prelude::World;

/// Rigid bodies in frictional contact, stepped one certified step at a time.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct World {
    scene: Arc<stickslip::prelude::Scene>,
    /// Nothing is left of a world that was closed.
    held: Mutex<Option<Held>>,
}

/// The world, and what is recorded of its steps, if anything is.
struct Held {
    world: Inner,
    order: Order,
    tape: Option<Tape>,
}

/// Rows of arrays are in the order of names, whatever the model's own is: it depends on where bodies start.
struct Order {
    /// The number in the model of the body of each row.
    bodies: Vec<usize>,
    /// The row of each body of the model.
    rows: Vec<usize>,
    /// The number in the model of the joint, spring or gear of each row.
    joints: Vec<usize>,
}

impl Order {
    fn of(world: &Inner) -> Self {
        let bodies = world.model().bodies_by_name();
        Self {
            rows: inverse(&bodies),
            bodies,
            joints: world.model().joints_by_name(),
        }
    }
}

/// Steps recorded one by one.
struct Tape {
    run: stickslip::record::Trajectory,
    /// The state before the step that is being done.
    before: Vec<BodyState>,
}

impl World {
    fn around(scene: &Arc<stickslip::prelude::Scene>, world: Inner) -> Self {
        let held = Held {
            order: Order::of(&world),
            world,
            tape: None,
        };
        Self {
            scene: Arc::clone(scene),
            held: Mutex::new(Some(held)),
        }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Option<Held>>, Fault> {
        match self.held.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::WouldBlock) => Err(Fault::Busy),
            // Panics are caught below the lock.
            Err(TryLockError::Poisoned(held)) => Ok(held.into_inner()),
        }
    }

    /// Does something with it; a panic becomes an error.
    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> Result<T, Fault>) -> Result<T, Fault> {
        self.with_tape(|held| work(&mut held.world))
    }

    fn with_tape<T>(&self, work: impl FnOnce(&mut Held) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut held = self.lock()?;
        let held = held.as_mut().ok_or(Fault::Closed)?;
        caught(|| work(held))
    }

    /// The same without the interpreter's lock.
    fn detached<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, Fault> + Send,
    ) -> Result<T, Fault> {
        py.detach(|| self.with(work))
    }
}

/// The number of the body of that name.
fn body(world: &Inner, name: &str) -> Result<usize, Fault> {
    world
        .index(name)
        .ok_or_else(|| Fault::Input(format!("there is no body \"{name}\"")))
}

/// The number of the joint of that name, and of its axis: the only one with a motor where none is named.
fn axis(world: &Inner, name: &str, axis: Option<&str>) -> Result<(usize, usize), Fault> {
    let joints = &world.model().joints;
    let Some(k) = joints.iter().position(|j| j.name == name) else {
        return Err(Fault::Input(format!("there is no joint \"{name}\"")));
    };
    if let Some(axis) = axis {
        let place = AXIS_NAMES.iter().position(|n| *n == axis);
        let unknown = || {
            Fault::Input(format!(
                "axis \"{axis}\": expected one of {}",
                AXIS_NAMES.join(", ")
            ))
        };
        return Ok((k, place.ok_or_else(unknown)?));
    }
    let with_motor: Vec<usize> = (0..AXIS_NAMES.len())
        .filter(|&a| joints[k].axes[a].motor.is_some())
        .collect();
    match with_motor.as_slice() {
        [one] => Ok((k, *one)),
        [] => Err(Fault::Input(format!(
            "joint \"{name}\" has no motor: its scene must give it one"
        ))),
        _ => Err(Fault::Input(format!(
            "joint \"{name}\" has several motors: say which axis"
        ))),
    }
}

impl Held {
    /// One step; the error says at which time the world stands.
    fn step(&mut self) -> Result<(), Fault> {
        let Self { world, tape, .. } = self;
        let t = world.time();
        if let Some(tape) = tape {
            tape.before.clear();
            tape.before.extend_from_slice(world.states());
        }
        world.step().map_err(|error| Fault::Step { error, t })?;
        if let Some(tape) = tape {
            let bodies = world.started_from().unwrap_or(&tape.before);
            tape.run.record(Start { t, bodies }, world.last_step())?;
        }
        Ok(())
    }

    /// A trajectory that begins with the state as it is.
    fn beginning(
        &self,
        scene: &stickslip::prelude::Scene,
    ) -> Result<stickslip::record::Trajectory, Fault> {
        let mut run = stickslip::record::Trajectory::new();
        run.start(&header(scene, &self.world), self.world.last_step())?;
        Ok(run)
    }
}

#[pymethods]
impl World {
    #[new]
    fn new(py: Python<'_>, scene: &Scene) -> PyResult<Self> {
        let read = &scene.read;
        let world = detached(py, || Ok(Inner::from_scene(read)?))?;
        Ok(Self::around(read, world))
    }

    #[getter]
    fn scene(&self) -> Scene {
        Scene {
            read: Arc::clone(&self.scene),
        }
    }

    /// `count` steps.
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<Certificate> {
        let certificate = py.detach(|| {
            self.with_tape(|held| {
                for _ in 0..count {
                    held.step()?;
                }
                let world = &held.world;
                Ok(Certificate::of(
                    world.last_step(),
                    world.settings().tolerance,
                ))
            })
        });
        Ok(certificate?)
    }

    /// From now on steps are recorded, beginning with the state as it is; or no longer.
    fn record(&self, on: bool) -> PyResult<()> {
        Ok(self.with_tape(|held| {
            let run = held.beginning(&self.scene)?;
            held.tape = on.then(|| Tape {
                run,
                before: Vec::new(),
            });
            Ok(())
        })?)
    }

    /// What was recorded since; the state as it is where nothing is.
    fn recorded(&self) -> PyResult<Trajectory> {
        let run = self.with_tape(|held| {
            let mut run = match &held.tape {
                Some(tape) => tape.run.clone(),
                None => held.beginning(&self.scene)?,
            };
            let world = &held.world;
            // Stepped from outside, and not to the scene's end: there is no account of a whole run.
            if world.time() < self.scene.step.until {
                return Ok(run);
            }
            let mut account = Account::default();
            for frame in run.frames.iter().skip(1) {
                account.add(&frame.step, world.settings().tolerance);
            }
            run.finish(&Summary {
                steps: world.steps(),
                t: world.time(),
                certified: account.certified(),
                approximate: account.approximate,
                divided: account.divided,
                leaving: account.leaving,
                hash: run.state_hash(),
                failure: None,
            })?;
            Ok(run)
        })?;
        Ok(Trajectory { run: Arc::new(run) })
    }

    /// Steps until a time, recorded: what it came to, and the trajectory if one is kept.
    fn run<'py>(
        &self,
        py: Python<'py>,
        until: f64,
        every: u64,
        keep: bool,
        outputs: Vec<PathBuf>,
        limit: Option<f64>,
    ) -> PyResult<(Bound<'py, PyDict>, Option<Trajectory>)> {
        let order = run::Order {
            until,
            every,
            keep,
            outputs,
            limit,
        };
        let done = self.detached(py, |world| run::run(&self.scene, world, order))?;
        let trajectory = done.trajectory.map(|run| Trajectory { run: Arc::new(run) });
        Ok((
            run::account(py, &done.outcome, done.seconds, done.interrupt)?,
            trajectory,
        ))
    }

    #[getter]
    fn t(&self) -> PyResult<f64> {
        Ok(self.with(|w| Ok(w.time()))?)
    }

    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.with(|w| Ok(w.steps()))?)
    }

    #[getter]
    fn h(&self) -> PyResult<f64> {
        Ok(self.with(|w| Ok(w.settings().h))?)
    }

    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        Ok(self.with_tape(|held| {
            let bodies = &held.world.model().bodies;
            let names = held.order.bodies.iter().map(|&k| bodies[k].name.clone());
            Ok(names.collect())
        })?)
    }

    #[getter]
    fn joint_names(&self) -> PyResult<Vec<String>> {
        Ok(self.with_tape(|held| {
            let names: Vec<&str> = held.world.model().joint_names().collect();
            Ok(held.order.joints.iter().map(|&k| names[k].into()).collect())
        })?)
    }

    /// The masses of the bodies, kg; infinite for those that are not free.
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let masses: Vec<f64> = self.with_tape(|held| {
            let bodies = &held.world.model().bodies;
            let masses = held.order.bodies.iter().map(|&k| bodies[k].mass);
            Ok(masses
                .map(|mass| mass.map_or(f64::INFINITY, |m| m.mass))
                .collect())
        })?;
        rows(py, masses.len(), masses.iter().map(|m| [*m]))
    }

    #[getter]
    fn energy(&self) -> PyResult<f64> {
        Ok(self.with(|w| Ok(w.energy()))?)
    }

    /// Linear momentum of the free bodies (kg m/s) and angular momentum about the origin (kg m²/s).
    fn momentum(&self) -> PyResult<([f64; 3], [f64; 3])> {
        Ok(self.with(|w| {
            let (linear, angular) = w.momentum();
            Ok((linear.to_array(), angular.to_array()))
        })?)
    }

    /// SHA-256 of names, step number, states and turns of joints as they are now.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        Ok(self.with(|w| {
            let names: Vec<&str> = w.model().body_names().collect();
            let mut hash = StateHash::new(&names);
            hash.update(w.steps(), w.states(), &w.last_step().joints);
            Ok(hash.hex())
        })?)
    }

    /// The states of all bodies, 13 numbers each.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let held = self.lock()?;
        let Held { world, order, .. } = held.as_ref().ok_or(Fault::Closed)?;
        let states = order.bodies.iter().map(|&k| &world.states()[k]);
        rows(py, order.bodies.len(), states.map(state_numbers))
    }

    /// The state of the body of that name, 13 numbers.
    fn body<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyByteArray>> {
        let held = self.lock()?;
        let world = &held.as_ref().ok_or(Fault::Closed)?.world;
        let state = &world.states()[body(world, name)?];
        rows(py, 1, std::iter::once(state_numbers(state)))
    }

    /// Place and orientation (scalar first) of the frame of that name, 7 numbers.
    fn frame(&self, name: &str) -> PyResult<[f64; 7]> {
        let held = self.lock()?;
        let world = &held.as_ref().ok_or(Fault::Closed)?.world;
        let Some(pose) = world.frame(name) else {
            let message = format!("there is no frame `{name}`");
            return Err(pyo3::exceptions::PyKeyError::new_err(message));
        };
        let (x, q) = (pose.position, pose.orientation);
        Ok([x.x, x.y, x.z, q.w, q.x, q.y, q.z])
    }

    /// Puts the world into a state; step number and time stay, or become `at`. Nothing is remembered of the steps before.
    fn set_state(&self, values: &Bound<'_, PyAny>, at: Option<(u64, f64)>) -> PyResult<()> {
        let values = numbers("the state", values)?;
        Ok(self.with_tape(|held| put_state(held, &values, at))?)
    }

    /// The judge's word on the last step.
    #[getter]
    fn certificate(&self) -> PyResult<Certificate> {
        Ok(self.with(|w| Ok(Certificate::of(w.last_step(), w.settings().tolerance)))?)
    }

    /// The contacts of the last step, a row of 23 numbers each: bodies a and b, point, normal from a to b, gap, static and kinetic
    /// friction, impulse on b in the world, its normal part, the part given back, mode (0 open, 1 stick, 2 slide), pieces a and b,
    /// feature, moment on b in the world.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let held = self.lock()?;
        let Held { world, order, .. } = held.as_ref().ok_or(Fault::Closed)?;
        let contacts = &world.last_step().contacts;
        let row = |c: &stickslip::prelude::ContactImpulse| {
            let (x, n, p) = (c.contact.point, c.contact.normal, c.world_impulse());
            let m = c.world_moment();
            let mode = match c.mode {
                Mode::Open => 0.0,
                Mode::Stick => 1.0,
                Mode::Slide => 2.0,
            };
            let [a, b] = c.contact.bodies.map(|k| order.rows[k] as f64);
            let [piece_a, piece_b] = c.contact.pieces.map(f64::from);
            let friction = c.contact.friction;
            [
                a,
                b,
                x.x,
                x.y,
                x.z,
                n.x,
                n.y,
                n.z,
                c.contact.gap,
                friction.stick,
                friction.slide,
                p.x,
                p.y,
                p.z,
                c.impulse.x,
                c.restituted,
                mode,
                piece_a,
                piece_b,
                f64::from(c.contact.feature.0),
                m.x,
                m.y,
                m.z,
            ]
        };
        rows(py, contacts.len(), contacts.iter().map(row))
    }

    /// The joints and springs of the last step, a row of 30 numbers each: six coordinates, six impulses of holds and limits, of motors,
    /// of dry friction; impulse and torque impulse on the second body in the world. Rows before the first step are missing.
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let held = self.lock()?;
        let Held { world, order, .. } = held.as_ref().ok_or(Fault::Closed)?;
        let joints = &world.last_step().joints;
        let row = |j: &stickslip::prelude::JointImpulse| {
            let mut row = [0.0; 30];
            let parts = [j.coordinates, j.hold, j.motor, j.friction];
            row[..24].copy_from_slice(parts.as_flattened());
            row[24..27].copy_from_slice(&j.linear.to_array());
            row[27..].copy_from_slice(&j.angular.to_array());
            row
        };
        // None before the first step.
        let done = order.joints.iter().filter_map(|&k| joints.get(k));
        rows(py, joints.len(), done.map(row))
    }

    /// Length of the last record, s; h where no time passed in it.
    #[getter]
    fn duration(&self) -> PyResult<f64> {
        Ok(self.with(|w| {
            Ok(if w.last_step().h > 0.0 {
                w.last_step().h
            } else {
                w.settings().h
            })
        })?)
    }

    fn set_force(
        &self,
        name: &str,
        force: &Bound<'_, PyAny>,
        torque: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let wrench = Wrench {
            force: vector("force", force)?,
            torque: vector("torque", torque)?,
        };
        let point = vector("point", point)?;
        Ok(self.with(|w| Ok(w.set_force(body(w, name)?, wrench, point)?))?)
    }

    fn set_motor(
        &self,
        joint: &str,
        target: f64,
        axis_name: Option<&str>,
        force: Option<f64>,
    ) -> PyResult<()> {
        Ok(self.with(|w| {
            let (joint, axis) = axis(w, joint, axis_name)?;
            Ok(w.set_motor(joint, axis, target, force)?)
        })?)
    }

    fn set_motion(
        &self,
        name: &str,
        velocity: &Bound<'_, PyAny>,
        angular_velocity: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let twist = Twist {
            linear: vector("velocity", velocity)?,
            angular: vector("angular_velocity", angular_velocity)?,
        };
        Ok(self.with(|w| Ok(w.set_motion(body(w, name)?, twist)?))?)
    }

    /// Takes back all that was set.
    fn release(&self) -> PyResult<()> {
        Ok(self.with(|w| {
            w.release();
            Ok(())
        })?)
    }

    #[getter]
    fn is_controlled(&self) -> PyResult<bool> {
        Ok(self.with(|w| Ok(w.is_controlled()))?)
    }

    fn set_threads(&self, threads: usize) -> PyResult<()> {
        if !(1..=1024).contains(&threads) {
            return Err(Fault::Input(format!("{threads} threads: expected 1 to 1024")).into());
        }
        Ok(self.with(|w| {
            w.set_threads(threads);
            Ok(())
        })?)
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let world = self.detached(py, |w| Ok(w.duplicate()))?;
        Ok(Self::around(&self.scene, world))
    }

    /// All that it has beside its scene.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(|w| Ok(w.snapshot().to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes on from what `snapshot` gave.
    fn resume(&self, snapshot: &[u8]) -> PyResult<()> {
        Ok(self.with(|w| Ok(w.resume(&Snapshot::from_bytes(snapshot)?)?))?)
    }

    fn close(&self) -> PyResult<()> {
        *self.lock()? = None;
        Ok(())
    }

    #[getter]
    fn is_closed(&self) -> PyResult<bool> {
        Ok(self.lock()?.is_none())
    }
}

/// What is free gets the new state; what is not must be where it is.
fn put_state(held: &mut Held, values: &[f64], at: Option<(u64, f64)>) -> Result<(), Fault> {
    let Held { world, order, .. } = held;
    let n = world.states().len();
    if values.len() != n * STATE {
        let found = values.len();
        return Err(Fault::Input(format!(
            "the state has {found} numbers; {n} bodies need an array of shape ({n}, {STATE})"
        )));
    }
    let (step, t) = at.unwrap_or((world.steps(), world.time()));
    if !(t.is_finite() && t >= 0.0) {
        return Err(Fault::Input(format!("t = {t} s is no time of a run")));
    }
    let mut states = world.states().to_vec();
    for (&i, row) in order.bodies.iter().zip(values.as_chunks::<STATE>().0) {
        let body = &world.model().bodies[i];
        let wrong = |why: &str| Fault::Input(format!("the state of \"{}\" {why}", body.name));
        let state = state_of(row).map_err(wrong)?;
        if !body.is_free() && at.is_none() && state != world.states()[i] {
            return Err(wrong("cannot be set: it is not free (set_motion moves it)"));
        }
        states[i] = state;
    }
    Ok(world.restore(step, t, &states)?)
}
