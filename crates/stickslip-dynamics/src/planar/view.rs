//! A body of the world as a planar problem: which accelerations does the law allow it right now?
//!
//! A free body is planar where everything about it lies in one plane through its centre of mass: velocity,
//! applied force, contact normals; its angular velocity and the applied torque are perpendicular to that
//! plane, which is a principal plane of its inertia; and its contacts, all with bodies at rest, lie in the
//! plane or in pairs that mirror each other in it.

use super::conditions::{FLAT, NotPlanar, stays_in_plane};
use super::outline::outline;
use crate::setup::add_up;
use crate::world::World;
use glam::{DMat3, DVec2, DVec3};
use stickslip_geometry::narrow_phase::{self, Corner, future_contacts};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::{Moving, Shape, Twist};
use stickslip_model::words::time;
use stickslip_model::{BodyState, Friction, Wrench};
use stickslip_planar::{Contact, ContactKind, State};

/// A body seen in its plane.
#[derive(Clone, Debug)]
pub struct PlanarView {
    /// The problem.
    pub state: State,
    /// The plane's axes in the world: x, y, and the normal z = x × y, about which torques turn. Where gravity lies
    /// in the plane, y points up; else along the first contact's normal.
    pub axes: [DVec3; 3],
}

/// Gaps below this fraction of the body's size touch.
const TOUCH: f64 = 1e-6;

/// Speeds up to this, m/s, are rounding errors of a body at rest.
const REST: f64 = 1e-9;

/// One touching point.
struct Touch {
    point: DVec3,
    /// Into the body.
    normal: DVec3,
    friction: Friction,
    other: usize,
    corner: Corner,
    /// The pieces that touch: the body's and the other's.
    own: Piece,
    theirs: Piece,
    body_is_a: bool,
}

/// What a contact's kind depends on.
struct Piece {
    form: Form,
    rotation: DMat3,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Ball {
        radius: f64,
    },
    Box,
    /// Flat faces and true vertices, edges in any direction.
    Polyhedron,
    /// Vertices only.
    Points,
    Other,
}

impl Piece {
    fn of(piece: &Moving<'_>) -> Self {
        let form = match piece.shape {
            Shape::Ball { radius } => Form::Ball { radius: *radius },
            Shape::Box { .. } => Form::Box,
            Shape::HalfSpace { .. } | Shape::Hull(_) | Shape::Triangle(_) => Form::Polyhedron,
            Shape::Points { .. } => Form::Points,
            _ => Form::Other,
        };
        Self {
            form,
            rotation: piece.pose.rotation(),
        }
    }

    fn curvature(&self) -> f64 {
        match self.form {
            Form::Ball { radius } => 1.0 / radius,
            _ => 0.0,
        }
    }
}

impl World {
    /// The planar problem of body `i` at the world's present state.
    ///
    /// # Errors
    /// [`NotPlanar`] says why there is none.
    pub fn planar_view(&self, i: usize) -> Result<PlanarView, NotPlanar> {
        if self.model().bodies[i].mass.is_none() {
            return Err(NotPlanar::Prescribed);
        }
        let mut ends = self.model().joined().flatten().flatten();
        if ends.any(|body| body == i) {
            return Err(NotPlanar::Joined);
        }
        let touches = self.touches(i)?;
        let wrench = self.wrench_on(i);
        if !(wrench.force.is_finite() && wrench.torque.is_finite()) {
            return Err(NotPlanar::Force);
        }
        // The first plane that holds everything; where none does, the first says why.
        let state = self.states()[i];
        let mut refused = None;
        for z in plane_normals(&touches, &state, wrench.force) {
            match self.view_in(i, &touches, wrench, z) {
                Ok(view) => return Ok(view),
                Err(e) => {
                    refused.get_or_insert(e);
                }
            }
        }
        Err(refused.unwrap_or(NotPlanar::NoContact))
    }

    /// The problem in the plane across `z`.
    fn view_in(
        &self,
        i: usize,
        touches: &[Touch],
        wrench: Wrench,
        z: DVec3,
    ) -> Result<PlanarView, NotPlanar> {
        let Some(mass) = self.model().bodies[i].mass else {
            return Err(NotPlanar::Prescribed);
        };
        let state = self.states()[i];
        let up = -self.settings.gravity;
        let upright = up.length() > 0.0 && z.dot(up).abs() <= FLAT * up.length();
        let y = if upright { up } else { touches[0].normal };
        let y = (y - z * z.dot(y))
            .try_normalize()
            .ok_or(NotPlanar::OutOfPlane("a contact normal"))?;
        let x = y.cross(z);
        // Of the two sides the one from which x points along a world axis, not against it.
        let (x, z) = if x[x.abs().max_position()] < 0.0 {
            (-x, -z)
        } else {
            (x, z)
        };

        let inertia = state.pose.turned(&mass.inertia) * z;
        stays_in_plane(&state.twist, &wrench, inertia, z)?;
        let contacts = self.planar_contacts(touches, &state, [x, y, z])?;
        let flat = |v: DVec3| [x.dot(v), y.dot(v)];
        let ([vx, vy], [fx, fy]) = (flat(state.twist.linear), flat(wrench.force));
        let mut planar = State::new(mass.mass, (z.dot(inertia) / mass.mass).sqrt());
        planar.title = format!(
            "{} at t = {} s",
            self.model().bodies[i].name,
            time(self.time())
        );
        // Rest that the steps approach without end is rest.
        planar.velocity =
            [vx, vy, z.dot(state.twist.angular)].map(|v| if v.abs() < 1e-30 { 0.0 } else { v });
        planar.force = [fx, fy, z.dot(wrench.torque)];
        planar.contacts = contacts;
        let shape = &self.model().bodies[i].shape;
        planar.outline = outline(shape, &state.pose, state.pose.position, [x, y]);
        Ok(PlanarView {
            state: planar,
            axes: [x, y, z],
        })
    }

    /// Gravity and the applied forces on body `i` at the present time.
    fn wrench_on(&self, i: usize) -> Wrench {
        let mass = self.model().bodies[i].mass.map_or(0.0, |m| m.mass);
        let mut sum = Wrench {
            force: self.settings.gravity * mass,
            torque: DVec3::ZERO,
        };
        for forces in [&self.setup.forces, &self.setup.pushes] {
            let own = forces.iter().filter(|f| f.body == i);
            let own = own.map(|f| (f.law)(self.time(), &self.states()[i]));
            add_up(&mut own.collect::<Vec<_>>(), &mut sum);
        }
        sum
    }

    /// Every point where body `i` touches another.
    fn touches(&self, i: usize) -> Result<Vec<Touch>, NotPlanar> {
        let still = |k: usize| {
            let pose = self.states()[k].pose;
            Moving::free(&self.model().bodies[k].shape, pose, pose)
        };
        let near = TOUCH * self.model().bodies[i].shape.radius();
        let (mut found, mut touches) = (Vec::new(), Vec::<Touch>::new());
        for k in 0..self.model().bodies.len() {
            let pair = [i.min(k), i.max(k)];
            let apart = self.settings.ignored.binary_search(&pair).is_ok();
            if k == i || apart || !self.model().may_collide(i, k) {
                continue;
            }
            let body_is_a = pair[0] == i;
            let before = touches.len();
            let (a, b) = (still(pair[0]), still(pair[1]));
            piece_pairs(&a, &b, narrow_phase::TOUCH, &mut |_, a, b| {
                found.clear();
                future_contacts(a, b, &mut found);
                let (own, theirs) = if body_is_a { (a, b) } else { (b, a) };
                let side = if body_is_a { -1.0 } else { 1.0 };
                for candidate in found.iter().filter(|c| c.gap < near) {
                    let (point, normal) = (candidate.point, side * candidate.normal);
                    // A vertex over the seam of two pieces touches both.
                    let again = touches[before..].iter().any(|t| {
                        t.point.distance(point) < near && t.normal.distance(normal) < FLAT
                    });
                    if again {
                        continue;
                    }
                    touches.push(Touch {
                        point,
                        normal,
                        friction: self.setup.frictions.of(pair),
                        other: k,
                        corner: candidate.feature.corner(),
                        own: Piece::of(own),
                        theirs: Piece::of(theirs),
                        body_is_a,
                    });
                }
            });
            let moves =
                self.model().bodies[k].is_free() || self.states()[k].twist != Twist::default();
            if touches.len() > before && moves {
                let name = self.model().bodies[k].name.clone();
                return Err(NotPlanar::MovingNeighbour(name));
            }
        }
        if touches.is_empty() {
            Err(NotPlanar::NoContact)
        } else {
            Ok(touches)
        }
    }

    /// Contacts in the plane; points that differ only across it are one, and must mirror each other.
    fn planar_contacts(
        &self,
        touches: &[Touch],
        state: &BodyState,
        axes: [DVec3; 3],
    ) -> Result<Vec<Contact>, NotPlanar> {
        let [x, y, z] = axes;
        let flat = |v: DVec3| DVec2::new(x.dot(v), y.dot(v));
        let mut groups: Vec<(DVec2, Contact, Vec<f64>)> = Vec::new();
        let size: f64 = touches
            .iter()
            .map(|t| (t.point - state.pose.position).length())
            .fold(0.0, f64::max);
        for t in touches {
            let name = &self.model().bodies[t.other].name;
            if t.normal.dot(z).abs() > FLAT {
                return Err(NotPlanar::OutOfPlane("a contact normal"));
            }
            let kind = t.kind(z).ok_or_else(|| NotPlanar::NoVertex(name.clone()))?;
            let lever = t.point - state.pose.position;
            let (at, n) = (flat(lever), flat(t.normal).normalize_or_zero());
            let mut contact =
                Contact::new(n.to_array(), (-at).to_array(), t.friction.slide).with_kind(kind);
            if t.friction.stick > t.friction.slide {
                contact = contact.with_static_friction(t.friction.stick);
            }
            contact.name.clone_from(name);
            let near = |(place, known, _): &&mut (DVec2, Contact, Vec<f64>)| {
                let turned = DVec2::from(known.n).distance(n);
                place.distance(at) < FLAT * size
                    && turned < FLAT
                    && (known.mu, known.mu_static) == (contact.mu, contact.mu_static)
            };
            match groups.iter_mut().find(near) {
                Some((_, _, heights)) => heights.push(z.dot(lever)),
                None => groups.push((at, contact, vec![z.dot(lever)])),
            }
        }
        let mut contacts = Vec::new();
        for (_, contact, heights) in groups {
            let mean = heights.iter().sum::<f64>() / heights.len() as f64;
            if mean.abs() > 1e3 * FLAT * size {
                return Err(NotPlanar::OutOfPlane(
                    "a contact point (or its mirror image)",
                ));
            }
            contacts.push(contact);
        }
        Ok(contacts)
    }
}

impl Touch {
    /// Whose vertex is it, in the plane across `z`? `None` where there is none.
    fn kind(&self, z: DVec3) -> Option<ContactKind> {
        let along = |piece: &Piece, axis: usize| {
            piece.form == Form::Box && z.dot(piece.rotation.col(axis)).abs() > 1.0 - FLAT
        };
        let forms = [self.own.form, self.theirs.form];
        if forms.contains(&Form::Other) || self.corner == Corner::Other {
            return None;
        }
        if forms.iter().any(|f| matches!(f, Form::Ball { .. })) {
            return Some(ContactKind::Arc {
                body: self.own.curvature(),
                obstacle: self.theirs.curvature(),
            });
        }
        if forms[0] == Form::Points {
            return Some(ContactKind::B);
        }
        if forms[1] == Form::Points {
            return Some(ContactKind::A);
        }
        match (self.corner, self.body_is_a) {
            (Corner::VertexOfA, true) | (Corner::VertexOfB, false) => Some(ContactKind::B),
            (Corner::VertexOfA, false) | (Corner::VertexOfB, true) => Some(ContactKind::A),
            (Corner::Edges { a, b }, _) => {
                let (mine, other) = if self.body_is_a { (a, b) } else { (b, a) };
                match (along(&self.own, mine), along(&self.theirs, other)) {
                    (true, false) => Some(ContactKind::B),
                    (false, true) => Some(ContactKind::A),
                    _ => None,
                }
            }
            (Corner::Other, _) => None,
        }
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
        REST + 2.0 * h * omega * omega * reach
    }
}

/// Normals of the planes to try, unit vectors: along the spin, across two contact normals, across a contact normal and
/// the motion, the force or an axis of the body. Spin and motion count where they are no rounding errors.
fn plane_normals(touches: &[Touch], state: &BodyState, force: DVec3) -> Vec<DVec3> {
    let n = touches[0].normal;
    let across = |v: DVec3| {
        let z = n.cross(v);
        (z.length() > FLAT * v.length()).then(|| z / z.length())
    };
    let reach = touches
        .iter()
        .map(|t| (t.point - state.pose.position).length())
        .fold(0.0, f64::max);
    let Twist { linear, angular } = state.twist;
    let turns = angular.length() * reach > REST;
    let moves = linear.length() > REST;
    let rotation = state.pose.rotation();
    let mut list = Vec::new();
    list.extend(turns.then(|| angular / angular.length()));
    list.extend(touches.iter().find_map(|t| across(t.normal)));
    list.extend(moves.then(|| across(linear)).flatten());
    list.extend(across(force));
    list.extend([0, 1, 2].iter().filter_map(|&k| across(rotation.col(k))));
    list
}
