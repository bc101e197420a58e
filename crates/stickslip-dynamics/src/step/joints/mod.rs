//! Joints and springs in the problem of a step: their part of lines 4 and 6.
//!
//! The directions W belong to the start of the step (where joints pull too hard for that, to its middle: [`middle`]). The right-hand side b is set so that u = Wᵀν + b is what
//! the coordinates say at a trial motion: solved again and again, the trial becomes the motion itself, and
//! the coordinates at the end of the step are exact (Φ(q ⊕ hν⁺) = 0 with forces along ∇Φ(q): the SHAKE
//! scheme, whose energy does not drift).
//!
//! Rows may be redundant (rings, doubled joints), and away from the solution they then contradict each other. So
//! each round is a proximal one, u = Wᵀν + b + C(p − p_last) with a small compliance C that vanishes from the
//! equations as p settles: every round has one answer, and of redundant impulses it is nearly the least.
//!
//! | file | holds |
//! |---|---|
//! | [`rows`] | which rows a joint has, with their bounds and directions |
//! | [`gears`] | rows of gears, which couple two joints |
//! | [`limits`] | which limits have a row at all |
//! | [`linearise`] | the right-hand side about a trial motion |
//! | [`middle`] | impulses along the gradients of the middle of the step |
//! | [`rounds`] | the rounds until every joint is closed |
//! | [`islands`] | what islands are, which have ended, and what they keep |
//! | [`springs`] | rows of implicit springs, forces of explicit ones |
//! | [`efforts`] | motors whose force is given |
//! | [`rings`] | which joints hang together with a ring, and may contradict each other |
//! | [`record`] | impulses and coordinates for the record, names of blocks |

pub(crate) mod efforts;
mod gears;
mod islands;
mod limits;
mod linearise;
mod middle;
mod record;
mod rings;
pub(crate) mod rounds;
mod rows;
pub(crate) mod springs;

use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::twist::to_problem;
use glam::DVec3;
use linearise::Pace;
use middle::Mass;
use rings::Assemblage;
use rows::{JOINT_ROWS, JointRow, Source, gives, last_impulse};
use springs::last_phi;
use stickslip_geometry::Pose;
use stickslip_model::joint::{AXES, Placed, SINGULAR};
use stickslip_model::spring::PlacedSpring;
use stickslip_model::{Along, BodyState, JointImpulse, Model};
use stickslip_solvers::problem::residual::w_bar;

/// Memory of the joints and springs in a step.
#[derive(Default)]
pub(crate) struct Joints {
    /// The joints at the start of the step, and their coordinates with turns counted.
    placed: Vec<Placed>,
    from: Vec<[f64; AXES]>,
    /// The springs at the start of the step.
    springs: Vec<PlacedSpring>,
    /// The blocks after those of the contacts.
    sources: Vec<Source>,
    first_block: usize,
    /// Inverse effective mass of each of these blocks, 1/kg.
    w_bar: Vec<f64>,
    /// Compliance that their own law gives the rows of each: that of motors with gains, 1/kg.
    gives: Vec<DVec3>,
    /// Limits (joint, axis) that were found broken in this step although nothing seemed to come near them.
    watched: Vec<(usize, usize)>,
    /// Poses of the trial motion.
    trial: Vec<Pose>,
    /// Along which gradients the impulses of each joint act; those of the start where it says nothing.
    along: Vec<Along>,
    /// Does a joint hang together with a ring of joints? And the memory of the search.
    ringed: Vec<bool>,
    roots: Vec<usize>,
    assemblages: Vec<Assemblage>,
}

impl Joints {
    /// A new step begins.
    pub(crate) fn begin(&mut self) {
        self.watched.clear();
        self.along.clear();
    }

    /// Adds the blocks of all joints and springs to the problem, and the last step's impulses to its start. `iterate` is the
    /// motion to linearise about first; without one, that of the last step's velocities is.
    pub(crate) fn assemble(
        &mut self,
        step: &Predicted,
        assembly: &mut Assembly,
        iterate: Option<&[BodyState]>,
    ) -> Result<(), Failure> {
        if !joins_anything(step.model()) {
            return Ok(());
        }
        self.place(step);
        self.find_rings(step.model());
        self.set_trial(step, iterate);
        self.first_block = assembly.problem.contacts.len();
        self.sources.clear();
        self.w_bar.clear();
        self.gives.clear();
        for body in step.model().joined().flatten().flatten() {
            assembly.enter(step, body);
        }
        for k in 0..step.model().joints.len() {
            for first in [0, 3] {
                for row in JOINT_ROWS {
                    self.add_joint_block(step, assembly, k, first, row);
                }
            }
        }
        for k in 0..step.model().springs.len() {
            self.add_spring_block(step, assembly, k);
        }
        for k in 0..step.model().gears.len() {
            self.add_gear_block(step, assembly, k);
        }
        if self.needs_trials() {
            let from = iterate.unwrap_or(step.start());
            set_velocities(assembly, from);
            if self.any_in_the_middle() {
                self.turn(step, assembly, Mass::Symmetric);
            }
            let blocks = &mut assembly.problem.contacts;
            self.linearise_first(step, blocks, &assembly.nu);
        }
        match self.singular(step.model()) {
            Some(joint) => Err(step.joint_singular(joint).into()),
            None => Ok(()),
        }
    }

    /// Finds the places of joints and springs at the start of the step.
    fn place(&mut self, step: &Predicted) {
        self.placed.clear();
        self.from.clear();
        self.springs.clear();
        let (model, last) = (step.model(), &step.last.joints);
        for (k, joint) in model.joints.iter().enumerate() {
            let placed = joint.placed(step.start());
            let near = last.get(k).map_or([0.0; AXES], |d| d.coordinates);
            self.from.push(placed.near(&near));
            self.placed.push(placed);
        }
        for (k, spring) in model.springs.iter().enumerate() {
            let near = last_phi(model, last, k);
            self.springs.push(spring.place(model, step.start(), near));
        }
    }

    /// Adds the rows of one kind on axes `first` to `first + 2` of joint `k`, if there are any.
    fn add_joint_block(
        &mut self,
        step: &Predicted,
        assembly: &mut Assembly,
        k: usize,
        first: usize,
        row: JointRow,
    ) {
        let Some(bounds) = self.bounds(step, k, first, row) else {
            return;
        };
        let mut block = self.joint_block(step, assembly, k, first, bounds);
        let w_bar = w_bar(&block, &assembly.problem.inverse_mass);
        let gives = gives(&step.model().joints[k], first, row, step.plan.h);
        block.compliance = DVec3::splat(self.compliance(k, Pace::FIRST) * w_bar) + gives;
        self.w_bar.push(w_bar);
        self.gives.push(gives);
        assembly.problem.contacts.push(block);
        let source = Source::Joint {
            joint: k,
            first,
            row,
        };
        self.begin_at_last(step, assembly, source);
    }

    fn add_spring_block(&mut self, step: &Predicted, assembly: &mut Assembly, k: usize) {
        let Some(block) = self.spring_block(step, assembly, k) else {
            return;
        };
        assembly.problem.contacts.push(block);
        self.begin_at_last(step, assembly, Source::Spring { spring: k });
        self.w_bar.push(0.0);
        self.gives.push(DVec3::ZERO);
    }

    /// The block added last is what `source` says, and begins at the last step's impulses.
    fn begin_at_last(&mut self, step: &Predicted, assembly: &mut Assembly, source: Source) {
        let last = self.impulse_of(&source, step.model(), &step.last.joints);
        assembly.impulses.push(last * step.longer());
        self.sources.push(source);
    }

    /// Impulses of a block in a record of joints, springs and gears, in the block's units; zero where it has none.
    fn impulse_of(&self, source: &Source, model: &Model, record: &[JointImpulse]) -> DVec3 {
        let of = |place: usize| record.get(place).copied().unwrap_or_default();
        match *source {
            Source::Joint { joint, first, row } => {
                last_impulse(&of(joint), &model.joints[joint], first, row)
            }
            Source::Spring { spring } => {
                DVec3::from_slice(&of(model.joints.len() + spring).hold)
                    / self.springs[spring].scale
            }
            Source::Gear { gear } => {
                let place = model.joints.len() + model.springs.len() + gear;
                DVec3::X * (of(place).hold[0] / model.gears[gear].scale(model))
            }
        }
    }

    /// Are there coordinates that depend on the motion, so that a trial is needed?
    fn needs_trials(&self) -> bool {
        self.sources
            .iter()
            .any(|s| matches!(s, Source::Joint { .. } | Source::Gear { .. }))
    }

    /// The joint whose rotation cannot be told, if any: ry at ±π/2 with something on its rotations.
    fn singular(&self, model: &Model) -> Option<usize> {
        let both = model.joints.iter().zip(&self.placed);
        both.into_iter().position(|(joint, placed)| {
            let turned = joint.axes[3..].iter().any(|a| a.acts());
            turned && placed.regular < SINGULAR
        })
    }
}

/// Sets the velocities of the problem to those of `from`.
fn set_velocities(assembly: &mut Assembly, from: &[BodyState]) {
    let mut nu = std::mem::take(&mut assembly.nu);
    nu.clear();
    let entered = assembly.entered().iter();
    nu.extend(entered.map(|&i| to_problem(&from[i].twist)));
    assembly.nu = nu;
}

/// Calls `raise` with each body that joints or springs act on and `part` of the rounding of their coordinates over h, m/s.
pub(crate) fn raise_floors(step: &Predicted, part: f64, mut raise: impl FnMut(usize, f64)) {
    let model = step.model();
    let per = if step.plan.is_instant() {
        step.settings.h
    } else {
        step.plan.h
    };
    let joints = model.joints.iter();
    let joints = joints.map(|j| (j.bodies, j.rounding(step.goal)));
    let springs = model.springs.iter();
    let springs = springs.map(|s| (s.bodies(&model.joints), s.rounding(model, step.goal)));
    let gears = model.gears.iter();
    let gears = gears.map(|g| (g.bodies(&model.joints), g.rounding(model, step.goal)));
    for (bodies, rounding) in joints.chain(springs).chain(gears) {
        for body in bodies.into_iter().flatten() {
            raise(body, part * rounding / per);
        }
    }
}

/// Are there joints or springs at all?
fn joins_anything(model: &Model) -> bool {
    !(model.joints.is_empty() && model.springs.is_empty())
}
