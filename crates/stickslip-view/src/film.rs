//! A film: a recorded run, ready to be shown.

use crate::ViewError;
use crate::sample::Sample;
use crate::solid::{Look, Meshes, SMALLEST, look_of};
use glam::{DMat3, DVec3};
use stickslip_geometry::Pose;
use stickslip_model::spring::Ends;
use stickslip_model::{ContactImpulse, Model};
use stickslip_record::{Frame, Trajectory};

/// A body in a film.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// Name.
    pub name: String,
    /// kg; `None` for a body whose motion is prescribed.
    pub mass: Option<f64>,
    /// About its origin, in its frame, kg m²; `None` likewise.
    pub inertia: Option<DMat3>,
    /// Its own colour, if it has one: red, green and blue, each from 0 to 1.
    pub colour: Option<[f64; 3]>,
    /// What is seen of it.
    pub look: Look,
    /// Radius about the body's origin, m; infinite for a plane.
    pub radius: f64,
}

/// What holds two bodies together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A joint: its two places coincide.
    Joint,
    /// A spring or damper between two places.
    Spring,
}

/// A joint or a spring between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Joint or spring.
    pub kind: LinkKind,
    /// Which bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Where, in the frame of each body, m.
    pub places: [DVec3; 2],
    /// Which of the step's joints and springs it is.
    pub index: usize,
}

/// The joints of a model, and those of its springs that have ends in space (one on a joint's axis is seen as the joint).
fn links_of(model: &Model) -> Vec<Link> {
    let joints = model.joints.iter().enumerate().map(|(index, joint)| Link {
        name: joint.name.clone(),
        kind: LinkKind::Joint,
        bodies: joint.bodies,
        places: joint.anchors,
        index,
    });
    let springs = model
        .springs
        .iter()
        .enumerate()
        .filter_map(|(k, spring)| match &spring.ends {
            Ends::Points { bodies, points } => Some(Link {
                name: spring.name.clone(),
                kind: LinkKind::Spring,
                bodies: *bodies,
                places: *points,
                index: model.joints.len() + k,
            }),
            Ends::Axis { .. } => None,
        });
    joints.chain(springs).collect()
}

/// A recorded run, ready to be shown.
pub struct Film<'a> {
    /// What is shown on top.
    pub title: String,
    /// The run.
    pub trajectory: &'a Trajectory,
    /// Bodies in the order of the trajectory.
    pub actors: Vec<Actor>,
    /// Their meshes.
    pub meshes: Meshes,
    /// Joints and springs.
    pub links: Vec<Link>,
    /// One in how many recorded steps is here.
    pub kept_one_in: u64,
}

/// A box that holds all that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Lowest coordinates of the box around it, m.
    pub low: DVec3,
    /// Highest coordinates, m.
    pub high: DVec3,
}

impl Extent {
    /// Holds no point.
    const NOTHING: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
    };

    fn is_nothing(&self) -> bool {
        self.low.x > self.high.x
    }

    /// Grows to hold a point.
    pub(crate) fn add(&mut self, point: DVec3) {
        self.low = self.low.min(point);
        self.high = self.high.max(point);
    }

    /// The eight corners.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|k| {
            let side = |bit: usize| {
                if k >> bit & 1 == 1 {
                    self.high
                } else {
                    self.low
                }
            };
            DVec3::new(side(0).x, side(1).y, side(2).z)
        })
    }

    /// Middle of the box, m.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }

    /// Half of the box's diagonal, m.
    #[must_use]
    pub fn radius(&self) -> f64 {
        (0.5 * (self.high - self.low).length()).max(1e-9)
    }
}

impl<'a> Film<'a> {
    /// The film of a run of this model.
    ///
    /// # Errors
    /// A trajectory of other bodies, or without any state.
    pub fn new(model: &Model, trajectory: &'a Trajectory) -> Result<Self, ViewError> {
        let (expected, found) = (model.bodies.len(), trajectory.header.bodies.len());
        let whole = |frame: &Frame| frame.step.bodies.len() == expected;
        if found != expected || !trajectory.frames.iter().all(whole) {
            return Err(ViewError::Bodies { found, expected });
        }
        let header = &trajectory.header;
        let bodies = header.bodies.iter().zip(model.body_names());
        let joints = header.joints.iter().zip(model.joint_names());
        if let Some((found, expected)) = bodies.chain(joints).find(|(a, b)| a != b) {
            let (found, expected) = (found.clone(), expected.into());
            return Err(ViewError::Names { found, expected });
        }
        if trajectory.frames.is_empty() {
            return Err(ViewError::Empty);
        }
        let mut meshes = Meshes::for_bodies(expected);
        let actor = |body: &stickslip_model::Body| Actor {
            name: body.name.clone(),
            mass: body.mass.as_ref().map(|m| m.mass),
            inertia: body.mass.as_ref().map(|m| m.inertia),
            colour: body.colour,
            look: look_of(&body.shape, &mut meshes),
            radius: Some(body.shape.radius())
                .filter(|r| *r > 0.0)
                .unwrap_or(SMALLEST),
        };
        Ok(Self {
            title: trajectory.header.scene_file.clone(),
            trajectory,
            actors: model.bodies.iter().map(actor).collect(),
            meshes,
            links: links_of(model),
            kept_one_in: 1,
        })
    }

    /// The film of what was kept of a run.
    ///
    /// # Errors
    /// As [`Film::new`].
    pub fn of(model: &Model, sample: &'a Sample) -> Result<Self, ViewError> {
        Ok(Self {
            kept_one_in: sample.kept_one_in(),
            ..Self::new(model, sample.trajectory())?
        })
    }

    /// With another title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..self
        }
    }

    /// The recorded steps.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.trajectory.frames
    }

    /// The frame whose time is nearest.
    ///
    /// # Errors
    /// A time outside the trajectory (by more than half a step), or no number.
    pub fn frame_at(&self, t: f64) -> Result<usize, ViewError> {
        let times = || self.frames().iter().map(|f| f.step.t);
        let (from, to) = (
            times().next().unwrap_or(0.0),
            times().next_back().unwrap_or(0.0),
        );
        let slack = 0.5 * self.trajectory.header.h;
        if !(t >= from - slack && t <= to + slack) {
            return Err(ViewError::Time { t, from, to });
        }
        let distance = |k: &usize| (self.frames()[*k].step.t - t).abs();
        let nearest = (0..self.frames().len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.ok_or(ViewError::Empty)
    }

    /// Where a body is in a frame.
    #[must_use]
    pub fn pose(&self, frame: usize, body: usize) -> Pose {
        self.frames()[frame].step.bodies[body].pose
    }

    /// A box that holds the free bodies in these frames, and those of prescribed motion that are not much larger: a
    /// floor does not say where to look. 1 m about the origin where there are none.
    #[must_use]
    pub fn extent(&self, frames: std::ops::Range<usize>) -> Extent {
        /// How much larger than the box of the free bodies scenery may be.
        const SCENERY: f64 = 2.5;
        let corners: Vec<Vec<DVec3>> = self.actors.iter().map(|a| self.corners(a)).collect();
        let around = |free: bool, most: f64| {
            let mut extent = Extent::NOTHING;
            for frame in &self.frames()[frames.clone()] {
                for (k, body) in frame.step.bodies.iter().enumerate() {
                    let actor = &self.actors[k];
                    if actor.mass.is_some() == free && actor.radius <= most {
                        corners[k]
                            .iter()
                            .for_each(|c| extent.add(body.pose.to_world(*c)));
                    }
                }
            }
            extent
        };
        let free = around(true, f64::INFINITY);
        let most = if free.is_nothing() {
            f64::MAX
        } else {
            SCENERY * free.radius()
        };
        let fixed = around(false, most);
        let mut both = free;
        both.low = both.low.min(fixed.low);
        both.high = both.high.max(fixed.high);
        if both.is_nothing() {
            both = Extent {
                low: DVec3::NEG_ONE,
                high: DVec3::ONE,
            };
        }
        both
    }

    /// Corners of boxes around the parts of a body, in its frame, m.
    fn corners(&self, actor: &Actor) -> Vec<DVec3> {
        let Look::Solid(parts) = &actor.look else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for part in parts {
            let mut inner = Extent::NOTHING;
            for corner in &self.meshes.list[part.mesh].corners {
                inner.add(*corner * part.scale);
            }
            out.extend(inner.corners().map(|c| part.pose.to_world(c)));
        }
        out
    }

    /// Radius of the middle one of the free bodies, m: the size of what is looked at.
    #[must_use]
    pub fn size(&self) -> f64 {
        let mut radii: Vec<f64> = self
            .actors
            .iter()
            .filter(|a| a.mass.is_some())
            .map(|a| a.radius)
            .collect();
        radii.sort_by(f64::total_cmp);
        radii.get(radii.len() / 2).copied().unwrap_or(0.5).max(1e-9)
    }

    /// Where the two ends of a link are in a frame, m.
    #[must_use]
    pub fn ends(&self, frame: usize, link: &Link) -> [DVec3; 2] {
        [0, 1].map(|k| {
            link.bodies[k].map_or(link.places[k], |body| {
                self.pose(frame, body).to_world(link.places[k])
            })
        })
    }

    /// The mean force of a joint or spring on its second body over the step that ended in a frame, N; zero in the
    /// initial state.
    #[must_use]
    pub fn link_force(&self, frame: usize, link: &Link) -> DVec3 {
        let impulse = self.frames()[frame].step.joints.get(link.index);
        impulse.map_or(DVec3::ZERO, |j| j.linear / self.step_length(frame))
    }

    /// Its mean torque on the second body, about the place where its force acts, N m.
    #[must_use]
    pub fn link_torque(&self, frame: usize, link: &Link) -> DVec3 {
        let impulse = self.frames()[frame].step.joints.get(link.index);
        impulse.map_or(DVec3::ZERO, |j| j.angular / self.step_length(frame))
    }

    /// The force of a contact as it is shown: on which body, and its mean over the step, N.
    ///
    /// That is the second body, or the first one where the second does not move freely: people look at what the
    /// floor does to a box, not at what the box does to the floor.
    #[must_use]
    pub fn shown_force(&self, frame: usize, contact: &ContactImpulse) -> (usize, DVec3) {
        let [a, b] = contact.contact.bodies;
        let force = contact.world_impulse() / self.step_length(frame);
        let free = |k: usize| self.actors.get(k).is_some_and(|actor| actor.mass.is_some());
        if free(a) && !free(b) {
            (a, -force)
        } else {
            (b, force)
        }
    }

    /// Is a contact shown with its force? What is nothing but rounding is shown as a contact without any.
    #[must_use]
    pub fn bears(&self, contact: &ContactImpulse) -> bool {
        let mass = |k: &usize| self.actors.get(*k).and_then(|actor| actor.mass);
        let masses = contact.contact.bodies.iter().filter_map(mass);
        let lighter = masses.fold(f64::INFINITY, f64::min);
        contact.bears(lighter, self.trajectory.header.tolerance)
    }

    /// The moment of a contact beside that of its force at the point, on the body on which that is shown, N m.
    #[must_use]
    pub fn shown_moment(&self, frame: usize, contact: &ContactImpulse) -> DVec3 {
        let moment = contact.world_moment() / self.step_length(frame);
        let (on, _) = self.shown_force(frame, contact);
        if on == contact.contact.bodies[1] {
            moment
        } else {
            -moment
        }
    }

    /// Length of the step that ended in a frame, s: as recorded, or that of the run where no time passes.
    #[must_use]
    pub fn step_length(&self, frame: usize) -> f64 {
        let h = self.frames()[frame].step.h;
        if h > 0.0 { h } else { self.trajectory.header.h }
    }

    /// Length of an arrow for a force of 1 N: the median of the frames' largest forces at contacts (at joints and springs, where no contact ever pushes)
    /// is one and a half radii of a body long.
    #[must_use]
    pub fn arrow_scale(&self) -> f64 {
        let active = |c: &&ContactImpulse| self.bears(c);
        let largest = |k: usize| {
            let contacts = self.frames()[k].step.contacts.iter().filter(active);
            contacts
                .map(|c| c.impulse.length() / self.step_length(k))
                .fold(0.0, f64::max)
        };
        let of_links = |k: usize| {
            let forces = self
                .links
                .iter()
                .map(|link| self.link_force(k, link).length());
            forces.fold(0.0, f64::max)
        };
        let median = |of: &dyn Fn(usize) -> f64| {
            let forces = (0..self.frames().len()).map(of);
            let mut forces: Vec<f64> = forces.filter(|f| *f > 0.0).collect();
            forces.sort_by(f64::total_cmp);
            forces.get(forces.len() / 2).copied()
        };
        let typical = median(&largest).or_else(|| median(&of_links));
        1.5 * self.size() / typical.unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::Shape;
    use stickslip_model::{Body, BodyState, StepRecord};
    use stickslip_record::{Header, Recorder};

    #[test]
    fn bodies_in_another_order_are_refused() {
        let body = |name: &str| Body::prescribed(name, Shape::Ball { radius: 1.0 });
        let model = Model {
            bodies: ["b", "a"].map(body).to_vec(),
            ..Model::default()
        };
        let film = |names: [&str; 2]| {
            let header = Header {
                bodies: names.map(String::from).to_vec(),
                h: 0.01,
                every: 1,
                ..Header::default()
            };
            let step = StepRecord {
                bodies: vec![BodyState::default(); 2],
                ..StepRecord::default()
            };
            let mut run = Trajectory::new();
            run.start(&header, &step).expect("a start");
            Film::new(&model, &run)
                .map(|_| ())
                .map_err(|e| e.to_string())
        };
        assert_eq!(film(["b", "a"]), Ok(()));
        let refused = "the trajectory has `a` where the model has `b`";
        assert_eq!(film(["a", "b"]), Err(refused.into()));
    }
}
