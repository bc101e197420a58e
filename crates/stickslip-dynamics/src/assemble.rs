//! From contacts to the problem of the step: M, W, ν_free and b.

use crate::integrate::free_velocity;
use glam::DVec3;
use stickslip_certify::free_motion::turned;
use stickslip_certify::{BodyState, Cone, Contact, Model, Wrench};
use stickslip_geometry::frame::contact_frame;
use stickslip_solvers::problem::{Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist};

/// The problem, and which rows of it are which bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) problem: ContactProblem,
    /// Row block of each body of the model; `NONE` for bodies without one.
    slot: Vec<usize>,
}

/// What a step's problem is made from.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) model: &'a Model,
    /// At the start of the step.
    pub(crate) start: &'a [BodyState],
    /// At its end: given for prescribed bodies.
    pub(crate) end: &'a [BodyState],
    /// Applied forces, gravity included.
    pub(crate) wrench: &'a [Wrench],
    pub(crate) contacts: &'a [Contact],
    pub(crate) h: f64,
    pub(crate) cone: Cone,
}

const NONE: usize = usize::MAX;

impl Assembly {
    /// Only free bodies with a contact enter; contacts keep their order.
    pub(crate) fn assemble(&mut self, given: &Inputs) {
        let Inputs {
            model,
            start,
            end,
            wrench,
            contacts,
            h,
            cone,
        } = *given;
        self.slot.clear();
        self.slot.resize(model.bodies.len(), NONE);
        let problem = &mut self.problem;
        problem.inverse_mass.clear();
        problem.nu_free.clear();
        problem.contacts.clear();
        for contact in contacts {
            for i in contact.bodies {
                let body = &model.bodies[i];
                if let (Some(mass), NONE) = (body.mass, self.slot[i]) {
                    self.slot[i] = problem.nu_free.len();
                    problem.inverse_mass.push(InverseMass {
                        mass: 1.0 / mass.mass,
                        inertia: turned(&body.inverse_inertia, &start[i].pose),
                    });
                    let nu = free_velocity(body, &start[i], &wrench[i], h);
                    problem.nu_free.push(Twist {
                        linear: nu.linear,
                        angular: nu.angular,
                    });
                }
            }
            let block = block(&self.slot, start, end, contact, h, cone);
            problem.contacts.push(block);
        }
    }

    /// ν⁺ of a body, from the velocities of the problem's rows; `None` for a body without one.
    pub(crate) fn velocity_of(
        &self,
        body: usize,
        nu: &[Twist],
    ) -> Option<stickslip_geometry::Twist> {
        let slot = self.slot[body];
        (slot != NONE).then(|| stickslip_geometry::Twist {
            linear: nu[slot].linear,
            angular: nu[slot].angular,
        })
    }

    /// Sets a contact's coefficient of friction; did that change it?
    pub(crate) fn set_mu(&mut self, contact: usize, new: f64) -> bool {
        match &mut self.problem.contacts[contact].law {
            Law::Cone { mu } | Law::Pyramid { mu, .. } => std::mem::replace(mu, new) != new,
            Law::Unilateral | Law::Box { .. } => false,
        }
    }
}

/// b_n = ψ/h and b_t = −(velocity of a prescribed body at the point), the latter at t_{l+1}.
fn block(
    slot: &[usize],
    start: &[BodyState],
    end: &[BodyState],
    contact: &Contact,
    h: f64,
    cone: Cone,
) -> ContactBlock {
    let frame = contact_frame(contact.normal);
    let mut b = DVec3::new(contact.gap / h, 0.0, 0.0);
    let mut arms = [None; 2];
    for (k, (i, sign)) in contact.bodies.into_iter().zip([-1.0, 1.0]).enumerate() {
        if slot[i] == NONE {
            let lever = contact.point - end[i].pose.position;
            let carried = end[i].twist.at(lever) * sign;
            b.y += frame[1].dot(carried);
            b.z += frame[2].dot(carried);
        } else {
            let lever = contact.point - start[i].pose.position;
            arms[k] = Some(Arm {
                body: slot[i],
                lever,
                sign,
            });
        }
    }
    let mu = contact.friction.stick;
    let law = match cone {
        _ if mu == 0.0 => Law::Unilateral,
        Cone::Quadratic => Law::Cone { mu },
        Cone::Pyramid(directions) => Law::Pyramid { mu, directions },
    };
    ContactBlock {
        frame,
        arms,
        b,
        law,
    }
}
