//! Rows that say nothing new: a box on a mesh of many triangles stands on its four corners.
//!
//! Rows with one normal n have the gap rates n·(v + ω × r), affine in the place of the point across n. A row between
//! others whose gap is not below theirs, interpolated, is implied by them, now and at the end of the step.

use crate::frame::contact_frame;
use glam::{DVec2, DVec3};

/// Normals that differ by less than this are one.
const SAME: f64 = 1e-12;

/// A row: where, along what, how far.
#[derive(Clone, Copy, Debug)]
pub struct GapRow {
    /// The point, m.
    pub point: DVec3,
    /// The unit normal.
    pub normal: DVec3,
    /// The gap, m.
    pub gap: f64,
}

/// Memory, reused.
#[derive(Clone, Debug, Default)]
pub struct Reducer {
    grouped: Vec<bool>,
    places: Vec<Place>,
    hull: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    at: DVec2,
    gap: f64,
    row: usize,
}

impl Reducer {
    /// Sets `keep` to false for every row that others imply.
    pub fn mark(&mut self, rows: &[GapRow], keep: &mut Vec<bool>) {
        keep.clear();
        keep.resize(rows.len(), true);
        self.grouped.clear();
        self.grouped.resize(rows.len(), false);
        for first in 0..rows.len() {
            if self.grouped[first] {
                continue;
            }
            let n = rows[first].normal;
            let [_, t1, t2] = contact_frame(n);
            self.places.clear();
            for k in first..rows.len() {
                let row = &rows[k];
                if !self.grouped[k] && (row.normal - n).length() < SAME {
                    self.grouped[k] = true;
                    self.places.push(Place {
                        at: DVec2::new(t1.dot(row.point), t2.dot(row.point)),
                        gap: row.gap,
                        row: k,
                    });
                }
            }
            if self.places.len() > 1 {
                self.mark_group(keep);
            }
        }
    }

    fn mark_group(&mut self, keep: &mut [bool]) {
        let origin = self.places[0].at;
        let size = self
            .places
            .iter()
            .map(|p| (p.at - origin).length())
            .fold(f64::MIN_POSITIVE, f64::max);
        // Places on a line along y have one x, or the ends of the order would not be its ends.
        let column = |p: &Place| ((p.at.x - origin.x) / (1e-9 * size)).round();
        self.places.sort_by(|a, b| {
            (column(a).total_cmp(&column(b)))
                .then(a.at.y.total_cmp(&b.at.y))
                .then(a.gap.total_cmp(&b.gap))
                .then(a.row.cmp(&b.row))
        });
        outline(&self.places, 1e-9 * size, &mut self.hull);
        for p in &self.places {
            if self.hull.iter().any(|h| h.row == p.row) {
                continue;
            }
            let tolerance = 1e-12 * (size + p.gap.abs());
            keep[p.row] = !interpolated(&self.hull, p.at, 1e-9 * size)
                .is_some_and(|gap| p.gap >= gap - tolerance);
        }
    }
}

/// The corners of the convex hull of sorted places, counterclockwise; what lies within `tolerance` of a side, or of
/// a corner, is no corner.
fn outline(places: &[Place], tolerance: f64, hull: &mut Vec<Place>) {
    hull.clear();
    let add = |hull: &mut Vec<Place>, from: usize, p: Place| {
        while let [.., a, b] = hull[from..] {
            let side = p.at - a.at;
            if side.perp_dot(b.at - a.at) < -tolerance * side.length() {
                break;
            }
            hull.pop();
        }
        if hull[from..]
            .last()
            .is_none_or(|q| (q.at - p.at).length() > tolerance)
        {
            hull.push(p);
        }
    };
    for &p in places {
        add(hull, 0, p);
    }
    let from = hull.len().saturating_sub(1);
    for &p in places.iter().rev() {
        add(hull, from, p);
    }
    if hull.len() > 1 && (hull[0].at - hull[hull.len() - 1].at).length() <= tolerance {
        hull.pop();
    }
    // The first and the last in the order may lie on a side, by rounding.
    let mut k = 0;
    while k < hull.len() && hull.len() > 2 {
        let n = hull.len();
        let (a, b, c) = (hull[(k + n - 1) % n].at, hull[k].at, hull[(k + 1) % n].at);
        if (c - a).perp_dot(b - a).abs() <= tolerance * (c - a).length() {
            hull.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
}

/// The gap at a place inside the hull, between its corners' in a fan; `None` outside.
fn interpolated(hull: &[Place], at: DVec2, tolerance: f64) -> Option<f64> {
    match *hull {
        [] => None,
        [a] => ((at - a.at).length() <= tolerance).then_some(a.gap),
        [a, b] => {
            let side = b.at - a.at;
            let s = side.dot(at - a.at) / side.length_squared();
            let aside = side.perp_dot(at - a.at).abs() / side.length();
            ((-1e-9..=1.0 + 1e-9).contains(&s) && aside <= tolerance)
                .then_some(a.gap + s * (b.gap - a.gap))
        }
        _ => hull[1..].windows(2).find_map(|pair| {
            let (a, b, c) = (hull[0], pair[0], pair[1]);
            let area = (b.at - a.at).perp_dot(c.at - a.at);
            let u = (at - a.at).perp_dot(c.at - a.at) / area;
            let v = (b.at - a.at).perp_dot(at - a.at) / area;
            let near = 1e-9;
            (u >= -near && v >= -near && u + v <= 1.0 + near)
                .then_some(a.gap + u * (b.gap - a.gap) + v * (c.gap - a.gap))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(rows: &[GapRow]) -> Vec<usize> {
        let mut keep = Vec::new();
        Reducer::default().mark(rows, &mut keep);
        (0..rows.len()).filter(|&k| keep[k]).collect()
    }

    fn row(x: f64, y: f64, gap: f64) -> GapRow {
        GapRow {
            point: DVec3::new(x, y, 0.3),
            normal: DVec3::Z,
            gap,
        }
    }

    #[test]
    fn a_grid_stands_on_its_corners() {
        let grid: Vec<GapRow> = (0..25)
            .map(|k| row(0.1 * f64::from(k % 5), 0.1 * f64::from(k / 5), 0.0))
            .collect();
        assert_eq!(kept(&grid), [0, 4, 20, 24]);
        // Tilted: still affine.
        let tilted: Vec<GapRow> = grid
            .iter()
            .map(|r| row(r.point.x, r.point.y, 0.01 * r.point.x))
            .collect();
        assert_eq!(kept(&tilted), [0, 4, 20, 24]);
        // A bump under the middle counts.
        let mut bump = grid.clone();
        bump[12].gap = -1e-6;
        assert_eq!(kept(&bump), [0, 4, 12, 20, 24]);
        // On a side along y but for rounding.
        let rounded: Vec<GapRow> = (0..5)
            .map(|k| row(1.5 + 4e-16 * f64::from(k % 3), 0.5 * f64::from(k), 0.0))
            .chain([row(3.0, 1.0, 0.0)])
            .collect();
        assert_eq!(kept(&rounded), [0, 4, 5]);
        // What is on a line, at one place, or alone.
        assert_eq!(kept(&grid[..5]), [0, 4]);
        assert_eq!(kept(&[row(0.0, 0.0, 2.0), row(0.0, 0.0, 1.0)]), [1]);
        assert_eq!(kept(&grid[..1]), [0]);
        // Another normal is another matter.
        let mut turned = grid;
        turned[12].normal = DVec3::X;
        assert_eq!(kept(&turned), [0, 4, 12, 20, 24]);
    }
}
