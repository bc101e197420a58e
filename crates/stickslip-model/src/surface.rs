//! What surfaces do besides lying there: a surface that moves along its body (belts, turntables, rollers), and one that is rougher
//! along one direction than across it.

use crate::model::{Body, Model};
use glam::{DVec2, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;
use stickslip_geometry::Pose;
use stickslip_geometry::frame::{contact_frame, fan_start};

/// A surface that moves, whether or not its body does; how it moves in a step is [`crate::Given::surfaces`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSurface {
    /// The body.
    pub body: usize,
    /// The face that moves, by its outward direction in the body's frame, a unit vector; `None` where all of the body does.
    pub face: Option<DVec3>,
}

impl MovingSurface {
    /// How near the face's direction is to that of a contact, as a cosine; `None` where it is not the contact's face. The faces of
    /// a box divide the directions of its edges at 45°, and so do these.
    fn nearness(&self, outward: DVec3) -> Option<f64> {
        let cosine = self.face.map_or(1.0, |face| face.dot(outward));
        (cosine >= FRAC_1_SQRT_2).then_some(cosine)
    }
}

impl Model {
    /// The moving surface on which a body is touched, as its number, where `outward` is the normal out of the body in its frame:
    /// of several the one that faces the normal best, and the first of equals.
    #[must_use]
    pub fn moving_surface(&self, body: usize, outward: DVec3) -> Option<usize> {
        let first = self.surfaces.partition_point(|s| s.body < body);
        let own = self.surfaces[first..].iter().take_while(|s| s.body == body);
        let mut best = None;
        for (k, surface) in own.enumerate() {
            match (surface.nearness(outward), best) {
                (Some(near), Some((most, _))) if near <= most => {}
                (Some(near), _) => best = Some((near, first + k)),
                (None, _) => {}
            }
        }
        best.map(|(_, number)| number)
    }
}

/// Friction that depends on the direction of the slip: |(p_1/μ, p_2/(ratio μ))| ≤ p_n, where p_1 is the impulse along a direction
/// that the body carries, made perpendicular to the normal, and p_2 the one across it; of all such impulses the one that takes
/// most energy out of the slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// The direction in the body's frame, a unit vector.
    pub direction: DVec3,
    /// Friction across the direction, over that along it, > 0.
    pub ratio: f64,
}

/// The ellipse of a contact's friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// The first axis, along the grain, as (cos, sin) of the angle from t₁.
    pub first: DVec2,
    /// Friction along the second axis over that along the first.
    pub ratio: f64,
}

impl Ellipse {
    /// That of a contact of these two bodies, measured at these poses; `None` where friction is the same in all directions.
    ///
    /// Of two bodies with a grain that of the prescribed one counts, else that of the first. Where the direction is within 26° of
    /// the normal, the body's axis that is furthest from it takes its place.
    #[must_use]
    pub fn of(bodies: [&Body; 2], poses: [&Pose; 2], normal: DVec3) -> Option<Self> {
        let [a, b] = bodies;
        let carrier = match (a.grain, b.grain) {
            (None, None) => return None,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(_), Some(_)) => usize::from(a.is_free() && !b.is_free()),
        };
        let grain = bodies[carrier].grain?;
        let turn = poses[carrier].orientation;
        let frame = contact_frame(normal);
        let other = least_along(grain.direction);
        let first = fan_start(&frame, turn * grain.direction, turn * other, 0.0);
        Some(Self {
            first,
            ratio: grain.ratio,
        })
    }
}

/// The axis that is furthest from a direction; the first of equals.
fn least_along(direction: DVec3) -> DVec3 {
    let along = |axis: &DVec3| axis.dot(direction).abs();
    let nearer = |a: DVec3, b: DVec3| if along(&b) < along(&a) { b } else { a };
    DVec3::AXES.into_iter().fold(DVec3::X, nearer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::Shape;

    fn surface(body: usize, face: Option<DVec3>) -> MovingSurface {
        MovingSurface { body, face }
    }

    #[test]
    fn the_face_that_is_touched_is_the_one_that_moves() {
        let model = Model {
            surfaces: vec![
                surface(1, Some(DVec3::Z)),
                surface(1, Some(DVec3::X)),
                surface(3, None),
            ],
            ..Model::default()
        };
        assert_eq!(model.moving_surface(0, DVec3::Z), None);
        assert_eq!(model.moving_surface(1, DVec3::Z), Some(0));
        assert_eq!(model.moving_surface(1, DVec3::X), Some(1));
        assert_eq!(model.moving_surface(1, -DVec3::Z), None);
        assert_eq!(model.moving_surface(1, DVec3::Y), None);
        assert_eq!(model.moving_surface(2, DVec3::Z), None);
        assert_eq!(model.moving_surface(3, -DVec3::Y), Some(2));
        // Between two faces the nearer one, and the first where they are equally near.
        let between = |x: f64| DVec3::new(x, 0.0, 1.0).normalize_or_zero();
        assert_eq!(model.moving_surface(1, between(0.9)), Some(0));
        assert_eq!(model.moving_surface(1, between(1.1)), Some(1));
    }

    #[test]
    fn the_grain_of_the_body_that_is_told_where_to_go_counts() {
        let ball = || Shape::ball(1.0).expect("a ball");
        let grain = |direction, ratio| Some(Grain { direction, ratio });
        let mut told = Body::prescribed("told", ball());
        let mass = stickslip_geometry::MassProperties::with_mass(&ball(), 1.0).expect("a mass");
        let mut free = Body::free("free", ball(), mass);
        let at = Pose::IDENTITY;
        let of = |a: &Body, b: &Body| Ellipse::of([a, b], [&at, &at], DVec3::Z);
        assert_eq!(of(&free, &told), None);
        free.grain = grain(DVec3::Y, 0.5);
        let ellipse = of(&free, &told).expect("a grain");
        assert_eq!(ellipse.ratio, 0.5);
        assert!(ellipse.first.distance(DVec2::Y) < 1e-15);
        told.grain = grain(DVec3::X, 3.0);
        assert_eq!(of(&free, &told).map(|e| e.ratio), Some(3.0));
        assert_eq!(of(&told, &free).map(|e| e.ratio), Some(3.0));
        // Along the normal there is no direction: x is far from z, and from (1, 1, 1) no less than others.
        told.grain = grain(DVec3::Z, 3.0);
        let first = of(&free, &told).map(|e| e.first);
        assert!(first.is_some_and(|d| d.distance(DVec2::X) < 1e-15));
        let diagonal = DVec3::ONE / 3.0_f64.sqrt();
        told.grain = grain(diagonal, 3.0);
        let ellipse = Ellipse::of([&free, &told], [&at, &at], diagonal);
        assert!(ellipse.is_some_and(|e| (e.first.length() - 1.0).abs() < 1e-15));
    }
}
