//! From contacts to the problem of the step: M, W, ν_free and b.

use crate::impact::{gathered, restitute};
use glam::{DMat3, DVec2, DVec3};
use stickslip_geometry::Pose;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{BodyState, Cone, Contact, Fan, Given, Model, Reading};
use stickslip_solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};

/// The problem, and which rows of it are which bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) problem: ContactProblem,
    /// Row block of each body of the model; `NONE` for bodies without one.
    slot: Vec<usize>,
    /// The contacts whose restituted impulse bears friction in a block of its own, after the contacts'.
    discs: Vec<usize>,
    first_disc: usize,
    /// The bodies with one, in its order.
    entered: Vec<usize>,
    /// Where each contact's fan of directions starts, (cos, sin) from t₁; empty where all start at t₁.
    fans: Vec<DVec2>,
    /// The directions chosen for each contact where there is a budget; 0 is the exact cone.
    pub(crate) chosen: Vec<u32>,
}

const NONE: usize = usize::MAX;

impl Assembly {
    /// Only free bodies with a contact (or, later, a joint) enter; contacts keep their order. `goal` holds the prescribed bodies
    /// at t_{l+1}, and the free ones with ν_free for their velocity.
    pub(crate) fn assemble(
        &mut self,
        model: &Model,
        inverse: &[DMat3],
        placed: &[Pose],
        given: &Given,
        contacts: &[Contact],
    ) {
        let goal = given.prescribed;
        self.slot.clear();
        self.slot.resize(model.bodies.len(), NONE);
        self.clear();
        self.fans.clear();
        for contact in contacts {
            for i in contact.bodies {
                self.enter(model, inverse, goal, i);
            }
            let cone = match (given.cone, self.chosen.get(self.problem.contacts.len())) {
                (Cone::Budget(_), Some(&n)) if n > 0 => Cone::Pyramid(n as usize),
                (Cone::Budget(_), _) => Cone::Quadratic,
                (cone, _) => cone,
            };
            let mut block = block(&self.slot, placed, given, contact, cone);
            if let Cone::Fan(fan) = given.cone {
                let poses = contact.bodies.map(|i| &placed[i]);
                let first = fan.start(model, poses, contact);
                turn(&mut block, first);
                self.fans.push(first);
            }
            self.problem.contacts.push(block);
        }
    }

    /// An impulse in the problem's frame of a contact, seen in the contact's own frame (n, t₁, t₂).
    pub(crate) fn to_record(&self, contact: usize, p: DVec3) -> DVec3 {
        self.fans.get(contact).map_or(p, |first| turned(*first, p))
    }

    /// The inverse of [`Assembly::to_record`].
    pub(crate) fn to_problem(&self, contact: usize, p: DVec3) -> DVec3 {
        self.fans
            .get(contact)
            .map_or(p, |first| turned(DVec2::new(first.x, -first.y), p))
    }

    /// Gives a free body its rows in the problem, if it has none yet.
    pub(crate) fn enter(
        &mut self,
        model: &Model,
        inverse: &[DMat3],
        goal: &[BodyState],
        body: usize,
    ) {
        let (Some(mass), NONE) = (model.bodies[body].mass, self.slot[body]) else {
            return;
        };
        self.slot[body] = self.entered.len();
        self.entered.push(body);
        self.problem.inverse_mass.push(InverseMass {
            mass: 1.0 / mass.mass,
            inertia: inverse[body],
        });
        let nu = goal[body].twist;
        self.problem.nu_free.push(Twist {
            linear: nu.linear,
            angular: nu.angular,
        });
    }

    /// The rows of a body; `None` for a body without any.
    pub(crate) fn slot_of(&self, body: usize) -> Option<usize> {
        (self.slot[body] != NONE).then_some(self.slot[body])
    }

    /// The bodies with rows, in their order.
    pub(crate) fn entered(&self) -> &[usize] {
        &self.entered
    }

    /// ν⁺ of a body, from the velocities of the problem's rows; `None` for a body without one.
    pub(crate) fn velocity_of(
        &self,
        body: usize,
        nu: &[Twist],
    ) -> Option<stickslip_geometry::Twist> {
        self.slot_of(body).map(|slot| stickslip_geometry::Twist {
            linear: nu[slot].linear,
            angular: nu[slot].angular,
        })
    }

    /// Gives the contacts the impulses they restitute.
    pub(crate) fn restitute(&mut self, restituted: &[f64], reading: Reading) {
        self.first_disc = self.problem.contacts.len();
        self.discs = restitute(&mut self.problem, restituted, reading);
    }

    /// No problem is posed.
    pub(crate) fn clear(&mut self) {
        self.problem.inverse_mass.clear();
        self.problem.nu_free.clear();
        self.problem.contacts.clear();
        self.entered.clear();
        self.discs.clear();
    }

    /// The contacts whose restituted impulse has a block of its own, after those of the contacts.
    pub(crate) fn restituting(&self) -> &[usize] {
        &self.discs
    }

    /// Blocks beside the contacts.
    pub(crate) const fn extra(&self) -> usize {
        self.discs.len()
    }

    /// The contacts' impulses whole, from those of the blocks.
    pub(crate) fn gathered(&self, solved: &[DVec3], restituted: &[f64]) -> Vec<DVec3> {
        gathered(solved, restituted, &self.discs)
    }

    /// The number of directions of a contact; 0 on the exact cone.
    pub(crate) fn directions(&self, contact: usize) -> u32 {
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
            Law::Cone { mu } | Law::Pyramid { mu, .. } => std::mem::replace(mu, new) != new,
            Law::Unilateral | Law::Box { .. } | Law::Disc { .. } => false,
        }
    }
}

/// (p_n, p_t turned by the angle whose (cos, sin) is given).
fn turned(by: DVec2, p: DVec3) -> DVec3 {
    let t = by.rotate(DVec2::new(p.y, p.z));
    DVec3::new(p.x, t.x, t.y)
}

/// Turns a block's tangents, so that the first one is where the fan starts.
fn turn(block: &mut ContactBlock, first: DVec2) {
    let [n, t1, t2] = block.frame;
    block.frame = [n, t1 * first.x + t2 * first.y, t2 * first.x - t1 * first.y];
    block.b = turned(DVec2::new(first.x, -first.y), block.b);
}

/// b_n is the gap's part of the normal row by the method (ψ/h), b_t = −(velocity of a prescribed body at the point), the latter
/// at t_{l+1}.
fn block(
    slot: &[usize],
    placed: &[Pose],
    given: &Given,
    contact: &Contact,
    cone: Cone,
) -> ContactBlock {
    let frame = contact_frame(contact.normal);
    let rate = given.scheme.gap_rate(contact.gap, given.h, given.grid);
    let mut b = DVec3::new(rate, 0.0, 0.0);
    let mut arms = [None; 2];
    for (k, (i, sign)) in contact.bodies.into_iter().zip([-1.0, 1.0]).enumerate() {
        let lever = contact.point - placed[i].position;
        if slot[i] == NONE {
            let carried = given.prescribed[i].twist.at(lever) * sign;
            if given.scheme.counts(false) {
                b.x += frame[0].dot(carried);
            }
            b.y += frame[1].dot(carried);
            b.z += frame[2].dot(carried);
        } else {
            arms[k] = Some(Arm {
                body: slot[i],
                lever,
                sign,
                action: Action::Force,
            });
        }
    }
    let mu = contact.friction.stick;
    let law = match cone {
        _ if mu == 0.0 => Law::Unilateral,
        Cone::Quadratic | Cone::Budget(_) => Law::Cone { mu },
        Cone::Pyramid(directions) | Cone::Fan(Fan { directions, .. }) => {
            Law::Pyramid { mu, directions }
        }
    };
    ContactBlock {
        frame,
        arms,
        b,
        compliance: DVec3::ZERO,
        law,
    }
}
