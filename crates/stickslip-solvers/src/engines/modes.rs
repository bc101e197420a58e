//! Tiny problems by their contact modes: every combination of open, stick and slide.

use crate::coupling::SystemMemory;
use crate::engines::newton::{Newton, NewtonSettings};
use crate::engines::one_contact;
use crate::limit;
use crate::problem::Law;
use crate::problem::Posed;
use crate::problem::law::tangent;
use crate::problem::local::LocalProblem;
use crate::problem::residual;
use crate::solver::{Effort, Outcome};
use glam::DVec3;

/// Directions of sliding tried for each contact.
const SLIDES: usize = 4;
/// Modes of a contact: its own law, open, slides.
const MODES: usize = 2 + SLIDES;
/// Passes over the contacts, so that the impulses of a start come into proportion.
const PASSES: usize = 3;

/// Searches for impulses that solve the problem by starting Newton from a point of each combination
/// of modes, in a fixed order; `p` ends as the best found.
///
/// A start gives each contact the impulse of its mode (its own law alone; none; a slide in one of
/// four directions).
pub(crate) fn search(
    problem: &LocalProblem,
    newton: &mut Newton,
    settings: &NewtonSettings,
    p: &mut Vec<DVec3>,
    tolerance: f64,
) -> Outcome {
    let mut best = Outcome {
        residual: residual::of_local(problem, p).0,
        effort: Effort::default(),
    };
    let mut memory = SystemMemory::default();
    let mut system = memory.system(Posed::Local(problem));
    let mut trial = Vec::new();
    for code in 0..MODES.pow(problem.len() as u32) {
        if limit::reached() {
            break;
        }
        start_of(problem, code, &mut trial);
        let outcome = newton.improve_coupled(&mut system, &mut trial, tolerance, settings);
        best.effort += outcome.effort;
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

/// The start of a combination: contact i is in mode ⌊code/Mⁱ⌋ mod M, M modes.
fn start_of(problem: &LocalProblem, code: usize, trial: &mut Vec<DVec3>) {
    trial.clear();
    trial.resize(problem.len(), DVec3::ZERO);
    for _ in 0..PASSES {
        let mut digits = code;
        for i in 0..trial.len() {
            let mode = digits % MODES;
            digits /= MODES;
            let d_ii = problem.delassus.diagonal(i);
            let q = problem.velocity(i, trial) - *d_ii * trial[i];
            trial[i] = impulse_of_mode(&problem.laws[i], mode, d_ii, q);
        }
    }
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
