//! The kinds of forgery. Each takes numbers in 0 … 1 and makes a step that is wrong by what it says.

use crate::moments;
use crate::rebounds;
use crate::step::{Forged, GRAVITY, TOLERANCE};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use stickslip_geometry::pose::exp;
use stickslip_geometry::{Pose, Shape, Twist};
use stickslip_model::{Friction, Scheme};

/// A kind of forgery: its name, how many numbers it takes, and the step it makes of them.
pub(crate) type Kind = (&'static str, usize, fn(&[f64]) -> Forged);

pub(crate) const KINDS: [Kind; 53] = [
    (
        "a ball rests on a table along a tilted normal",
        5,
        tilted_rest_ball,
    ),
    (
        "a box rests on a table along a tilted normal",
        5,
        tilted_rest_box,
    ),
    ("a box slides on and is driven", 6, driven_box),
    ("a ball glides above a table", 6, glide),
    ("a ball near an edge leans on nothing", 5, lean_at_edge),
    ("a ball on a plane along a tilted normal", 4, tilted_plane),
    (
        "a point beside the lowest one turns a ball",
        4,
        shifted_point_ball,
    ),
    ("a point inside a box carries it", 5, inner_point_box),
    (
        "a corner that is not there carries a box",
        5,
        corner_in_the_air,
    ),
    ("a gap that is not that of the shapes", 3, lied_gap),
    ("a ball is pushed from afar", 4, pushed_from_afar),
    (
        "a ball hangs from a ceiling that it does not touch",
        3,
        hangs,
    ),
    (
        "two balls meet across another line",
        4,
        wrong_line_of_centres,
    ),
    (
        "two balls that rest on each other lean across another line",
        4,
        wrong_line_at_rest,
    ),
    ("a spinning box sinks without a row", 4, sinks_in_plane),
    (
        "a spinning box sinks into a box without a row",
        4,
        sinks_in_box,
    ),
    ("a ball falls through the ground", 3, falls_through),
    ("a bullet passes a wall", 4, bullet),
    ("a ball passes a thin plate", 4, through_plate),
    ("an impact above the ground", 3, impact_in_the_air),
    ("an impact along a tilted normal", 4, tilted_impact),
    (
        "a stack moves under cover of a ball far away",
        4,
        cover_of_distance,
    ),
    (
        "a stack moves under cover of a fast ball",
        4,
        cover_of_speed,
    ),
    ("friction beyond the cone", 3, beyond_the_cone),
    ("friction along the slip", 3, along_the_slip),
    ("an impulse that pulls", 2, pulls),
    ("momentum out of nothing", 4, momentum),
    ("a place out of nothing", 4, place),
    ("a turn out of nothing", 4, turned),
    ("a table that moves by itself", 4, moved_table),
    (
        "a rod rests across a rod along a tilted normal",
        6,
        rod_across_rod,
    ),
    ("a rod slides on a table and is driven", 6, driven_rod),
    (
        "an edge rests across an edge along a tilted normal",
        5,
        edge_across_edge,
    ),
    (
        "a rod rests on a table off its lowest line",
        4,
        shifted_point_rod,
    ),
    (
        "a rod rests along a rod along a tilted normal",
        6,
        rod_along_rod,
    ),
    (
        "a box rests for a moment along a normal that hardly tilts",
        4,
        hardly_tilted_box,
    ),
    (
        "a rod rests across a rod for a moment along a normal that hardly tilts",
        6,
        hardly_tilted_rod,
    ),
    (
        "an edge rests on an edge beside where they cross",
        4,
        beside_the_crossing,
    ),
    (
        "a rod rests along a rod beside where they cross",
        4,
        beside_along_rod,
    ),
    (
        "a rod rests along an edge beside where they cross",
        4,
        beside_along_edge,
    ),
    ("torsion beyond its bound", 4, moments::torsion_beyond),
    (
        "torsion that is not against the spin",
        4,
        moments::torsion_drives,
    ),
    (
        "rolling resistance beyond its bound",
        4,
        moments::rolling_beyond,
    ),
    (
        "rolling resistance that is not against the roll",
        4,
        moments::rolling_drives,
    ),
    (
        "a moment of a contact that bears none",
        4,
        moments::moment_of_nothing,
    ),
    (
        "a ball gives back more than e of what it took",
        5,
        rebounds::too_much,
    ),
    ("a compression is given back twice", 5, rebounds::twice),
    (
        "a compression is given back though e is zero",
        4,
        rebounds::without,
    ),
    (
        "a compression is given back long after",
        6,
        rebounds::too_late,
    ),
    (
        "a contact gives back that never closed",
        6,
        rebounds::never_closed,
    ),
    ("what is given back pulls", 5, rebounds::pulls),
    ("a stack at rest gives back its weight", 5, rebounds::weight),
    (
        "a box gives back on one side what all of it took",
        4,
        rebounds::aside,
    ),
];

/// From `low` to `high`, evenly in the logarithm.
pub(crate) fn decade(x: f64, low: f64, high: f64) -> f64 {
    libm::exp(libm::log(low) + x * (libm::log(high) - libm::log(low)))
}

pub(crate) fn between(x: f64, low: f64, high: f64) -> f64 {
    low + x * (high - low)
}

pub(crate) fn ball(radius: f64) -> Shape {
    Shape::ball(radius).expect("a ball")
}

fn cube(edge: f64) -> Shape {
    Shape::cuboid(DVec3::splat(edge)).expect("a box")
}

pub(crate) fn linear(v: DVec3) -> Twist {
    Twist {
        linear: v,
        angular: DVec3::ZERO,
    }
}

/// A step above a table of 4 m by 4 m, whose top is z = 0.
fn table(h: f64) -> Forged {
    let mut step = Forged::new(h);
    let top = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).expect("a table");
    step.body(top, false, DVec3::Z * -0.5, Twist::default());
    step
}

pub(crate) fn plane(h: f64) -> Forged {
    let mut step = Forged::new(h);
    let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
    step.body(ground, false, DVec3::ZERO, Twist::default());
    step
}

/// A unit vector at an angle from z, towards another angle.
fn tilted(angle: f64, towards: f64) -> DVec3 {
    let turn = exp(DVec3::Z * towards) * exp(DVec3::Y * angle);
    turn * DVec3::Z
}

/// Ends the step; wrong is by how much body `k` moves otherwise than `honest`.
pub(crate) fn against(mut step: Forged, k: usize, honest: DVec3) -> Forged {
    step.move_on();
    let twist = &step.after[k].twist;
    step.wrong = (twist.linear - honest).length();
    step
}

/// Ends the step; wrong is by how deep body 1 lies under z = 0 at its end.
fn sunk(mut step: Forged) -> Forged {
    step.move_on();
    let lowest = -step.model.bodies[1]
        .shape
        .support(&step.after[1].pose, DVec3::NEG_Z);
    step.wrong = -lowest;
    step
}

fn tilted_rest_ball(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::new(between(x[2], -1.9, 1.9), 0.3, r);
    let k = step.body(ball(r), true, centre, Twist::default());
    let n = tilted(decade(x[3], 1e-9, 0.5), 6.3 * x[4]);
    let row = step.row([0, k], centre - n * r, n);
    step.press(row);
    against(step, k, DVec3::ZERO)
}

fn tilted_rest_box(x: &[f64]) -> Forged {
    let n = tilted(decade(x[3], 1e-9, 0.5), 6.3 * x[4]);
    rest_box(decade(x[0], 1e-4, 1e-1), x[1], x[2], n)
}

fn hardly_tilted_box(x: &[f64]) -> Forged {
    let n = tilted(decade(x[2], 1e-13, 1e-9), 6.3 * x[3]);
    rest_box(decade(x[0], 1e-7, 1e-3), x[1], 0.5, n)
}

/// A box at rest on the table, held at its corners along n.
fn rest_box(h: f64, size: f64, at: f64, n: DVec3) -> Forged {
    let mut step = table(h);
    let edge = decade(size, 1e-2, 1.0);
    let centre = DVec3::new(between(at, -1.0, 1.0), 0.0, 0.5 * edge);
    let k = step.body(cube(edge), true, centre, Twist::default());
    for corner in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let off = DVec3::new(corner[0], corner[1], -1.0) * (0.5 * edge);
        step.row([0, k], centre + off, n);
    }
    // The four share what one at the middle would carry.
    let share = GRAVITY * step.h * n.z / 4.0;
    let lift = -step.contacts[0].contact.gap / step.h / 4.0;
    for c in &mut step.contacts {
        c.impulse.x = share + lift.max(0.0);
    }
    against(step, k, DVec3::ZERO)
}

fn driven_box(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-3, 1e-1));
    let edge = decade(x[1], 1e-1, 1.0);
    let v = DVec3::X * decade(x[2], 1e-3, 10.0);
    let centre = DVec3::new(between(x[3], -1.0, 1.0), 0.0, 0.5 * edge);
    let k = step.body(cube(edge), true, centre, linear(v));
    let n = tilted(decade(x[4], 1e-9, 0.5), 6.3 * x[5]);
    let row = step.row([0, k], centre - DVec3::Z * (0.5 * edge), n);
    step.press(row);
    against(step, k, v)
}

fn glide(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-3, 3e-2));
    let r = decade(x[1], 1e-2, 0.5);
    let v = DVec3::X * decade(x[2], 1e-2, 30.0);
    let height = decade(x[3], 1e-3, 0.5);
    let centre = DVec3::new(between(x[4], -1.9, 1.9), 0.0, r + height);
    let k = step.body(ball(r), true, centre, linear(v));
    let n = tilted(between(x[5], -1.4, 1.4), 0.0);
    let row = step.row([0, k], centre - n * r, n);
    step.press(row);
    // It does not reach the table within the step, so nothing holds it.
    let honest = v - DVec3::Z * (GRAVITY * step.h);
    let falls = height < GRAVITY * step.h * step.h;
    let mut step = against(step, k, honest);
    if falls {
        step.wrong = 0.0;
    }
    step
}

fn lean_at_edge(x: &[f64]) -> Forged {
    // Over the edge x = 2 of the table, its centre above the top: it rests on the top.
    let mut step = table(decade(x[0], 1e-4, 1e-2));
    let r = decade(x[1], 1e-2, 0.5);
    let centre = DVec3::new(2.0 - decade(x[2], 1e-9, 1e-2), 0.0, r);
    let k = step.body(ball(r), true, centre, Twist::default());
    let n = tilted(
        decade(x[3], 1e-9, 1.0) * if x[4] < 0.5 { 1.0 } else { -1.0 },
        0.0,
    );
    let row = step.row([0, k], centre - n * r, n);
    step.press(row);
    against(step, k, DVec3::ZERO)
}

fn tilted_plane(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * r;
    let k = step.body(ball(r), true, centre, Twist::default());
    let n = tilted(decade(x[2], 1e-12, 0.5), 6.3 * x[3]);
    let row = step.row([0, k], centre - n * r, n);
    if step.contacts[row].contact.gap.is_finite() {
        step.press(row);
    } else {
        step.contacts[row].contact.gap = 0.0;
        step.contacts[row].impulse.x = GRAVITY * step.h;
    }
    against(step, k, DVec3::ZERO)
}

fn shifted_point_ball(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * r;
    let k = step.body(ball(r), true, centre, Twist::default());
    let off = tilted(decade(x[2], 1e-9, 1.0), 6.3 * x[3]) * -r;
    let row = step.row([0, k], centre + off, DVec3::Z);
    step.press(row);
    step.move_on();
    // What rests does not begin to spin.
    step.wrong = step.after[k].twist.angular.length() * r;
    step
}

fn inner_point_box(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let edge = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * (0.5 * edge);
    let k = step.body(cube(edge), true, centre, Twist::default());
    let inside = DVec3::new(between(x[2], -0.5, 0.5), between(x[3], -0.5, 0.5), -0.5);
    let point = centre + (inside + DVec3::Z * decade(x[4], 1e-7, 1.0)) * edge;
    let row = step.row([0, k], point, DVec3::Z);
    step.press(row);
    against(step, k, DVec3::ZERO)
}

fn corner_in_the_air(x: &[f64]) -> Forged {
    // A box overhangs the table by more than half, held by a point beyond the edge.
    let mut step = table(decade(x[0], 1e-4, 1e-1));
    let edge = decade(x[1], 1e-2, 1.0);
    let over = between(x[2], 0.05, 0.45) * edge;
    let centre = DVec3::new(2.0 + over, 0.0, 0.5 * edge);
    let k = step.body(cube(edge), true, centre, Twist::default());
    let beyond = DVec3::new(2.0 + over * between(x[3], 0.1, 1.0), 0.0, 0.0);
    let row = step.row([0, k], beyond, DVec3::Z);
    step.press(row);
    let held = step.row([0, k], centre - DVec3::Z * (0.5 * edge), DVec3::Z);
    step.press(held);
    step.move_on();
    // It would tip at g over·m/(I + m over²): by less is wrong.
    let inertia = edge * edge / 6.0;
    let tips = GRAVITY * step.h * over / (inertia + over * over);
    step.wrong = (tips - step.after[k].twist.angular.length()).abs() * edge;
    step
}

fn lied_gap(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * r;
    let k = step.body(ball(r), true, centre, Twist::default());
    let row = step.row([0, k], DVec3::ZERO, DVec3::Z);
    step.contacts[row].contact.gap = -decade(x[2], 1e-12, 1.0);
    step.press(row);
    against(step, k, DVec3::ZERO)
}

fn pushed_from_afar(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 0.5);
    let centre = DVec3::new(2.0 + r + decade(x[2], 1e-6, 10.0), 0.0, 0.0);
    let k = step.body(ball(r), true, centre, Twist::default());
    let row = step.row([0, k], centre - DVec3::X * r, DVec3::X);
    step.contacts[row].impulse.x = decade(x[3], 1e-8, 10.0);
    let honest = DVec3::Z * (-GRAVITY * step.h);
    against(step, k, honest)
}

fn hangs(x: &[f64]) -> Forged {
    let mut step = Forged::new(decade(x[0], 1e-4, 1e-1));
    let ceiling = Shape::half_space(DVec3::NEG_Z, 0.0).expect("a plane");
    step.body(ceiling, false, DVec3::ZERO, Twist::default());
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * (-r - decade(x[2], 1e-12, 1.0));
    let k = step.body(ball(r), true, centre, Twist::default());
    let row = step.row([0, k], centre + DVec3::Z * r, DVec3::NEG_Z);
    step.contacts[row].impulse.x = -GRAVITY * step.h;
    let honest = DVec3::Z * (-GRAVITY * step.h);
    against(step, k, honest)
}

/// Two balls of radius r, the second above the first.
fn two_balls(h: f64, r: f64, gap: f64, v: DVec3) -> Forged {
    let mut step = Forged::new(h);
    step.body(ball(r), false, DVec3::ZERO, Twist::default());
    step.body(ball(r), true, DVec3::Z * (2.0 * r + gap), linear(v));
    step
}

fn wrong_line_of_centres(x: &[f64]) -> Forged {
    let (h, r) = (decade(x[0], 1e-3, 1e-1), decade(x[1], 1e-2, 1.0));
    let v = 3.0;
    let gap = x[2] * v * h;
    let mut step = two_balls(h, r, gap, DVec3::NEG_Z * v);
    let n = tilted(decade(x[3], 1e-9, 0.5), 0.0);
    let row = step.row([0, 1], DVec3::Z * (2.0 * r + gap) - n * r, n);
    step.press(row);
    // Bodies that meet within the step may pass each other by eight times their gap: so far their normal is free.
    let allowed = 8.0 * gap / (2.0 * r + gap) * (v + GRAVITY * h);
    let mut step = against(step, 1, DVec3::Z * (-gap / h));
    step.allowed = allowed;
    step
}

fn wrong_line_at_rest(x: &[f64]) -> Forged {
    let (h, r) = (decade(x[0], 1e-4, 1e-1), decade(x[1], 1e-2, 1.0));
    let gap = decade(x[2], 1e-16, 1e-7) * r;
    let mut step = two_balls(h, r, gap, DVec3::ZERO);
    let n = tilted(decade(x[3], 1e-10, 0.5), 0.0);
    let row = step.row([0, 1], DVec3::Z * (2.0 * r + gap) - n * r, n);
    step.press(row);
    // It closes the gap, or falls freely where the gap is wider than that.
    against(step, 1, DVec3::Z * (-gap / h).max(-GRAVITY * h))
}

fn sinks_in_plane(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-3, 3e-2));
    spins_down(&mut step, x);
    sunk(step)
}

fn sinks_in_box(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-3, 3e-2));
    spins_down(&mut step, x);
    sunk(step)
}

/// A cube that touches z = 0, spins, and has no row.
fn spins_down(step: &mut Forged, x: &[f64]) {
    let edge = decade(x[1], 1e-1, 1.0);
    let twist = Twist {
        linear: DVec3::NEG_Z * decade(x[2], 1e-4, 30.0),
        angular: DVec3::X * decade(x[3], 1e-1, 300.0),
    };
    step.body(cube(edge), true, DVec3::Z * (0.5 * edge), twist);
}

fn falls_through(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 1.0);
    let v = DVec3::NEG_Z * decade(x[2], 1e-6, 100.0);
    step.body(ball(r), true, DVec3::Z * r, linear(v));
    sunk(step)
}

/// A ball that flies through a wall of the given thickness at x = 0, and is beyond it at the end.
fn through(h: f64, r: f64, thickness: f64, speed: f64) -> Forged {
    let mut step = Forged::new(h);
    let wall = Shape::cuboid(DVec3::new(thickness, 100.0, 100.0)).expect("a wall");
    step.body(wall, false, DVec3::ZERO, Twist::default());
    let start = DVec3::X * (-0.5 * thickness - r - 0.3 * speed * h);
    step.body(ball(r), true, start, linear(DVec3::X * speed));
    step.move_on();
    let beyond = step.after[1].pose.position.x - r - 0.5 * thickness;
    step.wrong = if beyond > 0.0 { speed } else { 0.0 };
    step
}

fn bullet(x: &[f64]) -> Forged {
    let (r, thickness) = (decade(x[1], 1e-4, 1e-2), decade(x[2], 1e-2, 1.0));
    through(
        decade(x[0], 1e-3, 1e-1),
        r,
        thickness,
        decade(x[3], 1e2, 1e6),
    )
}

fn through_plate(x: &[f64]) -> Forged {
    let (r, thickness) = (decade(x[1], 1e-2, 1.0), decade(x[2], 1e-5, 1e-2));
    through(
        decade(x[0], 1e-3, 1e-1),
        r,
        thickness,
        decade(x[3], 1.0, 1e4),
    )
}

/// A ball at speed v above the ground, in an impact.
fn impact(x: &[f64], height: f64, n: DVec3) -> Forged {
    let mut step = table(0.0);
    step.grid = decade(x[0], 1e-4, 1e-1);
    step.scheme = Scheme::Impact;
    let r = decade(x[1], 1e-2, 1.0);
    let centre = DVec3::Z * (r + height);
    let k = step.body(ball(r), true, centre, linear(DVec3::NEG_Z * 2.0));
    let row = step.row([0, k], centre - n * r, n);
    step.press(row);
    step
}

fn impact_in_the_air(x: &[f64]) -> Forged {
    let height = decade(x[2], 1e-9, 3.0);
    let mut step = against(impact(x, height, DVec3::Z), 1, DVec3::NEG_Z * 2.0);
    // What is as near as gaps are known touches.
    if height < 1e-9 * step.model.bodies[1].shape.radius() + 1e-13 {
        step.wrong = 0.0;
    }
    step
}

fn tilted_impact(x: &[f64]) -> Forged {
    let step = impact(x, 0.0, tilted(decade(x[2], 1e-9, 0.5), 6.3 * x[3]));
    against(step, 1, DVec3::ZERO)
}

/// A ball at rest on the ground that is let move at v, beside another body.
fn covered(h: f64, v: f64, cover: impl Fn(&mut Forged) -> usize) -> Forged {
    let mut step = plane(h);
    let k = step.body(ball(0.5), true, DVec3::Z * 0.5, Twist::default());
    let row = step.row([0, k], DVec3::ZERO, DVec3::Z);
    step.press(row);
    step.contacts[row].impulse.x += v;
    let other = cover(&mut step);
    let at = step.before[other].pose.position;
    let row = step.row([0, other], at - DVec3::Z * at.z, DVec3::Z);
    step.press(row);
    against(step, k, DVec3::ZERO)
}

fn cover_of_distance(x: &[f64]) -> Forged {
    let far = decade(x[1], 1e3, 1e12);
    let v = decade(x[2], 1e-8, 1.0);
    covered(decade(x[0], 1e-5, 1e-2), v, |step| {
        let at = DVec3::new(far, 0.0, 0.5);
        step.body(ball(0.5), true, at, Twist::default())
    })
}

fn cover_of_speed(x: &[f64]) -> Forged {
    let v = decade(x[2], 1e-8, 1e-3);
    let fast = decade(x[1], 10.0, 1e6);
    covered(decade(x[0], 1e-4, 1e-2), v, |step| {
        let at = DVec3::new(0.0, 50.0, 0.5);
        step.body(ball(0.5), true, at, linear(DVec3::Y * fast))
    })
}

/// A ball that slides at v and whose row has friction 0.3, with a tangential impulse of so many times μ p_n against the slip.
fn rubbed(x: &[f64], times: f64) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let v = DVec3::X * decade(x[1], 1e-1, 10.0);
    let k = step.body(ball(0.1), true, DVec3::Z * 0.1, linear(v));
    let row = step.row([0, k], DVec3::ZERO, DVec3::Z);
    step.contacts[row].contact.friction = Friction::same(0.3);
    step.press(row);
    let p = step.contacts[row].impulse.x;
    step.contacts[row].impulse.y = -times * 0.3 * p;
    let wrong = (times - 1.0).abs() * 0.3 * p;
    step.move_on();
    step.wrong = wrong;
    step
}

fn beyond_the_cone(x: &[f64]) -> Forged {
    rubbed(x, 1.0 + decade(x[2], 1e-9, 1.0))
}

fn along_the_slip(x: &[f64]) -> Forged {
    rubbed(x, 1.0 - decade(x[2], 1e-9, 2.0))
}

fn pulls(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    let up = GRAVITY * step.h + 1.0;
    let k = step.body(ball(0.1), true, DVec3::Z * 0.1, linear(DVec3::Z * up));
    let row = step.row([0, k], DVec3::ZERO, DVec3::Z);
    step.contacts[row].impulse.x = -decade(x[1], 1e-9, 1.0);
    against(step, k, DVec3::Z)
}

/// A ball in flight, as it should be.
fn flight(x: &[f64]) -> Forged {
    let mut step = plane(decade(x[0], 1e-4, 1e-1));
    step.body(ball(0.1), true, DVec3::Z * 5.0, linear(DVec3::X));
    step.move_on();
    step
}

/// A direction and a size.
fn lie(x: &[f64], low: f64) -> DVec3 {
    tilted(6.3 * x[1], 6.3 * x[2]) * decade(x[3], low, 1.0)
}

fn momentum(x: &[f64]) -> Forged {
    let mut step = flight(x);
    let by = lie(x, 1e-13);
    step.after[1].twist.linear += by;
    // Held to rounding, not to the tolerance.
    step.wrong = by.length() * 1e4;
    step
}

fn place(x: &[f64]) -> Forged {
    let mut step = flight(x);
    let by = lie(x, 1e-12);
    step.after[1].pose.position += by;
    step.wrong = by.length() / step.h;
    step
}

fn turned(x: &[f64]) -> Forged {
    let mut step = flight(x);
    let by = lie(x, 1e-12);
    let q: DQuat = exp(by) * step.after[1].pose.orientation;
    step.after[1].pose.orientation = q;
    step.wrong = by.length() * 0.1 / step.h;
    step
}

fn moved_table(x: &[f64]) -> Forged {
    let mut step = flight(x);
    let by = lie(x, 1e-12);
    step.after[0].pose.position += by;
    step.wrong = by.length() / step.h;
    step
}

/// Ends the step as [`against`] does. Normals of what turns may be off by four times its turn: so far the motion is free.
fn against_turning(step: Forged, k: usize, honest: DVec3) -> Forged {
    let mut step = against(step, k, honest);
    let (p, q) = (step.before[k].pose, step.after[k].pose);
    let turn = 2.0 * (q.orientation - p.orientation).length();
    let push: f64 = step.contacts.iter().map(|c| c.impulse.x).sum();
    step.allowed = 4.0 * turn * push;
    step
}

/// A rod that lies along x at z = r, or with `turn` = z along y.
fn lying(r: f64, at: DVec3, turn: DVec3) -> (Shape, Pose) {
    let rod = Shape::capsule(r, 6.0 * r).expect("a rod");
    let orientation = exp(turn) * exp(DVec3::Y * (0.5 * PI));
    let pose = Pose {
        position: at,
        orientation,
    };
    (rod, pose)
}

fn rod_across_rod(x: &[f64]) -> Forged {
    let n = tilted(decade(x[3], 1e-9, 0.5), 6.3 * x[4]);
    let (h, angle) = (decade(x[0], 1e-4, 1e-1), between(x[2], 0.3, 2.8));
    rod_on_rod(h, x[1], angle, n, between(x[5], -0.3, 0.3))
}

fn rod_along_rod(x: &[f64]) -> Forged {
    let n = tilted(decade(x[3], 1e-9, 3e-7), 0.5 * PI + 1e-3 * (x[4] - 0.5));
    let (h, angle) = (decade(x[0], 1e-4, 1e-1), decade(x[2], 1e-8, 0.3));
    rod_on_rod(h, x[1], angle, n, between(x[5], -0.3, 0.3))
}

fn hardly_tilted_rod(x: &[f64]) -> Forged {
    let n = tilted(decade(x[3], 1e-13, 1e-9), 6.3 * x[4]);
    let (h, angle) = (decade(x[0], 1e-7, 1e-3), between(x[2], 0.3, 2.8));
    rod_on_rod(h, x[1], angle, n, between(x[5], -0.3, 0.3))
}

fn beside_along_rod(x: &[f64]) -> Forged {
    let r = decade(x[1], 1e-2, 1.0);
    let (below, pose) = lying(r, DVec3::ZERO, DVec3::ZERO);
    beside_along(x, below, pose, r)
}

fn beside_along_edge(x: &[f64]) -> Forged {
    let r = decade(x[1], 1e-2, 1.0);
    let half = DVec3::new(4.0 * r, r, r);
    let below = Shape::cuboid(half * 2.0).expect("a beam");
    let pose = Pose {
        position: DVec3::Z * (-r * 2.0_f64.sqrt()),
        orientation: exp(DVec3::X * (0.25 * PI)),
    };
    beside_along(x, below, pose, 0.0)
}

/// A rod at rest at a small angle α on another line along x, the axis of what has the radius `girth` or an edge, held at u beside the place where they cross,
/// along a normal that leans by α u/(R + girth) so that the two are opposite there.
fn beside_along(x: &[f64], below: Shape, pose: Pose, girth: f64) -> Forged {
    let (h, r) = (decade(x[0], 1e-5, 1e-2), decade(x[1], 1e-2, 1.0));
    let (angle, along) = (decade(x[2], 1e-6, 0.1), decade(x[3], 1e-7, 0.9) * 3.0 * r);
    let mut step = Forged::new(h);
    step.turned_body(below, false, pose, Twist::default());
    let (heading, centre) = (DVec3::Z * angle, DVec3::Z * (r + girth));
    let (rod, pose) = lying(r, centre, heading);
    let k = step.turned_body(rod, true, pose, Twist::default());
    // From the line below to this place of the rod above.
    let place = centre + exp(heading) * DVec3::X * along;
    let up = DVec3::new(0.0, place.y, place.z);
    let n = up.try_normalize().expect("above the line");
    let row = step.row([0, k], place - n * r, n);
    step.press(row);
    let open = step.contacts[row].impulse.x == 0.0;
    step.move_on();
    // What is balanced neither falls nor begins to turn. What is not held sinks: that is an overlap, m.
    let twist = step.after[k].twist;
    step.wrong = twist.linear.length() + 3.0 * r * twist.angular.length();
    if open {
        step.wrong *= h;
    }
    // Rods that are turned by φ touch beside that place by (R + girth) φ/α²: so far it is known, for orientations are to some ε and velocities to the bound. What an
    // impulse within that does is not wrong.
    let turn = 8.0 * f64::EPSILON + step.judged().bound(TOLERANCE) * h / (4.0 * r);
    let known = turn * (r + girth) / (angle * angle);
    step.allowed = step.wrong * known / along;
    step
}

/// A rod that rests on another at an angle to it as it should.
pub(crate) fn balanced(angle: f64) -> Forged {
    rod_on_rod(1e-3, 0.5, angle, DVec3::Z, 0.0)
}

/// A rod at rest on another, at an angle to it, held along n at a part of its length from where they cross.
fn rod_on_rod(h: f64, size: f64, angle: f64, n: DVec3, part: f64) -> Forged {
    let mut step = Forged::new(h);
    let r = decade(size, 1e-2, 1.0);
    let (below, pose) = lying(r, DVec3::ZERO, DVec3::ZERO);
    step.turned_body(below, false, pose, Twist::default());
    let heading = DVec3::Z * angle;
    let centre = DVec3::Z * (2.0 * r);
    let (rod, pose) = lying(r, centre, heading);
    let k = step.turned_body(rod, true, pose, Twist::default());
    let along = exp(heading) * DVec3::X * (3.0 * r * part);
    let row = step.row([0, k], centre + along - n * r, n);
    step.press(row);
    let (h, open) = (step.h, step.contacts[row].impulse.x == 0.0);
    let mut step = against_turning(step, k, DVec3::ZERO);
    // What is not held sinks: that is an overlap, m.
    if open {
        step.wrong *= h;
    }
    step
}

fn driven_rod(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-3, 1e-1));
    let r = decade(x[1], 1e-2, 0.2);
    let v = DVec3::Y * decade(x[2], 1e-3, 10.0);
    let centre = DVec3::new(between(x[3], -0.5, 0.5), 0.0, r);
    let (rod, pose) = lying(r, centre, DVec3::ZERO);
    let k = step.turned_body(rod, true, pose, linear(v));
    let n = tilted(decade(x[4], 1e-9, 0.5), 6.3 * x[5]);
    let row = step.row([0, k], centre - n * r, n);
    step.press(row);
    // Nearer to the border than it slides in the step, it may be leaving it.
    let honest = if v.y * step.h < 1.0 { 0.0 } else { f64::NAN };
    against(step, k, v + DVec3::Z * honest)
}

fn edge_across_edge(x: &[f64]) -> Forged {
    let n = tilted(decade(x[3], 1e-9, 0.5), 6.3 * x[4]);
    let (h, edge) = (decade(x[0], 1e-4, 1e-1), decade(x[1], 1e-2, 1.0));
    let (step, k) = edge_on_edge(h, edge, between(x[2], -0.8, 0.8), n, 0.0);
    against_turning(step, k, DVec3::ZERO)
}

fn beside_the_crossing(x: &[f64]) -> Forged {
    let (h, edge) = (decade(x[0], 1e-4, 1e-1), decade(x[1], 1e-2, 1.0));
    let along = decade(x[3], 1e-9, 0.3);
    let heading = between(x[2], -0.8, 0.8);
    let (mut step, k) = edge_on_edge(h, edge, heading, DVec3::Z, along);
    step.move_on();
    // What is balanced does not begin to turn. But a row may stand beside the crossing by what the step moves and turns the box, whatever
    // makes it do so.
    let (p, q, twist) = (step.before[k].pose, step.after[k].pose, step.after[k].twist);
    let turn = 2.0 * (q.orientation - p.orientation).length();
    let reach = (step.contacts[0].contact.point - p.position).length();
    let moved = h * (twist.linear.length() + twist.angular.length() * reach);
    let free = moved + 4.0 * turn.min(0.1) * 0.75_f64.sqrt() * edge;
    if along * edge * libm::cos(heading) > 1.1 * free {
        step.wrong = twist.angular.length() * edge;
    }
    step
}

/// A box that stands on its edge across the edge of another, held along n at a part of its edge from where they cross.
fn edge_on_edge(h: f64, edge: f64, heading: f64, n: DVec3, along: f64) -> (Forged, usize) {
    let mut step = Forged::new(h);
    let turned = |axis: DVec3, at: DVec3| Pose {
        position: at,
        orientation: exp(axis * (0.25 * PI)),
    };
    let up = DVec3::Z * (edge * 2.0_f64.sqrt());
    let below = turned(DVec3::X, DVec3::ZERO);
    step.turned_body(cube(edge), false, below, Twist::default());
    let mut above = turned(DVec3::Y, up);
    above.orientation = exp(DVec3::Z * heading) * above.orientation;
    let k = step.turned_body(cube(edge), true, above, Twist::default());
    let beside = exp(DVec3::Z * heading) * DVec3::Y * (along * edge);
    let row = step.row([0, k], up * 0.5 + beside, n);
    step.press(row);
    (step, k)
}

fn shifted_point_rod(x: &[f64]) -> Forged {
    let mut step = table(decade(x[0], 1e-4, 1e-1));
    let r = decade(x[1], 1e-2, 0.2);
    let (rod, pose) = lying(r, DVec3::Z * r, DVec3::ZERO);
    let k = step.turned_body(rod, true, pose, Twist::default());
    let aside = decade(x[2], 1e-9, 1.0) * if x[3] < 0.5 { 1.0 } else { -1.0 };
    let off = exp(DVec3::X * aside) * DVec3::NEG_Z * r;
    let row = step.row([0, k], pose.position + off, DVec3::Z);
    step.press(row);
    step.move_on();
    // What rests does not begin to roll.
    step.wrong = step.after[k].twist.angular.length() * r;
    step
}
