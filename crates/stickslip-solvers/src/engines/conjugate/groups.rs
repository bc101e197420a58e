//! Contacts in groups of four that share no body, so that each group is swept at once.

use super::alone::{Four, project};
use super::lanes::{LANES, Lane};
use super::members::{Kind, Member, diagonal, of_lane, put};
use crate::coupling::{BodySystem, Coupled};
use crate::engines::one_contact;
use glam::{DMat3, DVec3};

/// No contact: what fills a group up.
const NOBODY: usize = usize::MAX;

/// Velocities of a body in the measure of its mass, padded to a line of memory.
pub(super) type Scaled = [f64; 8];

/// One arm of each contact of a group: rows of Wᵀ L.
#[derive(Clone, Copy, Debug)]
struct Arms {
    bodies: [usize; LANES],
    rows: [[Lane; 3]; 6],
}

/// Four contacts.
#[derive(Clone, Debug)]
struct Group {
    kind: Kind,
    contacts: [usize; LANES],
    /// Where its arms are.
    arms: [usize; 2],
    four: Four,
    compliance: Option<[Lane; 3]>,
    /// u without impulses.
    free: [Lane; 3],
}

/// Impulses of a group: those a sweep begins from, those it ends with, the direction of the search, and the ratio of slip to friction.
#[derive(Clone, Copy, Debug)]
struct Point {
    p: [Lane; 3],
    swept: [Lane; 3],
    direction: [Lane; 3],
    lambda: Lane,
}

/// All contacts of a problem. It keeps memory only.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    arms: Vec<Arms>,
    points: Vec<Point>,
    members: Vec<Member>,
    diagonals: Vec<DMat3>,
    colours: Vec<u32>,
    order: Vec<usize>,
    taken: Vec<u128>,
}

impl Groups {
    /// Takes the contacts of a problem, at the impulses `p`.
    pub(super) fn begin(&mut self, system: &BodySystem<'_>, p: &[DVec3]) {
        let problem = system.problem;
        self.diagonals.clear();
        self.members.clear();
        for (i, contact) in problem.contacts.iter().enumerate() {
            let w = diagonal(system.arms(i), contact.compliance);
            let member = Member::new(&contact.law, &w, contact.compliance);
            self.diagonals.push(member.turned(&w));
            self.members.push(member);
        }
        self.colour(system);
        self.groups.clear();
        self.arms.clear();
        self.points.clear();
        let order = std::mem::take(&mut self.order);
        let mut rest = order.as_slice();
        while let [first, ..] = *rest {
            let alike = |i: &&usize| self.key(**i) == self.key(first);
            let len = rest.iter().take(LANES).take_while(alike).count();
            let (four, others) = rest.split_at(len);
            self.push(system, four, p);
            rest = others;
        }
        self.order = order;
    }

    /// What the contacts of a group have in common.
    fn key(&self, i: usize) -> (u32, Kind) {
        (self.colours[i], self.members[i].kind)
    }

    /// Gives each contact, in its order, the first colour that none of its bodies has; beyond those a colour of its own. Contacts are then
    /// in the order of colours.
    fn colour(&mut self, system: &BodySystem<'_>) {
        let bodies = system.problem.inverse_mass.len();
        self.taken.clear();
        self.taken.resize(bodies, 0);
        self.colours.clear();
        let mut own = u128::BITS;
        for i in 0..self.members.len() {
            let arms = system.arms(i);
            let mask = arms.iter().fold(0, |mask, arm| mask | self.taken[arm.body]);
            let mut colour = mask.trailing_ones();
            if colour == u128::BITS {
                colour = own;
                own += 1;
            } else {
                for arm in arms {
                    self.taken[arm.body] |= 1 << colour;
                }
            }
            self.colours.push(colour);
        }
        self.order.clear();
        self.order.extend(0..self.members.len());
        let (colours, members) = (&self.colours, &self.members);
        self.order
            .sort_unstable_by_key(|&i| (colours[i], members[i].kind, i));
    }

    /// Adds a group of these contacts.
    fn push(&mut self, system: &BodySystem<'_>, members: &[usize], p: &[DVec3]) {
        let problem = system.problem;
        let mut contacts = [NOBODY; LANES];
        contacts[..members.len()].copy_from_slice(members);
        let first = self.arms.len();
        let most = members.iter().map(|&i| system.arms(i).len()).max();
        let nobody = problem.inverse_mass.len();
        self.arms.resize(
            first + most.unwrap_or(0),
            Arms {
                bodies: [nobody; LANES],
                rows: [[Lane::ZERO; 3]; 6],
            },
        );
        let mut free = [Lane::splat(1.0), Lane::ZERO, Lane::ZERO];
        let mut at = [Lane::ZERO; 3];
        let mut compliance = [Lane::ZERO; 3];
        let mut w = [DMat3::IDENTITY; LANES];
        let mut mu = Lane::ZERO;
        for (lane, &i) in members.iter().enumerate() {
            let (contact, member) = (&problem.contacts[i], self.members[i]);
            for (k, arm) in system.arms(i).iter().enumerate() {
                self.arms[first + k].bodies[lane] = arm.body;
                for m in 0..6 {
                    let column = DVec3::new(arm.rows[0][m], arm.rows[1][m], arm.rows[2][m]);
                    put(
                        member.forth(column),
                        lane,
                        &mut self.arms[first + k].rows[m],
                    );
                }
            }
            let velocity = member.forth(contact.velocity(&problem.nu_free));
            put(velocity, lane, &mut free);
            put(member.forth(p[i]), lane, &mut at);
            put(contact.compliance, lane, &mut compliance);
            w[lane] = self.diagonals[i];
            mu.0[lane] = contact.law.friction();
        }
        self.groups.push(Group {
            kind: self.members[members[0]].kind,
            contacts,
            arms: [first, self.arms.len()],
            four: Four::new(&w, mu),
            compliance: (compliance != [Lane::ZERO; 3]).then_some(compliance),
            free,
        });
        self.points.push(Point {
            p: at,
            swept: at,
            direction: [Lane::ZERO; 3],
            lambda: Lane::ZERO,
        });
    }

    /// y = Lᵀ W p, of the impulses swept or of those a sweep begins from; the last of `y` is nobody's.
    #[inline(always)]
    pub(super) fn gather(&self, swept: bool, y: &mut [Scaled]) {
        y.fill([0.0; 8]);
        for (group, point) in self.groups.iter().zip(&self.points) {
            let p = if swept { point.swept } else { point.p };
            for arm in &self.arms[group.arms[0]..group.arms[1]] {
                arm.add(p, y);
            }
        }
    }

    /// A sweep from p, whose y is at hand: what it comes to is left in `swept`, with its y. Σ (w̄|g|)² and the largest w̄|g|.
    #[inline(always)]
    pub(super) fn sweep(&mut self, laws: &BodySystem<'_>, y: &mut [Scaled]) -> (f64, f64) {
        let (mut size, mut largest) = (Lane::ZERO, Lane::ZERO);
        for (group, point) in self.groups.iter().zip(&mut self.points) {
            let arms = &self.arms[group.arms[0]..group.arms[1]];
            let u = group.velocity(arms, point.p, y);
            let four = &group.four;
            let next = match group.kind {
                Kind::Round => four.solve_round(less(u, four.times_round(point.p))),
                Kind::Cone => four.solve(less(u, four.times(point.p)), &mut point.lambda),
                Kind::Other => group.one_by_one(laws, less(u, four.times(point.p))),
            };
            let g = less(next, point.p);
            point.swept = next;
            let moved = (four.mean * four.mean) * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
            if !moved.at_most(Lane::ZERO).not().any() {
                continue;
            }
            for arm in arms {
                arm.add(g, y);
            }
            size += moved;
            largest = largest.max(moved);
        }
        (size.sum(), largest.largest().sqrt())
    }

    /// Goes on from the swept impulses along the conjugate direction: d ← keep d + add (swept − p), p ← P(swept + along d).
    #[inline(always)]
    pub(super) fn turn(
        &mut self,
        laws: &BodySystem<'_>,
        [keep, add, along]: [f64; 3],
        y: &mut [Scaled],
    ) {
        let [keep, add, along] = [keep, add, along].map(Lane::splat);
        for (group, point) in self.groups.iter().zip(&mut self.points) {
            let mut moved = [Lane::ZERO; 3];
            for k in 0..3 {
                let d = point.direction[k] * keep + (point.swept[k] - point.p[k]) * add;
                point.direction[k] = d;
                moved[k] = point.swept[k] + d * along;
            }
            let projected = match group.kind {
                Kind::Other => group.project_each(laws, moved),
                _ => project(group.four.mu, moved),
            };
            point.p = projected;
            let off = less(projected, moved);
            let any = off.iter().any(|off| off.abs().above(Lane::ZERO).any());
            if any {
                for arm in &self.arms[group.arms[0]..group.arms[1]] {
                    arm.add(off, y);
                }
            }
        }
    }

    /// Every contact with its impulse swept, its velocity and its w̄, in turned tangents, with the law's number.
    pub(super) fn each_swept(&self, y: &[Scaled], mut see: impl FnMut(usize, DVec3, DVec3, f64)) {
        for (group, point) in self.groups.iter().zip(&self.points) {
            let arms = &self.arms[group.arms[0]..group.arms[1]];
            let u = group.velocity(arms, point.swept, y);
            for (lane, &i) in group.contacts.iter().enumerate() {
                if i != NOBODY {
                    let mean = group.four.mean.0[lane];
                    see(i, of_lane(point.swept, lane), of_lane(u, lane), mean);
                }
            }
        }
    }

    /// The impulses swept, in the contacts' own tangents.
    pub(super) fn swept_into(&self, p: &mut [DVec3]) {
        for (group, point) in self.groups.iter().zip(&self.points) {
            for (lane, &i) in group.contacts.iter().enumerate() {
                if i != NOBODY {
                    p[i] = self.members[i].back(of_lane(point.swept, lane));
                }
            }
        }
    }
}

impl Group {
    /// u at the impulses p.
    #[inline(always)]
    fn velocity(&self, arms: &[Arms], p: [Lane; 3], y: &[Scaled]) -> [Lane; 3] {
        let mut u = self.free;
        for arm in arms {
            let [a, b, c, d] = arm.bodies;
            let (a, b, c, d) = (&y[a], &y[b], &y[c], &y[d]);
            for m in 0..6 {
                let y = Lane([a[m], b[m], c[m], d[m]]);
                for k in 0..3 {
                    u[k] += arm.rows[m][k] * y;
                }
            }
        }
        if let Some(compliance) = self.compliance {
            for k in 0..3 {
                u[k] += compliance[k] * p[k];
            }
        }
        u
    }

    /// Contacts under other laws, one after the other.
    fn one_by_one(&self, laws: &BodySystem<'_>, q: [Lane; 3]) -> [Lane; 3] {
        let mut next = [Lane::ZERO; 3];
        for (lane, &i) in self.contacts.iter().enumerate() {
            if i != NOBODY {
                let w = self.four.matrix(lane);
                let p = one_contact::solve(laws.law(i), &w, of_lane(q, lane));
                put(p, lane, &mut next);
            }
        }
        next
    }

    /// P of their laws, likewise.
    fn project_each(&self, laws: &BodySystem<'_>, moved: [Lane; 3]) -> [Lane; 3] {
        let mut next = [Lane::ZERO; 3];
        for (lane, &i) in self.contacts.iter().enumerate() {
            if i != NOBODY {
                let p = laws.law(i).project(of_lane(moved, lane), 1.0);
                put(p, lane, &mut next);
            }
        }
        next
    }
}

impl Arms {
    /// y += Lᵀ W g.
    #[inline(always)]
    fn add(&self, g: [Lane; 3], y: &mut [Scaled]) {
        let mut change = [Lane::ZERO; 6];
        for m in 0..6 {
            let [n, a, b] = self.rows[m];
            change[m] = n * g[0] + a * g[1] + b * g[2];
        }
        for (lane, &body) in self.bodies.iter().enumerate() {
            let y = &mut y[body];
            for m in 0..6 {
                y[m] += change[m].0[lane];
            }
        }
    }
}

#[inline(always)]
fn less(a: [Lane; 3], b: [Lane; 3]) -> [Lane; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
