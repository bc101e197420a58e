//! Islands in which nothing has changed keep their answers where a problem is solved again because of others.
//!
//! A solver that is asked again from its own answer goes on from there, and ends in other digits of rounding: a ball that begins to slide would change
//! those of a mechanism a kilometre away.

use crate::step::assemble::Assembly;
use glam::DVec3;
use stickslip_model::partition::Partition;
use stickslip_solvers::problem::{ContactProblem, Twist};

/// The answer to a problem, and the islands of it that keep theirs.
pub(super) struct Untouched {
    /// By blocks: is it of such an island?
    blocks: Vec<bool>,
    /// The same by bodies.
    slots: Vec<bool>,
    impulses: Vec<DVec3>,
    nu: Vec<Twist>,
}

impl Untouched {
    /// Those in which none of these blocks is, with the answer at hand.
    pub(super) fn but_for(changed: &[usize], assembly: &Assembly) -> Self {
        let problem = &assembly.problem;
        let mut islands = Partition::default();
        join_by_rows(problem, &mut islands);
        let mut touched = vec![false; problem.nu_free.len()];
        for &k in changed {
            for arm in problem.contacts[k].arms.iter().flatten() {
                let root = islands.first(arm.body);
                touched[root] = true;
            }
        }
        let slots: Vec<bool> = (0..touched.len())
            .map(|slot| !touched[islands.first(slot)])
            .collect();
        let kept = |arm: Option<usize>| arm.is_some_and(|body| slots[body]);
        let blocks = problem.contacts.iter();
        let blocks = blocks.map(|block| kept(block.arms.iter().flatten().next().map(|a| a.body)));
        Self {
            blocks: blocks.collect(),
            slots,
            impulses: assembly.impulses.clone(),
            nu: assembly.nu.clone(),
        }
    }

    /// Is this block of such an island?
    pub(super) fn has(&self, block: usize) -> bool {
        self.blocks[block]
    }

    /// Puts their answers back.
    pub(super) fn put_back(self, assembly: &mut Assembly) {
        let own = assembly.impulses.iter_mut().zip(self.impulses);
        for ((p, old), _) in own.zip(self.blocks).filter(|(_, kept)| *kept) {
            *p = old;
        }
        let own = assembly.nu.iter_mut().zip(self.nu);
        for ((nu, old), _) in own.zip(self.slots).filter(|(_, kept)| *kept) {
            *nu = old;
        }
    }
}

/// Partition the bodies of a problem that its rows join.
pub(super) fn join_by_rows(problem: &ContactProblem, bodies: &mut Partition) {
    bodies.separate(problem.nu_free.len());
    for block in &problem.contacts {
        let mut arms = block.arms.iter().flatten();
        if let Some(first) = arms.next() {
            for arm in arms {
                bodies.join(first.body, arm.body);
            }
        }
    }
}
