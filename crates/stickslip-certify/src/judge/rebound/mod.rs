//! What contacts give back, bounded from the recorded steps alone.
//!
//! A restituted impulse r is part of p_n and acts outside the law of the contact, which holds for p_n − r. Which r a method gives, and when, is its
//! own memory's matter. Whatever that is, of Poisson's restitution at a fixed step these must hold:
//!
//! 1. r ≥ 0: nothing that is given back pulls.
//! 2. A pair of bodies gives back at most e of the impulse that it took: Σ r ≤ e Σ (p_n − r − p_F)₊, over the contacts of the pair in the nine steps before
//!    in which its island had an impact, without what was given back for already. p_F is what the applied forces alone press into the contact within
//!    the step. So r = 0 where e = 0, where nothing was closed, and a second time.
//! 3. An island has an impact from the step in which one of its contacts takes a load that it did not bear in the step before, for as long as one
//!    with a load still closes at the end of the step. What rests or is squeezed gives nothing back, however much it bears.
//! 4. An island is given at most the energy that it lost: the work Σ r (u_n + ½ Δu_n) ≤ Σ (what each contact took in those steps)₊, J. Not where
//!    joints, springs or surfaces that move act too: what contacts took does not say there what the impact took.
//!
//! Between events nothing is given back; an impact located in time gives back at most e of what was compressed at that moment.
//!
//! Each bound is held to its own rounding. Two and four are bounds and no replay: within them r may be wrong. A contact of a pair that took two impacts within nine steps
//! may give back early what another owes, and the energy of an impact is not used up by what it gives.

mod ledger;
mod row;

use crate::judge::{Case, Judge};
use ledger::{Ledger, Took};
use row::{Row, Rows};
use std::collections::BTreeMap;
use stickslip_geometry::Feature;
use stickslip_model::islands::Islands;
use stickslip_model::{Contact, Scheme};

/// A bound that what is given back breaks, at a contact by its number in the case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Breach {
    /// The contact gives back an impulse that pulls, or none that is a number.
    Pulls(usize),
    /// Its pair gives back more than e of what it took.
    Impulse {
        /// The pair's first contact that gives back.
        contact: usize,
        /// Σ r, N s.
        given: f64,
        /// What it may be, N s.
        most: f64,
    },
    /// Its island is given more energy than it lost.
    Energy {
        /// The island's first contact that gives back.
        contact: usize,
        /// The work of what is given back, J.
        given: f64,
        /// What it may be, J.
        most: f64,
    },
}

/// What a step gives back, against what it may.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rebound {
    /// The largest excess over a bound, in units of the bound's own rounding: above 1 it is broken.
    pub excess: f64,
    /// Which that is.
    pub breach: Option<Breach>,
}

impl Rebound {
    /// Is every bound kept?
    #[must_use]
    pub fn holds(&self) -> bool {
        self.excess <= 1.0
    }

    fn note(&mut self, given: f64, most: f64, rounding: f64, breach: Breach) {
        let over = given - most;
        if over <= 0.0 {
            return;
        }
        let excess = over / rounding;
        let excess = if excess.is_nan() {
            f64::INFINITY
        } else {
            excess
        };
        if excess > self.excess {
            (self.excess, self.breach) = (excess, Some(breach));
        }
    }
}

/// Which contact of which pieces: the same from step to step.
type Key = ([usize; 2], [u32; 2], Feature);

fn key(c: &Contact) -> Key {
    (c.bodies, c.pieces, c.feature)
}

/// The bounds, with what the steps up to now have taken.
#[derive(Clone, Debug, Default)]
pub struct Rebounds {
    judge: Judge,
    islands: Islands,
    /// Of each pair that touched in the last step.
    ledgers: BTreeMap<[usize; 2], Ledger>,
    /// p_n − r of each contact in the last step, N s.
    loads: BTreeMap<Key, f64>,
}

impl Rebounds {
    /// Forgets the steps before: what they took is not known.
    pub fn clear(&mut self) {
        self.ledgers.clear();
        self.loads.clear();
    }

    /// Judges what a step gives back, and remembers what it takes. `tolerance` is that of the run, m/s; `restitution` is e of a pair.
    pub fn judge(
        &mut self,
        case: &Case,
        tolerance: f64,
        restitution: impl Fn([usize; 2]) -> f64,
    ) -> Rebound {
        if case.given.scheme == Scheme::BetweenEvents {
            self.clear();
        }
        self.islands.join(case.model, case.contacts);
        let rows = Rows::of(&mut self.judge, &mut self.islands, case);
        self.ledgers.values_mut().for_each(Ledger::grow_older);
        let mut rebound = Rebound::default();
        self.judge_energy(case, &rows, &mut rebound);
        self.judge_impulses(&rows, restitution, &mut rebound);
        self.take(case, &rows, tolerance);
        rebound
    }

    /// r ≥ 0, and Σ r ≤ e Σ c of each pair, which is used up by it.
    fn judge_impulses(
        &mut self,
        rows: &Rows,
        restitution: impl Fn([usize; 2]) -> f64,
        rebound: &mut Rebound,
    ) {
        let mut pairs: BTreeMap<[usize; 2], (usize, f64)> = BTreeMap::new();
        for (k, row) in rows.all.iter().enumerate() {
            if row.given.is_nan() || row.given < 0.0 {
                rebound.note(1.0, 0.0, 0.0, Breach::Pulls(k));
            } else if row.given > 0.0 {
                pairs.entry(row.bodies).or_insert((k, 0.0)).1 += row.given;
            }
        }
        for (bodies, (contact, given)) in pairs {
            let e = restitution(bodies);
            let (mut most, mut rounding) = (0.0, 0.0);
            if let Some(ledger) = self.ledgers.get_mut(&bodies)
                && e > 0.0
            {
                let took = ledger.left();
                (most, rounding) = (e * took.impulse, e * took.impulse_rounding);
                rounding += ROUNDINGS * f64::EPSILON * given;
                ledger.use_up(given / e);
            }
            let breach = Breach::Impulse {
                contact,
                given,
                most,
            };
            rebound.note(given, most, rounding, breach);
        }
    }

    /// The work of r on each island, against what its contacts took.
    fn judge_energy(&self, case: &Case, rows: &Rows, rebound: &mut Rebound) {
        if case.given.scheme == Scheme::Impact {
            return;
        }
        for island in rows.islands.values().filter(|island| !island.open) {
            let of_it = || island.rows.iter().map(|&k| &rows.all[k]);
            let gives = |k: &usize| rows.all[*k].given > 0.0;
            let Some(contact) = island.rows.iter().copied().find(gives) else {
                continue;
            };
            let given: f64 = of_it().map(|r| r.work).sum();
            let sizes: f64 = of_it().map(|r| r.work_size).sum();
            let mut pairs: Vec<[usize; 2]> = of_it().map(|r| r.bodies).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let took = pairs.iter().filter_map(|pair| self.ledgers.get(pair));
            let took = took.fold(Took::default(), |sum, ledger| sum.and(&ledger.left()));
            let rounding =
                SAME * took.energy + took.energy_rounding + ROUNDINGS * f64::EPSILON * sizes;
            let breach = Breach::Energy {
                contact,
                given,
                most: took.energy,
            };
            rebound.note(given, took.energy, rounding, breach);
        }
    }

    /// Remembers what the contacts of a step took, of those whose island has an impact.
    fn take(&mut self, case: &Case, rows: &Rows, tolerance: f64) {
        let impact = case.given.scheme == Scheme::Impact;
        let mut ledgers = BTreeMap::new();
        for island in rows.islands.values() {
            let of_it = || island.rows.iter().map(|&k| &rows.all[k]);
            let goes_on = of_it().any(|r| self.ledgers.get(&r.bodies).is_some_and(|l| l.goes_on));
            let strikes = goes_on || impact || of_it().any(|r| self.begins(r));
            let closes = of_it().any(|r| r.load > 0.0 && r.closes > CLOSING * tolerance);
            for row in of_it() {
                let before = &mut self.ledgers;
                let ledger = (ledgers.entry(row.bodies))
                    .or_insert_with(|| before.remove(&row.bodies).unwrap_or_default());
                ledger.goes_on = strikes && closes;
                if strikes {
                    ledger.take(&row.took);
                }
            }
        }
        self.ledgers = ledgers;
        self.loads.clear();
        let loads = rows.all.iter().map(|r| (r.key, r.load));
        self.loads.extend(loads);
    }

    /// Does a contact take a load that it did not bear?
    fn begins(&self, row: &Row) -> bool {
        let bore = self.loads.get(&row.key).is_some_and(|load| *load > 0.0);
        row.load > 0.0 && (row.given != 0.0 || !bore)
    }
}

/// A contact that closes more slowly than this part of the tolerance does not. Methods call an impact ended at a hundredth of it or later.
const CLOSING: f64 = 1e-3;
/// So many roundings of its largest term is a sum off.
const ROUNDINGS: f64 = 256.0;
/// Energies that differ by this part are the same: methods bound the work of what they give by energies to 1e-9.
const SAME: f64 = 2e-9;
