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
//! An event inside a step (a contact that closes, opens, starts or stops to slide) shows as a change of modes between the inner
//! steps, and makes the table worthless. Such a step is halved until what it can be wrong by fits the wanted error, and is then
//! taken as the four small steps are: of first order, and said to be so (kind `step`).

use crate::error::StepError;
use crate::world::{Plan, World};
use glam::DQuat;
use stickslip_certify::{BodyState, Certificate, Kind, Mode, Restitution, Scheme, StepRecord};
use stickslip_geometry::{Feature, Pose, Twist};

/// Inner steps of the four ways.
const WAYS: [u32; 4] = [1, 2, 3, 4];

/// An event may take this part of the wanted error.
const EVENT_SHARE: f64 = 0.05;

/// Which contacts act and how, of one inner step.
type Modes = Vec<([usize; 2], Feature, Mode)>;

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
    states: Vec<BodyState>,
    record: StepRecord,
    restitution: Restitution,
    worst: Certificate,
}

impl World {
    /// One accepted step of the extrapolated method.
    pub(crate) fn extrapolated(&mut self) -> Result<(), StepError> {
        let saved = (self.last.clone(), self.restitution.clone());
        let left = (self.settings.until - self.last.t).max(self.settings.h);
        let mut h = if self.control.next > 0.0 {
            self.control.next
        } else {
            self.settings.h
        };
        // The run ends at a whole number of its steps.
        let end = self.settings.until - self.last.t;
        if end > 0.0 {
            h = (end / (end / h).ceil()).min(h);
        }
        let wanted = self.settings.error;
        loop {
            let (ways, smooth) = self.ways(h, &saved)?;
            let states: Vec<&[BodyState]> = ways.iter().map(|w| w.states.as_slice()).collect();
            let (best, lower) = neville(&states);
            let (estimate, bound) = if smooth {
                (
                    self.distance(&best, &lower, left),
                    wanted * h / self.settings.until.max(h),
                )
            } else {
                let spread = states[..3]
                    .iter()
                    .map(|s| self.distance(s, states[3], left));
                (spread.fold(0.0, f64::max), EVENT_SHARE * wanted)
            };
            let least = 1e-14 * self.settings.until.max(self.last.t);
            if estimate <= bound || h <= least {
                // Order four: the local error goes as h⁵, its share as h.
                let grow = if smooth && estimate > 0.0 {
                    (0.9 * libm::sqrt(libm::sqrt(bound / estimate))).clamp(0.2, 4.0)
                } else {
                    4.0
                };
                let next = if wanted.is_finite() {
                    h * grow
                } else {
                    f64::INFINITY
                };
                self.control.next = next.min(self.settings.h);
                self.take(h, saved.0.step, ways, smooth.then_some(best));
                return Ok(());
            }
            let shrink = if smooth {
                (0.9 * libm::sqrt(libm::sqrt(bound / estimate))).clamp(0.1, 0.5)
            } else {
                // Halving finds the event; its own step is as short as the error wants it.
                (bound / estimate).clamp(0.125, 0.5)
            };
            h *= shrink;
        }
    }

    /// The step done in each of the four ways, and whether all went through the same modes.
    fn ways(
        &mut self,
        h: f64,
        saved: &(StepRecord, Restitution),
    ) -> Result<(Vec<Way>, bool), StepError> {
        let mut ways = Vec::new();
        // An event in the first inner steps shows against the modes in which the last step ended.
        let mut modes: Option<Modes> = (saved.0.step > 0).then(|| self.modes());
        let mut smooth = true;
        for n in WAYS {
            let mut worst = Certificate::default();
            for k in 1..=n {
                let t_next = saved.0.t + h * (f64::from(k) / f64::from(n));
                let inner = Plan {
                    h: h / f64::from(n),
                    t_next,
                    kind: Kind::Step,
                    scheme: Scheme::StewartTrinkle,
                };
                if let Err(e) = self.certified(inner) {
                    (self.last, self.restitution) = saved.clone();
                    return Err(e);
                }
                self.control.inner += 1;
                worst.join(&self.last.certificate);
                let now = self.modes();
                smooth &= *modes.get_or_insert_with(|| now.clone()) == now;
            }
            let record = std::mem::replace(&mut self.last, saved.0.clone());
            let restitution = std::mem::replace(&mut self.restitution, saved.1.clone());
            ways.push(Way {
                states: record.bodies.clone(),
                record,
                restitution,
                worst,
            });
        }
        Ok((ways, smooth))
    }

    fn modes(&self) -> Modes {
        let acting = self.last.contacts.iter().filter(|c| c.mode != Mode::Open);
        acting
            .map(|c| (c.contact.bodies, c.contact.feature, c.mode))
            .collect()
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
    fn take(&mut self, h: f64, step: u64, mut ways: Vec<Way>, best: Option<Vec<BodyState>>) {
        let Some(finest) = ways.pop() else { return };
        self.last = finest.record;
        self.restitution = finest.restitution;
        self.last.step = step + 1;
        self.last.h = h;
        self.last.certificate = finest.worst;
        for way in &ways {
            self.last.certificate.join(&way.worst);
        }
        self.last.kind = Kind::Extrapolated;
        if let Some(best) = best {
            self.last.bodies = best;
            for (i, motion) in self.motions.iter().enumerate() {
                // Prescribed bodies are where they are told to be.
                if let crate::motion::Motion::Prescribed(path) = motion {
                    self.last.bodies[i] = path(self.last.t);
                }
            }
            self.last.energy =
                crate::world::energy(&self.model, self.settings.gravity, &self.last.bodies);
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
                q = q + (other.pose.orientation * sign + pose.orientation * -1.0) * weight;
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
