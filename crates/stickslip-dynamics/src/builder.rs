//! From a description to a checked world.

use crate::error::BuildError;
use crate::joint_spec::{Drives, JointSpec, SpringSpec, build_joint, build_spring};
use crate::methods::Method;
use crate::motion::{ForceLaw, Motion};
use crate::stages::Stopwatch;
use crate::world::{AppliedForce, Frictions, Restitutions, Settings, Workspace, World, energy};
use glam::{DMat3, DVec3};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stickslip_certify::Judge;
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::mass::centred;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{MassProperties, Pose, Shape, Twist};
use stickslip_model::{
    Body, BodyState, Cone, Friction, Model, Reading, Restitution, StepRecord, Wrench,
};
use stickslip_solvers::solver::ContactSolver;
use stickslip_solvers::{SOLVER_NAMES, selecting_solver_by_name};

/// One body to be built.
#[derive(Clone)]
pub struct BodySpec {
    /// Unique name.
    pub name: String,
    /// Shape in the body frame.
    pub shape: Shape,
    /// Mass and inertia of a free body.
    pub mass: Option<MassProperties>,
    /// How it moves.
    pub motion: Motion,
    /// Where it starts, if free.
    pub state: BodyState,
    /// Its own friction; the world's default where `None`.
    pub friction: Option<Friction>,
    /// Its own restitution, from 0 to 1; the world's default where `None`.
    pub restitution: Option<f64>,
    /// Groups it is in: bodies that share one do not collide.
    pub groups: Vec<String>,
}

impl BodySpec {
    /// A free body of the given mass (kg) whose inertia follows from the shape. The origin of its frame is its
    /// centre of mass: a shape around another point is shifted.
    #[must_use]
    pub fn free(name: impl Into<String>, shape: Shape, mass: f64) -> Self {
        let shape = centred(&shape);
        let mass = MassProperties::with_mass(&shape, mass);
        Self::new(name, shape, mass, Motion::Free)
    }

    /// A body that stays where it is.
    #[must_use]
    pub fn fixed(name: impl Into<String>, shape: Shape) -> Self {
        Self::new(name, shape, None, Motion::fixed(Pose::IDENTITY))
    }

    /// A body on a given path: pose and velocity as functions of time.
    #[must_use]
    pub fn prescribed(
        name: impl Into<String>,
        shape: Shape,
        path: impl Fn(f64) -> BodyState + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, shape, None, Motion::path(path))
    }

    fn new(
        name: impl Into<String>,
        shape: Shape,
        mass: Option<MassProperties>,
        motion: Motion,
    ) -> Self {
        Self {
            name: name.into(),
            shape,
            mass,
            motion,
            state: BodyState::default(),
            friction: None,
            restitution: None,
            groups: Vec::new(),
        }
    }

    /// Places the body (its centre of mass) in the world.
    #[must_use]
    pub fn at(self, position: DVec3) -> Self {
        let orientation = self.state.pose.orientation;
        self.with_pose(Pose {
            position,
            orientation,
        })
    }

    /// Places and turns the body.
    #[must_use]
    pub fn with_pose(mut self, pose: Pose) -> Self {
        self.state.pose = pose;
        if matches!(&self.motion, Motion::Prescribed(path) if path(0.0).twist == Twist::default()) {
            self.motion = Motion::fixed(pose);
        }
        self
    }

    /// Gives a free body its initial velocity, m/s and rad/s, world frame.
    #[must_use]
    pub fn with_velocity(mut self, linear: DVec3, angular: DVec3) -> Self {
        self.state.twist = Twist { linear, angular };
        self
    }

    /// Puts the body into a group; bodies that share a group do not collide.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// Gives the body its own friction.
    #[must_use]
    pub fn with_friction(mut self, friction: Friction) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Gives the body its own restitution, from 0 to 1.
    #[must_use]
    pub const fn with_restitution(mut self, e: f64) -> Self {
        self.restitution = Some(e);
        self
    }

    /// Gives a free body another inertia about its centre of mass, kg m², body frame.
    #[must_use]
    pub fn with_inertia(mut self, inertia: DMat3) -> Self {
        if let Some(mass) = &mut self.mass {
            mass.inertia = inertia;
        }
        self
    }

    /// Gives a free body mass and inertia, where its shape does not tell them.
    #[must_use]
    pub const fn with_mass(mut self, mass: MassProperties) -> Self {
        self.mass = Some(mass);
        self
    }
}

/// Collects what a world is made of, then checks it all at once.
#[derive(Clone)]
pub struct WorldBuilder {
    bodies: Vec<BodySpec>,
    forces: Vec<(String, ForceLaw)>,
    pairs: Vec<([String; 2], Friction)>,
    ignored: Vec<[String; 2]>,
    joints: Vec<JointSpec>,
    springs: Vec<SpringSpec>,
    friction: Friction,
    restitution: f64,
    pair_restitutions: Vec<([String; 2], f64)>,
    settings: Settings,
}

impl World {
    /// A world to be described: h = 0.01 s, gravity 9.81 m/s² down, no friction, quadratic cone,
    /// tolerance 1e-10.
    #[must_use]
    pub fn builder() -> WorldBuilder {
        WorldBuilder {
            bodies: Vec::new(),
            forces: Vec::new(),
            pairs: Vec::new(),
            ignored: Vec::new(),
            joints: Vec::new(),
            springs: Vec::new(),
            friction: Friction::default(),
            restitution: 0.0,
            pair_restitutions: Vec::new(),
            settings: Settings {
                h: 0.01,
                method: Method::default(),
                error: f64::INFINITY,
                until: 0.0,
                reading: Reading::default(),
                cone: Cone::Quadratic,
                solver: "auto".into(),
                tolerance: 1e-10,
                gravity: DVec3::new(0.0, 0.0, -9.81),
                energy_check: false,
                projection: false,
                contact: Rule::default(),
                ignored: Vec::new(),
                threads: 1,
            },
        }
    }
}

impl WorldBuilder {
    /// Adds a body.
    #[must_use]
    pub fn body(mut self, body: BodySpec) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a force on a body, as a function of time and of the body's state at the start of the step.
    #[must_use]
    pub fn force(
        mut self,
        body: impl Into<String>,
        law: impl Fn(f64, &BodyState) -> Wrench + Send + Sync + 'static,
    ) -> Self {
        self.forces.push((body.into(), Arc::new(law)));
        self
    }

    /// Adds a joint.
    #[must_use]
    pub fn joint(mut self, joint: JointSpec) -> Self {
        self.joints.push(joint);
        self
    }

    /// Adds a spring.
    #[must_use]
    pub fn spring(mut self, spring: SpringSpec) -> Self {
        self.springs.push(spring);
        self
    }

    /// Sets the default coefficient of friction, static and kinetic.
    #[must_use]
    pub const fn friction(mut self, mu: f64) -> Self {
        self.friction = Friction {
            stick: mu,
            slide: mu,
        };
        self
    }

    /// Sets the default friction with two coefficients.
    #[must_use]
    pub const fn default_friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Sets the friction of one pair.
    #[must_use]
    pub fn pair_friction(
        mut self,
        a: impl Into<String>,
        b: impl Into<String>,
        friction: Friction,
    ) -> Self {
        self.pairs.push(([a.into(), b.into()], friction));
        self
    }

    /// Sets the default coefficient of restitution, from 0 to 1.
    #[must_use]
    pub const fn restitution(mut self, e: f64) -> Self {
        self.restitution = e;
        self
    }

    /// Sets the restitution of one pair.
    #[must_use]
    pub fn pair_restitution(mut self, a: impl Into<String>, b: impl Into<String>, e: f64) -> Self {
        self.pair_restitutions.push(([a.into(), b.into()], e));
        self
    }

    /// Sets what bounds friction beside a restitution impulse.
    #[must_use]
    pub const fn reading(mut self, reading: Reading) -> Self {
        self.settings.reading = reading;
        self
    }

    /// Sets the error wanted at the time `until` (s), m, for the method `extrapolated`.
    #[must_use]
    pub const fn error(mut self, error: f64, until: f64) -> Self {
        self.settings.error = error;
        self.settings.until = until;
        self
    }

    /// Sets the time-stepping method.
    #[must_use]
    pub const fn method(mut self, method: Method) -> Self {
        self.settings.method = method;
        self
    }

    /// Lets two bodies pass through each other.
    #[must_use]
    pub fn ignore(mut self, a: impl Into<String>, b: impl Into<String>) -> Self {
        self.ignored.push([a.into(), b.into()]);
        self
    }

    /// Sets uniform gravity, m/s².
    #[must_use]
    pub const fn gravity(mut self, gravity: DVec3) -> Self {
        self.settings.gravity = gravity;
        self
    }

    /// Sets the length of a step, s.
    #[must_use]
    pub const fn time_step(mut self, h: f64) -> Self {
        self.settings.h = h;
        self
    }

    /// Sets the friction cone.
    #[must_use]
    pub const fn cone(mut self, cone: Cone) -> Self {
        self.settings.cone = cone;
        self
    }

    /// Sets how contact is treated where the free space is not convex.
    #[must_use]
    pub const fn contact(mut self, rule: Rule) -> Self {
        self.settings.contact = rule;
        self
    }

    /// Sets the solver tried first, by name.
    #[must_use]
    pub fn solver(mut self, name: impl Into<String>) -> Self {
        self.settings.solver = name.into();
        self
    }

    /// Sets the tolerance of the certificates, m/s.
    #[must_use]
    pub const fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = tolerance;
        self
    }

    /// Are overlapping bodies moved apart before every step, with an account of the energy?
    #[must_use]
    pub const fn projection(mut self, projection: bool) -> Self {
        self.settings.projection = projection;
        self
    }

    /// Checks the energy inequality in every step.
    #[must_use]
    pub const fn energy_check(mut self, check: bool) -> Self {
        self.settings.energy_check = check;
        self
    }

    /// Checks everything and makes the world.
    ///
    /// # Errors
    /// [`BuildError`] names what cannot be: masses, names, numbers, bodies that overlap.
    pub fn build(mut self) -> Result<World, BuildError> {
        self.check_settings()?;
        self.bodies.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(w) = self.bodies.windows(2).find(|w| w[0].name == w[1].name) {
            return Err(BuildError::DuplicateName {
                name: w[0].name.clone(),
            });
        }
        let (mut model, mut motions, mut states) = (Model::default(), Vec::new(), Vec::new());
        let mut frictions = Frictions::default();
        let mut restitutions = Restitutions::default();
        let groups = group_bits(&self.bodies)?;
        for spec in self.bodies {
            check_body(&spec)?;
            let bits = spec.groups.iter().fold(0, |bits, g| bits | groups[g]);
            frictions
                .bodies
                .push(spec.friction.unwrap_or(self.friction));
            let e = spec.restitution.unwrap_or(self.restitution);
            restitutions.bodies.push(check_restitution(e)?);
            let state = match &spec.motion {
                Motion::Free => spec.state,
                Motion::Prescribed(path) => path(0.0),
            };
            check_state(&spec.name, &state)?;
            states.push(state);
            let body = match spec.mass {
                Some(mass) => Body::free(spec.name, spec.shape, mass),
                None => Body::prescribed(spec.name, spec.shape),
            };
            model.bodies.push(Body {
                groups: bits,
                ..body
            });
            motions.push(spec.motion);
        }
        let index = |name: &str, place: &str| {
            model
                .bodies
                .binary_search_by(|b| b.name.as_str().cmp(name))
                .map_err(|_| BuildError::UnknownBody {
                    name: name.into(),
                    place: place.into(),
                })
        };
        for ([a, b], friction) in &self.pairs {
            check_friction("pair friction", *friction)?;
            let (i, j) = (index(a, "a contact pair")?, index(b, "a contact pair")?);
            frictions.pairs.push(([i.min(j), i.max(j)], *friction));
        }
        frictions.pairs.sort_by_key(|p| p.0);
        for ([a, b], e) in &self.pair_restitutions {
            let (i, j) = (index(a, "a contact pair")?, index(b, "a contact pair")?);
            let pair = [i.min(j), i.max(j)];
            restitutions.pairs.push((pair, check_restitution(*e)?));
        }
        restitutions.pairs.sort_by_key(|p| p.0);
        let mut apart = Vec::new();
        for [a, b] in &self.ignored {
            let (i, j) = (index(a, "a contact pair")?, index(b, "a contact pair")?);
            apart.push([i.min(j), i.max(j)]);
        }
        let mut forces = Vec::new();
        for (name, law) in self.forces {
            forces.push(AppliedForce {
                body: index(&name, "a force")?,
                law,
            });
        }
        let drives = join(&mut model, &states, &self.joints, &self.springs)?;
        self.settings.ignored = uncolliding(&model, &self.joints, apart);
        let jointed = !(model.joints.is_empty() && model.springs.is_empty());
        let method = self.settings.method;
        if jointed && method == Method::Anitescu {
            return Err(BuildError::Setting {
                setting: "method",
                reason: format!(
                    "\"{}\" knows no joints and springs; use \"stewart-trinkle\" or \"implicit\"",
                    method.name()
                ),
            });
        }
        refuse_overlaps(&model, &states, &self.settings.ignored)?;
        let solvers = solvers(&self.settings.solver)?;
        let energy = energy(&model, self.settings.gravity, &states, &[]);
        Ok(World {
            model,
            motions,
            forces,
            frictions,
            restitutions,
            restitution: Restitution::default(),
            chosen: None,
            projections: crate::methods::Projections::default(),
            started: None,
            events: Default::default(),
            control: Default::default(),
            drives,
            settings: self.settings,
            last: StepRecord {
                bodies: states,
                energy,
                ..StepRecord::default()
            },
            work: Workspace::default(),
            solvers,
            judge: Judge::default(),
            energy_slack: None,
            stopwatch: Stopwatch::default(),
        })
    }

    fn check_settings(&self) -> Result<(), BuildError> {
        let s = &self.settings;
        let bad = |setting, reason: String| Err(BuildError::Setting { setting, reason });
        if !(s.h > 0.0 && s.h.is_finite()) {
            return bad("h", format!("must be a positive time, got {}", s.h));
        }
        if !(s.tolerance > 0.0 && s.tolerance.is_finite()) {
            return bad(
                "tolerance",
                format!("must be positive, got {}", s.tolerance),
            );
        }
        if !s.gravity.is_finite() {
            return bad("gravity", format!("must be finite, got {}", s.gravity));
        }
        if s.cone.directions().is_some_and(|n| n < 3) {
            return bad(
                "cone",
                "a pyramid needs at least 3 directions to span the plane".into(),
            );
        }
        if s.projection && !self.joints.is_empty() {
            return bad(
                "projection",
                "moves bodies one by one: it cannot be used with joints, which are closed in every step anyway".into(),
            );
        }
        check_friction("friction", self.friction)
    }
}

/// Builds joints and springs into the model, sorted by name; returns the joints' functions of time.
fn join(
    model: &mut Model,
    states: &[BodyState],
    joints: &[JointSpec],
    springs: &[SpringSpec],
) -> Result<Vec<Drives>, BuildError> {
    let mut names: Vec<&str> = joints.iter().map(|j| j.name.as_str()).collect();
    names.extend(springs.iter().map(|s| s.name.as_str()));
    names.sort_unstable();
    if let Some(w) = names.windows(2).find(|w| w[0] == w[1]) {
        return Err(BuildError::Joint {
            what: "joint",
            joint: w[0].into(),
            reason: "two joints or springs have this name".into(),
        });
    }
    let mut built = Vec::new();
    for spec in joints {
        built.push(build_joint(spec, model, states)?);
    }
    built.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    let (joints, drives) = built.into_iter().unzip();
    model.joints = joints;
    let mut built = Vec::new();
    for spec in springs {
        built.push(build_spring(spec, model, states)?);
    }
    built.sort_by(|a, b| a.name.cmp(&b.name));
    model.springs = built;
    Ok(drives)
}

/// Pairs of bodies that a joint keeps from colliding, sorted.
fn uncolliding(model: &Model, joints: &[JointSpec], mut pairs: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
    for joint in &model.joints {
        let collide = joints.iter().any(|j| j.name == joint.name && j.collide);
        if let ([Some(a), Some(b)], false) = (joint.bodies, collide) {
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A bit for each group.
fn group_bits(bodies: &[BodySpec]) -> Result<BTreeMap<String, u64>, BuildError> {
    let names: BTreeSet<&String> = bodies.iter().flat_map(|b| &b.groups).collect();
    if names.len() > 64 {
        let reason = format!("a world may have 64, this one has {}", names.len());
        return Err(BuildError::Setting {
            setting: "groups",
            reason,
        });
    }
    let bits = names.into_iter().enumerate();
    Ok(bits.map(|(k, name)| (name.clone(), 1 << k)).collect())
}

/// Solvers tried in turn when the chosen one's answer is not certified.
const FALLBACKS: [&str; 2] = ["auto", "nsgs"];

fn solvers(chosen: &str) -> Result<Vec<Option<Box<dyn ContactSolver>>>, BuildError> {
    let first = selecting_solver_by_name(chosen).ok_or_else(|| BuildError::Setting {
        setting: "solver",
        reason: format!("\"{chosen}\" is not one of {}", SOLVER_NAMES.join(", ")),
    })?;
    let others = FALLBACKS.iter().filter(|&&name| name != chosen);
    let rest = others.filter_map(|name| selecting_solver_by_name(name));
    Ok(std::iter::once(first).chain(rest).map(Some).collect())
}

fn check_restitution(e: f64) -> Result<f64, BuildError> {
    if (0.0..=1.0).contains(&e) {
        return Ok(e);
    }
    Err(BuildError::Setting {
        setting: "restitution",
        reason: format!("must be from 0 to 1, got {e}"),
    })
}

fn check_friction(setting: &'static str, friction: Friction) -> Result<(), BuildError> {
    let Friction { stick, slide } = friction;
    if slide >= 0.0 && stick >= slide && stick.is_finite() {
        return Ok(());
    }
    let reason =
        format!("needs 0 <= kinetic <= static < infinity, got static {stick}, kinetic {slide}");
    Err(BuildError::Setting { setting, reason })
}

fn check_state(name: &str, state: &BodyState) -> Result<(), BuildError> {
    let bad = |reason: &str| {
        Err(BuildError::Body {
            body: name.into(),
            reason: reason.into(),
        })
    };
    if !(state.pose.position.is_finite()
        && state.twist.linear.is_finite()
        && state.twist.angular.is_finite())
    {
        return bad("position and velocity must be finite");
    }
    if (state.pose.orientation.length() - 1.0).abs() > 1e-14 {
        return bad("its orientation must be a unit quaternion");
    }
    Ok(())
}

fn check_body(spec: &BodySpec) -> Result<(), BuildError> {
    let bad = |reason: String| {
        Err(BuildError::Body {
            body: spec.name.clone(),
            reason,
        })
    };
    if let Some(f) = spec.friction {
        check_friction("body friction", f)?;
    }
    match (&spec.motion, &spec.mass) {
        (Motion::Free, None) => {
            bad("a free body needs a mass, and a half-space cannot have one".into())
        }
        (Motion::Prescribed(_), Some(_)) => bad("a prescribed body has no mass".into()),
        (Motion::Free, Some(mass)) => {
            if !(mass.mass > 0.0 && mass.mass.is_finite()) {
                return bad(format!("its mass must be positive, got {} kg", mass.mass));
            }
            if spec.shape.is_particle() {
                return particle(spec).map_or(Ok(()), |reason| bad(reason.into()));
            }
            check_inertia(&mass.inertia).or_else(bad)
        }
        (Motion::Prescribed(_), None) => Ok(()),
    }
}

/// What is wrong with a particle, if anything: it has neither inertia nor spin.
fn particle(spec: &BodySpec) -> Option<&'static str> {
    let inertia = spec.mass.map(|m| m.inertia);
    if inertia != Some(DMat3::ZERO) {
        return Some("a point has no inertia: it does not turn");
    }
    (spec.state.twist.angular != DVec3::ZERO).then_some("a point does not turn")
}

/// Symmetric, positive definite, and the triangle inequality: no moment exceeds the sum of the other two,
/// which is the same as ½ tr(I) 1 − I being positive semidefinite.
fn check_inertia(inertia: &DMat3) -> Result<(), String> {
    let scale = inertia.x_axis.length() + inertia.y_axis.length() + inertia.z_axis.length();
    if !inertia.is_finite() || scale <= 0.0 {
        return Err("its inertia must be finite and positive".into());
    }
    let skew = *inertia - inertia.transpose();
    if skew.x_axis.length() + skew.y_axis.length() + skew.z_axis.length() > 1e-12 * scale {
        return Err("its inertia must be symmetric".into());
    }
    if !positive(inertia, 0.0) {
        return Err("its inertia must be positive definite".into());
    }
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let second_moments = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - *inertia;
    if positive(&second_moments, 1e-12 * scale) {
        Ok(())
    } else {
        Err("its inertia breaks the triangle inequality: one principal moment exceeds the sum of the others".into())
    }
}

/// Are all leading minors of m + slack·1 positive?
fn positive(m: &DMat3, slack: f64) -> bool {
    let m = *m + DMat3::from_diagonal(DVec3::splat(slack));
    let minor2 = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor2 > 0.0 && m.determinant() > 0.0
}

/// Bodies that overlap by more than rounding are refused.
fn refuse_overlaps(
    model: &Model,
    states: &[BodyState],
    ignored: &[[usize; 2]],
) -> Result<(), BuildError> {
    let bounds: Vec<Bounds> = model
        .bodies
        .iter()
        .zip(states)
        .map(|(b, s)| Bounds::of(&b.shape, &s.pose))
        .collect();
    let mut sweep = Sweep::default();
    let free =
        |i: usize, j: usize| model.may_collide(i, j) && ignored.binary_search(&[i, j]).is_err();
    let mut worst: Option<BuildError> = None;
    let mut deepest = 0.0;
    for &[i, j] in sweep.pairs(&bounds, free) {
        let (a, b) = (&model.bodies[i], &model.bodies[j]);
        let (pose_a, pose_b) = (&states[i].pose, &states[j].pose);
        let depth = -separation(&a.shape, pose_a, &b.shape, pose_b);
        let size = a.shape.radius().min(b.shape.radius());
        let rounding = 1e-9 * size + 1e-14 * (pose_a.position.length() + pose_b.position.length());
        if depth > rounding && depth > deepest {
            deepest = depth;
            worst = Some(BuildError::Overlap {
                a: a.name.clone(),
                b: b.name.clone(),
                depth,
            });
        }
    }
    worst.map_or(Ok(()), Err)
}
