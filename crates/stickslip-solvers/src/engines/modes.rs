//! Tiny problems by their contact modes: every combination of open, stick and slide.

use crate::engines::newton::Newton;
use crate::engines::one_contact;
use crate::limit;
use crate::problem::Law;
use crate::problem::Posed;
use crate::problem::law::tangent;
use crate::problem::local::LocalProblem;
use crate::problem::residual;
use crate::solver::{Engine, Outcome};
use glam::DVec3;

/// Directions of sliding tried for each contact.
const SLIDES: usize = 4;

/// Searches for impulses that solve the problem by starting Newton from a point of each combination
/// of modes, in a fixed order; `p` ends as the best found.
///
/// A start gives each contact the impulse of its mode (its own law alone; none; a slide in one of
/// four directions) in three passes, so that the impulses come into proportion.
pub(crate) fn search(
    problem: &LocalProblem,
    newton: &mut Newton,
    p: &mut Vec<DVec3>,
    tolerance: f64,
) -> Outcome {
    let n_c = problem.len();
    let choices = 2 + SLIDES;
    let total = choices.pow(n_c as u32);
    let mut best = Outcome {
        residual: residual::of_local(problem, p).0,
        iterations: 0,
    };
    let mut trial = vec![DVec3::ZERO; n_c];
    for code in 0..total {
        if limit::reached() {
            break;
        }
        trial.clear();
        trial.resize(n_c, DVec3::ZERO);
        for _ in 0..3 {
            let mut digits = code;
            for i in 0..n_c {
                let mode = digits % choices;
                digits /= choices;
                let w = problem.delassus.diagonal(i);
                let q = problem.velocity(i, &trial) - *w * trial[i];
                trial[i] = impulse_of_mode(&problem.laws[i], mode, w, q);
            }
        }
        let outcome = newton.improve_on(Posed::Local(problem), &mut trial, tolerance);
        best.iterations += outcome.iterations;
        if outcome.residual < best.residual {
            best.residual = outcome.residual;
            p.clone_from(&trial);
            if best.residual <= tolerance {
                break;
            }
        }
    }
    best
}

/// Impulse of one contact with velocity `q` without it, in mode 0 (its own law), 1 (open) or a slide.
fn impulse_of_mode(law: &Law, mode: usize, w: &glam::DMat3, q: DVec3) -> DVec3 {
    match mode {
        0 => one_contact::solve(law, w, q),
        1 => DVec3::ZERO,
        k => {
            let d = crate::problem::law::direction(k - 2, SLIDES);
            let along = crate::problem::law::contact_vector(1.0, d * law.friction());
            let w_n = DVec3::new(w.x_axis.x, w.y_axis.x, w.z_axis.x).dot(along);
            if w_n <= 0.0 || q.x >= 0.0 || tangent(along).length() > 1e6 {
                DVec3::ZERO
            } else {
                along * (-q.x / w_n)
            }
        }
    }
}
