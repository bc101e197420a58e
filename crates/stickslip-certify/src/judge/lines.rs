//! Rods, sides and edges that lie along each other: a row of two straight lines stands where they come nearest.
//!
//! Two lines at the angle α whose nearest points are c apart are farther apart by
//!
//! ```text
//!   D(u) = √(c² + α²u²) − c
//! ```
//!
//! at u beside the place where they cross, along a normal that leans by α u/c. At a small angle that is next to nothing: a row there fits the shapes to
//! rounding, and all the same it pushes aside and turns the bodies. So the place is held to where the two cross at a moment of the step: at its
//! start, at its end, by the velocities before it, by those that the step would end with but for this row, or between. What a row does itself is no reason for it.
//!
//! What stands beyond is weighed as a velocity, by the least of three: what the row does; how much farther apart the lines are at the end of their common length, over h (within that
//! they are parallel, and any place on them is one where they touch); and how much faster the two would have to turn to cross there, for a turn by φ moves the
//! crossing by φ c/α², and velocities are certified to the bound and no better.

use crate::displacement::normal_row;
use crate::judge::geometry::{Piece, SWING, Travel, free_twist, only_gives_back, piece, speed_at};
use crate::judge::{Case, trace_at};
use glam::{DMat3, DVec3};
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Pose, Shape, Twist};
use stickslip_model::{Bound, Certificate, Contact, ContactImpulse, Residual, Scheme};

/// A line lies across a normal where it is within this (sine) of it.
const ACROSS: f64 = 0.1;

/// Lines within this (sine) of each other are parallel.
const PARALLEL: f64 = 1e-9;

/// The sine of the least angle for which the run of a crossing is counted by the turn of a step.
const STEEP: f64 = 0.05;

/// An edge within this (sine) of a face is a line of the face.
const FACE: f64 = 1e-6;

/// How well the angle between two bodies is known, rad.
const TURN: f64 = 8.0 * f64::EPSILON;

/// Where a row of two lines stands, if not where they cross.
#[derive(Clone, Copy, Debug)]
struct Beside {
    /// By how much its normal leans, rad,
    lean: f64,
    /// how far it stands beside, in sizes of the smaller body,
    along: f64,
    /// and how much farther apart the two are there, m.
    lower: f64,
    /// How much farther apart they are at the end of their common length, m, and how deep they sink beyond the second order of the step: within that they are
    /// parallel.
    parallel: f64,
    /// How far the ends of the smaller body would have to turn within the step for the two to cross where the row stands, m.
    turn: f64,
}

/// A straight line of a body: the axis of what is round, or an edge.
#[derive(Clone, Copy)]
struct Line {
    /// Its middle, m, and its unit direction; world frame.
    middle: DVec3,
    along: DVec3,
    /// Half its length, m.
    half: f64,
    /// Radius of what is round about it and has round ends, m; of what ends in rims and edges, zero.
    radius: f64,
    /// The sine of the angle to the nearest face beside it; infinite beside what is round.
    sharp: f64,
}

impl Line {
    /// That of a piece which is farthest along n, out of it.
    fn of(piece: &Piece, n: DVec3) -> Option<Self> {
        let d = piece.pose.orientation.conjugate() * n;
        let line = |middle: DVec3, along: DVec3, half: f64, radius: f64, sharp: f64| Self {
            middle: piece.pose.to_world(middle),
            along: piece.pose.orientation * along,
            half,
            radius,
            sharp,
        };
        match *piece.shape {
            Shape::Capsule { radius, half } if d.z.abs() <= ACROSS => {
                Some(line(DVec3::ZERO, DVec3::Z, half, radius, f64::INFINITY))
            }
            // Along a normal that leans from the side a rim is farthest, and stands at the end of the axis: its point is level with
            // that, and not what is a radius behind it along the normal.
            Shape::Cylinder { half, .. } if d.z.abs() <= ACROSS => {
                Some(line(DVec3::ZERO, DVec3::Z, half, 0.0, f64::INFINITY))
            }
            Shape::Box { half } => {
                let level = |i: usize, j: usize| if d[j].abs() < d[i].abs() { j } else { i };
                let i = level(level(0, 1), 2);
                let sharp = d[(i + 1) % 3].abs().min(d[(i + 2) % 3].abs());
                let mut middle = half * d.signum();
                middle[i] = 0.0;
                (d[i].abs() < ACROSS * sharp)
                    .then(|| line(middle, DVec3::AXES[i], half[i], 0.0, sharp))
            }
            _ => None,
        }
    }

    /// The same where its body has another pose.
    fn moved(&self, from: &Pose, to: &Pose) -> Self {
        Self {
            middle: to.to_world(from.to_body(self.middle)),
            along: to.orientation * (from.orientation.conjugate() * self.along),
            ..*self
        }
    }

    /// How far along it a place is, m.
    fn at(&self, x: DVec3) -> f64 {
        self.along.dot(x - self.middle)
    }

    fn place(&self, s: f64) -> DVec3 {
        self.middle + self.along * s
    }
}

/// Two lines.
#[derive(Clone, Copy)]
struct Lines(Line, Line);

impl Lines {
    /// Where they come nearest, along the one and along the other, m.
    fn nearest(&self) -> [f64; 2] {
        let Self(a, b) = self;
        let across = a.along.cross(b.along);
        let off = b.middle - a.middle;
        let s = off.cross(b.along).dot(across) / across.length_squared();
        let s = s.clamp(-a.half, a.half);
        let t = b.at(a.place(s)).clamp(-b.half, b.half);
        [a.at(b.place(t)).clamp(-a.half, a.half), t]
    }

    /// How far along each of them a row at `x` with the normal n stands, m.
    fn places_of(&self, x: DVec3, n: DVec3) -> [f64; 2] {
        let Self(a, b) = self;
        [a.at(x - n * a.radius), b.at(x + n * b.radius)]
    }

    /// How far the one is from the other at places along them, m.
    fn apart(&self, [s, t]: [f64; 2]) -> f64 {
        (self.1.place(t) - self.0.place(s)).length()
    }
}

/// How far a turn of one of two lines moves the place where they cross, m/rad: c/sin² α, c how far they are apart and α the angle between them. Zero where a body has
/// no line across the normal. Four times the smaller size covers no less than 15°; at less than 3° nothing is added to that: there a row in the wrong place turns its bodies
/// by as much as would explain it.
pub(super) fn run_of_crossing([a, b]: [&Piece; 2], n: DVec3) -> f64 {
    let (Some(a), Some(b)) = (Line::of(a, n), Line::of(b, -n)) else {
        return 0.0;
    };
    let lines = Lines(a, b);
    let sine = a.along.cross(b.along).length();
    if sine < STEEP {
        return 0.0;
    }
    lines.apart(lines.nearest()) / (sine * sine)
}

/// How far a place lies beyond what is between the least and the largest, m: above zero beyond the largest.
fn beyond(place: f64, [low, high]: [f64; 2]) -> f64 {
    (place - high).max(0.0) + (place - low).min(0.0)
}

/// What a loaded row of two lines does by standing beside where they cross, as a velocity: θ|p| tr D by its lean and by its place, θ|u| by what it takes for closing, and how
/// much farther apart they are there over h; or what the lines are parallel to, if that is less. Held to the bound of the island.
pub(super) fn judge_lines(
    case: &Case,
    inverse: &[DMat3],
    row: &ContactImpulse,
    bound: &Bound,
    c: &mut Certificate,
) {
    let contact = &row.contact;
    if row.impulse == DVec3::ZERO {
        return;
    }
    let (Some(a), Some(b)) = (piece(case, contact, 0), piece(case, contact, 1)) else {
        return;
    };
    let rounding = contact.rounding(case.model, [&a.pose, &b.pose]);
    let without = without(case, inverse, row);
    if let Some(beside) = beside_crossing(case, row, [&a, &b], rounding, without) {
        let pushed = row.impulse.length() * trace_at(case, inverse, contact);
        let turned = beside.lean * (pushed + speed_at(case, contact)) + beside.along * pushed;
        let h = case.given.grid;
        let effect = (turned + beside.lower / h).min(beside.parallel.min(beside.turn) / h);
        c.raise_law(Residual::Direction, effect, bound);
    }
}

/// Where a row stands beside the crossing of two lines of its bodies by more than the step explains. `rounding` is how well its gap is known, m.
fn beside_crossing(
    case: &Case,
    row: &ContactImpulse,
    pieces: [&Piece; 2],
    rounding: f64,
    without: [Twist; 2],
) -> Option<Beside> {
    let (contact, n) = (&row.contact, row.contact.normal);
    let now = Lines(Line::of(pieces[0], n)?, Line::of(pieces[1], -n)?);
    let sine = now.0.along.cross(now.1.along).length();
    let travel = Travel::of(case, row);
    let swing = 4.0 * travel.swing.min(SWING);
    // Lines that a turn of the step makes those of a face have rows at their ends.
    if sine <= PARALLEL || now.0.sharp.min(now.1.sharp) <= swing + FACE {
        return None;
    }
    let size = (pieces[0].shape.radius()).min(pieces[1].shape.radius());
    let axis_place = now.places_of(contact.point, n);
    let crossings = moments(case, row, &now, without);
    let (which, by, runs) = beyond_crossings(&crossings, axis_place);
    let apart = now.apart(now.nearest());
    // A turn of one rod by φ moves the crossing by φ c/α², a way aside by 1/α times itself. Orientations are known to some ε, places to a part of
    // the rounding of the gap.
    let known = rounding / (16.0 * sine) + TURN * apart / (sine * sine);
    let moved = travel.all + swing * size + runs + known;
    if by.abs() <= moved {
        return None;
    }
    // Bodies that overlap touch as far along as they do; and where the two come apart at the row's place by more than it says, or by the second order of a motion that is
    // not of its making, lines are as near so much farther along.
    let depth = depth_at_end(case, contact, pieces);
    let risen = rises(case, contact, &now, axis_place) - 0.25 * rounding;
    let bent = bent(case, contact, without);
    let [a, b] = pieces;
    let overlap = -separation(&a.shape, &a.pose, &b.shape, &b.pose) - rounding;
    let unseen = overlap.max(0.0) + risen.max(0.0) + bent;
    let as_near = 2.0 * (apart * unseen).sqrt() / sine;
    if by.abs() <= moved + as_near {
        return None;
    }
    let lower = |u: f64| {
        let aside = sine * u;
        aside * aside / (apart + (apart * apart + aside * aside).sqrt())
    };
    let end = end_of_common(&now, which, by);
    let unexplained = by.abs() - moved - as_near;
    Some(Beside {
        turn: sine * sine * unexplained / apart.max(rounding) * size,
        lean: sine * by.abs() / apart.max(rounding),
        along: by.abs() / size,
        lower: lower(by),
        parallel: lower(end - (axis_place[which] - by)) + (depth - bent - 4.0 * rounding).max(0.0),
    })
}

/// Along which of the two lines a place is less far beyond all crossings, by how much, and how far the crossing runs by the last two motions, m: rows are those of
/// motions that were tried, which lead beyond these, and not by more.
fn beyond_crossings(crossings: &[[f64; 2]; 6], place: [f64; 2]) -> (usize, f64, f64) {
    let off = [0, 1].map(|k| {
        let places = crossings.map(|c| c[k]);
        let low = places.into_iter().fold(f64::INFINITY, f64::min);
        let high = places.into_iter().fold(f64::NEG_INFINITY, f64::max);
        beyond(place[k], [low, high])
    });
    let which = usize::from(off[1].abs() < off[0].abs());
    let from = crossings[0][which];
    let runs = (crossings[3][which] - from).abs();
    let runs = runs.max((crossings[4][which] - from).abs());
    (which, off[which], runs)
}

/// Where the lines cross at moments of the step: as their gaps are measured, at its start and end, by the velocities before, and without this row; and of a row that
/// only gives back, one step before.
fn moments(case: &Case, row: &ContactImpulse, now: &Lines, without: [Twist; 2]) -> [[f64; 2]; 6] {
    let [a, b] = row.contact.bodies;
    let h = case.given.h;
    let ago = match only_gives_back(row) && h > 0.0 {
        true => case.given.grid,
        false => 0.0,
    };
    let at = |of: &dyn Fn(usize) -> Pose| {
        let line = |line: &Line, k: usize| line.moved(case.pose(k), &of(k));
        Lines(line(&now.0, a), line(&now.1, b)).nearest()
    };
    let by = |k: usize, twist: &Twist| {
        if case.model.bodies[k].is_free() {
            case.before[k].pose.moved(twist, h)
        } else {
            case.after[k].pose
        }
    };
    [
        now.nearest(),
        at(&|k| case.before[k].pose),
        at(&|k| case.after[k].pose),
        at(&|k| by(k, &free_twist(case, k))),
        at(&|k| by(k, &without[usize::from(k == b)])),
        at(&|k| case.before[k].pose.moved(&case.before[k].twist, -ago)),
    ]
}

/// How much farther the lines come apart at the row's place within the step than the row says, m.
fn rises(case: &Case, contact: &Contact, now: &Lines, place: [f64; 2]) -> f64 {
    let [a, b] = contact.bodies;
    let end = Lines(
        now.0.moved(case.pose(a), &case.after[a].pose),
        now.1.moved(case.pose(b), &case.after[b].pose),
    );
    let apart = |lines: &Lines| {
        let x = lines.1.place(place[1]);
        lines.apart([lines.0.at(x), place[1]])
    };
    let said = case.given.h * normal_row(case, contact) - contact.gap;
    apart(&end) - apart(now) - said
}

/// What rows leave unseen to second order, m, as overlaps are allowed (4 θ w), of the motion before the step and of that without the row.
fn bent(case: &Case, contact: &Contact, without: [Twist; 2]) -> f64 {
    let h = case.given.h;
    let (mut turn, mut way) = (0.0, 0.0);
    for (k, new) in contact.bodies.into_iter().zip(without) {
        let old = &case.before[k].twist;
        let reach = (contact.point - case.pose(k).position).length();
        let spin = old.angular.length().max(new.angular.length());
        turn += h * spin;
        way += h * (old.linear.length().max(new.linear.length()) + spin * reach);
    }
    4.0 * turn * way
}

/// The velocities after the step as they would be without this row: what it does itself is no reason for it.
fn without(case: &Case, inverse: &[DMat3], row: &ContactImpulse) -> [Twist; 2] {
    let p = row.world_impulse();
    [(0, -1.0), (1, 1.0)].map(|(i, sign)| {
        let k = row.contact.bodies[i];
        let mut twist = case.after[k].twist;
        if let Some(mass) = case.model.bodies[k].mass {
            let lever = row.contact.point - case.pose(k).position;
            twist.linear -= p * (sign / mass.mass);
            twist.angular -= inverse[k] * lever.cross(p * sign);
        }
        twist
    })
}

/// By how much two pieces overlap at the end of the step, m.
fn depth_at_end(case: &Case, contact: &Contact, pieces: [&Piece; 2]) -> f64 {
    if case.given.scheme == Scheme::Impact {
        return 0.0;
    }
    let [a, b] = [0, 1].map(|i| {
        let k = contact.bodies[i];
        let local = case.pose(k).inverse().then(&pieces[i].pose);
        case.after[k].pose.then(&local)
    });
    -separation(&pieces[0].shape, &a, &pieces[1].shape, &b).min(0.0)
}

/// The end of the common length of two lines towards `by`, along the one of them, m.
fn end_of_common(lines: &Lines, which: usize, by: f64) -> f64 {
    let (one, other) = match which {
        0 => (&lines.0, &lines.1),
        _ => (&lines.1, &lines.0),
    };
    let ends = [-1.0, 1.0].map(|k| one.at(other.place(k * other.half)));
    if by > 0.0 {
        ends[0].max(ends[1]).min(one.half)
    } else {
        ends[0].min(ends[1]).max(-one.half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use std::borrow::Cow;
    use stickslip_random::Random;

    /// A cylinder whose rim leans on the side of another one, as those in bins do: the row is at the end of its axis, where the
    /// two are nearest, however the normal leans.
    #[test]
    fn the_row_of_a_rim_stands_at_the_end_of_the_axis() {
        let mut random = Random::new(5);
        for _ in 0..1000 {
            let mut within = |low, high| random.between(low, high);
            let (radius, half) = (within(0.01, 0.1), within(0.02, 0.2));
            let (lean, across) = (within(1e-6, 0.09), within(0.01, 0.5));
            let rim = DVec3::new(radius, 0.0, half);
            let n = DVec3::new(libm::cos(lean), 0.0, libm::sin(lean));
            let level = n.cross(-DVec3::Y);
            let axis = level * libm::cos(across) + DVec3::Y * libm::sin(across);
            let other = Shape::cylinder(radius, 4.0 * half).unwrap();
            let pieces = [
                Piece {
                    shape: Cow::Owned(Shape::cylinder(radius, 2.0 * half).unwrap()),
                    pose: Pose {
                        position: DVec3::ZERO,
                        orientation: DQuat::IDENTITY,
                    },
                },
                Piece {
                    pose: Pose {
                        position: rim + n * radius + axis * within(-0.5, 0.5) * half,
                        orientation: DQuat::from_rotation_arc(DVec3::Z, axis),
                    },
                    shape: Cow::Owned(other),
                },
            ];
            let lines = Lines(
                Line::of(&pieces[0], n).unwrap(),
                Line::of(&pieces[1], -n).unwrap(),
            );
            let place = lines.places_of(rim, n);
            let off = (place[0] - lines.nearest()[0]).abs();
            assert!(off < 1e-12, "{off:e} m beside, lean {lean:e}, {across:e}");
        }
    }

    /// A capsule whose axis is along `axis`, its middle at `middle`.
    fn capsule(middle: DVec3, axis: DVec3) -> Piece<'static> {
        Piece {
            shape: Cow::Owned(Shape::capsule(0.1, 2.0).unwrap()),
            pose: Pose {
                position: middle,
                orientation: DQuat::from_rotation_arc(DVec3::Z, axis),
            },
        }
    }

    /// No turn of one of two lines by φ moves the place where they cross by more than φ c/sin² α, and a tilt towards the other moves it by as much.
    #[test]
    fn a_turn_moves_the_crossing_by_its_run_at_most() {
        let mut random = Random::new(6);
        let turn = 1e-7;
        for _ in 0..1000 {
            let (angle, apart) = (random.between(0.06, 1.5), random.between(0.2, 0.3));
            let other = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
            let b = capsule(DVec3::Z * apart, other);
            let lines = |axis: DVec3| {
                let a = capsule(DVec3::ZERO, axis);
                let run = run_of_crossing([&a, &b], DVec3::Z);
                let [a, b] = [(&a, DVec3::Z), (&b, DVec3::NEG_Z)];
                let both = Lines(Line::of(a.0, a.1).unwrap(), Line::of(b.0, b.1).unwrap());
                (both.nearest(), run)
            };
            let (from, run) = lines(DVec3::X);
            let moved = |axis: DVec3| {
                let (to, _) = lines(axis / axis.length());
                (to[0] - from[0]).abs().max((to[1] - from[1]).abs())
            };
            let any = random.vec3().reject_from(DVec3::X);
            let any = any / any.length();
            let most = run * turn * (1.0 + 1e-4);
            assert!(moved(DVec3::X + any * turn) <= most, "{angle}");
            let tilted = moved(DVec3::X + DVec3::Z * turn);
            assert!(tilted <= most && tilted >= 0.999 * run * turn, "{angle}");
        }
    }
}
