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
use stickslip_certify::judge::gap_rounding;
use stickslip_certify::{BodyState, Contact, ContactImpulse, Kind, Scheme};
use stickslip_geometry::Feature;
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

    fn phase(&self, kind: Kind) -> Plan {
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
        contacts.retain(|c| {
            self.is_closed(c) && !(between && self.opening(c, &self.last.bodies) > bound)
        });
        self.work.contacts = contacts;
    }

    fn is_closed(&self, c: &Contact) -> bool {
        let poses = c.bodies.map(|i| &self.work.placed[i]);
        c.gap <= gap_rounding(&self.model, poses, c) || self.was_loaded(c.bodies, c.feature)
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
    fn speed_bound(&self) -> f64 {
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
        let (mut pressing, mut w_nn) = (0.0, 0.0);
        for (i, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
            let Some(mass) = self.model.bodies[i].mass else {
                continue;
            };
            let (n, inverse) = (c.contact.normal, self.work.inverse[i]);
            let lever = c.contact.point - self.work.placed[i].position;
            let arm = lever.cross(n);
            w_nn += 1.0 / mass.mass + arm.dot(inverse * arm);
            let wrench = &self.work.wrench[i];
            pressing -= sign * n.dot(wrench.force) / mass.mass;
            pressing -= sign * arm.dot(inverse * wrench.torque);
        }
        let poses = c.contact.bodies.map(|i| &self.work.placed[i]);
        let rounding = gap_rounding(&self.model, poses, &c.contact);
        let speed = r * w_nn;
        // It would rise by speed²/(2 pressing).
        if speed * speed <= 2.0 * pressing * rounding {
            0.0
        } else {
            r
        }
    }
}
