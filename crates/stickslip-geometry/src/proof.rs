//! Proof that a direction is that of the nearest points.
//!
//! If a point p of a and a point q of b have q − p = s n with n a unit vector, a behind the plane through p across n
//! and b before that through q, then no other points are nearer and no direction separates better. Such points are
//! looked for where the shapes touch their planes. Shapes that overlap by rounding may be moved apart by as much along
//! n: along any other direction they are then apart by at most twice that more.

use crate::directions::{Direction, Of, closest};
use crate::placed::Placed;
use glam::DVec3;

/// Points this close to a supporting plane, as a fraction of the size, lie in it.
const TOUCHES: f64 = 1e-13;

/// Overlaps up to this fraction of the size are rounding.
const OVERLAP: f64 = 1e-14;

/// q − p is along n to this fraction of the size, or of the gap: the normal is exact to this over the gap.
const ASIDE: f64 = 4e-16;
const ASIDE_OF_GAP: f64 = 1e-11;

/// Is d, which separates the two by `d.gap`, the direction of their nearest points? `false` may mean unknown.
pub(crate) fn is_nearest(a: &Placed, b: &Placed, d: &Direction) -> bool {
    let size = a.shape.radius().max(b.shape.radius());
    if d.gap < -OVERLAP * size {
        return false;
    }
    match d.of {
        Of::FaceA(k) => lies_over(a, k, b, -d.n, TOUCHES * size),
        Of::FaceB(k) => lies_over(b, k, a, d.n, TOUCHES * size),
        Of::Parts(..) => {
            let tolerance = TOUCHES * size;
            let ([p, q], [r, w]) = (touching(a, d.n, tolerance), touching(b, -d.n, tolerance));
            let (s, t) = closest(p, q - p, r, w - r);
            let aside = r.lerp(w, t) - p.lerp(q, s) - d.n * d.gap;
            aside.length() <= (ASIDE * size).max(ASIDE_OF_GAP * d.gap)
        }
    }
}

/// Has `other` a point that is lowest along `down` and lies over face k of `s`?
fn lies_over(s: &Placed, k: usize, other: &Placed, down: DVec3, tolerance: f64) -> bool {
    let face = s.outline(k);
    let inside = |x: DVec3| {
        let p = s.local_of(x);
        face.clip(p, p, 0.0).is_some()
    };
    if other.n_circles() > 0 {
        return inside(other.farthest(down));
    }
    let low = other.reach(down) - other.rounding() - tolerance;
    (0..other.n_points())
        .map(|k| other.point(k))
        .any(|x| down.dot(x) >= low && inside(x))
}

/// Where a body touches in the direction n, no face being there: the ends of a line on its surface, or one point
/// twice.
pub(crate) fn touching(s: &Placed, n: DVec3, tolerance: f64) -> [DVec3; 2] {
    let low = s.reach(n) - tolerance;
    let round = n * (s.girth() + s.rounding());
    let lines = (0..s.n_lines())
        .map(|k| s.line(k).map(|p| p + round))
        // A cylinder's side touches only where its axis lies across n.
        .filter(|[p, q]| s.girth() == 0.0 || n.dot(*q - *p).abs() <= tolerance);
    lines
        .chain(s.slope(n))
        .find(|line| line.iter().all(|p| n.dot(*p) >= low))
        .unwrap_or_else(|| [s.farthest(n); 2])
}
