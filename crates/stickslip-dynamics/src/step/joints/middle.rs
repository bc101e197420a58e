//! Impulses along the gradients of the middle of the step: for pulls that those of the start cannot follow.
//!
//! A body of inertia I pulled by an impulse f at a lever r swings about the line of the pull: a turn δ is answered by the
//! torque −(f·r)δ, an oscillation of frequency Ω with (hΩ)² = h (f·r)/I. Gradients of the start take it explicitly, which is
//! stable up to (hΩ)² = 4 and has no solution soon after. With those of the middle, q_m halfway from q to q ⊕ hν⁺,
//!
//! ```text
//!   M(ν⁺ − ν_free) = W(q_m) p ,    Φ(q ⊕ hν⁺) = 0 ,
//! ```
//!
//! it is implicit and stable for every pull. Torques in W(q_m) are carried back with their body to the start, where the spin's
//! equation is written: R R_m⁻¹(r_m × f), so that a rod is not spun about its axis by forces on its axis. The joints' work is
//! p·(Φ(q⁺) − Φ(q))/h to third order in the turn of a step; what is lost is ½(ν⁺ − ν_free)ᵀM(ν⁺ − ν_free).
//!
//! A round is Newton's, as far as the problem of a step can say it. About the trial ν, the answer of the levers to the turn goes
//! into the mass,
//!
//! ```text
//!   (I + S)(ω⁺ − ω_free) = S(ω − ω_free) + Σ r × f⁺ + T ,    S = ½h Σ (f·r_m)₊ (1 − r̂_m r̂_mᵀ) ;
//! ```
//!
//! without S the rounds diverge from (hΩ)² = 2 on. Impulses act at the levers r_m of the middle, rows close at those of the end,
//! and the problem knows one r for both: that of three quarters, which is off by a quarter of the turn for either, and makes
//! rounds converge twice as fast as r_m. What r × f misses is T = Σ R R_m⁻¹(r_m × f) − r × f, of the round before.

use super::Joints;
use super::rounds::Rounds;
use super::rows::Source;
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use crate::step::twist::to_problem;
use glam::{DMat3, DQuat, DVec3};
use stickslip_geometry::Pose;
use stickslip_model::Along;
use stickslip_model::joint::{Hold, Placed};
use stickslip_solvers::problem::{Arm, ContactBlock, InverseMass, Law, Twist};

/// (hΩ)² up to which the gradients of the start are stable.
const STABLE: f64 = 4.0;

/// Rounds in which velocities settle under given impulses at most. Each makes their error several times smaller.
const SETTLING: usize = 60;

/// What S is to be.
#[derive(Clone, Copy)]
pub(super) enum Mass {
    /// Good for a problem to be solved: symmetric, positive.
    Symmetric,
    /// The whole derivative, for velocities under given impulses.
    Exact,
}

/// What a round needs to know of a body's spin.
#[derive(Clone, Copy)]
struct Spin {
    /// S, kg m².
    stiffness: DMat3,
    /// T, N m s.
    left: DVec3,
}

/// Orientations of a body through a motion.
#[derive(Clone, Copy)]
struct Turns {
    /// Halfway.
    middle: DQuat,
    /// At three quarters.
    late: DQuat,
    /// From the middle to the start.
    back: DQuat,
}

impl Spin {
    const FREE: Self = Self {
        stiffness: DMat3::ZERO,
        left: DVec3::ZERO,
    };
}

impl Joints {
    /// The next rounds have impulses along the gradients of the start.
    pub(crate) fn act_along_start(&mut self) {
        self.along.clear();
    }

    /// Those of some joints act along the gradients of the middle.
    pub(crate) fn act_along_middle(&mut self, joints: &[bool]) {
        self.along.clear();
        self.along.extend(joints.iter().map(|middle| match middle {
            true => Along::Middle,
            false => Along::Start,
        }));
    }

    /// Along which gradients joint `k` acts.
    pub(super) fn along_of(&self, k: usize) -> Along {
        self.along.get(k).copied().unwrap_or_default()
    }

    /// Does any act along those of the middle?
    pub(super) fn any_in_the_middle(&self) -> bool {
        self.along.contains(&Along::Middle)
    }

    /// Joint `k` with its directions where its impulses act, in a step that takes body `i` to the pose `end(i)`.
    pub(super) fn acting(&self, step: &Predicted, k: usize, end: impl Fn(usize) -> Pose) -> Placed {
        match self.along_of(k) {
            Along::Start => self.placed[k],
            Along::Middle => {
                let middle = |i: usize| halfway(&step.start()[i].pose, &end(i));
                place(step, k, middle)
            }
        }
    }

    /// Where joint `k` acts on its bodies, in their frames: at its second anchor, and at the point of the first body that is
    /// there on the mean of the start and the end of the trial motion.
    fn points(&self, step: &Predicted, k: usize) -> [DVec3; 2] {
        let joint = &step.model().joints[k];
        let (from, to) = (&self.placed[k], place(step, k, |i| self.trial[i]));
        let shift = |i: usize| match joint.axes[i].hold {
            Hold::Locked => 0.0,
            Hold::Free | Hold::Driven => 0.5 * (from.coordinates[i] + to.coordinates[i]),
        };
        let shift = DVec3::new(shift(0), shift(1), shift(2));
        [joint.anchors[0] + joint.frames[0] * shift, joint.anchors[1]]
    }

    /// Turns the rows of the joints to the middle between the start and the trial motion, whose velocities are those of the
    /// assembly, and sets mass and ν_free of the round. Velocities, impulses in the world and u of the rows stay.
    pub(super) fn turn(&self, step: &Predicted, assembly: &mut Assembly, mass: Mass) {
        // Bodies that no joint of the middle acts on keep their mass.
        let mut spins = vec![None; assembly.nu.len()];
        for (n, source) in self.sources.iter().enumerate() {
            let Source::Joint { joint, first, .. } = *source else {
                continue;
            };
            if self.along_of(joint) == Along::Start {
                continue;
            }
            let placed = self.acting(step, joint, |i| self.trial[i]);
            let points = self.points(step, joint);
            let joint = &step.model().joints[joint];
            let (place, scale) = (self.first_block + n, joint.scale(first));
            let turns = joint.bodies.map(|body| body.map(|i| self.turns(step, i)));
            let block = &mut assembly.problem.contacts[place];
            let p = &mut assembly.impulses[place];
            turn_block(block, p, &assembly.nu, |block| {
                for (i, d) in block.frame.iter_mut().enumerate() {
                    // Rows that are absent stay so.
                    if *d != DVec3::ZERO {
                        *d = placed.directions[first + i] * scale;
                    }
                }
                for ((arm, turns), point) in block.arms.iter_mut().zip(turns).zip(points) {
                    if let (Some(arm), Some(turns)) = (arm, turns) {
                        arm.lever = turns.late * point;
                    }
                }
            });
            let p = block.to_world(*p);
            for ((arm, turns), point) in block.arms.iter().zip(turns).zip(points) {
                if let (Some(arm), Some(turns)) = (arm, turns) {
                    let spin = spins[arm.body].get_or_insert(Spin::FREE);
                    let middle = Arm {
                        lever: turns.middle * point,
                        ..*arm
                    };
                    spin.left += turns.back * middle.wrench(p).1 - arm.wrench(p).1;
                    if first == 0 {
                        let force = p * arm.sign;
                        let held = match mass {
                            Mass::Symmetric => pulled(force, middle.lever),
                            Mass::Exact => {
                                let back = |v: DVec3| turns.back * v;
                                answer(back(force), back(middle.lever))
                            }
                        };
                        spin.stiffness += held * (0.5 * step.plan.h);
                    }
                }
            }
        }
        stiffen(step, assembly, &spins);
    }

    /// How body `i` is turned through the trial motion.
    fn turns(&self, step: &Predicted, i: usize) -> Turns {
        let (start, end) = (step.start()[i].pose.orientation, self.trial[i].orientation);
        let middle = between(start, end);
        Turns {
            middle,
            late: between(middle, end),
            back: start * middle.conjugate(),
        }
    }

    /// The joints of the islands in which joints pull a body harder than gradients of the start can follow, and gain by it, by the answer
    /// in the assembly. Beyond the limit of stability an answer that loses energy does no harm.
    pub(crate) fn overpull(
        &self,
        step: &Predicted,
        assembly: &Assembly,
        rounds: &Rounds,
    ) -> Vec<bool> {
        if step.plan.is_instant() || step.model().joints.is_empty() {
            return Vec::new();
        }
        let out = self.swing_out(step, assembly, rounds);
        if !out.contains(&true) {
            return Vec::new();
        }
        let work = self.work(assembly, rounds);
        let joints = step.model().joints.iter().map(|joint| {
            let island = rounds.of_joint(joint);
            out[island] && work[island] > 0.0
        });
        joints.collect()
    }

    /// Work of the joints of each island on the free bodies, J: ½ p·Wᵀ(ν⁺ + ν_free).
    fn work(&self, assembly: &Assembly, rounds: &Rounds) -> Vec<f64> {
        let (problem, nu) = (&assembly.problem, &assembly.nu);
        let mut work = vec![0.0; rounds.islands()];
        for (n, source) in self.sources.iter().enumerate() {
            if let Source::Joint { .. } = source {
                let place = self.first_block + n;
                let (block, p) = (&problem.contacts[place], assembly.impulses[place]);
                let power = p.dot(rates(block, nu) + rates(block, &problem.nu_free));
                work[rounds.of_block(place)] += 0.5 * power;
            }
        }
        work
    }

    /// The islands with a body whose (hΩ)² is above what is stable.
    fn swing_out(&self, step: &Predicted, assembly: &Assembly, rounds: &Rounds) -> Vec<bool> {
        let mut swings = vec![DMat3::ZERO; assembly.nu.len()];
        for (n, source) in self.sources.iter().enumerate() {
            let place = self.first_block + n;
            let block = &assembly.problem.contacts[place];
            if let Source::Joint { first: 0, .. } = source {
                let p = block.to_world(assembly.impulses[place]);
                for arm in block.arms.iter().flatten() {
                    swings[arm.body] += swing(p * arm.sign, arm.lever) * step.plan.h;
                }
            }
        }
        let mut out = vec![false; rounds.islands()];
        for (slot, swing) in swings.iter().enumerate() {
            let i = assembly.entered()[slot];
            let too_hard = step.model().bodies[i].mass.is_some_and(|mass| {
                let inertia = step.start()[i].pose.turned(&mass.inertia);
                !is_positive(&(inertia * STABLE - *swing))
            });
            out[rounds.of_slot(slot)] |= too_hard;
        }
        out
    }

    /// Under the impulses found, the velocities that obey the law to rounding: W depends on them. Where they do not settle the
    /// judge will say so. Returns whether there was anything to do.
    pub(crate) fn settle(
        &mut self,
        step: &Predicted,
        assembly: &mut Assembly,
        rounds: &mut Rounds,
    ) -> bool {
        if !self.any_in_the_middle() {
            return false;
        }
        let mut nu = Vec::new();
        rounds.settle(assembly);
        for _ in 0..SETTLING {
            for (i, trial) in self.trial.iter_mut().enumerate() {
                if let Some(nu) = assembly.velocity_of(i) {
                    *trial = step.start()[i].pose.moved(&nu, step.plan.h);
                }
            }
            self.turn(step, assembly, Mass::Exact);
            rounds.put_back_settled(assembly);
            assembly.problem.velocity_into(&assembly.impulses, &mut nu);
            if rounds.settled(assembly, &nu) {
                break;
            }
        }
        true
    }

    /// By how much the velocities of the rows change if they settle by one round more, for the rounds to see.
    pub(super) fn unsettled(&self, assembly: &Assembly, rounds: &mut Rounds) {
        if !self.any_in_the_middle() {
            return;
        }
        let mut nu = Vec::new();
        assembly.problem.velocity_into(&assembly.impulses, &mut nu);
        let blocks = assembly.problem.contacts[self.first_block..].iter();
        for (n, block) in blocks.enumerate() {
            let place = self.first_block + n;
            if !rounds.is_in_the_middle(place) {
                continue;
            }
            let change = rates(block, &nu) - rates(block, &assembly.nu);
            rounds.see(place, change.abs().max_element(), None);
        }
    }
}

/// Joint `k` with body `i` at the pose `at(i)`.
fn place(step: &Predicted, k: usize, at: impl Fn(usize) -> Pose) -> Placed {
    let joint = &step.model().joints[k];
    let [a, b] = joint.bodies.map(|body| body.map_or(Pose::IDENTITY, &at));
    joint.place([&a, &b])
}

/// Wᵀν of a block, m/s.
fn rates(block: &ContactBlock, nu: &[Twist]) -> DVec3 {
    let arms = block.arms.iter().flatten();
    block.to_contact(arms.map(|arm| arm.velocity(&nu[arm.body])).sum())
}

/// Changes the directions and levers of a block by `change`, and b with them, so that u stays at the velocities `nu`. Where
/// all three rows carry whatever it takes the impulse in the world stays too, else that along each row.
fn turn_block(
    block: &mut ContactBlock,
    p: &mut DVec3,
    nu: &[Twist],
    change: impl FnOnce(&mut ContactBlock),
) {
    let u = rates(block, nu) + block.b + block.compliance * *p;
    let world = block.to_world(*p);
    change(block);
    if block.law == Law::bilateral([true; 3]) {
        let [x, y, z] = block.frame;
        *p = DMat3::from_cols(x, y, z).inverse() * world;
    }
    block.b = u - rates(block, nu) - block.compliance * *p;
}

/// (f·r)(1 − r̂r̂ᵀ): the torque against a turn of a lever r along its pull f. Negative where f pushes.
fn swing(f: DVec3, r: DVec3) -> DMat3 {
    let (along, square) = (f.dot(r), r.length_squared());
    if square == 0.0 {
        return DMat3::ZERO;
    }
    let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    DMat3::IDENTITY * along - outer * (along / square)
}

/// The same where f pulls: symmetric and never negative, so that it can be part of a mass.
fn pulled(f: DVec3, r: DVec3) -> DMat3 {
    if f.dot(r) > 0.0 {
        swing(f, r)
    } else {
        DMat3::ZERO
    }
}

/// (f·r) 1 − f rᵀ: all of the torque against a turn of a lever r in a body's frame, f fixed in the world: δ ↦ r × (δ × f).
fn answer(f: DVec3, r: DVec3) -> DMat3 {
    DMat3::IDENTITY * f.dot(r) - DMat3::from_cols(f * r.x, f * r.y, f * r.z)
}

/// Mass and ν_free of the round for the bodies, by their rows, that joints of the middle act on.
fn stiffen(step: &Predicted, assembly: &mut Assembly, spins: &[Option<Spin>]) {
    for (slot, spin) in spins.iter().enumerate() {
        let Some(spin) = spin else {
            continue;
        };
        let (i, nu) = (assembly.entered()[slot], assembly.nu[slot]);
        if let Some((inverse, free)) = stiffened(step, i, spin, nu.angular) {
            assembly.problem.inverse_mass[slot] = inverse;
            assembly.problem.nu_free[slot] = free;
        }
    }
}

/// (M + S)⁻¹ of body `i`, and its ν_free about the spin `omega`; nothing for a body without mass.
fn stiffened(
    step: &Predicted,
    i: usize,
    spin: &Spin,
    omega: DVec3,
) -> Option<(InverseMass, Twist)> {
    let mass = step.model().bodies[i].mass?;
    let start = &step.start()[i].pose;
    let inverse = (start.turned(&mass.inertia) + spin.stiffness).inverse();
    let mut free = to_problem(&step.goal[i].twist);
    free.angular += inverse * (spin.stiffness * (omega - free.angular) + spin.left);
    let inverse = InverseMass {
        mass: 1.0 / mass.mass,
        inertia: inverse,
    };
    Some((inverse, free))
}

/// The pose halfway between two.
fn halfway(a: &Pose, b: &Pose) -> Pose {
    Pose {
        position: a.position.midpoint(b.position),
        orientation: between(a.orientation, b.orientation),
    }
}

/// The orientation halfway between two that are less than half a turn apart: the sum of their quaternions points there.
fn between(p: DQuat, q: DQuat) -> DQuat {
    let sum = if p.dot(q) < 0.0 { p - q } else { p + q };
    sum / sum.length()
}

/// Is a symmetric matrix positive definite? By its leading minors.
fn is_positive(m: &DMat3) -> bool {
    let (x, y) = (m.x_axis, m.y_axis);
    x.x > 0.0 && x.x * y.y - x.y * y.x > 0.0 && m.determinant() > 0.0
}
