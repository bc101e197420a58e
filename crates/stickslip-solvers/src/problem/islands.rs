//! Islands: contacts that feel each other through bodies, directly or by way of others. Each is a problem of its own.

use crate::problem::delassus::Delassus;
use crate::problem::local::LocalProblem;
use crate::problem::{ContactBlock, ContactProblem, Twist};
use glam::DVec3;

const NONE: usize = usize::MAX;

/// The islands of a problem; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// Contacts island by island, rising within each: `members[starts[k]..starts[k + 1]]`.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// A lower contact of the same island, or the contact itself if it is the first.
    parent: Vec<usize>,
    /// Next free place of the island whose first contact this is.
    place: Vec<usize>,
    /// A contact of each body of a step.
    touched: Vec<usize>,
    /// Members and starts of those found before.
    before: [Vec<usize>; 2],
}

impl Islands {
    /// Finds those of a local problem, in the order of their first contacts.
    pub(crate) fn find(&mut self, delassus: &Delassus) {
        let n = delassus.len();
        // Often there is one, whose first contact feels all others, or as many as contacts.
        let whole = n > 0 && delassus.row(0).0.len() == n;
        if whole || delassus.stored_blocks() == n {
            self.members.clear();
            self.members.extend(0..n);
            self.starts.clear();
            self.starts
                .extend((0..n).step_by(if whole { n } else { 1 }));
            self.starts.push(n);
            return;
        }
        self.separate(n);
        for i in 0..n {
            for &j in delassus.row(i).0 {
                self.join(i, j);
            }
        }
        self.gather();
    }

    /// Finds those of a step, in the order of their first contacts.
    pub(crate) fn find_in_step(&mut self, problem: &ContactProblem) {
        self.separate(problem.contacts.len());
        self.join_by_bodies(problem, problem.contacts.iter());
    }

    /// The same; are they others than those found last?
    pub(crate) fn find_others(&mut self, problem: &ContactProblem) -> bool {
        self.before[0].clone_from(&self.members);
        self.before[1].clone_from(&self.starts);
        self.find_in_step(problem);
        self.before[0] != self.members || self.before[1] != self.starts
    }

    /// Finds those of some contacts of a step, as if there were no others; members are places in `some`.
    pub(crate) fn find_among(&mut self, problem: &ContactProblem, some: &[usize]) {
        self.separate(some.len());
        self.join_by_bodies(problem, some.iter().map(|&i| &problem.contacts[i]));
    }

    fn join_by_bodies<'a>(
        &mut self,
        problem: &ContactProblem,
        contacts: impl Iterator<Item = &'a ContactBlock>,
    ) {
        self.touched.clear();
        self.touched.resize(problem.inverse_mass.len(), NONE);
        for (i, contact) in contacts.enumerate() {
            for arm in contact.arms.iter().flatten() {
                match self.touched[arm.body] {
                    NONE => self.touched[arm.body] = i,
                    other => self.join(i, other),
                }
            }
        }
        self.gather();
    }

    fn separate(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n);
    }

    fn join(&mut self, i: usize, j: usize) {
        if i != j {
            let (a, b) = (self.first(i), self.first(j));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn gather(&mut self) {
        let n = self.parent.len();
        // Sizes, places, members: contacts come in rising order.
        self.place.clear();
        self.place.resize(n, 0);
        for i in 0..n {
            let first = self.first(i);
            self.place[first] += 1;
        }
        self.starts.clear();
        let mut start = 0;
        for i in 0..n {
            if self.parent[i] == i {
                self.starts.push(start);
                start += std::mem::replace(&mut self.place[i], start);
            }
        }
        self.starts.push(n);
        self.members.clear();
        self.members.resize(n, 0);
        for i in 0..n {
            let first = self.first(i);
            let place = &mut self.place[first];
            self.members[*place] = i;
            *place += 1;
        }
    }

    fn first(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Number of islands.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The contacts of all islands.
    pub(crate) fn members_of_all(&self) -> &[usize] {
        &self.members
    }

    /// Contacts of island `k`, rising.
    pub(crate) fn members(&self, k: usize) -> &[usize] {
        &self.members[self.starts[k]..self.starts[k + 1]]
    }
}

impl LocalProblem {
    /// The problem of some contacts that touch no others, numbered as in `members` (rising).
    pub(crate) fn island(&self, members: &[usize]) -> Self {
        let mut entries = Vec::new();
        self.delassus
            .for_blocks_of(members, |k, l, block| entries.push((k, l, *block)));
        Self {
            delassus: Delassus::from_blocks(members.len(), entries),
            q: members.iter().map(|&i| self.q[i]).collect(),
            laws: members
                .iter()
                .map(|&i| {
                    let mut law = self.laws[i].clone();
                    law.renumber(members);
                    law
                })
                .collect(),
        }
    }
}

/// The problem of one island of a step, with its guess; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) problem: ContactProblem,
    pub(crate) guess: Vec<DVec3>,
    /// Where each body of the whole is in the part.
    place: Vec<usize>,
}

impl Part {
    /// Before the first island of a step.
    pub(crate) fn begin(&mut self, whole: &ContactProblem) {
        self.place.clear();
        self.place.resize(whole.inverse_mass.len(), NONE);
    }

    /// Takes an island of the step, bodies and contacts numbered in the order in which its contacts name them.
    pub(crate) fn take(&mut self, whole: &ContactProblem, guess: &[DVec3], members: &[usize]) {
        self.take_from(whole, &whole.nu_free, guess, members);
    }

    /// The same of contacts that are no island: `nu` are the velocities that the bodies have without their impulses.
    pub(crate) fn take_from(
        &mut self,
        whole: &ContactProblem,
        nu: &[Twist],
        guess: &[DVec3],
        members: &[usize],
    ) {
        let part = &mut self.problem;
        part.inverse_mass.clear();
        part.nu_free.clear();
        part.contacts.clear();
        part.floors.clear();
        part.floors
            .extend(members.iter().filter_map(|&i| whole.floors.get(i)));
        for &i in members {
            let mut contact = whole.contacts[i].clone();
            for arm in contact.arms.iter_mut().flatten() {
                let place = &mut self.place[arm.body];
                if *place == NONE {
                    *place = part.nu_free.len();
                    part.inverse_mass.push(whole.inverse_mass[arm.body]);
                    part.nu_free.push(nu[arm.body]);
                }
                arm.body = *place;
            }
            contact.law.renumber(members);
            part.contacts.push(contact);
        }
        self.guess.clear();
        self.guess.extend(members.iter().map(|&i| guess[i]));
    }

    /// Writes the velocities of the island taken last, `part`, into those of the whole.
    pub(crate) fn put_back(
        &self,
        whole: &ContactProblem,
        members: &[usize],
        part: &[Twist],
        nu: &mut [Twist],
    ) {
        let arms = members.iter().flat_map(|&i| whole.contacts[i].arms.iter());
        for arm in arms.flatten() {
            nu[arm.body] = part[self.place[arm.body]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Action, Arm, InverseMass, Law};
    use glam::DMat3;

    #[test]
    fn islands_of_a_step_are_those_of_its_delassus_matrix() {
        // Contacts 0-2 by body 1, 1-4 by body 3, 3 alone; 2 is with a prescribed body too.
        let arm = |body| {
            Some(Arm {
                body,
                lever: DVec3::X,
                sign: 1.0,
                action: Action::Force,
            })
        };
        let pairs = [
            [arm(0), arm(1)],
            [arm(2), arm(3)],
            [None, arm(1)],
            [arm(4), None],
            [arm(3), None],
        ];
        let problem = ContactProblem {
            floors: Vec::new(),
            inverse_mass: (1..=5)
                .map(|m| InverseMass {
                    mass: f64::from(m),
                    inertia: DMat3::IDENTITY,
                })
                .collect(),
            nu_free: vec![Twist::default(); 5],
            contacts: pairs
                .map(|arms| ContactBlock {
                    frame: [DVec3::Z, DVec3::X, DVec3::Y],
                    arms: arms.into(),
                    b: DVec3::ZERO,
                    compliance: DVec3::ZERO,
                    law: Law::Cone { mu: 0.5 },
                })
                .to_vec(),
        };
        let (mut islands, mut part) = (Islands::default(), Part::default());
        islands.find_in_step(&problem);
        let found: Vec<Vec<usize>> = (0..islands.len())
            .map(|k| islands.members(k).to_vec())
            .collect();
        assert_eq!(found, [vec![0, 2], vec![1, 4], vec![3]]);
        let mut local = LocalProblem::default();
        local.assemble(&problem);
        islands.find(&local.delassus);
        assert_eq!(islands.len(), found.len());
        let guess: Vec<DVec3> = (0..5).map(|i| DVec3::X * f64::from(i)).collect();
        part.begin(&problem);
        for members in &found {
            part.take(&problem, &guess, members);
            assert!(part.problem.validate().is_ok());
            for (k, &i) in members.iter().enumerate() {
                assert_eq!(part.guess[k], guess[i]);
                let (own, whole) = (&part.problem.contacts[k], &problem.contacts[i]);
                assert_eq!(
                    own.diagonal(&part.problem.inverse_mass),
                    whole.diagonal(&problem.inverse_mass)
                );
            }
        }
    }

    #[test]
    fn islands_are_found_whatever_their_order() {
        // 0-3-1 by one-sided blocks, 2 alone, 4-5.
        let pairs = [(0, 3), (1, 3), (5, 4)];
        let entries = pairs.map(|(i, j)| (i, j, DMat3::IDENTITY));
        let mut islands = Islands::default();
        for _ in 0..2 {
            islands.find(&Delassus::from_blocks(6, entries.to_vec()));
            let found: Vec<&[usize]> = (0..islands.len()).map(|k| islands.members(k)).collect();
            assert_eq!(found, [&[0, 1, 3][..], &[2], &[4, 5]]);
        }
        islands.find(&Delassus::default());
        assert_eq!(islands.len(), 0);
    }
}
