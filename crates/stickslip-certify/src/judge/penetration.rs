//! Overlap of shapes at the end of the step and on the way.

use crate::judge::{Case, Judge};
use stickslip_geometry::Moving;
use stickslip_geometry::broad_phase::Bounds;
use stickslip_geometry::narrow_phase::TOUCH;
use stickslip_geometry::path::{closest_on_the_way, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::separation::separation;
use stickslip_model::{Certificate, Residual, Scheme};

impl Judge {
    /// True penetration at the end of the step, and none on the way. What the linearised gaps cannot see is
    /// of second order in the motion; a pair deeper than that has a contact missing, and its gap residual
    /// says so.
    pub(super) fn judge_penetration(&mut self, case: &Case, c: &mut Certificate) {
        let (model, given, before, after) = (case.model, &case.given, case.before, case.after);
        let moving = |i: usize| {
            let body = &model.bodies[i];
            let (start, end) = (before[i].pose, after[i].pose);
            let pose = if body.is_free() { start } else { end };
            Moving {
                shape: &body.shape,
                start,
                pose,
                end,
                arm: 0.0,
            }
        };
        self.bounds.clear();
        for i in 0..model.bodies.len() {
            let m = moving(i);
            let swept = Bounds::of(m.shape, &m.start).union(&Bounds::of(m.shape, &m.end));
            self.bounds.push(swept.grown(m.sweep()));
        }
        let pairs = self.sweep.pairs(&self.bounds, |i, j| {
            model.may_collide(i, j) && given.ignored.binary_search(&[i, j]).is_err()
        });
        for &[i, j] in pairs {
            // Rows of velocities do not see how a motion leaves its tangent.
            let of_velocities = matches!(given.scheme, Scheme::BetweenEvents | Scheme::Anitescu);
            let mut hidden = 0.0;
            if of_velocities {
                let bends = [[i, j], [j, i]].map(|pair| bend(case, pair));
                hidden = bends[0] + bends[1];
            }
            piece_pairs(&moving(i), &moving(j), TOUCH, &mut |_, a, b| {
                let closest = closest_on_the_way(a, b);
                let depth = -closest.at_end;
                if depth.is_nan() || depth > c.penetration {
                    c.penetration = depth;
                }
                let mut excess = -closest.on_the_way - unseen(a, b) - hidden;
                // Nor do they undo what earlier steps could not see (a short step, what a long one could not).
                if of_velocities || given.h < given.grid {
                    excess += separation(a.shape, &a.start, b.shape, &b.start).min(0.0);
                }
                if excess > 0.0 || excess.is_nan() {
                    c.raise(Residual::Gap, excess / given.grid);
                }
            });
        }
    }
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
