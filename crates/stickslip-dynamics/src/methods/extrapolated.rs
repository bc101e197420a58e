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
//! the wanted error asks. A contact that starts or stops to slide, or opens, shows as a change of modes between the inner steps,
//! and makes the table worthless: such a step is halved until what velocities change in it cannot move anything by more than
//! the wanted error, and is taken as the four small steps are, of first order.

use crate::error::StepError;
use crate::world::{Plan, World};
use glam::DQuat;
use stickslip_certify::{BodyState, Certificate, Kind, Mode, Scheme, StepRecord};
use stickslip_geometry::{Pose, Twist};

/// Inner steps of the four ways.
const WAYS: [u32; 4] = [1, 2, 3, 4];

/// An event may take this part of the wanted error.
const EVENT_SHARE: f64 = 0.05;

/// Which pairs act and how, of one inner step.
type Modes = Vec<([usize; 2], Mode)>;

/// Memory of the step size control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Control {
    /// Length of the next step, s; zero before the first.
    next: f64,
    /// Inner steps done, accepted or not.
    pub(crate) inner: u64,
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
            let single = self.inner(h, 1);
            self.trial(single)?;
            if let Some(tau) = self.first_event(single)? {
                if self.lands(tau, left, least, &saved)? {
                    return Ok(());
                }
                h = 0.9 * tau;
                continue;
            }
            let (ways, smooth) = match self.ways(h, &saved) {
                Ok(ways) => ways,
                // A way of smaller steps may meet what a large one passes.
                Err(_) if h > least => {
                    h *= 0.5;
                    continue;
                }
                Err(e) => return Err(e),
            };
            let (estimate, bound) = self.estimate(&ways, smooth, h, left);
            let fit = |low: f64, high: f64| {
                let ratio = if estimate > 0.0 {
                    bound / estimate
                } else {
                    f64::INFINITY
                };
                // Order four: the local error goes as h⁵, its share as h.
                (0.9 * libm::sqrt(libm::sqrt(ratio))).clamp(low, high)
            };
            if estimate <= bound || h <= least {
                self.control.next = if smooth { h * fit(0.5, 4.0) } else { 4.0 * h };
                self.take(h, ways, smooth);
                return Ok(());
            }
            h *= if smooth {
                fit(0.1, 0.5)
            } else {
                (bound / estimate).clamp(0.1, 0.5)
            };
        }
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
        let plan = self.inner(tau, 1);
        if tau > least && self.settings.error.is_finite() {
            let Ok((ways, _)) = self.ways(tau, saved) else {
                return Ok(false);
            };
            let (coarse, fine) = (&ways[0].record.bodies, &ways[3].record.bodies);
            let off = self.distance(coarse, fine, left);
            if off > EVENT_SHARE * self.settings.error + self.rounding(left) {
                return Ok(false);
            }
        }
        self.certified(plan)?;
        self.control.inner += 1;
        self.control.next = self.settings.h;
        Ok(true)
    }

    /// What the step can be wrong by at the end of the run, m, and what it may be.
    fn estimate(&self, ways: &[Way], smooth: bool, h: f64, left: f64) -> (f64, f64) {
        let states: Vec<&[BodyState]> = ways.iter().map(|w| w.record.bodies.as_slice()).collect();
        let wanted = self.settings.error;
        let rounding = self.rounding(left);
        if smooth {
            let (best, lower) = neville(&states);
            let share = wanted * h / self.settings.until.max(h);
            return (self.distance(&best, &lower, left), share + rounding);
        }
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
        (estimate, EVENT_SHARE * wanted + rounding)
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
        let mut modes: Option<Modes> = (saved.step > 0).then(|| self.modes());
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
                let now = self.modes();
                smooth &= *modes.get_or_insert_with(|| now.clone()) == now;
            }
            let record = std::mem::replace(&mut self.last, saved.clone());
            ways.push(Way { record, worst });
        }
        Ok((ways, smooth))
    }

    /// What each pair of bodies does: it slides if one of its contacts does. Which of several contacts bear a load that one would
    /// bear as well is no event.
    fn modes(&self) -> Modes {
        let mut modes = Modes::new();
        for c in self.last.contacts.iter().filter(|c| c.mode != Mode::Open) {
            match modes.last_mut() {
                Some(last) if last.0 == c.contact.bodies => {
                    if c.mode == Mode::Slide {
                        last.1 = Mode::Slide;
                    }
                }
                _ => modes.push((c.contact.bodies, c.mode)),
            }
        }
        modes
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
        let states: Vec<&[BodyState]> = ways.iter().map(|w| w.record.bodies.as_slice()).collect();
        let best = smooth.then(|| neville(&states).0);
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
