//! Box against box.
//!
//! Across a face: the other box's vertices and edges over that face, and the face's own corners under
//! the other box's facing side. Across two edges: their crossing, and what lies over the two faces that
//! meet the direction best.

use super::{Candidate, Feature, Moving, slack};
use crate::path::closest_on_the_way;
use crate::placed::BOX_EDGES;
use crate::pose::Pose;
use crate::shape::corner;
use glam::DVec3;

/// Lengths below this fraction of the boxes' size count as zero when features coincide.
const COINCIDE: f64 = 1e-8;

/// Candidates of two boxes; normals point from a to b.
pub(super) fn box_box(
    a: &Moving,
    half_a: DVec3,
    b: &Moving,
    half_b: DVec3,
    out: &mut Vec<Candidate>,
) {
    let slack = slack(a, b);
    let size = half_a.max_element().max(half_b.max_element());
    let mut axis = best_axis(a, half_a, b, half_b, COINCIDE * size);
    if axis.1 < 0.0
        && let Some(clear) = miss(a, half_a, b, half_b)
    {
        axis = clear;
    }
    if axis.1 > slack && axis.0.gap > slack {
        return;
    }
    let first = out.len();
    let mut faces = |reference_is_a: bool, face: Face, crossing: Option<[Edge; 2]>| {
        let (reference, half_r, other, half_o) = if reference_is_a {
            (a, half_a, b, half_b)
        } else {
            (b, half_b, a, half_a)
        };
        let over = Over {
            reference,
            half_r,
            face,
            other,
            half_o,
            slack,
            size,
            crossing,
            reference_is_a,
        };
        over.collect(first, out);
    };
    match axis.0.kind {
        AxisKind::FaceA(i) => faces(true, Face::facing(a, i, axis.0.direction), None),
        AxisKind::FaceB(i) => faces(false, Face::facing(b, i, -axis.0.direction), None),
        AxisKind::Edges(i, j) => {
            let n = axis.0.direction;
            let edge_a = Edge::supporting(&a.pose, i, n);
            let edge_b = Edge::supporting(&b.pose, j, -n);
            let facing_a = Face::facing(a, facing_axis(&a.pose, n), n);
            let facing_b = Face::facing(b, facing_axis(&b.pose, n), -n);
            faces(true, facing_a, Some([edge_a, edge_b]));
            faces(false, facing_b, Some([edge_b, edge_a]));
            out.push(crossing(a, half_a, edge_a, b, half_b, edge_b, &axis.0));
        }
    }
}

/// Which direction of two boxes: a face normal of a, one of b, or a cross product of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisKind {
    FaceA(usize),
    FaceB(usize),
    Edges(usize, usize),
}

/// A separating direction of two boxes, from a to b, and the gap along it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    kind: AxisKind,
    direction: DVec3,
    gap: f64,
}

/// The fifteen directions of two boxes (fewer where edges are parallel), each turned from a to b.
fn box_axes<'p>(
    half_a: DVec3,
    pose_a: &'p Pose,
    half_b: DVec3,
    pose_b: &'p Pose,
) -> impl Iterator<Item = Axis> + 'p {
    let (ra, rb) = (pose_a.rotation(), pose_b.rotation());
    (0..15).filter_map(move |k| {
        let (kind, direction) = match k {
            0..3 => (AxisKind::FaceA(k), ra.col(k)),
            3..6 => (AxisKind::FaceB(k - 3), rb.col(k - 3)),
            _ => {
                let (i, j) = ((k - 6) / 3, (k - 6) % 3);
                let cross = ra.col(i).cross(rb.col(j));
                let length = cross.length();
                // Nearly parallel edges: a face normal serves as well, to second order in the angle.
                if length < 1e-8 {
                    return None;
                }
                (AxisKind::Edges(i, j), cross / length)
            }
        };
        Some(box_axis(
            kind, direction, half_a, pose_a, half_b, pose_b, None,
        ))
    })
}

/// The gap of two boxes along `direction`, turned from a to b (or by the given `sign`).
fn box_axis(
    kind: AxisKind,
    direction: DVec3,
    half_a: DVec3,
    pose_a: &Pose,
    half_b: DVec3,
    pose_b: &Pose,
    sign: Option<f64>,
) -> Axis {
    let across = direction.dot(pose_b.position - pose_a.position);
    let sign = sign.unwrap_or(if across < 0.0 { -1.0 } else { 1.0 });
    let reach =
        |pose: &Pose, half: DVec3| (pose.orientation.conjugate() * direction).abs().dot(half);
    Axis {
        kind,
        direction: direction * sign,
        gap: across * sign - reach(pose_a, half_a) - reach(pose_b, half_b),
    }
}

/// The direction that separates the boxes at the start of the step and is predicted to do so best at
/// its end, and the predicted gap. Where none separates them (a depth of the order of rounding or h²),
/// the one of least depth. Face directions win ties.
fn best_axis(a: &Moving, half_a: DVec3, b: &Moving, half_b: DVec3, tie: f64) -> (Axis, f64) {
    let deepest = box_axes(half_a, &a.start, half_b, &b.start)
        .map(|axis| axis.gap)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut best: Option<(Axis, f64)> = None;
    for start in box_axes(half_a, &a.start, half_b, &b.start) {
        if start.gap < deepest.min(0.0) - tie {
            continue;
        }
        let Some(now) = same_axis(&start, a.start, b.start, half_a, a.pose, half_b, b.pose) else {
            continue;
        };
        let Some(end) = same_axis(&start, a.start, b.start, half_a, a.end, half_b, b.end) else {
            continue;
        };
        let edge = matches!(start.kind, AxisKind::Edges(..));
        if best
            .as_ref()
            .is_none_or(|(_, gap)| end.gap > *gap + if edge { tie } else { 0.0 })
        {
            best = Some((now, end.gap));
        }
    }
    // Only if every eligible direction vanished on the way (edges turning parallel): start over with
    // faces, which never vanish.
    best.unwrap_or_else(|| {
        let now = (0..3)
            .map(|i| {
                box_axis(
                    AxisKind::FaceA(i),
                    a.pose.rotation().col(i),
                    half_a,
                    &a.pose,
                    half_b,
                    &b.pose,
                    None,
                )
            })
            .fold(None::<Axis>, |best, axis| match best {
                Some(b) if b.gap >= axis.gap => Some(b),
                _ => Some(axis),
            })
            .unwrap_or_else(|| unreachable!("a box has three face directions"));
        (now, now.gap)
    })
}

/// Where the predicted way passes by: a direction of the place of closest approach that separates the boxes
/// at the start of the step and at its end.
fn miss(a: &Moving, half_a: DVec3, b: &Moving, half_b: DVec3) -> Option<(Axis, f64)> {
    let (gap, s) = closest_on_the_way(a, b);
    if gap <= 0.0 {
        return None;
    }
    let (there_a, there_b) = (a.at(s), b.at(s));
    box_axes(half_a, &there_a, half_b, &there_b)
        .filter(|axis| axis.gap > 0.0)
        .filter_map(|axis| {
            let carried = |pa, pb| same_axis(&axis, there_a, there_b, half_a, pa, half_b, pb);
            let (start, now) = (carried(a.start, b.start)?, carried(a.pose, b.pose)?);
            let end = carried(a.end, b.end)?;
            (start.gap >= 0.0 && end.gap >= 0.0).then_some((now, end.gap))
        })
        .fold(None, |best: Option<(Axis, f64)>, axis| match best {
            Some(old) if old.1 >= axis.1 => Some(old),
            _ => Some(axis),
        })
}

/// The direction `start` carried along to other poses of the two boxes, on the same side.
fn same_axis(
    start: &Axis,
    start_a: Pose,
    start_b: Pose,
    half_a: DVec3,
    pose_a: Pose,
    half_b: DVec3,
    pose_b: Pose,
) -> Option<Axis> {
    let (raw_start, raw) = match start.kind {
        AxisKind::FaceA(i) => (start_a.rotation().col(i), pose_a.rotation().col(i)),
        AxisKind::FaceB(i) => (start_b.rotation().col(i), pose_b.rotation().col(i)),
        AxisKind::Edges(i, j) => (
            start_a.rotation().col(i).cross(start_b.rotation().col(j)),
            pose_a.rotation().col(i).cross(pose_b.rotation().col(j)),
        ),
    };
    let length = raw.length();
    if length < 1e-8 {
        return None;
    }
    let sign = if raw_start.dot(start.direction) < 0.0 {
        -1.0
    } else {
        1.0
    };
    Some(box_axis(
        start.kind,
        raw / length,
        half_a,
        &pose_a,
        half_b,
        &pose_b,
        Some(sign),
    ))
}

/// The axis of the box most along `direction`.
fn facing_axis(pose: &Pose, direction: DVec3) -> usize {
    let local = (pose.orientation.conjugate() * direction).abs();
    (0..3).fold(0, |best, i| if local[i] > local[best] { i } else { best })
}

/// A face of a box: its axis and side.
#[derive(Clone, Copy)]
struct Face {
    axis: usize,
    side: f64,
}

impl Face {
    fn facing(body: &Moving, axis: usize, direction: DVec3) -> Self {
        let side = if body.pose.rotation().col(axis).dot(direction) < 0.0 {
            -1.0
        } else {
            1.0
        };
        Self { axis, side }
    }

    fn index(self) -> u32 {
        2 * self.axis as u32 + u32::from(self.side > 0.0)
    }

    /// Height of a point of the box's frame over the face.
    fn height(self, half: DVec3, point: DVec3) -> f64 {
        self.side * point[self.axis] - half[self.axis]
    }

    /// The two other axes.
    fn lateral(self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }

    fn normal(self, pose: &Pose) -> DVec3 {
        pose.rotation().col(self.axis) * self.side
    }

    /// The edge where the face ends across a lateral axis.
    fn border(self, across: usize, upper: bool) -> Edge {
        let own = usize::from(self.side > 0.0) << self.axis;
        Edge {
            axis: 3 - self.axis - across,
            sides: own | usize::from(upper) << across,
        }
    }
}

/// Everything of `other` that lies over one face of `reference`.
struct Over<'a> {
    reference: &'a Moving<'a>,
    half_r: DVec3,
    face: Face,
    other: &'a Moving<'a>,
    half_o: DVec3,
    slack: f64,
    size: f64,
    /// The supporting edges of reference and other, where the direction is theirs and not the face's
    /// normal: then only what lies truly over the face now counts, and not the crossing itself.
    crossing: Option<[Edge; 2]>,
    reference_is_a: bool,
}

impl Over<'_> {
    fn collect(&self, first: usize, out: &mut Vec<Candidate>) {
        let mut now = [DVec3::ZERO; 8];
        let mut end = [DVec3::ZERO; 8];
        for k in 0..8 {
            let c = corner(self.half_o, k);
            now[k] = self.reference.pose.to_body(self.other.pose.to_world(c));
            end[k] = self.reference.end.to_body(self.other.end.to_world(c));
        }
        self.vertices(&now, &end, first, out);
        self.edges(&now, &end, first, out);
        self.corners(first, out);
    }

    fn tolerance(&self) -> f64 {
        COINCIDE * self.size * if self.crossing.is_some() { -1.0 } else { 1.0 }
    }

    /// Is the height worth a row: closing, or nearly, on the predicted path? A point deep under the face
    /// is not over it but past another side.
    fn closing(&self, height: f64, height_end: f64, thickness: f64) -> bool {
        height.min(height_end) <= self.slack && (self.crossing.is_none() || height > -thickness)
    }

    /// Normal of the reference face, from a to b.
    fn normal(&self) -> DVec3 {
        let outward = self.face.normal(&self.reference.pose);
        if self.reference_is_a {
            outward
        } else {
            -outward
        }
    }

    /// Vertices of the other box whose path passes over the face.
    fn vertices(&self, now: &[DVec3; 8], end: &[DVec3; 8], first: usize, out: &mut Vec<Candidate>) {
        for k in 0..8 {
            let gap = self.face.height(self.half_r, now[k]);
            let gap_end = self.face.height(self.half_r, end[k]);
            if self.closing(gap, gap_end, self.half_r[self.face.axis])
                && clip(now[k], end[k], self.half_r, self.face, self.tolerance()).is_some()
            {
                let new = Candidate {
                    feature: Feature::point_on_face(
                        self.reference_is_a,
                        self.face.index() as usize,
                        k,
                    ),
                    point: self.reference.pose.to_world(now[k]),
                    normal: self.normal(),
                    gap,
                };
                self.push_new(new, first, out);
            }
        }
    }

    /// Points where an edge of the other box passes over the border of the face.
    fn edges(&self, now: &[DVec3; 8], end: &[DVec3; 8], first: usize, out: &mut Vec<Candidate>) {
        for (edge, (k, l)) in BOX_EDGES.into_iter().enumerate() {
            let (p, q) = (now[k], now[l]);
            let Some((enter, leave)) = clip(p, q, self.half_r, self.face, self.tolerance()) else {
                continue;
            };
            for (s, border) in [enter, leave] {
                let Some((across, upper)) = border.filter(|_| s > 0.0 && s < 1.0) else {
                    continue;
                };
                let own = self.face.border(across, upper);
                let local = p + (q - p) * s;
                let gap = self.face.height(self.half_r, local);
                let at_end = end[k] + (end[l] - end[k]) * s;
                let gap_end = self.face.height(self.half_r, at_end);
                if self.is_crossing(own, edge)
                    || !self.closing(gap, gap_end, self.half_r[self.face.axis])
                {
                    continue;
                }
                let new = Candidate {
                    feature: Feature::line_over_border(self.reference_is_a, edge, own.index()),
                    point: self.reference.pose.to_world(local),
                    normal: self.normal(),
                    gap,
                };
                self.push_new(new, first, out);
            }
        }
    }

    /// Is this the crossing of the two supporting edges, which has a row of its own?
    fn is_crossing(&self, own: Edge, edge: usize) -> bool {
        self.crossing
            .is_some_and(|[a, b]| a.index() == own.index() && b.index() == edge)
    }

    /// Corners of the face under the facing side of the other box.
    fn corners(&self, first: usize, out: &mut Vec<Candidate>) {
        let outward = self.face.normal(&self.reference.pose);
        let facing = Face::facing(self.other, facing_axis(&self.other.pose, outward), -outward);
        let inward = facing.normal(&self.other.pose);
        let thickness = self.half_o[facing.axis];
        for k in 0..8 {
            let c = corner(self.half_r, k);
            if c[self.face.axis] * self.face.side < 0.0 {
                continue;
            }
            let point = self.reference.pose.to_world(c);
            let now = self.other.pose.to_body(point);
            let end = self.other.end.to_body(self.reference.end.to_world(c));
            let gap = facing.height(self.half_o, now);
            if self.closing(gap, facing.height(self.half_o, end), thickness)
                && clip(now, end, self.half_o, facing, self.tolerance()).is_some()
            {
                let new = Candidate {
                    feature: Feature::point_on_face(
                        !self.reference_is_a,
                        facing.index() as usize,
                        k,
                    ),
                    point,
                    normal: if self.reference_is_a { -inward } else { inward },
                    gap,
                };
                self.push_new(new, first, out);
            }
        }
    }

    /// Adds a candidate unless one of this pair has the same features, or stands at the same place, with
    /// the same normal.
    fn push_new(&self, new: Candidate, first: usize, out: &mut Vec<Candidate>) {
        let known = out[first..].iter().any(|old| {
            let coincide = (old.point - new.point).length() < COINCIDE * self.size
                && old.normal.dot(new.normal) > 1.0 - 1e-8;
            coincide || new.repeats(old.feature, old.normal, old.point)
        });
        if !known {
            out.push(new);
        }
    }
}

/// The side of a face over which a segment enters or leaves: lateral axis, and whether its upper side;
/// `None` where the segment begins or ends over the face.
type Border = Option<(usize, bool)>;

/// Part of the segment p → q, as parameters in [0, 1] with the borders crossed there, that lies over a
/// face widened by `tolerance`.
fn clip(
    p: DVec3,
    q: DVec3,
    half: DVec3,
    face: Face,
    tolerance: f64,
) -> Option<((f64, Border), (f64, Border))> {
    let (mut enter, mut leave) = ((0.0, None), (1.0, None));
    for i in face.lateral() {
        let limit = half[i] + tolerance;
        let d = q[i] - p[i];
        for (upper, start, slope) in [(true, p[i] - limit, d), (false, -p[i] - limit, -d)] {
            // start + s slope ≤ 0
            let s = -start / slope;
            if slope == 0.0 {
                if start > 0.0 {
                    return None;
                }
            } else if slope > 0.0 && s < leave.0 {
                leave = (s, Some((i, upper)));
            } else if slope < 0.0 && s > enter.0 {
                enter = (s, Some((i, upper)));
            }
        }
    }
    (enter.0 <= leave.0).then_some((enter, leave))
}

/// An edge of a box: its axis, and on which side of the box's other two axes it lies.
#[derive(Clone, Copy)]
struct Edge {
    axis: usize,
    /// Bit k set: on the upper side of axis k.
    sides: usize,
}

impl Edge {
    /// The edge along `axis` that lies farthest along `direction`.
    fn supporting(pose: &Pose, axis: usize, direction: DVec3) -> Self {
        let local = pose.orientation.conjugate() * direction;
        let sides = (0..3)
            .filter(|&k| k != axis && local[k] >= 0.0)
            .map(|k| 1 << k)
            .sum();
        Self { axis, sides }
    }

    fn upper(self, k: usize) -> bool {
        self.sides >> k & 1 == 1
    }

    /// Its place in [`BOX_EDGES`].
    fn index(self) -> usize {
        let (low, high) = match self.axis {
            0 => (1, 2),
            1 => (0, 2),
            _ => (0, 1),
        };
        4 * self.axis + usize::from(self.upper(low)) + 2 * usize::from(self.upper(high))
    }

    /// Midpoint and unit direction in the world.
    fn line(self, pose: &Pose, half: DVec3) -> (DVec3, DVec3) {
        let mut mid = corner(half, self.sides);
        mid[self.axis] = 0.0;
        (pose.to_world(mid), pose.rotation().col(self.axis))
    }
}

/// The crossing of two supporting edges; the point lies on b's edge.
fn crossing(
    a: &Moving,
    half_a: DVec3,
    edge_a: Edge,
    b: &Moving,
    half_b: DVec3,
    edge_b: Edge,
    axis: &Axis,
) -> Candidate {
    let (mid_a, along_a) = edge_a.line(&a.pose, half_a);
    let (mid_b, along_b) = edge_b.line(&b.pose, half_b);
    // Closest point of line b to line a: β from the normal equations of |mid_b + β e_b − mid_a − α e_a|².
    let c = along_a.dot(along_b);
    let d = mid_b - mid_a;
    let beta = (c * d.dot(along_a) - d.dot(along_b)) / (1.0 - c * c);
    let reach = half_b[edge_b.axis];
    let point = mid_b + along_b * beta.clamp(-reach, reach);
    let feature = Feature::crossing(edge_a.index(), edge_b.index());
    // Measured to a's supporting plane, so that the gap and the normal agree to rounding.
    let gap = axis.direction.dot(point) - a.shape.support(&a.pose, axis.direction);
    Candidate {
        feature,
        point,
        normal: axis.direction,
        gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_numbered_as_they_are_listed() {
        for axis in 0..3 {
            for sides in 0..8 {
                if sides >> axis & 1 == 1 {
                    continue;
                }
                let edge = Edge { axis, sides };
                assert_eq!(BOX_EDGES[edge.index()], (sides, sides | 1 << axis));
            }
        }
    }
}
