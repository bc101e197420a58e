//! Two bounded convex shapes of any kind.
//!
//! First the direction: that of the nearest points where the pair touches or is not predicted to, else that of its
//! first touch on the predicted way. Then its rows: across a face all that lies
//! over it ([`super::over`]); between two other features their nearest points, the ends of lines that run beside
//! each other, and what lies over the two faces that meet the direction best.

use super::over::{Over, height_over_lowest};
use super::{Candidate, Feature, Moving, reach, slack};
use crate::box_overlap::BoxPair;
use crate::directions::{Direction, Of, Part, closest, farthest, farthest_after, gap_along};
use crate::placed::{Circle, Placed};
use crate::proof::touching;
use crate::rims::circle_to_line;
use crate::shape::Shape;
use glam::DVec3;

/// Lengths below this fraction of the bodies' size count as zero when features coincide.
pub(super) const COINCIDE: f64 = 1e-8;

/// Gaps that differ by this fraction of the bodies' size are equal to rounding.
const ROUNDING: f64 = 1e-13;

/// A face that separates as well as the nearest direction, to this fraction of the size, stands for it. Its normal
/// is within the root of this of the direction, and the touching point within as much of the face.
const SAME_GAP: f64 = 1e-15;

/// Lines within this angle (sine) of each other run side by side.
pub(super) const PARALLEL: f64 = 0.2;

/// Directions closer than this (cosine) to a row's normal may stand for it.
const NEAR: f64 = 0.95;

/// Lines beyond this angle (sine) of each other cross at one place.
const CROSSED: f64 = 1e-3;

/// Bodies nearer than this fraction of their size touch, when the way to the first touch is followed.
const TOUCH: f64 = 1e-6;

/// Directions within this angle (cosine) of each other are much the same.
const ALIKE: f64 = 0.9;

/// Most steps on the way to the first touch; each is as long as the gap allows.
const MOST_ADVANCES: usize = 20;

/// Both bodies at one time.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) a: Placed<'a>,
    pub(super) b: Placed<'a>,
}

/// The pair in the course of the step; places are measured from `origin`.
pub(super) struct Pair<'a> {
    pub(super) moving: [&'a Moving<'a>; 2],
    pub(super) now: Both<'a>,
    pub(super) end: Both<'a>,
    pub(super) origin: DVec3,
    pub(super) slack: f64,
    /// Farther apart at the start they do not meet, m.
    reach: f64,
    /// Size of the larger body, m.
    pub(super) size: f64,
}

/// Candidates of two bounded convex shapes; normals point from a to b.
pub(super) fn convex(a: &Moving, b: &Moving, out: &mut Vec<Candidate>) {
    let Some((start, pair)) = Pair::new(a, b) else {
        return;
    };
    let slack = pair.slack;
    let Some(nearest) = farthest(&start.a, &start.b) else {
        return;
    };
    if nearest.gap > pair.reach {
        return;
    }
    let Some(chosen) = pair.choose(&start, nearest) else {
        return;
    };
    let now = pair.at_gap_poses(&start, &chosen);
    if pair.gap_at_end(&start, &chosen) > slack && now.gap > slack {
        return;
    }
    let first = out.len();
    pair.rows(&now, first, out);
    // A turn may bring other features together than those that touch first: the ones that overlap most at the end.
    if let Some(later) = pair.at_end(&start, &now) {
        pair.rows(&later, first, out);
    }
}

/// The candidates over one face alone, if the two are apart across it.
pub(super) fn across_face(a: &Moving, b: &Moving, of: Of, out: &mut Vec<Candidate>) {
    let Some((start, pair)) = Pair::new(a, b) else {
        return;
    };
    let across = |at: &Both| match of {
        Of::FaceB(k) => -at.b.face(k),
        Of::FaceA(k) => at.a.face(k),
        Of::Parts(..) => DVec3::ZERO,
    };
    let gap = |at: &Both| gap_along(&at.a, &at.b, across(at));
    let apart = gap(&start) >= -COINCIDE * pair.size;
    let now = gap(&pair.now);
    if apart && now.min(gap(&pair.end)) <= pair.slack {
        let first = out.len();
        match of {
            Of::FaceA(k) => Over::new(&pair, (true, k), false, now).collect(first, out),
            Of::FaceB(k) => Over::new(&pair, (false, k), false, now).collect(first, out),
            Of::Parts(..) => {}
        }
    }
}

/// Do the two touch at a face, or are both round where they are nearest? At an edge or a corner, and between
/// bodies that do not touch yet, there may be other ways out.
pub(super) fn one_way_out(a: &Moving, b: &Moving) -> bool {
    let origin = a.start.position;
    let (a, b) = (
        Placed::new(a.shape, &a.start, origin),
        Placed::new(b.shape, &b.start, origin),
    );
    let touch = TOUCH * a.shape.radius().min(b.shape.radius());
    farthest(&a, &b).is_some_and(|d| match d.of {
        Of::FaceA(_) | Of::FaceB(_) => d.gap <= touch,
        Of::Parts(p, q) => is_round(&a, p) && is_round(&b, q),
    })
}

/// Do all directions that separate two boxes at the start of the step agree to about 25°?
pub(super) fn boxes_one_way_out(a: &Moving, half_a: DVec3, b: &Moving, half_b: DVec3) -> bool {
    let pair = BoxPair::new(half_a, &a.start, half_b, &b.start);
    let tie = COINCIDE * a.shape.radius().max(b.shape.radius());
    let mut first: Option<DVec3> = None;
    pair.faces()
        .chain(pair.across_edges())
        .flat_map(|n| {
            let [there, back] = pair.along(n);
            [(n, there), (-n, back)]
        })
        .filter(|(_, gap)| *gap >= -tie)
        .all(|(n, _)| first.get_or_insert(n).dot(n) > 0.9)
}

/// Has the surface one normal at this feature?
fn is_round(s: &Placed, part: Part) -> bool {
    match part {
        Part::Point(_) | Part::Line(_) => s.rounding() > 0.0 || s.girth() > 0.0,
        Part::Circle(_) => false,
        Part::Side => true,
    }
}

impl<'a> Pair<'a> {
    /// Both bodies at the start, and on their way; `None` where they are too far apart to meet.
    pub(super) fn new(a: &'a Moving<'a>, b: &'a Moving<'a>) -> Option<(Both<'a>, Self)> {
        let slack = slack(a, b);
        let (radius_a, radius_b) = (a.shape.radius(), b.shape.radius());
        let apart = (b.start.position - a.start.position).length() - radius_a - radius_b;
        let reach = reach(a, b, slack);
        if apart > reach {
            return None;
        }
        let origin = a.pose.position;
        let both = |pose_a, pose_b| Both {
            a: Placed::new(a.shape, pose_a, origin),
            b: Placed::new(b.shape, pose_b, origin),
        };
        let pair = Self {
            moving: [a, b],
            now: both(&a.pose, &b.pose),
            end: both(&a.end, &b.end),
            origin,
            slack,
            reach,
            size: radius_a.max(radius_b),
        };
        Some((both(&a.start, &b.start), pair))
    }

    /// The nearest direction, where the pair touches or is predicted to stay apart along it; else the direction
    /// of the first touch on the way, if it separates the pair now as well. `None` if they pass by: what does is
    /// not stopped, and the second look sees it if impulses turn it aside.
    fn choose(&self, start: &Both, nearest: Direction) -> Option<Direction> {
        let tie = SAME_GAP * self.size;
        let nearest = face_first(start, nearest, tie);
        if nearest.gap <= TOUCH * self.size || self.gap_at_end(start, &nearest) >= 0.0 {
            return Some(nearest);
        }
        let touch = self.first_touch(start, nearest)?;
        let separates = |d: &Direction| gap_along(&start.a, &start.b, d.n) >= -COINCIDE * self.size;
        let alike = nearest.n.dot(touch.n) > ALIKE;
        let usable = |d: &Direction| separates(d) && self.meets(start, d);
        Some(match fitted(start, touch).filter(usable) {
            Some(carried) => carried,
            // Features that are not opposite each other yet; the nearest ones serve until then.
            None if alike || !separates(&touch) => nearest,
            None => touch,
        })
    }

    /// The nearest direction where the pair first touches on its predicted way: it is followed by steps that are
    /// too short to miss it.
    fn first_touch(&self, start: &Both, nearest: Direction) -> Option<Direction> {
        let [a, b] = self.moving;
        let shift = (b.end.position - b.start.position) - (a.end.position - a.start.position);
        let turn = a.sweep() + b.sweep();
        let (mut s, mut d) = (0.0, nearest);
        for _ in 0..MOST_ADVANCES {
            // Along n they approach by n·shift and the turns at most.
            let approach = turn - d.n.dot(shift);
            if d.gap <= TOUCH * self.size {
                return Some(d);
            }
            // What lies on one side of a plane at the start and at the end stays there.
            let Both { a: end_a, b: end_b } = &self.end;
            let clear =
                gap_along(end_a, end_b, d.n) >= 0.0 && gap_along(&start.a, &start.b, d.n) >= 0.0;
            if approach <= 0.0 || clear {
                return None;
            }
            s += d.gap / approach;
            if s > 1.0 {
                return None;
            }
            let there = Both {
                a: Placed::new(a.shape, &a.at(s), self.origin),
                b: Placed::new(b.shape, &b.at(s), self.origin),
            };
            d = face_first(
                &there,
                farthest_after(&there.a, &there.b, &d)?,
                SAME_GAP * self.size,
            );
        }
        Some(d)
    }

    /// The predicted gap along a direction that is carried along by the features it belongs to.
    fn gap_at_end(&self, start: &Both, d: &Direction) -> f64 {
        let Both { a, b } = &self.end;
        let along = |n| gap_along(a, b, n);
        match d.of {
            Of::FaceA(k) => along(a.face(k)),
            Of::FaceB(k) => along(-b.face(k)),
            Of::Parts(..) => {
                let with_a = a.turn * (start.a.turn.transpose() * d.n);
                let with_b = b.turn * (start.b.turn.transpose() * d.n);
                let mut gap = along(d.n).max(along(with_a)).max(along(with_b));
                if let Of::Parts(Part::Line(i), Part::Line(j)) = d.of {
                    let ([p, q], [r, w]) = (a.line(i), b.line(j));
                    if let Some(n) = (q - p).cross(w - r).try_normalize() {
                        gap = gap.max(along(if n.dot(d.n) < 0.0 { -n } else { n }));
                    }
                }
                gap
            }
        }
    }

    /// The direction at the poses where gaps are measured: prescribed bodies are at their end there.
    fn at_gap_poses(&self, start: &Both, d: &Direction) -> Direction {
        let Both { a, b } = &self.now;
        let (placed, before) = ([a, b], [&start.a, &start.b]);
        let still = (0..2)
            .all(|k| placed[k].turn == before[k].turn && placed[k].centre == before[k].centre);
        let mut carried = fitted(&self.now, *d).unwrap_or(*d);
        // The best direction there, if it is nearly this one.
        if !still
            && let Some(near) = farthest_after(a, b, &carried)
            && near.n.dot(carried.n) > ALIKE
        {
            carried = face_first(&self.now, near, SAME_GAP * self.size);
        }
        Direction {
            gap: gap_along(a, b, carried.n),
            ..carried
        }
    }

    /// The direction in which the pair overlaps least at the end of the predicted way, carried back to now, if it
    /// separates the pair now and differs from `chosen`, though not by much.
    fn at_end(&self, start: &Both, chosen: &Direction) -> Option<Direction> {
        let d = farthest_after(&self.end.a, &self.end.b, chosen)?;
        if d.gap >= 0.0 {
            return None;
        }
        let later = self.carried_back(&d)?;
        let n = later.n;
        let likeness = n.dot(chosen.n);
        let separates = gap_along(&start.a, &start.b, n) >= -COINCIDE * self.size;
        let wanted = separates && likeness > 0.7 && likeness < 1.0 - 1e-6;
        (wanted && self.meets(&self.now, &later)).then_some(later)
    }

    /// A direction of the end where gaps are measured: as its features have it there.
    pub(super) fn carried_back(&self, d: &Direction) -> Option<Direction> {
        let (Both { a, b }, end) = (&self.now, &self.end);
        let with = |now: &Placed, end: &Placed| now.turn * (end.turn.transpose() * d.n);
        let gap = |n: DVec3| gap_along(a, b, n);
        let n = [d.n, with(a, &end.a), with(b, &end.b)]
            .into_iter()
            .filter_map(|n| fitted(&self.now, Direction { n, ..*d }))
            .map(|fitted| fitted.n)
            .reduce(|best, n| if gap(n) > gap(best) { n } else { best })?;
        Some(Direction {
            of: d.of,
            n,
            gap: gap_along(a, b, n),
        })
    }

    /// What is higher than the lowest of its body by no more than this is level, m: a turn about one of its
    /// ends, which moves the other by twice what it moves about the middle, may make it so.
    pub(super) fn level(&self) -> f64 {
        let [a, b] = self.moving;
        2.0 * (a.turn() + b.turn()) + COINCIDE * a.shape.radius().min(b.shape.radius())
    }

    /// A face of the end that separates as well as a direction stands for it.
    pub(super) fn face_first_at_end(&self, d: Direction) -> Direction {
        face_first(&self.end, d, SAME_GAP * self.size)
    }

    /// Are the two features of a direction opposite each other, to within the motion of the step?
    fn meets(&self, at: &Both, d: &Direction) -> bool {
        if !matches!(d.of, Of::Parts(..)) {
            return true;
        }
        let [[p, q], [r, w]] = self.meeting_parts(at, d);
        let (s, t) = closest(p, q - p, r, w - r);
        let apart = r.lerp(w, t) - p.lerp(q, s);
        (apart - d.n * d.n.dot(apart)).length() <= 2.0 * self.slack
    }

    fn rows(&self, d: &Direction, first: usize, out: &mut Vec<Candidate>) {
        match d.of {
            Of::FaceA(k) => Over::new(self, (true, k), false, d.gap).collect(first, out),
            Of::FaceB(k) => Over::new(self, (false, k), false, d.gap).collect(first, out),
            Of::Parts(..) => {
                // Along a direction that a face has as well, to rounding, edges are foremost that do not meet.
                if self.meets(&self.now, d) {
                    self.push_new(self.between(d), first, out);
                }
                self.side_by_side(d, first, out);
                if let Some(k) = self.now.a.facing(d.n) {
                    Over::new(self, (true, k), true, d.gap).collect(first, out);
                }
                if let Some(k) = self.now.b.facing(-d.n) {
                    Over::new(self, (false, k), true, d.gap).collect(first, out);
                }
            }
        }
        // Where nothing of one body passes over the face of the other, its lowest point has a row all the same.
        if out.len() == first {
            out.push(self.lowest(d));
        }
    }

    /// The lines (or points, twice) of a and b that meet across a direction.
    pub(super) fn meeting_parts(&self, at: &Both, d: &Direction) -> [[DVec3; 2]; 2] {
        let (Both { a, b }, n) = (at, d.n);
        let tolerance = ROUNDING * self.size;
        match d.of {
            Of::Parts(p, q) => [
                meeting_part(a, p, n, self.size),
                meeting_part(b, q, -n, self.size),
            ],
            _ => [touching(a, n, tolerance), touching(b, -n, tolerance)],
        }
    }

    /// The row of two features that are no faces, at their nearest points.
    fn between(&self, d: &Direction) -> Candidate {
        let (Both { a, .. }, n) = (&self.now, d.n);
        // A ball, and a body's point that stands for one, has the row's point itself.
        if matches!(a.shape, Shape::Ball { .. }) {
            return self.row_of_a(Feature::NEAREST, a.farthest(n), n);
        }
        let [[p, q], [r, w]] = self.meeting_parts(&self.now, d);
        let (_, t) = closest(p, q - p, r, w - r);
        let feature = match d.of {
            Of::Parts(Part::Line(i), Part::Line(j)) => Feature::crossing(i, j),
            _ => Feature::NEAREST,
        };
        self.row(feature, r + (w - r) * t, n)
    }

    /// The row of the point of one body nearest to the plane of the other's face.
    fn lowest(&self, d: &Direction) -> Candidate {
        let Both { a, b } = &self.now;
        if matches!(d.of, Of::FaceB(_)) {
            self.row_of_a(Feature::LOWEST, a.farthest(d.n), d.n)
        } else {
            self.row(Feature::LOWEST, b.farthest(-d.n), d.n)
        }
    }

    /// A row of a point of a.
    pub(super) fn row_of_a(&self, feature: Feature, point: DVec3, n: DVec3) -> Candidate {
        Candidate {
            feature,
            point: point + self.origin,
            normal: n,
            gap: -self.now.b.reach(-n) - n.dot(point),
        }
    }

    /// A row of a point of b.
    pub(super) fn row(&self, feature: Feature, point: DVec3, n: DVec3) -> Candidate {
        Candidate {
            feature,
            point: point + self.origin,
            normal: n,
            gap: n.dot(point) - self.now.a.reach(n),
        }
    }

    /// Where a line of a and one of b run side by side (capsules, cylinders, cones and edges): the ends of each
    /// over the other, and the place where the two will cross (of b, or else of a: there they say the same), each with the
    /// normal there.
    fn side_by_side(&self, direction: &Direction, first: usize, out: &mut Vec<Candidate>) {
        let (Both { a, b }, n) = (&self.now, direction.n);
        let straight = |s: &Placed| !(s.n_lines() == 1 || s.side().is_some());
        if straight(a) && straight(b) {
            return;
        }
        for_lines(a, n, self.slack, |i, la| {
            for_lines(b, -n, self.slack, |j, lb| {
                let (d, e) = (la[1] - la[0], lb[1] - lb[0]);
                if d.cross(e).length() > PARALLEL * d.length() * e.length() {
                    return;
                }
                let mut crossing = self.crossing_at_end(n, i, j);
                for of_b in [true, false] {
                    let (over, under) = if of_b { (lb, la) } else { (la, lb) };
                    let crossed = crossing.map(|c| if of_b { c.1 } else { c.0 });
                    let places = [Some(0.0), Some(1.0), crossed].into_iter().enumerate();
                    for (k, t) in places.filter_map(|(k, t)| Some((k, t?))) {
                        let level = |row: &Candidate| {
                            // Where the line goes down beyond the other body, the two cross, along another direction.
                            let (own, out) = if of_b {
                                (b, row.normal)
                            } else {
                                (a, -row.normal)
                            };
                            own.rounding() > 0.0
                                || height_over_lowest(own, out, row.point) <= self.level()
                        };
                        let mut row = self.beside(of_b, over, t, under);
                        if k == 2 {
                            row = row.map(|row| self.across(of_b, over, t, under, &row));
                        }
                        if let Some(row) = row.filter(level) {
                            crossing = crossing.filter(|_| k < 2);
                            let feature = Feature::end(of_b, i, j, k);
                            self.push_end(direction, Candidate { feature, ..row }, first, out);
                        }
                    }
                }
            });
        });
    }

    /// The row of the place at the fraction `t` of the line `over` of b (or of a) beside the line `under` of the other: the normal
    /// of that line towards the place, or towards the circle about it, and the surface there. `None` beside the line.
    pub(super) fn beside(
        &self,
        of_b: bool,
        over: [DVec3; 2],
        t: f64,
        under: [DVec3; 2],
    ) -> Option<Candidate> {
        let Both { a, b } = &self.now;
        let (own, other) = if of_b { (b, a) } else { (a, b) };
        let core = over[0].lerp(over[1], t);
        let mut outward = over_line(other, under, core)?;
        let mut point = own.surface_over(core, -outward);
        if let Some(circle) = own.circle_at(core, t) {
            outward = if other.side().is_some() {
                other.side()?.normal_towards(circle.farthest(-outward))?
            } else {
                normal_to_circle(&circle, under, outward)
            };
            point = circle.farthest(-outward);
            lies_over(under, point).then_some(())?;
            sees(other, under, outward).then_some(())?;
        }
        Some(Candidate {
            feature: Feature::NEAREST,
            point,
            normal: if of_b { outward } else { -outward },
            gap: outward.dot(point) - other.reach(outward),
        })
    }

    /// The row of the same place across both lines, where that is near the normal of `row`; else `row`. Where two lines
    /// cross, that is what they touch along: the normal of a round side towards a place beside the foremost one leans by what
    /// they move, and would hold what slides along the face beside an edge.
    fn across(
        &self,
        of_b: bool,
        over: [DVec3; 2],
        t: f64,
        under: [DVec3; 2],
        row: &Candidate,
    ) -> Candidate {
        let Both { a, b } = &self.now;
        let (own, other) = if of_b { (b, a) } else { (a, b) };
        let outward = if of_b { row.normal } else { -row.normal };
        let cross = (over[1] - over[0]).cross(under[1] - under[0]);
        let Some(n) = cross.try_normalize().map(|n| n * n.dot(outward).signum()) else {
            return *row;
        };
        if n.dot(outward) < NEAR {
            return *row;
        }
        // Round bodies may cross there only in the motion that was predicted. Until then they are apart there: across both lines is the
        // gap of where they cross now. (Of rods that are nearly parallel the difference is next to nothing, but not the lever.)
        let round = a.n_lines() == 1 && b.n_lines() == 1;
        let now = if round {
            crossing(under, over)
        } else {
            Some((0.0, t))
        };
        let Some((_, t)) = now else {
            return *row;
        };
        let point = own.surface_over(over[0].lerp(over[1], t), -n);
        let gap = n.dot(point) - other.reach(n);
        let normal = if of_b { n } else { -n };
        Candidate {
            point,
            normal,
            gap,
            ..*row
        }
    }

    /// Where line i of a and line j of b will cross, as fractions of them, if that is between the ends of both. Nearly
    /// parallel lines cross far from where they do now.
    fn crossing_at_end(&self, n: DVec3, i: usize, j: usize) -> Option<(f64, f64)> {
        let line = |s: &Placed, k: usize, n: DVec3| s.slope(n).unwrap_or_else(|| s.line(k));
        crossing(line(&self.end.a, i, n), line(&self.end.b, j, -n))
    }

    /// Adds the row of an end, its point measured from the pair's origin, if it is nearly along the pair's direction and closes.
    fn push_end(&self, d: &Direction, row: Candidate, first: usize, out: &mut Vec<Candidate>) {
        let closes = row.gap.min(row.gap + row.normal.dot(self.way(row.point))) <= self.slack;
        if row.normal.dot(d.n) > 0.9 && closes && self.is_true(row.gap, d.gap) {
            let point = row.point + self.origin;
            self.push_new(Candidate { point, ..row }, first, out);
        }
    }

    /// Does a row across another direction than the pair's claim no more overlap than there is along the pair's, `deepest`?
    /// Below the plane of another face, or inside an edge, is also what lies beside it and what another side of the body
    /// keeps out. (Along normals up to 60° apart one place may be twice as deep.)
    pub(super) fn is_true(&self, gap: f64, deepest: f64) -> bool {
        gap >= 2.0 * deepest.min(0.0) - COINCIDE * self.size
    }

    /// Way of b's material point at `x` less that of a's, to the end of the step.
    fn way(&self, x: DVec3) -> DVec3 {
        let carried = |now: &Placed, end: &Placed| end.world_of(now.local_of(x)) - x;
        carried(&self.now.b, &self.end.b) - carried(&self.now.a, &self.end.a)
    }

    /// Adds a candidate unless one of this pair has the same features, or stands at the same place, with the
    /// same normal.
    pub(super) fn push_new(&self, new: Candidate, first: usize, out: &mut Vec<Candidate>) {
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

/// Where two lines cross, as fractions of them, if that is between the ends of both.
fn crossing([p, q]: [DVec3; 2], [r, w]: [DVec3; 2]) -> Option<(f64, f64)> {
    let (d, e) = (q - p, w - r);
    let crossed = d.cross(e).length() > CROSSED * d.length() * e.length();
    let inside = |t: f64| t > 0.0 && t < 1.0;
    Some(closest(p, d, r, e)).filter(|&(s, t)| crossed && inside(s) && inside(t))
}

/// A face whose gap is that of the direction, to within `tie`, stands for it.
fn face_first(at: &Both, d: Direction, tie: f64) -> Direction {
    if !matches!(d.of, Of::Parts(..)) {
        return d;
    }
    let faces_a = (0..at.a.n_faces()).map(|k| (Of::FaceA(k), at.a.face(k)));
    let faces_b = (0..at.b.n_faces()).map(|k| (Of::FaceB(k), -at.b.face(k)));
    faces_a
        .chain(faces_b)
        .filter(|(_, n)| n.dot(d.n) > 1.0 - 1e-6)
        .map(|(of, n)| Direction {
            of,
            n,
            gap: gap_along(&at.a, &at.b, n),
        })
        .find(|face| face.gap >= d.gap - tie)
        .unwrap_or(d)
}

/// The direction as its features have it at these poses: a face's normal, across the lines of both bodies, on the sides
/// of cones. Along a direction that is not across an edge the edge touches with an end, far from where it will. `None`
/// where the features do not face each other at these poses: then they do not separate as well as the direction itself.
fn fitted(at: &Both, d: Direction) -> Option<Direction> {
    let Both { a, b } = at;
    let (p, q) = match d.of {
        Of::FaceA(k) => return Some(Direction { n: a.face(k), ..d }),
        Of::FaceB(k) => return Some(Direction { n: -b.face(k), ..d }),
        Of::Parts(p, q) => (p, q),
    };
    let (of_a, of_b) = (condition(a, p), condition(b, q).map(|(e, c)| (e, -c)));
    let n = match (of_a, of_b) {
        (Some(one), Some(other)) => meeting(one, other, d.n)?,
        (Some(one), None) | (None, Some(one)) => meeting(one, one, d.n)?,
        (None, None) => d.n,
    };
    (gap_along(a, b, n) >= gap_along(a, b, d.n)).then_some(Direction { n, ..d })
}

/// What a feature asks of an outward normal, n·e = c with a unit vector e: a line lies across it, a cone's side
/// has one angle with the axis.
fn condition(s: &Placed, part: Part) -> Option<(DVec3, f64)> {
    match part {
        Part::Line(k) => {
            let [p, q] = s.line(k);
            (q - p).try_normalize().map(|e| (e, 0.0))
        }
        Part::Side => s.side().map(|side| (side.axis, side.sin)),
        Part::Point(_) | Part::Circle(_) => None,
    }
}

/// The unit vector near n with n·e₁ = c₁ and n·e₂ = c₂; where the two are one, or nearly, with the first alone.
fn meeting((e1, c1): (DVec3, f64), (e2, c2): (DVec3, f64), n: DVec3) -> Option<DVec3> {
    let cross = e1.cross(e2);
    let (k, sine2) = (e1.dot(e2), cross.length_squared());
    if sine2 < 1e-12 {
        let across = (n - e1 * e1.dot(n)).try_normalize()?;
        return Some(e1 * c1 + across * (1.0 - c1 * c1).sqrt());
    }
    let within = (e1 * (c1 - k * c2) + e2 * (c2 - k * c1)) / sine2;
    let height = 1.0 - within.length_squared();
    let up = cross * (height.max(0.0) / sine2).sqrt();
    (within + if up.dot(n) < 0.0 { -up } else { up }).try_normalize()
}

/// Where a feature of a body meets another body across the direction n, out of it: the ends of a line on its surface, or one
/// point twice. The feature must be foremost along n, but only as well as n is known: lines that are parallel to 1e-10 are
/// not across n to rounding, and the foremost of their ends may lie far along them from the place that is nearest to the
/// other body. Of a round body the line is taken whichever feature the direction was found from; and where an edge borders a
/// face that lies across n too, the face's other edges reach as far and are not meant.
fn meeting_part(s: &Placed, part: Part, n: DVec3, size: f64) -> [DVec3; 2] {
    let low = s.reach(n) - COINCIDE * size;
    let supports = |line: &[DVec3; 2]| line.iter().all(|p| n.dot(*p) >= low);
    let line_of = |k: usize| s.line(k).map(|core| s.surface_over(core, n));
    let round = (s.n_lines() == 1).then(|| line_of(0));
    if let Some(line) = round.or_else(|| s.slope(n)).filter(supports) {
        return line;
    }
    let own = match part {
        Part::Point(k) => Some([s.surface_over(s.point(k), n); 2]),
        Part::Line(k) => Some(line_of(k)),
        Part::Circle(k) => Some([s.circle(k).farthest(n); 2]),
        Part::Side => None,
    };
    own.filter(supports)
        .unwrap_or_else(|| touching(s, n, ROUNDING * size))
}

/// Lines of a body that lie within `slack` of touching in the direction n, with their numbers; of a round body
/// the axis, of a cone the line of its side.
fn for_lines(s: &Placed, n: DVec3, slack: f64, mut visit: impl FnMut(usize, [DVec3; 2])) {
    if let Some(line) = s.slope(n) {
        visit(0, line);
    }
    let low = s.reach(n) - slack;
    for k in 0..s.n_lines() {
        let line = s.line(k);
        let round = s.girth() + s.rounding();
        // A round body may tip onto its line; an edge is on it or is not.
        if round > 0.0 || line.iter().all(|p| n.dot(*p) >= low - COINCIDE) {
            visit(k, line);
        }
    }
}

/// Outward normal of the line of `s` (or of the cone's side) over which `p` lies; `None` beside it.
fn over_line(s: &Placed, line: [DVec3; 2], p: DVec3) -> Option<DVec3> {
    let along = line[1] - line[0];
    let t = (p - line[0]).dot(along) / along.length_squared();
    let normal = match s.side() {
        Some(side) => side.normal_towards(p),
        None => (p - line[0] - along * t).try_normalize(),
    }?;
    (lies_over(line, p) && sees(s, line, normal)).then_some(normal)
}

/// Is the place between the ends of the line?
fn lies_over(line: [DVec3; 2], p: DVec3) -> bool {
    let along = line[1] - line[0];
    let t = (p - line[0]).dot(along) / along.length_squared();
    (-1e-9..=1.0 + 1e-9).contains(&t)
}

/// Is the line of `s` its foremost part along the normal? An edge between faces is seen only within the arc of their normals.
fn sees(s: &Placed, line: [DVec3; 2], normal: DVec3) -> bool {
    let height = normal.dot(line[1]) + s.girth() + s.rounding();
    height >= s.reach(normal) - COINCIDE * (line[1] - line[0]).length()
}

/// The normal of an endless line towards a circle: across the line, and out of the circle where it comes nearest; near `outward`.
fn normal_to_circle(circle: &Circle, line: [DVec3; 2], outward: DVec3) -> DVec3 {
    let Some(e) = (line[1] - line[0]).try_normalize() else {
        return outward;
    };
    let mut best = (f64::NEG_INFINITY, outward);
    circle_to_line(circle, line[0], e, |n| {
        let apart = n.dot(line[0] - circle.farthest(n));
        if apart > best.0 && n.dot(outward) < 0.0 {
            best = (apart, -n);
        }
    });
    best.1
}
