//! Contact modes: one letter for each active contact.

use crate::cone::Cone;
use crate::kinematics::Problem;
use crate::solve::{Options, Solution};
use crate::state::State;
use crate::vec3::{V3, scale, sub};

/// Most combinations of letters that [`closed_modes`] looks at.
pub const MODES_CAP: usize = 4096;

/// The mode that the acceleration itself shows.
pub(crate) fn strict_mode(problem: &Problem, a: V3) -> String {
    (0..problem.active.len())
        .map(|i| {
            if problem.gap_sign(i, a) > 0 {
                's'
            } else {
                match problem.way(i, a) {
                    0 => 'f',
                    1 => 'r',
                    _ => 'l',
                }
            }
        })
        .collect()
}

/// Every mode under which `solution` is legal as a whole, limits included, in the order s, f, l, r: a contact that the
/// motion keeps may still carry no force (`s`), and one that stands still may carry the force of sliding either way.
///
/// Where there are more than [`MODES_CAP`] combinations only the mode of the motion itself is given.
#[must_use]
pub fn closed_modes(state: &State, options: &Options, solution: &Solution) -> Vec<String> {
    let problem = Problem::new(state, options);
    let inside = solution.region.interior(problem.a_scale);
    let letters: Vec<Vec<char>> = (0..problem.active.len())
        .map(|i| {
            let mut letters = vec!['s'];
            if problem.gap_sign(i, inside) == 0 {
                match problem.way(i, inside) {
                    0 => letters.extend(['f', 'l', 'r']),
                    1 => letters.push('r'),
                    _ => letters.push('l'),
                }
            }
            letters
        })
        .collect();
    let combinations = letters
        .iter()
        .try_fold(1_usize, |n, l| n.checked_mul(l.len()));
    if problem.active.is_empty() || combinations.is_none_or(|n| n > MODES_CAP) {
        return vec![solution.mode.clone()];
    }
    let mut modes = Vec::new();
    let mut choice = vec![0; letters.len()];
    loop {
        let mode: String = choice.iter().zip(&letters).map(|(&c, l)| l[c]).collect();
        if carries(&problem, &mode, solution) {
            modes.push(mode);
        }
        // Count up with the last contact fastest.
        let Some(i) = (0..letters.len()).rfind(|&i| choice[i] + 1 < letters[i].len()) else {
            return modes;
        };
        choice[i] += 1;
        choice[i + 1..].fill(0);
    }
}

/// Whether the edges of `mode` can give every acceleration of `solution`.
fn carries(problem: &Problem, mode: &str, solution: &Solution) -> bool {
    let mut edges = Vec::new();
    for (contact, letter) in problem.active.iter().zip(mode.chars()) {
        match letter {
            'f' => contact.push_edges(0, &mut edges),
            'l' => contact.push_edges(-1, &mut edges),
            'r' => contact.push_edges(1, &mut edges),
            _ => {}
        }
    }
    let cone = Cone::new(&edges, problem.tol);
    solution.region.vertices.iter().all(|&a| {
        let reaction = sub(scale(a, problem.m), problem.force);
        cone.contains(reaction, 10.0 * problem.m * problem.slack(a))
    }) && solution
        .region
        .rays
        .iter()
        .all(|&ray| cone.contains(ray, 10.0 * problem.tol))
}
