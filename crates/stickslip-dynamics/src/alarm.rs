//! Times at which a planar body in contact has no, several or a continuum of legal accelerations.

use crate::world::World;
use std::collections::BTreeMap;
use stickslip_planar::{Note, Options, StateError, Status, solve};

/// A time during which the law does not determine a body's acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// The body's name.
    pub body: String,
    /// None, several or continuum.
    pub status: Status,
    /// Whether a contact stands still there with static friction above kinetic: sticking and starting to slide may
    /// then both be legal, and the step sticks.
    pub static_friction: bool,
    /// First and last step's time at which it was so, s.
    pub from: f64,
    /// Last step's time, s.
    pub to: f64,
}

/// Watches a run, step by step.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// What was found, in order of the beginnings.
    pub alarms: Vec<Alarm>,
    /// Planar states looked at.
    pub looked_at: u64,
    /// Those of them in which an impact comes first.
    pub impacts: u64,
    /// States of bodies in contact that are not planar, or too large to enumerate, by the reason.
    pub passed_over: BTreeMap<&'static str, u64>,
    /// For each body, the alarm that is going on.
    open: Vec<Option<usize>>,
}

impl Watch {
    /// Looks at every free body of the world as it is now.
    pub fn look(&mut self, world: &World) {
        self.open.resize(world.model().bodies.len(), None);
        for i in 0..world.model().bodies.len() {
            let found = self.status(world, i);
            match (found, self.open[i]) {
                (Some(found), Some(k))
                    if (self.alarms[k].status, self.alarms[k].static_friction) == found =>
                {
                    self.alarms[k].to = world.time();
                }
                (Some((status, static_friction)), _) => {
                    self.open[i] = Some(self.alarms.len());
                    self.alarms.push(Alarm {
                        body: world.model().bodies[i].name.clone(),
                        status,
                        static_friction,
                        from: world.time(),
                        to: world.time(),
                    });
                }
                (None, _) => self.open[i] = None,
            }
        }
    }

    /// None, several or continuum, and whether static friction has a part in it; nothing where the acceleration is unique, an impact comes first, or the
    /// body is not planar.
    fn status(&mut self, world: &World, i: usize) -> Option<(Status, bool)> {
        use crate::planar::NotPlanar::{NoContact, Prescribed};
        let view = match world.planar_view(i) {
            Ok(view) => view,
            Err(NoContact | Prescribed) => return None,
            Err(e) => {
                *self.passed_over.entry(e.reason()).or_default() += 1;
                return None;
            }
        };
        let options = Options {
            rest_speed: view.rest_speed(world.settings().h),
            ..Options::default()
        };
        let answer = match solve(&view.state, &options) {
            Ok(answer) => answer,
            Err(e) => {
                let reason = match e {
                    StateError::TooManyContacts { .. } => "too many contacts",
                    _ => "numbers out of range",
                };
                *self.passed_over.entry(reason).or_default() += 1;
                return None;
            }
        };
        self.looked_at += 1;
        match answer.status() {
            Status::Unique => None,
            Status::Collision => {
                self.impacts += 1;
                None
            }
            status => {
                let still = |note: &Note| matches!(note, Note::StaticFriction(_));
                Some((status, answer.notes.iter().any(still)))
            }
        }
    }
}
