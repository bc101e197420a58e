//! The search for the answer of one island: the driver that walks a table of stages.

use crate::auto::best::{Aside, Best};
use crate::auto::kit::Kit;
use crate::auto::plans::{
    AIM_OF_FEW, BY_PATCHES, Begin, DRAFT, EASILY, FEW, GOES_OTHERWISE, LARGE, OTHERWISE, SKETCHED,
    STRUCK, Stage, Table,
};
use crate::auto::profile::{Form, Need, Profile, Standing};
use crate::auto::steps::Asked;
use crate::coupling::{System, SystemMemory};
use crate::engines::newton::NewtonSettings;
use crate::limit;
use crate::problem::Posed;
use crate::solver::{Effort, Purpose, SolveError};
use crate::trace::Ran;
use glam::DVec3;

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
    pub(super) factorisations: usize,
    /// The tolerance of the methods, m/s.
    pub(super) inner: f64,
    /// Relative regularisation of D in every Newton of the table at hand.
    pub(super) regularisation: f64,
    /// The stage at work, what it has taken so far, and its least residual.
    pub(super) stage: &'static str,
    pub(super) effort: Effort,
    pub(super) reached: f64,
}

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

    /// Do these conditions hold where the search stands?
    fn holds(&self, needs: &[Need]) -> bool {
        let now = Standing {
            sketch: self.is_sketch(),
            pressed: matches!(self.purpose, Purpose::Easily(_) | Purpose::LastResort),
            guess: self.from_guess,
            best: self.best.residual,
            known: self.answer_is_known(),
        };
        needs.iter().all(|need| need.holds(&self.profile, &now))
    }

    /// Has the run no patience left, and do the last impulses not lead on?
    fn is_struck(&self) -> bool {
        self.holds(STRUCK)
    }

    /// Are there so many contacts, and do the last impulses miss by so much, that Newton does not arrive from there?
    pub(super) fn goes_otherwise(&self) -> bool {
        self.holds(GOES_OTHERWISE)
    }

    /// Is a motion wanted that only shows which contacts are missing, and has that been hard?
    pub(super) fn is_hard_sketch(&self) -> bool {
        self.is_sketch() && self.is_hard()
    }

    /// Is the table of sketches walked first? Where a sketch is asked for, and for the first draft of many contacts in motion that touch at several
    /// places. (A draft of 1e-3 m/s took half as long as the answer.) What goes on as it did is answered at once, and what begins asks first whether
    /// it can rest. Such a draft is only swept: the stages that need a sketch are for those that were asked for. (No figure.)
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

    /// Is a sketch wanted, a motion that only shows which contacts are missing? (A draft is mended as an answer is.)
    pub(super) fn is_sketch(&self) -> bool {
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
            && self.holds(stage.when)
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
}
