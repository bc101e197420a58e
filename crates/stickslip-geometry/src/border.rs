//! The outline of a face: a polygon of any number of sides, or a disc.

use crate::placed::{BOX_EDGES, Placed};
use crate::shape::{Shape, corner};
use glam::{DVec2, DVec3};

/// A face of a shape, in the shape's own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face<'a> {
    shape: &'a Shape,
    number: usize,
    /// Outward unit normal.
    pub(crate) normal: DVec3,
    /// The shape's support along the normal.
    offset: f64,
}

/// Part of a segment over a face: the fractions at which it begins and ends, each with the side of the face
/// crossed there, `None` where the segment itself begins or ends.
pub(crate) type Clipped = [(f64, Option<usize>); 2];

impl<'a> Placed<'a> {
    /// Face `k` in the shape's own frame.
    pub(crate) fn outline(&self, k: usize) -> Face<'a> {
        let side = |k: usize| if k.is_multiple_of(2) { -1.0 } else { 1.0 };
        let normal = match self.shape {
            Shape::Box { .. } => DVec3::AXES[k / 2] * side(k),
            Shape::Hull(hull) => hull.faces()[k].normal,
            Shape::Triangle(facet) => facet.normal() * -side(k),
            _ => DVec3::Z * side(k),
        };
        Face {
            shape: self.shape,
            number: k,
            normal,
            offset: self.shape.reach(normal),
        }
    }

    /// The face most along the world direction `d`, if any is within 60° of it.
    pub(crate) fn facing(&self, d: DVec3) -> Option<usize> {
        let mut best = (0.5, None);
        for k in 0..self.n_faces() {
            let cosine = self.face(k).dot(d);
            if cosine > best.0 {
                best = (cosine, Some(k));
            }
        }
        best.1
    }
}

impl Face<'_> {
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Height of a point over the face's plane.
    pub(crate) fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }

    /// Number of sides, and of corners; none of a disc.
    pub(crate) fn n_sides(&self) -> usize {
        match self.shape {
            Shape::Box { .. } => 4,
            Shape::Hull(hull) => hull.corners(self.number).len(),
            Shape::Triangle(_) => 3,
            _ => 0,
        }
    }

    /// Number among the shape's points of a corner, counter-clockwise.
    pub(crate) fn corner(&self, i: usize) -> usize {
        match self.shape {
            Shape::Box { .. } => {
                let (axis, upper) = (self.number / 2, self.number % 2);
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                // Counter-clockwise about +axis; the other way round about −axis.
                let i = if upper == 1 { i } else { 3 - i };
                let (x, y) = (usize::from(i == 1 || i == 2), usize::from(i >= 2));
                upper << axis | x << u | y << v
            }
            Shape::Hull(hull) => hull.corners(self.number)[i],
            Shape::Triangle(_) => [[0, 1, 2], [0, 2, 1]][self.number][i],
            _ => 0,
        }
    }

    /// A number for side i: of a box that of its edge.
    pub(crate) fn edge(&self, i: usize) -> usize {
        if !matches!(self.shape, Shape::Box { .. }) {
            return i;
        }
        let (p, q) = (self.corner(i), self.corner((i + 1) % 4));
        let ends = (p.min(q), p.max(q));
        BOX_EDGES.iter().position(|e| *e == ends).unwrap_or(i)
    }

    fn corner_place(&self, i: usize) -> DVec3 {
        match self.shape {
            Shape::Box { half } => corner(*half, self.corner(i)),
            Shape::Hull(hull) => hull.vertices()[self.corner(i)],
            Shape::Triangle(facet) => facet.points()[self.corner(i)],
            _ => DVec3::ZERO,
        }
    }

    /// Side i: a point of it and its unit normal, out of the face and in its plane.
    pub(crate) fn side(&self, i: usize) -> (DVec3, DVec3) {
        if let Shape::Box { half } = self.shape {
            let (axis, (across, sign)) = (self.number / 2, self.box_side(i));
            let out = DVec3::AXES[across] * sign;
            return (self.normal * half[axis] + out * half[across], out);
        }
        let (p, q) = (
            self.corner_place(i),
            self.corner_place((i + 1) % self.n_sides()),
        );
        let out = (q - p).cross(self.normal);
        (p, out.try_normalize().unwrap_or(DVec3::ZERO))
    }

    /// The axis of a box across which side i of a face lies, and its sign: with u, v, axis in turn −v, u, v, −u on the upper face, and on
    /// the lower v, u, −v, −u.
    const fn box_side(&self, i: usize) -> (usize, f64) {
        let (axis, upper) = (self.number / 2, self.number % 2 == 1);
        let across = (axis + if i % 2 == 1 { 1 } else { 2 }) % 3;
        let outward = i == 1 || (i == 2) == upper && i != 3;
        (across, if outward { 1.0 } else { -1.0 })
    }

    /// Radius of a disc about z.
    pub(crate) fn disc(&self) -> Option<f64> {
        match self.shape {
            Shape::Cylinder { radius, .. } | Shape::Cone { radius, .. } => Some(*radius),
            _ => None,
        }
    }

    /// The part of the segment p → q over the face. What lies beside it by up to `tolerance` counts as over it;
    /// the places where the border is crossed are those of the face itself.
    pub(crate) fn clip(&self, p: DVec3, q: DVec3, tolerance: f64) -> Option<Clipped> {
        if let Some(radius) = self.disc() {
            let (p, d) = (p.truncate(), (q - p).truncate());
            let wide = within(p, d, radius + tolerance)?;
            let (s, t) = within(p, d, radius).unwrap_or(wide);
            return Some([
                (s, (wide.0 > 0.0).then_some(0)),
                (t, (wide.1 < 1.0).then_some(0)),
            ]);
        }
        let mut clip = Clip::whole();
        if let Shape::Box { half } = self.shape {
            // Across an axis of the box, out·x is ± one coordinate.
            for i in 0..4 {
                let (k, sign) = self.box_side(i);
                let start = sign * (p[k] - sign * half[k]);
                if !clip.take(i, start, sign * (q[k] - p[k]), tolerance) {
                    return None;
                }
            }
            return clip.clipped();
        }
        for i in 0..self.n_sides() {
            let (corner, out) = self.side(i);
            if !clip.take(i, out.dot(p - corner), out.dot(q - p), tolerance) {
                return None;
            }
        }
        clip.clipped()
    }
}

/// What is left of a segment while one side of a face after the other is looked at: fractions at the widened border, by which the
/// sides are told, and at the border itself.
struct Clip {
    enter: (f64, f64, Option<usize>),
    leave: (f64, f64, Option<usize>),
}

impl Clip {
    const fn whole() -> Self {
        Self {
            enter: (0.0, 0.0, None),
            leave: (1.0, 1.0, None),
        }
    }

    /// Side i, beyond which the segment begins by `start` and goes on by `slope`: start + s slope ≤ tolerance is kept. False where
    /// nothing is.
    fn take(&mut self, i: usize, start: f64, slope: f64, tolerance: f64) -> bool {
        if slope == 0.0 {
            return start <= tolerance;
        }
        let wide = (tolerance - start) / slope;
        if slope > 0.0 && wide < self.leave.0 {
            self.leave = (wide, -start / slope, Some(i));
        } else if slope < 0.0 && wide > self.enter.0 {
            self.enter = (wide, -start / slope, Some(i));
        }
        true
    }

    fn clipped(&self) -> Option<Clipped> {
        let (enter, leave) = (self.enter, self.leave);
        // Nearly along a side, the widened border and the border itself are crossed far from each other, and the latter perhaps
        // where the segment has not come over the face yet, or has left it by another side.
        let (begin, end) = (enter.1.min(leave.0), leave.1.max(enter.0));
        (enter.0 <= leave.0).then_some([(begin, enter.2), (end, leave.2)])
    }
}

/// Fractions s ≤ t of 0 … 1 between which p + s d lies within `r` of the origin.
fn within(p: DVec2, d: DVec2, r: f64) -> Option<(f64, f64)> {
    let (a, b, c) = (d.length_squared(), p.dot(d), p.length_squared() - r * r);
    if a == 0.0 {
        return (c <= 0.0).then_some((0.0, 1.0));
    }
    let root = b * b - a * c;
    if root < 0.0 {
        return None;
    }
    let root = root.sqrt();
    let (s, t) = (((-b - root) / a).max(0.0), ((-b + root) / a).min(1.0));
    (s <= t).then_some((s, t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use stickslip_testing::Random;

    /// Segments along a side of a face, beside it and off it by anything from 1e-16 to 1e-6: what is told of them lies over the
    /// face, to the tolerance.
    #[test]
    fn places_on_the_border_belong_to_the_face() {
        let mut dice = Random::new(8);
        let points: Vec<DVec3> = [(0.0, 0.0), (1.0, 0.1), (1.2, 0.8), (0.1, 1.0)]
            .into_iter()
            .flat_map(|(x, y)| [DVec3::new(x, y, 0.0), DVec3::new(x, y, 1.0)])
            .collect();
        let hull = Shape::hull(&points).unwrap();
        let placed = Placed::new(&hull, &Pose::IDENTITY, DVec3::ZERO);
        let (mut told, tolerance) = (0, 1e-9);
        for k in 0..20_000 {
            let face = placed.outline(k % placed.n_faces());
            let i = dice.below(face.n_sides());
            let (p, q) = (
                face.corner_place(i),
                face.corner_place((i + 1) % face.n_sides()),
            );
            let (_, out) = face.side(i);
            let end = |dice: &mut Random, s: f64| {
                p.lerp(q, s) + out * (dice.signed() * dice.decade(-16.0, -6.0))
            };
            let (low, high) = (dice.between(-0.5, 0.5), dice.between(0.5, 1.5));
            let segment = [end(&mut dice, low), end(&mut dice, high)];
            let Some(clipped) = face.clip(segment[0], segment[1], tolerance) else {
                continue;
            };
            for (s, _) in clipped {
                let place = segment[0].lerp(segment[1], s);
                let beyond = |j: usize| {
                    let (corner, out) = face.side(j);
                    out.dot(place - corner)
                };
                let worst = (0..face.n_sides())
                    .map(beyond)
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    worst <= 1.01 * tolerance,
                    "{worst:e} beyond: {segment:?} {clipped:?}"
                );
                told += 1;
            }
        }
        assert!(told > 10_000, "{told}");
    }

    #[test]
    fn corners_run_counter_clockwise_and_sides_face_outward() {
        let half = DVec3::new(0.3, 0.5, 0.7);
        let corners: Vec<DVec3> = (0..8).map(|k| corner(half, k)).collect();
        for shape in [Shape::Box { half }, Shape::hull(&corners).unwrap()] {
            let placed = Placed::new(&shape, &Pose::IDENTITY, DVec3::ZERO);
            for k in 0..6 {
                let face = placed.outline(k);
                for i in 0..4 {
                    let (p, out) = face.side(i);
                    assert!(face.height(p).abs() < 1e-15);
                    assert!(out.dot(p) > 0.0, "{shape:?} face {k} side {i}");
                    for end in [i, (i + 1) % 4] {
                        let corner = placed.point(face.corner(end));
                        assert!(
                            out.dot(corner - p).abs() < 1e-15,
                            "{shape:?} face {k} side {i}"
                        );
                    }
                }
                let inside = face.normal * 2.0;
                assert_eq!(
                    face.clip(inside, inside, 0.0),
                    Some([(0.0, None), (1.0, None)])
                );
                let (_, out) = face.side(2);
                let [enter, leave] = face.clip(inside, inside + out * 10.0, 0.0).unwrap();
                assert_eq!((enter.1, leave.1), (None, Some(2)));
            }
        }
    }
}
