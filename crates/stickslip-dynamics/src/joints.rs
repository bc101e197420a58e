//! Joints and springs in the problem of a step.
//!
//! The directions W belong to the start of the step. The right-hand side b is set so that u = Wᵀν + b is what
//! the coordinates say at a trial motion: solved again and again, the trial becomes the motion itself, and
//! the coordinates at the end of the step are exact (Φ(q ⊕ hν⁺) = 0 with forces along ∇Φ(q): the SHAKE
//! scheme, whose energy does not drift).
//!
//! Rows may be redundant (rings, doubled joints), and away from the solution they then contradict each other. So
//! each round is a proximal one, u = Wᵀν + b + C(p − p_last) with a small compliance C that vanishes from the
//! equations as p settles: every round has one answer, and of redundant impulses it is nearly the least.

use crate::assemble::Assembly;
use crate::setup::Drives;
use glam::{DMat3, DVec3};
use stickslip_geometry::Pose;
use stickslip_model::joint::{AXES, Aims, Hold, Placed, SINGULAR};
use stickslip_model::spring::PlacedSpring;
use stickslip_model::{BodyState, Joint, JointImpulse, Model};
use stickslip_solvers::problem::residual::w_bar;
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law, Twist};

/// What a block of rows is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Locked and driven axes, and lower limits.
    Hold,
    /// Upper limits.
    Upper,
    /// Motors.
    Motor,
    /// Dry friction.
    Friction,
}

const KINDS: [Kind; 4] = [Kind::Hold, Kind::Upper, Kind::Motor, Kind::Friction];

/// Which rows a block of the problem holds.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Axes `first` to `first + 2` of a joint.
    Joint {
        joint: usize,
        first: usize,
        kind: Kind,
    },
    /// A spring.
    Spring { spring: usize },
}

/// Memory of the joints in a step.
#[derive(Default)]
pub(crate) struct JointWork {
    /// What drives and motors aim at, at the end of the step.
    pub(crate) aims: Vec<Aims>,
    /// The joints and springs at the start of the step, turns counted.
    placed: Vec<Placed>,
    from: Vec<[f64; AXES]>,
    springs: Vec<PlacedSpring>,
    /// The blocks after those of the contacts.
    sources: Vec<Source>,
    first_block: usize,
    /// Inverse effective mass of each of these blocks, 1/kg.
    w_bar: Vec<f64>,
    /// Limits that were found broken in this step although nothing seemed to come near them.
    watched: Vec<(usize, usize)>,
    /// Poses of the trial motion.
    trial: Vec<Pose>,
    nu: Vec<Twist>,
    /// The step's answer.
    pub(crate) impulses: Vec<JointImpulse>,
}

/// What the joints need to know of a step.
#[derive(Clone, Copy)]
pub(crate) struct StepView<'a> {
    pub(crate) model: &'a Model,
    /// Length of the step, s; zero for a phase of an impact.
    pub(crate) h: f64,
    /// The step asked for, s.
    pub(crate) grid: f64,
    /// At the start.
    pub(crate) states: &'a [BodyState],
    /// I⁻¹, world frame, at the start.
    pub(crate) inverse: &'a [DMat3],
    /// Prescribed bodies at the end.
    pub(crate) goal: &'a [BodyState],
    /// Joints and springs in the last step, or nothing.
    pub(crate) last: &'a [JointImpulse],
    /// The last iterate of a step that is iterated as a whole.
    pub(crate) iterate: Option<&'a [BodyState]>,
}

impl StepView<'_> {
    fn is_free(&self, body: Option<usize>) -> bool {
        body.is_some_and(|i| self.model.bodies[i].is_free())
    }

    const fn is_impact(&self) -> bool {
        self.h == 0.0
    }

    /// φ of a spring in the last step: where its turns are counted from.
    pub(crate) fn last_phi(&self, spring: usize) -> f64 {
        last_phi(self.model, self.last, spring)
    }
}

/// φ of a spring in a recorded step; in the initial state, that of its joint's coordinate within half a turn.
pub(crate) fn last_phi(model: &Model, last: &[JointImpulse], spring: usize) -> f64 {
    last.get(model.joints.len() + spring)
        .map_or(-model.springs[spring].rest, |done| done.coordinates[0])
}

/// How the next round is set up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Its number.
    pub(crate) round: usize,
    /// How much of the change of b is made: less than all where the rounds go in a circle.
    pub(crate) relaxation: f64,
}

impl Pace {
    const FIRST: Self = Self {
        round: 0,
        relaxation: 1.0,
    };
}

/// Rows whose bounds are (lo, hi), N s.
#[derive(Clone, Copy, Default)]
struct Bounds {
    lo: DVec3,
    hi: DVec3,
}

impl JointWork {
    /// Evaluates what drives and motors aim at.
    pub(crate) fn aim(&mut self, drives: &[Drives], t_next: f64) {
        self.aims.clear();
        self.aims.extend(drives.iter().map(|d| d.aims(t_next)));
    }

    /// A new step begins.
    pub(crate) fn begin(&mut self) {
        self.watched.clear();
    }

    /// Finds the joints' places at the start of the step.
    pub(crate) fn place(&mut self, view: &StepView) {
        self.placed.clear();
        self.from.clear();
        self.springs.clear();
        for (k, joint) in view.model.joints.iter().enumerate() {
            let placed = joint.placed(view.states);
            let near = view.last.get(k).map_or([0.0; AXES], |d| d.coordinates);
            self.from.push(placed.near(&near));
            self.placed.push(placed);
        }
        for (k, spring) in view.model.springs.iter().enumerate() {
            let placed = spring.place(view.model, view.states, view.last_phi(k));
            self.springs.push(placed);
        }
    }

    /// Adds the blocks of all joints and springs to the problem, and the last step's impulses to the guess. The
    /// trial motion is that of the last step's velocities.
    pub(crate) fn assemble(
        &mut self,
        view: &StepView,
        assembly: &mut Assembly,
        guess: &mut Vec<DVec3>,
    ) {
        self.first_block = assembly.problem.contacts.len();
        self.sources.clear();
        self.w_bar.clear();
        self.set_trial(view);
        for body in view.model.joined().flatten().flatten() {
            assembly.enter(view.model, view.inverse, view.goal, body);
        }
        for (k, joint) in view.model.joints.iter().enumerate() {
            for first in [0, 3] {
                for kind in KINDS {
                    let Some(bounds) = self.bounds(view, k, first, kind) else {
                        continue;
                    };
                    let mut block = self.joint_block(view, assembly, k, first, bounds);
                    let w_bar = w_bar(&block, &assembly.problem.inverse_mass);
                    block.compliance = DVec3::splat(compliance(0) * w_bar);
                    self.w_bar.push(w_bar);
                    assembly.problem.contacts.push(block);
                    let last = view.last.get(k).copied().unwrap_or_default();
                    guess.push(last_impulse(&last, joint, first, kind));
                    self.sources.push(Source::Joint {
                        joint: k,
                        first,
                        kind,
                    });
                }
            }
        }
        for k in 0..view.model.springs.len() {
            if let Some(block) = self.spring_block(view, assembly, k) {
                assembly.problem.contacts.push(block);
                let last = view.last.get(view.model.joints.len() + k);
                let p = last.map_or(DVec3::ZERO, |d| DVec3::from_slice(&d.hold));
                guess.push(p / self.springs[k].scale);
                self.sources.push(Source::Spring { spring: k });
                self.w_bar.push(0.0);
            }
        }
        if !self.needs_trials() {
            return;
        }
        let mut nu = std::mem::take(&mut self.nu);
        nu.clear();
        let from = view.iterate.unwrap_or(view.states);
        let twists = assembly.entered().iter().map(|&i| from[i].twist);
        nu.extend(twists.map(|t| Twist {
            linear: t.linear,
            angular: t.angular,
        }));
        self.linearise(view, assembly, &nu, &[], Pace::FIRST);
        self.nu = nu;
    }

    /// The first trial: the last iterate, or free bodies go on as they did and prescribed ones go where they must.
    fn set_trial(&mut self, view: &StepView) {
        self.trial.clear();
        if let Some(iterate) = view.iterate {
            self.trial.extend(iterate.iter().map(|s| s.pose));
            return;
        }
        let trial = view.states.iter().zip(&view.model.bodies).enumerate();
        self.trial.extend(trial.map(|(i, (state, body))| {
            if body.is_free() {
                state.pose.moved(&state.twist, view.h)
            } else {
                view.goal[i].pose
            }
        }));
    }

    /// Bounds of the rows of one kind on three axes, N s or N m s; `None` where there are none. Limits that the
    /// motion cannot reach have no row: far away their u is so large that it would drown the others.
    fn bounds(&self, view: &StepView, k: usize, first: usize, kind: Kind) -> Option<Bounds> {
        let joint = &view.model.joints[k];
        let mut bounds = bounds(joint, first, kind, view.h)?;
        if view.is_impact() {
            return self.at_impact(view, k, first, kind, bounds);
        }
        if !joint.axes[first..first + 3]
            .iter()
            .any(|a| a.limits.is_some())
        {
            return Some(bounds);
        }
        let from = &self.from[k];
        let at = |pose: &dyn Fn(usize) -> Pose| {
            let [a, b] = joint.bodies.map(|b| b.map_or(Pose::IDENTITY, pose));
            joint.place([&a, &b]).near(from)
        };
        let (trial, free) = (at(&|i| self.trial[i]), at(&|i| view.goal[i].pose));
        for i in 0..3 {
            let axis = first + i;
            let Some([lo, hi]) = joint.axes[axis].limits else {
                continue;
            };
            let limit = match kind {
                Kind::Hold => lo,
                Kind::Upper => hi,
                Kind::Motor | Kind::Friction => continue,
            };
            let c = [from[axis], trial[axis], free[axis]];
            let moved = (c[1] - c[0]).abs() + (c[2] - c[0]).abs();
            let near = c.iter().any(|c| (c - limit).abs() <= 4.0 * moved + 1e-6)
                || c.iter().any(|c| *c < lo || *c > hi);
            if !near && !self.watched.contains(&(k, axis)) {
                bounds.lo[i] = 0.0;
                bounds.hi[i] = 0.0;
            }
        }
        (bounds.lo != bounds.hi).then_some(bounds)
    }

    /// The same in an impact: rows of limits that are reached only, and none with bounds on their force.
    fn at_impact(
        &self,
        view: &StepView,
        k: usize,
        first: usize,
        kind: Kind,
        mut bounds: Bounds,
    ) -> Option<Bounds> {
        let joint = &view.model.joints[k];
        let side = match kind {
            Kind::Hold => 0,
            Kind::Upper => 1,
            Kind::Motor | Kind::Friction => return None,
        };
        for i in 0..3 {
            let axis = &joint.axes[first + i];
            let rounding = joint.rounding(view.states) / joint.scale(first + i);
            let reached = axis.at_limits(self.from[k][first + i], rounding)[side];
            if axis.hold == Hold::Free && !reached {
                bounds.lo[i] = 0.0;
                bounds.hi[i] = 0.0;
            }
        }
        (bounds.lo != bounds.hi).then_some(bounds)
    }

    fn joint_block(
        &self,
        view: &StepView,
        assembly: &Assembly,
        k: usize,
        first: usize,
        bounds: Bounds,
    ) -> ContactBlock {
        let (joint, placed) = (&view.model.joints[k], &self.placed[k]);
        let scale = joint.scale(first);
        // Absent rows have no direction; angles count as distances.
        let frame = [0, 1, 2].map(|i| {
            if bounds.lo[i] == bounds.hi[i] {
                DVec3::ZERO
            } else {
                placed.directions[first + i] * scale
            }
        });
        let action = if first == 0 {
            Action::Force
        } else {
            Action::Torque
        };
        let arm = |end: usize, sign: f64| {
            let body = joint.bodies[end].filter(|_| view.is_free(joint.bodies[end]))?;
            Some(Arm {
                body: assembly.slot_of(body)?,
                lever: placed.point - view.states[body].pose.position,
                sign,
                action,
            })
        };
        ContactBlock {
            frame,
            arms: [arm(0, -1.0), arm(1, 1.0)],
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Box {
                lo: bounds.lo / scale,
                hi: bounds.hi / scale,
            },
        }
    }

    /// C p + ∇φ·ν + C(hγ φ + δ(φ − φ_start)) = 0, φ with prescribed bodies where they will be.
    fn spring_block(&self, view: &StepView, assembly: &Assembly, k: usize) -> Option<ContactBlock> {
        let (spring, placed, h) = (&view.model.springs[k], &self.springs[k], view.h);
        // In an impact a compliance without bound: it does nothing.
        let compliance = spring.compliance(h)?;
        let mixed = |i: usize| {
            if view.model.bodies[i].is_free() {
                view.states[i].pose
            } else {
                view.goal[i].pose
            }
        };
        let phi = spring.place_at(view.model, &mixed, view.last_phi(k)).phi;
        let pull = phi * (h * spring.stiffness) + (phi - placed.phi) * spring.damping;
        let present = [0, 1, 2].map(|i| i < placed.rows);
        let action = if placed.torque {
            Action::Torque
        } else {
            Action::Force
        };
        let arms = placed.arms.map(|arm| {
            let arm = arm.filter(|arm| view.is_free(Some(arm.body)))?;
            Some(Arm {
                body: assembly.slot_of(arm.body)?,
                lever: arm.point - view.states[arm.body].pose.position,
                sign: arm.sign,
                action,
            })
        });
        let scale = placed.scale;
        Some(ContactBlock {
            frame: placed.directions.map(|d| d * scale),
            arms,
            b: pull * (compliance * scale),
            compliance: DVec3::splat(compliance * scale * scale),
            law: Law::bilateral(present),
        })
    }

    /// Sets b so that u = Wᵀν + b + C p is what the coordinates say at the trial motion `nu` (whose poses are in
    /// `trial`) with impulses `p` (nothing: zero), C that of the next round. Returns by how much u was off in the
    /// round before, m/s, and its joint.
    pub(crate) fn linearise(
        &self,
        view: &StepView,
        assembly: &mut Assembly,
        nu: &[Twist],
        p: &[DVec3],
        pace: Pace,
    ) -> (f64, usize) {
        let mut worst = (0.0, 0);
        let (mut known, mut to) = (usize::MAX, [0.0; AXES]);
        for (n, source) in self.sources.iter().enumerate() {
            let Source::Joint {
                joint: k,
                first,
                kind,
            } = *source
            else {
                continue;
            };
            let joint = &view.model.joints[k];
            if known != k {
                let poses = joint
                    .bodies
                    .map(|b| b.map_or(Pose::IDENTITY, |i| self.trial[i]));
                to = joint.place([&poses[0], &poses[1]]).near(&self.from[k]);
                known = k;
            }
            let block = &mut assembly.problem.contacts[self.first_block + n];
            let mut world = DVec3::ZERO;
            for arm in block.arms.iter().flatten() {
                world += arm.velocity(&nu[arm.body]);
            }
            let rates = block.to_contact(world);
            let p = p.get(self.first_block + n).copied().unwrap_or_default();
            let said = rates + block.b + block.compliance * p;
            let old = block.b + block.compliance * p;
            block.compliance = DVec3::splat(compliance(pace.round) * self.w_bar[n]);
            let Law::Box { lo, hi } = block.law else {
                continue;
            };
            for i in (0..3).filter(|&i| lo[i] != hi[i]) {
                let axis = first + i;
                let u = if view.is_impact() {
                    rates[i] - self.kept_rate(view, joint, k, axis) * joint.scale(axis)
                } else {
                    let wanted = self.wanted(joint, k, axis, kind, view.h);
                    (to[axis] - wanted) / view.h * joint.scale(axis)
                };
                let off = (u - said[i]).abs();
                if off > worst.0 || off.is_nan() {
                    worst = (off, k);
                }
                let new = old[i] + (u - rates[i] - old[i]) * pace.relaxation;
                block.b[i] = new - block.compliance[i] * p[i];
            }
        }
        worst
    }

    /// Limits without a row that the trial motion breaks are given one; how many?
    pub(crate) fn watch_limits(&mut self, view: &StepView, assembly: &Assembly) -> usize {
        if view.is_impact() {
            return 0;
        }
        let before = self.watched.len();
        for (k, joint) in view.model.joints.iter().enumerate() {
            if joint.axes.iter().all(|a| a.limits.is_none()) {
                continue;
            }
            let [a, b] = joint
                .bodies
                .map(|b| b.map_or(Pose::IDENTITY, |i| self.trial[i]));
            let to = joint.place([&a, &b]).near(&self.from[k]);
            for (axis, spec) in joint.axes.iter().enumerate() {
                let Some([lo, hi]) = spec.limits else {
                    continue;
                };
                let kind = if to[axis] < lo {
                    Kind::Hold
                } else if to[axis] > hi {
                    Kind::Upper
                } else {
                    continue;
                };
                if !self.has_row(assembly, k, axis, kind) && !self.watched.contains(&(k, axis)) {
                    self.watched.push((k, axis));
                }
            }
        }
        self.watched.len() - before
    }

    /// Has this axis of joint `k` a row of this kind in the problem?
    fn has_row(&self, assembly: &Assembly, k: usize, axis: usize, kind: Kind) -> bool {
        let here = |source: &Source| {
            matches!(*source, Source::Joint { joint, first, kind: of }
                if joint == k && first == 3 * (axis / 3) && of == kind)
        };
        self.sources.iter().position(here).is_some_and(|n| {
            let block = &assembly.problem.contacts[self.first_block + n];
            matches!(block.law, Law::Box { lo, hi } if lo[axis % 3] != hi[axis % 3])
        })
    }

    /// The coordinate at the end of the step at which the row's u vanishes.
    fn wanted(&self, joint: &Joint, k: usize, axis: usize, kind: Kind, h: f64) -> f64 {
        let (spec, aims, from) = (&joint.axes[axis], &self.aims[k], self.from[k][axis]);
        match kind {
            Kind::Hold => match (spec.hold, spec.limits) {
                (Hold::Free, Some([lo, _])) => lo,
                _ => aims.hold[axis],
            },
            Kind::Upper => spec.limits.map_or(0.0, |[_, hi]| hi),
            Kind::Motor => {
                let rate = spec
                    .motor
                    .map_or(0.0, |m| m.goal.rate(from, aims.motor[axis], h));
                from + h * rate
            }
            Kind::Friction => from,
        }
    }

    /// The rate that an axis has after an impact as far as its free bodies go: a drive keeps its own; whatever is prescribed
    /// moves on.
    fn kept_rate(&self, view: &StepView, joint: &Joint, k: usize, axis: usize) -> f64 {
        let placed = &self.placed[k];
        let mut rate = 0.0;
        if joint.axes[axis].hold == Hold::Driven {
            rate = joint.rates(placed, view.states)[axis];
        }
        let prescribed = joint.bodies.map(|b| b.filter(|_| !view.is_free(b)));
        if prescribed.iter().any(Option::is_some) {
            let carried = Joint {
                bodies: prescribed,
                ..joint.clone()
            };
            rate -= carried.rates(placed, view.states)[axis];
        }
        rate
    }

    /// Takes the poses of `next` as the trial motion.
    pub(crate) fn try_next(&mut self, next: &[BodyState]) {
        self.trial.clear();
        self.trial.extend(next.iter().map(|s| s.pose));
    }

    /// Takes the compliance of the first round off the joints' rows.
    pub(crate) fn make_rigid(&self, assembly: &mut Assembly) {
        let blocks = assembly.problem.contacts[self.first_block..].iter_mut();
        for (block, source) in blocks.zip(&self.sources) {
            if matches!(source, Source::Joint { .. }) {
                block.compliance = DVec3::ZERO;
            }
        }
    }

    /// What the blocks after those of the contacts are, in words.
    pub(crate) fn block_names(&self, model: &Model) -> impl Iterator<Item = String> {
        self.sources.iter().map(|source| match *source {
            Source::Joint { joint, first, kind } => {
                let what = match kind {
                    Kind::Hold => "rows",
                    Kind::Upper => "upper limits",
                    Kind::Motor => "motor",
                    Kind::Friction => "friction",
                };
                let axes = if first == 0 { "shifts" } else { "turns" };
                let name = &model.joints[joint].name;
                format!("{what} on the {axes} of joint \"{name}\"")
            }
            Source::Spring { spring } => format!("spring \"{}\"", model.springs[spring].name),
        })
    }

    /// Are there coordinates that depend on the motion, so that a trial is needed?
    pub(crate) fn needs_trials(&self) -> bool {
        self.sources
            .iter()
            .any(|s| matches!(s, Source::Joint { .. }))
    }

    /// The answer, from the impulses of the blocks and the states at the end of the step.
    pub(crate) fn store(&mut self, view: &StepView, p: &[DVec3], next: &[BodyState]) {
        let model = view.model;
        self.impulses.clear();
        for (k, joint) in model.joints.iter().enumerate() {
            self.impulses.push(JointImpulse {
                coordinates: joint.placed(next).near(&self.from[k]),
                ..JointImpulse::default()
            });
        }
        for (k, spring) in model.springs.iter().enumerate() {
            let mut done = JointImpulse::default();
            let phi = spring.place(model, next, self.springs[k].phi.x).phi;
            done.coordinates[..3].copy_from_slice(&phi.to_array());
            self.impulses.push(done);
        }
        for (source, p) in self.sources.iter().zip(&p[self.first_block..]) {
            match *source {
                Source::Joint { joint, first, kind } => {
                    let scale = model.joints[joint].scale(first);
                    let done = &mut self.impulses[joint];
                    let target = match kind {
                        Kind::Hold | Kind::Upper => &mut done.hold,
                        Kind::Motor => &mut done.motor,
                        Kind::Friction => &mut done.friction,
                    };
                    for i in 0..3 {
                        target[first + i] += p[i] * scale;
                    }
                }
                Source::Spring { spring } => {
                    let scale = self.springs[spring].scale;
                    let done = &mut self.impulses[model.joints.len() + spring];
                    done.hold[..3].copy_from_slice(&(*p * scale).to_array());
                }
            }
        }
        let (joints, springs) = self.impulses.split_at_mut(model.joints.len());
        for (placed, done) in self.placed.iter().zip(joints) {
            (done.linear, done.angular) = placed.wrench(&done.total());
        }
        for (placed, done) in self.springs.iter().zip(springs) {
            let p = placed.vector(DVec3::from_slice(&done.hold));
            if placed.torque {
                done.angular = p;
            } else {
                done.linear = p;
            }
        }
    }

    /// Rounding of the coordinates over h, m/s.
    pub(crate) fn floor(&self, view: &StepView) -> f64 {
        let joints = view.model.joints.iter().map(|j| j.rounding(view.goal));
        let springs = view.model.springs.iter();
        let springs = springs.map(|s| s.rounding(view.model, view.goal));
        let per = if view.is_impact() { view.grid } else { view.h };
        joints.chain(springs).fold(0.0, f64::max) / per
    }

    /// The joint whose rotation cannot be told, if any: ry at ±π/2 with something on its rotations.
    pub(crate) fn singular(&self, model: &Model) -> Option<usize> {
        let both = model.joints.iter().zip(&self.placed);
        both.into_iter().position(|(joint, placed)| {
            let turned = joint.axes[3..].iter().any(|a| a.acts());
            turned && placed.regular < SINGULAR
        })
    }
}

/// Compliance of a round, relative to w̄: large at first, so that contradictions of redundant rows leave little
/// behind, then ever smaller, so that p settles fast.
fn compliance(round: usize) -> f64 {
    const FALLING: [f64; 10] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11];
    FALLING[round.min(FALLING.len() - 1)]
}

/// Bounds of the rows of one kind on three axes, N s or N m s; `None` where there are none.
fn bounds(joint: &Joint, first: usize, kind: Kind, h: f64) -> Option<Bounds> {
    let inf = f64::INFINITY;
    let mut bounds = Bounds::default();
    let mut any = false;
    for i in 0..3 {
        let axis = &joint.axes[first + i];
        let free = axis.hold == Hold::Free;
        let (lo, hi) = match kind {
            Kind::Hold if !free => (-inf, inf),
            Kind::Hold => match axis.limits {
                Some([lo, _]) if lo.is_finite() => (0.0, inf),
                _ => (0.0, 0.0),
            },
            Kind::Upper => match axis.limits {
                Some([_, hi]) if hi.is_finite() => (-inf, 0.0),
                _ => (0.0, 0.0),
            },
            Kind::Motor => axis
                .motor
                .map_or((0.0, 0.0), |m| (-h * m.force, h * m.force)),
            Kind::Friction => (-h * axis.friction, h * axis.friction),
        };
        bounds.lo[i] = lo;
        bounds.hi[i] = hi;
        any |= lo != hi;
    }
    any.then_some(bounds)
}

/// The last step's impulses of a block, in the block's units.
fn last_impulse(last: &JointImpulse, joint: &Joint, first: usize, kind: Kind) -> DVec3 {
    let of = |p: &[f64; AXES]| DVec3::from_slice(&p[first..]) / joint.scale(first);
    match kind {
        Kind::Hold => {
            let mut p = of(&last.hold);
            for i in 0..3 {
                let axis = &joint.axes[first + i];
                if axis.hold == Hold::Free {
                    p[i] = p[i].max(0.0);
                }
            }
            p
        }
        Kind::Upper => of(&last.hold).min(DVec3::ZERO),
        Kind::Motor => of(&last.motor),
        Kind::Friction => of(&last.friction),
    }
}
