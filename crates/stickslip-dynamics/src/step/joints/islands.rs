//! The islands of a step with joints: bodies that feel each other by a row. Each has rounds of its own, and what else is in the scene
//! changes none of its numbers.
//!
//! An island that is closed keeps its answer while others go on; so it does where the step is posed again because another one has met
//! a contact or a limit that had no row, as long as its own rows are posed as they were.

use super::rounds::Closing;
use crate::step::assemble::Assembly;
use crate::step::untouched::join_by_rows;
use glam::DVec3;
use stickslip_model::partition::Partition;
use stickslip_solvers::problem::{ContactBlock, InverseMass, Law, Twist};

const NONE: usize = usize::MAX;

/// The islands of a problem, with what is known of each.
#[derive(Default)]
pub(super) struct Islands {
    /// The rounds of each.
    pub(super) progress: Vec<Closing>,
    /// The island of each block. Blocks that no free body feels are the last one.
    of_block: Vec<usize>,
    /// The island of each body with rows.
    of_slot: Vec<usize>,
    /// The rows of each body of the model; `NONE` for one without.
    slot: Vec<usize>,
    /// The body of each.
    body: Vec<usize>,
    /// Blocks and bodies with rows of each island, rising.
    blocks: Groups,
    slots: Groups,
    /// The residual that will do for each block in the next round, m/s.
    pub(super) coarse: Vec<f64>,
    /// The rows as they were posed.
    posed: Rows,
    /// The rows and the answer with which each island ended, or those of the round at hand.
    answer: Rows,
    joined: Partition,
}

/// Things in groups, rising within each: `members[starts[k]..starts[k + 1]]`.
#[derive(Default)]
struct Groups {
    members: Vec<usize>,
    starts: Vec<usize>,
    next: Vec<usize>,
}

impl Groups {
    /// Of things whose groups are given, below `n`.
    fn gather(&mut self, of: &[usize], n: usize) {
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        for &group in of {
            self.starts[group + 1] += 1;
        }
        for k in 0..n {
            self.starts[k + 1] += self.starts[k];
        }
        self.next.clone_from(&self.starts);
        self.members.clear();
        self.members.resize(of.len(), 0);
        for (i, &group) in of.iter().enumerate() {
            self.members[self.next[group]] = i;
            self.next[group] += 1;
        }
    }

    fn of(&self, group: usize) -> &[usize] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }
}

/// What a problem and its answer say of each block and each body with rows.
#[derive(Default)]
pub(super) struct Rows {
    blocks: Vec<ContactBlock>,
    impulses: Vec<DVec3>,
    inverse_mass: Vec<InverseMass>,
    nu_free: Vec<Twist>,
    nu: Vec<Twist>,
}

impl Rows {
    /// Takes all of them.
    fn take_all(&mut self, assembly: &Assembly) {
        self.blocks.clone_from(&assembly.problem.contacts);
        self.impulses.clone_from(&assembly.impulses);
        (self.inverse_mass).clone_from(&assembly.problem.inverse_mass);
        self.nu_free.clone_from(&assembly.problem.nu_free);
        self.nu.clone_from(&assembly.nu);
        // Velocities are not known before the first solve of some problems.
        self.nu
            .resize(assembly.problem.nu_free.len(), Twist::default());
    }
}

impl Islands {
    /// Finds those of a problem as it is posed.
    pub(super) fn find(&mut self, assembly: &Assembly, bodies: usize) {
        let problem = &assembly.problem;
        let slots = problem.nu_free.len();
        join_by_rows(problem, &mut self.joined);
        // Numbered by their first bodies.
        self.of_slot.clear();
        let mut islands = 0;
        for slot in 0..slots {
            let root = self.joined.first(slot);
            if root == slot {
                self.of_slot.push(islands);
                islands += 1;
            } else {
                self.of_slot.push(self.of_slot[root]);
            }
        }
        self.of_block.clear();
        for block in &problem.contacts {
            let first = block.arms.iter().flatten().next();
            let island = first.map_or(islands, |arm| self.of_slot[arm.body]);
            self.of_block.push(island);
        }
        islands += 1;
        self.blocks.gather(&self.of_block, islands);
        self.slots.gather(&self.of_slot, islands);
        self.body.clear();
        self.body.extend_from_slice(assembly.entered());
        self.slot.clear();
        self.slot.resize(bodies, NONE);
        for (slot, &body) in self.body.iter().enumerate() {
            self.slot[body] = slot;
        }
        self.progress.clear();
        self.progress.resize(islands, Closing::default());
        self.coarse.clear();
        self.coarse.resize(problem.contacts.len(), 0.0);
        self.posed.take_all(assembly);
        self.answer.take_all(assembly);
    }

    pub(super) fn of_block(&self, block: usize) -> usize {
        self.of_block[block]
    }

    pub(super) fn of_slot(&self, slot: usize) -> usize {
        self.of_slot[slot]
    }

    /// The island of the first of these bodies that is free; that of no body where none is.
    pub(super) fn of_bodies(&self, bodies: impl IntoIterator<Item = usize>) -> usize {
        let mut slots = bodies.into_iter().map(|body| self.slot[body]);
        let slot = slots.find(|&slot| slot != NONE);
        slot.map_or(self.len() - 1, |slot| self.of_slot[slot])
    }

    pub(super) fn len(&self) -> usize {
        self.progress.len()
    }

    /// Islands that were posed and have ended before as they are posed now have ended: their answers are taken over.
    pub(super) fn take_over(&mut self, before: &Self) {
        for island in 0..self.len() {
            let Some(old) = self.same_as(island, before) else {
                continue;
            };
            self.progress[island] = before.progress[old];
            for &slot in self.slots.of(island) {
                let from = before.slot[self.body[slot]];
                self.answer.inverse_mass[slot] = before.answer.inverse_mass[from];
                self.answer.nu_free[slot] = before.answer.nu_free[from];
                self.answer.nu[slot] = before.answer.nu[from];
            }
            for (&i, &from) in self.blocks.of(island).iter().zip(before.blocks.of(old)) {
                let posed = &self.posed.blocks[i];
                let block = &mut self.answer.blocks[i];
                block.clone_from(&before.answer.blocks[from]);
                // Numbers of bodies and of contacts are those of the problem at hand.
                let arms = block.arms.iter_mut().flatten();
                for (arm, now) in arms.zip(posed.arms.iter().flatten()) {
                    arm.body = now.body;
                }
                if let (Law::Moments { of, .. }, Law::Moments { of: now, .. }) =
                    (&mut block.law, &posed.law)
                {
                    *of = *now;
                }
                self.answer.impulses[i] = before.answer.impulses[from];
                self.coarse[i] = before.coarse[from];
            }
        }
    }

    /// The island of `before` that ended and was posed as this one is.
    fn same_as(&self, island: usize, before: &Self) -> Option<usize> {
        let slots = self.slots.of(island);
        let first = before.slot[self.body[*slots.first()?]];
        let old = *before.of_slot.get(first)?;
        let (now, then) = (self.blocks.of(island), before.blocks.of(old));
        let ended = before.progress[old].is_closed();
        if !ended || slots.len() != before.slots.of(old).len() || now.len() != then.len() {
            return None;
        }
        for &slot in slots {
            let from = before.slot[self.body[slot]];
            let same = before.of_slot.get(from) == Some(&old)
                && self.posed.inverse_mass[slot] == before.posed.inverse_mass[from]
                && self.posed.nu_free[slot] == before.posed.nu_free[from];
            if !same {
                return None;
            }
        }
        let all = now.iter().zip(then).all(|(&i, &j)| {
            let (a, b) = (&self.posed.blocks[i], &before.posed.blocks[j]);
            self.is_same_block(a, before, b)
        });
        all.then_some(old)
    }

    /// Are two blocks the same but for the numbers of bodies and contacts?
    fn is_same_block(&self, a: &ContactBlock, before: &Self, b: &ContactBlock) -> bool {
        let law = match (&a.law, &b.law) {
            (
                Law::Moments { spin, roll, .. },
                Law::Moments {
                    spin: spin_b,
                    roll: roll_b,
                    ..
                },
            ) => spin == spin_b && roll == roll_b,
            (a, b) => a == b,
        };
        let mut arms = a.arms.iter().zip(b.arms.iter());
        law && a.frame == b.frame
            && a.b == b.b
            && a.compliance == b.compliance
            && arms.all(|(a, b)| match (a, b) {
                (Some(a), Some(b)) => {
                    before.slot[self.body[a.body]] == b.body
                        && (a.lever, a.sign, a.action) == (b.lever, b.sign, b.action)
                }
                (None, None) => true,
                _ => false,
            })
    }

    /// Sets the residual that will do for each island under way.
    pub(super) fn set_coarse(&mut self, coarse: impl Fn(&Closing) -> f64) {
        for (island, will_do) in self.of_block.iter().zip(&mut self.coarse) {
            let island = &self.progress[*island];
            if !island.has_ended() {
                *will_do = coarse(island);
            }
        }
    }

    /// Takes note of the rows and answers of the islands under way, as they were solved.
    pub(super) fn note(&mut self, assembly: &Assembly) {
        let (progress, rows) = (&self.progress, &mut self.answer);
        copy_in(rows, assembly, &self.of_block, &self.of_slot, |island| {
            !progress[island].has_ended()
        });
    }

    /// Puts the rows and answers of the islands that have ended back where they were.
    pub(super) fn put_back(&self, assembly: &mut Assembly) {
        self.put(&self.answer, assembly, |island| {
            self.progress[island].has_ended()
        });
    }

    /// Takes the rows and answers of one island.
    pub(super) fn keep(&self, rows: &mut Rows, assembly: &Assembly, island: usize) {
        copy_in(rows, assembly, &self.of_block, &self.of_slot, |k| {
            k == island
        });
    }

    /// Puts rows and answers of some islands back.
    pub(super) fn put(&self, rows: &Rows, assembly: &mut Assembly, which: impl Fn(usize) -> bool) {
        let problem = &mut assembly.problem;
        for (i, &island) in self.of_block.iter().enumerate() {
            if which(island) {
                problem.contacts[i].clone_from(&rows.blocks[i]);
                assembly.impulses[i] = rows.impulses[i];
            }
        }
        assembly.nu.resize(self.of_slot.len(), Twist::default());
        for (slot, &island) in self.of_slot.iter().enumerate() {
            if which(island) {
                problem.inverse_mass[slot] = rows.inverse_mass[slot];
                problem.nu_free[slot] = rows.nu_free[slot];
                assembly.nu[slot] = rows.nu[slot];
            }
        }
    }

    /// Room for the rows of all islands.
    pub(super) fn room(&self, rows: &mut Rows, assembly: &Assembly) {
        rows.take_all(assembly);
    }
}

fn copy_in(
    rows: &mut Rows,
    assembly: &Assembly,
    of_block: &[usize],
    of_slot: &[usize],
    which: impl Fn(usize) -> bool,
) {
    let problem = &assembly.problem;
    for (i, &island) in of_block.iter().enumerate() {
        if which(island) {
            rows.blocks[i].clone_from(&problem.contacts[i]);
            rows.impulses[i] = assembly.impulses[i];
        }
    }
    for (slot, &island) in of_slot.iter().enumerate() {
        if which(island) {
            rows.inverse_mass[slot] = problem.inverse_mass[slot];
            rows.nu_free[slot] = problem.nu_free[slot];
            rows.nu[slot] = assembly.nu[slot];
        }
    }
}
