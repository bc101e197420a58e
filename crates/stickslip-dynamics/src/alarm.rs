//! Times at which a planar body in contact has no, several or a continuum of legal accelerations.

use crate::world::World;
use stickslip_planar::{Options, Status, solve};

/// A time during which the law does not determine a body's acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// The body's name.
    pub body: String,
    /// None, several or continuum.
    pub status: Status,
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
    /// States of bodies in contact that are not planar, or too large to enumerate.
    pub passed_over: u64,
    /// For each body, the alarm that is going on.
    open: Vec<Option<usize>>,
}

impl Watch {
    /// Looks at every free body of the world as it is now.
    pub fn look(&mut self, world: &World) {
        self.open.resize(world.model().bodies.len(), None);
        for i in 0..world.model().bodies.len() {
            let status = self.status(world, i);
            match (status, self.open[i]) {
                (Some(status), Some(k)) if self.alarms[k].status == status => {
                    self.alarms[k].to = world.time();
                }
                (Some(status), _) => {
                    self.open[i] = Some(self.alarms.len());
                    self.alarms.push(Alarm {
                        body: world.model().bodies[i].name.clone(),
                        status,
                        from: world.time(),
                        to: world.time(),
                    });
                }
                (None, _) => self.open[i] = None,
            }
        }
    }

    /// None, several or continuum; nothing where the acceleration is unique, an impact comes first, or the
    /// body is not planar.
    fn status(&mut self, world: &World, i: usize) -> Option<Status> {
        use crate::planar_view::NotPlanar::{NoContact, Prescribed};
        let view = match world.planar_view(i) {
            Ok(view) => view,
            Err(NoContact | Prescribed) => return None,
            Err(_) => {
                self.passed_over += 1;
                return None;
            }
        };
        let options = Options {
            rest_speed: view.rest_speed(world.settings().h),
            ..Options::default()
        };
        let Ok(answer) = solve(&view.state, &options) else {
            self.passed_over += 1;
            return None;
        };
        self.looked_at += 1;
        match answer.status() {
            Status::Unique | Status::Collision => None,
            status => Some(status),
        }
    }
}
