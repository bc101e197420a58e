//! Overlap of shapes at the end of the step and on the way.
//!
//! Rows are linear in the motion. A turn by θ moves points by θr and turns normals by θ, so what they leave unseen is of second
//! order: it falls with h². Each pair that may meet is looked at, whether it has rows or not, and may overlap by
//!
//! ```text
//!   at the end      A = min(4 θ w, C)             θ its turns, w its way in the step, C a part of its size
//!   without a row   A/4
//!   on the way      A + t/2                       t half the width of the thinner one
//! ```
//!
//! and by the rounding of places. The turn of a prescribed body counts only in a part of a step: rows measure it where it ends, but what of an
//! overlap it has driven in within the part, and what was there before, they tell apart by its velocity alone. The normal of two edges at the angle α turns by θ/sin α; four times the product covers edges down to
//! 15°. What overlaps by more has a contact missing, and the gap's residual says so.

use crate::judge::way::Way;
use crate::judge::{Case, Judge};
use stickslip_geometry::broad_phase::Bounds;
use stickslip_geometry::narrow_phase::TOUCH;
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Moving, Pose, Shape};
use stickslip_model::{Certificate, Residual, Scheme};
use stickslip_threads::{each, parts};

/// How much of the product of turn and way a pair may overlap.
const UNSEEN: f64 = 4.0;

/// Of that, without a row.
const ROWLESS: f64 = 0.25;

/// No turn explains an overlap by more than this part of the smaller one's radius,
const OF_RADIUS: f64 = 0.05;
/// nor by more than this part of half its width.
const OF_THICKNESS: f64 = 0.5;

/// Below this many pairs a part is not worth a thread (1 µs a pair, 20 µs to wake a thread).
const PAIRS: usize = 64;

/// How well places are known, relative to their size.
const ROUNDING: f64 = 1e-12;

impl Judge {
    /// True penetration at the end of the step, and none on the way, for every pair that may collide.
    pub(super) fn judge_penetration(&mut self, case: &Case, c: &mut Certificate) {
        let (model, given) = (case.model, &case.given);
        self.bounds.clear();
        for i in 0..model.bodies.len() {
            let m = moving(case, i);
            let swept = Bounds::of(m.shape, &m.start).union(&Bounds::of(m.shape, &m.end));
            self.bounds.push(swept.grown(m.sweep()));
        }
        let pairs = self.sweep.pairs(&self.bounds, |i, j| {
            model.may_collide(i, j) && given.ignored.binary_search(&[i, j]).is_err()
        });
        let share = pairs.len().div_ceil(parts(pairs.len(), PAIRS)).max(1);
        let mut runs: Vec<_> = pairs.chunks(share).map(Run::of).collect();
        each(&mut runs, |_, run| run.look(case));
        for run in &runs {
            c.join(&run.certificate);
            for &([i, j], excess) in &run.beyond {
                let bound = self.island_bounds.of(case, [Some(i), Some(j)]);
                let rate = excess / given.grid;
                c.raise_law(Residual::Gap, rate, &bound);
                let most = self.deepest.map(|(_, most)| most);
                if most.is_none_or(|most| rate.total_cmp(&most).is_gt()) {
                    self.deepest = Some(([i, j], rate));
                }
            }
        }
    }
}

/// Some of the pairs, and what was found of them.
struct Run<'a> {
    pairs: &'a [[usize; 2]],
    certificate: Certificate,
    /// Those that overlap by more than they may, and by how much more, m.
    beyond: Vec<([usize; 2], f64)>,
}

impl<'a> Run<'a> {
    fn of(pairs: &'a [[usize; 2]]) -> Self {
        Self {
            pairs,
            certificate: Certificate::default(),
            beyond: Vec::new(),
        }
    }

    fn look(&mut self, case: &Case) {
        for &[i, j] in self.pairs {
            let (a, b) = (moving(case, i), moving(case, j));
            if stays_above(&a, &b) || stays_above(&b, &a) {
                continue;
            }
            let pair = Pair::of(case, [i, j]);
            piece_pairs(&a, &b, TOUCH, &mut |_, a, b| {
                let (depth, allowed, excess) = pair.look(a, b);
                self.certificate.note_overlap(depth, allowed);
                if excess > 0.0 || excess.is_nan() {
                    self.beyond.push(([i, j], excess));
                }
            });
        }
    }
}

/// A body on its way through the step.
fn moving<'a>(case: &Case<'a>, i: usize) -> Moving<'a> {
    let body = &case.model.bodies[i];
    let (start, end) = (case.before[i].pose, case.after[i].pose);
    Moving {
        shape: &body.shape,
        start,
        pose: if body.is_free() { start } else { end },
        end,
        arm: 0.0,
    }
}

/// Is `plane` a half-space that does not turn, and the ball about the other body's origin above it at both ends of the way? The origin
/// goes straight from one to the other, and the plane does: then the two are apart all the way, and nothing else is to be asked.
fn stays_above(plane: &Moving, body: &Moving) -> bool {
    let Shape::HalfSpace { normal, offset } = plane.shape else {
        return false;
    };
    if plane.start.orientation != plane.end.orientation {
        return false;
    }
    let n = plane.start.orientation * *normal;
    let above = |p: &Pose, x: &Pose| {
        let (low, high) = (n.dot(p.position) + offset, n.dot(x.position));
        high - low - body.shape.radius() > 1e-9 * (low.abs() + high.abs())
    };
    above(&plane.start, &body.start) && above(&plane.end, &body.end)
}

/// What is known of two bodies before their pieces are looked at.
struct Pair {
    /// The part of what rows cannot see that the pair may overlap by.
    part: f64,
    /// What rows of velocities do not see besides, m.
    hidden: f64,
    /// Is an overlap of the start left as it is, or undone slowly?
    kept: bool,
    /// Is it a part of the step asked for?
    part_of_step: bool,
}

impl Pair {
    fn of(case: &Case, [i, j]: [usize; 2]) -> Self {
        let given = &case.given;
        let rows = case.contacts;
        let from = rows.partition_point(|c| c.contact.bodies < [i, j]);
        let has_row = rows.get(from).is_some_and(|c| c.contact.bodies == [i, j]);
        // Rows of velocities do not see how a motion leaves its tangent, nor undo what earlier steps could not see (a short step,
        // what a long one could not).
        let of_velocities = matches!(given.scheme, Scheme::BetweenEvents | Scheme::Anitescu);
        Self {
            part: if has_row { 1.0 } else { ROWLESS },
            hidden: if of_velocities {
                bend(case, [i, j]) + bend(case, [j, i])
            } else {
                0.0
            },
            kept: of_velocities || given.scheme == Scheme::Leaving || given.h < given.grid,
            part_of_step: given.h < given.grid,
        }
    }

    /// Depth at the end, what is allowed there, and by how much the pair of pieces exceeds that or what is allowed on its
    /// way, m.
    fn look(&self, a: &Moving, b: &Moving) -> (f64, f64, f64) {
        let way = Way::of(a, b);
        let turn = if self.part_of_step {
            way.turn_of_all
        } else {
            way.turn
        };
        let mut second_order = self.part * UNSEEN * turn * way.length() + self.hidden;
        if self.kept {
            second_order -= separation(a.shape, &a.start, b.shape, &b.start).min(0.0);
        }
        let size = a.end.position.length() + b.end.position.length() + radii(a) + radii(b);
        let allowed = second_order.min(cap(a, b)) + ROUNDING * size;
        let depth = -separation(a.shape, &a.end, b.shape, &b.end);
        let mut excess = depth - allowed;
        let thin = a.shape.thickness().min(b.shape.thickness());
        if way.length() > 0.5 * thin && (excess <= 0.0 || excess.is_nan()) {
            excess = way.excess(allowed + 0.5 * thin);
        }
        (depth, allowed, excess)
    }
}

/// The largest overlap that any motion explains, m.
fn cap(a: &Moving, b: &Moving) -> f64 {
    let thickness = a.shape.thickness().min(b.shape.thickness());
    // A particle has no size, and is as deep as the other one says.
    let radius = [a, b].map(|m| match m.shape.radius() {
        0.0 => f64::INFINITY,
        r => r,
    });
    (OF_RADIUS * radius[0].min(radius[1])).min(OF_THICKNESS * thickness)
}

/// The radius, of what has one, m.
fn radii(m: &Moving) -> f64 {
    let radius = m.shape.radius();
    if radius.is_finite() { radius } else { 0.0 }
}

/// How far a prescribed body, where the other one is, leaves the motion that its velocity alone would have in the step, m: that at
/// the end between events, that at the start in Anitescu's step.
fn bend(case: &Case, [told, other]: [usize; 2]) -> f64 {
    let (model, given, before, after) = (case.model, &case.given, case.before, case.after);
    if model.bodies[told].is_free() {
        return 0.0;
    }
    let (old, new) = (&before[told], &after[told]);
    let twist = match given.scheme {
        Scheme::Anitescu => &old.twist,
        _ => &new.twist,
    };
    let point = before[other].pose.position;
    let moved = new.pose.to_world(old.pose.to_body(point)) - point;
    let straight = twist.at(point - old.pose.position) * given.h;
    let reach = match model.bodies[other].shape.radius() {
        r if r.is_finite() => r,
        _ => 0.0,
    };
    let spin = old.twist.angular.length().max(new.twist.angular.length()) * given.h;
    let turned = (new.twist.angular - old.twist.angular).length() * given.h + spin * spin;
    (moved - straight).length() + turned * reach
}
