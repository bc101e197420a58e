//! Everything of one convex body that lies over a face of another: its points and rims, its lines where they
//! cross the border of the face, its rims where they do, and the corners of the face under its own facing side.

use super::convex::{Both, COINCIDE, Pair};
use super::{Candidate, Feature, rim};
use crate::border::Face;
use crate::placed::{Circle, Placed};
use crate::shape::Shape;
use glam::DVec3;

/// What lies beside a face by less than this fraction of the size lies over it.
const WITHIN: f64 = 1e-7;

pub(super) struct Over<'a> {
    pair: &'a Pair<'a>,
    reference_is_a: bool,
    /// Reference and other, now and at the end of the step.
    now: [Placed<'a>; 2],
    end: [Placed<'a>; 2],
    face: Face<'a>,
    /// The outward normal of the reference face, in the world.
    outward: DVec3,
    /// How far the other body reaches against it.
    lowest: f64,
    /// The direction of the pair is not the face's: then only what lies truly over the face counts.
    strict: bool,
    /// The pair's gap along its direction.
    deepest: f64,
}

impl<'a> Over<'a> {
    /// Over face `k` of a or b, of a pair whose gap along its direction is `gap`; `strict` if that is not the face's.
    pub(super) fn new(
        pair: &'a Pair<'a>,
        (reference_is_a, k): (bool, usize),
        strict: bool,
        gap: f64,
    ) -> Self {
        let order = |both: &Both<'a>| {
            if reference_is_a {
                [both.a, both.b]
            } else {
                [both.b, both.a]
            }
        };
        let (now, end) = (order(&pair.now), order(&pair.end));
        let face = now[0].outline(k);
        let outward = now[0].turn * face.normal;
        Self {
            pair,
            reference_is_a,
            now,
            end,
            face,
            outward,
            lowest: now[1].reach(-outward),
            strict,
            deepest: gap,
        }
    }

    pub(super) fn collect(&self, first: usize, out: &mut Vec<Candidate>) {
        let seen = Seen::of(self);
        self.points(&seen, first, out);
        self.lines(&seen, first, out);
        self.rims(first, out);
        self.corners(first, out);
    }

    fn tolerance(&self) -> f64 {
        self.pair.size * if self.strict { -COINCIDE } else { WITHIN }
    }

    /// Is the height worth a row: closing, or nearly, on the predicted path? A point deep under a face that is
    /// not the pair's direction is not over it but past another side.
    fn closing(&self, gap: f64, gap_end: f64, reference: usize) -> bool {
        gap.min(gap_end) <= self.pair.slack
            && (!self.strict || gap > -self.now[reference].shape.thickness())
    }

    /// How much lower than a place over the face the other body reaches, m.
    fn height_over_lowest(&self, point: DVec3) -> f64 {
        self.outward.dot(point) + self.lowest
    }

    /// From a to b, of a normal out of the reference body.
    fn signed(&self, outward: DVec3) -> DVec3 {
        if self.reference_is_a {
            outward
        } else {
            -outward
        }
    }

    fn push(
        &self,
        feature: Feature,
        point: DVec3,
        gap: f64,
        first: usize,
        out: &mut Vec<Candidate>,
    ) {
        let n = self.outward;
        let round = self.now[1].rounding() > 0.0;
        if self.strict && !round && self.height_over_lowest(point) > self.pair.slack {
            return;
        }
        let new = Candidate {
            feature,
            point: point + self.pair.origin,
            normal: self.signed(n),
            gap,
        };
        self.pair.push_new(new, first, out);
    }

    /// Of a place over the border of the face: is the other body no lower beyond it? Else edges meet, along another direction. What
    /// its turn may level within the step is level.
    fn level_beyond(&self, point: DVec3) -> bool {
        self.height_over_lowest(point) <= self.pair.level()
    }

    /// Points and rims of the other body whose way leads over the face.
    fn points(&self, seen: &Seen, first: usize, out: &mut Vec<Candidate>) {
        let ([reference, other], [reference_end, other_end]) = (&self.now, &self.end);
        let r = other.rounding();
        let n = self.outward;
        let mut place = |number: usize, point: DVec3, [p, q]: [Local; 2]| {
            let (gap, gap_end) = (p.height - r, q.height - r);
            if self.closing(gap, gap_end, 0)
                && self.face.clip(p.place, q.place, self.tolerance()).is_some()
                && (!self.strict || self.pair.is_true(gap, self.deepest))
            {
                let feature =
                    Feature::point_on_face(self.reference_is_a, self.face.number(), number);
                self.push(feature, point - n * r, gap, first, out);
            }
        };
        for k in 0..other.n_circles() {
            let mut place = |number: usize, point: DVec3, point_end: DVec3| {
                let seen = [
                    self.seen_from(reference, point),
                    self.seen_from(reference_end, point_end),
                ];
                place(number, point, seen);
            };
            rim::points(other, other_end, k, -n, self.load(), &mut place);
        }
        let number = rim::POINTS * other.n_circles();
        for k in 0..other.n_points() {
            place(number + k, other.point(k), seen.point(self, k));
        }
    }

    /// A place as the reference, now or at the end, sees it.
    fn seen_from(&self, reference: &Placed, x: DVec3) -> Local {
        let place = reference.local_of(x);
        Local {
            place,
            height: self.face.height(place),
        }
    }

    /// The other body as a load on the reference: its way, less that of a prescribed reference.
    fn load(&self) -> rim::Load {
        let [a, b] = self.pair.moving;
        let (reference, other) = if self.reference_is_a { (a, b) } else { (b, a) };
        let prescribed = reference.pose != reference.start;
        let carried = reference.end.position - reference.start.position;
        rim::Load {
            centre: self.now[1].centre,
            shift: other.end.position
                - other.start.position
                - if prescribed { carried } else { DVec3::ZERO },
        }
    }

    /// Places where a line of the other body passes over the border of the face.
    fn lines(&self, seen: &Seen, first: usize, out: &mut Vec<Candidate>) {
        let [other, other_end] = [&self.now[1], &self.end[1]];
        let n = self.outward;
        let seen_ends = |now: [DVec3; 2], end: [DVec3; 2]| {
            let of = |k: usize| {
                [
                    self.seen_from(&self.now[0], now[k]),
                    self.seen_from(&self.end[0], end[k]),
                ]
            };
            [of(0), of(1)]
        };
        if other.is_round() {
            // The line on which a cylinder or cone lies: between its lowest points.
            let line = lowest_line(other, n);
            self.line(0, seen_ends(line, lowest_line(other_end, n)), first, out);
            return;
        }
        for k in 0..other.n_lines() {
            let ends = match other.line_ends(k) {
                Some(ends) => ends.map(|p| seen.point(self, p)),
                None => seen_ends(other.line(k), other_end.line(k)),
            };
            self.line(k, ends, first, out);
        }
    }

    /// Line k, its two ends seen now and at the end.
    fn line(&self, k: usize, ends: [[Local; 2]; 2], first: usize, out: &mut Vec<Candidate>) {
        let r = self.now[1].rounding();
        let [[p, p_end], [q, q_end]] = ends;
        let low = |u: Local, v: Local| u.height.min(v.height) - r;
        if low(p, q).min(low(p_end, q_end)) > self.pair.slack {
            return;
        }
        let [p, q, p_end, q_end] = [p, q, p_end, q_end].map(|local| local.place);
        let Some(clipped) = self.face.clip(p, q, self.tolerance()) else {
            return;
        };
        for (s, side) in clipped {
            let Some(side) = side.filter(|_| s > 0.0 && s < 1.0) else {
                continue;
            };
            let (at, at_end) = (p.lerp(q, s), p_end.lerp(q_end, s));
            let (gap, gap_end) = (self.face.height(at) - r, self.face.height(at_end) - r);
            if self.closing(gap, gap_end, 0) {
                // A disc has one border, entered and left.
                let side = if self.face.disc().is_some() {
                    usize::from(s > clipped[0].0)
                } else {
                    self.face.edge(side)
                };
                let feature = Feature::line_over_border(self.reference_is_a, k, side);
                let point = self.now[0].world_of(at) - self.outward * r;
                // A round side has no edge that would meet the border along another direction of its own.
                if r > 0.0 || self.level_beyond(point) {
                    self.push(feature, point, gap, first, out);
                }
            }
        }
    }

    /// Places where a rim of the other body that faces the face passes over its border.
    fn rims(&self, first: usize, out: &mut Vec<Candidate>) {
        let [reference, other] = &self.now;
        let down = -self.outward;
        for k in 0..other.n_circles() {
            let circle = other.circle(k);
            if !rim::faces(&circle, down) {
                continue;
            }
            let mut place = |side: usize, which: usize, point: DVec3| {
                let p = reference.local_of(point);
                let material = self.end[1].world_of(other.local_of(point));
                let q = self.end[0].local_of(material);
                let (gap, gap_end) = (self.face.height(p), self.face.height(q));
                if self.closing(gap, gap_end, 0)
                    && self.face.clip(p, p, self.tolerance()).is_some()
                    && self.level_beyond(point)
                {
                    let feature = Feature::rim_over_border(self.reference_is_a, k, side, which);
                    self.push(feature, point, gap, first, out);
                }
            };
            for i in 0..self.face.n_sides() {
                let (corner, outside) = self.face.side(i);
                let out = reference.turn * outside;
                let distance = out.dot(reference.world_of(corner) - circle.centre);
                for (which, x) in meets_plane(&circle, out, distance).into_iter().enumerate() {
                    if let Some(x) = x {
                        place(i, which, x);
                    }
                }
            }
            if let Some(radius) = self.face.disc() {
                let centre = reference.world_of(DVec3::ZERO);
                for (which, x) in meets_circle(&circle, centre, radius)
                    .into_iter()
                    .enumerate()
                {
                    if let Some(x) = x {
                        place(0, which, x);
                    }
                }
            }
        }
    }

    /// Corners (or the rim) of the face under the facing side of the other body, with that side's normal.
    fn corners(&self, first: usize, out: &mut Vec<Candidate>) {
        let ([reference, other], [reference_end, other_end]) = (&self.now, &self.end);
        let Some(k) = other.facing(-self.outward) else {
            return;
        };
        let facing = other.outline(k);
        let inward = other.turn * facing.normal;
        let mut place = |number: usize, point: DVec3, point_end: DVec3| {
            let (p, q) = (other.local_of(point), other_end.local_of(point_end));
            let (gap, gap_end) = (facing.height(p), facing.height(q));
            if self.closing(gap, gap_end, 1)
                && facing.clip(p, q, self.tolerance()).is_some()
                && self.pair.is_true(gap, self.deepest)
                && height_over_lowest(reference, inward, point) <= self.pair.slack
            {
                let new = Candidate {
                    feature: Feature::point_on_face(!self.reference_is_a, facing.number(), number),
                    point: point + self.pair.origin,
                    normal: self.signed(-inward),
                    gap,
                };
                self.pair.push_new(new, first, out);
            }
        };
        if self.face.disc().is_some() {
            let rim = self.face.number();
            rim::points(reference, reference_end, rim, -inward, self.load(), place);
            return;
        }
        for i in 0..self.face.n_sides() {
            let corner = self.face.corner(i);
            place(corner, reference.point(corner), reference_end.point(corner));
        }
    }
}

/// A place in the frame of the reference, and its height over the face.
#[derive(Clone, Copy)]
struct Local {
    place: DVec3,
    height: f64,
}

/// Points of a body that are seen once for all lines that end in them; those beyond are seen each time.
const KEPT: usize = 16;

/// The points of the other body as the reference sees them, now and at the end.
struct Seen {
    kept: [[Local; 2]; KEPT],
}

impl Seen {
    fn of(over: &Over) -> Self {
        let none = Local {
            place: DVec3::ZERO,
            height: 0.0,
        };
        let mut kept = [[none; 2]; KEPT];
        for (k, local) in kept.iter_mut().enumerate().take(over.now[1].n_points()) {
            *local = Self::made(over, k);
        }
        Self { kept }
    }

    fn point(&self, over: &Over, k: usize) -> [Local; 2] {
        self.kept.get(k).map_or_else(|| Self::made(over, k), |l| *l)
    }

    fn made(over: &Over, k: usize) -> [Local; 2] {
        let ([reference, other], [reference_end, other_end]) = (&over.now, &over.end);
        [
            over.seen_from(reference, other.point(k)),
            over.seen_from(reference_end, other_end.point(k)),
        ]
    }
}

/// How much farther a body reaches against n than one of its points does, m. What is lower elsewhere is past the border of the
/// face under the point, if it is not inside.
pub(super) fn height_over_lowest(body: &Placed, n: DVec3, point: DVec3) -> f64 {
    n.dot(point) + body.reach(-n)
}

/// The line between the lowest points of a cylinder's rims, or of a cone's rim and its apex.
fn lowest_line(s: &Placed, n: DVec3) -> [DVec3; 2] {
    let low = s.circle(0).farthest(-n);
    match s.shape {
        Shape::Cone { .. } => [low, s.point(0)],
        _ => [low, s.circle(1).farthest(-n)],
    }
}

/// The two points of a circle at `distance` from its centre along the unit vector `out`.
fn meets_plane(circle: &Circle, out: DVec3, distance: f64) -> [Option<DVec3>; 2] {
    let across = out - circle.axis * circle.axis.dot(out);
    let length = across.length();
    let Some(u) = across.try_normalize() else {
        return [None; 2];
    };
    points_at(circle, u, distance / (circle.radius * length))
}

/// The two points of a circle at `radius` from the point `centre`, in the circle's plane.
fn meets_circle(circle: &Circle, centre: DVec3, radius: f64) -> [Option<DVec3>; 2] {
    let apart = circle.centre - centre;
    let apart = apart - circle.axis * circle.axis.dot(apart);
    let d = apart.length();
    let Some(u) = apart.try_normalize().filter(|_| d > 1e-9 * radius) else {
        return [None; 2];
    };
    let r = circle.radius;
    points_at(circle, u, (radius * radius - r * r - d * d) / (2.0 * r * d))
}

/// The points of a circle at the angle with this cosine on both sides of the unit vector u in its plane.
fn points_at(circle: &Circle, u: DVec3, cosine: f64) -> [Option<DVec3>; 2] {
    if cosine.abs() >= 1.0 || cosine.is_nan() {
        return [None; 2];
    }
    let (v, sine) = (circle.axis.cross(u), (1.0 - cosine * cosine).sqrt());
    [sine, -sine].map(|s| Some(circle.centre + (u * cosine + v * s) * circle.radius))
}
