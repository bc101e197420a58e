//! Four contacts on the quadratic cone, each solved alone: u = W p + q and Coulomb's law.
//!
//! As in [`crate::engines::one_contact`], but in tangents along which S, the normal eliminated, is diagonal, and with the ratio of slip to
//! friction started from that of the sweep before: then one or two Newton steps are enough.

use super::lanes::{LANES, Lane, Mask};
use glam::{DMat3, DVec3};

/// What four contacts have, in tangents along which S is diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    pub(super) mu: Lane,
    /// D_nn and its inverse.
    pub(super) nn: Lane,
    pub(super) over_nn: Lane,
    /// D_nt.
    pub(super) nt: [Lane; 2],
    /// D_tt: its diagonal, and what is beside it.
    pub(super) tt: [Lane; 2],
    pub(super) beside: Lane,
    /// S = D_tt − D_tn D_nt/D_nn, and its inverse.
    pub(super) schur: [Lane; 2],
    pub(super) over_schur: [Lane; 2],
    /// tr(D)/3.
    pub(super) mean: Lane,
}

/// Newton steps on a slide at most, and the relative change of λ at which they end.
const STEPS: usize = 40;
const ENOUGH: f64 = 1e-10;
/// p_n follows from u_n = 0 where D_nn + μ D_nt·d is more than this part of D_nn.
const STEEP: f64 = 1e-3;

impl Four {
    /// Of these matrices D_ii, in tangents along which S is diagonal where that matters.
    pub(super) fn new(w: &[DMat3; LANES], mu: Lane) -> Self {
        let of = |f: &dyn Fn(&DMat3) -> f64| Lane([f(&w[0]), f(&w[1]), f(&w[2]), f(&w[3])]);
        let nn = of(&|w| w.x_axis.x);
        let nt = [of(&|w| w.x_axis.y), of(&|w| w.x_axis.z)];
        let tt = [of(&|w| w.y_axis.y), of(&|w| w.z_axis.z)];
        let one = Lane::splat(1.0);
        let over_nn = one / nn;
        let schur = [0, 1].map(|k| tt[k] - nt[k] * nt[k] * over_nn);
        Self {
            mu,
            nn,
            over_nn,
            nt,
            tt,
            beside: of(&|w| w.z_axis.y),
            schur,
            over_schur: schur.map(|s| one / s),
            mean: (nn + tt[0] + tt[1]) * Lane::splat(1.0 / 3.0),
        }
    }

    /// D_ii of a lane.
    pub(super) fn matrix(&self, lane: usize) -> DMat3 {
        let [n, a, b] = [self.nn, self.nt[0], self.nt[1]].map(|v| v.0[lane]);
        let [x, y, z] = [self.tt[0], self.beside, self.tt[1]].map(|v| v.0[lane]);
        DMat3::from_cols(
            DVec3::new(n, a, b),
            DVec3::new(a, x, y),
            DVec3::new(b, y, z),
        )
    }

    /// D p.
    #[inline(always)]
    pub(super) fn times(&self, p: [Lane; 3]) -> [Lane; 3] {
        let [n, a, b] = p;
        [
            self.nn * n + self.nt[0] * a + self.nt[1] * b,
            self.nt[0] * n + self.tt[0] * a + self.beside * b,
            self.nt[1] * n + self.beside * a + self.tt[1] * b,
        ]
    }

    /// The same where D is diagonal with equal tangents.
    #[inline(always)]
    pub(super) fn times_round(&self, p: [Lane; 3]) -> [Lane; 3] {
        [self.nn * p[0], self.tt[0] * p[1], self.tt[0] * p[2]]
    }

    /// The impulses that solve each contact alone where D is diag(D_nn, D_tt, D_tt), as between balls.
    #[inline(always)]
    pub(super) fn solve_round(&self, q: [Lane; 3]) -> [Lane; 3] {
        let closed = Lane::ZERO.above(q[0]);
        let p_n = closed.choose(-(q[0] * self.over_nn), Lane::ZERO);
        let (most, over) = (self.mu * p_n, self.over_schur[0]);
        let stuck = [-(q[1] * over), -(q[2] * over)];
        let size = length(stuck);
        // Without friction S may be singular and `stuck` no number: then nothing is tangential.
        let slid = size.above(most).choose(most / size, Lane::ZERO);
        let holds = closed.and(size.at_most(most));
        let tangential = stuck.map(|t| {
            let bound = slid.above(Lane::ZERO).choose(t * slid, Lane::ZERO);
            holds.choose(t, closed.choose(bound, Lane::ZERO))
        });
        [p_n, tangential[0], tangential[1]]
    }

    /// The impulses that solve each contact alone; `lambda` is the ratio of slip to friction of the last slide, and becomes that of this one.
    #[inline(always)]
    pub(super) fn solve(&self, q: [Lane; 3], lambda: &mut Lane) -> [Lane; 3] {
        let closed = Lane::ZERO.above(q[0]);
        if !closed.any() {
            return [Lane::ZERO; 3];
        }
        let part = q[0] * self.over_nn;
        let rhs = [q[1] - self.nt[0] * part, q[2] - self.nt[1] * part];
        let p_t = [
            -(rhs[0] * self.over_schur[0]),
            -(rhs[1] * self.over_schur[1]),
        ];
        let p_n = self.normal(q[0], p_t);
        let holds = length(p_t).at_most(self.mu * p_n);
        let mut p = [p_n, p_t[0], p_t[1]];
        let slides = closed.and(holds.not());
        if slides.any() {
            let slid = self.slide(q[0], rhs, slides, lambda);
            p = [0, 1, 2].map(|k| slides.choose(slid[k], p[k]));
        }
        p.map(|p| closed.choose(p, Lane::ZERO))
    }

    /// p_n by u_n = 0.
    #[inline(always)]
    fn normal(&self, q_n: Lane, p_t: [Lane; 2]) -> Lane {
        -((q_n + self.nt[0] * p_t[0] + self.nt[1] * p_t[1]) * self.over_nn)
    }

    /// Sliding: u_t = −λ p_t, and λ > 0 is the root of g(λ) = μ p_n/|p_t| − 1, by Newton inside a bracket.
    #[inline(always)]
    fn slide(&self, q_n: Lane, rhs: [Lane; 2], slides: Mask, lambda: &mut Lane) -> [Lane; 3] {
        let known = lambda.above(Lane::ZERO);
        let mut at = known.choose(*lambda, Lane::splat(0.5) * (self.schur[0] + self.schur[1]));
        let (mut lo, mut hi) = (Lane::ZERO, Lane::splat(f64::MAX));
        let mut open = slides;
        let (mut p_t, mut size) = ([Lane::ZERO; 2], Lane::splat(1.0));
        for _ in 0..STEPS {
            let over = [
                Lane::splat(1.0) / (self.schur[0] + at),
                Lane::splat(1.0) / (self.schur[1] + at),
            ];
            p_t = [-(rhs[0] * over[0]), -(rhs[1] * over[1])];
            let slope = [-(p_t[0] * over[0]), -(p_t[1] * over[1])];
            size = length(p_t);
            let p_n = self.normal(q_n, p_t);
            let by_size = Lane::splat(1.0) / size;
            let g = self.mu * p_n * by_size - Lane::splat(1.0);
            let normal_slope = -((self.nt[0] * slope[0] + self.nt[1] * slope[1]) * self.over_nn);
            let size_slope = (p_t[0] * slope[0] + p_t[1] * slope[1]) * by_size;
            let g_slope = self.mu * (normal_slope - p_n * size_slope * by_size) * by_size;
            let below = Lane::ZERO.above(g);
            lo = below.choose(at, lo);
            hi = below.choose(hi, at);
            let newton = at - g / g_slope;
            let inside = newton.above(lo).and(hi.above(newton));
            let step = (newton - at).abs();
            open = open.and(step.at_most(Lane::splat(ENOUGH) * at).not());
            at = open.choose(inside.choose(newton, between(lo, hi)), at);
            if !open.any() {
                break;
            }
        }
        *lambda = slides.choose(at, *lambda);
        // The direction is what the root gives well; with it p_n follows from u_n = 0 exactly.
        let d = [p_t[0] / size, p_t[1] / size];
        let across = self.nn + self.mu * (self.nt[0] * d[0] + self.nt[1] * d[1]);
        let p_n = across
            .above(Lane::splat(STEEP) * self.nn)
            .choose(-(q_n / across), size / self.mu);
        let most = self.mu * p_n;
        [p_n, d[0] * most, d[1] * most]
    }
}

/// A number inside a bracket whose ends range over decades.
#[inline(always)]
fn between(lo: Lane, hi: Lane) -> Lane {
    let no_end = Lane::splat(f64::MAX).at_most(hi);
    let no_start = lo.at_most(Lane::ZERO);
    let middle = (lo * hi).sqrt();
    let low = no_start.choose(hi * Lane::splat(1e-3), middle);
    no_end.choose(lo * Lane::splat(4.0), low)
}

/// |t|.
#[inline(always)]
pub(super) fn length(t: [Lane; 2]) -> Lane {
    (t[0] * t[0] + t[1] * t[1]).sqrt()
}

/// Projection on the cone |p_t| ≤ μ p_n.
#[inline(always)]
pub(super) fn project(mu: Lane, p: [Lane; 3]) -> [Lane; 3] {
    let size = length([p[1], p[2]]);
    let inside = size.at_most(mu * p[0]);
    let polar = (mu * size).at_most(-p[0]);
    let n = (p[0] + mu * size) / (Lane::splat(1.0) + mu * mu);
    let share = (mu * n) / size;
    let on = [n, p[1] * share, p[2] * share];
    [0, 1, 2].map(|k| inside.choose(p[k], polar.choose(Lane::ZERO, on[k])))
}
