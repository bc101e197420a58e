//! A triangle of a mesh against a ball or a polytope.
//!
//! As for two boxes: among the directions in which the two are apart now, the one in which the predicted motion
//! leaves them farthest apart. A direction counts only where the mesh may push along it ([`Facet`]): inside a flat
//! region that is the normal alone, so that a seam is no edge.

use super::polytope::{Polytope, with_polytope};
use super::{Candidate, Feature, Moving, slack};
use crate::directions::{Of, closest};
use crate::mesh::Facet;
use crate::path::closest_on_the_way;
use crate::pose::Pose;
use crate::separation::{nearest, separation};
use crate::shape::Shape;
use glam::DVec3;

/// Lengths below this fraction of the size count as zero where features coincide.
const COINCIDE: f64 = 1e-8;

/// Directions closer than this (cosine) to a face's normal get the rows of that face as well.
const ALONG: f64 = 0.95;

/// Candidates of a triangle and another convex shape; normals point from a to b.
pub(super) fn against(
    tri: &Moving,
    facet: &Facet,
    other: &Moving,
    tri_is_a: bool,
    out: &mut Vec<Candidate>,
) {
    let first = out.len();
    if let Shape::Ball { radius } = other.shape {
        ball(tri, facet, other, *radius, out);
    } else {
        let found = with_polytope(other.shape, |poly| {
            let pair = Pair {
                tri,
                facet,
                points: facet.points(),
                other,
                poly,
                tri_is_a,
            };
            pair.collect(out);
        });
        if found.is_none() {
            round(tri, facet, other, tri_is_a, out);
            return;
        }
    }
    if !tri_is_a {
        super::flip(&mut out[first..]);
    }
}

/// A shape with round sides, or a hull: the rows of two convex shapes, unless the nearest place is a seam, beyond which
/// the neighbour holds it. Then there are those over the face alone, onto which the body may move in this step.
fn round(tri: &Moving, facet: &Facet, other: &Moving, tri_is_a: bool, out: &mut Vec<Candidate>) {
    let near = nearest(tri.shape, &tri.start, other.shape, &other.start);
    let pushes = |n: DVec3| facet.pushes_along(tri.start.orientation.conjugate() * n);
    if near.is_none_or(|near| pushes(near.normal)) {
        if tri_is_a {
            super::convex::convex(tri, other, out);
        } else {
            super::convex::convex(other, tri, out);
        }
        return;
    }
    let centre = tri.start.to_body(other.start.position) - facet.points()[0];
    let side = usize::from(facet.normal().dot(centre) < 0.0);
    if tri_is_a {
        super::convex::across_face(tri, other, Of::FaceA(side), out);
    } else {
        super::convex::across_face(other, tri, Of::FaceB(side), out);
    }
}

/// Do all directions in which the two are apart agree to about 25°?
pub(super) fn one_way_out(tri: &Moving, facet: &Facet, other: &Moving) -> bool {
    if let Shape::Ball { .. } = other.shape {
        let centre = tri.start.to_body(other.start.position);
        let nearest = closest_point(facet.points(), centre);
        return (centre - nearest)
            .try_normalize()
            .is_none_or(|d| d.dot(facet.normal()).abs() > 1.0 - 1e-12 || !facet.pushes_along(d));
    }
    with_polytope(other.shape, |poly| {
        let points = facet.points();
        let tie = COINCIDE * size(&points).min(other.shape.radius());
        let mut first: Option<DVec3> = None;
        (0..direction_count(poly)).all(|k| {
            let Some(d) = direction(k, facet, &points, &tri.start, poly, &other.start) else {
                return true;
            };
            let apart = gap_along(d, &points, &tri.start, poly, &other.start) >= -tie
                && facet.pushes_along(tri.start.orientation.conjugate() * d);
            !apart || first.get_or_insert(d).dot(d) > 0.9
        })
    })
    .unwrap_or_else(|| {
        nearest(tri.shape, &tri.start, other.shape, &other.start).is_some_and(|near| {
            let d = tri.start.orientation.conjugate() * near.normal;
            let touch = super::TOUCH * other.shape.radius();
            !facet.pushes_along(d) || (near.gap <= touch && facet.normal().dot(d).abs() > 0.9)
        })
    })
}

/// The point of a triangle nearest to `x`.
pub(crate) fn closest_point([a, b, c]: [DVec3; 3], x: DVec3) -> DVec3 {
    let n = (b - a).cross(c - a);
    let inside = |p: DVec3, q: DVec3| n.cross(q - p).dot(x - p) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return x - n * (n.dot(x - a) / n.length_squared());
    }
    [(a, b), (b, c), (c, a)]
        .map(|(p, q)| {
            let e = q - p;
            p + e * (e.dot(x - p) / e.length_squared()).clamp(0.0, 1.0)
        })
        .into_iter()
        .reduce(|best, p| {
            if (p - x).length_squared() < (best - x).length_squared() {
                p
            } else {
                best
            }
        })
        .unwrap_or(a)
}

fn size([a, b, c]: &[DVec3; 3]) -> f64 {
    (*b - *a).length().max((*c - *a).length())
}

/// Both sides of the triangle, the faces of the polytope, and both signs of every product of edges.
fn direction_count(poly: &Polytope) -> usize {
    2 + poly.faces.len() + 6 * poly.axes.len()
}

/// Direction k from the triangle to the polytope, world; `None` where two edges are parallel.
fn direction(
    k: usize,
    facet: &Facet,
    points: &[DVec3; 3],
    pose: &Pose,
    poly: &Polytope,
    other: &Pose,
) -> Option<DVec3> {
    let faces = poly.faces.len();
    if k < 2 {
        let n = pose.orientation * facet.normal();
        return Some(if k == 0 { n } else { -n });
    }
    if k < 2 + faces {
        return Some(other.orientation * -poly.faces[k - 2].normal);
    }
    let k = k - 2 - faces;
    let (pair, sign) = (k / 2, if k.is_multiple_of(2) { 1.0 } else { -1.0 });
    let (i, j) = (pair % 3, pair / 3);
    let edge = (points[(i + 1) % 3] - points[i]).try_normalize()?;
    let cross = (pose.orientation * edge).cross(other.orientation * poly.axes[j]);
    let length = cross.length();
    (length > 1e-8).then(|| cross * (sign / length))
}

/// How far the polytope is from the triangle along d.
fn gap_along(d: DVec3, points: &[DVec3; 3], pose: &Pose, poly: &Polytope, other: &Pose) -> f64 {
    let near = -poly.support(other.orientation.conjugate() * -d) + d.dot(other.position);
    let local = pose.orientation.conjugate() * d;
    let far = points
        .map(|p| local.dot(p))
        .into_iter()
        .fold(f64::NEG_INFINITY, f64::max);
    near - far - d.dot(pose.position)
}

/// A triangle and a polytope on their way; all in the triangle's (mesh's) frame unless said.
struct Pair<'a> {
    tri: &'a Moving<'a>,
    facet: &'a Facet,
    points: [DVec3; 3],
    other: &'a Moving<'a>,
    poly: &'a Polytope<'a>,
    tri_is_a: bool,
}

impl Pair<'_> {
    fn collect(&self, out: &mut Vec<Candidate>) {
        let slack = slack(self.tri, self.other);
        let Some((k, d, gap_end)) = self.best_direction() else {
            return;
        };
        let gap = gap_along(d, &self.points, &self.tri.pose, self.poly, &self.other.pose);
        if gap.min(gap_end) > slack {
            return;
        }
        // Along a direction in which a neighbour holds them the two may be apart, or overlap by less, now and on the way.
        let mut deepest = 0.0;
        let claims = gap < -self.tie();
        if gap_end < 0.0 || claims {
            let (tri, other) = (self.tri, self.other);
            let way = closest_on_the_way(tri, other).on_the_way;
            if way > 0.0 {
                return;
            }
            if claims {
                deepest = separation(tri.shape, &tri.pose, other.shape, &other.pose).min(way);
            }
        }
        let first = out.len();
        let local = self.tri.pose.orientation.conjugate() * d;
        let n = self.facet.normal();
        let across_edges = k >= 2 + self.poly.faces.len();
        for side in [1.0, -1.0] {
            if k == usize::from(side < 0.0) || (k >= 2 && side * n.dot(local) > ALONG) {
                self.over_triangle(side, slack, deepest, first, out);
            }
        }
        for f in 0..self.poly.faces.len() {
            let outward = self.other.pose.orientation * self.poly.faces[f].normal;
            if k == 2 + f || -outward.dot(d) > ALONG {
                self.over_face(f, slack, deepest, first, out);
            }
        }
        if across_edges {
            self.crossing(k, d, deepest, first, out);
        }
    }

    /// What is higher than the lowest of its body by no more than this is level, m: a turn about one of its
    /// ends, which moves the other by twice what it moves about the middle, may make it so.
    fn level(&self) -> f64 {
        2.0 * (self.tri.turn() + self.other.turn()) + self.tie()
    }

    /// Lengths below this count as zero where features coincide, m.
    fn tie(&self) -> f64 {
        COINCIDE * size(&self.points).min(self.other.shape.radius())
    }

    /// Does a row claim no more overlap than the pair has, `deepest` (negative, or zero where it is apart)? Along normals up to
    /// 60° apart one place may be twice as deep.
    fn is_true(&self, gap: f64, deepest: f64) -> bool {
        gap >= 2.0 * deepest - self.tie()
    }

    /// Number, direction at the gaps' pose, and predicted gap at the end.
    fn best_direction(&self) -> Option<(usize, DVec3, f64)> {
        let tie = self.tie();
        let at = |k: usize, tri: &Pose, other: &Pose| {
            let d = direction(k, self.facet, &self.points, tri, self.poly, other)?;
            Some((d, gap_along(d, &self.points, tri, self.poly, other)))
        };
        let start = |k: usize| {
            let (d, gap) = at(k, &self.tri.start, &self.other.start)?;
            let local = self.tri.start.orientation.conjugate() * d;
            self.facet.pushes_along(local).then_some(gap)
        };
        let all = 0..direction_count(self.poly);
        let deepest = (all.clone().filter_map(start)).fold(f64::NEG_INFINITY, f64::max);
        let mut best: Option<(usize, DVec3, f64)> = None;
        for k in all {
            let Some(gap) = start(k) else { continue };
            if gap < deepest.min(0.0) - tie {
                continue;
            }
            let Some((_, end)) = at(k, &self.tri.end, &self.other.end) else {
                continue;
            };
            let margin = if k >= 2 { tie } else { 0.0 };
            if best.is_none_or(|(_, _, old)| end > old + margin)
                && let Some((d, _)) = at(k, &self.tri.pose, &self.other.pose)
            {
                best = Some((k, d, end));
            }
        }
        best
    }

    /// A point of the polytope, seen from the triangle: now and at the end.
    fn seen(&self, x: DVec3) -> (DVec3, DVec3) {
        let now = self.tri.pose.to_body(self.other.pose.to_world(x));
        (now, self.tri.end.to_body(self.other.end.to_world(x)))
    }

    /// Vertices of the polytope over one side of the triangle, its edges over a border that is no seam, and corners
    /// of the triangle under the face that looks at it.
    fn over_triangle(
        &self,
        side: f64,
        slack: f64,
        deepest: f64,
        first: usize,
        out: &mut Vec<Candidate>,
    ) {
        let n = self.facet.normal() * side;
        let height = |x: DVec3| n.dot(x - self.points[0]);
        let outward = self.tri.pose.orientation * n;
        let tolerance = COINCIDE * size(&self.points);
        let mut push = |feature: Feature, point: DVec3, gap: f64| {
            let new = Candidate {
                feature,
                point,
                normal: outward,
                gap,
            };
            push_new(new, tolerance, first, out);
        };
        let face = usize::from(side < 0.0);
        for (k, &vertex) in self.poly.vertices.iter().enumerate() {
            let (now, end) = self.seen(vertex);
            // What is below the sheet now lies under it, or it is beside it and passes over it later.
            if height(now).min(height(end)) <= slack
                && passes_over(&self.points, now, end, tolerance)
                && (self.is_true(height(now), deepest)
                    || passes_over(&self.points, now, now, tolerance))
            {
                let feature = Feature::point_on_face(self.tri_is_a, face, k);
                push(feature, self.other.pose.to_world(vertex), height(now));
            }
        }
        self.over_border(side, slack, deepest, &mut push);
        // The face that looks at the triangle, if it does so at all.
        let facing = (0..self.poly.faces.len())
            .map(|f| {
                (
                    f,
                    -(self.other.pose.orientation * self.poly.faces[f].normal).dot(outward),
                )
            })
            .reduce(|best, f| if f.1 > best.1 { f } else { best });
        if let Some((f, cosine)) = facing
            && cosine > ALONG
        {
            self.over_face(f, slack, deepest, first, out);
        }
    }

    /// Edges of the polytope over a border of the triangle that is no seam: where, and how high.
    fn over_border(
        &self,
        side: f64,
        slack: f64,
        deepest: f64,
        push: &mut impl FnMut(Feature, DVec3, f64),
    ) {
        let n = self.facet.normal() * side;
        let height = |x: DVec3| n.dot(x - self.points[0]);
        // Where the polytope goes down beyond the border, edges meet, along another direction.
        let lowest = self.poly.vertices.iter().map(|v| height(self.seen(*v).0));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let level = |x: DVec3| height(x) - lowest <= self.level();
        for i in (0..3).filter(|&i| !self.facet.edge_is_flat(i)) {
            let (p, q) = (self.points[i], self.points[(i + 1) % 3]);
            let inward = n.cross(q - p) * side;
            for (j, &(k, l)) in self.poly.edges.iter().enumerate() {
                let (a, b) = (self.poly.vertices[k], self.poly.vertices[l]);
                let ((a_now, a_end), (b_now, b_end)) = (self.seen(a), self.seen(b));
                let (u, v) = (inward.dot(a_now - p), inward.dot(b_now - p));
                if (u < 0.0) == (v < 0.0) {
                    continue;
                }
                let s = u / (u - v);
                let now = a_now.lerp(b_now, s);
                let along = (q - p).dot(now - p) / (q - p).length_squared();
                let low = height(now).min(height(a_end.lerp(b_end, s)));
                let is_true = self.is_true(height(now), deepest);
                if (0.0..=1.0).contains(&along) && low <= slack && is_true && level(now) {
                    let feature = Feature::line_over_border(self.tri_is_a, j, i);
                    push(feature, self.tri.pose.to_world(now), height(now));
                }
            }
        }
    }

    /// Corners of the triangle over a face of the polytope, unless they lie inside a flat region; its edges over the
    /// border of the face, unless they are seams.
    fn over_face(
        &self,
        f: usize,
        slack: f64,
        deepest: f64,
        first: usize,
        out: &mut Vec<Candidate>,
    ) {
        let face = &self.poly.faces[f];
        let corner = |k: usize| self.corner(f, k);
        let tolerance = COINCIDE * size(&self.points);
        let normal = self.other.pose.orientation * -face.normal;
        for k in (0..3).filter(|&k| !self.facet.corner_is_flat(k)) {
            let (now, end) = self.seen_by_polytope(self.points[k]);
            let over = (0..face.corners.len()).try_fold((0.0, 1.0), |range, i| {
                let (p, q) = (corner(i), corner(i + 1));
                clip(face.normal.cross(q - p), p, now, end, tolerance, range)
            });
            let gap = self.height(f, now);
            let low = gap.min(self.height(f, end));
            if low <= slack && over.is_some() && self.is_true(gap, deepest) {
                let new = Candidate {
                    feature: Feature::point_on_face(!self.tri_is_a, f, k),
                    point: self.tri.pose.to_world(self.points[k]),
                    normal,
                    gap,
                };
                push_new(new, tolerance, first, out);
            }
        }
        for i in (0..3).filter(|&i| !self.facet.edge_is_flat(i)) {
            self.edge_over_border(i, f, [slack, deepest], first, out);
        }
    }

    /// An edge of the triangle over the border of a face of the polytope, which may lie on a ridge whose ends are both beyond it.
    /// Where the triangle goes up beyond the border, edges meet, along another direction.
    fn edge_over_border(
        &self,
        i: usize,
        f: usize,
        [slack, deepest]: [f64; 2],
        first: usize,
        out: &mut Vec<Candidate>,
    ) {
        let face = &self.poly.faces[f];
        let ends = [self.points[i], self.points[(i + 1) % 3]];
        let [(p, p_end), (q, q_end)] = ends.map(|x| self.seen_by_polytope(x));
        let heights = self
            .points
            .map(|x| self.height(f, self.seen_by_polytope(x).0));
        let lowest = heights.into_iter().fold(f64::INFINITY, f64::min);
        for side in 0..face.corners.len() {
            let (from, to) = (self.corner(f, side), self.corner(f, side + 1));
            let inward = face.normal.cross(to - from);
            let (u, v) = (inward.dot(p - from), inward.dot(q - from));
            if (u < 0.0) == (v < 0.0) {
                continue;
            }
            let s = u / (u - v);
            let now = p.lerp(q, s);
            let along = (to - from).dot(now - from) / (to - from).length_squared();
            let gap = self.height(f, now);
            let low = gap.min(self.height(f, p_end.lerp(q_end, s)));
            let level = gap - lowest <= self.level();
            if (0.0..=1.0).contains(&along) && low <= slack && level && self.is_true(gap, deepest) {
                let sides = 4 * f + side;
                let new = Candidate {
                    feature: Feature::line_over_border(!self.tri_is_a, i, sides),
                    point: self.other.pose.to_world(now),
                    normal: self.other.pose.orientation * -face.normal,
                    gap,
                };
                push_new(new, COINCIDE * size(&self.points), first, out);
            }
        }
    }

    /// A point of the triangle, seen from the polytope: now and at the end.
    fn seen_by_polytope(&self, x: DVec3) -> (DVec3, DVec3) {
        let now = self.other.pose.to_body(self.tri.pose.to_world(x));
        (now, self.other.end.to_body(self.tri.end.to_world(x)))
    }

    /// Corner k of a face of the polytope, counted around it, polytope's frame.
    fn corner(&self, f: usize, k: usize) -> DVec3 {
        let corners = self.poly.faces[f].corners;
        self.poly.vertices[usize::from(corners[k % corners.len()])]
    }

    /// Height of x over a face of the polytope, in its frame.
    fn height(&self, f: usize, x: DVec3) -> f64 {
        self.poly.faces[f].normal.dot(x - self.corner(f, 0))
    }

    fn edges(&self, own: usize, others: usize) -> Feature {
        if self.tri_is_a {
            Feature::crossing(own, others)
        } else {
            Feature::crossing(others, own)
        }
    }

    /// The crossing of an edge of the triangle and the edge of the polytope that reaches nearest along d. Where an edge does not
    /// reach as far as its body does, the body's foremost corner stands for it; where the two are not opposite each other, to
    /// within the motion of the step, there is no crossing.
    fn crossing(&self, k: usize, d: DVec3, deepest: f64, first: usize, out: &mut Vec<Candidate>) {
        let pair = (k - 2 - self.poly.faces.len()) / 2;
        let (i, axis) = (pair % 3, self.poly.axes[pair / 3]);
        let vertex = |v: usize| self.other.pose.to_world(self.poly.vertices[v]);
        let ends = |j: usize| [self.poly.edges[j].0, self.poly.edges[j].1].map(vertex);
        let parallel = |j: &usize| {
            let [a, b] = [self.poly.edges[*j].0, self.poly.edges[*j].1];
            let along = self.poly.vertices[b] - self.poly.vertices[a];
            along.cross(axis).length() <= 1e-9 * along.length()
        };
        let low = |j: usize| d.dot(ends(j)[0]);
        let Some(j) = (0..self.poly.edges.len())
            .filter(parallel)
            .reduce(|best, j| if low(j) < low(best) { j } else { best })
        else {
            return;
        };
        let corners = self.points.map(|x| self.tri.pose.to_world(x));
        let tri_edge = foremost([corners[i], corners[(i + 1) % 3]], &corners, d, self.tie());
        let vertices: Vec<DVec3> = (0..self.poly.vertices.len()).map(vertex).collect();
        let poly_edge = foremost(ends(j), &vertices, -d, self.tie());
        let ([p, q], [a, b]) = (tri_edge, poly_edge);
        let (s, t) = closest(p, q - p, a, b - a);
        let (own, point) = (p.lerp(q, s), a.lerp(b, t));
        let aside = (point - own) - d * d.dot(point - own);
        let local = self.tri.pose.orientation.conjugate() * d;
        let top = (self.points.map(|x| local.dot(x)).into_iter()).fold(f64::NEG_INFINITY, f64::max);
        let gap = d.dot(point - self.tri.pose.position) - top;
        if aside.length() > 2.0 * slack(self.tri, self.other) || !self.is_true(gap, deepest) {
            return;
        }
        let new = Candidate {
            feature: self.edges(i, j),
            point,
            normal: d,
            gap,
        };
        push_new(new, COINCIDE * size(&self.points), first, out);
    }
}

/// The edge, if both its ends reach as far along d as any of the corners, to within `tie`; else the foremost corner, twice.
fn foremost(edge: [DVec3; 2], corners: &[DVec3], d: DVec3, tie: f64) -> [DVec3; 2] {
    let farther = |best: DVec3, x: DVec3| if d.dot(x) > d.dot(best) { x } else { best };
    let top = corners.iter().copied().fold(edge[0], farther);
    if edge.iter().all(|p| d.dot(*p) >= d.dot(top) - tie) {
        edge
    } else {
        [top; 2]
    }
}

/// A triangle and a ball: one candidate at most; the normal points to the ball.
fn ball(tri: &Moving, facet: &Facet, ball: &Moving, radius: f64, out: &mut Vec<Candidate>) {
    let points = facet.points();
    let n = facet.normal();
    let start = tri.start.to_body(ball.start.position);
    let now = tri.pose.to_body(ball.pose.position);
    let end = tri.end.to_body(ball.end.position);
    let side = if n.dot(start - points[0]) < 0.0 {
        -n
    } else {
        n
    };
    let level = |x: DVec3| side.dot(x - points[0]) - radius;
    let over = passes_over(&points, now, end, COINCIDE * size(&points));
    let nearest = closest_point(points, start);
    let slanted = (start - nearest)
        .try_normalize()
        .filter(|d| d.dot(side) < 1.0 - 1e-12 && facet.pushes_along(*d));
    // From the nearest edge or corner, unless the face holds the ball as well and is broken less.
    let chosen = match slanted {
        Some(d) => {
            let at = |x: DVec3| d.dot(x - nearest) - radius;
            let rounding = COINCIDE * radius;
            if over && level(start) >= -rounding && level(end) > at(end) {
                Some((side, level(now), level(end)))
            } else if at(end) < 0.0 && closest_on_the_way(tri, ball).on_the_way > 0.0 {
                None
            } else {
                Some((d, at(now), at(end)))
            }
        }
        // Beside the face, below its plane and apart from it, the ball is held by the neighbour.
        None if level(now) < -COINCIDE * radius
            && closest_on_the_way(tri, ball).on_the_way > 0.0 =>
        {
            None
        }
        None => over.then(|| (side, level(now), level(end))),
    };
    if let Some((d, gap, gap_end)) = chosen
        && gap.min(gap_end) <= slack(tri, ball)
    {
        let normal = tri.pose.orientation * d;
        out.push(Candidate {
            feature: super::ball::BALL,
            point: ball.pose.position - normal * radius,
            normal,
            gap,
        });
    }
}

/// Does the way from `now` to `end` pass over the triangle, widened by `tolerance`?
fn passes_over(points: &[DVec3; 3], now: DVec3, end: DVec3, tolerance: f64) -> bool {
    let n = (points[1] - points[0]).cross(points[2] - points[0]);
    (0..3)
        .try_fold((0.0, 1.0), |range, i| {
            let (p, q) = (points[i], points[(i + 1) % 3]);
            clip(n.cross(q - p), p, now, end, tolerance, range)
        })
        .is_some()
}

/// The part of `range` of the way on which it lies inside the border through p with the given inward normal, widened
/// by `tolerance`; `None` where nothing is left.
fn clip(
    inward: DVec3,
    p: DVec3,
    now: DVec3,
    end: DVec3,
    tolerance: f64,
    (from, to): (f64, f64),
) -> Option<(f64, f64)> {
    let widened = tolerance * inward.length();
    let (u, v) = (inward.dot(now - p) + widened, inward.dot(end - p) + widened);
    let (from, to) = match (u >= 0.0, v >= 0.0) {
        (true, true) => (from, to),
        (true, false) => (from, f64::min(to, u / (u - v))),
        (false, true) => (f64::max(from, u / (u - v)), to),
        (false, false) => return None,
    };
    (from <= to).then_some((from, to))
}

/// Adds a candidate unless one of this pair says the same.
fn push_new(new: Candidate, near: f64, first: usize, out: &mut Vec<Candidate>) {
    let known = out[first..].iter().any(|old| {
        let coincide =
            (old.point - new.point).length() < near && old.normal.dot(new.normal) > 1.0 - 1e-8;
        coincide || new.repeats(old.feature, old.normal, old.point)
    });
    if !known {
        out.push(new);
    }
}
