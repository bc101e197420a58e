//! Mending: impulses that fail at a few contacts of many.
//!
//! Where Newton, a compliant path or the interior point stops at 1e-6 to 1e-8 m/s, all but a few contacts obey their law, and
//! those few stand together at two or three bodies: the whole is near a point that nearly solves it there (a fold of the path), while
//! the answer has other modes there, 1e-4 to 1e-2 m/s away. From the point at hand no method leaves it. The contacts of those bodies by
//! themselves, all other impulses as they are, are a problem of ten to eighty contacts; solved from nothing it has the modes
//! of the answer, and a compliant path about the mended impulses then spreads what has changed.
//!
//! Where a path stops at 1e-6 to 1e-5 m/s hundreds of contacts fail by a little, because a few fail by much: then these are mended, the path
//! shows the next, and so on.
//!
//! (Of four bins and heaps of 40 to 100 bodies a third of the hard solves failed within their budget without mending, a fifth with it,
//! and an answer took 580 factorisations instead of 990. Of the 13 hardest steps of 300 balls in a bin one was solved where all that failed
//! was mended, or nothing, and proximal steps followed; 4 where the worst are mended; 11 with compliant paths after it, in 4 to 630
//! factorisations, 115 in the median.)

use crate::auto::Auto;
use crate::auto::chain::{Chain, Verdict};
use crate::limit;
use crate::problem::islands::{Islands, Part};
use crate::problem::residual::{self, w_bar};
use crate::problem::{ContactProblem, Posed};
use crate::solver::Effort;
use glam::DVec3;

/// Rounds of mending at most.
const ROUNDS: usize = 8;
/// Part of the worst residual above which a contact is mended where regions about all that fail are too large (with 0.1 of it 4 of the 13 steps above
/// are solved, with 0.5 and half the rounds 8, with this then 9), and the factor on the residual until then.
pub(super) const WORST: f64 = 0.3;
const STRICTER: f64 = 4.0;
/// Contacts of a region at most: what is larger is as hard as the whole, as a rule.
const LARGEST: usize = 80;
/// Work on a region, in factorisations of the whole.
const REGION_WORK: usize = 10;
/// Part of the tolerance to which a region is solved, for the whole is to meet it.
const INNER: f64 = 0.3;

/// A guess is mended where the contacts of bodies with one that fails are at most one in so many. (It is that of the look before, as a rule. Of 300
/// boxes in a bin 49 such solves took 49 ms each; compliant paths about the guess took four times as much.)
const TOUCHED: usize = 3;

/// What mending works with, kept from problem to problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Mender {
    /// Solves the regions.
    auto: Box<Auto>,
    islands: Islands,
    part: Part,
    /// Impulses outside a region.
    outside: Vec<DVec3>,
}

impl Chain<'_> {
    /// Mends the best impulses so far region by region; true where the whole then meets the tolerance.
    pub(super) fn mend(&mut self, p: &mut Vec<DVec3>) -> bool {
        let Posed::Step(step) = self.problem else {
            return false;
        };
        p.clone_from(&self.best.impulses);
        let mut mender = self.kit.mender.take().unwrap_or_default();
        let (mut found, mut rings) = (false, 0);
        for _ in 0..ROUNDS {
            let regions = self.worst_regions(step, p, rings, &mut mender.islands);
            let sizes = regions.len();
            let mended = self.mend_regions(step, &regions, &mut mender, p);
            if mended == 0 && rings > 0 {
                break;
            }
            // Where a region has no answer, its neighbours are to move with it.
            rings = if mended == sizes { 0 } else { rings + 1 };
            if mended > 0 {
                found = self.path_about(&self.near(), p);
            }
            if found || limit::reached() {
                break;
            }
        }
        self.kit.mender = Some(mender);
        found
    }

    /// Mends the guess, where it fails at few contacts.
    pub(super) fn mend_guess(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        let mut mender = self.kit.mender.take().unwrap_or_default();
        let regions = self.failing(step, p, self.tolerance, 0, &mut mender.islands);
        self.kit.mender = Some(mender);
        let touched: usize = regions.iter().map(Vec::len).sum();
        (touched * TOUCHED <= p.len() && self.mend(p)).into()
    }

    /// Solves each of these regions from nothing, unless it is too large; how many were solved.
    fn mend_regions(
        &mut self,
        step: &ContactProblem,
        regions: &[Vec<usize>],
        mender: &mut Mender,
        p: &mut [DVec3],
    ) -> usize {
        let mended = regions
            .iter()
            .filter(|region| is_part(region, step) && self.mend_region(step, region, mender, p));
        mended.count()
    }

    /// Solves the regions about those contacts of `p` whose residual is above `above`, m/s, with so many rings of bodies; how many
    /// were solved.
    pub(super) fn mend_worst(&mut self, above: f64, rings: usize, p: &mut [DVec3]) -> usize {
        let Posed::Step(step) = self.problem else {
            return 0;
        };
        let mut mender = self.kit.mender.take().unwrap_or_default();
        let regions = self.failing(step, p, above, rings, &mut mender.islands);
        let mended = self.mend_regions(step, &regions, &mut mender, p);
        self.kit.mender = Some(mender);
        mended
    }

    /// Solves a region from nothing, with the impulses outside it as they are; were some found, they stand in `p`.
    fn mend_region(
        &mut self,
        step: &ContactProblem,
        region: &[usize],
        mender: &mut Mender,
        p: &mut [DVec3],
    ) -> bool {
        mender.outside.clear();
        mender.outside.extend_from_slice(p);
        for &i in region {
            mender.outside[i] = DVec3::ZERO;
        }
        step.velocity_into(&mender.outside, &mut self.kit.nu);
        mender.part.begin(step);
        mender.part.take_from(step, &self.kit.nu, p, region);
        let work = REGION_WORK * step.contacts.len();
        let found = mender
            .auto
            .solve_within(work, &mender.part.problem, INNER * self.tolerance);
        let Some(solved) = found else { return false };
        self.charge(Effort::of_iterations(solved.iterations));
        for (&i, impulse) in region.iter().zip(solved.impulses) {
            p[i] = impulse;
        }
        true
    }

    /// Regions about the contacts that fail, or, where those are too large, about those that fail worst.
    fn worst_regions(
        &mut self,
        step: &ContactProblem,
        p: &[DVec3],
        rings: usize,
        islands: &mut Islands,
    ) -> Vec<Vec<usize>> {
        let most = WORST * self.residual(p);
        let mut above = self.tolerance;
        loop {
            let regions = self.failing(step, p, above, rings, islands);
            if above >= most || regions.iter().all(|region| is_part(region, step)) {
                return regions;
            }
            above = (STRICTER * above).min(most);
        }
    }

    /// Regions of contacts whose residual is above `above`, m/s: of those that hang together by a body, all contacts of their bodies, and of so many
    /// rings of bodies around them.
    fn failing(
        &mut self,
        step: &ContactProblem,
        p: &[DVec3],
        above: f64,
        rings: usize,
        islands: &mut Islands,
    ) -> Vec<Vec<usize>> {
        step.velocity_into(p, &mut self.kit.nu);
        let fails = |i: usize| {
            let contact = &step.contacts[i];
            let u = contact.velocity_at(&self.kit.nu, p[i]);
            let w = w_bar(contact, &step.inverse_mass);
            residual::of_contact(&contact.law, p[i], u, w) > above
        };
        let failing: Vec<usize> = (0..p.len()).filter(|&i| fails(i)).collect();
        islands.find_among(step, &failing);
        let regions = (0..islands.len()).map(|k| {
            let members = islands.members(k).iter();
            let core: Vec<usize> = members.map(|&k| failing[k]).collect();
            (0..=rings).fold(core, |region, _| around(step, &region))
        });
        regions.collect()
    }
}

/// Is this region small enough, by itself and beside the whole, to be solved for the whole's sake?
fn is_part(region: &[usize], step: &ContactProblem) -> bool {
    region.len() <= LARGEST && 2 * region.len() <= step.contacts.len()
}

/// All contacts of the bodies of some contacts, rising.
fn around(step: &ContactProblem, contacts: &[usize]) -> Vec<usize> {
    let mut inside = vec![false; step.inverse_mass.len()];
    for &i in contacts {
        for arm in step.contacts[i].arms.iter().flatten() {
            inside[arm.body] = true;
        }
    }
    let touches = |i: &usize| {
        let mut arms = step.contacts[*i].arms.iter().flatten();
        arms.any(|arm| inside[arm.body])
    };
    (0..step.contacts.len()).filter(touches).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::auto::kit::Kit;
    use crate::auto::steps::Asked;
    use crate::coupling::SystemMemory;
    use crate::problem::{Action, Arm, ContactBlock, InverseMass, Law, Twist};
    use crate::solver::ContactSolver;
    use glam::DMat3;

    const TOLERANCE: f64 = 1e-9;

    /// Blocks in a row on a table, each pressed against the next and pushed along by its own speed.
    pub(in crate::auto) fn row_of_blocks(n: usize) -> ContactProblem {
        let arm = |body, sign, lever| {
            Some(Arm {
                body,
                lever,
                sign,
                action: Action::Force,
            })
        };
        let block = |frame, arms: [Option<Arm>; 2]| ContactBlock {
            frame,
            arms: arms.into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Cone { mu: 0.4 },
        };
        let mut contacts = Vec::new();
        for i in 0..n {
            for (x, y) in [(-0.4, -0.4), (-0.4, 0.4), (0.4, -0.4), (0.4, 0.4)] {
                let foot = arm(i, 1.0, DVec3::new(x, y, -0.4));
                contacts.push(block([DVec3::Z, DVec3::X, DVec3::Y], [foot, None]));
            }
            if i + 1 < n {
                let pair = [
                    arm(i, -1.0, DVec3::X * 0.4),
                    arm(i + 1, 1.0, -DVec3::X * 0.4),
                ];
                contacts.push(block([DVec3::X, DVec3::Y, DVec3::Z], pair));
            }
        }
        let free = |i: usize| Twist {
            linear: DVec3::new(
                0.1 + 0.02 * ((i * 7) % 5) as f64,
                0.01 * (i % 3) as f64,
                -0.1,
            ),
            angular: DVec3::ZERO,
        };
        ContactProblem {
            inverse_mass: vec![
                InverseMass {
                    mass: 1.0,
                    inertia: DMat3::IDENTITY * 9.0,
                };
                n
            ],
            nu_free: (0..n).map(free).collect(),
            contacts,
            floors: Vec::new(),
        }
    }

    #[test]
    fn impulses_that_are_wrong_in_two_places_are_mended_there() {
        let problem = row_of_blocks(30);
        let solved = Auto::default().solve(&problem, None, TOLERANCE).unwrap();
        let mut broken = solved.impulses.clone();
        for i in [10, 11, 101] {
            broken[i] = DVec3::ZERO;
        }
        let (mut memory, mut kit) = (SystemMemory::default(), Kit::default());
        let posed = Posed::Step(&problem);
        let asked = Asked::whole(TOLERANCE);
        let mut chain = Chain::new(posed, &mut memory, &mut kit, &broken, asked);
        let mut islands = Islands::default();
        let regions = chain.failing(&problem, &broken, TOLERANCE, 0, &mut islands);
        assert_eq!(regions.len(), 2, "{regions:?}");
        assert!(regions[0].contains(&10) && regions[1].contains(&101));
        assert!(
            regions.iter().all(|region| region.len() < 20),
            "{regions:?}"
        );
        let wider = chain.failing(&problem, &broken, TOLERANCE, 1, &mut islands);
        assert!(wider[0].len() > regions[0].len());

        let mut p = Vec::new();
        assert!(chain.mend(&mut p));
        let mut nu = Vec::new();
        assert!(residual::of_step(&problem, &p, &mut nu).0 <= TOLERANCE);
    }

    #[test]
    fn a_region_of_more_than_half_the_contacts_is_left() {
        let problem = row_of_blocks(1);
        let zero = vec![DVec3::ZERO; problem.contacts.len()];
        let (mut memory, mut kit) = (SystemMemory::default(), Kit::default());
        let asked = Asked::whole(TOLERANCE);
        let mut chain = Chain::new(Posed::Step(&problem), &mut memory, &mut kit, &zero, asked);
        let mut p = Vec::new();
        assert!(!chain.mend(&mut p));
        assert_eq!(p, zero);
    }
}
