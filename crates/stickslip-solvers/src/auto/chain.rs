//! The search for the answer of one island: the driver that walks a table of stages, and what they share.

use crate::auto::bearing::Bearing;
use crate::auto::mend::Mender;
use crate::auto::plans::{
    AIM_OF_FEW, BY_PATCHES, Begin, DRAFT, FEW, LARGE, OTHERWISE, SKETCHED, STRUCK, Stage, Table,
    EASILY,
};
use crate::auto::profile::{Form, Profile};
use crate::auto::steps::Asked;
use crate::coupling::{Coupled, System, SystemMemory};
use crate::engines::compliant::Compliant;
use crate::engines::conjugate::Conjugate;
use crate::engines::homotopy::Homotopy;
use crate::engines::interior_point::InteriorPoint;
use crate::engines::newton::{Newton, NewtonSettings};
use crate::engines::nsgs::Nsgs;
use crate::engines::proximal::Proximal;
use crate::engines::soft::SoftNewton;
use crate::lcp::pyramid::LemkeContact;
use crate::limit;
use crate::problem::Posed;
use crate::problem::Twist;
use crate::problem::residual::{self, GlobalResidual};
use crate::solver::{Effort, Purpose, SolveError, Solved};
use crate::trace::{Ran, Trace};
use glam::DVec3;

/// What the stages work with, kept from problem to problem: memory, and no settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Kit {
    pub(super) newton: Newton,
    pub(super) nsgs: Nsgs,
    pub(super) conjugate: Conjugate,
    pub(super) interior_point: InteriorPoint,
    pub(super) homotopy: Homotopy,
    pub(super) compliant: Compliant,
    pub(super) proximal: Proximal,
    pub(super) soft: SoftNewton,
    pub(super) lemke: LemkeContact,
    /// Made when it is first needed: it solves by an `auto` of its own.
    pub(super) mender: Option<Mender>,
    pub(super) bearing: Option<Bearing>,
    /// System of the cones inside pyramids.
    pub(super) cones: SystemMemory,
    pub(super) u: Vec<DVec3>,
    pub(super) nu: Vec<Twist>,
    /// Impulses that the stages hand on, the best when the table was begun, where the last stage began, and where the last
    /// sweeps ended.
    p: Vec<DVec3>,
    opening: Vec<DVec3>,
    began: Vec<DVec3>,
    pub(super) swept: Vec<DVec3>,
    pub(super) trace: Trace,
    /// Names of stages that are left out: `stage`, or `table/stage`.
    pub(super) without: Vec<String>,
}

impl Kit {
    pub(super) fn leaves_out(&self, table: &str, stage: &str) -> bool {
        self.without.iter().any(|name| {
            let (of, name) = name.split_once('/').unwrap_or((table, name));
            of == table && name == stage
        })
    }
}

/// Which stages are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    /// Those of the selection rule.
    Rule,
}

/// How a stage ended.
pub(super) enum Verdict {
    /// With an answer.
    Answer,
    /// Without: the next stage is tried.
    Next,
    /// With the proof, or a strong hint, that there is none.
    Ray(SolveError),
}

impl From<bool> for Verdict {
    fn from(found: bool) -> Self {
        if found { Self::Answer } else { Self::Next }
    }
}

/// Best impulses so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) impulses: Vec<DVec3>,
    pub(super) residual: f64,
    pub(super) iterations: usize,
    /// The engine that gave them, and the stage.
    pub(super) solver: &'static str,
    stage: &'static str,
}

impl Best {
    pub(super) fn start(p: &[DVec3]) -> Self {
        Self {
            impulses: p.to_vec(),
            residual: f64::INFINITY,
            iterations: 0,
            solver: "newton",
            stage: "none",
        }
    }
}

/// A search on one problem.
pub(super) struct Chain<'a> {
    pub(super) problem: Posed<'a>,
    pub(super) system: System<'a>,
    pub(super) profile: Profile,
    pub(super) kit: &'a mut Kit,
    guess: &'a [DVec3],
    scope: Scope,
    pub(super) best: Best,
    /// An answer that moves, or the best of a failure, set aside while rest is looked for.
    pub(super) aside: Option<Aside>,
    /// What ends the search, in the measure of the caller: m/s for a step, Siconos' scaling for a local problem.
    pub(super) tolerance: f64,
    /// The caller's own tolerance, and what he is content with where the search is long or has ended without that.
    pub(super) asked_for: f64,
    pub(super) enough: f64,
    pub(super) purpose: Purpose<'a>,
    /// Residual of the last impulses, m/s; zero where they were not looked at.
    pub(super) from_guess: f64,
    /// Spent so far.
    factorisations: usize,
    /// The tolerance of the methods, m/s.
    pub(super) inner: f64,
    /// Relative regularisation of D in every Newton of the table at hand.
    pub(super) regularisation: f64,
    /// The stage at work, what it has taken so far, and its least residual.
    stage: &'static str,
    effort: Effort,
    reached: f64,
}

/// See [`Chain::aside`].
pub(super) struct Aside {
    pub(super) best: Best,
    /// Does it meet the tolerance?
    pub(super) solved: bool,
}

/// A residual of so many roundings of w̄|p| is that of the impulses: no method gets below. (Chosen without measurement; of
/// 100,000 random problems with masses over twelve decades some 120 need it.)
const ROUNDINGS: f64 = 16.0;

impl<'a> Chain<'a> {
    /// The search from the impulses `start`: those of `guess`, or zero where it is empty.
    pub(super) fn new(
        problem: Posed<'a>,
        memory: &'a mut SystemMemory,
        kit: &'a mut Kit,
        guess: &'a [DVec3],
        asked: Asked<'a>,
    ) -> Self {
        let mut system = memory.system(problem);
        let profile = Profile::of(problem, &mut system, guess, &mut kit.u);
        let Asked {
            tolerance: asked_for,
            enough,
            purpose,
            scope,
            ..
        } = asked;
        let tolerance = match profile.form {
            Form::Step if profile.contacts <= FEW => AIM_OF_FEW * asked_for,
            _ => asked_for,
        };
        let best = if guess.len() == profile.contacts {
            Best::start(guess)
        } else {
            Best::start(&vec![DVec3::ZERO; profile.contacts])
        };
        Self {
            problem,
            system,
            profile,
            kit,
            guess,
            scope,
            best,
            aside: None,
            tolerance,
            asked_for,
            enough,
            purpose,
            from_guess: 0.0,
            factorisations: 0,
            inner: tolerance,
            regularisation: NewtonSettings::ALONE.regularisation,
            stage: "none",
            effort: Effort::default(),
            reached: f64::INFINITY,
        }
    }

    /// Walks a table from the best impulses so far until a stage ends the search, or time is over.
    pub(super) fn walk(&mut self, table: &Table) -> Verdict {
        self.system.by_patches(table.patches);
        self.regularisation = if table.patches {
            BY_PATCHES
        } else {
            NewtonSettings::ALONE.regularisation
        };
        let mut p = std::mem::take(&mut self.kit.p);
        p.clone_from(&self.best.impulses);
        self.kit.opening.clone_from(&p);
        self.kit.began.clone_from(&p);
        let mut verdict = Verdict::Next;
        for stage in table.stages {
            if !self.takes(table, stage) {
                continue;
            }
            if self.is_enough() {
                verdict = Verdict::Answer;
                break;
            }
            self.loosen();
            self.place(stage.from, &mut p);
            verdict = self.run(table, stage, &mut p);
            if !matches!(verdict, Verdict::Next) || limit::reached() {
                break;
            }
        }
        self.kit.p = p;
        verdict
    }

    /// Will less than the caller's own tolerance do, and has so much been spent that this is not to be had without much work?
    fn is_hard(&self) -> bool {
        let spent = match self.purpose {
            Purpose::Easily(_) => EASILY,
            _ => DRAFT,
        };
        let less_will_do = self.enough > self.asked_for && self.profile.contacts > FEW;
        less_will_do && (self.factorisations >= spent || self.is_struck())
    }

    /// Has the run no patience left, and do the last impulses not lead on?
    pub(super) fn is_struck(&self) -> bool {
        let hard = matches!(self.purpose, Purpose::Easily(_) | Purpose::LastResort);
        hard && self.profile.contacts > LARGE && self.from_guess > STRUCK
    }

    /// Are there so many contacts, and do the last impulses miss by so much, that Newton does not arrive from there?
    pub(super) fn goes_otherwise(&self) -> bool {
        self.profile.contacts > LARGE && self.from_guess > OTHERWISE
    }

    /// Is a motion wanted that only shows which contacts are missing, and has that been hard?
    pub(super) fn is_hard_draft(&self) -> bool {
        self.is_draft() && self.is_hard()
    }

    /// Will a sketch do? Where one is asked for, and for the first draft of many contacts in motion that touch at several places. (A draft of 1e-3 m/s took
    /// half as long as the answer.) What goes on as it did is answered at once, and what begins asks first whether it can rest.
    pub(super) fn may_sketch(&mut self) -> bool {
        match self.purpose {
            Purpose::Sketch(_) => true,
            Purpose::Draft(_) if self.profile.contacts > LARGE && !self.profile.lone => {
                let moves = !self.profile.is_cold() && self.residual(self.guess) > OTHERWISE;
                if moves {
                    self.enough = self.enough.max(SKETCHED);
                }
                moves
            }
            _ => false,
        }
    }

    /// Is a motion wanted that only shows which contacts are missing? (A draft is mended as an answer is.)
    pub(super) fn is_draft(&self) -> bool {
        self.enough > self.asked_for && matches!(self.purpose, Purpose::Sketch(_))
    }

    /// Will less than the tolerance do, and is the best so far as good as it will be without much work?
    fn is_enough(&self) -> bool {
        self.is_hard() && self.best.residual <= self.enough
    }

    /// What is enough ends the methods where it is hard to get more.
    fn loosen(&mut self) {
        if self.is_hard() {
            self.tolerance = self.enough;
            self.inner = self.enough;
        }
    }

    /// Contacts factored so far.
    pub(super) fn work(&self) -> u64 {
        (self.factorisations * self.profile.contacts) as u64
    }

    /// Is this stage one for the problem at hand, and wanted?
    fn takes(&self, table: &Table, stage: &Stage) -> bool {
        (stage.rule || self.scope == Scope::All)
            && stage.when.iter().all(|need| need.holds(&self.profile))
            && !self.kit.leaves_out(table.name, stage.name)
    }

    /// Puts `p` where a stage begins.
    fn place(&mut self, from: Begin, p: &mut Vec<DVec3>) {
        match from {
            Begin::Guess => {
                p.clear();
                p.extend_from_slice(self.guess);
            }
            Begin::Zero => p.fill(DVec3::ZERO),
            Begin::Best => p.clone_from(&self.best.impulses),
            Begin::Table => p.clone_from(&self.kit.opening),
            Begin::Sweeps => p.clone_from(&self.kit.swept),
            Begin::Again => p.clone_from(&self.kit.began),
            Begin::Last | Begin::Scratch => {}
        }
        self.kit.began.clone_from(p);
    }

    /// Runs a stage and notes what it came to.
    fn run(&mut self, table: &Table, stage: &Stage, p: &mut Vec<DVec3>) -> Verdict {
        let began = self.kit.trace.now();
        (self.stage, self.effort, self.reached) = (stage.name, Effort::default(), f64::INFINITY);
        let verdict = (stage.run)(self, p);
        if matches!(verdict, Verdict::Answer) && self.best.residual <= self.allowed() {
            self.polish();
        }
        self.kit.trace.push(Ran {
            table: table.name,
            stage: stage.name,
            islands: 1,
            contacts: self.profile.contacts,
            effort: self.effort,
            residual: self.reached,
            won: matches!(verdict, Verdict::Answer),
            seconds: began.map(|began| began.elapsed().as_secs_f64()),
        });
        verdict
    }

    /// Counts what was taken without an offer.
    pub(super) fn charge(&mut self, effort: Effort) {
        self.effort += effort;
        self.factorisations += effort.factorisations;
        self.best.iterations += effort.iterations;
    }

    /// Judges `p`; true when the tolerance is met.
    pub(super) fn judge(&mut self, p: &[DVec3], effort: Effort, solver: &'static str) -> bool {
        self.charge(effort);
        let r = self.residual(p);
        self.reached = self.reached.min(r);
        if r < self.best.residual {
            self.best.impulses.clear();
            self.best.impulses.extend_from_slice(p);
            self.best.residual = r;
            self.best.solver = solver;
            self.best.stage = self.stage;
        }
        self.best.residual <= self.allowed()
    }

    /// The residual the caller judges by.
    pub(super) fn residual(&mut self, p: &[DVec3]) -> f64 {
        match self.problem {
            Posed::Step(step) => residual::of_step(step, p, &mut self.kit.nu).0,
            Posed::Local(local) => {
                let r = GlobalResidual::new(local, p).against(self.tolerance);
                if r.is_finite() { r } else { f64::INFINITY }
            }
        }
    }

    fn allowed(&self) -> f64 {
        self.tolerance.max(self.rounding())
    }

    /// What the rounding of the best impulses leaves of a step's residual, m/s: no method gets below. Velocities
    /// can (see [`crate::engines::velocity`]), so the caller may still make something of it.
    fn rounding(&self) -> f64 {
        if self.profile.form == Form::Stored {
            return 0.0;
        }
        rounding(largest_scaled(&self.system, &self.best.impulses))
    }

    /// Takes up what was set aside, if it is an answer or better than what came after it; true where it is an answer. (Of a
    /// failure that is left the iterations are not counted.)
    pub(super) fn take_up(&mut self) -> bool {
        let Some(aside) = self.aside.take() else {
            return false;
        };
        if aside.solved || aside.best.residual < self.best.residual {
            let iterations = self.best.iterations;
            self.best = aside.best;
            self.best.iterations += iterations;
        }
        aside.solved
    }

    /// The best answer, accepted at the tolerance or at the rounding of its impulses.
    pub(super) fn report(mut self) -> Result<Solved, SolveError> {
        if self.best.residual <= self.allowed() {
            // Found while something was set aside, which took its iterations too.
            let aside = self.aside.take();
            self.best.iterations += aside.map_or(0, |aside| aside.best.iterations);
        } else {
            self.take_up();
        }
        let (allowed, tolerance) = (self.allowed().max(self.enough), self.asked_for);
        let best = self.best;
        if best.residual <= allowed {
            return Ok(Solved {
                impulses: best.impulses,
                iterations: best.iterations,
                solver: best.solver,
                stage: best.stage,
                residual: best.residual,
            });
        }
        Err(SolveError::NotConverged {
            solver: "auto",
            residual: best.residual,
            tolerance,
            iterations: best.iterations,
            best: best.impulses,
        })
    }
}

/// What the rounding of impulses with a largest w̄|p| of `scaled` leaves of a residual, m/s.
pub(super) fn rounding(scaled: f64) -> f64 {
    ROUNDINGS * f64::EPSILON * scaled
}

/// Largest w̄|p| of a contact, m/s.
pub(super) fn largest_scaled(system: &System, p: &[DVec3]) -> f64 {
    let sizes = p.iter().enumerate();
    let sizes = sizes.map(|(i, p)| system.w_bar(i) * p.length());
    sizes.fold(0.0, f64::max)
}
