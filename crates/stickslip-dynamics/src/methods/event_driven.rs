//! Anitescu's loop: steps between events, collision times located, impacts in two phases.
//!
//! ```text
//!   compression done, something to give back   decompression: Poisson's second phase
//!   a contact touches and closes               compression of all contacts that touch, no time passes
//!   else                                       a step to the next grid point, or to the first collision before it
//! ```
//!
//! Each of them is one record with its own certificate. The contact list of a step: those that touch (gap within its
//! rounding, or loaded in the last step) and do not open. Both phases of an impact have the same list: all that touch.
//!
//! Bounces come to an end. A rebound that the applied forces would return before it has risen above the rounding of
//! the gap is none: no state could show it. So a ball with e = 0.8 rests after some seventy bounces.

use crate::error::StepError;
use crate::refusal::note;
use crate::world::{Plan, World};
use stickslip_geometry::Feature;
use stickslip_model::{BodyState, Contact, ContactImpulse, Kind, Scheme};
use stickslip_solvers::solver::Solved;

/// Where the event loop stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loop {
    /// Grid points reached.
    grid: u64,
    /// Records since the last grid point.
    records: usize,
}

impl Loop {
    /// At a grid point.
    pub(crate) const fn at(grid: u64) -> Self {
        Self { grid, records: 0 }
    }
}

/// More records than this between two grid points are a stall.
const MOST_RECORDS: usize = 100_000;

impl World {
    /// The next record of the event loop.
    pub(crate) fn event_driven(&mut self) -> Result<(), StepError> {
        self.events.records += 1;
        if self.events.records > MOST_RECORDS {
            return Err(self.stalled(MOST_RECORDS));
        }
        if self.impact_phase()? {
            return Ok(());
        }
        self.between_events()
    }

    /// Does a phase of an impact if one is due.
    pub(super) fn impact_phase(&mut self) -> Result<bool, StepError> {
        let kind = self.last.kind;
        let due = if kind == Kind::Compression && self.gives_back() {
            Kind::Decompression
        } else if !kind.is_impact() && self.collides()? {
            Kind::Compression
        } else {
            return Ok(false);
        };
        self.certified(self.phase(due))?;
        Ok(true)
    }

    pub(super) fn phase(&self, kind: Kind) -> Plan {
        Plan {
            h: 0.0,
            t_next: self.last.t,
            kind,
            scheme: Scheme::Impact,
        }
    }

    /// A step to the next grid point, or to the first collision on the way.
    fn between_events(&mut self) -> Result<(), StepError> {
        let h = self.settings.h;
        let mut grid_time = (self.events.grid + 1) as f64 * h;
        // An event may fall on the grid point itself.
        while grid_time - self.last.t <= 1e-12 * h {
            self.events.grid += 1;
            grid_time = (self.events.grid + 1) as f64 * h;
        }
        let mut plan = Plan {
            h: grid_time - self.last.t,
            t_next: grid_time,
            kind: Kind::Step,
            scheme: Scheme::BetweenEvents,
        };
        let mut solved = self.trial(plan)?;
        let event = self.first_event(plan)?;
        if let Some(h) = event {
            plan.h = h;
            plan.t_next = self.last.t + h;
        }
        if event.is_some() || plan != self.work.plan {
            solved = self.trial(plan)?;
        }
        let certificate = self.judge();
        if certificate.holds(self.settings.tolerance) {
            self.accept(&solved, certificate);
        } else {
            self.certified(plan)?;
        }
        if event.is_none() {
            self.events = Loop::at(self.events.grid + 1);
        }
        Ok(())
    }

    /// Solves a step without judging or accepting it; states and impulses are left in the workspace.
    pub(super) fn trial(&mut self, plan: Plan) -> Result<Solved, StepError> {
        self.prepare(plan)?;
        self.find_contacts();
        let mut tried = String::new();
        for attempt in 0..self.solvers.len() {
            match self.solve(attempt) {
                Ok(Some(solved)) => return Ok(solved),
                Ok(None) => {}
                Err(failure) => note(&mut tried, &self.failed(failure)?),
            }
        }
        Err(self.not_solved(tried))
    }

    /// Does a contact touch and close that no load has kept closed?
    fn collides(&mut self) -> Result<bool, StepError> {
        self.prepare(self.phase(Kind::Compression))?;
        self.find_contacts();
        let bound = self.speed_bound();
        let work = &self.work;
        Ok(work
            .contacts
            .iter()
            .any(|c| !self.was_loaded(c.bodies, c.feature) && self.opening(c, &work.goal) < -bound))
    }

    /// The contact list of the step at hand, from all contacts that may close within it.
    pub(crate) fn keep_touching(&mut self) {
        let bound = self.speed_bound();
        let between = self.work.plan.scheme == Scheme::BetweenEvents;
        let mut contacts = std::mem::take(&mut self.work.contacts);
        contacts.retain(|c| self.is_closed(c) && !(between && self.leaves(c, bound)));
        self.work.contacts = contacts;
    }

    /// Does a closed contact open? Not where a step has kept it closed (an impact says what opens, a step's row decides for itself), nor
    /// where it would be back before it has risen above the rounding of the gap.
    fn leaves(&self, c: &Contact, bound: f64) -> bool {
        let kept = !self.last.kind.is_impact() && self.was_loaded(c.bodies, c.feature);
        let speed = self.opening(c, &self.last.bodies);
        !kept && speed > bound && !self.returns(c, speed)
    }

    /// How well the gap of a contact is known, m.
    pub(crate) fn rounding_of(&self, c: &Contact) -> f64 {
        let poses = c.bodies.map(|i| &self.work.placed[i]);
        c.rounding(&self.model, poses)
    }

    fn is_closed(&self, c: &Contact) -> bool {
        c.gap <= self.rounding_of(c) || self.was_loaded(c.bodies, c.feature)
    }

    /// Did the contact carry an impulse in the last record?
    fn was_loaded(&self, bodies: [usize; 2], feature: Feature) -> bool {
        let last = &self.last.contacts;
        let key = |c: &ContactImpulse| (c.contact.bodies, c.contact.feature);
        last.binary_search_by_key(&(bodies, feature), key)
            .is_ok_and(|k| last[k].impulse.x > 0.0)
    }

    /// The speed at which a contact opens, m/s; prescribed bodies move as they do at the end of the step at hand.
    pub(crate) fn opening(&self, c: &Contact, states: &[BodyState]) -> f64 {
        let mut speed = 0.0;
        for (i, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
            let free = self.model.bodies[i].is_free();
            let twist = if free { states[i] } else { self.work.goal[i] }.twist;
            let lever = c.point - self.work.placed[i].position;
            speed += sign * c.normal.dot(twist.at(lever));
        }
        speed
    }

    /// Speeds below this are none to the judge, m/s.
    pub(super) fn speed_bound(&self) -> f64 {
        let speeds = self.last.bodies.iter().zip(&self.model.bodies);
        let speeds = speeds
            .filter(|(_, b)| b.is_free())
            .map(|(s, b)| s.twist.linear.length() + s.twist.angular.length() * b.shape.radius());
        self.settings.tolerance * speeds.fold(1.0, f64::max)
    }

    /// Has the compression just recorded anything to give back?
    fn gives_back(&self) -> bool {
        let contacts = &self.last.contacts;
        contacts.iter().any(|c| self.restitution_of(c) > 0.0)
    }

    /// r = e p_n^c of a contact compressed in the impact at hand, N s; zero where the rebound would not leave the rounding of
    /// the gap before the applied forces return it.
    pub(crate) fn restitution_of(&self, c: &ContactImpulse) -> f64 {
        let r = self.restitutions.of(c.contact.bodies) * c.impulse.x.max(0.0);
        let w_nn: f64 = self.sides(&c.contact).map(|s| s.w_nn).sum();
        if self.returns(&c.contact, r * w_nn) {
            0.0
        } else {
            r
        }
    }

    /// Is a contact that opens at this speed back before it has risen above the rounding of the gap? It rises by
    /// speed²/(2 a), a being what presses it together, m/s².
    fn returns(&self, c: &Contact, speed: f64) -> bool {
        let pressing: f64 = self.sides(c).map(|s| s.pressing).sum();
        speed * speed <= 2.0 * pressing * self.rounding_of(c)
    }

    /// What each body of a contact adds to it: free ones under the applied forces, prescribed ones as they are told to.
    pub(super) fn sides<'a>(&'a self, c: &'a Contact) -> impl Iterator<Item = Side> + 'a {
        c.bodies.into_iter().zip([-1.0, 1.0]).map(move |(i, sign)| {
            let lever = c.point - self.work.placed[i].position;
            let Some(mass) = self.model.bodies[i].mass else {
                let (h, goal) = (self.work.plan.h, self.work.goal[i].twist);
                let change = goal.at(lever) - self.last.bodies[i].twist.at(lever);
                let rate = if h > 0.0 { 1.0 / h } else { 0.0 };
                return Side {
                    w_nn: 0.0,
                    pressing: -sign * rate * c.normal.dot(change),
                };
            };
            let (arm, inverse) = (lever.cross(c.normal), self.work.inverse[i]);
            let wrench = &self.work.wrench[i];
            let pushed = c.normal.dot(wrench.force) / mass.mass + arm.dot(inverse * wrench.torque);
            Side {
                w_nn: 1.0 / mass.mass + arm.dot(inverse * arm),
                pressing: -sign * pushed,
            }
        })
    }
}

/// One body's part in a contact.
pub(super) struct Side {
    /// Of nᵀM⁻¹n, 1/kg.
    pub(super) w_nn: f64,
    /// Of the acceleration that presses it together, m/s².
    pressing: f64,
}
