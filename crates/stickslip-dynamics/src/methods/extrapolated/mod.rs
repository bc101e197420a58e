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

mod acting;
mod control;
mod table;

pub(crate) use control::Control;

use crate::error::StepError;
use crate::methods::Driver;
use crate::step::gate::Judged;
use crate::step::refuse::stalled;
use crate::step::task::{Plan, Task};
use acting::Modes;
use stickslip_model::{Body, BodyState, Model, StepRecord};
use table::{distance, neville};

/// Inner steps of the four subdivisions.
const INNER_STEPS: [u32; 4] = [1, 2, 3, 4];

/// An event may take this part of what is left of the wanted error.
const EVENT_SHARE: f64 = 0.05;

/// More collisions than this in a row without any time are a stall.
const MOST_STALLED: usize = 1000;

/// Below this part of the run's length no step is halved any more.
const LEAST: f64 = 1e-13;

/// A run that would take more steps than this at its pace does not end. Where so many steps in a row, none of which ends at a
/// collision, have that pace, it is told: an event is enclosed in some forty.
const MOST_STEPS: f64 = 1e9;
const CRAWLED: usize = 300;

impl Driver<'_> {
    /// The next record of the extrapolated method.
    pub(super) fn extrapolated(&mut self) -> Result<Judged, StepError> {
        match self.impact_due()? {
            Some(phase) => Ok(self.stepper.step(&self.task(phase))?),
            None => Extrapolation::of(self).next(),
        }
    }
}

impl Driver<'_> {
    /// A recorded step of length `h` made again from the record before it: extrapolated if that is how it comes out at the
    /// recorded states, else as its four small steps are.
    pub(crate) fn extrapolated_again(
        &mut self,
        h: f64,
        recorded: &[BodyState],
    ) -> Result<StepRecord, StepError> {
        let mut step = Extrapolation::of(self);
        let (subdivisions, _) = step.subdivide(h)?;
        let best = neville(&states(&subdivisions)).0;
        let free = step.driver.setup.model.bodies.iter().map(Body::is_free);
        let same = (best.iter().zip(recorded).zip(free)).all(|((a, b), free)| !free || a == b);
        let judged = step.combined(h, subdivisions, same.then_some(best));
        Ok(judged.record().clone())
    }
}

/// How far two states are apart, m.
pub(crate) fn places_apart(model: &Model, a: &[BodyState], b: &[BodyState]) -> f64 {
    distance(model, a, b, 0.0)
}

/// A step of the extrapolated method that is being made.
struct Extrapolation<'d, 'w> {
    driver: &'d mut Driver<'w>,
    /// What is left of the run, at least h, s.
    left: f64,
    /// The shortest step, s.
    least: f64,
}

/// What a try of one length came to.
enum Outcome {
    Done(Box<Judged>),
    /// Try again with this length, s.
    Again(f64),
}

/// The step done in each of the four subdivisions; the last is the finest.
type Subdivisions = [Judged; 4];

impl<'d, 'w> Extrapolation<'d, 'w> {
    fn of(driver: &'d mut Driver<'w>) -> Self {
        let (settings, last) = (driver.settings, driver.last);
        Self {
            left: (settings.until - last.t).max(settings.h),
            least: LEAST * settings.until.max(last.t + settings.h),
            driver,
        }
    }

    fn control(&mut self) -> &mut Control {
        &mut self.driver.progress.control
    }

    /// Tries lengths until a step fits the wanted error. Each try is shorter than the one before, or encloses an event more
    /// closely; below the shortest length whatever is certified is taken.
    fn next(mut self) -> Result<Judged, StepError> {
        let mut h = self.first_length();
        loop {
            h = self.towards_event(h);
            match self.attempt(h)? {
                Outcome::Done(judged) => {
                    self.look_at_pace(judged.record().h)?;
                    return Ok(*judged);
                }
                Outcome::Again(length) => h = length,
            }
        }
    }

    /// Steps of length `h` must come to an end.
    fn look_at_pace(&mut self, h: f64) -> Result<(), StepError> {
        let steps = self.left / h;
        let control = self.control();
        control.crawled = if steps > MOST_STEPS {
            control.crawled + 1
        } else {
            0
        };
        if control.crawled <= CRAWLED {
            return Ok(());
        }
        let (last, error) = (self.driver.last, self.driver.settings.error);
        Err(StepError::Crawling {
            step: last.step + 1,
            t: last.t,
            error,
            h,
            steps,
        })
    }

    /// As long as the control says, at most h, and so that the run ends at a whole number of its steps.
    fn first_length(&mut self) -> f64 {
        let end = self.driver.settings.until - self.driver.last.t;
        let (mut h, next) = (self.driver.settings.h, self.control().next);
        if next > 0.0 {
            h = h.min(next);
        }
        if end > 0.0 {
            h = (end / (end / h).ceil()).min(h);
        }
        h
    }

    /// Half of the way to a known event, or across it where that is near enough.
    fn towards_event(&mut self, h: f64) -> f64 {
        let t = self.driver.last.t;
        let control = self.control();
        if control.event_by <= t {
            control.event_by = 0.0;
        }
        let (by, rate) = (control.event_by - t, control.event_rate);
        if control.event_by == 0.0 || h < 0.5 * by {
            return h;
        }
        if by <= self.least || rate * by <= self.event_bound() {
            by.max(self.least)
        } else {
            0.5 * by
        }
    }

    /// One try of this length.
    fn attempt(&mut self, h: f64) -> Result<Outcome, StepError> {
        let single = Plan::between_events(self.driver.last, h);
        let motion = self.driver.stepper.attempt(&self.driver.task(single))?;
        if let Some(tau) = self.driver.first_event(single, &motion.bodies)? {
            return self.land(tau);
        }
        let (subdivisions, same_modes) = match self.subdivide(h) {
            Ok(done) => done,
            // Smaller steps may meet what a large one passes.
            Err(_) if h > self.least => return Ok(Outcome::Again(0.5 * h)),
            Err(e) => return Err(e),
        };
        if same_modes {
            Ok(self.smooth(h, subdivisions))
        } else {
            Ok(self.across_event(h, subdivisions))
        }
    }

    /// No event was seen: extrapolates, if the estimate of the error is within its share.
    fn smooth(&mut self, h: f64, subdivisions: Subdivisions) -> Outcome {
        let (estimate, bound) = self.smooth_estimate(&subdivisions, h);
        // Order four: the local error goes as h⁵, its share as h.
        let ratio = if estimate > 0.0 {
            bound / estimate
        } else {
            f64::INFINITY
        };
        let fit = 0.9 * libm::sqrt(libm::sqrt(ratio));
        if estimate <= bound {
            self.control().next = h * fit.clamp(0.5, 4.0);
            let best = neville(&states(&subdivisions)).0;
            return self.accept(h, subdivisions, Some(best));
        }
        // A kink passes as an event does.
        let event = self.event_estimate(&subdivisions);
        if event <= self.event_bound() || h <= self.least {
            self.control().crossed(h, event);
            return self.accept(h, subdivisions, None);
        }
        Outcome::Again(h * fit.clamp(0.1, 0.5))
    }

    /// Modes changed: the finest subdivision is taken as it is, of first order, if the step is short enough for that.
    fn across_event(&mut self, h: f64, subdivisions: Subdivisions) -> Outcome {
        let estimate = self.event_estimate(&subdivisions);
        if estimate <= self.event_bound() || h <= self.least {
            self.control().crossed(h, estimate);
            return self.accept(h, subdivisions, None);
        }
        let by = self.driver.last.t + h;
        self.control().encloses(by, h, estimate);
        Outcome::Again(h)
    }

    fn accept(
        &self,
        h: f64,
        subdivisions: Subdivisions,
        extrapolated: Option<Vec<BodyState>>,
    ) -> Outcome {
        Outcome::Done(Box::new(self.combined(h, subdivisions, extrapolated)))
    }

    fn combined(
        &self,
        h: f64,
        [a, b, c, finest]: Subdivisions,
        extrapolated: Option<Vec<BodyState>>,
    ) -> Judged {
        let task = self.driver.task(Plan::between_events(self.driver.last, h));
        Judged::extrapolated(&task, finest, &[a, b, c], extrapolated)
    }

    /// Ends a single step at the collision after `tau`, if what that step can be wrong by fits.
    fn land(&mut self, tau: f64) -> Result<Outcome, StepError> {
        let (last, settings) = (self.driver.last, self.driver.settings);
        let passes = tau > self.least;
        let control = self.control();
        control.stalled = if passes { 0 } else { control.stalled + 1 };
        if control.stalled > MOST_STALLED {
            return Err(stalled(&self.driver.setup.model, last, MOST_STALLED));
        }
        if passes && settings.error.is_finite() {
            let again = Ok(Outcome::Again(0.9 * tau));
            let Ok((subdivisions, _)) = self.subdivide(tau) else {
                return again;
            };
            let states = states(&subdivisions);
            let off = distance(&self.driver.setup.model, states[0], states[3], self.left);
            if off > self.event_bound() {
                return again;
            }
            self.control().spent += off;
        }
        self.control().no_event_known();
        // Time must be seen to pass.
        let h = tau.max(4.0 * f64::EPSILON * last.t);
        let task = self.driver.task(Plan::between_events(last, h));
        let judged = self.driver.stepper.step(&task)?;
        self.control().inner += 1;
        self.control().next = settings.h;
        self.control().crawled = 0;
        Ok(Outcome::Done(Box::new(judged)))
    }

    /// The step of length h done in each of the four subdivisions, and whether all went through the same modes.
    fn subdivide(&mut self, h: f64) -> Result<(Subdivisions, bool), StepError> {
        let mut modes = Modes::after(self.driver.last, self.driver.setup, self.driver.settings);
        let mut subdivided = |n: u32| -> Result<Judged, StepError> {
            let mut done = self.inner_step(h, 1, n, None)?;
            modes.see(done.record());
            for k in 2..=n {
                let next = self.inner_step(h, k, n, Some(&done))?;
                modes.see(next.record());
                done = next.following(&done);
            }
            Ok(done)
        };
        let [a, b, c, d] = INNER_STEPS;
        let all = [
            subdivided(a)?,
            subdivided(b)?,
            subdivided(c)?,
            subdivided(d)?,
        ];
        Ok((all, modes.are_the_same()))
    }

    /// Step k of n through a length of h, after those done.
    fn inner_step(
        &mut self,
        h: f64,
        k: u32,
        n: u32,
        done: Option<&Judged>,
    ) -> Result<Judged, StepError> {
        let start = self.driver.last;
        let last = done.map_or(start, Judged::record);
        let mut plan = Plan::between_events(last, h / f64::from(n));
        if k == n {
            plan.t_next = start.t + h;
        }
        let task = Task {
            last,
            ..self.driver.task(plan)
        };
        let judged = self.driver.stepper.step(&task)?;
        self.control().inner += 1;
        Ok(judged)
    }

    /// What an event may move by the end of the run, m.
    fn event_bound(&self) -> f64 {
        let spent = self.driver.progress.control.spent;
        let unspent = (self.driver.settings.error - spent).max(0.0);
        EVENT_SHARE * unspent + self.rounding()
    }

    /// What a step between events can be wrong by at the end of the run, m, and what it may be.
    fn smooth_estimate(&self, subdivisions: &Subdivisions, h: f64) -> (f64, f64) {
        let settings = self.driver.settings;
        let (best, lower) = neville(&states(subdivisions));
        let share = settings.error * h / settings.until.max(h);
        (
            distance(&self.driver.setup.model, &best, &lower, self.left),
            share + self.rounding(),
        )
    }

    /// What a step across an event can be wrong by at the end of the run, m.
    fn event_estimate(&self, subdivisions: &Subdivisions) -> f64 {
        let (states, model) = (states(subdivisions), &self.driver.setup.model);
        let spread = states[..3].iter();
        let spread = spread.map(|s| distance(model, s, states[3], self.left));
        let mut estimate = spread.fold(0.0, f64::max);
        // The event may hide in the first inner step of all: then they agree, and are all off by what it changed.
        for (i, body) in model.bodies.iter().enumerate() {
            if body.is_free() {
                let (old, new) = (&self.driver.last.bodies[i].twist, &states[3][i].twist);
                let change = (new.linear - old.linear).length()
                    + (new.angular - old.angular).length() * body.shape.radius();
                estimate = estimate.max(change * self.left);
            }
        }
        estimate
    }

    /// What rounding alone moves by the end of the run, m.
    fn rounding(&self) -> f64 {
        let bodies = self.driver.setup.model.bodies.iter();
        let free = bodies
            .zip(&self.driver.last.bodies)
            .filter(|b| b.0.is_free());
        let sizes = free.map(|(b, s)| {
            let speed = s.twist.linear.length() + s.twist.angular.length() * b.shape.radius();
            s.pose.position.length() + b.shape.radius() + speed * self.left
        });
        64.0 * f64::EPSILON * sizes.fold(0.0, f64::max)
    }
}

/// The states at the end of each subdivision.
fn states(subdivisions: &Subdivisions) -> [&[BodyState]; 4] {
    subdivisions
        .each_ref()
        .map(|done| done.record().bodies.as_slice())
}
