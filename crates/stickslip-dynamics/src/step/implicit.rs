//! The fully implicit step: gaps, normals and levers at the end of the step, iterated until they do not change.
//!
//! ```text
//!   M(ν⁺ − ν_free) = W(q⁺) p,     0 ≤ p_n ⟂ ψ(q⁺)/h ≥ 0,     slip W_t(q⁺)ᵀν⁺,     q⁺ = q ⊕ hν⁺
//! ```
//!
//! From the iterate ν_k with q_k = q ⊕ hν_k the next solves the step with W(q_k) and the gap linearised there,
//! ψ(q_k)/h + W(q_k)ᵀ(ν − ν_k). The first iterate is Stewart and Trinkle's answer. M is that of the start of the step.

use crate::step::find::Contacts;
use crate::step::joints::raise_floors;
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::trial::Trial;
use stickslip_model::{BodyState, Scheme};
use stickslip_solvers::solver::{ContactSolver, SolveError, Solved};

/// Most iterations; each gains a factor of about h times the turning rate.
const ITERATIONS: usize = 60;

/// A change of this size, relative to the largest speed, is none.
const NO_CHANGE: f64 = 4.0 * f64::EPSILON;

/// Iterates until the motion that a step leads to is the one at which its contacts were measured; the motion is left in the
/// trial.
pub(super) fn iterate(
    trial: &mut Trial,
    step: &Predicted,
    contacts: &mut Contacts,
    solver: &mut dyn ContactSolver,
) -> Result<Solved, Failure> {
    let mut iterations = first_iterate(trial, step, contacts, solver)?;
    let mut change = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let before = trial.motion.bodies.clone();
        contacts.measure_at(step, &before);
        let mut solved = trial.keep_limits(step, contacts, Some(&before), solver)?;
        iterations += solved.iterations;
        let now = difference(trial, step, contacts, &before);
        if now.none || (now.change >= 0.5 * change && now.rounding) {
            solved.iterations = iterations;
            return Ok(solved);
        }
        change = now.change;
    }
    Err(Failure::Solver(SolveError::NotConverged {
        solver: "implicit",
        residual: change,
        tolerance: NO_CHANGE,
        iterations: ITERATIONS,
        best: trial.assembly.impulses.clone(),
    }))
}

/// Stewart and Trinkle's answer, whose contacts are all found by second looks; returns the solver's iterations. `contacts` are
/// those predicted for the end of the step, and stay.
fn first_iterate(
    trial: &mut Trial,
    step: &Predicted,
    contacts: &mut Contacts,
    solver: &mut dyn ContactSolver,
) -> Result<usize, Failure> {
    let explicit = step.read_by(Scheme::StewartTrinkle);
    let predicted = std::mem::take(&mut contacts.list);
    contacts.place(&explicit);
    let solved = trial.look_again(&explicit, contacts, solver);
    contacts.list = predicted;
    Ok(solved?.iterations)
}

/// How a motion differs from the iterate before.
struct Difference {
    /// m/s.
    change: f64,
    /// Does no body's motion change, relative to its speed (at least 1 m/s)?
    none: bool,
    /// Does each body's change by rounding only, that of its gaps over h included? The judge holds geometry and momentum to it.
    rounding: bool,
}

/// By how much the motion differs from the iterate before.
fn difference(
    trial: &Trial,
    step: &Predicted,
    contacts: &Contacts,
    before: &[BodyState],
) -> Difference {
    let mut floors = vec![0.0_f64; before.len()];
    for c in &contacts.list {
        for k in c.bodies {
            floors[k] = floors[k].max(0.25 * step.gap_rounding(c));
        }
    }
    raise_floors(step, 0.25, |k, floor| floors[k] = floors[k].max(floor));
    let mut all = Difference {
        change: 0.0,
        none: true,
        rounding: true,
    };
    for (i, body) in step.model().bodies.iter().enumerate() {
        if !body.is_free() {
            continue;
        }
        let (old, new) = (&before[i], &trial.motion.bodies[i]);
        let radius = body.shape.radius();
        let turn = new.twist.angular - old.twist.angular;
        let (mut change, mut speed): (f64, f64) = (0.0, 1.0);
        change = change.max((new.twist.linear - old.twist.linear).length());
        change = change.max(turn.length() * radius);
        // Places too, of a body with rows: it may have flown in the iterate before.
        if trial.assembly.slot_of(i).is_some() {
            let (p, q, h) = (&old.pose, &new.pose, step.plan.h);
            change = change.max((p.position - q.position).length() / h);
            change = change.max((p.orientation - q.orientation).length() * radius / h);
        }
        speed = speed.max(new.twist.linear.length());
        speed = speed.max(new.twist.angular.length() * radius);
        all.change = all.change.max(change);
        all.none &= change <= NO_CHANGE * speed;
        all.rounding &= change <= (1e-13 * speed).max(floors[i]);
    }
    all
}
