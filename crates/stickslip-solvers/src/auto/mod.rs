//! The solver `auto`: the fastest method that the problem lets through, with fallbacks.
//!
//! | stage | method | starts from |
//! |---|---|---|
//! | 0 | no contact: nothing to do; one contact: the closed form | |
//! | 1 | semismooth Newton; from a guess with whole steps where the line search would shorten one, then on Alart and Curnier's map | the guess (the last step's impulses), else zero (up to 200 contacts, or sliding) |
//! | S | a symmetric problem of more than 200 contacts: stages 2, 4 and 7 on its quotient, then Newton on the whole | scratch |
//! | 2 | Newton from points on the path of the convex relaxation; first of all where there is no guess | scratch |
//! | 3 | Gauss-Seidel, 30 sweeps, then Newton (up to 30 contacts) | best so far |
//! | 4 | interior point on the exact cone, finished by Newton; then proximal Newton from its end | scratch |
//! | 5 | the path on which the last step's problem becomes this one, finished by Newton; then proximal Newton (up to 200 contacts) | the guess |
//! | 6 | Lemke, for problems without quadratic cones | scratch |
//! | 7 | arclength homotopy (several paths beyond 200 contacts), finished by Newton; then proximal Newton from its end | scratch |
//! | 8 | proximal Newton, its inner problems followed along their paths where Newton fails | best so far |
//! | 9 | Gauss-Seidel in growing portions, Newton after each; then several paths of the homotopy (31 to 200 contacts) | best so far |
//! | 10 | Lemke on pyramids of 8, 16 and 32 directions, Newton from each (up to 6 contacts) | scratch |
//! | 11 | every combination of open, stick and slide, Newton on each (up to 6 contacts) | scratch |
//! | 12 | steep cones from μ = 1 to the true ones; masses over decades from equal ones to the true ones (up to 6 contacts) | the problem before |
//!
//! A step is solved island by island, each by its own stages; its iterations are those of the island that takes most.
//! Where there is no guess, stage 4 comes before stage 3; where there is one, stage 3 comes before stage 2, and stage 2 ends
//! where its velocities do not fall to rest. Stages 2 and 4 see pyramids as the round cones inside them; Newton
//! then finishes on the pyramids.
//! Where masses differ widely, stages 1, 4, 7 and 8 are run once more before stage 7 with impulses measured
//! by the heavy bodies.
//!
//! The chain ends at the first stage whose residual meets the tolerance (Newton polishes it to
//! rounding level), or is the rounding of the impulses, 16 ε w̄|p|, where that is larger. The residual that decides is that of the problem as given, recomputed from the
//! impulses; a stage that does not reach the tolerance is never passed off as an answer.
//!
//! **Selection rule.** Which of several answers is taken, see [`crate::auto::selection`]: stages 0 to 2 and 4 follow it. Stored
//! problems have no motion to go on: for them ([`Auto::solve_local`]) any answer will do, the quickest first; what decides is
//! [`GlobalResidual::against`].
//!
//! **Stored problems.** Cones without a guess are solved island by island: one contact by its closed form, up to 26 by
//! two sweeps and full Newton steps (`few`), more by the interior point (above 60 contacts) and by Newton from 3 sweeps, zero, 6 and 12 sweeps,
//! with the contacts of a pair of bodies eliminated together (`patches`). What they leave goes to the stages above.

pub mod selection;
mod symmetric;

use crate::auto::selection::LARGE;
use crate::auto::symmetric::Attempts;
use crate::coupling::{Coupled, System, SystemMemory};
use crate::engines::few::{self, FEW};
use crate::engines::homotopy::{Homotopy, HomotopySettings};
use crate::engines::interior_point::InteriorPoint;
use crate::engines::modes;
use crate::engines::newton::{Map, Newton, NewtonSettings};
use crate::engines::nsgs::Nsgs;
use crate::engines::one_contact;
use crate::engines::proximal::Proximal;
use crate::lcp::LcpError;
use crate::lcp::lemke::Lemke;
use crate::lcp::pyramid::{self, ContactLcp, LemkeContact};
use crate::limit;
use crate::problem::Posed;
use crate::problem::islands::{Islands, Part};
use crate::problem::local::LocalProblem;
use crate::problem::residual::{self, GlobalResidual, STEEP};
use crate::problem::rounded::Rounded;
use crate::problem::{ContactProblem, Law, Twist};
use crate::solver::{ContactSolver, Engine, Guarantee, SolveError, Solved, starting_impulses};
use glam::DVec3;

/// Which stages are gone through.
#[derive(Clone, Copy)]
enum Stages<'a> {
    /// Those of the selection rule; where they leave an island, this answer to it stands.
    Rule(&'a Solved),
    All,
}

/// The solver to use unless there is a reason for another.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    engines: Engines,
    lemke: LemkeContact,
    memory: SystemMemory,
    scratch: Scratch,
    islands: Islands,
    few: few::Memory,
    part: Part,
    /// One for each island of a step: the order of elimination is kept as long as the island is the same.
    parts: Vec<SystemMemory>,
}

/// The methods of the chain with their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engines {
    pub(crate) newton: Newton,
    nsgs: Nsgs,
    pub(crate) interior_point: InteriorPoint,
    pub(crate) homotopy: Homotopy,
    proximal: Proximal,
}

impl Engines {
    /// Sets the regularisation of W in every Newton.
    pub(crate) fn regularise(&mut self, epsilon: f64) {
        let newtons = [
            &mut self.newton,
            &mut self.interior_point.newton,
            &mut self.homotopy.newton,
            &mut self.proximal.newton,
        ];
        for newton in newtons {
            newton.settings.regularisation = epsilon;
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    local: LocalProblem,
    cones: SystemMemory,
    nu: Vec<Twist>,
    pub(crate) u: Vec<DVec3>,
    start: Vec<DVec3>,
}

/// Up to this many contacts Gauss-Seidel is cheap enough to try early.
const SMALL: usize = 30;
/// Newton steps of a first attempt, and of one from a good start.
pub(crate) const NEWTON_STEPS: usize = 40;
/// Whole steps of Newton from the guess where the line search would shorten one.
const WHOLE_STEPS: usize = 12;
/// Centres of the proximal method.
const CENTRES: usize = 40;
/// First compliance of the proximal method from impulses that are nearly right.
const NEAR: f64 = 1e-3;
/// Spread of w̄ from which impulses are measured by the heavy bodies too.
const WIDE: f64 = 30.0;
/// Sweeps of Gauss-Seidel in each portion of the last stages.
const PORTIONS: [usize; 4] = [50, 200, 1000, 5000];
/// Steps along the path from the last step's problem, and the smoothings ε/q² tried for it.
const CONTINUED_STEPS: usize = 40;
const CONTINUED_SMOOTHING: [f64; 2] = [1e-3, 1e-5];
/// Problems between equal masses (or μ = 1) and the true ones.
const CHANGES: u32 = 60;
/// Sweeps of Gauss-Seidel before each of the first attempts of Newton, on local problems without a guess; none: from zero.
const STARTS: [usize; 4] = [3, 0, 3, 6];
/// Beyond this many contacts of an island of a stored problem the interior point comes first: it takes as many steps as for
/// few contacts, and what a start is worth is chance. (Walls and towers that are pushed are solved up to twenty times as
/// fast as by Newton first.)
const MANY: usize = 60;
/// First values of ε/q² of the interior point on stored problems, tried in turn. (Towers of planks and walls of bricks, at
/// rest and pushed, take a fifth to a third fewer steps from 1 than from 10.)
const STORED_STARTS: [f64; 3] = [1.0, 10.0, 0.1];
/// Regularisation of W in Newton's steps by patches: its inverse is the digits lost there. (Elsewhere it is Newton's
/// own.)
const BY_PATCHES: f64 = 1e-7;
/// Most contacts for which Lemke is asked.
const LEMKE_CONTACTS: usize = 100;
/// Most contacts for which all modes are tried.
const MOST_MODES: usize = 6;

/// Best impulses so far.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) impulses: Vec<DVec3>,
    pub(crate) residual: f64,
    pub(crate) iterations: usize,
    solver: &'static str,
}

/// A run of the chain on one problem.
pub(crate) struct Chain<'a> {
    pub(crate) problem: Posed<'a>,
    pub(crate) system: System<'a>,
    pub(crate) engines: &'a mut Engines,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) best: Best,
    /// What the caller judges by: m/s for a step, Siconos' scaling for a local problem.
    tolerance: f64,
    /// The tolerance of the methods, m/s.
    pub(crate) inner: f64,
}

impl Chain<'_> {
    /// The residual the caller judges by.
    fn residual(&mut self, p: &[DVec3]) -> f64 {
        match self.problem {
            Posed::Step(step) => residual::of_step(step, p, &mut self.scratch.nu).0,
            Posed::Local(local) => {
                let r = GlobalResidual::new(local, p).against(self.tolerance);
                if r.is_finite() { r } else { f64::INFINITY }
            }
        }
    }

    /// Judges `p`; true when the tolerance is met.
    pub(crate) fn judge(&mut self, p: &[DVec3], iterations: usize, solver: &'static str) -> bool {
        self.best.iterations += iterations;
        let r = self.residual(p);
        if r < self.best.residual {
            self.best.impulses.clear();
            self.best.impulses.extend_from_slice(p);
            self.best.residual = r;
            self.best.solver = solver;
        }
        self.best.residual <= self.allowed()
    }

    fn allowed(&self) -> f64 {
        self.tolerance.max(self.rounding())
    }

    /// What the rounding of the best impulses leaves of a step's residual, m/s: no method gets below. Velocities
    /// can (see [`crate::engines::velocity`]), so the caller may still make something of it.
    fn rounding(&self) -> f64 {
        let Posed::Step(_) = self.problem else {
            return 0.0;
        };
        let impulses = self.best.impulses.iter().enumerate();
        let sizes = impulses.map(|(i, p)| self.system.w_bar(i) * p.length());
        16.0 * f64::EPSILON * sizes.fold(0.0, f64::max)
    }

    pub(crate) fn newton(&mut self, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.engines.newton;
        let outcome = engine.improve(&mut self.system, p, self.inner);
        self.judge(p, outcome.iterations, "newton")
    }

    fn nsgs(&mut self, sweeps: usize, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.engines.nsgs;
        engine.settings.sweeps = sweeps;
        let outcome = engine.improve(&mut self.system, p, self.inner);
        self.judge(p, outcome.iterations, "nsgs")
    }

    /// The proximal method, polished by Newton; with `paths` its inner problems are followed where Newton
    /// fails on them.
    fn proximal(&mut self, tau: f64, paths: bool, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.engines.proximal;
        engine.settings.iterations = CENTRES;
        engine.settings.tau = tau;
        engine.settings.follow_paths = paths;
        let large = p.len() > 3 * SMALL && !paths;
        engine.settings.patience = if large { CENTRES / 4 } else { CENTRES };
        engine.newton.settings.iterations = NEWTON_STEPS;
        let outcome = engine.improve(&mut self.system, p, self.inner);
        if self.judge(p, outcome.iterations, "proximal") {
            self.newton(p);
            return true;
        }
        false
    }

    /// From the guess; the impulses reached are left in `p`.
    pub(crate) fn continued(&mut self, p: &mut Vec<DVec3>) -> bool {
        // On large problems a start that does not halve the merit at once is given up early: the
        // relaxation is the better investment.
        self.engines.newton.settings.iterations = NEWTON_STEPS;
        self.engines.newton.settings.patience = if p.len() <= SMALL { 12 } else { 8 };
        let found = match self.problem {
            Posed::Step(_) => self.continued_on_both_maps(p),
            Posed::Local(_) => self.newton(p),
        };
        self.engines.newton.settings.patience = 12;
        if found {
            return true;
        }
        p.clone_from(&self.best.impulses);
        if p.len() <= SMALL && (self.nsgs(30, p) || self.newton(p)) {
            // Gauss-Seidel's answer is polished; the better of the two is kept.
            if self.best.solver == "nsgs" {
                p.clone_from(&self.best.impulses);
                self.newton(p);
            }
            return true;
        }
        false
    }

    /// Newton from the guess, with whole steps where they may help; then once more on Alart and Curnier's map, which gets on
    /// where contacts slide and open in turn.
    fn continued_on_both_maps(&mut self, p: &mut Vec<DVec3>) -> bool {
        self.scratch.start.clone_from(p);
        self.engines.newton.settings.whole_steps = WHOLE_STEPS;
        let mut found = self.newton(p);
        self.engines.newton.settings.whole_steps = 0;
        if !found {
            p.clone_from(&self.scratch.start);
            self.engines.newton.settings.map = Map::AlartCurnier;
            found = self.newton(p);
            self.engines.newton.settings.map = Map::Natural;
        }
        found
    }

    /// From the guess, if there is one, along paths: that on which the last step's problem becomes this one, then
    /// proximal steps.
    fn drawn_along(&mut self, smooth: bool, guess: &[DVec3], p: &mut Vec<DVec3>) -> bool {
        if guess.iter().all(|&p| p == DVec3::ZERO) {
            return false;
        }
        if smooth && self.followed(guess, p) {
            return true;
        }
        p.clone_from(&self.best.impulses);
        self.proximal(NEAR, false, p)
    }

    /// From the guess along the path on which the last step's problem becomes this one.
    fn followed(&mut self, guess: &[DVec3], p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.engines.homotopy;
        let steps = std::mem::replace(&mut engine.settings.steps, CONTINUED_STEPS);
        engine.newton.settings.iterations = NEWTON_STEPS;
        let mut found = false;
        for epsilon in CONTINUED_SMOOTHING {
            p.clear();
            p.extend_from_slice(guess);
            let engine = &mut self.engines.homotopy;
            let outcome = engine.improve_from(&mut self.system, epsilon, p, self.inner);
            found = self.judge(p, outcome.iterations, "homotopy");
            if found {
                break;
            }
        }
        self.engines.homotopy.settings.steps = steps;
        found
    }

    /// Newton from a few sweeps of Gauss-Seidel, from zero, and from a few sweeps more. Which start is a good one is chance, so none gets
    /// much time.
    fn started_by_sweeps(&mut self, p: &mut Vec<DVec3>) -> bool {
        let polish = std::mem::replace(&mut self.engines.nsgs.settings.polish, 0.0);
        let mut swept = vec![DVec3::ZERO; p.len()];
        let mut found = false;
        for sweeps in STARTS {
            if sweeps == 0 {
                p.fill(DVec3::ZERO);
            } else {
                found = self.nsgs(sweeps, &mut swept);
                if found {
                    break;
                }
                p.clone_from(&swept);
            }
            self.engines.newton.settings.iterations = NEWTON_STEPS / 2;
            self.engines.newton.settings.patience = 8;
            found = self.newton(p);
            if found {
                break;
            }
        }
        self.engines.newton.settings.patience = 12;
        self.engines.nsgs.settings.polish = polish;
        found
    }

    /// Newton from impulses on the path of the convex relaxation (of the cones inside the pyramids), `to_rest` as in
    /// [`Attempts`].
    pub(crate) fn relaxed(&mut self, smooth: bool, to_rest: bool, p: &mut Vec<DVec3>) -> bool {
        if limit::reached() {
            return false;
        }
        let inner = self.inner;
        let mut attempts = Attempts::new(&mut self.engines.newton, &mut self.scratch.u, inner, p);
        attempts.to_rest = to_rest;
        let (system, interior_point) = (&mut self.system, &mut self.engines.interior_point);
        let iterations = if smooth {
            interior_point.follow_relaxed(system, &mut |s: &mut System, start: &[DVec3]| {
                attempts.attempt(s, start)
            })
        } else {
            let rounded = Rounded::of(self.problem);
            let mut cones = self.scratch.cones.system(rounded.posed());
            let mut on_pyramids = |_: &mut System, start: &[DVec3]| attempts.attempt(system, start);
            interior_point.follow_relaxed(&mut cones, &mut on_pyramids)
        };
        let steps = attempts.end();
        self.judge(p, iterations + steps, "newton")
    }

    /// From scratch, by the interior point (of the cones inside the pyramids), finished by Newton.
    pub(crate) fn interior(&mut self, smooth: bool, p: &mut Vec<DVec3>) -> bool {
        if limit::reached() {
            return false;
        }
        let engine = &mut self.engines.interior_point;
        engine.newton.settings.iterations = NEWTON_STEPS;
        if smooth {
            let outcome = engine.improve(&mut self.system, p, self.inner);
            return self.judge(p, outcome.iterations, "interior-point");
        }
        let rounded = Rounded::of(self.problem);
        let mut cones = self.scratch.cones.system(rounded.posed());
        let outcome = engine.improve(&mut cones, p, self.inner);
        self.best.iterations += outcome.iterations;
        self.newton(p)
    }

    /// Masses over decades: the same methods with impulses measured by the heavy bodies, each answer taken to
    /// rounding by Newton on the natural scale.
    fn heavy(&mut self) -> bool {
        let w_bars = (0..self.best.impulses.len()).map(|i| self.system.w_bar(i));
        let lightest = w_bars.clone().fold(0.0, f64::max);
        let positive = |w: &f64| *w > 0.0;
        let w_heavy = match self.problem {
            Posed::Step(step) => {
                let masses = step.inverse_mass.iter().map(|m| m.mass);
                masses.filter(positive).fold(f64::INFINITY, f64::min)
            }
            Posed::Local(_) => w_bars.filter(positive).fold(f64::INFINITY, f64::min),
        };
        if lightest <= WIDE * w_heavy {
            return false;
        }
        let mut found = false;
        for s in [1.0, 0.5] {
            self.system.rescale(w_heavy, s);
            for method in 0..4 {
                if limit::reached() {
                    break;
                }
                let mut p = self.best.impulses.clone();
                let system = &mut self.system;
                let (engines, inner) = (&mut *self.engines, self.inner);
                let outcome = match method {
                    0 => engines.newton.improve(system, &mut p, inner),
                    1 => engines.interior_point.improve(system, &mut p, inner),
                    2 => {
                        engines.homotopy.settings = HomotopySettings::ONE;
                        engines.homotopy.improve(system, &mut p, inner)
                    }
                    _ => {
                        engines.proximal.settings.tau = NEAR;
                        engines.proximal.improve(system, &mut p, inner)
                    }
                };
                self.best.iterations += outcome.iterations;
                self.system.rescale(w_heavy, 0.0);
                found = self.newton(&mut p);
                if found {
                    return true;
                }
                self.system.rescale(w_heavy, s);
            }
        }
        self.system.rescale(w_heavy, 0.0);
        found
    }

    /// Stages 7 to 11.
    fn last_stages(&mut self, smooth: bool) -> bool {
        if limit::reached() {
            return false;
        }
        let n_c = self.best.impulses.len();
        let mut p = self.best.impulses.clone();
        if smooth && self.heavy() {
            return true;
        }
        if smooth {
            let engine = &mut self.engines.homotopy;
            engine.newton.settings.iterations = NEWTON_STEPS;
            // Fewer contacts have other ways out before all paths are tried.
            engine.settings = if n_c > LARGE {
                HomotopySettings::default()
            } else {
                HomotopySettings::ONE
            };
            let outcome = engine.improve(&mut self.system, &mut p, self.inner);
            if self.judge(&p, outcome.iterations, "homotopy") || self.proximal(NEAR, false, &mut p)
            {
                return true;
            }
        }
        p.clone_from(&self.best.impulses);
        if self.proximal(1.0, false, &mut p) {
            return true;
        }
        p.clone_from(&self.best.impulses);
        if smooth && self.proximal(NEAR, true, &mut p) {
            return true;
        }
        let mut sweeps = self.best.impulses.clone();
        for portion in PORTIONS {
            if limit::reached() {
                return false;
            }
            if self.nsgs(portion, &mut sweeps) {
                p.clone_from(&sweeps);
                self.newton(&mut p);
                return true;
            }
            p.clone_from(&sweeps);
            if self.newton(&mut p) {
                return true;
            }
        }
        if smooth && n_c > SMALL && n_c <= LARGE {
            let engine = &mut self.engines.homotopy;
            engine.settings = HomotopySettings::default();
            let outcome = engine.improve(&mut self.system, &mut p, self.inner);
            if self.judge(&p, outcome.iterations, "homotopy") {
                return true;
            }
        }
        smooth && n_c <= MOST_MODES && self.few_contacts(&mut p)
    }

    /// Every way out for few contacts: pyramids, then every combination of modes.
    fn few_contacts(&mut self, p: &mut Vec<DVec3>) -> bool {
        let mut local = std::mem::take(&mut self.scratch.local);
        match self.problem {
            Posed::Step(step) => local.assemble(step),
            Posed::Local(problem) => local.clone_from(problem),
        }
        let mut found = false;
        for directions in [8, 16, 32] {
            found = found
                || !limit::reached() && pyramid::start(&mut local, directions, p) && self.newton(p);
        }
        if !found {
            p.clone_from(&self.best.impulses);
            let outcome = modes::search(&local, &mut self.engines.newton, p, self.inner);
            found = self.judge(p, outcome.iterations, "modes");
        }
        self.scratch.local = local;
        found || self.by_friction(p) || self.by_masses(p)
    }

    /// Masses over decades, from equal ones to their own.
    fn by_masses(&mut self, p: &mut Vec<DVec3>) -> bool {
        let Posed::Step(step) = self.problem else {
            return false;
        };
        let masses = step.inverse_mass.iter().map(|m| m.mass);
        let (least, most) = masses.fold((f64::INFINITY, 0.0f64), |(a, b), m| (a.min(m), b.max(m)));
        if !(least > 0.0 && most > WIDE * least) {
            return false;
        }
        self.changing(p, &mut |s, problem| {
            for (mass, own) in problem.inverse_mass.iter_mut().zip(&step.inverse_mass) {
                let scale = libm::pow(own.mass / least, s - 1.0);
                mass.mass = own.mass * scale;
                mass.inertia = own.inertia * scale;
            }
        })
    }

    /// Steep cones, from μ = 1 to their own.
    fn by_friction(&mut self, p: &mut Vec<DVec3>) -> bool {
        let Posed::Step(step) = self.problem else {
            return false;
        };
        let frictions = step.contacts.iter().map(|c| c.law.friction());
        let steepest = frictions.fold(0.0, f64::max);
        if steepest <= STEEP {
            return false;
        }
        self.changing(p, &mut |s, problem| {
            let cap = libm::pow(steepest, s);
            for (contact, own) in problem.contacts.iter_mut().zip(&step.contacts) {
                if let (Law::Cone { mu }, Law::Cone { mu: own }) = (&mut contact.law, &own.law) {
                    *mu = own.min(cap);
                }
            }
        })
    }

    /// The problem changed by `change` from s = 0 to its own, s = 1, each solved from the last one's impulses.
    fn changing(
        &mut self,
        p: &mut Vec<DVec3>,
        change: &mut dyn FnMut(f64, &mut ContactProblem),
    ) -> bool {
        let Posed::Step(step) = self.problem else {
            return false;
        };
        let mut problem = step.clone();
        let mut memory = SystemMemory::default();
        for k in 0..=CHANGES {
            if limit::reached() {
                return false;
            }
            change(f64::from(k) / f64::from(CHANGES), &mut problem);
            let mut system = memory.system(Posed::Step(&problem));
            // On the way no more than the rounding of impulses allows.
            let sizes = p
                .iter()
                .enumerate()
                .map(|(i, p)| system.w_bar(i) * p.length());
            let inner = if k == CHANGES {
                self.inner
            } else {
                sizes.fold(self.inner, |m, v| m.max(256.0 * f64::EPSILON * v))
            };
            let guess = p.clone();
            let Engines {
                newton,
                nsgs,
                interior_point,
                homotopy,
                ..
            } = &mut *self.engines;
            let mut outcome = newton.improve(&mut system, p, inner);
            if outcome.residual > inner && k > 0 {
                p.clone_from(&guess);
                outcome = homotopy.improve_from(&mut system, 1e-5, p, inner);
            }
            if outcome.residual > inner {
                p.clone_from(&guess);
                nsgs.settings.sweeps = 1000;
                nsgs.improve(&mut system, p, inner);
                outcome = newton.improve(&mut system, p, inner);
            }
            if outcome.residual > inner {
                outcome = interior_point.improve(&mut system, p, inner);
            }
            self.best.iterations += outcome.iterations;
            if outcome.residual > inner && k < CHANGES {
                return false;
            }
        }
        self.judge(p, 0, "newton")
    }
}

pub(crate) fn best_of(p: &[DVec3]) -> Best {
    Best {
        impulses: p.to_vec(),
        residual: f64::INFINITY,
        iterations: 0,
        solver: "newton",
    }
}

/// The chain on the problem of a step, from the impulses `p`.
fn chain_of<'a>(
    memory: &'a mut SystemMemory,
    engines: &'a mut Engines,
    scratch: &'a mut Scratch,
    problem: &'a ContactProblem,
    p: &[DVec3],
    tolerance: f64,
) -> Chain<'a> {
    Chain {
        problem: Posed::Step(problem),
        system: memory.system(Posed::Step(problem)),
        engines,
        scratch,
        best: best_of(p),
        tolerance,
        inner: tolerance,
    }
}

/// Whether every law has a smoothed form (no pyramids or discs), and whether all are rows of an LCP.
fn kinds<'a>(laws: impl Iterator<Item = &'a Law>) -> (bool, bool) {
    laws.fold((true, true), |(smooth, polyhedral), law| {
        (
            smooth && !matches!(law, Law::Pyramid { .. } | Law::Disc { .. }),
            polyhedral && !matches!(law, Law::Cone { .. } | Law::Disc { .. }),
        )
    })
}

impl Auto {
    /// Forgets what the last problem's pattern was, so that the next local problem costs what one never seen costs (but
    /// for fresh memory): for fair measurements.
    pub fn forget(&mut self) {
        self.memory.forget();
    }

    /// The answer of the selection rule to a step, on the islands where it has one; `own` on the others.
    pub(crate) fn by_rule(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
        own: &Solved,
    ) -> Option<Solved> {
        self.solve_step(problem, guess, tolerance, Stages::Rule(own))
            .ok()
    }

    /// Solves a local problem to `tolerance` in Siconos' scaling; `guess` may be empty.
    ///
    /// # Errors
    /// [`SolveError`] with the best impulses where no stage reaches the tolerance.
    pub fn solve_local(
        &mut self,
        problem: &LocalProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        let unsuitable = |reason: String| SolveError::Unsuitable { solver, reason };
        problem.validate().map_err(unsuitable)?;
        let cones = |law: &Law| matches!(law, Law::Cone { .. } | Law::Unilateral);
        if !guess.is_empty() || !problem.laws.iter().all(cones) {
            return self.solve_whole(problem, guess, tolerance);
        }
        let (impulses, iterations, solver) = self.by_islands(problem, tolerance);
        let residual = GlobalResidual::new(problem, &impulses).against(tolerance);
        if residual <= tolerance {
            return Ok(Solved {
                impulses,
                iterations,
                solver,
                residual,
            });
        }
        if limit::reached() {
            return Err(SolveError::NotConverged {
                solver: self.name(),
                residual,
                tolerance,
                iterations,
                best: impulses,
            });
        }
        self.solve_whole(problem, &impulses, tolerance)
            .map_err(|e| self.contradiction(problem).unwrap_or(e))
    }

    /// The ray of a problem whose gaps cannot all stay open: Wᵀ(y, 0) = 0 with y ≥ 0 and q_n·y < 0, for then y·u_n = q_n·y whatever
    /// p is. Lemke's ray on the normals has W_nnᵀ y ≤ 0; the rest follows where W is semidefinite, and is checked here.
    fn contradiction(&self, problem: &LocalProblem) -> Option<SolveError> {
        if problem.len() > LEMKE_CONTACTS || limit::reached() {
            return None;
        }
        let mut normals = problem.clone();
        normals.laws.fill(Law::Unilateral);
        let lcp = ContactLcp::new(&normals).ok()?;
        match Lemke::default().solve(&lcp.mixed) {
            Err(LcpError::Ray {
                pivots,
                infeasible: true,
                direction,
                ..
            }) if no_impulse_helps(problem, &lcp.along(&direction)) => Some(SolveError::Ray {
                solver: self.name(),
                iterations: pivots,
                contacts: lcp.contacts_on(&direction),
            }),
            _ => None,
        }
    }

    /// Island by island, cones from nothing: the quickest method that takes each. What it comes to is for the caller
    /// to judge.
    fn by_islands(
        &mut self,
        problem: &LocalProblem,
        tolerance: f64,
    ) -> (Vec<DVec3>, usize, &'static str) {
        let n_c = problem.len();
        let mut p = vec![DVec3::ZERO; n_c];
        let (mut iterations, mut solver) = (1, "one-contact");
        let alone = |i: usize| {
            let (w, mu) = (problem.delassus.diagonal(i), problem.laws[i].friction());
            few::alone(mu, w, problem.q[i])
        };
        if let [p] = &mut p[..] {
            *p = alone(0);
        }
        if n_c <= 1 {
            return (p, iterations, solver);
        }
        let mut islands = std::mem::take(&mut self.islands);
        islands.find(&problem.delassus);
        // Each relative to itself: together they are within the tolerance.
        let own = 0.5 * tolerance;
        for k in 0..islands.len() {
            let members = islands.members(k);
            if let [i] = *members {
                p[i] = alone(i);
                continue;
            }
            if members.len() <= FEW
                && let Some(steps) = few::solve(problem, members, own, &mut p, &mut self.few)
            {
                iterations = iterations.max(steps);
                solver = "newton";
                continue;
            }
            let part;
            let whole = members.len() == n_c;
            let island = if whole {
                problem
            } else {
                part = problem.island(members);
                &part
            };
            let (impulses, steps, by) = match self.solve_whole(island, &[], own) {
                Ok(solved) => (solved.impulses, solved.iterations, solved.solver),
                Err(SolveError::NotConverged {
                    best, iterations, ..
                }) => (best, iterations, "newton"),
                Err(_) => continue,
            };
            iterations = iterations.max(steps);
            solver = by;
            for (&i, impulse) in members.iter().zip(impulses) {
                p[i] = impulse;
            }
        }
        self.islands = islands;
        (p, iterations, solver)
    }

    /// The chain on a valid local problem as one.
    fn solve_whole(
        &mut self,
        problem: &LocalProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        let n_c = problem.len();
        let start = if guess.len() == n_c {
            guess.to_vec()
        } else {
            vec![DVec3::ZERO; n_c]
        };
        let squares: f64 = problem.q.iter().map(|q| q.length_squared()).sum();
        let speed = (squares / n_c.max(1) as f64).sqrt();
        let (smooth, _) = kinds(problem.laws.iter());
        let mut chain = Chain {
            problem: Posed::Local(problem),
            system: self.memory.system(Posed::Local(problem)),
            engines: &mut self.engines,
            scratch: &mut self.scratch,
            best: best_of(&start),
            tolerance,
            inner: 0.1 * tolerance * speed,
        };
        chain.engines.newton.settings.polish = false;
        chain.system.by_patches(true);
        chain.engines.regularise(BY_PATCHES);
        chain.engines.interior_point.settings.starts = STORED_STARTS;
        let mut p = start;
        let only = (n_c == 1).then(|| {
            one_contact::solve(&problem.laws[0], problem.delassus.diagonal(0), problem.q[0])
        });
        let cold = guess.is_empty();
        let inwards = cold && smooth && n_c > MANY;
        if n_c == 0
            || only.is_some_and(|exact| chain.judge(&[exact], 1, "one-contact"))
            || inwards && chain.interior(smooth, &mut p)
            || cold && chain.started_by_sweeps(&mut p)
        {
            return report(solver, chain);
        }
        chain.system.by_patches(false);
        chain
            .engines
            .regularise(NewtonSettings::default().regularisation);
        // The two residuals differ by units and norms: tighten the inner one where it was met and
        // the outer one was not.
        for tighten in [1e-1, 1e-4, 1e-7] {
            if limit::reached() {
                break;
            }
            chain.inner = tolerance * tighten * speed;
            let mut p = chain.best.impulses.clone();
            let large = cold && n_c > SMALL;
            let done = inwards && chain.interior(smooth, &mut p)
                || large && (chain.newton(&mut p) || chain.relaxed(smooth, false, &mut p))
                || chain.continued(&mut p)
                || !large && chain.relaxed(smooth, false, &mut p)
                || !inwards && chain.interior(smooth, &mut p)
                || chain.proximal(NEAR, false, &mut p)
                || chain.last_stages(smooth);
            if done || residual::of_local(problem, &chain.best.impulses).0 > chain.inner {
                break;
            }
        }
        report(solver, chain)
    }
}

/// What `chain` came to; rounding counts as an answer.
/// Is Wᵀy = 0, so that no impulse changes y·u? (To 1e-9 of what is added up.)
fn no_impulse_helps(problem: &LocalProblem, y: &[DVec3]) -> bool {
    let mut sums = vec![(DVec3::ZERO, 0.0); problem.len()];
    for (i, y) in y.iter().enumerate() {
        let (columns, blocks) = problem.delassus.row(i);
        for (&j, block) in columns.iter().zip(blocks) {
            let part = block.transpose() * *y;
            sums[j].0 += part;
            sums[j].1 += part.length();
        }
    }
    let largest = sums.iter().fold(0.0, |m: f64, s| m.max(s.1));
    sums.iter().all(|s| s.0.length() <= 1e-9 * largest)
}

fn report(solver: &'static str, chain: Chain) -> Result<Solved, SolveError> {
    let (allowed, tolerance) = (chain.allowed(), chain.tolerance);
    let best = chain.best;
    if best.residual <= allowed {
        return Ok(Solved {
            impulses: best.impulses,
            iterations: best.iterations,
            solver: best.solver,
            residual: best.residual,
        });
    }
    Err(SolveError::NotConverged {
        solver,
        residual: best.residual,
        tolerance,
        iterations: best.iterations,
        best: best.impulses,
    })
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "an answer is returned only if its residual, recomputed, meets the tolerance",
            hypotheses: "none",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        self.solve_step(problem, guess, tolerance, Stages::All)
    }
}

impl Auto {
    /// A step, island by island.
    fn solve_step(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
        stages: Stages<'_>,
    ) -> Result<Solved, SolveError> {
        let p = starting_impulses(self.name(), problem, guess)?;
        let mut islands = std::mem::take(&mut self.islands);
        let mut parts = std::mem::take(&mut self.parts);
        islands.find_in_step(problem);
        parts.resize_with(parts.len().max(islands.len()).max(1), SystemMemory::default);
        let solved = if islands.len() <= 1 {
            self.solve_island(problem, &p, tolerance, stages, &mut parts[0])
        } else {
            self.solve_islands(problem, p, tolerance, stages, &islands, &mut parts)
        };
        (self.islands, self.parts) = (islands, parts);
        solved
    }

    /// The islands of a step, each for itself and by its own stages. Impulses of all are returned also where not all are
    /// solved.
    fn solve_islands(
        &mut self,
        problem: &ContactProblem,
        mut p: Vec<DVec3>,
        tolerance: f64,
        stages: Stages<'_>,
        islands: &Islands,
        parts: &mut [SystemMemory],
    ) -> Result<Solved, SolveError> {
        let mut part = std::mem::take(&mut self.part);
        part.begin(problem);
        // What took longest, and what is worst.
        let (mut solver, mut iterations, mut residual) = ("one-contact", 0, 0.0);
        let mut failed = false;
        for (k, memory) in parts.iter_mut().enumerate().take(islands.len()) {
            let members = islands.members(k);
            part.take(problem, &p, members);
            let found = self.solve_island(&part.problem, &part.guess, tolerance, stages, memory);
            let found = match (found, stages) {
                (Err(_), Stages::Rule(own)) => Ok(Solved {
                    impulses: members.iter().map(|&i| own.impulses[i]).collect(),
                    iterations: 0,
                    ..*own
                }),
                (found, _) => found,
            };
            let (impulses, steps, by, off) = match found {
                Ok(s) => (s.impulses, s.iterations, s.solver, s.residual),
                Err(SolveError::NotConverged {
                    solver,
                    residual,
                    iterations,
                    best,
                    ..
                }) => {
                    failed = true;
                    (best, iterations, solver, residual)
                }
                Err(SolveError::Ray {
                    solver,
                    iterations,
                    contacts,
                }) => {
                    self.part = part;
                    return Err(SolveError::Ray {
                        solver,
                        iterations,
                        contacts: contacts.into_iter().map(|i| members[i]).collect(),
                    });
                }
                Err(e) => return Err(e),
            };
            for (&i, impulse) in members.iter().zip(impulses) {
                p[i] = impulse;
            }
            if steps > iterations {
                (solver, iterations) = (by, steps);
            }
            residual = f64::max(residual, off);
        }
        self.part = part;
        if failed {
            return Err(SolveError::NotConverged {
                solver: self.name(),
                residual,
                tolerance,
                iterations,
                best: p,
            });
        }
        Ok(Solved {
            impulses: p,
            iterations,
            solver,
            residual,
        })
    }

    /// The chain on a step, or on an island of one, from the impulses of `guess`.
    fn solve_island(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        tolerance: f64,
        stages: Stages<'_>,
        memory: &mut SystemMemory,
    ) -> Result<Solved, SolveError> {
        let n_c = problem.contacts.len();
        let (smooth, polyhedral) = kinds(problem.contacts.iter().map(|c| &c.law));
        let mut p = guess.to_vec();
        let mut chain = chain_of(
            memory,
            &mut self.engines,
            &mut self.scratch,
            problem,
            guess,
            tolerance,
        );
        // The path from the last step's problem gets nowhere in a large one.
        if chain.selected(problem, smooth, &mut p)
            || matches!(stages, Stages::Rule(_))
            || n_c <= LARGE && chain.drawn_along(smooth, guess, &mut p)
        {
            return report("auto", chain);
        }
        if limit::reached() {
            return report("auto", chain);
        }
        if polyhedral && n_c <= LEMKE_CONTACTS {
            match self.lemke.solve(problem, None, tolerance) {
                Ok(solved) => {
                    // Newton from Lemke's answer takes it to rounding level.
                    chain.judge(&solved.impulses, solved.iterations, "lemke");
                    p.clone_from(&solved.impulses);
                    chain.newton(&mut p);
                    return report("auto", chain);
                }
                // The problem may have no solution: a ray says more than a number.
                Err(ray @ SolveError::Ray { .. }) => return Err(ray),
                Err(_) => {}
            }
        }
        // Far from any answer: if not even the gaps can all stay open, none exists (a closing vice).
        let q = problem
            .contacts
            .iter()
            .map(|c| c.velocity(&problem.nu_free));
        let speed = q.fold(0.0, |m: f64, q| m.max(q.length()));
        if !polyhedral && n_c <= LEMKE_CONTACTS && chain.best.residual > 1e-6 * speed {
            let frictionless = without_friction(problem);
            if let Err(ray @ SolveError::Ray { .. }) =
                self.lemke.solve(&frictionless, None, tolerance)
            {
                return Err(ray);
            }
        }
        chain.last_stages(smooth);
        report("auto", chain)
    }
}

/// The same problem without friction. Every motion that the law allows is allowed by this one.
fn without_friction(problem: &ContactProblem) -> ContactProblem {
    let mut problem = problem.clone();
    for contact in &mut problem.contacts {
        if contact.law.friction() > 0.0 {
            contact.law = Law::Unilateral;
        }
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::delassus::Delassus;
    use glam::DMat3;

    #[test]
    fn a_ray_of_the_normals_alone_proves_nothing() {
        // W_nn < 0, so that no normal impulse alone keeps the gap open; with friction one does.
        let w = DMat3::from_cols(
            DVec3::new(-0.02, -0.75, 0.0),
            DVec3::new(-0.75, 1.0, 0.0),
            DVec3::new(0.0, 0.0, 1.0),
        );
        let laws = vec![Law::Cone { mu: 1.3 }];
        let p = DVec3::new(1.0, -1.3, 0.0);
        // Slides against its friction: u = (0, 0.4, 0).
        let q = vec![DVec3::new(0.0, 0.4, 0.0) - w * p];
        let problem = LocalProblem {
            delassus: Delassus::from_blocks(1, vec![(0, 0, w)]),
            q,
            laws,
        };
        assert!(GlobalResidual::new(&problem, &[p]).siconos() < 1e-15);
        assert!(Auto::default().contradiction(&problem).is_none());
        // Nothing moves without W: there the proof is one.
        let still = LocalProblem {
            delassus: Delassus::from_blocks(1, vec![(0, 0, DMat3::ZERO)]),
            q: vec![-DVec3::X],
            ..problem
        };
        assert!(Auto::default().contradiction(&still).is_some());
    }
}
