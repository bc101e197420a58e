//! Forged restitution: what contacts give back in the last of several steps, of which those before are honest. The balls have 1 kg.

use crate::kinds::{against, ball, between, decade, linear, plane};
use crate::step::{Forged, GRAVITY};
use glam::DVec3;
use stickslip_geometry::Shape;

/// All kinds here.
pub(crate) const KINDS: [fn(&[f64]) -> Forged; 8] = [
    too_much,
    twice,
    without,
    too_late,
    never_closed,
    pulls,
    weight,
    aside,
];

/// A ball that strikes the ground at the speed v, and lies there in the next step: it took the impulse v beside what its weight presses.
struct Struck {
    step: Forged,
    ball: usize,
    radius: f64,
    /// v, m/s.
    speed: f64,
}

fn struck(x: &[f64], restitution: f64) -> Struck {
    let h = decade(x[0], 1e-4, 1e-2);
    let (radius, speed) = (decade(x[1], 1e-2, 1.0), decade(x[2], 1e-2, 10.0));
    let mut step = plane(h);
    step.restitution = restitution;
    // Somewhere in the step: not always at once.
    let gap = 0.7 * speed * h;
    let ball = step.body(
        ball(radius),
        true,
        DVec3::Z * (radius + gap),
        linear(DVec3::NEG_Z * speed),
    );
    let mut struck = Struck {
        step,
        ball,
        radius,
        speed,
    };
    for _ in 0..2 {
        let row = struck.row();
        struck.step.press(row);
        struck.step.next();
    }
    struck
}

impl Struck {
    fn row(&mut self) -> usize {
        let lowest = self.step.before[self.ball].pose.position - DVec3::Z * self.radius;
        self.step.row([0, self.ball], lowest, DVec3::Z)
    }

    /// A step that gives back r, and as much beside it as the contact asks for.
    fn give(&mut self, r: f64) {
        let row = self.row();
        self.step.contacts[row].restituted = r;
        self.step.contacts[row].impulse.x = r;
        self.step.press(row);
    }

    /// Ends with a step that gives back r; wrong is by how much it moves otherwise than with `lawful`.
    fn end(mut self, r: f64, lawful: f64) -> Forged {
        self.give(lawful);
        let honest = self.step.twist(self.ball).linear;
        self.step.contacts.clear();
        self.give(r);
        against(self.step, self.ball, honest)
    }
}

/// e of a pair that has any.
fn restitution(x: f64) -> f64 {
    between(x, 0.05, 1.0)
}

pub(crate) fn too_much(x: &[f64]) -> Forged {
    let e = restitution(x[3]);
    let struck = struck(x, e);
    let lawful = e * struck.speed;
    struck.end(lawful * (1.0 + decade(x[4], 1e-9, 10.0)), lawful)
}

pub(crate) fn twice(x: &[f64]) -> Forged {
    let e = restitution(x[3]);
    let mut struck = struck(x, e);
    struck.give(e * struck.speed);
    struck.step.next();
    let again = decade(x[4], 1e-9, 1.0) * e * struck.speed;
    struck.end(again, 0.0)
}

pub(crate) fn without(x: &[f64]) -> Forged {
    let struck = struck(x, 0.0);
    let r = struck.speed * decade(x[3], 1e-9, 1.0);
    struck.end(r, 0.0)
}

/// A rebound some ten steps after what it gives back.
pub(crate) fn too_late(x: &[f64]) -> Forged {
    let e = restitution(x[3]);
    let mut struck = struck(x, e);
    for _ in 0..9 + (5.0 * x[4]) as usize {
        let row = struck.row();
        struck.step.press(row);
        struck.step.next();
    }
    let r = e * struck.speed * decade(x[5], 1e-9, 1.0);
    struck.end(r, 0.0)
}

/// A ball that falls and does not touch the ground yet, or lies there, is thrown up.
pub(crate) fn never_closed(x: &[f64]) -> Forged {
    let (h, radius) = (decade(x[0], 1e-4, 1e-2), decade(x[1], 1e-2, 1.0));
    let mut step = plane(h);
    step.restitution = restitution(x[2]);
    let gap = if x[3] < 0.5 {
        0.0
    } else {
        GRAVITY * h * h * (1.0 + x[3])
    };
    let centre = DVec3::Z * (radius + gap);
    let ball = step.body(ball(radius), true, centre, linear(DVec3::ZERO));
    let mut lies = Struck {
        step,
        ball,
        radius,
        speed: 0.0,
    };
    for _ in 0..if gap == 0.0 {
        1 + (12.0 * x[4]) as usize
    } else {
        0
    } {
        let row = lies.row();
        lies.step.press(row);
        lies.step.next();
    }
    lies.end(decade(x[5], 1e-9, 10.0), 0.0)
}

/// A ball that leaves the ground is held there by a rebound that pulls.
pub(crate) fn pulls(x: &[f64]) -> Forged {
    let e = restitution(x[3]);
    let mut struck = struck(x, e);
    let v = e * struck.speed;
    struck.give(v);
    struck.step.next();
    struck.end(-decade(x[4], 1e-9, 1.0) * v, 0.0)
}

/// Two balls at rest, one on the other, of which the lower gives back to the ground what it bears of both.
pub(crate) fn weight(x: &[f64]) -> Forged {
    let (h, radius) = (decade(x[0], 1e-4, 1e-2), decade(x[1], 1e-2, 1.0));
    let mut step = plane(h);
    step.restitution = restitution(x[2]);
    for k in [1.0, 3.0] {
        step.body(
            ball(radius),
            true,
            DVec3::Z * (k * radius),
            linear(DVec3::ZERO),
        );
    }
    let weight = GRAVITY * h;
    let rows = |step: &mut Forged, below: f64, between: f64| {
        step.row([0, 1], DVec3::ZERO, DVec3::Z);
        step.row([1, 2], DVec3::Z * (2.0 * radius), DVec3::Z);
        step.contacts[0].impulse.x = below;
        step.contacts[1].impulse.x = between;
    };
    for _ in 0..1 + (12.0 * x[3]) as usize {
        rows(&mut step, 2.0 * weight, weight);
        step.next();
    }
    // Both go up together at v.
    let v = decade(x[4], 1e-9, 1.0);
    let r = 2.0 * (weight + v);
    rows(&mut step, r, weight + v);
    step.contacts[0].restituted = r;
    against(step, 2, DVec3::ZERO)
}

/// A flat box that fell on its four corners gives back on one side what all of them took. The impulse of the pair is within its bound, but
/// the side is three times easier to move than the whole: r does more work than the box had.
pub(crate) fn aside(x: &[f64]) -> Forged {
    let (h, edge, speed) = (
        decade(x[0], 1e-4, 1e-2),
        decade(x[1], 1e-1, 1.0),
        decade(x[2], 1e-1, 10.0),
    );
    let mut step = plane(h);
    step.restitution = between(x[3], 0.6, 1.0);
    let size = DVec3::new(1.0, 1.0, 0.2) * edge;
    let flat = Shape::cuboid(size).expect("a box");
    let high = 0.5 * size.z * DVec3::Z;
    let k = step.body(flat, true, high, linear(DVec3::NEG_Z * speed));
    let rows = |step: &mut Forged, left: f64, right: f64| {
        for (sign, impulse) in [(-1.0, left), (1.0, right)] {
            for side in [-0.5, 0.5] {
                let corner = DVec3::new(0.5 * sign, side, 0.0) * edge;
                let row = step.row([0, k], corner, DVec3::Z);
                step.contacts[row].impulse.x = 0.5 * impulse;
            }
        }
    };
    let weight = GRAVITY * h;
    for before in [speed, 0.0] {
        rows(&mut step, 0.5 * (before + weight), 0.5 * (before + weight));
        step.next();
    }
    // Right: r. Left: what stops it there, −gh + r (1 − a) + p (1 + a) = 0.
    let r = step.restitution * speed;
    let a = 0.25 * edge * edge * step.model.bodies[k].inverse_inertia.y_axis.y;
    rows(&mut step, (weight - r * (1.0 - a)) / (1.0 + a), r);
    for c in &mut step.contacts[2..] {
        c.restituted = 0.5 * r;
    }
    against(step, k, DVec3::Z * (r - weight))
}

/// A lawful rebound.
pub(crate) fn lawful(x: &[f64]) -> Forged {
    let e = restitution(x[3]);
    let struck = struck(x, e);
    let r = e * struck.speed;
    struck.end(r, r)
}
