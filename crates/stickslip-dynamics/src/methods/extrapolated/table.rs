//! The Aitken-Neville table, and how far two states are apart.

use super::INNER_STEPS;
use glam::DQuat;
use stickslip_geometry::{Pose, Twist};
use stickslip_model::{BodyState, Model};

/// T_{4,4} and T_{4,3} of the Aitken-Neville table over the four subdivisions.
pub(super) fn neville(by_steps: &[&[BodyState]]) -> (Vec<BodyState>, Vec<BodyState>) {
    // Both are sums of the subdivisions with fixed weights: T_{j,k} = Σ_i w_i T_{i,1}, w_i = Π_{l≠i} n_i/(n_i − n_l).
    let weights = |nodes: &[u32]| -> Vec<f64> {
        nodes
            .iter()
            .map(|&a| {
                let others = nodes.iter().filter(|&&b| b != a);
                others
                    .map(|&b| f64::from(a) / (f64::from(a) - f64::from(b)))
                    .product()
            })
            .collect()
    };
    let all = combined(by_steps, &weights(&INNER_STEPS));
    let lower = combined(&by_steps[1..], &weights(&INNER_STEPS[1..]));
    (all, lower)
}

fn combined(by_steps: &[&[BodyState]], weights: &[f64]) -> Vec<BodyState> {
    let Some(base) = by_steps.last() else {
        return Vec::new();
    };
    (0..base.len())
        .map(|i| {
            // Differences from the finest subdivision, so that what all agree on is kept to the bit.
            let (pose, twist) = (base[i].pose, base[i].twist);
            let (mut x, mut v, mut w) = (pose.position, twist.linear, twist.angular);
            let mut q = pose.orientation;
            for (states, &weight) in by_steps.iter().zip(weights) {
                let other = &states[i];
                x += (other.pose.position - pose.position) * weight;
                v += (other.twist.linear - twist.linear) * weight;
                w += (other.twist.angular - twist.angular) * weight;
                let sign = if other.pose.orientation.dot(pose.orientation) < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                q += (other.pose.orientation * sign + pose.orientation * -1.0) * weight;
            }
            let orientation = if q == pose.orientation { q } else { unit(q) };
            BodyState {
                pose: Pose {
                    position: x,
                    orientation,
                },
                twist: Twist {
                    linear: v,
                    angular: w,
                },
            }
        })
        .collect()
}

/// A quaternion near unit length, made unit.
fn unit(q: DQuat) -> DQuat {
    q * (1.0 / q.length())
}

/// How far apart two states are after `left` seconds, m, if they move on as they do: of all free bodies the largest.
pub(super) fn distance(model: &Model, a: &[BodyState], b: &[BodyState], left: f64) -> f64 {
    let mut worst: f64 = 0.0;
    for (i, body) in model.bodies.iter().enumerate() {
        if !body.is_free() {
            continue;
        }
        let radius = body.shape.radius();
        let (p, q) = (a[i].pose.orientation, b[i].pose.orientation);
        let turn = 2.0 * (p - q).length().min((p + q).length());
        let place = (a[i].pose.position - b[i].pose.position).length() + radius * turn;
        let speed = (a[i].twist.linear - b[i].twist.linear).length()
            + radius * (a[i].twist.angular - b[i].twist.angular).length();
        worst = worst.max(place + left * speed);
    }
    worst
}
