//! The nearest of all lines of two polyhedra (or points, or rounded ones): their distance where that is not across a face.

use crate::directions::{Best, Direction, Of, Part, closest, gap_along};
use crate::placed::Placed;
use glam::DVec3;

/// Lines of a body whose ends and heights are kept while the other's are gone through; those beyond are worked out each time.
const KEPT: usize = 32;

/// A line of a body, or its only point twice.
#[derive(Clone, Copy)]
struct Segment {
    ends: [DVec3; 2],
    /// How far it reaches along the direction of its body that faces the other.
    high: f64,
}

/// The lines of a body.
struct Segments<'a> {
    of: &'a Placed<'a>,
    /// Towards the other body.
    n: DVec3,
    kept: [Segment; KEPT],
}

impl<'a> Segments<'a> {
    fn new(of: &'a Placed<'a>, n: DVec3) -> Self {
        let none = Segment {
            ends: [DVec3::ZERO; 2],
            high: 0.0,
        };
        let mut segments = Self {
            of,
            n,
            kept: [none; KEPT],
        };
        for k in 0..segments.len().min(KEPT) {
            segments.kept[k] = segments.made(k);
        }
        segments
    }

    fn len(&self) -> usize {
        self.of.n_lines().max(1)
    }

    fn get(&self, k: usize) -> Segment {
        if k < KEPT { self.kept[k] } else { self.made(k) }
    }

    fn made(&self, k: usize) -> Segment {
        let (s, n) = (self.of, self.n);
        let local = s.turn.transpose() * n;
        let (ends, [p, q]) = if s.n_lines() == 0 {
            let p = s.point(0);
            ([p; 2], [s.local_of(p); 2])
        } else {
            (s.line(k), s.local_line(k))
        };
        Segment {
            ends,
            high: n.dot(s.centre) + local.dot(p).max(local.dot(q)),
        }
    }

    /// Which feature of its body the place at the fraction t of segment k belongs to.
    fn part(&self, k: usize, t: f64) -> Part {
        let ends = if self.of.n_lines() == 0 {
            Some([0, 0])
        } else {
            self.of.line_ends(k)
        };
        match ends {
            Some([p, _]) if t <= 0.0 => Part::Point(p),
            Some([_, q]) if t >= 1.0 => Part::Point(q),
            _ => Part::Line(k),
        }
    }
}

/// Visits the direction from the nearest point of all lines (or points) of a to that of b.
pub(crate) fn nearest_segments(best: &mut Best) {
    let (a, b) = (best.a, best.b);
    // Along the best direction so far, two lines are at least as far apart as their heights tell.
    let n = best.found.map_or(DVec3::ZERO, |d| d.n);
    // None is farther than the two that lie foremost in that direction, rounding apart.
    let foremost = b.farthest(-n) - a.farthest(n) + n * (a.rounding() + b.rounding());
    let (mut least, mut found) = (foremost.length() * (1.0 + 1e-9), None);
    if n == DVec3::ZERO {
        least = f64::INFINITY;
    }
    let (of_a, of_b) = (Segments::new(a, n), Segments::new(b, -n));
    for i in 0..of_a.len() {
        let Segment {
            ends: [p, q],
            high: top,
        } = of_a.get(i);
        for j in 0..of_b.len() {
            let Segment {
                ends: [r, w],
                high: bottom,
            } = of_b.get(j);
            if -bottom - top >= least {
                continue;
            }
            let (s, t) = closest(p, q - p, r, w - r);
            let d = (r + (w - r) * t) - (p + (q - p) * s);
            let length = d.length();
            if length < least {
                least = length;
                found = Some((i, s, j, t, d));
            }
        }
    }
    let Some((i, s, j, t, d)) = found else { return };
    let Some(n) = d.try_normalize() else { return };
    let of = Of::Parts(of_a.part(i, s), of_b.part(j, t));
    best.visit(of, n);
    // Across two lines the cross product tells more than points that nearly coincide.
    if let Of::Parts(Part::Line(_), Part::Line(_)) = of {
        let gap = gap_along(a, b, n);
        best.again(&Direction { of, n, gap });
    }
}
