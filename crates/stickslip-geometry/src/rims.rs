//! Directions between circles and other features: the roots of quartics and of worse, by Newton's method from
//! starts where it cannot go astray.
//!
//! Every result is a direction only. Its value is the separation of the whole shapes along it, which is a lower
//! bound of their distance whatever the direction, so that a poor root costs tightness and never safety.

use crate::frame::contact_frame;
use crate::placed::{Circle, Side};
use glam::{DMat2, DVec2, DVec3};
use std::f64::consts::TAU;

/// From a circle to the line through `p` along the unit vector `e`: seen along the line, the circle is an
/// ellipse and the line a point, and the directions are the ellipse's outward normals at the feet of the point, on
/// either side of the long axis: one may belong to the part of the rim that the shape covers.
pub(crate) fn circle_to_line(circle: &Circle, p: DVec3, e: DVec3, mut visit: impl FnMut(DVec3)) {
    let z = circle.axis - e * e.dot(circle.axis);
    let k2 = z.length_squared();
    // Semi-axes: the radius across z, and |e·axis| of it along z.
    // Where the axis is nearly along e, what is left of it is across e only to rounding over its length: taken twice.
    let across = |z: DVec3| (z - e * e.dot(z)).try_normalize();
    let (minor, major) = match z.try_normalize().and_then(across).filter(|_| k2 > 1e-24) {
        Some(minor) => (minor, e.cross(minor)),
        None => {
            let [_, t1, t2] = contact_frame(e);
            (t1, t2)
        }
    };
    let w = p - circle.centre;
    let (y0, y1) = (w.dot(major), w.dot(minor));
    let e1 = circle.radius * e.dot(circle.axis).abs();
    let mut turned = |n: DVec2| {
        let across = if y1 < 0.0 { -n.y } else { n.y };
        if let Some(n) = (major * n.x.copysign(y0) + minor * across).try_normalize() {
            visit(n);
        }
    };
    let (e0, y0, y1) = (circle.radius, y0.abs(), y1.abs());
    if let Some(n) = ellipse_normal(e0, e1, y0, y1) {
        turned(n);
    }
    if let Some(n) = far_normal(e0, e1, y0, y1) {
        turned(n);
    }
}

/// Outward unit normal at the point of the ellipse (e0 ≥ e1) nearest to (y0, y1), both ≥ 0.
///
/// The foot is x_i = e_i² y_i/(t + e_i²) with g(t) = Σ (e_i y_i/(t + e_i²))² − 1 = 0, t > −e1². There g falls
/// and is convex, so that Newton's method from the left never overshoots. Eberly, Distance from a Point to an
/// Ellipse.
fn ellipse_normal(e0: f64, e1: f64, y0: f64, y1: f64) -> Option<DVec2> {
    if e1 <= 1e-9 * e0 {
        // A circle seen from its edge is a segment. Across it a face serves; beyond it, the direction from its end.
        let beyond = DVec2::new(y0 - e0, y1);
        return beyond.try_normalize().filter(|_| beyond.x > 0.0);
    }
    if y1 <= 0.0 {
        // On the long axis.
        return (y0 > 0.0).then_some(DVec2::X);
    }
    let (q0, q1) = (e0 * e0, e1 * e1);
    let mut t = (e1 * y1 - q1).max(e0 * y0 - q0);
    for _ in 0..60 {
        let (a, b) = (e0 * y0 / (t + q0), e1 * y1 / (t + q1));
        let g = a * a + b * b - 1.0;
        let slope = -2.0 * (a * a / (t + q0) + b * b / (t + q1));
        let next = t - g / slope;
        if next <= t || !next.is_finite() {
            break;
        }
        t = next;
    }
    DVec2::new(y0 / (t + q0), y1 / (t + q1)).try_normalize()
}

/// The same on the other side of the long axis, where the nearest point there is not the end of that axis: the larger
/// root in −e0² < t < −e1². There g is convex too, and Newton's method from the right never overshoots.
fn far_normal(e0: f64, e1: f64, y0: f64, y1: f64) -> Option<DVec2> {
    let (q0, q1) = (e0 * e0, e1 * e1);
    if e1 <= 1e-9 * e0 || e0 * y0 >= q0 - q1 {
        return None;
    }
    if y1 <= 0.0 {
        let cosine = e0 * y0 / (q0 - q1);
        return DVec2::new(cosine / e0, -(1.0 - cosine * cosine).sqrt() / e1).try_normalize();
    }
    let mut t = -q1 - e1 * y1;
    for _ in 0..60 {
        if t <= -q0 {
            return None;
        }
        let (a, b) = (e0 * y0 / (t + q0), e1 * y1 / (t + q1));
        let g = a * a + b * b - 1.0;
        let slope = -2.0 * (a * a / (t + q0) + b * b / (t + q1));
        let next = t - g / slope;
        if next >= t || !next.is_finite() {
            break;
        }
        t = next;
    }
    DVec2::new(y0 / (t + q0), y1 / (t + q1)).try_normalize()
}

/// From circle a to circle b: maxima over the sphere of
///
///   f(n) = n·w − R_a |n × z_a| − R_b |n × z_b|,   w from centre to centre,
///
/// found from `start` and from the places where the two circles, sampled, come nearest. `visit` is given each.
pub(crate) fn circle_to_circle(a: &Circle, b: &Circle, start: DVec3, mut visit: impl FnMut(DVec3)) {
    // A rim is seen only from its own side.
    let seen = |n: &DVec3| a.sees(*n) && b.sees(-*n);
    if let Some(n) = start.try_normalize().filter(seen) {
        visit(climb(n, a, b));
    }
    let mut between = |p: DVec3, q: DVec3| {
        let (p, q) = settle(a, b, p, q);
        // Across the two tangents, both ways; along the gap where they are parallel.
        let tangents = (p - a.centre)
            .cross(a.axis)
            .cross((q - b.centre).cross(b.axis));
        let parallel = tangents.length() < 1e-3 * a.radius * b.radius;
        let all = [
            tangents,
            -tangents,
            if parallel { q - p } else { DVec3::ZERO },
        ];
        let all = all.into_iter().filter_map(DVec3::try_normalize);
        all.filter(seen).for_each(&mut visit);
    };
    near_places(a, b, &mut between);
    near_places(b, a, |q, p| between(p, q));
}

/// Newton's method for the points p and q of the two circles, whose connection is across both tangents, whatever their
/// distance.
fn settle(a: &Circle, b: &Circle, p: DVec3, q: DVec3) -> (DVec3, DVec3) {
    let (mut u, mut v) = ((p - a.centre) / a.radius, (q - b.centre) / b.radius);
    for _ in 0..12 {
        let (s, t) = (a.axis.cross(u), b.axis.cross(v));
        let d = b.centre + v * b.radius - a.centre - u * a.radius;
        // d·s = 0 and d·t = 0, of the angles of p and q.
        let cosine = s.dot(t);
        let slopes = DMat2::from_cols(
            DVec2::new(-a.radius - d.dot(u), -a.radius * cosine),
            DVec2::new(b.radius * cosine, b.radius - d.dot(v)),
        );
        let mut step = slopes.inverse() * DVec2::new(d.dot(s), d.dot(t));
        let length = step.length();
        if !length.is_finite() {
            break;
        }
        if length > 0.5 {
            step *= 0.5 / length;
        }
        let turned = |u: DVec3, s: DVec3, angle: f64| (u - s * angle).try_normalize().unwrap_or(u);
        (u, v) = (turned(u, s, step.x), turned(v, t, step.y));
        if length < 1e-15 {
            break;
        }
    }
    (a.centre + u * a.radius, b.centre + v * b.radius)
}

/// The points of a circle, of some all around, that are nearer to the other circle than those beside them, each
/// with the nearest point of the other.
fn near_places(on: &Circle, to: &Circle, mut visit: impl FnMut(DVec3, DVec3)) {
    const N: usize = 16;
    let [_, u, v] = contact_frame(on.axis);
    let at = |k: usize| {
        let (s, c) = TURN[k % N];
        on.centre + (u * c + v * s) * on.radius
    };
    let mut distance = [0.0; N];
    for (k, d) in distance.iter_mut().enumerate() {
        let p = at(k);
        *d = (p - to.nearest(p)).length_squared();
    }
    for k in 0..N {
        let (before, after) = (distance[(k + N - 1) % N], distance[(k + 1) % N]);
        if distance[k] <= before && distance[k] <= after {
            let p = at(k);
            visit(p, to.nearest(p));
        }
    }
}

/// sin and cos of k/16 of a turn.
static TURN: [(f64, f64); 16] = [
    (0.0, 1.0),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
    (
        std::f64::consts::FRAC_1_SQRT_2,
        std::f64::consts::FRAC_1_SQRT_2,
    ),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (1.0, 0.0),
    (0.923_879_532_511_286_7, -0.382_683_432_365_089_8),
    (
        std::f64::consts::FRAC_1_SQRT_2,
        -std::f64::consts::FRAC_1_SQRT_2,
    ),
    (0.382_683_432_365_089_8, -0.923_879_532_511_286_7),
    (0.0, -1.0),
    (-0.382_683_432_365_089_8, -0.923_879_532_511_286_7),
    (
        -std::f64::consts::FRAC_1_SQRT_2,
        -std::f64::consts::FRAC_1_SQRT_2,
    ),
    (-0.923_879_532_511_286_7, -0.382_683_432_365_089_8),
    (-1.0, 0.0),
    (-0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (
        -std::f64::consts::FRAC_1_SQRT_2,
        std::f64::consts::FRAC_1_SQRT_2,
    ),
    (-0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
];

impl Circle {
    /// The point of the circle nearest to `p`.
    pub(crate) fn nearest(&self, p: DVec3) -> DVec3 {
        self.farthest(p - self.centre)
    }

    /// Is the rim, or nearly, the shape's farthest part along n?
    fn sees(&self, n: DVec3) -> bool {
        self.axis.dot(n) > self.least - 0.1
    }

    /// Support along n without the centre's part, R|n × z|, its gradient and the tangent t of its curvature
    /// R t tᵀ/|n × z|.
    fn support(&self, n: DVec3) -> (f64, DVec3, DVec3, f64) {
        let across = n - self.axis * self.axis.dot(n);
        let length = across.length();
        let out = across.try_normalize().unwrap_or(DVec3::ZERO);
        (
            self.radius * length,
            out * self.radius,
            self.axis.cross(out),
            self.radius / length.max(1e-12),
        )
    }
}

/// Newton's method on the sphere for the maximum of f near `n`, by steps up only.
pub(crate) fn climb(mut n: DVec3, a: &Circle, b: &Circle) -> DVec3 {
    let w = b.centre - a.centre;
    let value = |n: DVec3| n.dot(w) - a.support(n).0 - b.support(n).0;
    let (mut f, mut polished) = (value(n), 0);
    for _ in 0..100 {
        let [_, t1, t2] = contact_frame(n);
        let ((_, ga, qa, ka), (_, gb, qb, kb)) = (a.support(n), b.support(n));
        let g = w - ga - gb;
        let g = DVec2::new(g.dot(t1), g.dot(t2));
        // −Hessian: curvature of both supports, and f itself since f is homogeneous.
        let mut hessian = DMat2::from_diagonal(DVec2::splat(f));
        for (q, k) in [(qa, ka), (qb, kb)] {
            let q = DVec2::new(q.dot(t1), q.dot(t2));
            hessian += DMat2::from_cols(q * (q.x * k), q * (q.y * k));
        }
        let (trace, det) = (hessian.x_axis.x + hessian.y_axis.y, hessian.determinant());
        let concave = det > 1e-14 * trace * trace && trace > 0.0;
        if !concave {
            // Not a maximum's curvature (then f < 0): twice −f more makes it one.
            hessian += DMat2::from_diagonal(DVec2::splat(2.0 * f.abs() + 1e-9 * trace.abs()));
        }
        let mut step = hessian.inverse() * g;
        let length = step.length();
        if !length.is_finite() {
            break;
        }
        if length > 0.5 {
            step *= 0.5 / length;
        }
        if concave && length < 1e-5 {
            // Close by, where f is flat to rounding, Newton's step is better than a comparison of f.
            n = (n + t1 * step.x + t2 * step.y).try_normalize().unwrap_or(n);
            f = value(n);
            if length < 1e-15 {
                break;
            }
            continue;
        }
        // Newton's step, or the steepest one: near a rim's own axis f has an edge that only that one climbs.
        let steepest = g * (0.1 / g.length().max(f64::MIN_POSITIVE));
        let along = |step: DVec2| (n + t1 * step.x + t2 * step.y).try_normalize();
        let up = |step| higher(step, f, along, value);
        if let Some(risen) = up(step).or_else(|| up(steepest)) {
            (n, f) = risen;
        } else {
            // Flat to rounding along a weak direction: Newton's step is still the better point.
            if !concave || length > 1e-2 || polished == 4 {
                break;
            }
            polished += 1;
            n = (n + t1 * step.x + t2 * step.y).try_normalize().unwrap_or(n);
            f = value(n);
        }
    }
    n
}

/// The first of `step` and its halves that leads to a value above f: where, and the value.
fn higher(
    mut step: DVec2,
    f: f64,
    along: impl Fn(DVec2) -> Option<DVec3>,
    value: impl Fn(DVec3) -> f64,
) -> Option<(DVec3, f64)> {
    for _ in 0..40 {
        let next = along(step)?;
        let f_next = value(next);
        if f_next > f {
            return Some((next, f_next));
        }
        step *= 0.5;
    }
    None
}

/// From a cone's side to a circle: maxima over the side's normals of n·w − R|n × z|, w from apex to centre.
pub(crate) fn side_to_circle(side: &Side, circle: &Circle, mut visit: impl FnMut(DVec3)) {
    const N: usize = 16;
    let [_, u, v] = contact_frame(side.axis);
    let w = circle.centre - side.apex;
    let normal = |phi: f64| {
        let (s, c) = libm::sincos(phi);
        let (out, along) = (u * c + v * s, v * c - u * s);
        (
            side.axis * side.sin + out * side.cos,
            along * side.cos,
            -out * side.cos,
        )
    };
    // f, f' and f'' at the azimuth φ.
    let at = |phi: f64| {
        let (n, d1, d2) = normal(phi);
        let (r, gradient, q, k) = circle.support(n);
        let g = w - gradient;
        let turn = q.dot(d1);
        (n.dot(w) - r, g.dot(d1), g.dot(d2) - k * turn * turn)
    };
    let step = TAU / N as f64;
    for k in 0..N {
        let (mut low, mut high) = (k as f64 * step, (k + 1) as f64 * step);
        if at(low).1 < 0.0 || at(high).1 > 0.0 {
            continue;
        }
        // A maximum in between: Newton's method, kept in the bracket.
        let mut phi = 0.5 * (low + high);
        for _ in 0..80 {
            let (_, d1, d2) = at(phi);
            if d1 > 0.0 {
                low = phi;
            } else {
                high = phi;
            }
            let newton = phi - d1 / d2;
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            if (next - phi).abs() < 1e-16 * TAU {
                break;
            }
            phi = next;
        }
        visit(normal(phi).0);
    }
}

impl Side {
    /// The side's normal over which a point lies.
    pub(crate) fn normal_towards(&self, p: DVec3) -> Option<DVec3> {
        let flat = |d: DVec3| (d - self.axis * self.axis.dot(d)).try_normalize();
        // Twice, since what is left of a direction near the axis is not across it to rounding.
        let out = flat(p - self.apex).and_then(flat)?;
        Some(self.axis * self.sin + out * self.cos)
    }

    /// The side's normals that have n·d = `target`, d a unit vector: across a line (0), or on another side.
    pub(crate) fn normals_with(&self, d: DVec3, target: f64) -> Option<[DVec3; 2]> {
        let along = self.axis.dot(d);
        let across = d - self.axis * along;
        let length = across.length();
        let unit = across.try_normalize()?;
        // sin·along + cos·length·cos φ = target
        let c = (target - self.sin * along) / (self.cos * length);
        if c.abs() > 1.0 {
            return None;
        }
        let s = (1.0 - c * c).sqrt();
        let other = self.axis.cross(unit);
        Some(
            [1.0, -1.0]
                .map(|sign| self.axis * self.sin + (unit * c + other * (s * sign)) * self.cos),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance from a circle to a line is continuous where the line comes to lie in parallel to the circle's plane: a cylinder
    /// that comes to stand upright beside the end of one that lies.
    #[test]
    fn a_circle_seen_from_its_edge_is_as_far_as_one_seen_nearly_so() {
        let circle = Circle {
            centre: DVec3::ZERO,
            axis: DVec3::X,
            radius: 0.5,
            least: 0.0,
        };
        // Beyond the rim and beside its plane: the nearest point is that of the rim.
        let p = DVec3::new(0.3, 0.9, 0.2);
        let from_rim = DVec3::new(0.3, 0.4, 0.0).length();
        for tilt in [0.0, 1e-16, 1e-12, 1e-10, 1e-9, 2e-9, 1e-8, 1e-6] {
            let e = DVec3::new(tilt, 0.0, 1.0) / (1.0 + tilt * tilt).sqrt();
            let mut best = f64::NEG_INFINITY;
            circle_to_line(&circle, p, e, |n| {
                best = best.max(n.dot(p - circle.farthest(n)));
            });
            assert!(
                (best - from_rim).abs() < 1e-6 * tilt.max(1e-9).sqrt() + tilt,
                "{tilt:e}: {best}"
            );
        }
    }
}
