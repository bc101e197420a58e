//! One step, read from top to bottom.

use crate::contacts::Paths;
use crate::error::StepError;
use crate::integrate::{free_velocity, in_contact, in_flight};
use crate::joint_step::Rounds;
use crate::motion::Motion;
use crate::refusal::{Failure, note};
use crate::stages::Stage;
use crate::world::{World, energy};
use glam::DVec3;
use stickslip_certify::judge::{Start, gap_rounding, law_of, world_inverses};
use stickslip_certify::law::ContactLaw;
use stickslip_certify::{
    BodyState, Certificate, Contact, ContactImpulse, Given, Mode, StepRecord, Wrench,
};
use stickslip_solvers::problem::{ContactProblem, Twist};
use stickslip_solvers::residual::w_bar;
use stickslip_solvers::solver::{ContactSolver, Solved};

/// Contacts found missing after a solve are added and the step solved again, at most this often.
const SECOND_LOOKS: usize = 50;

impl World {
    /// Advances by h: forces, predicted paths, future contacts, impulses, certificate, new state.
    ///
    /// Nothing changes until the step is certified, so a refused step can be tried again with other
    /// settings.
    ///
    /// # Errors
    /// [`StepError`] with time, bodies and residual when no solver's answer can be certified.
    pub fn step(&mut self) -> Result<&StepRecord, StepError> {
        self.stopwatch.start();
        self.work.impulses.clear();
        self.apply_forces()?;
        self.predict()?;
        self.stopwatch.lap(Stage::Predict);
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
                self.accept(&solved, certificate);
                return Ok(&self.last);
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

    /// The problem that the next step poses, as first seen; nothing is solved.
    ///
    /// # Errors
    /// [`StepError`] where a force or a prescribed motion is not finite.
    pub fn next_problem(&mut self) -> Result<&ContactProblem, StepError> {
        self.apply_forces()?;
        self.predict()?;
        self.find_contacts();
        self.assemble();
        Ok(&self.work.problem.problem)
    }

    /// Time at the end of the step to come: a product, so that it carries no accumulated error.
    pub(crate) fn t_next(&self) -> f64 {
        (self.last.step + 1) as f64 * self.settings.h
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
        let t = self.last.t + 0.5 * self.settings.h;
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
        let (h, t_next) = (self.settings.h, self.t_next());
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
                    in_contact(&state.pose, nu.ok_or_else(|| self.too_fast(i))?, h)
                }
            };
            if !finite(&goal) {
                return Err(self.not_finite("the motion", i));
            }
            self.work.goal.push(goal);
        }
        Ok(())
    }

    fn find_contacts(&mut self) {
        let work = &mut self.work;
        work.end_poses.clear();
        work.end_poses.extend(work.goal.iter().map(|g| g.pose));
        let paths = Paths {
            model: &self.model,
            start: &self.last.bodies,
            end: &work.end_poses,
        };
        work.finder
            .find(&paths, &self.frictions, &self.settings, &mut work.contacts);
    }

    /// Solves with the solver of this attempt; `None` where it has been tried already.
    fn solve(&mut self, attempt: usize) -> Result<Option<Solved>, Failure> {
        // Taken out of the world while it works on the world's problem.
        let Some(mut solver) = self.solvers[attempt].take() else {
            return Ok(None);
        };
        let result = self.solve_with(solver.as_mut());
        self.solvers[attempt] = Some(solver);
        result.map(Some)
    }

    /// Solves until no contact is missing; leaves states and impulses in the workspace.
    fn solve_with(&mut self, solver: &mut dyn ContactSolver) -> Result<Solved, Failure> {
        let (mut guess, mut nu) = (Vec::new(), Vec::new());
        let mut solved = Solved::default();
        for round in 0..SECOND_LOOKS {
            self.assemble();
            self.warm_start(&mut guess);
            self.assemble_joints(&mut guess)?;
            self.stopwatch.lap(Stage::Assemble);
            let mut rounds = Rounds::default();
            loop {
                let before = solved.iterations;
                solved = self.solve_friction(solver, &mut guess, &mut nu)?;
                solved.iterations += before;
                self.clear_open(&mut solved, &mut nu);
                self.stopwatch.lap(Stage::Solve);
                self.store_impulses(&solved);
                self.integrate(&nu)?;
                if self.joints_closed(&nu, &solved.impulses, &mut rounds)? {
                    break;
                }
                guess.clone_from(&solved.impulses);
            }
            self.set_modes();
            self.stopwatch.lap(Stage::Integrate);
            let missed = self.add_missed(round);
            self.stopwatch.lap(Stage::SecondLook);
            if missed == 0 {
                break;
            }
        }
        Ok(solved)
    }

    fn assemble(&mut self) {
        let work = &mut self.work;
        let start = Start {
            model: &self.model,
            inverse: &work.inverse,
            states: &self.last.bodies,
        };
        work.problem.assemble(
            &start,
            &work.goal,
            &work.contacts,
            self.settings.h,
            self.settings.cone,
        );
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
                    guess.push(self.work.problem.from_record(k, impulse));
                    if last[found].mode == Mode::Slide {
                        self.work.problem.set_mu(k, contact.friction.slide);
                    }
                }
                None => guess.push(DVec3::ZERO),
            }
        }
    }

    /// Impulses, and the velocities they give. Where static and kinetic friction differ, a contact that
    /// slides with static friction is given kinetic friction and the step is solved again; no contact goes
    /// back, so this ends.
    fn solve_friction(
        &mut self,
        solver: &mut dyn ContactSolver,
        guess: &mut Vec<DVec3>,
        nu: &mut Vec<Twist>,
    ) -> Result<Solved, Failure> {
        // The judge measures in its own way: a tenth leaves room for that. Below the rounding of the gaps
        // there is nothing to find.
        let tolerance = (0.1 * self.settings.tolerance).max(0.25 * self.gap_floor());
        let mut iterations = 0;
        loop {
            let problem = &self.work.problem.problem;
            let mut solved = solver.solve(problem, Some(guess), tolerance)?;
            iterations += solved.iterations;
            solved.iterations = iterations;
            problem.velocity_into(&solved.impulses, nu);
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

    /// Rounding of the gaps over h, m/s.
    fn gap_floor(&self) -> f64 {
        let work = &self.work;
        let rounding = |c: &Contact| {
            let poses = c.bodies.map(|i| &work.goal[i].pose);
            gap_rounding(&self.model, poses, c)
        };
        let gaps = work.contacts.iter().map(rounding).fold(0.0, f64::max) / self.settings.h;
        gaps.max(work.joints.floor(&self.joint_view()))
    }

    /// Does contact k slip, its friction saturated?
    fn slides(&self, k: usize, solved: &Solved, nu: &[Twist]) -> bool {
        let u = self.work.problem.problem.contacts[k].velocity(nu);
        let slip = DVec3::new(0.0, u.y, u.z).length();
        solved.impulses[k].x > 0.0 && slip > self.settings.tolerance
    }

    /// An open contact carries nothing: what rounding left there (a thousandth of the tolerance at most) is
    /// dropped, so that a body without load flies.
    fn clear_open(&self, solved: &mut Solved, nu: &mut Vec<Twist>) {
        let problem = &self.work.problem.problem;
        let negligible = 1e-3 * self.settings.tolerance;
        let mut changed = false;
        let contacts = problem.contacts.iter().take(self.work.contacts.len());
        for (contact, p) in contacts.zip(&mut solved.impulses) {
            let speed = *p * w_bar(contact, &problem.inverse_mass);
            let open = speed.x <= contact.velocity(nu).x;
            if open && *p != DVec3::ZERO && speed.length() <= negligible {
                *p = DVec3::ZERO;
                changed = true;
            }
        }
        if changed {
            problem.velocity_into(&solved.impulses, nu);
        }
    }

    /// Contacts with their impulses, for the judge and the record.
    fn store_impulses(&mut self, solved: &Solved) {
        let work = &mut self.work;
        work.impulses.clear();
        let problem = &work.problem;
        let both = work.contacts.iter().zip(&solved.impulses).enumerate();
        work.impulses
            .extend(both.map(|(k, (&contact, &impulse))| ContactImpulse {
                contact,
                impulse: problem.to_record(k, impulse),
                mode: Mode::Open,
            }));
    }

    fn set_modes(&mut self) {
        for k in 0..self.work.impulses.len() {
            let law = self.law_of(&self.work.next, &self.work.impulses[k]);
            self.work.impulses[k].mode = law.mode();
        }
    }

    /// Next states: islands without load fly by the second-order map, bodies in contact go by q ⊕ hν⁺. Where
    /// the flight would break an open row (the two maps differ by h²), the island goes by q ⊕ hν⁺ as well.
    fn integrate(&mut self, nu: &[Twist]) -> Result<(), Failure> {
        let work = &mut self.work;
        work.islands
            .flying(&self.model, &work.impulses, &mut work.flies);
        self.advance_all(nu)?;
        if !self.open_rows_hold() {
            for k in 0..self.work.flies.len() {
                self.work.flies[k] &= self.work.problem.velocity_of(k, nu).is_none();
            }
            self.advance_all(nu)?;
        }
        Ok(())
    }

    fn advance_all(&mut self, nu: &[Twist]) -> Result<(), Failure> {
        let h = self.settings.h;
        self.work.next.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let state = &self.last.bodies[i];
            let next = match (&self.motions[i], self.work.problem.velocity_of(i, nu)) {
                (Motion::Prescribed(_), _) => self.work.goal[i],
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
        let (work, h) = (&self.work, self.settings.h);
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
                way >= 0.0 && self.law_of(&work.next, c).u.x >= 0.0
            })
    }

    /// A contact of the step as the law sees it.
    pub(crate) fn law_of(&self, next: &[BodyState], contact: &ContactImpulse) -> ContactLaw {
        law_of(
            &self.start(),
            self.settings.h,
            self.settings.cone,
            next,
            contact,
        )
    }

    /// The bodies at the start of the step.
    pub(crate) fn start(&self) -> Start<'_> {
        Start {
            model: &self.model,
            inverse: &self.work.inverse,
            states: &self.last.bodies,
        }
    }

    fn add_missed(&mut self, round: usize) -> usize {
        let work = &mut self.work;
        work.end_poses.clear();
        work.end_poses.extend(work.next.iter().map(|s| s.pose));
        let paths = Paths {
            model: &self.model,
            start: &self.last.bodies,
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

    pub(crate) fn judge(&mut self) -> Certificate {
        let work = &self.work;
        let given = Given {
            h: self.settings.h,
            wrench: &work.wrench,
            prescribed: &work.goal,
            cone: self.settings.cone,
            ignored: &self.settings.ignored,
            aims: &work.joints.aims,
        };
        self.judge.judge(
            &self.model,
            &given,
            &self.last.bodies,
            &work.next,
            &work.impulses,
            &work.joints.impulses,
        )
    }

    /// The last assignment: the only place where the world changes.
    fn accept(&mut self, solved: &Solved, certificate: Certificate) {
        let (t, last, work) = (self.t_next(), &mut self.last, &mut self.work);
        last.step += 1;
        last.t = t;
        std::mem::swap(&mut last.bodies, &mut work.next);
        std::mem::swap(&mut last.contacts, &mut work.impulses);
        std::mem::swap(&mut last.joints, &mut work.joints.impulses);
        last.certificate = certificate;
        let gravity = self.settings.gravity;
        last.energy = energy(&self.model, gravity, &last.bodies, &last.joints);
        solved.solver.clone_into(&mut last.solver);
        last.iterations = solved.iterations as u64;
    }
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
