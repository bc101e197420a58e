//! Line 5: impulses, and the velocities they give.

use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::joints;
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::task::Wish;
use crate::step::untouched::Untouched;
use glam::DVec3;
use stickslip_model::{Contact, SlipCurve};
use stickslip_solvers::engines::velocity;
use stickslip_solvers::problem::residual::{of_block, w_bar};
use stickslip_solvers::problem::{ContactBlock, ContactProblem};
use stickslip_solvers::solver::{ContactSolver, Purpose, SolveError, Solved};

/// The solver is asked for this part of the tolerance: he and the judge measure in their own way. (Where that is cheap he goes on
/// towards rounding.)
const ASKED: f64 = 0.5;

/// Part of the rounding of gaps over h below which there is nothing to find.
const OF_ROUNDING: f64 = 0.25;

/// Answers with a residual of up to so many times what may be accepted are shown to the judge, who measures in another way;
/// beyond that the solver has failed.
const SHOWN_TO_JUDGE: f64 = 10.0;

/// Impulses of open contacts that change a velocity by less than this part of what counts as still are rounding.
const NEGLIGIBLE: f64 = 1e-3;

/// Most times that coefficients are set by their curves in one problem.
const MOST_CURVE_ROUNDS: usize = 60;

/// Part of what is asked of the solver by which friction may miss its curve.
const CURVES_AGREE: f64 = 0.1;

/// What a solver is asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    step: &'a Predicted<'a>,
    contacts: &'a Contacts,
    /// The residual, m/s.
    tolerance: f64,
    purpose: Purpose<'a>,
}

impl Assembly {
    /// Solves the problem, its static and kinetic friction included; impulses and velocities are left in the assembly, those
    /// of the answer returned are empty. While joints are far from closed, the residuals `coarse` (m/s, by blocks) will do.
    pub(crate) fn solve(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        solver: &mut dyn ContactSolver,
        purpose: Purpose<'_>,
        coarse: &[f64],
    ) -> Result<Solved, Failure> {
        let question = Question {
            step,
            contacts,
            tolerance: step.asked(),
            purpose,
        };
        self.set_floors(step, contacts, coarse);
        let solved = self.settle_curves(question, solver)?;
        self.clear_open(step, contacts);
        self.free_unpushed();
        Ok(solved)
    }

    /// Where static and kinetic friction differ, a contact that slides with static friction is given kinetic friction and the
    /// problem is solved again, until no more slide. None goes back, so there is at most one round more than there are
    /// contacts. Islands that are `untouched` keep the answers they have.
    fn settle_friction(
        &mut self,
        question: Question<'_>,
        solver: &mut dyn ContactSolver,
        mut untouched: Option<Untouched>,
    ) -> Result<Solved, Failure> {
        let mut iterations = 0;
        loop {
            let mut solved = self.ask(question, solver)?;
            iterations += solved.iterations;
            solved.iterations = iterations;
            self.impulses = std::mem::take(&mut solved.impulses);
            if let Some(untouched) = untouched.take() {
                untouched.put_back(self);
            }
            let mut changed = Vec::new();
            for (k, contact) in question.contacts.list.iter().enumerate() {
                let friction = contact.friction;
                if friction.slide < friction.stick
                    && self.slides(k, question.step.settings.still())
                    && self.set_mu(k, friction.slide)
                {
                    changed.push(k);
                }
            }
            if changed.is_empty() {
                return Ok(solved);
            }
            untouched = Some(Untouched::but_for(&changed, self));
        }
    }

    /// Where friction depends on the speed of the slip, the coefficient of each contact that slips is set to the curve's at the slip
    /// found and the problem is solved again, until the coefficients agree: by secants, contact by contact. Islands in which they agree
    /// keep their answers. Where they do not settle the judge says so, and the step is divided; in a shorter one friction changes the
    /// slip by less.
    fn settle_curves(
        &mut self,
        question: Question<'_>,
        solver: &mut dyn ContactSolver,
    ) -> Result<Solved, Failure> {
        let Question { step, contacts, .. } = question;
        let mut solved = self.settle_friction(question, solver, None)?;
        let curves = &step.model().curves;
        if curves.is_empty() {
            return Ok(solved);
        }
        let mut tried = vec![None; contacts.list.len()];
        let mut iterations = solved.iterations;
        for _ in 0..MOST_CURVE_ROUNDS {
            let slipping = contacts.list.iter().enumerate();
            let wanted = slipping.map(|(k, contact)| {
                let curve = curves.of(contact.bodies)?;
                Some(self.by_curve(k, curve, step.settings.still()))
            });
            let wanted: Vec<Option<f64>> = wanted.collect();
            let agreed = CURVES_AGREE * question.tolerance;
            let off = |k: &usize| wanted[*k].is_some_and(|mu| self.felt(*k, mu) > agreed);
            let off: Vec<usize> = (0..wanted.len()).filter(off).collect();
            if off.is_empty() {
                break;
            }
            let untouched = Untouched::but_for(&off, self);
            for (k, wanted) in wanted.iter().enumerate() {
                if let Some(wanted) = wanted.filter(|_| !untouched.has(k)) {
                    self.follow_curve(k, wanted, &mut tried[k]);
                }
            }
            solved = self.settle_friction(question, solver, Some(untouched))?;
            iterations += solved.iterations;
        }
        solved.iterations = iterations;
        Ok(solved)
    }

    /// The coefficient of contact k by its curve, at the slip found.
    fn by_curve(&self, k: usize, curve: &SlipCurve, none: f64) -> f64 {
        // A contact that sticks is held by friction at rest.
        let slips = self.slides(k, none);
        curve.at(if slips { self.slip(k) } else { 0.0 })
    }

    /// What another coefficient would make of the velocity of contact k, m/s.
    fn felt(&self, k: usize, mu: f64) -> f64 {
        let block = &self.problem.contacts[k];
        let pressed = self.impulses[k].x + self.restituted(k);
        (mu - block.law.friction()).abs()
            * pressed.max(0.0)
            * w_bar(block, &self.problem.inverse_mass)
    }

    /// Brings the coefficient of contact k towards the one wanted; `tried` keeps the one before and what it missed, for the secant.
    fn follow_curve(&mut self, k: usize, wanted: f64, tried: &mut Option<(f64, f64)>) {
        let mu = self.problem.contacts[k].law.friction();
        let missed = wanted - mu;
        let next = match *tried {
            Some((before, off)) if missed != off => {
                let secant = mu - missed * (mu - before) / (missed - off);
                // Between what it was and twice the way to where the curve is.
                let far = mu + 2.0 * missed;
                let between = (secant - mu) * (secant - far) <= 0.0;
                if between { secant } else { wanted }
            }
            _ => wanted,
        };
        *tried = Some((mu, missed));
        self.set_mu(k, next.max(0.0));
    }

    /// One call of the solver, from the impulses so far. Islands that missed the tolerance have their velocities corrected beyond
    /// the rounding of their impulses; what then comes near the judge's tolerance is kept.
    fn ask(
        &mut self,
        Question {
            step,
            tolerance,
            purpose,
            ..
        }: Question<'_>,
        solver: &mut dyn ContactSolver,
    ) -> Result<Solved, Failure> {
        let (problem, guess) = (&self.problem, Some(&*self.impulses));
        let answer = solver.solve_for(purpose, problem, guess, tolerance);
        let mut solved = answer.or_else(SolveError::into_best)?;
        let (nu, off) = (&mut self.nu, &mut self.off);
        self.problem.velocity_into(&solved.impulses, nu);
        off.clear();
        if solved.residual > tolerance {
            solved.residual = velocity::missed(problem, tolerance, &solved.impulses, nu, off);
        }
        if solved.residual <= purpose.worst(tolerance) {
            return Ok(solved);
        }
        let fastest = nu.iter().map(|nu| nu.linear.length()).fold(1.0, f64::max);
        let residual = velocity::correct_missed(&self.problem, tolerance, &mut solved.impulses, nu);
        let allowed = step.settings.tolerance;
        if residual <= SHOWN_TO_JUDGE * allowed.max(step.settings.accept) * fastest {
            solved.residual = residual;
            return Ok(solved);
        }
        Err(Failure::Solver(SolveError::NotConverged {
            solver: solved.solver,
            residual: solved.residual.min(residual),
            tolerance: allowed,
            iterations: solved.iterations,
            best: solved.impulses,
        }))
    }

    /// The least residual to be asked of each block: the judge's bound grows with the speed of an island and with the rounding of
    /// its gaps. No other island's numbers enter.
    fn set_floors(&mut self, step: &Predicted, contacts: &Contacts, coarse: &[f64]) {
        let wanted = ASKED * step.wanted();
        let mut of_body = std::mem::take(&mut self.floor_of_body);
        of_body.clear();
        for &i in self.entered() {
            of_body.push(wanted * step.speed_before(i));
        }
        joints::raise_floors(step, OF_ROUNDING, |body, floor: f64| {
            if let Some(slot) = self.slot_of(body) {
                of_body[slot] = floor.max(of_body[slot]);
            }
        });
        let problem = &mut self.problem;
        problem.floors.clear();
        for (k, block) in problem.contacts.iter().enumerate() {
            let gap = contacts.list.get(k).map(|c| step.gap_rounding(c));
            let arms = block.arms.iter().flatten().map(|arm| of_body[arm.body]);
            let coarse = coarse.get(k).copied().unwrap_or(0.0);
            let least = coarse.max(OF_ROUNDING * gap.unwrap_or(0.0));
            let floor = arms.fold(least, f64::max);
            problem.floors.push(floor);
        }
        if problem.floors.iter().all(|floor| *floor <= wanted) {
            problem.floors.clear();
        }
        self.floor_of_body = of_body;
    }

    /// How fast contact k slips, m/s, with its spin where it resists one; zero where it carries nothing.
    fn slip(&self, k: usize) -> f64 {
        let u = self.problem.contacts[k].velocity(&self.nu);
        if self.impulses[k].x + self.restituted(k) > 0.0 {
            libm::hypot(self.true_slip(k, u), self.spin_of(k))
        } else {
            0.0
        }
    }

    /// By how much the rows of a body's island are known to be off, m/s.
    pub(crate) fn off(&self, body: usize) -> f64 {
        let slot = self.slot_of(body);
        slot.and_then(|slot| self.off.get(slot))
            .copied()
            .unwrap_or(0.0)
    }

    /// Does contact k carry something and slip faster than `none` (m/s), or than it is solved to?
    fn slides(&self, k: usize, none: f64) -> bool {
        let slip = self.slip(k);
        let judged = self.judged_block(k);
        slip > none && slip > of_block(&self.problem, judged, &self.impulses, &self.nu)
    }

    /// An open contact carries nothing: what rounding left there is dropped, so that a body without load flies.
    fn clear_open(&mut self, step: &Predicted, contacts: &Contacts) {
        let (problem, nu) = (&self.problem, &mut self.nu);
        let negligible = NEGLIGIBLE * step.settings.still();
        let blocks = problem.contacts.iter().take(contacts.list.len());
        for (block, p) in blocks.zip(&mut self.impulses) {
            if *p == DVec3::ZERO || p.length() * least_w_bar(problem, block) > negligible {
                continue;
            }
            let speed = *p * w_bar(block, &problem.inverse_mass);
            let open = speed.x <= block.velocity(nu).x;
            if open && speed.length() <= negligible {
                problem.add_impulse(block, -*p, nu);
                *p = DVec3::ZERO;
            }
        }
        self.clear_moments(negligible);
    }

    /// A body that nothing pushes has ν_free itself. Impulses that were added and taken off again would leave it with the
    /// rounding of the sum, and without an impulse momentum is judged to the rounding of nothing.
    fn free_unpushed(&mut self) {
        let pushed = &mut self.pushed;
        pushed.clear();
        pushed.resize(self.nu.len(), false);
        for (block, p) in self.problem.contacts.iter().zip(&self.impulses) {
            for arm in block.arms.iter().flatten() {
                pushed[arm.body] |= *p != DVec3::ZERO;
            }
        }
        let bodies = self.nu.iter_mut().zip(&self.problem.nu_free);
        for ((nu, free), pushed) in bodies.zip(pushed) {
            // Not where they are equal: a zero keeps its sign.
            if !*pushed && *nu != *free {
                *nu = *free;
            }
        }
    }
}

/// No more than w̄ of a contact, 1/kg, and quickly told: the centres of mass alone give two thirds of their 1/m along n and t₁, which are of
/// unit length, and turning adds to it.
fn least_w_bar(problem: &ContactProblem, block: &ContactBlock) -> f64 {
    let masses = block.arms.iter().flatten();
    0.5 * masses.fold(0.0, |sum, arm| sum + problem.inverse_mass[arm.body].mass)
}

impl Predicted<'_> {
    /// The residual that a solver is asked for, m/s for velocities up to 1 m/s.
    pub(crate) fn asked(&self) -> f64 {
        ASKED * self.wanted()
    }

    /// Is this residual (m/s) of an answer as good as what is wanted?
    pub(crate) fn is_content(&self, residual: f64) -> bool {
        let content = match self.wish {
            Wish::Easily => self.acceptable(),
            Wish::Certified | Wish::LastResort => self.asked(),
        };
        residual <= content
    }

    /// Speed of a body at the start of the step, m/s: that of its centre of mass and what its turn adds.
    pub(crate) fn speed_before(&self, i: usize) -> f64 {
        let (body, twist) = (&self.model().bodies[i], &self.start()[i].twist);
        if body.is_free() {
            twist.linear.length() + twist.angular.length() * body.shape.radius()
        } else {
            0.0
        }
    }

    /// Rounding of a gap over h, m/s: no residual of its island is known better than this.
    pub(crate) fn gap_rounding(&self, contact: &Contact) -> f64 {
        let poses = contact.bodies.map(|i| &self.goal[i].pose);
        contact.rounding(self.model(), poses) / self.span()
    }
}

#[cfg(test)]
mod tests {
    use crate::methods::Driver;
    use crate::step::task::Plan;
    use crate::{BodySpec, World};
    use glam::DVec3;
    use stickslip_geometry::Shape;
    use stickslip_model::Scheme;

    /// Four corners of a box that rests a hair above another one, without gravity: nothing pushes it.
    #[test]
    fn bodies_that_nothing_pushes_keep_no_rounding_of_impulses_taken_off() {
        let shape = |x: f64| Shape::cuboid(DVec3::new(x, 0.4, 0.2)).expect("a box");
        let mut world = World::builder()
            .body(BodySpec::free("below", shape(0.5), 1.0))
            .body(BodySpec::free("above", shape(0.3), 2.0).at(DVec3::Z * 0.2000001))
            .gravity(DVec3::ZERO)
            .build()
            .expect("a world");
        let driver = Driver::of(&mut world);
        let plan = Plan::on_grid(&driver.progress.grid, 0.01, Scheme::StewartTrinkle);
        let task = driver.task(plan);
        let underway = driver.stepper.begin(&task).expect("a path");
        let (step, contacts) = (&underway.step, &*underway.contacts);
        let assembly = &mut underway.trial.assembly;
        assembly.pose(step, contacts, None, None);
        assert!(assembly.impulses.len() >= 4, "corners");
        for (k, p) in assembly.impulses.iter_mut().enumerate() {
            *p = DVec3::new(1.0, 0.3, -0.7) * 1e-16 / (k + 3) as f64;
        }
        let (problem, nu) = (&assembly.problem, &mut assembly.nu);
        problem.velocity_into(&assembly.impulses, nu);
        assembly.clear_open(step, contacts);
        assert!(assembly.impulses.iter().all(|p| *p == DVec3::ZERO));
        assert_ne!(assembly.nu, assembly.problem.nu_free, "rounding of a sum");
        assembly.free_unpushed();
        assert_eq!(assembly.nu, assembly.problem.nu_free);
    }
}
