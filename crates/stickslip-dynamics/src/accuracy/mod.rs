//! Where steps of this length are likely to be far from the true motion, though every one of them obeys its law.
//!
//! A certificate says that a step solved the problem it posed. How near that problem is to the motion depends on h: [`Accuracy`] watches a run
//! for the four signs that can be read off its steps. It judges nothing and changes nothing; `converge` measures the error itself.
//!
//! - A body turns by θ = |ω| h in a step. Contact points are carried along their chord, which misses the arc by r (1 − cos θ/2): more than 1 % of
//!   the radius from θ = 0.3 on. Balls look the same however they are turned, and are passed over.
//! - A bounce takes few steps. A collision is met at the end of its step, up to h late, so that a flight of n steps is off by up to 1/n of itself.
//! - A spring swings. Its step multiplies a mode e^{λt}, λ = −ζω ± iω √(1 − ζ²), by 1/(1 − hλ) where the motion has e^{hλ}: over a period the swing
//!   keeps (e^{hζω}/|1 − hλ|)^{T/h} of what it should.
//! - A prescribed body moves to and fro: a sinusoid that is read n times a period shows its extremes only to 1 − cos(π/n).
//!
//! Overlap is the fifth: deeper than a thousandth of the thinnest body there.

mod doubt;
mod swing;

use crate::methods::Method;
use crate::motion::Motion;
use crate::world::World;
pub use doubt::Doubt;
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use stickslip_geometry::{Pose, Shape};
use stickslip_model::spring::Ends;
use stickslip_model::{Model, StepRecord};
use swing::{swing, swing_lost};

/// Turn of a body in a step from which on it is told of, rad.
const TURN: f64 = 0.3;
/// Steps of a bounce below which it is told of: a tenth of the flight is then the error of its beginning.
const BOUNCE: f64 = 10.0;
/// Part of its swing that a step may take from a spring each period.
const LOSS: f64 = 0.1;
/// Steps of a period below which a prescribed motion is told of: its extremes are then known to 1.2 %.
const PERIOD: f64 = 20.0;
/// Overlap that is told of, in parts of the thinnest body's half thickness.
const OVERLAP: f64 = 1e-3;
/// Samples of a prescribed motion in each step: one that is faster than its steps is seen too.
const SAMPLES: u32 = 4;

/// Watches a run, step by step.
#[derive(Clone, Debug)]
pub struct Accuracy {
    /// Half of the least thickness of each free body, m; `None` where it has none to speak of.
    thickness: Vec<Option<f64>>,
    /// Bodies whose turn is seen.
    turning: Vec<bool>,
    turn: Option<(usize, f64, f64)>,
    overlap: Option<(f64, f64, f64)>,
    /// Pairs that have bounced.
    bounces: BTreeMap<[usize; 2], Bounce>,
    /// Prescribed bodies that move.
    moving: Vec<Swings>,
    /// Largest |dφ/dt| of each spring, m/s.
    springs: Vec<f64>,
    /// Is the error in h what the method itself keeps down?
    controlled: bool,
    fixed_step: bool,
}

/// When a pair last touched, and the longest time after which it touched again, s.
#[derive(Clone, Copy, Debug, Default)]
struct Bounce {
    touched: f64,
    longest: f64,
}

/// Reversals of a prescribed body, in each component of its velocity.
#[derive(Clone, Debug)]
struct Swings {
    body: usize,
    components: [Reversals; 6],
}

/// Changes of sign of one number over time; what is below a millionth of its largest value has none.
#[derive(Clone, Copy, Debug, Default)]
struct Reversals {
    largest: f64,
    sign: f64,
    /// First and last change, s, and how many.
    first: f64,
    last: f64,
    count: u32,
}

impl Reversals {
    fn add(&mut self, t: f64, value: f64) {
        self.largest = self.largest.max(value.abs());
        if value.abs() <= 1e-6 * self.largest {
            return;
        }
        if value * self.sign < 0.0 {
            if self.count == 0 {
                self.first = t;
            }
            (self.last, self.count) = (t, self.count + 1);
        }
        self.sign = value;
    }

    /// Mean time of two changes, s, where there were enough to tell.
    fn period(&self) -> Option<f64> {
        let between = f64::from(self.count.checked_sub(1)?);
        (self.count > 3).then(|| 2.0 * (self.last - self.first) / between)
    }
}

impl Accuracy {
    /// Before the first step that is looked at.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let model = world.model();
        let method = world.settings().method;
        let moving = (0..model.bodies.len()).filter(|&i| !model.bodies[i].is_free());
        Self {
            thickness: model
                .bodies
                .iter()
                .map(|b| half_thickness(&b.shape))
                .collect(),
            turning: model
                .bodies
                .iter()
                .map(|b| {
                    b.is_free() && !matches!(b.shape, Shape::Ball { .. }) && !b.shape.is_particle()
                })
                .collect(),
            turn: None,
            overlap: None,
            bounces: BTreeMap::new(),
            moving: moving
                .map(|body| Swings {
                    body,
                    components: Default::default(),
                })
                .collect(),
            springs: vec![0.0; model.springs.len()],
            controlled: method == Method::Extrapolated,
            fixed_step: method.has_fixed_step(),
        }
    }

    /// After a step.
    pub fn look(&mut self, world: &World) {
        let step = world.last_step();
        self.look_at_overlap(world.model(), step);
        if self.controlled || step.h <= 0.0 {
            return;
        }
        self.look_at_turns(step);
        if self.fixed_step {
            self.look_at_bounces(step);
        }
        self.look_at_motions(&world.setup.motions, step);
        self.look_at_springs(world.model(), step);
    }

    /// What was seen, at most one doubt of each kind and thing.
    #[must_use]
    pub fn doubts(&self, world: &World) -> Vec<Doubt> {
        let (model, h) = (world.model(), world.settings().h);
        let name = |i: usize| model.bodies[i].name.clone();
        let mut doubts = Vec::new();
        doubts.extend(self.turn.map(|(body, angle, t)| Doubt::Turn {
            body: name(body),
            angle,
            t,
        }));
        // Of several pairs the one with the shortest bounces.
        let short = self.bounces.iter().map(|(pair, b)| (pair, b.longest / h));
        let short = short.filter(|(_, steps)| *steps > 0.0 && *steps < BOUNCE);
        doubts.extend(
            short
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .map(|(pair, steps)| Doubt::Bounce {
                    bodies: pair.map(name),
                    steps,
                }),
        );
        doubts.extend(self.spring_doubts(world));
        for swings in &self.moving {
            let periods = swings.components.iter().filter_map(Reversals::period);
            let least = periods.min_by(f64::total_cmp);
            doubts.extend(
                least
                    .filter(|p| *p < PERIOD * h)
                    .map(|period| Doubt::Motion {
                        body: name(swings.body),
                        period,
                        steps: period / h,
                    }),
            );
        }
        doubts.extend(self.overlap.map(|(depth, thickness, t)| Doubt::Overlap {
            depth,
            thickness,
            t,
        }));
        doubts
    }

    fn look_at_turns(&mut self, step: &StepRecord) {
        for (i, body) in step
            .bodies
            .iter()
            .enumerate()
            .filter(|(i, _)| self.turning[*i])
        {
            let angle = body.twist.angular.length() * step.h;
            if angle > self.turn.map_or(TURN, |worst| worst.1) {
                self.turn = Some((i, angle, step.t));
            }
        }
    }

    fn look_at_bounces(&mut self, step: &StepRecord) {
        for c in step.contacts.iter().filter(|c| c.impulse.x > 0.0) {
            let pair = c.contact.bodies;
            if c.restituted > 0.0 {
                self.bounces.entry(pair).or_default();
            }
            let Some(bounce) = self.bounces.get_mut(&pair) else {
                continue;
            };
            let since = step.t - bounce.touched;
            if bounce.touched > 0.0 && since > 1.5 * step.h {
                bounce.longest = bounce.longest.max(since);
            }
            bounce.touched = step.t;
        }
    }

    fn look_at_motions(&mut self, motions: &[Motion], step: &StepRecord) {
        for swings in &mut self.moving {
            let Motion::Prescribed(at) = &motions[swings.body] else {
                continue;
            };
            for k in (0..SAMPLES).rev() {
                let t = step.t - step.h * f64::from(k) / f64::from(SAMPLES);
                let twist = at(t).twist;
                let values = twist
                    .linear
                    .to_array()
                    .into_iter()
                    .chain(twist.angular.to_array());
                for (component, value) in swings.components.iter_mut().zip(values) {
                    component.add(t, value);
                }
            }
        }
    }

    fn look_at_springs(&mut self, model: &Model, step: &StepRecord) {
        for (largest, spring) in self.springs.iter_mut().zip(&model.springs) {
            let placed = spring.place(model, &step.bodies, 0.0);
            let rate = placed.rates(&step.bodies, &step.bodies, |_| true).length();
            *largest = largest.max(rate);
        }
    }

    fn spring_doubts(&self, world: &World) -> Vec<Doubt> {
        let (model, h) = (world.model(), world.settings().h);
        let joined = |body: usize| model.joints.iter().any(|j| j.bodies.contains(&Some(body)));
        let mut doubts = Vec::new();
        for (spring, _) in model
            .springs
            .iter()
            .zip(&self.springs)
            .filter(|s| *s.1 > 1e-9)
        {
            // On a joint, or on bodies that joints hold, what swings is more than the two ends.
            let alone = match &spring.ends {
                Ends::Points { bodies, .. } => !bodies.iter().flatten().any(|&b| joined(b)),
                Ends::Axis { .. } => false,
            };
            let mode = alone
                .then(|| swing(model, world.states(), spring))
                .flatten();
            if let Some((omega, zeta)) = mode {
                let lost = swing_lost(omega, zeta, h);
                let period = 2.0 * PI / (omega * (1.0 - zeta * zeta).sqrt());
                if lost > LOSS {
                    let steps = period / h;
                    let spring = spring.name.clone();
                    doubts.push(Doubt::Spring {
                        spring,
                        period,
                        steps,
                        lost,
                    });
                }
            }
        }
        doubts
    }

    fn look_at_overlap(&mut self, model: &Model, step: &StepRecord) {
        let depth = step.certificate.penetration;
        if depth <= self.overlap.map_or(0.0, |worst| worst.0) {
            return;
        }
        let touching = step.contacts.iter().flat_map(|c| c.contact.bodies);
        let free = touching.filter(|&i| model.bodies[i].is_free());
        let thinnest = free
            .filter_map(|i| self.thickness[i])
            .min_by(f64::total_cmp);
        if let Some(thickness) = thinnest.filter(|r| depth > OVERLAP * r) {
            self.overlap = Some((depth, thickness, step.t));
        }
    }
}

/// Half of the least thickness of a shape along its axes, m; `None` where that is nothing or has no end.
fn half_thickness(shape: &Shape) -> Option<f64> {
    let across =
        |d: DVec3| 0.5 * (shape.support(&Pose::IDENTITY, d) + shape.support(&Pose::IDENTITY, -d));
    let least = DVec3::AXES
        .map(across)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    (least > 0.0 && least.is_finite()).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversals_give_the_period_of_a_sinusoid() {
        let mut reversals = Reversals::default();
        for k in 0..1000 {
            let t = 0.001 * f64::from(k);
            reversals.add(t, libm::sin(2.0 * PI * 7.0 * t + 0.3));
        }
        let period = reversals.period().expect("a period");
        assert!((period - 1.0 / 7.0).abs() < 1e-3, "{period}");
        let mut still = Reversals::default();
        (0..100).for_each(|k| still.add(f64::from(k), 1.0 + 1e-3 * f64::from(k % 2)));
        assert_eq!(still.period(), None);
    }
}
