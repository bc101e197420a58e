//! The part of a convex shape that is farthest along a direction: a point, a line or a face.
//!
//! Two bodies can touch along n only where the parts of both that are farthest towards each other are opposite: there are p on the
//! one and q on the other with q − p parallel to n. So a face fixes the normal by itself, two lines that cross fix it together,
//! and what is pointed or round fixes it with what is opposite. Directions without such a pair belong to no contact,
//! however well a plane across them fits between the bodies.

use glam::DVec3;
use stickslip_geometry::{Pose, Shape};

/// Parts whose heights along a direction differ by less than this fraction of the shape's size are equally far: a direction is
/// known to 1e-10 rad, since that of two edges loses digits where they are nearly parallel.
const EQUAL: f64 = 1e-10;

/// A capsule or a cylinder lies on its side where its axis is within this (sine) of being across the normal.
const SIDE: f64 = 0.1;

/// What is farthest along a direction, with one of its points; world frame, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Supporting {
    /// A corner, or a point of what is round.
    Point(DVec3),
    /// An edge, or a line on the side of a cylinder, a capsule or a cone; with its unit direction, and the sine of the angle to the nearest
    /// face beside it (none beside what is round; of hulls and triangles it is not known, and zero).
    Line(DVec3, DVec3, f64),
    /// A face, and by how much the direction leans from its normal, rad (within what is equal).
    Face(f64),
    /// Nothing: the shape has no end that way.
    Nowhere,
}

impl Supporting {
    /// That of a bounded convex shape along the unit vector `n`; `near` tells which of a shape of separate points is meant.
    pub(super) fn of(shape: &Shape, pose: &Pose, n: DVec3, near: DVec3) -> Self {
        let d = pose.orientation.conjugate() * n;
        let local = in_frame(shape, d, || pose.to_body(near));
        match local {
            Self::Point(p) => Self::Point(pose.to_world(p)),
            Self::Line(p, e, sharp) => Self::Line(pose.to_world(p), pose.orientation * e, sharp),
            Self::Face(_) | Self::Nowhere => local,
        }
    }

    /// How far `x` is from being opposite this part across n, m, where it may also go along `other`, the line that it is on, so
    /// far; and how much nearer going along has brought it.
    pub(super) fn aside(&self, n: DVec3, x: DVec3, other: Option<(DVec3, f64)>) -> (f64, f64) {
        let (p, own) = match *self {
            Self::Face(_) => return (0.0, 0.0),
            Self::Nowhere => return (f64::INFINITY, 0.0),
            Self::Line(p, e, _) => (p, Some(e)),
            Self::Point(p) => (p, None),
        };
        let off = x - p;
        let across = off - n * n.dot(off);
        match (own, other) {
            (None, None) => (across.length(), 0.0),
            (Some(e), None) => ((across - e * e.dot(across)).length(), 0.0),
            (None, Some((f, reach))) => {
                let along = f.dot(across).clamp(-reach, reach);
                ((across - f * along).length(), 0.0)
            }
            (Some(e), Some((f, reach))) => {
                // Two lines: what is left is across both, unless they are parallel, or cross farther away.
                let left = across - e * e.dot(across);
                let f = f - e * e.dot(f);
                let sine = f.length();
                match f.try_normalize().filter(|_| sine > EQUAL) {
                    Some(f) => {
                        let along = f.dot(left).clamp(-reach * sine, reach * sine);
                        ((left - f * along).length(), along.abs())
                    }
                    None => (left.length(), 0.0),
                }
            }
        }
    }

    /// That of what is round, and where it is so: of a ball its point, of the side of a capsule, cylinder or cone the line along it,
    /// whichever end is farther. Beside it a point is hardly higher, and yet in the wrong place.
    pub(super) fn round(shape: &Shape, pose: &Pose, n: DVec3) -> Option<Self> {
        match shape {
            Shape::Ball { radius } => Some(Self::Point(pose.position + n * *radius)),
            Shape::Capsule { radius, .. } | Shape::Cylinder { radius, .. } => {
                let axis = pose.orientation * DVec3::Z;
                let along = (axis - n * n.dot(axis)).try_normalize()?;
                let side = n.dot(axis).abs() <= SIDE;
                side.then(|| Self::Line(pose.position + n * *radius, along, f64::INFINITY))
            }
            _ => None,
        }
    }

    /// The direction of a line.
    pub(super) const fn line(&self) -> Option<DVec3> {
        match self {
            Self::Line(_, e, _) => Some(*e),
            _ => None,
        }
    }

    /// The sine of the angle from a line to the nearest face beside it.
    pub(super) const fn sharpness(&self) -> f64 {
        match self {
            Self::Line(_, _, sharp) => *sharp,
            _ => f64::INFINITY,
        }
    }
}

/// The same in the shape's frame.
fn in_frame(shape: &Shape, d: DVec3, near: impl Fn() -> DVec3) -> Supporting {
    let tie = EQUAL * shape.radius();
    match shape {
        Shape::HalfSpace { normal, .. } => {
            // As well as its support tells directions.
            let is_normal = (*normal - d).length() < 1e-12;
            if is_normal {
                Supporting::Face(0.0)
            } else {
                Supporting::Nowhere
            }
        }
        Shape::Ball { radius } => Supporting::Point(d * *radius),
        Shape::Box { half } => of_box(*half, d, tie),
        Shape::Capsule { radius, half } => {
            let end = DVec3::Z * half.copysign(d.z) + d * *radius;
            line_if(2.0 * half * d.z.abs() <= tie, end, DVec3::Z)
        }
        Shape::Cylinder { radius, half } => {
            let (out, across) = outward(d);
            let rim = out * *radius + DVec3::Z * half.copysign(d.z);
            if 2.0 * radius * across <= tie {
                return Supporting::Face(across);
            }
            line_if(2.0 * half * d.z.abs() <= tie, rim, DVec3::Z)
        }
        Shape::Cone { radius, length } => of_cone(*radius, *length, d, tie),
        Shape::Hull(hull) => of_points(hull.vertices(), d, tie),
        Shape::Triangle(facet) => of_points(&facet.points(), d, tie),
        Shape::Points { points, .. } => {
            let near = near();
            let to = |p: &DVec3| (*p - near).length_squared();
            let nearest = points.iter().min_by(|p, q| to(p).total_cmp(&to(q)));
            Supporting::Point(nearest.copied().unwrap_or_default())
        }
        // Bodies of several pieces are looked at piece by piece.
        Shape::Compound(_) | Shape::Mesh(_) => Supporting::Nowhere,
    }
}

/// The unit vector of d across z, and the length of that part.
fn outward(d: DVec3) -> (DVec3, f64) {
    let across = DVec3::new(d.x, d.y, 0.0);
    (across.try_normalize().unwrap_or(DVec3::X), across.length())
}

fn line_if(line: bool, point: DVec3, direction: DVec3) -> Supporting {
    if line {
        Supporting::Line(point, direction, f64::INFINITY)
    } else {
        Supporting::Point(point)
    }
}

fn of_box(half: DVec3, d: DVec3, tie: f64) -> Supporting {
    let corner = DVec3::new(
        half.x.copysign(d.x),
        half.y.copysign(d.y),
        half.z.copysign(d.z),
    );
    let level = |i: usize| 2.0 * half[i] * d[i].abs() <= tie;
    let mut axes = (0..3).filter(|&i| level(i));
    match (axes.next(), axes.next()) {
        (None, _) => Supporting::Point(corner),
        (Some(i), None) => {
            let sharp = d[(i + 1) % 3].abs().min(d[(i + 2) % 3].abs());
            Supporting::Line(corner, DVec3::AXES[i], sharp)
        }
        (Some(i), Some(j)) => Supporting::Face(d[i].abs().max(d[j].abs())),
    }
}

fn of_cone(radius: f64, length: f64, d: DVec3, tie: f64) -> Supporting {
    let (out, across) = outward(d);
    let apex = DVec3::Z * (0.75 * length);
    let rim = out * radius - DVec3::Z * (0.25 * length);
    if 2.0 * radius * across <= tie && d.z < 0.0 {
        return Supporting::Face(across);
    }
    let higher = d.dot(apex) - d.dot(rim);
    if higher.abs() <= tie {
        let along = (apex - rim).try_normalize().unwrap_or(DVec3::Z);
        return Supporting::Line(rim, along, f64::INFINITY);
    }
    Supporting::Point(if higher > 0.0 { apex } else { rim })
}

/// Of the hull of points: those that are farthest, and what they span.
fn of_points(points: &[DVec3], d: DVec3, tie: f64) -> Supporting {
    let heights = points.iter().map(|p| d.dot(*p));
    let top = heights.fold(f64::NEG_INFINITY, f64::max);
    let mut found = points.iter().filter(|p| d.dot(**p) >= top - tie);
    let Some(&first) = found.next() else {
        return Supporting::Nowhere;
    };
    let mut line: Option<DVec3> = None;
    let mut face: Option<f64> = None;
    for p in found {
        let Some(e) = (*p - first).try_normalize() else {
            continue;
        };
        match (line, face) {
            (None, _) => line = Some(e),
            (Some(f), None) if e.cross(f).length() > 1e-9 => {
                face = Some(d.dot(e).abs().max(d.dot(f).abs()));
            }
            (_, Some(lean)) => face = Some(d.dot(e).abs().max(lean)),
            (Some(_), None) => {}
        }
    }
    match (line, face) {
        (_, Some(lean)) => Supporting::Face(lean),
        (Some(e), None) => Supporting::Line(first, e, 0.0),
        (None, None) => Supporting::Point(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::pose::exp;

    fn part(shape: &Shape, n: DVec3) -> Supporting {
        Supporting::of(shape, &Pose::IDENTITY, n, DVec3::ZERO)
    }

    #[test]
    fn faces_edges_and_corners_of_a_box() {
        let cube = Shape::cuboid(DVec3::splat(2.0)).expect("a box");
        let s = 0.5_f64.sqrt();
        assert_eq!(part(&cube, DVec3::Z), Supporting::Face(0.0));
        let edge = part(&cube, DVec3::new(s, 0.0, s));
        assert!(
            matches!(edge, Supporting::Line(p, DVec3::Y, sharp) if p.x == 1.0 && p.z == 1.0 && sharp == s)
        );
        let corner = part(&cube, DVec3::new(0.6, -0.48, 0.64));
        assert_eq!(corner, Supporting::Point(DVec3::new(1.0, -1.0, 1.0)));
        // A direction is known to 1e-10 rad, and no worse.
        let leaning = part(&cube, exp(DVec3::Y * 1e-11) * DVec3::Z);
        assert!(matches!(leaning, Supporting::Face(lean) if (lean - 1e-11).abs() < 1e-16));
        assert!(matches!(
            part(&cube, exp(DVec3::Y * 1e-9) * DVec3::Z),
            Supporting::Line(..)
        ));
    }

    #[test]
    fn round_shapes_have_lines_and_faces_in_single_directions() {
        let roller = Shape::cylinder(0.5, 2.0).expect("a cylinder");
        assert!(matches!(
            part(&roller, DVec3::X),
            Supporting::Line(_, DVec3::Z, _)
        ));
        assert_eq!(part(&roller, DVec3::NEG_Z), Supporting::Face(0.0));
        assert!(matches!(
            part(&roller, DVec3::new(0.6, 0.0, 0.8)),
            Supporting::Point(_)
        ));
        let cone = Shape::cone(3.0, 4.0).expect("a cone");
        assert!(matches!(
            part(&cone, DVec3::new(0.8, 0.0, 0.6)),
            Supporting::Line(..)
        ));
        assert_eq!(part(&cone, DVec3::Z), Supporting::Point(DVec3::Z * 3.0));
        let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
        assert_eq!(part(&ground, DVec3::Z), Supporting::Face(0.0));
        assert_eq!(
            part(&ground, exp(DVec3::X * 1e-6) * DVec3::Z),
            Supporting::Nowhere
        );
    }

    #[test]
    fn what_is_opposite_is_not_aside() {
        let n = DVec3::Z;
        let line = Supporting::Line(DVec3::ZERO, DVec3::X, 1.0);
        let aside = |part: Supporting, x: [f64; 3], other| part.aside(n, x.into(), other);
        assert_eq!(aside(line, [3.0, 0.0, 7.0], None), (0.0, 0.0));
        assert_eq!(aside(line, [3.0, 0.5, 7.0], None), (0.5, 0.0));
        // Two lines that cross fix their normal; parallel ones do not.
        let across = Some((DVec3::Y, 1.0));
        assert_eq!(aside(line, [3.0, 0.5, 7.0], across), (0.0, 0.5));
        let along = Some((DVec3::X, 1.0));
        assert_eq!(aside(line, [3.0, 0.5, 7.0], along), (0.5, 0.0));
        // Nor lines that end before they cross.
        let short = Some((DVec3::Y, 0.25));
        assert_eq!(aside(line, [3.0, 0.5, 7.0], short), (0.25, 0.25));
        let point = Supporting::Point(DVec3::ZERO);
        assert_eq!(aside(point, [0.3, 0.4, 7.0], None), (0.5, 0.0));
        let face = Supporting::Face(0.0);
        assert_eq!(aside(face, [1.0, 0.0, 0.0], None), (0.0, 0.0));
    }
}
