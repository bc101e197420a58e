//! Higher order between events by extrapolation, with the step size chosen for a wanted error.
//!
//! A step of length H is done four times, in n = 1, 2, 3, 4 certified steps of H/n. Between events the result is a smooth function of H/n,
//! so the Aitken-Neville table removes powers of H one by one:
//!
//! ```text
//!   T_{j,1} = state after n_j steps,     T_{j,k} = T_{j,k-1} + (T_{j,k-1} − T_{j-1,k-1}) / (n_j/n_{j-k+1} − 1)
//! ```
//!
//! T_{4,4} is of order four, and its distance from T_{4,3} estimates the error. The step is accepted where the estimate, carried to
//! the end of the run, is within its share of the wanted error; the next one is as long as that lets it be, at most h.
//!
//! Events: collisions are located and resolved as the event-driven method does. The step that ends at one is a single step, as short as
//! the wanted error asks. A contact that starts or stops to slide, slides back, or opens, shows as a change of modes between the inner
//! steps; a kink of a motion or of a force as an estimate that does not fall with H. Both make the table worthless: the time of the
//! event is enclosed by halving, until what velocities change in the step across it cannot move anything by more than a
//! part of the wanted error, and that step is taken as its four small steps are, of first order. What events have used up of the
//! wanted error the later ones cannot use again.

use crate::error::StepError;
use crate::world::{Plan, World};
use glam::{DQuat, DVec3};
use stickslip_geometry::{Pose, Twist};
use stickslip_model::{BodyState, Certificate, Kind, Mode, Scheme, StepRecord};

/// Inner steps of the four ways.
const WAYS: [u32; 4] = [1, 2, 3, 4];

/// An event may take this part of what is left of the wanted error.
const EVENT_SHARE: f64 = 0.05;

/// More collisions than this in a row without any time are a stall.
const MOST_STALLED: usize = 1000;

/// What a pair of bodies does in one inner step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Acting {
    bodies: [usize; 2],
    mode: Mode,
    /// Sum of the friction impulses, N s, world frame.
    friction: DVec3,
    /// Sum of their sizes, N s.
    size: f64,
}

impl Acting {
    /// The same pair in the same mode, and not sliding back.
    fn continues(&self, before: &Self) -> bool {
        // Friction that mostly cancels (a spin) has no direction.
        let straight = |a: &Self| a.friction.length() > 0.5 * a.size;
        let back = self.mode == Mode::Slide
            && straight(self)
            && straight(before)
            && self.friction.dot(before.friction) < 0.0;
        (self.bodies, self.mode) == (before.bodies, before.mode) && !back
    }
}

/// Do all pairs that act go on as before?
fn continue_all(now: &[Acting], before: &[Acting]) -> bool {
    now.len() == before.len() && now.iter().zip(before).all(|(a, b)| a.continues(b))
}

/// Memory of the step size control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Control {
    /// Length of the next step, s; zero before the first.
    next: f64,
    /// Inner steps done, accepted or not.
    pub(crate) inner: u64,
    /// An event is known to come by then, s; zero where none is known.
    event_by: f64,
    /// What a step across it can be wrong by for each second of its length, m/s.
    event_rate: f64,
    /// Length of the step that met it, s.
    usual: f64,
    /// Collisions in a row that let no time pass.
    stalled: usize,
    /// What events have used up of the wanted error, m.
    spent: f64,
}

impl Control {
    /// At the start of a run.
    pub(crate) fn anew(self) -> Self {
        Self {
            inner: self.inner,
            ..Self::default()
        }
    }

    /// A step across an event that ends at `by` can be wrong by `estimate`, and that is too much.
    fn encloses(&mut self, by: f64, h: f64, estimate: f64) {
        if self.event_by == 0.0 {
            self.usual = h;
        }
        self.event_by = by;
        self.event_rate = estimate / h;
    }
}

/// A way through the step.
struct Way {
    record: StepRecord,
    worst: Certificate,
}

impl World {
    /// One accepted record of the extrapolated method.
    pub(crate) fn extrapolated(&mut self) -> Result<(), StepError> {
        if self.impact_phase()? {
            return Ok(());
        }
        let saved = self.last.clone();
        let end = self.settings.until - self.last.t;
        let left = end.max(self.settings.h);
        let mut h = self.settings.h;
        if self.control.next > 0.0 {
            h = h.min(self.control.next);
        }
        if end > 0.0 {
            // The run ends at a whole number of its steps.
            h = (end / (end / h).ceil()).min(h);
        }
        let least = 1e-13 * self.settings.until.max(self.last.t + self.settings.h);
        loop {
            // Half of the way to a known event, or across it where that is near enough.
            if self.control.event_by <= saved.t {
                self.control.event_by = 0.0;
            }
            let by = self.control.event_by - saved.t;
            if self.control.event_by > 0.0 && h >= 0.5 * by {
                let across = by <= least || self.control.event_rate * by <= self.event_bound(left);
                h = if across { by.max(least) } else { 0.5 * by };
            }
            let single = self.inner(h, 1);
            self.trial(single)?;
            if let Some(tau) = self.first_event(single)? {
                if self.lands(tau, left, least, &saved)? {
                    return Ok(());
                }
                h = 0.9 * tau;
                continue;
            }
            let (ways, same_modes) = match self.ways(h, &saved) {
                Ok(ways) => ways,
                // A way of smaller steps may meet what a large one passes.
                Err(_) if h > least => {
                    h *= 0.5;
                    continue;
                }
                Err(e) => return Err(e),
            };
            if same_modes {
                let (estimate, bound) = self.smooth_estimate(&ways, h, left);
                // Order four: the local error goes as h⁵, its share as h.
                let ratio = if estimate > 0.0 {
                    bound / estimate
                } else {
                    f64::INFINITY
                };
                let fit = 0.9 * libm::sqrt(libm::sqrt(ratio));
                if estimate <= bound {
                    self.control.next = h * fit.clamp(0.5, 4.0);
                    self.take(h, ways, true);
                    return Ok(());
                }
                // A kink passes as an event does.
                let event = self.event_estimate(&ways, left);
                if event <= self.event_bound(left) || h <= least {
                    self.cross(h, ways, event);
                    return Ok(());
                }
                h *= fit.clamp(0.1, 0.5);
            } else {
                let estimate = self.event_estimate(&ways, left);
                if estimate <= self.event_bound(left) || h <= least {
                    self.cross(h, ways, estimate);
                    return Ok(());
                }
                self.control.encloses(saved.t + h, h, estimate);
            }
        }
    }

    /// Accepts a step across an event.
    fn cross(&mut self, h: f64, ways: Vec<Way>, estimate: f64) {
        let control = &mut self.control;
        control.next = control.usual.max(4.0 * h);
        (control.event_by, control.usual) = (0.0, 0.0);
        control.spent += estimate;
        self.take(h, ways, false);
    }

    /// The next of n equal steps through a length of h.
    fn inner(&self, h: f64, n: u32) -> Plan {
        let h = h / f64::from(n);
        Plan {
            h,
            t_next: self.last.t + h,
            kind: Kind::Step,
            scheme: Scheme::BetweenEvents,
        }
    }

    /// Ends a single step at the collision after `tau`, if what that step can be wrong by fits.
    fn lands(
        &mut self,
        tau: f64,
        left: f64,
        least: f64,
        saved: &StepRecord,
    ) -> Result<bool, StepError> {
        // Time must be seen to pass.
        let plan = self.inner(tau.max(4.0 * f64::EPSILON * saved.t), 1);
        self.control.stalled = if tau > least {
            0
        } else {
            self.control.stalled + 1
        };
        if self.control.stalled > MOST_STALLED {
            return Err(self.stalled(MOST_STALLED));
        }
        if tau > least && self.settings.error.is_finite() {
            let Ok((ways, _)) = self.ways(tau, saved) else {
                return Ok(false);
            };
            let (coarse, fine) = (&ways[0].record.bodies, &ways[3].record.bodies);
            let off = self.distance(coarse, fine, left);
            if off > self.event_bound(left) {
                return Ok(false);
            }
            self.control.spent += off;
        }
        (self.control.event_by, self.control.usual) = (0.0, 0.0);
        self.certified(plan)?;
        self.control.inner += 1;
        self.control.next = self.settings.h;
        Ok(true)
    }

    /// What an event may move by the end of the run, m.
    fn event_bound(&self, left: f64) -> f64 {
        let unspent = (self.settings.error - self.control.spent).max(0.0);
        EVENT_SHARE * unspent + self.rounding(left)
    }

    /// What a step between events can be wrong by at the end of the run, m, and what it may be.
    fn smooth_estimate(&self, ways: &[Way], h: f64, left: f64) -> (f64, f64) {
        let (best, lower) = neville(&states(ways));
        let share = self.settings.error * h / self.settings.until.max(h);
        (
            self.distance(&best, &lower, left),
            share + self.rounding(left),
        )
    }

    /// What a step across an event can be wrong by at the end of the run, m.
    fn event_estimate(&self, ways: &[Way], left: f64) -> f64 {
        let states = states(ways);
        let spread = states[..3]
            .iter()
            .map(|s| self.distance(s, states[3], left));
        let mut estimate = spread.fold(0.0, f64::max);
        // The event may hide in the first inner step of all ways: then they agree, and are all off by what it changed.
        for (i, body) in self
            .model
            .bodies
            .iter()
            .enumerate()
            .filter(|b| b.1.is_free())
        {
            let (old, new) = (&self.last.bodies[i].twist, &states[3][i].twist);
            let change = (new.linear - old.linear).length()
                + (new.angular - old.angular).length() * body.shape.radius();
            estimate = estimate.max(change * left);
        }
        estimate
    }

    /// What rounding alone moves by the end of the run, m.
    fn rounding(&self, left: f64) -> f64 {
        let free = self
            .model
            .bodies
            .iter()
            .zip(&self.last.bodies)
            .filter(|b| b.0.is_free());
        let sizes = free.map(|(b, s)| {
            let speed = s.twist.linear.length() + s.twist.angular.length() * b.shape.radius();
            s.pose.position.length() + b.shape.radius() + speed * left
        });
        64.0 * f64::EPSILON * sizes.fold(0.0, f64::max)
    }

    /// The step done in each of the four ways, and whether all went through the same modes.
    fn ways(&mut self, h: f64, saved: &StepRecord) -> Result<(Vec<Way>, bool), StepError> {
        let mut ways = Vec::new();
        // An event in the first inner steps shows against the modes in which the last step ended.
        let mut modes = (saved.step > 0).then(|| self.acting());
        let mut smooth = true;
        for n in WAYS {
            let mut worst = Certificate::default();
            for k in 1..=n {
                let mut plan = self.inner(h, n);
                if k == n {
                    plan.t_next = saved.t + h;
                }
                if let Err(e) = self.certified(plan) {
                    self.last.clone_from(saved);
                    return Err(e);
                }
                self.control.inner += 1;
                worst.join(&self.last.certificate);
                let now = self.acting();
                smooth &= continue_all(&now, modes.get_or_insert_with(|| now.clone()));
            }
            let record = std::mem::replace(&mut self.last, saved.clone());
            ways.push(Way { record, worst });
        }
        Ok((ways, smooth))
    }

    /// What each pair of bodies does: it slides if one of its contacts does. Which of several contacts bear a load that one would
    /// bear as well is no event; nor is a load that is mere rounding (a thousandth of the tolerance, as a change of velocity).
    fn acting(&self) -> Vec<Acting> {
        let mut pairs: Vec<Acting> = Vec::new();
        let least = 1e-3 * self.speed_bound();
        for c in &self.last.contacts {
            let w_nn = |c| self.sides(c).map(|s| s.w_nn).sum::<f64>();
            if c.mode == Mode::Open || c.impulse.x * w_nn(&c.contact) <= least {
                continue;
            }
            let normal = c.contact.normal;
            let impulse = c.world_impulse();
            let friction = impulse - normal * normal.dot(impulse);
            let size = friction.length();
            match pairs.last_mut() {
                Some(last) if last.bodies == c.contact.bodies => {
                    if c.mode == Mode::Slide {
                        last.mode = Mode::Slide;
                    }
                    last.friction += friction;
                    last.size += size;
                }
                _ => pairs.push(Acting {
                    bodies: c.contact.bodies,
                    mode: c.mode,
                    friction,
                    size,
                }),
            }
        }
        pairs
    }

    /// How far apart two states are at the end of the run, m, if they move on as they do: of all bodies the largest.
    fn distance(&self, a: &[BodyState], b: &[BodyState], left: f64) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, body) in self.model.bodies.iter().enumerate() {
            if !body.is_free() {
                continue;
            }
            let radius = body.shape.radius();
            let (p, q) = (a[i].pose.orientation, b[i].pose.orientation);
            let turn = 2.0 * (p - q).length().min((p + q).length());
            let place = (a[i].pose.position - b[i].pose.position).length() + radius * turn;
            let speed = (a[i].twist.linear - b[i].twist.linear).length()
                + radius * (a[i].twist.angular - b[i].twist.angular).length();
            worst = worst.max(place + left * speed);
        }
        worst
    }

    /// The last assignment.
    fn take(&mut self, h: f64, mut ways: Vec<Way>, smooth: bool) {
        let best = smooth.then(|| neville(&states(&ways)).0);
        let step = self.last.step;
        let Some(finest) = ways.pop() else { return };
        self.last = finest.record;
        (self.last.step, self.last.h) = (step + 1, h);
        self.last.kind = Kind::Extrapolated;
        self.last.certificate = finest.worst;
        for way in &ways {
            self.last.certificate.join(&way.worst);
        }
        if let Some(best) = best {
            for (i, body) in self.model.bodies.iter().enumerate() {
                // Prescribed bodies are where they are told to be.
                if body.is_free() {
                    self.last.bodies[i] = best[i];
                }
            }
            self.last.energy = crate::world::energy(
                &self.model,
                self.settings.gravity,
                &self.last.bodies,
                &self.last.joints,
            );
        }
    }
}

fn states(ways: &[Way]) -> Vec<&[BodyState]> {
    ways.iter().map(|w| w.record.bodies.as_slice()).collect()
}

/// T_{4,4} and T_{4,3} of the Aitken-Neville table over the four ways.
fn neville(ways: &[&[BodyState]]) -> (Vec<BodyState>, Vec<BodyState>) {
    // Both are sums of the ways with fixed weights: T_{j,k} = Σ_i w_i T_{i,1}, w_i = Π_{l≠i} n_i/(n_i − n_l).
    let weights = |nodes: &[u32]| -> Vec<f64> {
        nodes
            .iter()
            .map(|&a| {
                let others = nodes.iter().filter(|&&b| b != a);
                others
                    .map(|&b| f64::from(a) / (f64::from(a) - f64::from(b)))
                    .product()
            })
            .collect()
    };
    let all = combined(ways, &weights(&WAYS));
    let lower = combined(&ways[1..], &weights(&WAYS[1..]));
    (all, lower)
}

fn combined(ways: &[&[BodyState]], weights: &[f64]) -> Vec<BodyState> {
    let Some(base) = ways.last() else {
        return Vec::new();
    };
    (0..base.len())
        .map(|i| {
            // Differences from the finest way, so that what all agree on is kept to the bit.
            let (pose, twist) = (base[i].pose, base[i].twist);
            let (mut x, mut v, mut w) = (pose.position, twist.linear, twist.angular);
            let mut q = pose.orientation;
            for (way, &weight) in ways.iter().zip(weights) {
                let other = &way[i];
                x += (other.pose.position - pose.position) * weight;
                v += (other.twist.linear - twist.linear) * weight;
                w += (other.twist.angular - twist.angular) * weight;
                let sign = if other.pose.orientation.dot(pose.orientation) < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                q += (other.pose.orientation * sign + pose.orientation * -1.0) * weight;
            }
            let orientation = if q == pose.orientation { q } else { unit(q) };
            BodyState {
                pose: Pose {
                    position: x,
                    orientation,
                },
                twist: Twist {
                    linear: v,
                    angular: w,
                },
            }
        })
        .collect()
}

/// A quaternion near unit length, made unit.
fn unit(q: DQuat) -> DQuat {
    q * (1.0 / q.length())
}
