//! One step, read from top to bottom.

use crate::budget::{self, Chosen, Load, choose};
use crate::contacts::Paths;
use crate::error::StepError;
use crate::integrate::{free_velocity, in_contact, in_flight, world_inverses};
use crate::joint_step::{Closed, Rounds};
use crate::methods::Method;
use crate::motion::Motion;
use crate::refusal::{Failure, note};
use crate::settings::Settings;
use crate::stopwatch::Stage;
use crate::world::{Plan, Workspace, World, energy};
use glam::DVec3;
use stickslip_certify::{Case, Judge};
use stickslip_geometry::Pose;
use stickslip_model::restitution::Seen;
use stickslip_model::{
    BodyState, Certificate, Cone, Contact, ContactImpulse, Given, Kind, Mode, Scheme, StepRecord,
    Wrench,
};
use stickslip_solvers::engines::velocity;
use stickslip_solvers::problem::residual::w_bar;
use stickslip_solvers::problem::{ContactProblem, Twist};
use stickslip_solvers::solver::{ContactSolver, SolveError, Solved};

/// Contacts found missing after a solve are added and the step solved again, at most this often.
const SECOND_LOOKS: usize = 50;

/// Residuals up to so many tolerances are shown to the judge.
const NEAR: f64 = 10.0;

impl World {
    /// Advances by h: forces, predicted paths, future contacts, impulses, certificate, new state.
    ///
    /// Nothing changes until the step is certified, so a refused step can be tried again with other
    /// settings.
    ///
    /// # Errors
    /// [`StepError`] with time, bodies and residual when no solver's answer can be certified.
    pub fn step(&mut self) -> Result<&StepRecord, StepError> {
        self.project_before_step()?;
        match self.settings.method {
            Method::StewartTrinkle => self.certified(self.whole_step(Scheme::StewartTrinkle))?,
            Method::Implicit => self.certified(self.whole_step(Scheme::Implicit))?,
            Method::Anitescu => self.certified(self.whole_step(Scheme::Anitescu))?,
            Method::EventDriven => self.event_driven()?,
            Method::Extrapolated => self.extrapolated()?,
        }
        Ok(&self.last)
    }

    /// A step of length h from grid point to grid point. Its end is a product, so that time carries no accumulated
    /// error.
    pub(crate) fn whole_step(&self, scheme: Scheme) -> Plan {
        Plan {
            h: self.settings.h,
            t_next: (self.last.step + 1) as f64 * self.settings.h,
            kind: Kind::Step,
            scheme,
        }
    }

    /// One step as planned: tried with each solver until the judge certifies it, then accepted.
    pub(crate) fn certified(&mut self, plan: Plan) -> Result<(), StepError> {
        self.stopwatch.start();
        self.prepare(plan)?;
        self.find_contacts();
        self.stopwatch.lap(Stage::Contacts);
        let mut tried = String::new();
        let mut worst = None;
        for attempt in 0..self.solvers.len() {
            let solved = match self.solve(attempt) {
                Ok(Some(solved)) => solved,
                Ok(None) => continue,
                Err(failure) => {
                    note(&mut tried, &self.failed(failure)?);
                    continue;
                }
            };
            let certificate = self.judge();
            self.stopwatch.lap(Stage::Judge);
            if certificate.holds(self.settings.tolerance) {
                self.check_energy()?;
                self.accept(&solved, certificate);
                return Ok(());
            }
            note(
                &mut tried,
                &format!("{} (refused by the judge)", solved.solver),
            );
            worst = Some(certificate);
        }
        Err(match worst {
            Some(certificate) => self.not_certified(&certificate, tried),
            None => self.not_solved(tried),
        })
    }

    /// Forces and predicted paths of the step to come.
    pub(crate) fn prepare(&mut self, plan: Plan) -> Result<(), StepError> {
        self.work.plan = plan;
        self.work.impulses.clear();
        self.work.problem.clear();
        self.work.joints.begin();
        self.apply_forces()?;
        self.predict()?;
        self.stopwatch.lap(Stage::Predict);
        Ok(())
    }

    /// The problem that the next step poses, as first seen, with the rows of joints (linearised about the motion so far) and
    /// springs after those of the contacts; nothing is solved.
    ///
    /// # Errors
    /// [`StepError`] where a force or a prescribed motion is not finite, or a joint is where its rotation cannot be told.
    pub fn next_problem(&mut self) -> Result<&ContactProblem, StepError> {
        self.prepare(self.whole_step(Scheme::StewartTrinkle))?;
        self.find_contacts();
        self.assemble();
        match self.assemble_joints(&mut Vec::new()) {
            Err(Failure::Step(e)) => return Err(*e),
            Err(Failure::Solver(_)) | Ok(()) => {}
        }
        let work = &mut self.work;
        work.joints.make_rigid(&mut work.problem);
        Ok(&self.work.problem.problem)
    }

    /// Time at the end of the step to come.
    pub(crate) const fn t_next(&self) -> f64 {
        self.work.plan.t_next
    }

    /// The applied wrench on each body, gravity included, at the middle of the step.
    pub(crate) fn apply_forces(&mut self) -> Result<(), StepError> {
        let gravity = self.settings.gravity;
        self.work.wrench.clear();
        self.work
            .wrench
            .extend(self.model.bodies.iter().map(|b| Wrench {
                force: b.mass.map_or(DVec3::ZERO, |m| gravity * m.mass),
                torque: DVec3::ZERO,
            }));
        let t = self.last.t + 0.5 * self.work.plan.h;
        self.apply_explicit_springs();
        for force in &self.forces {
            let w = (force.law)(t, &self.last.bodies[force.body]);
            if !(w.force.is_finite() && w.torque.is_finite()) {
                return Err(self.not_finite("the force", force.body));
            }
            let sum = &mut self.work.wrench[force.body];
            sum.force += w.force;
            sum.torque += w.torque;
        }
        Ok(())
    }

    /// Where each body goes: prescribed ones to their place at t_{l+1}, free ones along ν_free.
    pub(crate) fn predict(&mut self) -> Result<(), StepError> {
        let Plan {
            h, t_next, scheme, ..
        } = self.work.plan;
        self.work.joints.aim(&self.drives, t_next);
        world_inverses(&self.model, &self.last.bodies, &mut self.work.inverse);
        self.work.goal.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let state = &self.last.bodies[i];
            let goal = match &self.motions[i] {
                Motion::Prescribed(path) => path(t_next),
                Motion::Free => {
                    let (inverse, wrench) = (&self.work.inverse[i], &self.work.wrench[i]);
                    let nu = free_velocity(body, inverse, state, wrench, h);
                    let mut goal = in_contact(&state.pose, nu.ok_or_else(|| self.too_fast(i))?, h);
                    if scheme == Scheme::Anitescu {
                        goal.pose = state.pose.moved(&state.twist, h);
                    }
                    goal
                }
            };
            if !finite(&goal) {
                return Err(self.not_finite("the motion", i));
            }
            self.work.goal.push(goal);
        }
        self.place();
        Ok(())
    }

    /// Where gaps and levers are measured.
    pub(crate) fn place(&mut self) {
        let (scheme, work) = (self.work.plan.scheme, &mut self.work);
        let (last, goal) = (&self.last.bodies, &work.goal);
        work.placed.clear();
        let places = (0..last.len()).map(|i| *scheme.pose(&self.model, last, goal, i));
        work.placed.extend(places);
    }

    pub(crate) fn find_contacts(&mut self) {
        let work = &mut self.work;
        if work.plan.kind == Kind::Decompression {
            // No time has passed: both phases of an impact have one list.
            work.contacts.clear();
            let compressed = &self.last.contacts;
            work.contacts.extend(compressed.iter().map(|c| c.contact));
            return;
        }
        let way = Way::of(work.plan, self.settings.h);
        way.ends(&work.goal, &mut work.end_poses);
        let paths = Paths {
            model: &self.model,
            start: way.starts(&self.last.bodies, &work.goal),
            placed: &work.placed,
            end: &work.end_poses,
        };
        work.finder
            .find(&paths, &self.frictions, &self.settings, &mut work.contacts);
        if matches!(work.plan.scheme, Scheme::BetweenEvents | Scheme::Impact) {
            self.keep_touching();
        }
    }

    /// Solves with the solver of this attempt; `None` where it has been tried already.
    pub(crate) fn solve(&mut self, attempt: usize) -> Result<Option<Solved>, Failure> {
        // Taken out of the world while it works on the world's problem.
        let Some(mut solver) = self.solvers[attempt].take() else {
            return Ok(None);
        };
        let result = match self.work.plan.scheme {
            Scheme::Implicit => self.solve_implicit(solver.as_mut()),
            _ => self.solve_with(solver.as_mut()),
        };
        self.solvers[attempt] = Some(solver);
        result.map(Some)
    }

    /// Solves until no contact is missing; leaves states and impulses in the workspace.
    pub(crate) fn solve_with(&mut self, solver: &mut dyn ContactSolver) -> Result<Solved, Failure> {
        let mut solved = Solved::default();
        for round in 0..SECOND_LOOKS {
            solved = self.solve_once(solver)?;
            let scheme = self.work.plan.scheme;
            let looks = matches!(scheme, Scheme::StewartTrinkle | Scheme::Anitescu);
            let missed = if looks { self.add_missed(round) } else { 0 };
            self.stopwatch.lap(Stage::SecondLook);
            if missed == 0 {
                break;
            }
        }
        Ok(solved)
    }

    /// Solves the problem of the contacts at hand, until every joint is closed and no limit is missing.
    pub(crate) fn solve_once(&mut self, solver: &mut dyn ContactSolver) -> Result<Solved, Failure> {
        let (mut guess, mut nu) = (Vec::new(), Vec::new());
        let mut solved = Solved::default();
        for _ in 0..SECOND_LOOKS {
            self.assemble();
            if self.work.plan.scheme == Scheme::Implicit {
                self.linearise_at_iterate();
            }
            self.restitute();
            self.warm_start(&mut guess);
            self.assemble_joints(&mut guess)?;
            self.stopwatch.lap(Stage::Assemble);
            let mut rounds = Rounds::default();
            let closed = loop {
                let before = solved.iterations;
                solved = self
                    .solve_friction(solver, &mut guess, &mut nu, rounds.coarse())
                    .map_err(|failure| self.in_rounds(failure, &rounds))?;
                solved.iterations += before;
                self.clear_open(&mut solved, &mut nu);
                self.stopwatch.lap(Stage::Solve);
                self.store_impulses(&solved);
                self.integrate(&nu)?;
                let closed = self.joints_closed(&nu, &solved.impulses, &mut rounds)?;
                if closed != Closed::NotYet {
                    break closed;
                }
                guess.clone_from(&solved.impulses);
            };
            if closed == Closed::Yes {
                break;
            }
        }
        self.stopwatch.lap(Stage::Integrate);
        Ok(solved)
    }

    /// The cone of each contact, where there is a budget.
    fn choose_cones(&mut self) {
        let Cone::Budget(budget) = self.settings.cone else {
            return;
        };
        let last = &self.last.contacts;
        let loads: Vec<Load> = (self.work.contacts.iter())
            .map(|c| match remembered(last, c) {
                Some(k) => Load {
                    friction: Some(self.friction_speed(&self.last.bodies, &last[k])),
                    mode: last[k].mode,
                },
                None => Load {
                    friction: None,
                    mode: Mode::Slide,
                },
            })
            .collect();
        let mut chosen = std::mem::take(&mut self.work.problem.chosen);
        choose(&loads, budget, &self.settings.solver, &mut chosen);
        self.work.problem.chosen = chosen;
    }

    /// μ p_n/m of a contact, m/s.
    fn friction_speed(&self, states: &[BodyState], c: &ContactImpulse) -> f64 {
        c.contact.friction.stick * c.impulse.x / self.effective_mass(states, &c.contact)
    }

    /// What was chosen in the step at hand.
    fn chosen(&self) -> Option<Chosen> {
        let Cone::Budget(budget) = self.settings.cone else {
            return None;
        };
        let done = &self.work.impulses;
        let all: Vec<u32> = done.iter().map(|c| c.directions).collect();
        let work = budget::work(&all);
        let error = done.iter().map(|c| {
            let speed = self.friction_speed(&self.work.next, c);
            budget::expected(speed, c.mode, c.directions)
        });
        Some(Chosen {
            directions: (
                all.iter().copied().min().unwrap_or(0),
                all.iter().copied().max().unwrap_or(0),
            ),
            work,
            error: error.fold(0.0, f64::max),
            over: work > budget,
        })
    }

    pub(crate) fn assemble(&mut self) {
        self.choose_cones();
        // Taken out while the rest of the workspace is read.
        let mut problem = std::mem::take(&mut self.work.problem);
        let given = given(&self.settings, &self.work);
        problem.assemble(
            &self.model,
            &self.work.inverse,
            &self.work.placed,
            &given,
            &self.work.contacts,
        );
        self.work.problem = problem;
    }

    /// Contacts give back e c: of a compression that ended in the last step, or of the impact's first phase.
    fn restitute(&mut self) {
        let mut restituted = std::mem::take(&mut self.work.restituted);
        restituted.clear();
        match self.work.plan.kind {
            Kind::Decompression => {
                let compressed = &self.last.contacts;
                restituted.extend(compressed.iter().map(|c| self.restitution_of(c)));
            }
            Kind::Step if !self.restitution.is_idle() => {
                let contacts = &self.work.contacts;
                self.restitution.ended(contacts.iter(), &mut restituted);
                for (c, r) in contacts.iter().zip(&mut restituted) {
                    *r *= self.restitutions.of(c.bodies);
                }
            }
            _ => {}
        }
        self.work
            .problem
            .restitute(&restituted, self.settings.reading);
        self.work.restituted = restituted;
    }

    /// r of a contact, N s.
    fn restituted(&self, contact: usize) -> f64 {
        self.work.restituted.get(contact).copied().unwrap_or(0.0)
    }

    /// Impulses of the same contacts in the last step; zero for new ones. A contact that slid goes on
    /// with kinetic friction, any other starts with static friction.
    fn warm_start(&mut self, guess: &mut Vec<DVec3>) {
        guess.clear();
        for (k, contact) in self.work.contacts.iter().enumerate() {
            let last = &self.last.contacts;
            match remembered(last, contact) {
                Some(found) => {
                    let impulse = last[found].impulse;
                    guess.push(self.work.problem.to_problem(k, impulse));
                    if last[found].mode == Mode::Slide {
                        self.work.problem.set_mu(k, contact.friction.slide);
                    }
                }
                None => guess.push(DVec3::ZERO),
            }
        }
        guess.resize(guess.len() + self.work.problem.extra(), DVec3::ZERO);
    }

    /// Impulses, and the velocities they give. Where static and kinetic friction differ, a contact that
    /// slides with static friction is given kinetic friction and the step is solved again; no contact goes
    /// back, so this ends. While joints are far from closed, residuals up to `coarse` (m/s) will do.
    fn solve_friction(
        &mut self,
        solver: &mut dyn ContactSolver,
        guess: &mut Vec<DVec3>,
        nu: &mut Vec<Twist>,
        coarse: f64,
    ) -> Result<Solved, Failure> {
        // The judge measures in its own way: a tenth leaves room for that. Below the rounding of the gaps
        // there is nothing to find.
        let tolerance = (0.1 * self.settings.tolerance * self.speed()).max(0.25 * self.gap_floor());
        let tolerance = tolerance.max(coarse);
        let mut iterations = 0;
        loop {
            self.work.of_blocks.clone_from(guess);
            let problem = &self.work.problem.problem;
            let mut solved = match solver.solve(problem, Some(guess), tolerance) {
                Ok(solved) => solved,
                Err(e) => best_of(e)?,
            };
            problem.velocity_into(&solved.impulses, nu);
            if solved.residual > tolerance {
                correct(problem, &mut solved, self.settings.tolerance, nu)?;
            }
            iterations += solved.iterations;
            solved.iterations = iterations;
            let mut changed = false;
            for k in 0..self.work.contacts.len() {
                let friction = self.work.contacts[k].friction;
                if friction.slide < friction.stick && self.slides(k, &solved, nu) {
                    changed |= self.work.problem.set_mu(k, friction.slide);
                }
            }
            if !changed {
                return Ok(solved);
            }
            guess.clone_from(&solved.impulses);
        }
    }

    /// A speed that the bodies had before the step or would have without contacts, at least 1 m/s: the judge's
    /// bound grows with that after the step.
    fn speed(&self) -> f64 {
        let free = &self.work.problem.problem.nu_free;
        let before = self.last.certificate.speed;
        let fastest = free.iter().map(|nu| nu.linear.length()).fold(0.0, f64::max);
        fastest.min(before).max(1.0)
    }

    /// Rounding of the gaps over h, m/s.
    pub(crate) fn gap_floor(&self) -> f64 {
        let work = &self.work;
        let rounding = |c: &Contact| {
            let poses = c.bodies.map(|i| &work.goal[i].pose);
            c.rounding(&self.model, poses)
        };
        let gaps = work.contacts.iter().map(rounding).fold(0.0, f64::max) / self.settings.h;
        gaps.max(work.joints.floor(&self.joint_view()))
    }

    /// Does contact k slip, its friction saturated?
    fn slides(&self, k: usize, solved: &Solved, nu: &[Twist]) -> bool {
        let u = self.work.problem.problem.contacts[k].velocity(nu);
        let slip = DVec3::new(0.0, u.y, u.z).length();
        solved.impulses[k].x + self.restituted(k) > 0.0 && slip > self.settings.tolerance
    }

    /// An open contact carries nothing: what rounding left there (a thousandth of the tolerance at most) is
    /// dropped, so that a body without load flies.
    fn clear_open(&self, solved: &mut Solved, nu: &mut [Twist]) {
        let problem = &self.work.problem.problem;
        let negligible = 1e-3 * self.settings.tolerance;
        let contacts = problem.contacts.iter().take(self.work.contacts.len());
        for (contact, p) in contacts.zip(&mut solved.impulses) {
            let speed = *p * w_bar(contact, &problem.inverse_mass);
            let open = speed.x <= contact.velocity(nu).x;
            if open && *p != DVec3::ZERO && speed.length() <= negligible {
                problem.add_impulse(contact, -*p, nu);
                *p = DVec3::ZERO;
            }
        }
    }

    /// Contacts with their impulses, for the judge and the record.
    fn store_impulses(&mut self, solved: &Solved) {
        let work = &mut self.work;
        work.of_blocks.clone_from(&solved.impulses);
        let gathered;
        let mut impulses = &solved.impulses;
        if !work.restituted.is_empty() {
            gathered = work.problem.gathered(impulses, &work.restituted);
            impulses = &gathered;
        }
        work.impulses.clear();
        let problem = &work.problem;
        let both = work.contacts.iter().zip(impulses).enumerate();
        work.impulses
            .extend(both.map(|(k, (&contact, &impulse))| ContactImpulse {
                contact,
                impulse: problem.to_record(k, impulse),
                restituted: work.restituted.get(k).copied().unwrap_or(0.0),
                mode: Mode::Open,
                directions: problem.directions(k),
            }));
    }

    /// Next states: islands without load fly by the second-order map, bodies in contact go by q ⊕ hν⁺. Where
    /// the flight would break an open row (the two maps differ by h²), the island goes by q ⊕ hν⁺ as well.
    fn integrate(&mut self, nu: &[Twist]) -> Result<(), Failure> {
        let work = &mut self.work;
        work.islands
            .flying(&self.model, &work.impulses, &mut work.flies);
        let at_end = work.plan.scheme.at_end();
        if !at_end {
            self.advance_all(nu)?;
        }
        // Rows measured at the end of the step hold for q ⊕ hν alone.
        if at_end || !self.open_rows_hold() {
            for k in 0..self.work.flies.len() {
                self.work.flies[k] &= self.work.problem.velocity_of(k, nu).is_none();
            }
            self.advance_all(nu)?;
        }
        Ok(())
    }

    fn advance_all(&mut self, nu: &[Twist]) -> Result<(), Failure> {
        let h = self.work.plan.h;
        self.work.next.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let state = &self.last.bodies[i];
            let next = match (&self.motions[i], self.work.problem.velocity_of(i, nu)) {
                // No time passes in an impact: poses stay to the bit.
                (_, nu_next) if self.work.plan.kind.is_impact() => BodyState {
                    pose: state.pose,
                    twist: nu_next.unwrap_or(state.twist),
                },
                (Motion::Prescribed(_), _) => self.work.goal[i],
                (Motion::Free, Some(nu_next)) if self.work.plan.scheme == Scheme::Anitescu => {
                    BodyState {
                        pose: self.work.goal[i].pose,
                        twist: nu_next,
                    }
                }
                (Motion::Free, Some(nu_next)) if !self.work.flies[i] => {
                    in_contact(&state.pose, nu_next, h)
                }
                (Motion::Free, _) => in_flight(body, state, &self.work.wrench[i], h)
                    .ok_or_else(|| Failure::Step(Box::new(self.too_fast(i))))?,
            };
            if !finite(&next) {
                return Err(Failure::Step(Box::new(
                    self.not_finite("the next state", i),
                )));
            }
            self.work.next.push(next);
        }
        Ok(())
    }

    /// Do the rows of flying bodies stay open, by their velocity and by their way?
    fn open_rows_hold(&self) -> bool {
        let (work, h) = (&self.work, self.work.plan.h);
        let between = work.plan.scheme == Scheme::BetweenEvents;
        work.impulses
            .iter()
            .filter(|c| c.contact.bodies.iter().any(|&k| work.flies[k]))
            .all(|c| {
                let mut way = c.contact.gap;
                for (k, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                    if self.model.bodies[k].is_free() {
                        let (old, new) = (&self.last.bodies[k], &work.next[k]);
                        let turn = new.twist.angular.cross(c.contact.point - old.pose.position) * h;
                        let shift = new.pose.position - old.pose.position;
                        way += sign * c.contact.normal.dot(shift + turn);
                    }
                }
                let speed = self.row_at(&work.next, &c.contact).x;
                if between {
                    // Bodies that fall together touch to rounding.
                    let slack = 0.1 * self.settings.tolerance;
                    return way >= -self.rounding_of(&c.contact) && speed >= -slack;
                }
                way >= 0.0 && speed >= 0.0
            })
    }

    fn add_missed(&mut self, round: usize) -> usize {
        let work = &mut self.work;
        let way = Way::of(work.plan, self.settings.h);
        way.ends(&work.next, &mut work.end_poses);
        let paths = Paths {
            model: &self.model,
            start: way.starts(&self.last.bodies, &work.goal),
            placed: &work.placed,
            end: &work.end_poses,
        };
        work.finder.add_missed(
            &paths,
            &self.frictions,
            &self.settings,
            round,
            &mut work.contacts,
        )
    }

    /// The judge's word on the step at hand, and what each contact did in it.
    pub(crate) fn judge(&mut self) -> Certificate {
        let (judge, case) = self.judge_and_case();
        let certificate = judge.judge(&case);
        for (contact, &mode) in self.work.impulses.iter_mut().zip(self.judge.modes()) {
            contact.mode = mode;
        }
        certificate
    }

    /// The step at hand, laid before the judge.
    pub(crate) fn judge_and_case(&mut self) -> (&mut Judge, Case<'_>) {
        let work = &self.work;
        let case = Case {
            model: &self.model,
            given: given(&self.settings, work),
            before: &self.last.bodies,
            after: &work.next,
            contacts: &work.impulses,
            joints: &work.joints.impulses,
        };
        (&mut self.judge, case)
    }

    /// The last assignment: the only place where the world changes.
    pub(crate) fn accept(&mut self, solved: &Solved, certificate: Certificate) {
        self.remember();
        self.chosen = self.chosen();
        let (plan, last, work) = (self.work.plan, &mut self.last, &mut self.work);
        last.step += 1;
        (last.t, last.h, last.kind) = (plan.t_next, plan.h, plan.kind);
        std::mem::swap(&mut last.bodies, &mut work.next);
        std::mem::swap(&mut last.contacts, &mut work.impulses);
        std::mem::swap(&mut last.joints, &mut work.joints.impulses);
        last.certificate = certificate;
        let gravity = self.settings.gravity;
        last.energy = energy(&self.model, gravity, &last.bodies, &last.joints);
        solved.solver.clone_into(&mut last.solver);
        last.iterations = solved.iterations as u64;
    }

    /// Takes note of what the contacts of the step at hand are to give back.
    pub(crate) fn remember(&mut self) {
        if !plan_restitutes(self.work.plan) || !self.restitutions.any() {
            return;
        }
        let mut seen = std::mem::take(&mut self.work.seen);
        seen.clear();
        let contacts = &self.work.impulses;
        seen.extend(contacts.iter().map(|c| Seen {
            pressed: self.pressed(&c.contact),
            closes: self.opening(&c.contact, &self.work.next) < -self.settings.tolerance,
        }));
        self.restitution.advance(&self.model, contacts, &seen);
        self.work.seen = seen;
    }

    /// What the applied forces alone press into a contact within the step, N s.
    fn pressed(&self, contact: &Contact) -> f64 {
        let (mut approach, mut w_nn) = (0.0, 0.0);
        for (i, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            let Some(mass) = self.model.bodies[i].mass else {
                continue;
            };
            let (old, free) = (&self.last.bodies[i].twist, &self.work.goal[i].twist);
            let lever = contact.point - self.work.placed[i].position;
            let change = free.at(lever) - old.at(lever);
            approach -= sign * contact.normal.dot(change);
            let arm = lever.cross(contact.normal);
            w_nn += 1.0 / mass.mass + arm.dot(self.work.inverse[i] * arm);
        }
        approach.max(0.0) / w_nn
    }
}

/// Do the contacts of such a step restitute in the next one? (Impacts that are located restitute at once.)
const fn plan_restitutes(plan: Plan) -> bool {
    !matches!(plan.scheme, Scheme::BetweenEvents | Scheme::Impact)
}

/// The way on which contacts are looked for: that of the step, or for Anitescu's method, whose step has been gone already,
/// that of the next.
#[derive(Clone, Copy)]
struct Way {
    next: Option<f64>,
}

impl Way {
    fn of(plan: Plan, grid: f64) -> Self {
        let next = match plan.scheme {
            Scheme::Anitescu => Some(plan.h),
            // What touches to rounding is met on the way on.
            Scheme::Impact => Some(grid),
            _ => None,
        };
        Self { next }
    }

    const fn starts<'a>(self, last: &'a [BodyState], goal: &'a [BodyState]) -> &'a [BodyState] {
        if self.next.is_some() { goal } else { last }
    }

    fn ends(self, states: &[BodyState], poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(states.iter().map(|s| match self.next {
            Some(h) => s.pose.moved(&s.twist, h),
            None => s.pose,
        }));
    }
}

/// What the judge is told of the step at hand.
pub(crate) fn given<'a>(settings: &'a Settings, work: &'a Workspace) -> Given<'a> {
    Given {
        h: work.plan.h,
        grid: settings.h,
        scheme: work.plan.scheme,
        reading: settings.reading,
        wrench: &work.wrench,
        prescribed: &work.goal,
        cone: settings.cone,
        ignored: &settings.ignored,
        aims: &work.joints.aims,
    }
}

/// What a solver that missed its tolerance came to: it was asked for a tenth of what the judge allows.
fn best_of(failure: SolveError) -> Result<Solved, Failure> {
    match failure {
        SolveError::NotConverged {
            solver,
            residual,
            iterations,
            best,
            ..
        } if residual < f64::INFINITY => Ok(Solved {
            impulses: best,
            iterations,
            solver,
            residual,
        }),
        other => Err(other.into()),
    }
}

/// Corrects velocities beyond the rounding of the impulses. What is then near the judge's tolerance is shown
/// to the judge, who measures in another way; anything else is a failure of the solver.
fn correct(
    problem: &ContactProblem,
    solved: &mut Solved,
    tolerance: f64,
    nu: &mut Vec<Twist>,
) -> Result<(), Failure> {
    let fastest = nu.iter().map(|nu| nu.linear.length()).fold(1.0, f64::max);
    let residual = velocity::correct(problem, &mut solved.impulses, nu);
    if residual <= NEAR * tolerance * fastest {
        solved.residual = residual;
        return Ok(());
    }
    Err(Failure::Solver(SolveError::NotConverged {
        solver: solved.solver,
        residual: solved.residual.min(residual),
        tolerance,
        iterations: solved.iterations,
        best: std::mem::take(&mut solved.impulses),
    }))
}

/// The same contact in the last step: that of the same pieces, or, where a feature has passed from one piece to the
/// next (over the seam of a mesh), of the same bodies, feature and normal.
fn remembered(last: &[ContactImpulse], contact: &Contact) -> Option<usize> {
    if let Ok(found) = last.binary_search_by_key(&contact.key(), |c| c.contact.key()) {
        return Some(found);
    }
    if contact.pieces == [0, 0] {
        return None;
    }
    let from = last.partition_point(|c| c.contact.bodies < contact.bodies);
    let to = last.partition_point(|c| c.contact.bodies <= contact.bodies);
    (from..to).find(|&k| {
        let old = &last[k].contact;
        old.feature == contact.feature && old.normal.dot(contact.normal) > 1.0 - 1e-6
    })
}

fn finite(state: &BodyState) -> bool {
    state.pose.position.is_finite()
        && state.pose.orientation.is_finite()
        && state.twist.linear.is_finite()
        && state.twist.angular.is_finite()
}
