//! First and second variation at every contact (section 5.4.1), ready for the search.

use crate::contact::{Coefficients, Contact};
use crate::solve::Options;
use crate::state::State;
use crate::vec3::{V3, ZERO, axpy, dot, norm, scale};

/// A contact that the velocity keeps, in the coordinates (x, y, q = ρθ).
#[derive(Clone, Debug)]
pub(crate) struct Active {
    /// Its number in the state.
    pub(crate) index: usize,
    /// The unnormalised row Δ_n n of (6) and its length Δ_n.
    pub(crate) row: V3,
    pub(crate) delta: f64,
    /// v_f for t_s = (n_y, -n_x): the directions `l` and `r` of every report refer to this tangent.
    pub(crate) v_f: V3,
    pub(crate) v_f_length: f64,
    /// Second-variation term of the unnormalised row, m/s².
    pub(crate) h: f64,
    /// Sliding velocity v·v_f, m/s, and its sign with tolerance: 0 means that the acceleration decides.
    pub(crate) slip: f64,
    pub(crate) slip_sign: i8,
    /// ω² r·v_f, m/s²: with (8), the sliding acceleration is a·v_f plus this.
    pub(crate) drift: f64,
    /// m ω² r as used in (9) and (10), without the mass.
    pub(crate) omega2_r: V3,
    pub(crate) friction: Coefficients,
    /// The edges `Δ_n n + μ v_f` and `Δ_n n - μ v_f` of a sliding contact and of one that stands still.
    slide: [V3; 2],
    stick: [V3; 2],
}

impl Active {
    /// `moving` is false where the body counts as at rest; sliding slower than `slow` (m/s) counts as none.
    fn new(
        index: usize,
        contact: &Contact,
        state: &State,
        moving: bool,
        tol: f64,
        slow: f64,
    ) -> Self {
        let omega = if moving { state.velocity[2] } else { 0.0 };
        let ([n_x, n_y], [r_x, r_y]) = (contact.n, contact.r);
        let row = [n_x, n_y, (n_x * r_y - n_y * r_x) / state.rho];
        let v_f = [n_y, -n_x, (n_x * r_x + n_y * r_y) / state.rho];
        let velocity = if moving {
            state.generalised_velocity()
        } else {
            ZERO
        };
        let slip = dot(velocity, v_f);
        let omega2_r = [omega * omega * r_x, omega * omega * r_y, 0.0];
        let slip_sign = sign(slip, (tol * norm(velocity) * norm(v_f)).max(slow));
        let edges = |mu: f64| {
            if mu.is_infinite() {
                [v_f, scale(v_f, -1.0)]
            } else {
                [axpy(row, mu, v_f), axpy(row, -mu, v_f)]
            }
        };
        let friction = contact.coefficients(state.rho);
        Self {
            index,
            row,
            delta: norm(row),
            v_f,
            v_f_length: norm(v_f),
            h: contact.second_variation(omega, slip),
            slip,
            slip_sign,
            drift: dot(omega2_r, v_f),
            omega2_r,
            friction,
            slide: edges(friction.slide),
            stick: edges(friction.stick),
        }
    }

    /// Normal acceleration of the gap, a·(Δ_n n) + h, m/s²: positive where the contact breaks.
    pub(crate) fn gap_acceleration(&self, a: V3) -> f64 {
        dot(self.row, a) + self.h
    }

    /// Sliding acceleration of a contact that does not slide yet, by (8), m/s².
    pub(crate) fn sliding_acceleration(&self, a: V3) -> f64 {
        dot(self.v_f, a) + self.drift
    }

    /// The generators of the reaction for a contact sliding to `way` (+1 along t, -1 against it, 0 sticking).
    pub(crate) fn push_edges(&self, way: i8, edges: &mut Vec<V3>) {
        match way {
            0 => edges.extend(self.stick),
            1.. => edges.push(self.slide[1]),
            _ => edges.push(self.slide[0]),
        }
        // With infinite friction the edges are ±v_f and the cone is the half-plane between them.
        if way == 0 && self.friction.stick.is_infinite() {
            edges.push(self.row);
        }
    }
}

/// Everything the search needs, and the tolerances it works to.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) active: Vec<Active>,
    /// Contacts that the velocity breaks: they carry no force and are left out (section 5.4.1).
    pub(crate) separating: Vec<usize>,
    /// (contact, normal velocity in m/s) of contacts that the velocity closes.
    pub(crate) colliding: Vec<(usize, f64)>,
    /// F_A = (F_x, F_y, τ/ρ), N.
    pub(crate) force: V3,
    pub(crate) m: f64,
    pub(crate) at_rest: bool,
    /// Relative tolerance.
    pub(crate) tol: f64,
    /// Size of the accelerations that enter, m/s².
    pub(crate) a_scale: f64,
}

impl Problem {
    pub(crate) fn new(state: &State, options: &Options) -> Self {
        let (tol, slow) = (options.tolerance, options.rest_speed);
        let moving = norm(state.generalised_velocity()) > slow;
        let velocity = if moving {
            state.generalised_velocity()
        } else {
            ZERO
        };
        let speed = norm(velocity);
        let force = state.generalised_force();
        let mut problem = Self {
            active: Vec::with_capacity(state.contacts.len()),
            separating: Vec::new(),
            colliding: Vec::new(),
            force,
            m: state.m,
            at_rest: !moving,
            tol,
            a_scale: 0.0,
        };
        let mut a_scale = norm(force) / state.m;
        for (index, contact) in state.contacts.iter().enumerate() {
            let active = Active::new(index, contact, state, moving, tol, slow);
            let rate = dot(velocity, active.row);
            match sign(rate, (tol * speed * active.delta).max(slow)) {
                1 => problem.separating.push(index),
                -1 => problem.colliding.push((index, rate)),
                _ => {
                    a_scale = a_scale
                        .max(active.h.abs() / active.delta)
                        .max(active.drift.abs() / active.v_f_length);
                    problem.active.push(active);
                }
            }
        }
        problem.a_scale = if a_scale > 0.0 { a_scale } else { 1.0 };
        problem
    }

    /// The acceleration without any reaction, F_A/m.
    pub(crate) fn free_acceleration(&self) -> V3 {
        scale(self.force, 1.0 / self.m)
    }

    /// Tolerance on accelerations near `a`, m/s².
    pub(crate) fn slack(&self, a: V3) -> f64 {
        self.tol * self.a_scale.max(norm(a))
    }

    /// The sign of the gap's acceleration at contact `i` of the active list, zero to tolerance.
    pub(crate) fn gap_sign(&self, i: usize, a: V3) -> i8 {
        let c = &self.active[i];
        sign(c.gap_acceleration(a), self.slack(a) * c.delta)
    }

    /// Which way contact `i` slides, or starts to slide under the acceleration `a`.
    pub(crate) fn way(&self, i: usize, a: V3) -> i8 {
        let c = &self.active[i];
        if c.slip_sign != 0 {
            c.slip_sign
        } else {
            sign(c.sliding_acceleration(a), self.slack(a) * c.v_f_length)
        }
    }

    /// The first contact outside `kept` that the acceleration would push through, if any.
    pub(crate) fn pushed_through(&self, a: V3, kept: &[usize]) -> Option<usize> {
        (0..self.active.len()).find(|i| !kept.contains(i) && self.gap_sign(*i, a) < 0)
    }
}

pub(crate) fn sign(x: f64, tol: f64) -> i8 {
    if x > tol {
        1
    } else if x < -tol {
        -1
    } else {
        0
    }
}
