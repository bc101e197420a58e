//! Which piece of a picture hides which.
//!
//! Two convex pieces that do not meet have a plane between them, so the one in front is in front everywhere: one ray
//! through a point where both are seen tells. What is painted far to near along these pairs is right, unless pieces
//! hide each other in a ring; then the farthest of them is painted first.

use glam::DVec3;
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};
use stickslip_plot::Point;

/// A convex body or face as the camera sees it.
pub(crate) struct Silhouette {
    /// Convex outline in the picture, pixels, in either sense.
    pub(crate) outline: Vec<Point>,
    pub(crate) solid: Solid,
    /// Distance of the middle along the view, m: decides where nothing else does.
    pub(crate) depth: f64,
}

/// What a ray meets.
pub(crate) enum Solid {
    Ball {
        centre: DVec3,
        radius: f64,
    },
    /// Planes of the faces that look at the eye: normal (any length), a point.
    Faces(Vec<(DVec3, DVec3)>),
}

impl Solid {
    /// Where the ray eye + t·direction, which meets the solid, enters it. None where it only grazes.
    fn entry(&self, eye: DVec3, direction: DVec3) -> Option<f64> {
        match self {
            Self::Ball { centre, radius } => {
                let to = *centre - eye;
                let (a, b) = (direction.length_squared(), to.dot(direction));
                let root = b * b - a * (to.length_squared() - radius * radius);
                (root > 0.0).then(|| (b - libm::sqrt(root)) / a)
            }
            // The ray is inside once it has crossed every plane.
            Self::Faces(planes) => planes
                .iter()
                .filter_map(|(normal, point)| {
                    let slope = normal.dot(direction);
                    (slope < 0.0).then(|| normal.dot(*point - eye) / slope)
                })
                .reduce(f64::max),
        }
    }
}

/// Overlaps smaller than this are no overlap, square pixels.
const SLIVER: f64 = 1e-3;

/// Cells along each side of the picture, to find the pairs that may overlap.
const CELLS: usize = 48;

/// Numbers of the pieces in the order of painting. `ray` gives the direction from the eye through a point of the
/// picture, `size` is the picture's.
pub(crate) fn far_to_near(
    pieces: &[Silhouette],
    size: [f64; 2],
    eye: DVec3,
    ray: impl Fn(Point) -> DVec3,
) -> Vec<usize> {
    // nearer[k]: those that must be painted after k; waiting[k]: how many must be painted before it.
    let mut nearer: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    let mut waiting = vec![0_usize; pieces.len()];
    for (a, b) in pairs(pieces, size) {
        let Some(through) = common_point(&pieces[a].outline, &pieces[b].outline) else {
            continue;
        };
        let direction = ray(through);
        let entries = [a, b].map(|k| pieces[k].solid.entry(eye, direction));
        if let [Some(s), Some(t)] = entries {
            let (far, near) = if s > t { (a, b) } else { (b, a) };
            nearer[far].push(near);
            waiting[near] += 1;
        }
    }
    let mut order = Vec::with_capacity(pieces.len());
    let mut painted = vec![false; pieces.len()];
    let far = |k: usize| Far(pieces[k].depth, k);
    let mut ready: BinaryHeap<Far> = (0..pieces.len())
        .filter(|&k| waiting[k] == 0)
        .map(far)
        .collect();
    // For rings: all pieces, the farthest last.
    let mut rest: Vec<usize> = (0..pieces.len()).collect();
    rest.sort_by_key(|&k| far(k));
    while order.len() < pieces.len() {
        let next = ready.pop().map(|f| f.1).or_else(|| rest.pop());
        let Some(next) = next else { break };
        if std::mem::replace(&mut painted[next], true) {
            continue;
        }
        order.push(next);
        for &k in &nearer[next] {
            waiting[k] -= 1;
            if waiting[k] == 0 {
                ready.push(far(k));
            }
        }
    }
    order
}

/// A piece by its distance; equally far ones in the order of their numbers.
struct Far(f64, usize);

impl Ord for Far {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.total_cmp(&other.0)).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Far {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Far {}

/// Lower and upper corner of points.
fn bounds(points: &[Point]) -> [Point; 2] {
    let mut out = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for p in points {
        for i in 0..2 {
            out[0][i] = out[0][i].min(p[i]);
            out[1][i] = out[1][i].max(p[i]);
        }
    }
    out
}

/// Pairs whose bounds overlap within the picture, in a fixed order.
fn pairs(pieces: &[Silhouette], size: [f64; 2]) -> BTreeSet<(usize, usize)> {
    let cell = |x: f64, i: usize| ((x / size[i] * CELLS as f64) as usize).min(CELLS - 1);
    let boxes: Vec<[Point; 2]> = pieces.iter().map(|p| bounds(&p.outline)).collect();
    let mut cells: Vec<Vec<usize>> = vec![Vec::new(); CELLS * CELLS];
    let mut found = BTreeSet::new();
    for (k, [low, high]) in boxes.iter().enumerate() {
        let outside = |i: usize| high[i] < 0.0 || low[i] > size[i];
        if pieces[k].outline.len() < 3 || outside(0) || outside(1) {
            continue;
        }
        for row in cell(low[1], 1)..=cell(high[1], 1) {
            for column in cell(low[0], 0)..=cell(high[0], 0) {
                let here = &mut cells[row * CELLS + column];
                let meets = |j: &usize| {
                    let [l, h] = &boxes[*j];
                    (0..2).all(|i| l[i] < high[i] && low[i] < h[i])
                };
                found.extend(here.iter().copied().filter(meets).map(|j| (j, k)));
                here.push(k);
            }
        }
    }
    found
}

/// Twice the signed area of the triangle o, a, b.
fn turn(o: Point, a: Point, b: Point) -> f64 {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// A point well inside both convex polygons: the middle of what they share.
fn common_point(a: &[Point], b: &[Point]) -> Option<Point> {
    let area = |p: &[Point]| -> f64 { p.windows(2).map(|w| turn(p[0], w[0], w[1])).sum() };
    let sense = area(b).signum();
    let mut shared = a.to_vec();
    // Sutherland and Hodgman: cut by one side of b after the other.
    for (k, &from) in b.iter().enumerate() {
        let to = b[(k + 1) % b.len()];
        let side = |p: Point| sense * turn(from, to, p);
        let mut cut = Vec::with_capacity(shared.len() + 1);
        for (i, &p) in shared.iter().enumerate() {
            let q = shared[(i + 1) % shared.len()];
            let (s, t) = (side(p), side(q));
            if s >= 0.0 {
                cut.push(p);
            }
            if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
                let part = s / (s - t);
                cut.push([p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])]);
            }
        }
        shared = cut;
    }
    if shared.len() < 3 || area(&shared).abs() < 2.0 * SLIVER {
        return None;
    }
    let mean = |i: usize| shared.iter().map(|p| p[i]).sum::<f64>() / shared.len() as f64;
    Some([mean(0), mean(1)])
}

/// The convex outline of points (Andrew's monotone chain).
pub(crate) fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while out.len() > 1 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut outline = chain(&mut points.iter().copied());
    outline.extend(chain(&mut points.iter().rev().copied()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square slab z = `z`, seen from above at (0, 0, 10) without perspective in the outline.
    fn slab(x: f64, y: f64, half: [f64; 2], z: f64, depth: f64) -> Silhouette {
        let corner = |i: f64, j: f64| [x + i * half[0], y + j * half[1]];
        Silhouette {
            outline: vec![
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ],
            solid: Solid::Faces(vec![(DVec3::Z, DVec3::new(x, y, z))]),
            depth,
        }
    }

    fn order(pieces: &[Silhouette]) -> Vec<usize> {
        far_to_near(pieces, [100.0, 100.0], DVec3::Z * 10.0, |_| -DVec3::Z)
    }

    #[test]
    fn the_outline_of_points_is_convex() {
        let square = vec![
            [0.0, 0.0],
            [1.0, 0.0],
            [0.5, 0.5],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.0],
        ];
        assert_eq!(hull(square).len(), 4);
        assert!(hull(vec![[1.0, 1.0]]).len() < 2);
    }

    #[test]
    fn what_a_ray_meets_first_is_painted_last() {
        // The middle of the large slab is nearer than the small one, which lies on it all the same.
        let pieces = [
            slab(90.0, 50.0, [5.0, 5.0], 1.0, 9.0),
            slab(50.0, 50.0, [45.0, 45.0], 0.0, 2.0),
        ];
        assert_eq!(order(&pieces), [1, 0]);
    }

    #[test]
    fn what_does_not_overlap_goes_by_distance_and_rings_are_painted_too() {
        let apart = [
            slab(10.0, 10.0, [5.0, 5.0], 0.0, 3.0),
            slab(50.0, 50.0, [5.0, 5.0], 0.0, 7.0),
            slab(80.0, 80.0, [5.0, 5.0], 0.0, 3.0),
        ];
        assert_eq!(order(&apart), [1, 0, 2]);
        // Three tilted slabs, each over the next.
        let mut ring = Vec::new();
        for k in 0..3 {
            let angle = std::f64::consts::TAU * f64::from(k) / 3.0;
            let (s, c) = libm::sincos(angle);
            let mut piece = slab(0.0, 0.0, [30.0, 4.0], 0.0, f64::from(k));
            piece.outline = piece
                .outline
                .iter()
                .map(|p| [p[0] + 5.0, p[1] + 8.66])
                .map(|p| [50.0 + c * p[0] - s * p[1], 50.0 + s * p[0] + c * p[1]])
                .collect();
            let up = DVec3::new(-0.05 * c, -0.05 * s, 1.0);
            piece.solid = Solid::Faces(vec![(up, DVec3::new(50.0, 50.0, 0.0))]);
            ring.push(piece);
        }
        let mut all = far_to_near(&ring, [100.0, 100.0], DVec3::Z * 10.0, |p| {
            DVec3::new(p[0], p[1], 0.0) - DVec3::Z * 10.0
        });
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
    }

    #[test]
    fn a_ball_is_met_where_the_ray_enters_it() {
        let ball = Solid::Ball {
            centre: DVec3::ZERO,
            radius: 2.0,
        };
        assert_eq!(ball.entry(DVec3::Z * 10.0, -DVec3::Z), Some(8.0));
        assert_eq!(ball.entry(DVec3::Z * 10.0, DVec3::X), None);
    }
}
