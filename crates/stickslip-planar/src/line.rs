//! One degree of freedom left: the projection along t_c onto the composite friction cone (section 5.5).

use crate::cone::{Cone, close_interval};
use crate::kinematics::{Problem, sign};
use crate::region::Region;
use crate::table::{Interval, validity};
use crate::trace::{Place, Reason};
use crate::vec3::{V3, axpy, dot, scale};

/// The one-parameter family of accelerations a(c) = -h' + (c/m) t_c that keeps a set of contacts.
///
/// Its reaction is F_R(c) = -F_A - m h' + c t_c, equation (7). Section 5.5.3 prints +m h'; the minus is right, since
/// F_A + F_R = m a.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Fictitious acceleration h', a solution of (6), m/s².
    pub(crate) h_prime: V3,
    /// Common unit tangent.
    pub(crate) t_c: V3,
}

impl Line {
    pub(crate) fn acceleration(&self, c: f64, m: f64) -> V3 {
        axpy(scale(self.h_prime, -1.0), c / m, self.t_c)
    }
}

/// The outcome of one piece: where, and the accelerations found there or why there are none.
pub(crate) type Outcome = (Place, Result<Region, Reason>);

/// All accelerations on `line` that forces at the contacts `kept` can give and that no other contact forbids.
pub(crate) fn solve(problem: &Problem, kept: &[usize], line: &Line, out: &mut Vec<Outcome>) {
    let m = problem.m;
    let c_slack = problem.tol * m * problem.a_scale;
    // Table 1 for every kept contact.
    let mut breakpoints: Vec<f64> = Vec::new();
    let intervals: Vec<(Interval, Interval)> = kept
        .iter()
        .map(|&i| {
            let contact = &problem.active[i];
            let tc_vf = dot(line.t_c, contact.v_f);
            let tc_sign = sign(tc_vf, problem.tol * contact.v_f_length);
            // (10); and F_i·v_f of (9), independent of c where t_c·v_f = 0.
            let fictitious = axpy(line.h_prime, -1.0, contact.omega2_r);
            let c_i = m * dot(fictitious, contact.v_f) / tc_vf;
            let fi_vf = -m * dot(fictitious, contact.v_f);
            let fi_sign = sign(fi_vf, c_slack * contact.v_f_length);
            if contact.slip_sign == 0 && tc_sign != 0 {
                breakpoints.push(c_i);
            }
            validity(contact.slip_sign, tc_sign, fi_sign, c_i)
        })
        .collect();
    breakpoints.sort_by(f64::total_cmp);
    breakpoints.dedup_by(|b, a| *b - *a <= c_slack.max(problem.tol * a.abs()));

    let mut lo = f64::NEG_INFINITY;
    for end in 0..=breakpoints.len() {
        let hi = breakpoints.get(end).copied().unwrap_or(f64::INFINITY);
        let result = piece(
            problem,
            kept,
            line,
            &intervals,
            Interval { lo, hi },
            c_slack,
        );
        out.push((Place::Interval { lo, hi }, result));
        if hi.is_finite() {
            let result = piece(
                problem,
                kept,
                line,
                &intervals,
                Interval { lo: hi, hi },
                c_slack,
            );
            out.push((Place::Endpoint { c: hi }, result));
        }
        lo = hi;
    }
}

/// The part of `within` where F_R(c) is a positive sum of the edges legal on all of it, less what other contacts forbid.
fn piece(
    problem: &Problem,
    kept: &[usize],
    line: &Line,
    intervals: &[(Interval, Interval)],
    within: Interval,
    c_slack: f64,
) -> Result<Region, Reason> {
    let m = problem.m;
    let end_slack = c_slack.max(
        problem.tol
            * if within.lo.is_finite() {
                within.lo.abs()
            } else {
                0.0
            },
    );
    let mut edges: Vec<V3> = Vec::with_capacity(2 * kept.len() + 1);
    for (&i, (plus, minus)) in kept.iter().zip(intervals) {
        let (plus, minus) = (
            plus.covers(within, end_slack),
            minus.covers(within, end_slack),
        );
        let contact = &problem.active[i];
        match (plus, minus) {
            (true, true) => contact.push_edges(0, &mut edges),
            (true, false) => contact.push_edges(-1, &mut edges),
            (false, true) => contact.push_edges(1, &mut edges),
            (false, false) => {}
        }
    }
    let cone = Cone::new(&edges, problem.tol);
    let start = axpy(scale(problem.force, -1.0), -m, line.h_prime);
    let (mut lo, mut hi) = if within.lo == within.hi {
        let reaction = axpy(start, within.lo, line.t_c);
        if !cone.contains(reaction, c_slack.max(problem.tol * within.lo.abs())) {
            return Err(Reason::OutsideCone);
        }
        (within.lo, within.hi)
    } else {
        let (lo, hi) = cone
            .meet_line(start, line.t_c, c_slack)
            .ok_or(Reason::OutsideCone)?;
        close_interval(lo.max(within.lo), hi.min(within.hi), c_slack).ok_or(Reason::OutsideCone)?
    };
    // The other contacts' second-variation constraints (5), linear in c.
    for (j, other) in problem.active.iter().enumerate() {
        if kept.contains(&j) {
            continue;
        }
        let slope = dot(other.row, line.t_c) / m;
        let height = other.gap_acceleration(scale(line.h_prime, -1.0));
        let refused = Err(Reason::PushesThrough(other.index));
        if slope.abs() * m <= problem.tol * other.delta {
            if height < -problem.tol * problem.a_scale * other.delta {
                return refused;
            }
            continue;
        }
        let c = -height / slope;
        if slope > 0.0 {
            lo = lo.max(c);
        } else {
            hi = hi.min(c);
        }
        match close_interval(lo, hi, c_slack) {
            Some(clipped) => (lo, hi) = clipped,
            None => return refused,
        }
    }
    Ok(region(line, m, lo, hi, c_slack))
}

fn region(line: &Line, m: f64, lo: f64, hi: f64, slack: f64) -> Region {
    if hi - lo <= slack.max(1e-10 * lo.abs().min(hi.abs())) {
        return Region::point(line.acceleration(0.5 * (lo + hi), m));
    }
    let mut vertices = Vec::new();
    let mut rays = Vec::new();
    if lo.is_finite() {
        vertices.push(line.acceleration(lo, m));
    } else {
        rays.push(scale(line.t_c, -1.0));
    }
    if hi.is_finite() {
        vertices.push(line.acceleration(hi, m));
    } else {
        rays.push(line.t_c);
    }
    if vertices.is_empty() {
        vertices.push(line.acceleration(0.0, m));
    }
    Region { vertices, rays }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Contact;
    use crate::plane::line_of;
    use crate::state::State;

    /// Any solution h' of (6) gives the same accelerations: two of them differ along t_c only.
    #[test]
    fn choice_of_h_prime_does_not_matter() {
        let mut state = State::new(1.4, 0.8);
        state.contacts = vec![
            Contact::new([0.0, 1.0], [1.0, 0.7], 0.4),
            Contact::new([0.6, 0.8], [-0.6, 0.9], 0.7),
        ];
        // Turning about the first contact; the second normal is set square to its velocity.
        let omega = 1.3;
        state.velocity = [-omega * 0.7, omega, omega];
        let p = [
            state.velocity[0] + omega * 0.9,
            state.velocity[1] + omega * 0.6,
        ];
        let length = libm::hypot(p[0], p[1]);
        state.contacts[1].n = [-p[1] / length, p[0] / length];
        // A load that presses on both.
        let n = state.contacts[1].n;
        state.force = [-20.0 * n[0], -20.0 * n[1] - 20.0, 1.0];
        let problem = Problem::new(&state, &crate::solve::Options::default());
        assert_eq!(problem.active.len(), 2);
        let constraint = |i: usize| (problem.active[i].row, -problem.active[i].h);
        let line = line_of(constraint(0), constraint(1), 1e-9).unwrap();
        for &i in &[0, 1] {
            assert!(dot(line.t_c, problem.active[i].row).abs() < 1e-12);
            let h = dot(problem.active[i].row, line.h_prime);
            assert!((h - problem.active[i].h).abs() < 1e-12);
        }
        assert!(dot(line.h_prime, line.h_prime) > 0.1);
        let accelerations = |line: &Line| {
            let mut out = Vec::new();
            solve(&problem, &[0, 1], line, &mut out);
            let regions: Vec<Region> = out.into_iter().filter_map(|(_, r)| r.ok()).collect();
            regions
        };
        let plain = accelerations(&line);
        assert!(!plain.is_empty());
        for shift in [-3.0, -0.1, 0.7, 20.0] {
            let shifted = accelerations(&Line {
                h_prime: axpy(line.h_prime, shift, line.t_c),
                t_c: line.t_c,
            });
            assert_eq!(plain.len(), shifted.len());
            for (a, b) in plain.iter().zip(&shifted) {
                assert!(a.covers(b, 1e-10) && b.covers(a, 1e-10));
            }
        }
    }
}
