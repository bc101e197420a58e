//! A body of the world as a planar problem: which accelerations does the law allow it right now?
//!
//! A free body is planar where everything about it lies in one plane through its centre of mass: velocity,
//! applied force, contact normals; its angular velocity and the applied torque are perpendicular to that
//! plane, which is a principal plane of its inertia; and its contacts, all with bodies at rest, lie in the
//! plane or in pairs that mirror each other in it.

use crate::world::World;
use glam::{DVec2, DVec3};
use stickslip_certify::free_motion::turned;
use stickslip_certify::{BodyState, Wrench};
use stickslip_geometry::narrow_phase::{self, Corner, future_contacts};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::{Candidate, Moving, Shape, Twist};
use stickslip_planar::{Contact, ContactKind, State};

/// Why a body is no planar problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlanar {
    /// Its motion is prescribed.
    #[error("its motion is prescribed")]
    Prescribed,
    /// A joint or a spring holds it.
    #[error("a joint or a spring holds it")]
    Joined,
    /// It touches nothing.
    #[error("it touches nothing")]
    NoContact,
    /// It touches another free body, or one that moves.
    #[error("it touches \"{0}\", which moves")]
    MovingNeighbour(String),
    /// Something sticks out of the plane.
    #[error("{0} is not in one plane with the contact normals")]
    OutOfPlane(&'static str),
    /// The contact's features have no planar meaning.
    #[error("its contact with \"{0}\" is no vertex on an edge in the plane")]
    NoVertex(String),
    /// One of the two has several pieces.
    #[error("it or \"{0}\", which it touches, is not one convex shape")]
    Pieces(String),
    /// A force could not be evaluated.
    #[error("the force on it is not finite")]
    Force,
}

/// A body seen in its plane.
#[derive(Clone, Debug)]
pub struct PlanarView {
    /// The problem.
    pub state: State,
    /// The plane's axes in the world: x, y, and the normal z = x × y, about which torques turn.
    pub axes: [DVec3; 3],
}

/// Directions that deviate less than this from the plane (or its normal) lie in it.
const FLAT: f64 = 1e-7;

/// Gaps below this fraction of the body's size touch.
const TOUCH: f64 = 1e-6;

/// One touching point: contact candidate (normal into the body), other body, friction, and whose vertex.
struct Touch {
    point: DVec3,
    normal: DVec3,
    mu: f64,
    kind: Option<ContactKind>,
    other: usize,
    candidate: Candidate,
    body_is_a: bool,
}

impl World {
    /// The planar problem of body `i` at the world's present state.
    ///
    /// # Errors
    /// [`NotPlanar`] says why there is none.
    pub fn planar_view(&self, i: usize) -> Result<PlanarView, NotPlanar> {
        let Some(mass) = self.model.bodies[i].mass else {
            return Err(NotPlanar::Prescribed);
        };
        let mut ends = self.model.joined().flatten().flatten();
        if ends.any(|body| body == i) {
            return Err(NotPlanar::Joined);
        }
        let mut touches = self.touches(i)?;
        let wrench = self.wrench_on(i);
        if !(wrench.force.is_finite() && wrench.torque.is_finite()) {
            return Err(NotPlanar::Force);
        }
        let state = self.last.bodies[i];
        let z = plane_normal(&touches, &state, wrench.force);
        let y = touches[0].normal - z * z.dot(touches[0].normal);
        let y = y
            .try_normalize()
            .ok_or(NotPlanar::OutOfPlane("a contact normal"))?;
        let x = y.cross(z);

        let speed = state.twist.linear.length().max(1.0);
        let inertia = turned(&mass.inertia, &state.pose) * z;
        let about = |v: DVec3| (v - z * z.dot(v)).length();
        for (what, out, size) in [
            ("its velocity", z.dot(state.twist.linear).abs(), speed),
            (
                "its angular velocity",
                about(state.twist.angular),
                state.twist.angular.length().max(1.0),
            ),
            (
                "the applied force",
                z.dot(wrench.force).abs(),
                wrench.force.length(),
            ),
            (
                "the applied torque",
                about(wrench.torque),
                wrench.torque.length(),
            ),
            (
                "a principal axis of its inertia",
                about(inertia),
                inertia.length(),
            ),
        ] {
            if out > FLAT * size {
                return Err(NotPlanar::OutOfPlane(what));
            }
        }
        self.settle_kinds(i, &mut touches, z)?;
        let contacts = planar_contacts(&touches, &state, [x, y, z])?;
        let flat = |v: DVec3| [x.dot(v), y.dot(v)];
        let ([vx, vy], [fx, fy]) = (flat(state.twist.linear), flat(wrench.force));
        let mut planar = State::new(mass.mass, (z.dot(inertia) / mass.mass).sqrt());
        planar.title = format!("{} at t = {} s", self.model.bodies[i].name, self.last.t);
        planar.velocity = [vx, vy, z.dot(state.twist.angular)];
        planar.force = [fx, fy, z.dot(wrench.torque)];
        planar.contacts = contacts;
        Ok(PlanarView {
            state: planar,
            axes: [x, y, z],
        })
    }

    /// Gravity and the applied forces on body `i` at the present time.
    fn wrench_on(&self, i: usize) -> Wrench {
        let mass = self.model.bodies[i].mass.map_or(0.0, |m| m.mass);
        let mut sum = Wrench {
            force: self.settings.gravity * mass,
            torque: DVec3::ZERO,
        };
        for force in self.forces.iter().filter(|f| f.body == i) {
            let w = (force.law)(self.last.t, &self.last.bodies[i]);
            sum.force += w.force;
            sum.torque += w.torque;
        }
        sum
    }

    /// Every point where body `i` touches another.
    fn touches(&self, i: usize) -> Result<Vec<Touch>, NotPlanar> {
        let still = |k: usize| {
            let pose = self.last.bodies[k].pose;
            Moving {
                shape: &self.model.bodies[k].shape,
                start: pose,
                pose,
                end: pose,
                arm: 0.0,
            }
        };
        let near = TOUCH * self.model.bodies[i].shape.radius();
        let (mut found, mut touches) = (Vec::new(), Vec::new());
        for k in 0..self.model.bodies.len() {
            let pair = [i.min(k), i.max(k)];
            let apart = self.settings.ignored.binary_search(&pair).is_ok();
            if k == i || apart || !self.model.may_collide(i, k) {
                continue;
            }
            found.clear();
            let (a, b) = (still(pair[0]), still(pair[1]));
            piece_pairs(&a, &b, narrow_phase::TOUCH, &mut |_, a, b| {
                future_contacts(a, b, &mut found);
            });
            let body_is_a = pair[0] == i;
            for candidate in found.iter().filter(|c| c.gap < near) {
                if !(a.shape.is_convex() && b.shape.is_convex()) {
                    return Err(NotPlanar::Pieces(self.model.bodies[k].name.clone()));
                }
                if self.model.bodies[k].is_free() || self.last.bodies[k].twist != Twist::default() {
                    return Err(NotPlanar::MovingNeighbour(
                        self.model.bodies[k].name.clone(),
                    ));
                }
                touches.push(Touch {
                    point: candidate.point,
                    normal: if body_is_a {
                        -candidate.normal
                    } else {
                        candidate.normal
                    },
                    mu: self.frictions.of(pair).slide,
                    kind: None,
                    other: k,
                    candidate: *candidate,
                    body_is_a,
                });
            }
        }
        if touches.is_empty() {
            Err(NotPlanar::NoContact)
        } else {
            Ok(touches)
        }
    }

    /// Whose vertex is it, in the plane?
    fn settle_kinds(&self, i: usize, touches: &mut [Touch], z: DVec3) -> Result<(), NotPlanar> {
        let along = |k: usize, axis: usize| {
            let pose = &self.last.bodies[k].pose;
            z.dot(pose.rotation().col(axis)).abs() > 1.0 - FLAT
        };
        for t in touches {
            if t.normal.dot(z).abs() > FLAT {
                return Err(NotPlanar::OutOfPlane("a contact normal"));
            }
            let (own, other) = (
                &self.model.bodies[i].shape,
                &self.model.bodies[t.other].shape,
            );
            let curvature = |shape: &Shape| match shape {
                Shape::Ball { radius } => 1.0 / radius,
                _ => 0.0,
            };
            let known = |s: &Shape| {
                matches!(
                    s,
                    Shape::Ball { .. } | Shape::Box { .. } | Shape::HalfSpace { .. }
                )
            };
            t.kind = match (t.candidate.feature.corner(), own, other) {
                _ if !(known(own) && known(other)) => None,
                (Corner::Other, ..) => None,
                (_, Shape::Ball { .. }, _) | (_, _, Shape::Ball { .. }) => Some(ContactKind::Arc {
                    body: curvature(own),
                    obstacle: curvature(other),
                }),
                (Corner::VertexOfA, ..) => Some(if t.body_is_a {
                    ContactKind::B
                } else {
                    ContactKind::A
                }),
                (Corner::VertexOfB, ..) => Some(if t.body_is_a {
                    ContactKind::A
                } else {
                    ContactKind::B
                }),
                (Corner::Edges { a, b }, ..) => {
                    let (mine, theirs) = if t.body_is_a { (a, b) } else { (b, a) };
                    match (along(i, mine), along(t.other, theirs)) {
                        (true, false) => Some(ContactKind::B),
                        (false, true) => Some(ContactKind::A),
                        _ => None,
                    }
                }
            };
            if t.kind.is_none() {
                return Err(NotPlanar::NoVertex(self.model.bodies[t.other].name.clone()));
            }
        }
        Ok(())
    }
}

impl PlanarView {
    /// Velocities up to this count as zero: a contact that holds through a step ends it with a normal
    /// velocity of the order of h ω² r, since rows are those of the step's start.
    #[must_use]
    pub fn rest_speed(&self, h: f64) -> f64 {
        let reach = self
            .state
            .contacts
            .iter()
            .map(|c| libm::hypot(c.r[0], c.r[1]))
            .fold(0.0, f64::max);
        let omega = self.state.velocity[2];
        1e-9 + 2.0 * h * omega * omega * reach
    }
}

/// The plane's normal: along the spin, else across two normals, else across a normal and the motion or the
/// force, else any direction across the normal.
fn plane_normal(touches: &[Touch], state: &BodyState, force: DVec3) -> DVec3 {
    let n = touches[0].normal;
    let spin = state.twist.angular;
    let across = |v: DVec3, size: f64| {
        let z = n.cross(v);
        (z.length() > FLAT * size && size > 0.0).then(|| z / z.length())
    };
    if spin.length() > FLAT {
        return spin / spin.length();
    }
    touches
        .iter()
        .find_map(|t| across(t.normal, 1.0))
        .or_else(|| across(state.twist.linear, state.twist.linear.length().max(FLAT)))
        .or_else(|| across(force, force.length()))
        .unwrap_or_else(|| stickslip_geometry::frame::contact_frame(n)[2])
}

/// Contacts in the plane; points that differ only across it are one, and must mirror each other.
fn planar_contacts(
    touches: &[Touch],
    state: &BodyState,
    axes: [DVec3; 3],
) -> Result<Vec<Contact>, NotPlanar> {
    let [x, y, z] = axes;
    let flat = |v: DVec3| DVec2::new(x.dot(v), y.dot(v));
    let mut groups: Vec<(DVec2, DVec2, f64, ContactKind, Vec<f64>)> = Vec::new();
    let size: f64 = touches
        .iter()
        .map(|t| (t.point - state.pose.position).length())
        .fold(0.0, f64::max);
    for t in touches {
        let lever = t.point - state.pose.position;
        let (at, n, Some(kind)) = (flat(lever), flat(t.normal), t.kind) else {
            continue;
        };
        let height = z.dot(lever);
        let near = |g: &&mut (DVec2, DVec2, f64, ContactKind, Vec<f64>)| {
            (g.0 - at).length() < FLAT * size && (g.1 - n).length() < FLAT && g.2 == t.mu
        };
        match groups.iter_mut().find(near) {
            Some(group) => group.4.push(height),
            None => groups.push((at, n, t.mu, kind, vec![height])),
        }
    }
    let mut contacts = Vec::new();
    for (at, n, mu, kind, heights) in groups {
        let mean = heights.iter().sum::<f64>() / heights.len() as f64;
        if mean.abs() > 1e3 * FLAT * size {
            return Err(NotPlanar::OutOfPlane(
                "a contact point (or its mirror image)",
            ));
        }
        contacts.push(Contact::new(n.to_array(), (-at).to_array(), mu).with_kind(kind));
    }
    Ok(contacts)
}
