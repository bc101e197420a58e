//! Alternating directions (ADMM) on the cone problem.

use crate::coupling::{Coupled, Linearised, System};
use crate::limit;
use crate::solver::{Engine, Guarantee, Outcome};
use glam::{DMat3, DVec3};

/// Settings of [`Admm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmmSettings {
    /// Most iterations.
    pub iterations: usize,
    /// First penalty relative to w̄; adapted to balance the two residuals.
    pub penalty: f64,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self {
            iterations: 5000,
            penalty: 0.1,
        }
    }
}

/// ADMM: p = (D + R)⁻¹(R z − y − q − s), z = P_K(p + R⁻¹y), y += R(p − z), with R = ρ diag(w̄) and the
/// slip term s = μσ(u_t) e_n taken at the last iterate. It keeps nothing.
///
/// With s fixed this is ADMM on a convex problem; refreshing s at each iteration is what makes it
/// solve Coulomb's law, without proof. One factorisation serves all iterations between two changes
/// of ρ. Reference: Acary, Armand and others 2018 (RR-9118) compare such methods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Admm;

/// Where the iteration is.
struct Iterate {
    /// w̄, or 1 where no body feels the contact.
    weight: Vec<f64>,
    /// q, velocities without impulses.
    q: Vec<DVec3>,
    /// p, before and after the projection, and the multipliers.
    x: Vec<DVec3>,
    z: Vec<DVec3>,
    y: Vec<DVec3>,
    u: Vec<DVec3>,
    /// μσ(u_t) of the last iterate.
    slip: Vec<f64>,
    rho: f64,
    rows: Vec<Linearised>,
}

impl Iterate {
    /// The start z = p, with y = −ũ as at a solution.
    fn new<S: Coupled>(system: &mut S, p: &[DVec3], settings: &AdmmSettings) -> Self {
        let n = p.len();
        let positive = |w: f64| if w > 0.0 { w } else { 1.0 };
        let (mut u, mut q) = (Vec::new(), Vec::new());
        system.velocities(&vec![DVec3::ZERO; n], &mut q);
        system.velocities(p, &mut u);
        let slip: Vec<f64> = (0..n).map(|i| system.law(i).slip(u[i]).0).collect();
        Self {
            weight: (0..n).map(|i| positive(system.w_bar(i))).collect(),
            q,
            x: Vec::new(),
            z: p.to_vec(),
            y: (0..n).map(|i| -(u[i] + DVec3::X * slip[i])).collect(),
            u,
            slip,
            rho: settings.penalty,
            rows: Vec::new(),
        }
    }

    /// Factors D + R. False where singular.
    fn factor<S: Coupled>(&mut self, system: &mut S) -> bool {
        let rho = self.rho;
        self.rows.clear();
        self.rows.extend(self.weight.iter().map(|w| Linearised {
            a: DMat3::IDENTITY * (rho * w),
            a_inverse: DMat3::IDENTITY / (rho * w),
            b: DMat3::IDENTITY,
            g: DVec3::ZERO,
        }));
        system.factor(&self.rows)
    }

    /// One iteration: the primal and the dual residual, √ of sums of squares.
    fn advance<S: Coupled>(&mut self, system: &mut S) -> [f64; 2] {
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.g = self.z[i] * (self.rho * self.weight[i])
                - self.y[i]
                - self.q[i]
                - DVec3::X * self.slip[i];
        }
        system.back_solve(&self.rows, &mut self.x);
        let (mut primal, mut dual) = (0.0, 0.0);
        for (i, &weight) in self.weight.iter().enumerate() {
            let (r, x) = (self.rho * weight, self.x[i]);
            let target = (x + self.y[i] / r) * weight;
            let z_next = system.law(i).project(target, weight) / weight;
            primal += ((x - z_next) * weight).length_squared();
            dual += ((z_next - self.z[i]) * r).length_squared();
            self.y[i] += (x - z_next) * r;
            self.z[i] = z_next;
        }
        [primal.sqrt(), dual.sqrt()]
    }

    /// Largest residual of the law at z, m/s; refreshes the slip term.
    fn residual<S: Coupled>(&mut self, system: &mut S) -> f64 {
        system.velocities(&self.z, &mut self.u);
        let mut worst = 0.0f64;
        for (i, &u) in self.u.iter().enumerate() {
            let law = system.law(i);
            worst = worst.max(law.natural_map(self.z[i], u, system.w_bar(i)).length());
            self.slip[i] = law.slip(u).0;
        }
        worst
    }

    /// Balances the residuals by ρ; true where it changed.
    fn balance(&mut self, [primal, dual]: [f64; 2]) -> bool {
        let ratio = (primal + 1e-300) / (dual + 1e-300);
        let uneven = !(0.2..=5.0).contains(&ratio);
        if uneven {
            self.rho *= ratio.sqrt().clamp(0.2, 5.0);
        }
        uneven
    }
}

impl Engine for Admm {
    type Settings = AdmmSettings;
    const NAME: &'static str = "admm";
    const GUARANTEE: Guarantee = Guarantee {
        claim: "converges to a solution",
        hypotheses: "no friction (the problem is then convex); with friction none is proved",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &AdmmSettings,
    ) -> Outcome {
        let mut at = Iterate::new(system, p, settings);
        let mut best = Outcome::NONE;
        let mut fresh = true;
        // Where it ends before its time, all iterations count as used.
        best.effort.iterations = settings.iterations;
        for iteration in 0..settings.iterations {
            if limit::reached() {
                break;
            }
            if fresh {
                best.effort.factorisations += 1;
                if !at.factor(system) {
                    break;
                }
                fresh = false;
            }
            let residuals = at.advance(system);
            let worst = at.residual(system);
            if worst < best.residual {
                best.residual = worst;
                p.clone_from(&at.z);
            }
            if best.residual <= tolerance || !worst.is_finite() {
                best.effort.iterations = iteration + 1;
                break;
            }
            // Ever more rarely, so that the iteration settles.
            if (iteration + 1).is_multiple_of(20 + iteration / 10) {
                fresh = at.balance(residuals);
            }
        }
        best
    }
}
