//! Line 4: from contacts to the problem of the step, M⁻¹, W, ν_free and b, with a law for each block.
//!
//! Blocks come in this order: contacts, discs of friction beside restituted impulses, moments of contacts that bear them, then rows of joints and springs
//! (`step/joints`).

mod block;
mod cones;
mod moments;
mod tangents;
mod warm_start;

pub(crate) use cones::chosen_cones;

use crate::impact::restitute;
use crate::step::find::Contacts;
use crate::step::find::remember::Remembered;
use crate::step::find::touching::Touch;
use crate::step::predict::Predicted;
use crate::step::seen::given_back;
use crate::step::twist::{from_problem, to_problem};
use block::block;
use glam::DVec3;
use moments::Borne;
use stickslip_model::{BodyState, Cone, ContactImpulse, Kind, Mode, Scheme};
use stickslip_solvers::problem::{ContactProblem, InverseMass, Law, Twist};
use tangents::Tangents;

/// The problem of a step with its answer so far, and which rows of it are which bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) problem: ContactProblem,
    /// Impulses of the blocks, N s: those that solve the problem, or those it is started from as long as it is not solved.
    pub(crate) impulses: Vec<DVec3>,
    /// ν⁺ of the bodies with rows, under these impulses.
    pub(crate) nu: Vec<Twist>,
    /// The residual of each one's island, m/s, where it is more than was asked for; empty where none is.
    pub(super) off: Vec<f64>,
    /// Memory, by bodies with rows: what is asked of each one's island at least, m/s, and whether an impulse reaches it.
    pub(super) floor_of_body: Vec<f64>,
    pub(super) pushed: Vec<bool>,
    /// r of each contact, N s; empty where nothing is restituted.
    restituted: Vec<f64>,
    /// Row block of each body of the model; `NONE` for bodies without one.
    slot: Vec<usize>,
    /// The contacts whose restituted impulse bears friction in a block of its own, after the contacts'.
    discs: Vec<usize>,
    first_disc: usize,
    /// The contacts that bear moments, in blocks of their own after these, from the second number on.
    moments: Vec<Borne>,
    first_moment: usize,
    /// The bodies with one, in its order.
    entered: Vec<usize>,
    /// The tangents of each contact in the problem.
    tangents: Vec<Tangents>,
    /// The contact of the last step that each is.
    remembered: Remembered,
    /// The friction directions of each contact where there is a budget for them; 0 is the exact cone.
    directions: Vec<u32>,
}

const NONE: usize = usize::MAX;

impl Assembly {
    /// The contacts' problem, with its start: blocks, what is restituted, and the impulses of the problem `earlier` in this step,
    /// else of the last step. `iterate` is the motion about which gaps at the end of the step are linearised, where the scheme
    /// measures them there.
    pub(crate) fn pose(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        earlier: Option<&[ContactImpulse]>,
        iterate: Option<&[BodyState]>,
    ) {
        self.add_contacts(step, contacts);
        if step.plan.scheme == Scheme::Implicit
            && let Some(iterate) = iterate
        {
            self.linearise_gaps(step, contacts, iterate);
        }
        self.restitute(step, contacts);
        self.add_moments(step, contacts);
        self.warm_start(step, contacts, earlier.unwrap_or(&[]));
    }

    /// The blocks of the contacts, in their order. Only free bodies with a contact (or, later, a joint) get rows.
    pub(crate) fn add_contacts(&mut self, step: &Predicted, contacts: &Contacts) {
        self.remembered.look_up(step, &contacts.list);
        self.choose_directions(step, contacts);
        self.slot.clear();
        self.slot.resize(step.model().bodies.len(), NONE);
        self.clear();
        self.tangents.clear();
        self.impulses.clear();
        let given = step.given();
        for contact in &contacts.list {
            for i in contact.bodies {
                self.enter(step, i);
            }
            let number = self.problem.contacts.len();
            let cone = match (given.cone, self.directions.get(number)) {
                (Cone::Budget(_), Some(&n)) if n > 0 => Cone::Pyramid(n as usize),
                (Cone::Budget(_), _) => Cone::Quadratic,
                (cone, _) => cone,
            };
            let rate = step.gap_rate(contact);
            let mut block = block(&self.slot, &contacts.placed, &given, contact, rate, cone);
            let poses = contact.bodies.map(|i| &contacts.placed[i]);
            let slip = block.to_contact(step.surface_slip(poses, contact));
            block.b += DVec3::new(0.0, slip.y, slip.z);
            let tangents = match (given.cone, step.ellipse(poses, contact)) {
                (Cone::Fan(fan), _) => Tangents::turned(fan.start(step.model(), poses, contact)),
                (_, Some(ellipse)) => Tangents::of(&ellipse),
                _ => Tangents::default(),
            };
            tangents.take(&mut block);
            self.tangents.push(tangents);
            self.problem.contacts.push(block);
        }
    }

    /// Wᵀν_k of each contact's free bodies along the normal, taken off its row: the gap was measured at the iterate k, whose
    /// places are those of the contacts.
    fn linearise_gaps(&mut self, step: &Predicted, contacts: &Contacts, iterate: &[BodyState]) {
        for (c, block) in contacts.list.iter().zip(&mut self.problem.contacts) {
            let mut rate = DVec3::ZERO;
            for (i, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
                if step.model().bodies[i].is_free() {
                    let lever = c.point - contacts.placed[i].position;
                    rate += iterate[i].twist.at(lever) * sign;
                }
            }
            block.b.x -= c.normal.dot(rate);
        }
    }

    /// Contacts give back e c: of a compression that ended in the last step, or of the impact's first phase.
    fn restitute(&mut self, step: &Predicted, contacts: &Contacts) {
        self.restituted.clear();
        match step.plan.kind {
            Kind::Decompression => {
                let touch = Touch::at(step, &contacts.placed);
                let compressed = step.last.contacts.iter();
                self.restituted
                    .extend(compressed.map(|c| touch.restitution_of(c)));
            }
            Kind::Step | Kind::Part | Kind::Leaving | Kind::LeavingPart
                if !step.restitution.is_idle() =>
            {
                let list = contacts.list.iter();
                given_back(step, list, &contacts.placed, &mut self.restituted);
            }
            _ => {}
        }
        self.first_disc = self.problem.contacts.len();
        let reading = step.settings.reading;
        self.discs = restitute(&mut self.problem, &self.restituted, reading);
    }

    /// r of a contact, N s.
    pub(crate) fn restituted(&self, contact: usize) -> f64 {
        self.restituted.get(contact).copied().unwrap_or(0.0)
    }

    /// Contacts with their impulses, for the judge and the record; their modes are for the judge to say.
    pub(crate) fn record_contacts(&self, contacts: &Contacts, record: &mut Vec<ContactImpulse>) {
        let gathered;
        let mut impulses = &self.impulses;
        if !self.restituted.is_empty() {
            gathered = crate::impact::gathered(impulses, &self.restituted, &self.discs);
            impulses = &gathered;
        }
        record.clear();
        let both = contacts.list.iter().zip(impulses).enumerate();
        record.extend(both.map(|(k, (&contact, &impulse))| ContactImpulse {
            contact,
            impulse: self.to_record(k, impulse),
            moment: self.moment_of(k),
            restituted: self.restituted(k),
            mode: Mode::Open,
            directions: self.directions_of(k),
        }));
    }

    /// An impulse in the problem's frame of a contact, seen in the contact's own frame (n, t₁, t₂).
    fn to_record(&self, contact: usize, p: DVec3) -> DVec3 {
        self.tangents[contact].to_record(p)
    }

    /// The speed of a slip that the problem's rows give, m/s.
    pub(crate) fn true_slip(&self, contact: usize, u: DVec3) -> f64 {
        self.tangents[contact].slip(u)
    }

    /// The inverse of [`Assembly::to_record`].
    fn to_problem(&self, contact: usize, p: DVec3) -> DVec3 {
        self.tangents[contact].to_problem(p)
    }

    /// Gives a free body its rows in the problem, if it has none yet.
    pub(crate) fn enter(&mut self, step: &Predicted, body: usize) {
        let (Some(mass), NONE) = (step.model().bodies[body].mass, self.slot[body]) else {
            return;
        };
        self.slot[body] = self.entered.len();
        self.entered.push(body);
        self.problem.inverse_mass.push(InverseMass {
            mass: 1.0 / mass.mass,
            inertia: step.inverse[body],
        });
        self.problem
            .nu_free
            .push(to_problem(&step.goal[body].twist));
    }

    /// The rows of a body; `None` for a body without any.
    pub(crate) fn slot_of(&self, body: usize) -> Option<usize> {
        (self.slot[body] != NONE).then_some(self.slot[body])
    }

    /// The bodies with rows, in their order.
    pub(crate) fn entered(&self) -> &[usize] {
        &self.entered
    }

    /// ν⁺ of a body, under the impulses so far; `None` for a body without rows.
    pub(crate) fn velocity_of(&self, body: usize) -> Option<stickslip_geometry::Twist> {
        self.slot_of(body).map(|slot| from_problem(&self.nu[slot]))
    }

    /// No problem is posed.
    pub(crate) fn clear(&mut self) {
        self.problem.inverse_mass.clear();
        self.problem.nu_free.clear();
        self.problem.contacts.clear();
        self.entered.clear();
        self.discs.clear();
        self.moments.clear();
    }

    /// The contacts whose restituted impulse has a block of its own, after those of the contacts.
    pub(crate) fn restituting(&self) -> &[usize] {
        &self.discs
    }

    /// The number of directions of a contact; 0 on the exact cone.
    fn directions_of(&self, contact: usize) -> u32 {
        match self.problem.contacts[contact].law {
            Law::Pyramid { directions, .. } => directions as u32,
            _ => 0,
        }
    }

    /// Adds to b of a contact, and of the disc beside it.
    pub(crate) fn shift(&mut self, contact: usize, by: DVec3) {
        self.problem.contacts[contact].b += by;
        if let Some(k) = self.discs.iter().position(|&k| k == contact) {
            self.problem.contacts[self.first_disc + k].b += by;
        }
    }

    /// Sets a contact's coefficient of friction; did that change it?
    pub(crate) fn set_mu(&mut self, contact: usize, new: f64) -> bool {
        let old = self.problem.contacts[contact].law.friction();
        if let Some(k) = self.discs.iter().position(|&k| k == contact) {
            let place = self.first_disc + k;
            if let Law::Disc { radius, .. } = &mut self.problem.contacts[place].law {
                *radius *= new / old;
            }
        }
        match &mut self.problem.contacts[contact].law {
            Law::Cone { mu } | Law::Pyramid { mu, .. } | Law::Soft { mu } => {
                std::mem::replace(mu, new) != new
            }
            Law::Unilateral | Law::Bounded { .. } | Law::Disc { .. } | Law::Moments { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::methods::Driver;
    use crate::step::task::Plan;
    use crate::step::twist::to_problem;
    use crate::{BodySpec, World};
    use glam::{DMat3, DVec3};
    use stickslip_geometry::{Shape, Twist};
    use stickslip_model::Scheme;

    /// A box of 2 kg on one of 1 kg, a hair apart, both free.
    fn boxes() -> World {
        let shape = |x: f64| Shape::cuboid(DVec3::new(x, 0.4, 0.2)).expect("a box");
        World::builder()
            .body(BodySpec::free("below", shape(0.5), 1.0))
            .body(BodySpec::free("on top", shape(0.3), 2.0).at(DVec3::new(0.05, 0.0, 0.2001)))
            .gravity(DVec3::ZERO)
            .friction(0.5)
            .build()
            .expect("a world")
    }

    /// Two arbitrary velocities.
    const NU: [Twist; 2] = [
        Twist {
            linear: DVec3::new(0.3, -0.2, 0.9),
            angular: DVec3::new(-0.4, 0.9, 0.1),
        },
        Twist {
            linear: DVec3::new(-0.5, 0.1, -0.4),
            angular: DVec3::new(0.8, 0.3, -0.6),
        },
    ];

    #[test]
    fn the_columns_of_w_do_the_work_that_impulses_do_at_the_points() {
        let mut world = boxes();
        let model = world.model().clone();
        let mut start = world.states().to_vec();
        for (state, nu) in start.iter_mut().zip(NU) {
            state.twist = nu;
        }
        world.restore(0, 0.0, &start).expect("two bodies");
        let driver = Driver::of(&mut world);
        let task = driver.task(Plan::on_grid(
            &driver.progress.grid,
            0.01,
            Scheme::StewartTrinkle,
        ));
        driver.stepper.pose(&task).expect("a problem");
        let contacts = &driver.stepper.contacts.list;
        let problem = &driver.stepper.trial.assembly.problem;
        assert!(contacts.len() >= 4, "the corners of the upper box");
        let nu = NU.map(|nu| to_problem(&nu));
        for (contact, block) in contacts.iter().zip(&problem.contacts) {
            // Wᵀν is the velocity of the upper point against the lower one, and b_n the gap over h.
            let at = |i: usize| NU[i].at(contact.point - start[i].pose.position);
            let relative = at(contact.bodies[1]) - at(contact.bodies[0]);
            let u = block.velocity(&nu) - block.b;
            let rates = block.frame.map(|e| e.dot(relative));
            assert!((u - DVec3::from_array(rates)).length() < 1e-14);
            assert!((block.b.x - contact.gap / 0.01).abs() < 1e-12);
            // M Δν is W p: its work on any ν is p·Wᵀν.
            let p = DVec3::new(1.0, -0.3, 0.2);
            let mut after = nu.to_vec();
            problem.add_impulse(block, p, &mut after);
            let mut work = 0.0;
            for (i, (new, old)) in after.iter().zip(&nu).enumerate() {
                let mass = model.bodies[i].mass.expect("free");
                let inertia: DMat3 = mass.inertia;
                work += mass.mass * (new.linear - old.linear).dot(old.linear)
                    + (inertia * (new.angular - old.angular)).dot(old.angular);
            }
            assert!((work - p.dot(u)).abs() < 1e-13, "{work} {}", p.dot(u));
        }
    }

    #[test]
    fn a_step_starts_from_the_impulses_of_the_last_one() {
        let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
        let mut world = World::builder()
            .body(BodySpec::fixed("ground", ground))
            .body(BodySpec::free("ball", Shape::ball(0.1).expect("a ball"), 3.0).at(DVec3::Z * 0.1))
            .build()
            .expect("a world");
        world.step().expect("a step");
        let driver = Driver::of(&mut world);
        let task = driver.task(Plan::on_grid(
            &driver.progress.grid,
            0.01,
            Scheme::StewartTrinkle,
        ));
        let underway = driver.stepper.begin(&task).expect("a path");
        let assembly = &mut underway.trial.assembly;
        assembly.pose(&underway.step, underway.contacts, None, None);
        // m g h carries the ball.
        assert_eq!(assembly.impulses.len(), 1);
        assert!((assembly.impulses[0].x - 3.0 * 9.81 * 0.01).abs() < 1e-12);
    }
}
