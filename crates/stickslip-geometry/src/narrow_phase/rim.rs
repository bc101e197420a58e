//! Which points of a rim carry: a circle has infinitely many, and a row needs one.
//!
//! A rim that stands on edge carries at its lowest point. One that lies flat carries around its whole circle:
//! eight points, of which one is where the load would tip it over. As the rim tilts, the lowest point takes its
//! place. While the tilt is smaller than what gravity does in a step, the lowest point runs around the rim faster
//! than steps can follow, to and fro about the place where the load leans: that place is taken. Points are chosen
//! anew in each step, and never where a turn about the rim's own axis would bring them down within the step: that
//! would lift a rolling body.

use crate::placed::{Circle, Placed};
use glam::DVec3;

/// Points around a flat rim.
const SPREAD: usize = 8;

/// A rim within this angle (sine) of flat has no lowest point of its own: rounding decides.
const FLAT: f64 = 1e-9;

/// Only a rim within this angle (sine) of flat carries around its circle.
const STEEP: f64 = 0.3;

/// Numbers of points that the rims of a body use.
pub(super) const POINTS: usize = 2 * (SPREAD + 2);

/// The line of a load on a rim: the centre of mass of the body that rests there and its predicted way.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) centre: DVec3,
    pub(super) shift: DVec3,
}

/// Points of rim `k` to be held against a plane, each with its number: `down` points into the plane, `end` is
/// the body at the end of the step.
pub(super) fn points(
    body: &Placed,
    end: &Placed,
    k: usize,
    down: DVec3,
    load: Load,
    mut visit: impl FnMut(usize, DVec3, DVec3),
) {
    let (now, then) = (body.circle(k), end.circle(k));
    let number = k * (SPREAD + 2);
    let tilt = flat_part(&now, down);
    let sine = tilt.length();
    let mut place = |j: usize, out: DVec3| {
        let point = now.farthest(out);
        visit(number + j, point, end.world_of(body.local_of(point)));
    };
    if !faces(&now, down) {
        if sine > 0.0 {
            visit(number, now.farthest(down), then.farthest(down));
        }
        return;
    }
    // Towards the lowest point; towards the lowest at the end, taken where it lies in space and not in the body, for
    // a turn about the rim's axis does not move it; towards the place where the load leans.
    let unit = |v: DVec3| v.try_normalize().filter(|_| v.length() > FLAT);
    let (lowest, turned) = (unit(tilt), unit(flat_part(&then, down)));
    let leans = load.leans(&now).and_then(DVec3::try_normalize);
    let stiff = sine * now.radius < 10.0 * load.shift.dot(down).abs();
    let first = match (lowest, leans) {
        (Some(lowest), Some(leans)) if stiff && lowest.dot(leans) > 0.95 => leans,
        _ => lowest.or(turned).or(leans).unwrap_or(body.turn.x_axis),
    };
    let side = now.axis.cross(first);
    for j in 0..SPREAD {
        let (s, c) = EIGHTHS[j];
        place(j, first * c + side * s);
    }
    for (j, other) in [leans, turned].into_iter().enumerate() {
        if let Some(out) = other.filter(|out| (*out - first).length() > 1e-3) {
            place(SPREAD + j, out);
        }
    }
}

/// Does a rim lie so flat that it carries around its circle?
pub(super) fn faces(circle: &Circle, down: DVec3) -> bool {
    circle.axis.dot(down) > 0.0 && flat_part(circle, down).length() < STEEP
}

/// The part of `down` in the rim's plane: towards its lowest point.
fn flat_part(circle: &Circle, down: DVec3) -> DVec3 {
    down - circle.axis * circle.axis.dot(down)
}

impl Load {
    /// Where its line meets the rim's plane, from the rim's centre: a body at rest tips when that leaves the rim.
    fn leans(&self, circle: &Circle) -> Option<DVec3> {
        let fall = circle.axis.dot(self.shift);
        let height = circle.axis.dot(circle.centre - self.centre);
        if height * fall <= 0.0 {
            return None;
        }
        let out = self.centre + self.shift * (height / fall) - circle.centre;
        (out.length() > FLAT * circle.radius).then_some(out)
    }
}

/// sin and cos of k/8 of a turn.
const EIGHTHS: [(f64, f64); SPREAD] = {
    let d = std::f64::consts::FRAC_1_SQRT_2;
    [
        (0.0, 1.0),
        (d, d),
        (1.0, 0.0),
        (d, -d),
        (0.0, -1.0),
        (-d, -d),
        (-1.0, 0.0),
        (-d, d),
    ]
};
