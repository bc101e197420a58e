//! Newton with whole steps on a law made compliant: u + c (p − centre) in place of u.
//!
//! No line search: where redundant contacts slip at 1e-6 m/s, only that slip determines the direction of their friction. A
//! Newton step turns p_t by θ along the tangent of the friction circle and leaves w̄ μ p_n θ²/2, a thousand times the residual
//! before it, which the next step removes (Maratos' effect). A line search on |F| allows θ of 1e-3 there, and creeps.

use crate::coupling::{CONTACTS, Coupled, Linearised, Refinement, inverse};
use crate::limit;
use crate::problem::Law;
use crate::problem::law::{Linear, tangent};
use crate::solver::Effort;
use glam::{DMat3, DVec3};

/// Most steps of GMRES on each linear system. (As in `newton`.)
const REFINEMENTS: usize = 4;
/// Largest ρ_t w̄ on a sliding contact: impulse and slip weigh alike in the direction of its friction, |p_t| = ρ_t |u_t|, within
/// [1, 100]/w̄. (45 instead of 43 of 51 hard steps, with 30 % fewer factorisations.)
const STEEPEST: f64 = 100.0;

/// What whole steps are to reach, and within what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<'a> {
    /// c, 1/kg, one for each contact.
    pub(super) compliance: &'a [f64],
    /// Impulses at which the compliance does nothing.
    pub(super) centre: &'a [DVec3],
    /// Residual of the compliant law, m/s, or the part of that at the start, whichever is larger.
    pub(super) target: f64,
    pub(super) part: f64,
    /// Residual of the law itself, m/s: an answer.
    pub(super) tolerance: f64,
    /// Most steps, and those within which a new least residual must come.
    pub(super) steps: usize,
    pub(super) patience: usize,
}

impl Goal<'_> {
    /// u + c (p − centre) of a contact.
    fn velocity(&self, i: usize, p: DVec3, u: DVec3) -> DVec3 {
        u + (p - self.centre[i]) * self.compliance[i]
    }
}

/// How whole steps ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The law itself holds.
    Answer,
    /// The compliant law holds.
    Target,
    /// Neither.
    Short,
}

/// Memory of whole steps, and the best impulses they passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    u: Vec<DVec3>,
    dp: Vec<DVec3>,
    rows: Vec<Linearised>,
    /// What each contact misses, without the compliance and with it.
    missed: Vec<[DVec3; 2]>,
    refinement: Refinement,
    /// Impulses with the least residual of the law itself since [`Self::begin`], and that residual.
    pub(super) best: Vec<DVec3>,
    pub(super) residual: f64,
    /// What was taken since then.
    pub(super) effort: Effort,
}

/// Largest residuals over the contacts, m/s.
struct Residuals {
    law: f64,
    compliant: f64,
}

impl Whole {
    /// Forgets the best.
    pub(super) fn begin(&mut self) {
        self.residual = f64::INFINITY;
        self.best.clear();
        self.effort = Effort::default();
    }

    /// Steps from `p`, which is left where they end.
    pub(super) fn run<S: Coupled>(
        &mut self,
        system: &mut S,
        goal: &Goal<'_>,
        p: &mut [DVec3],
    ) -> (End, usize) {
        let (mut least, mut since) = (f64::INFINITY, 0);
        let mut target = f64::INFINITY;
        for step in 0..=goal.steps {
            system.velocities(p, &mut self.u);
            let now = self.look(system, goal, p);
            if now.law <= goal.tolerance {
                return (End::Answer, step);
            }
            if step == 0 {
                target = goal.target.max(goal.part * now.compliant);
            }
            if now.compliant <= target {
                return (End::Target, step);
            }
            since += 1;
            if now.compliant < least {
                (least, since) = (now.compliant, 0);
            }
            let over = step == goal.steps || since >= goal.patience || limit::reached();
            if over || !self.step(system, goal, p) {
                return (End::Short, step);
            }
        }
        (End::Short, goal.steps)
    }

    /// Residuals at (p, u); the best impulses are kept.
    fn look<S: Coupled>(&mut self, system: &S, goal: &Goal<'_>, p: &[DVec3]) -> Residuals {
        let u = &self.u;
        stickslip_threads::fill(&mut self.missed, p.len(), CONTACTS, |i| {
            let (w_bar, law) = (system.w_bar(i), system.law(i));
            let missed = [u[i], goal.velocity(i, p[i], u[i])];
            missed.map(|u| law.natural_map(p[i], u, w_bar))
        });
        let (mut law, mut compliant) = (0.0f64, 0.0f64);
        for [own, made] in &self.missed {
            law = worse(law, *own);
            compliant = worse(compliant, *made);
        }
        if law < self.residual {
            self.residual = law;
            self.best.clear();
            self.best.extend_from_slice(p);
        }
        Residuals { law, compliant }
    }

    /// A whole step from (p, u); false where there is none.
    fn step<S: Coupled>(&mut self, system: &mut S, goal: &Goal<'_>, p: &mut [DVec3]) -> bool {
        self.effort.iterations += 1;
        self.effort.factorisations += 1;
        let (u, seen, from, direct) = (&self.u, &*system, &*p, system.direct());
        stickslip_threads::fill(&mut self.rows, p.len(), CONTACTS, |i| {
            let v = goal.velocity(i, from[i], u[i]);
            let (w_bar, c) = (seen.w_bar(i), goal.compliance[i]);
            row(seen.law(i), from[i], v, w_bar, c, direct)
        });
        if !system.factor(&self.rows) {
            return false;
        }
        let (rows, dp) = (&mut self.rows, &mut self.dp);
        system.refined_solve(rows, REFINEMENTS, dp, &mut self.refinement);
        for (p, d) in p.iter_mut().zip(&self.dp) {
            *p += *d;
        }
        self.dp.iter().all(|d| d.is_finite())
    }
}

/// The larger of a residual and |f|; infinite where f is no number.
fn worse(residual: f64, f: DVec3) -> f64 {
    let size = f.length();
    if size.is_finite() {
        residual.max(size)
    } else {
        f64::INFINITY
    }
}

/// The law linearised at impulse p and velocity v, with the compliance c: A = w̄ (I − P') + c P_u, B = P_u, g = −F.
fn row(law: &Law, p: DVec3, v: DVec3, w_bar: f64, c: f64, direct: bool) -> Linearised {
    // A contact that no body feels has w̄ = 0: keep A regular.
    let scale = if w_bar > 0.0 { w_bar } else { 1.0 };
    let Linear { f, d, by_u } = law.alart_curnier_weighted(p, v, w_bar, weight(p, v, w_bar));
    let a = (DMat3::IDENTITY - d) * scale + by_u * c;
    Linearised {
        a,
        a_inverse: if direct { DMat3::ZERO } else { inverse(&a) },
        b: by_u,
        g: -f,
    }
}

/// ρ_t w̄ of a contact.
fn weight(p: DVec3, v: DVec3, w_bar: f64) -> f64 {
    let (impulse, slip) = (w_bar * tangent(p).length(), tangent(v).length());
    if slip > 0.0 {
        (impulse / slip).clamp(1.0, STEEPEST)
    } else {
        1.0
    }
}
