//! The directions in which two convex shapes may be farthest apart.
//!
//! Separation along a unit direction n, from a to b, is s(n) = min over b of n·x − max over a of n·x. Its
//! largest value over all directions is the distance of the shapes where positive and minus their depth where
//! negative, and it is attained on one of finitely many: a face normal, or a direction that belongs to one
//! feature of each shape. All are closed-form but for those between circles ([`crate::rims`]). None needs to be
//! checked for whether its features really meet: a direction that is not the best one only has a smaller s.

use crate::box_edges::opposite_edges;
use crate::placed::{Circle, Placed, Side};
use crate::proof::is_nearest;
use crate::rims::{circle_to_circle, circle_to_line, climb, side_to_circle};
use crate::segments::nearest_segments;
use crate::shape::Shape;
use glam::DVec3;

/// A feature of a shape, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Point(usize),
    Line(usize),
    Circle(usize),
    Side,
}

/// What a direction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    FaceA(usize),
    FaceB(usize),
    Parts(Part, Part),
}

/// A direction and the separation along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    pub(crate) of: Of,
    /// Unit, from a to b.
    pub(crate) n: DVec3,
    pub(crate) gap: f64,
}

/// s(n).
pub(crate) fn gap_along(a: &Placed, b: &Placed, n: DVec3) -> f64 {
    -b.reach(-n) - a.reach(n)
}

/// The direction of largest separation: the distance where positive, minus the depth where negative. `None`
/// for shapes without features (half-spaces).
pub(crate) fn farthest(a: &Placed, b: &Placed) -> Option<Direction> {
    search(a, b, f64::INFINITY)
}

/// The same near a pose where it was `last`: often the features are still those.
pub(crate) fn farthest_after(a: &Placed, b: &Placed, last: &Direction) -> Option<Direction> {
    let mut best = Best::new(a, b);
    best.again(last);
    if best.is_proved() {
        return best.found;
    }
    search(a, b, f64::INFINITY)
}

/// The largest separation, exact where it is not positive, else a lower bound; and its direction.
pub(crate) fn overlap(a: &Placed, b: &Placed) -> Option<Direction> {
    search(a, b, 0.0)
}

/// Is the largest separation at least `least`, which is not positive? One direction that tells is enough.
pub(crate) fn overlap_is_at_least(a: &Placed, b: &Placed, least: f64) -> bool {
    search(a, b, least).is_none_or(|d| d.gap >= least)
}

/// The direction of largest separation among those that `admitted` lets pass. Of a body without a rim, and of any other.
pub(crate) fn farthest_of(
    a: &Placed,
    b: &Placed,
    admitted: &dyn Fn(DVec3) -> bool,
) -> Option<Direction> {
    let mut best = Best::new(a, b);
    let mut visit = |of: Of, n: DVec3| {
        if admitted(n) {
            best.visit(of, n);
        }
    };
    faces(a, b, &mut visit);
    if a.is_round() || b.is_round() {
        round(a, b, &mut visit);
    } else {
        lines_and_lines(a, b, &mut visit);
    }
    best.supported()
}

/// The best direction so far.
pub(crate) struct Best<'a> {
    pub(crate) a: &'a Placed<'a>,
    pub(crate) b: &'a Placed<'a>,
    pub(crate) found: Option<Direction>,
}

impl<'a> Best<'a> {
    fn new(a: &'a Placed<'a>, b: &'a Placed<'a>) -> Self {
        Self { a, b, found: None }
    }

    pub(crate) fn visit(&mut self, of: Of, n: DVec3) {
        self.take(of, n, gap_along(self.a, self.b, n));
    }

    fn take(&mut self, of: Of, n: DVec3, gap: f64) {
        if self.found.is_none_or(|old| gap > old.gap) {
            self.found = Some(Direction { of, n, gap });
        }
    }

    fn is_proved(&self) -> bool {
        self.found.is_some_and(|d| is_nearest(self.a, self.b, &d))
    }

    /// The direction found, of the features that lie foremost along it.
    fn supported(&self) -> Option<Direction> {
        self.found.map(|d| Direction {
            of: match d.of {
                Of::Parts(p, q) => {
                    Of::Parts(supporting(self.a, p, d.n), supporting(self.b, q, -d.n))
                }
                face => face,
            },
            ..d
        })
    }

    fn is_enough(&self, enough: f64) -> bool {
        self.found.is_some_and(|d| d.gap > enough) || self.is_proved()
    }

    /// The directions of the features to which `last` belongs.
    pub(crate) fn again(&mut self, last: &Direction) {
        let (a, b) = (self.a, self.b);
        let mut line_and_circle = |line: [DVec3; 2], circle: Circle, sign: f64| {
            if let Some(e) = (line[1] - line[0]).try_normalize() {
                circle_to_line(&circle, line[0], e, |n| self.visit(last.of, n * sign));
            }
        };
        let direction = match last.of {
            Of::FaceA(k) => Some(a.face(k)),
            Of::FaceB(k) => Some(-b.face(k)),
            Of::Parts(Part::Point(i), Part::Point(j)) => (b.point(j) - a.point(i)).try_normalize(),
            Of::Parts(Part::Point(i), Part::Line(j)) => {
                let p = a.point(i);
                (foot(b.line(j), p) - p).try_normalize()
            }
            Of::Parts(Part::Line(i), Part::Point(j)) => {
                let q = b.point(j);
                (q - foot(a.line(i), q)).try_normalize()
            }
            Of::Parts(Part::Line(i), Part::Line(j)) => {
                let ([p, q], [r, w]) = (a.line(i), b.line(j));
                let n = (q - p).cross(w - r).try_normalize();
                n.map(|n| if n.dot(last.n) < 0.0 { -n } else { n })
            }
            Of::Parts(Part::Circle(i), Part::Circle(j)) => {
                Some(climb(last.n, &a.circle(i), &b.circle(j)))
            }
            Of::Parts(Part::Circle(i), Part::Line(j)) => {
                line_and_circle(b.line(j), a.circle(i), 1.0);
                None
            }
            Of::Parts(Part::Line(i), Part::Circle(j)) => {
                line_and_circle(a.line(i), b.circle(j), -1.0);
                None
            }
            Of::Parts(..) => None,
        };
        if let Some(n) = direction {
            self.visit(last.of, n);
        }
    }
}

/// The point of the endless line nearest to p.
fn foot([q, r]: [DVec3; 2], p: DVec3) -> DVec3 {
    let e = r - q;
    q + e * ((p - q).dot(e) / e.length_squared())
}

/// The best direction; any whose gap exceeds `enough` will do.
fn search(a: &Placed, b: &Placed, enough: f64) -> Option<Direction> {
    let mut best = Best::new(a, b);
    if let (Shape::Box { half }, Shape::Box { half: other }) = (a.shape, b.shape) {
        box_faces(&mut best, *half, *other);
    } else {
        faces(a, b, &mut |of, n| best.visit(of, n));
    }
    if best.is_enough(enough) {
        return best.found;
    }
    if a.is_round() || b.is_round() {
        round(a, b, &mut |of, n| best.visit(of, n));
        if a.is_round() && b.is_round() {
            circles(a, b, enough, &mut best);
        }
    } else {
        // Bodies that a face keeps apart are nearest there or between two edges or corners; those that overlap by
        // every face may yet be apart across two edges.
        if best.found.is_none_or(|d| d.gap <= 0.0) {
            edges(a, b, &mut |of, n| best.visit(of, n));
        }
        let rounded = a.rounding() + b.rounding() > 0.0 || a.n_faces() + b.n_faces() == 0;
        if rounded || best.found.is_some_and(|d| d.gap > 0.0 && d.gap <= enough) {
            nearest_segments(&mut best);
        }
    }
    best.supported()
}

/// Of several parallel lines, which give the same direction, the one that lies farthest along n.
fn supporting(s: &Placed, part: Part, n: DVec3) -> Part {
    let Part::Line(k) = part else { return part };
    let height = |k: usize| {
        let [p, q] = s.line(k);
        n.dot(p).min(n.dot(q))
    };
    let best = (0..s.n_lines()).fold((k, height(k)), |best, j| {
        let h = height(j);
        if h > best.1 { (j, h) } else { best }
    });
    Part::Line(best.0)
}

type Visit<'v> = &'v mut dyn FnMut(Of, DVec3);

/// The face normals of both.
fn faces(a: &Placed, b: &Placed, visit: Visit) {
    for k in 0..a.n_faces() {
        visit(Of::FaceA(k), a.face(k));
    }
    for k in 0..b.n_faces() {
        visit(Of::FaceB(k), -b.face(k));
    }
}

/// The face normals of two boxes. A box reaches as far along a direction as against it, so that a pair of faces is one question; the sums
/// are those of [`gap_along`].
fn box_faces(best: &mut Best, half_a: DVec3, half_b: DVec3) {
    let (a, b) = (best.a, best.b);
    let along = |n: DVec3| {
        let (centre_a, centre_b) = (n.dot(a.centre), n.dot(b.centre));
        let half_width = |s: &Placed, half: DVec3| (s.turn.transpose() * n).abs().dot(half);
        let (reach_a, reach_b) = (half_width(a, half_a), half_width(b, half_b));
        let there = -(-centre_b + reach_b) - (centre_a + reach_a);
        let back = -(centre_b + reach_b) - (-centre_a + reach_a);
        [there, back]
    };
    for k in 0..3 {
        let [there, back] = along(a.turn.col(k));
        best.take(Of::FaceA(2 * k), a.face(2 * k), back);
        best.take(Of::FaceA(2 * k + 1), a.face(2 * k + 1), there);
    }
    for k in 0..3 {
        let [there, back] = along(b.turn.col(k));
        best.take(Of::FaceB(2 * k), -b.face(2 * k), there);
        best.take(Of::FaceB(2 * k + 1), -b.face(2 * k + 1), back);
    }
}

/// Across two edges whose arcs of normals cross: only there is the edge of a seen opposite the edge of b.
fn edges(a: &Placed, b: &Placed, visit: Visit) {
    // All seen from b.
    let turn = b.turn.transpose() * a.turn;
    if let (Shape::Box { .. }, Shape::Box { .. }) = (a.shape, b.shape) {
        return opposite_edges(&turn, |i, j| {
            let outward = a.arc(i).map(|[n, m]| turn * n + turn * m);
            across_edges(a, b, [i, j], outward.unwrap_or_default(), visit);
        });
    }
    for i in 0..a.n_lines() {
        let Some([a0, a1]) = a.arc(i).map(|arc| arc.map(|n| turn * n)) else {
            continue;
        };
        let cross_a = a1.cross(a0);
        for j in 0..b.n_lines() {
            let Some([b0, b1]) = b.arc(j).map(|arc| arc.map(|n| -n)) else {
                continue;
            };
            let (u, v) = (b0.dot(cross_a), b1.dot(cross_a));
            if u * v >= 0.0 {
                continue;
            }
            let cross_b = b1.cross(b0);
            let (s, t) = (a0.dot(cross_b), a1.dot(cross_b));
            if s * t >= 0.0 || u * t <= 0.0 {
                continue;
            }
            across_edges(a, b, [i, j], a0 + a1, visit);
        }
    }
}

/// Across edge i of a and edge j of b, to the side to which a's faces look: `outward`, seen from b.
fn across_edges(a: &Placed, b: &Placed, [i, j]: [usize; 2], outward: DVec3, visit: Visit) {
    let ([p, q], [r, w]) = (a.line(i), b.line(j));
    let Some(n) = (q - p).cross(w - r).try_normalize() else {
        return;
    };
    let n = if n.dot(b.turn * outward) < 0.0 { -n } else { n };
    visit(Of::Parts(Part::Line(i), Part::Line(j)), n);
}

/// Fractions along two segments p + s d and r + t e, 0 ≤ s, t ≤ 1, at their nearest points.
pub(crate) fn closest(p: DVec3, d: DVec3, r: DVec3, e: DVec3) -> (f64, f64) {
    let w = p - r;
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (dw, ew) = (d.dot(w), e.dot(w));
    if dd == 0.0 && ee == 0.0 {
        return (0.0, 0.0);
    }
    if dd == 0.0 {
        return (0.0, (ew / ee).clamp(0.0, 1.0));
    }
    if ee == 0.0 {
        return ((-dw / dd).clamp(0.0, 1.0), 0.0);
    }
    let t_over = |s: f64| ((de * s + ew) / ee).clamp(0.0, 1.0);
    let s_over = |t: f64| ((de * t - dw) / dd).clamp(0.0, 1.0);
    let det = dd * ee - de * de;
    if det > 1e-14 * dd * ee {
        let t = t_over(((de * ew - ee * dw) / det).clamp(0.0, 1.0));
        return (s_over(t), t);
    }
    // Parallel, or nearly (to 1e-7): the determinant is rounding, and the nearest place is opposite an end. Where all are as near,
    // to rounding, the first serves.
    let first = t_over(0.0);
    let mut best = (s_over(first), first);
    let apart = |(s, t): (f64, f64)| (w + d * s - e * t).length_squared();
    let mut least = apart(best) - 1e-14 * (dd + ee + w.length_squared());
    let (last, start, end) = (t_over(1.0), s_over(0.0), s_over(1.0));
    for other in [(s_over(last), last), (start, 0.0), (end, 1.0)] {
        if apart(other) < least {
            (best, least) = (other, apart(other));
        }
    }
    best
}

/// The directions of pairs with rims and round sides.
fn round(a: &Placed, b: &Placed, visit: Visit) {
    lines_and_lines(a, b, visit);
    if !a.is_round() {
        rims_of_b(a, b, visit);
    } else {
        // From b's point of view the direction is the opposite, and the features change places.
        let mut turned = |of: Of, n: DVec3| match of {
            Of::Parts(p, q) => visit(Of::Parts(q, p), -n),
            face => visit(face, -n),
        };
        rims_of_b(b, a, &mut turned);
        if b.is_round() {
            rims_of_b(a, b, visit);
        }
    }
}

/// The directions between two rims, from the best direction so far and from where the rims come near, until one is
/// enough.
fn circles(a: &Placed, b: &Placed, enough: f64, best: &mut Best) {
    for i in 0..a.n_circles() {
        for j in 0..b.n_circles() {
            if best.is_enough(enough) {
                return;
            }
            let start = best.found.map_or(DVec3::ZERO, |d| d.n);
            let of = Of::Parts(Part::Circle(i), Part::Circle(j));
            let (circle_a, circle_b) = (a.circle(i), b.circle(j));
            circle_to_circle(&circle_a, &circle_b, start, |n| best.visit(of, n));
            // What rounding leaves there.
            if let Some(d) = best.found.filter(|d| d.of == of) {
                best.visit(of, climb(d.n, &circle_a, &circle_b));
            }
        }
    }
}

/// Across two lines (both ways), and from a line's nearest point where they are parallel.
fn lines_and_lines(a: &Placed, b: &Placed, visit: Visit) {
    for i in 0..a.n_lines() {
        let [p, q] = a.line(i);
        for j in 0..b.n_lines() {
            let [r, w] = b.line(j);
            let of = Of::Parts(Part::Line(i), Part::Line(j));
            let (d, e) = (q - p, w - r);
            if let Some(n) = d.cross(e).try_normalize() {
                visit(of, n);
                visit(of, -n);
            }
            let (s, t) = closest(p, d, r, e);
            if let Some(n) = (r + e * t - p - d * s).try_normalize() {
                visit(of, n);
            }
        }
    }
}

/// The directions between any feature of a and the rims, the axis, the side and the apex of a round b.
fn rims_of_b(a: &Placed, b: &Placed, visit: Visit) {
    circles_of_b(a, b, visit);
    for j in 0..b.n_lines() {
        let [r, w] = b.line(j);
        for i in 0..a.n_points() {
            let p = a.point(i);
            if let Some(n) = (foot([r, w], p) - p).try_normalize() {
                visit(Of::Parts(Part::Point(i), Part::Line(j)), n);
            }
        }
    }
    if let Some(side) = b.side() {
        side_of_b(a, b, &side, visit);
        apex_of_b(a, b.point(0), visit);
    }
}

/// Between any feature of a and the rims of b.
fn circles_of_b(a: &Placed, b: &Placed, visit: Visit) {
    for j in 0..b.n_circles() {
        let circle = b.circle(j);
        for i in 0..a.n_points() {
            let p = a.point(i);
            if let Some(n) = (circle.nearest(p) - p).try_normalize() {
                visit(Of::Parts(Part::Point(i), Part::Circle(j)), n);
            }
        }
        for i in 0..a.n_lines() {
            let [p, q] = a.line(i);
            let Some(e) = (q - p).try_normalize() else {
                continue;
            };
            circle_to_line(&circle, p, e, |n| {
                visit(Of::Parts(Part::Line(i), Part::Circle(j)), -n);
            });
        }
        if let Some(side) = a.side() {
            side_to_circle(&side, &circle, |n| {
                visit(Of::Parts(Part::Side, Part::Circle(j)), n);
            });
        }
    }
}

/// Between any feature of a and the side of a cone b, and between two apexes.
fn side_of_b(a: &Placed, b: &Placed, side: &Side, visit: Visit) {
    for i in 0..a.n_points() {
        if let Some(n) = side.normal_towards(a.point(i)) {
            visit(Of::Parts(Part::Point(i), Part::Side), -n);
        }
    }
    for i in 0..a.n_lines() {
        let [p, q] = a.line(i);
        let normals = (q - p)
            .try_normalize()
            .and_then(|e| side.normals_with(e, 0.0));
        for n in normals.into_iter().flatten() {
            visit(Of::Parts(Part::Line(i), Part::Side), -n);
        }
    }
    if let Some(other) = a.side() {
        // n of b's side with −n of a's: n·axis_a = −sin_a.
        for n in side
            .normals_with(other.axis, -other.sin)
            .into_iter()
            .flatten()
        {
            visit(Of::Parts(Part::Side, Part::Side), -n);
        }
        // Two apexes.
        if let Some(n) = (b.point(0) - a.point(0)).try_normalize() {
            visit(Of::Parts(Part::Point(0), Part::Point(0)), n);
        }
    }
}

/// Between the points and lines of a and the apex of a cone.
fn apex_of_b(a: &Placed, apex: DVec3, visit: Visit) {
    for i in 0..a.n_points() {
        if let Some(n) = (apex - a.point(i)).try_normalize() {
            visit(Of::Parts(Part::Point(i), Part::Point(0)), n);
        }
    }
    for i in 0..a.n_lines() {
        if let Some(n) = (apex - foot(a.line(i), apex)).try_normalize() {
            visit(Of::Parts(Part::Line(i), Part::Point(0)), n);
        }
    }
}
