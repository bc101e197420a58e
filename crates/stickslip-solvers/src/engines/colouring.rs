//! Contacts in colours: those of one colour share no free body, so their order does not matter.

use crate::engines::one_contact;
use crate::problem::ContactProblem;
use crate::problem::local::Medium;
use glam::{DMat3, DVec3};

/// Below this many contacts of one colour for each, threads cost more than they save.
const PER_THREAD: usize = 512;

/// Colours a body keeps in its mask; contacts beyond have a colour of their own.
const MOST: u32 = 128;

/// The contacts of each colour, rising: each contact, in its order, takes the first colour that none of its bodies has.
pub(crate) fn colours(problem: &ContactProblem) -> Vec<Vec<usize>> {
    let mut taken = vec![0u128; problem.inverse_mass.len()];
    let mut colours: Vec<Vec<usize>> = Vec::new();
    let mut alone = Vec::new();
    for (i, contact) in problem.contacts.iter().enumerate() {
        let bodies = || contact.arms.iter().flatten().map(|a| a.body);
        let mask = bodies().fold(0, |mask, b| mask | taken[b]);
        let colour = mask.trailing_ones();
        if colour == MOST {
            alone.push(vec![i]);
            continue;
        }
        bodies().for_each(|b| taken[b] |= 1 << colour);
        let colour = colour as usize;
        if colour == colours.len() {
            colours.push(Vec::new());
        }
        colours[colour].push(i);
    }
    colours.extend(alone);
    colours
}

/// One sweep of Gauss-Seidel, colour after colour: within a colour every contact is solved from the same velocities, on
/// so many threads, and the changes are added in their order. The bits do not depend on the threads.
pub(crate) fn sweep<M: Medium + Sync>(
    medium: &mut M,
    colours: &[Vec<usize>],
    threads: usize,
    diagonal: &[(DMat3, f64)],
    p: &mut [DVec3],
    solved: &mut Vec<DVec3>,
) {
    for colour in colours {
        solved.clear();
        solved.resize(colour.len(), DVec3::ZERO);
        let (seen, impulses) = (&*medium, &*p);
        let solve = |part: &[usize], out: &mut [DVec3]| {
            for (&i, out) in part.iter().zip(out) {
                let w = &diagonal[i].0;
                let q = seen.velocity(i, impulses[i]) - *w * impulses[i];
                *out = one_contact::solve(seen.law(i), w, q);
            }
        };
        let share = colour.len().div_ceil(threads.max(1));
        if threads <= 1 || share < PER_THREAD {
            solve(colour, solved);
        } else {
            std::thread::scope(|scope| {
                for (part, out) in colour.chunks(share).zip(solved.chunks_mut(share)) {
                    scope.spawn(move || solve(part, out));
                }
            });
        }
        for (&i, &next) in colour.iter().zip(&*solved) {
            medium.add(i, next - p[i]);
            p[i] = next;
        }
    }
}
