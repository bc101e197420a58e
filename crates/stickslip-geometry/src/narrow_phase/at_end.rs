//! Rows of a motion that was tried: what the linearised rows did not see of it.
//!
//! Where the place of contact runs far within a step (a rim nearly flat on a plane, nearly parallel faces whose edges cross), the
//! rows of the start may all hold although the pair overlaps at the end, by (ωh)² r/α at an angle α between the two. The row of
//! the signed distance at the end, with the place that lies deepest there carried back to the start, leaves (ωh)² r.

use super::convex::{Both, PARALLEL, Pair};
use super::{Candidate, Feature, Moving, flip};
use crate::directions::{Direction, Of, Part, closest, farthest, farthest_of};
use crate::leg::swung;
use crate::path::unseen;
use crate::placed::Placed;
use crate::pose::{Pose, log};
use crate::shape::Shape;
use glam::DVec3;

/// A cylinder lies on its side where so much of its outward direction is across its axis.
const LYING: f64 = 0.9;

/// The gap of a row at the end of the way to first order in the motion, m: ψ + n·(way of b − way of a) with ways of the point by
/// the velocities that lead to the end.
#[must_use]
pub fn linear_gap(a: &Moving, b: &Moving, row: &Candidate) -> f64 {
    let way = |m: &Moving| {
        let turn = log(m.end.orientation * m.pose.orientation.conjugate());
        m.end.position - m.pose.position + turn.cross(row.point - m.pose.position)
    };
    row.gap + row.normal.dot(way(b) - way(a))
}

/// The row of the signed distance of two convex shapes at the end of their way, if they overlap there: its direction and the
/// place that lies deepest, carried back to where gaps are measured. `None` where that claims an overlap which is not there.
#[must_use]
pub fn row_at_end(a: &Moving, b: &Moving) -> Option<Candidate> {
    match (a.shape, b.shape) {
        (Shape::Ball { .. } | Shape::Points { .. }, Shape::Ball { .. } | Shape::Points { .. })
        | (Shape::HalfSpace { .. }, Shape::HalfSpace { .. } | Shape::Points { .. })
        | (Shape::Points { .. }, _)
        | (_, Shape::Points { .. }) => None,
        (Shape::HalfSpace { normal, offset }, _) => over_plane(a, *normal, *offset, b),
        (_, Shape::HalfSpace { normal, offset }) => {
            let mut row = over_plane(b, *normal, *offset, a)?;
            flip(std::slice::from_mut(&mut row));
            Some(row)
        }
        _ => between(a, b),
    }
}

/// The place of a body that lies deepest under a plane at the end.
fn over_plane(plane: &Moving, normal: DVec3, offset: f64, other: &Moving) -> Option<Candidate> {
    let [n, n_end] = [&plane.pose, &plane.end].map(|pose| pose.orientation * normal);
    let origin = other.pose.position;
    let now = Placed::new(other.shape, &other.pose, origin);
    let end = Placed::new(other.shape, &other.end, origin);
    let deepest = end.farthest(-n_end);
    let height = |plane: &Pose, x: DVec3| normal.dot(plane.to_body(x + origin)) - offset;
    (height(&plane.end, deepest) < 0.0).then_some(())?;
    let point = carried_back(&now, &end, deepest, [-n, -n_end]);
    Some(Candidate {
        feature: Feature::AT_END,
        point: point + origin,
        normal: n,
        gap: height(&plane.pose, point),
    })
}

/// Two bounded shapes.
fn between(a: &Moving, b: &Moving) -> Option<Candidate> {
    let (_, pair) = Pair::new(a, b)?;
    let d = least_overlap(&pair).filter(|d| d.gap < 0.0)?;
    let d = pair.face_first_at_end(d);
    let row = side_by_side(&pair, &d).or_else(|| of_features(&pair, &d))?;
    for (m, n) in [(a, row.normal), (b, -row.normal)] {
        may_push(m, &m.pose, n).then_some(())?;
    }
    // Normals that no feature tells turn with one of the bodies: off by the square of the turn.
    // Overlap is claimed where gaps are measured: what is driven has come to its end there.
    let deepest = farthest(&pair.now.a, &pair.now.b)?.gap;
    pair.is_true(row.gap + unseen(a, b), deepest).then_some(row)
}

/// The direction of least overlap at the end; of a mesh's triangle among those that the mesh may push along. (The shortest way out
/// of a triangle alone may be sideways, past a seam and into its neighbour, which says the same of this one.)
fn least_overlap(pair: &Pair) -> Option<Direction> {
    let Both { a, b } = &pair.end;
    let [first, second] = pair.moving;
    let admitted = |n: DVec3| may_push(first, &first.end, n) && may_push(second, &second.end, -n);
    farthest(a, b)
        .filter(|d| admitted(d.n))
        .or_else(|| farthest_of(a, b, &admitted))
}

/// May the body, at this pose, push along n, out of it? All but triangles of a mesh may.
fn may_push(m: &Moving, pose: &Pose, n: DVec3) -> bool {
    match m.shape {
        Shape::Triangle(facet) => facet.pushes_along(pose.orientation.conjugate() * n),
        _ => true,
    }
}

/// The row of the features of a direction of the end.
fn of_features(pair: &Pair, d: &Direction) -> Option<Candidate> {
    Some(match (d.of, pair.carried_back(d)) {
        (Of::FaceA(k), _) => {
            let place = over_face(pair, &pair.end.a, k, pair.end.b.farthest(-d.n))?;
            of_b(pair, d, place, pair.now.a.face(k))
        }
        (Of::FaceB(k), _) => {
            let place = over_face(pair, &pair.end.b, k, pair.end.a.farthest(d.n))?;
            of_a(pair, d, place, -pair.now.b.face(k))
        }
        (Of::Parts(..), Some(back)) => {
            let then =
                meeting_places(pair, &pair.end, d).map(|[_, place]| of_b(pair, d, place, back.n));
            let now = crossing_now(pair, &back)
                .map(|place| pair.row(Feature::AT_END, place, back.n))
                .filter(|now| then.is_none_or(|then| tells_of(pair, now, &then)));
            now.or(then)?
        }
        (Of::Parts(..), None) => across_facing(pair, d)?,
    })
}

/// Where two lines that are far from parallel cross now, on b. The place at the end of a tried motion would lie beside the line of what is round by
/// as much as that moves, and turn it; and of a motion that comes to nothing nothing explains it.
fn crossing_now(pair: &Pair, back: &Direction) -> Option<DVec3> {
    let [[p, q], [r, w]] = pair.meeting_parts(&pair.now, back);
    are_crossed(q - p, w - r).then_some(())?;
    Some(meeting_places(pair, &pair.now, back)?[1])
}

/// Does the row of a place now tell of at least half the overlap that the one of the end tells of?
fn tells_of(pair: &Pair, now: &Candidate, then: &Candidate) -> bool {
    let gap = |row| linear_gap(pair.moving[0], pair.moving[1], row);
    gap(now) <= 0.5 * gap(then)
}

/// Are these lines far from parallel?
fn are_crossed(d: DVec3, e: DVec3) -> bool {
    d.cross(e).length() > PARALLEL * d.length() * e.length()
}

/// Capsules and cylinders side by side: the place of the one over the axis of the other that is deepest at the end, with the
/// normal that it has now. Across both axes, which may be all but parallel, the normal would swing far.
fn side_by_side(pair: &Pair, d: &Direction) -> Option<Candidate> {
    let Of::Parts(Part::Line(i), Part::Line(j)) = d.of else {
        return None;
    };
    let has_axis = |s: &Placed| s.n_lines() == 1;
    (has_axis(&pair.end.a) && has_axis(&pair.end.b)).then_some(())?;
    let ([p, q], [r, w]) = (pair.end.a.line(i), pair.end.b.line(j));
    (!are_crossed(q - p, w - r)).then_some(())?;
    let (s, t) = closest(p, q - p, r, w - r);
    let (of_a, of_b) = (pair.now.a.line(i), pair.now.b.line(j));
    let row = (pair.beside(true, of_b, t, of_a)).or_else(|| pair.beside(false, of_a, s, of_b))?;
    Some(Candidate {
        feature: Feature::AT_END,
        point: row.point + pair.origin,
        ..row
    })
}

/// The place, if it lies over face k. (Of a body that lies flat and overhangs, any corner may be the deepest.)
fn over_face(pair: &Pair, body: &Placed, k: usize, place: DVec3) -> Option<DVec3> {
    let p = body.local_of(place);
    body.outline(k).clip(p, p, pair.slack).map(|_| place)
}

/// Features that meet at the end and do not face each other yet: the place of the one over the face of the other that is most
/// across their direction. Edges that cross where two faces nearly lie on each other do so.
fn across_facing(pair: &Pair, d: &Direction) -> Option<Candidate> {
    let [on_a, on_b] = meeting_places(pair, &pair.end, d)?;
    let Both { a, b } = &pair.end;
    let (face_a, face_b) = (a.facing(d.n), b.facing(-d.n));
    let cosine = [
        face_a.map_or(0.0, |k| a.face(k).dot(d.n)),
        face_b.map_or(0.0, |k| -b.face(k).dot(d.n)),
    ];
    if cosine[0] >= cosine[1] {
        face_a.map(|k| of_b(pair, d, on_b, pair.now.a.face(k)))
    } else {
        face_b.map(|k| of_a(pair, d, on_a, -pair.now.b.face(k)))
    }
}

/// Where the features of a direction meet, on a and on b; `None` where they are not opposite each other.
fn meeting_places(pair: &Pair, at: &Both, d: &Direction) -> Option<[DVec3; 2]> {
    let [[p, q], [r, w]] = pair.meeting_parts(at, d);
    let (s, t) = closest(p, q - p, r, w - r);
    let (on_a, on_b) = (p.lerp(q, s), r.lerp(w, t));
    let aside = (on_b - on_a) - d.n * d.n.dot(on_b - on_a);
    (aside.length() <= 2.0 * pair.slack).then_some([on_a, on_b])
}

/// The row along n of a place that b has at the end.
fn of_b(pair: &Pair, d: &Direction, place: DVec3, n: DVec3) -> Candidate {
    let point = carried_back(&pair.now.b, &pair.end.b, place, [-n, -d.n]);
    pair.row(Feature::AT_END, point, n)
}

/// The row along n of a place that a has at the end.
fn of_a(pair: &Pair, d: &Direction, place: DVec3, n: DVec3) -> Candidate {
    let point = carried_back(&pair.now.a, &pair.end.a, place, [n, d.n]);
    pair.row_of_a(Feature::AT_END, point, n)
}

/// A surface place of the end where it was before: the body's material point, but what is round does not go with its turn about
/// its own axis. `outward` is the direction out of the body before and at the end.
fn carried_back(now: &Placed, end: &Placed, place: DVec3, [before, after]: [DVec3; 2]) -> DVec3 {
    let material = |x: DVec3| now.world_of(end.local_of(x));
    match now.shape {
        Shape::Ball { .. } | Shape::Capsule { .. } => {
            let r = now.rounding();
            material(place - after * r) + before * r
        }
        Shape::Cylinder { .. } if across(now.turn.z_axis, before).length() > LYING => {
            let (axis, arm) = (now.turn.z_axis, place - end.centre);
            let height = end.turn.z_axis.dot(arm);
            let radius = across(end.turn.z_axis, arm).length();
            now.centre
                + axis * height
                + across(axis, before).try_normalize().unwrap_or(before) * radius
        }
        Shape::Cylinder { .. } | Shape::Cone { .. } => {
            let arm = place - end.centre;
            now.centre + arm + swung(end.turn.z_axis, now.turn.z_axis, arm)
        }
        _ => material(place),
    }
}

/// The part of v across an axis.
fn across(axis: DVec3, v: DVec3) -> DVec3 {
    v - axis * axis.dot(v)
}
