//! A contact as restitution sees it: what it bears and gives back, what it takes of impulse and energy, and whether it closes.

use super::ledger::Took;
use super::{Key, ROUNDINGS, key};
use crate::flight::norm;
use crate::judge::{Case, Judge};
use glam::DVec3;
use std::collections::BTreeMap;
use stickslip_geometry::Twist;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::islands::Islands;
use stickslip_model::{Contact, ContactImpulse};

/// A contact of the step at hand.
pub(super) struct Row {
    pub(super) key: Key,
    pub(super) bodies: [usize; 2],
    /// p_n − r, N s.
    pub(super) load: f64,
    /// r, N s.
    pub(super) given: f64,
    /// At which speed it closes at the end of the step, m/s, or would by rounding.
    pub(super) closes: f64,
    pub(super) took: Took,
    /// The work of r on the bodies, as seen from a prescribed one, J.
    pub(super) work: f64,
    /// How large its terms are, J.
    pub(super) work_size: f64,
}

/// What is known of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    /// Its contacts, by their numbers.
    pub(super) rows: Vec<usize>,
    /// Do joints, springs or surfaces that move act upon it?
    pub(super) open: bool,
}

/// All contacts of a step and their islands, by first body.
pub(super) struct Rows {
    pub(super) all: Vec<Row>,
    pub(super) islands: BTreeMap<usize, Island>,
}

/// Velocities of the bodies at three moments; prescribed ones move as at the end of the step.
struct Velocities {
    /// ν, at the start.
    start: Vec<Twist>,
    /// ν + M⁻¹W r: what is given back has acted.
    given: Vec<Twist>,
    /// ν⁺.
    end: Vec<Twist>,
    /// Of each body: work of the applied forces that the energies above leave to its contacts, over the impulses upon it, J/(N s).
    share: Vec<f64>,
}

impl Rows {
    pub(super) fn of(judge: &mut Judge, islands: &mut Islands, case: &Case) -> Self {
        judge.turn_inertias(case);
        judge.sum_impulses(case);
        judge.sum_joints(case, None);
        let velocities = Velocities::of(judge, case);
        let mut rows = Self {
            all: Vec::with_capacity(case.contacts.len()),
            islands: BTreeMap::new(),
        };
        for (k, contact) in case.contacts.iter().enumerate() {
            let bodies = contact.contact.bodies;
            rows.all.push(velocities.row(judge, case, contact));
            let root = islands.of_contact(case.model, bodies).unwrap_or(bodies[0]);
            let island = rows.islands.entry(root).or_default();
            island.rows.push(k);
            island.open |= bodies.iter().any(|k| moves(case, *k));
        }
        for k in case.model.joined().flatten().flatten() {
            if let Some(island) = rows.islands.get_mut(&islands.root(k)) {
                island.open = true;
            }
        }
        rows
    }
}

/// Does a surface of the body move along it?
fn moves(case: &Case, k: usize) -> bool {
    case.model.surfaces.iter().any(|s| s.body == k)
}

/// The impulse of a contact beside what it gives back, N s, world frame.
fn own(c: &ContactImpulse) -> DVec3 {
    let [n, t1, t2] = contact_frame(c.contact.normal);
    n * (c.impulse.x - c.restituted) + t1 * c.impulse.y + t2 * c.impulse.z
}

/// n·(v_b − v_a) at a contact, m/s, and the size of its terms.
fn opening(case: &Case, twists: &[Twist], c: &Contact) -> (f64, f64) {
    let (mut speed, mut size) = (0.0, 0.0);
    for (k, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
        let lever = c.point - case.pose(k).position;
        speed += sign * c.normal.dot(twists[k].at(lever));
        size += speed_of(&twists[k], lever);
    }
    (speed, size)
}

fn speed_of(twist: &Twist, lever: DVec3) -> f64 {
    twist.linear.length() + twist.angular.length() * lever.length()
}

impl Velocities {
    fn of(judge: &Judge, case: &Case) -> Self {
        let end: Vec<Twist> = case.after.iter().map(|s| s.twist).collect();
        let free = |k: usize| case.model.bodies[k].is_free();
        let start = case.before.iter().enumerate();
        let start = start.map(|(k, s)| if free(k) { s.twist } else { end[k] });
        let start: Vec<Twist> = start.collect();
        let mut given = start.clone();
        let mut pushed = vec![0.0; end.len()];
        for c in case.contacts {
            let impulse = c.contact.normal * c.restituted;
            for (k, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                pushed[k] += own(c).length();
                if let Some(mass) = case.model.bodies[k].mass {
                    let lever = c.contact.point - case.pose(k).position;
                    given[k].linear += impulse * (sign / mass.mass);
                    given[k].angular += judge.inverse[k] * lever.cross(impulse * sign);
                }
            }
        }
        // Bodies in contact go by q ⊕ hν⁺, so that the forces F do the work hF·ν⁺; of what the velocities tell it is hF·½(ν' + ν⁺).
        let share = (0..end.len()).map(|k| {
            let wrench = &case.given.wrench[k];
            let work = wrench.force.dot(end[k].linear - given[k].linear)
                + wrench.torque.dot(end[k].angular - given[k].angular);
            match free(k) && pushed[k] > 0.0 {
                true => 0.5 * case.given.h * work / pushed[k],
                false => 0.0,
            }
        });
        Self {
            share: share.collect(),
            start,
            given,
            end,
        }
    }

    fn row(&self, judge: &Judge, case: &Case, contact: &ContactImpulse) -> Row {
        let c = &contact.contact;
        let (old, old_size) = opening(case, &self.start, c);
        let (new, new_size) = opening(case, &self.given, c);
        let (end, end_size) = opening(case, &self.end, c);
        let load = contact.impulse.x - contact.restituted;
        let (pressed, rounding) = pressed(judge, case, c);
        let (energy, energy_size) = self.energy(case, contact);
        let some = ROUNDINGS * f64::EPSILON;
        Row {
            key: key(c),
            bodies: c.bodies,
            load,
            given: contact.restituted,
            closes: some * end_size - end,
            took: Took {
                impulse: (load - pressed).max(0.0),
                impulse_rounding: some * load.abs() + rounding,
                energy: energy.max(0.0),
                energy_rounding: some * energy_size,
            },
            work: contact.restituted * 0.5 * (old + new),
            work_size: contact.restituted.abs() * (old_size + new_size),
        }
    }

    /// The energy that a contact takes beside what it gives back, J: −p·v̄ − m·ω̄ of b seen from a, by the mean of the velocities at the start
    /// (r has acted) and at the end, and its share of the forces' work. Also the size of its terms.
    fn energy(&self, case: &Case, contact: &ContactImpulse) -> (f64, f64) {
        let (p, moment) = (own(contact), contact.world_moment());
        let (mut energy, mut size) = (0.0, 0.0);
        for (k, sign) in contact.contact.bodies.into_iter().zip([-1.0, 1.0]) {
            let lever = contact.contact.point - case.pose(k).position;
            for twist in [&self.given[k], &self.end[k]] {
                energy -= 0.5 * sign * (p.dot(twist.at(lever)) + moment.dot(twist.angular));
                size += p.length() * speed_of(twist, lever);
                size += moment.length() * twist.angular.length();
            }
            energy += self.share[k] * p.length();
            size += self.share[k].abs() * p.length();
        }
        (energy, size)
    }
}

/// p_F: what the applied forces alone press into a contact within the step, N s, never negative; and how well it is known.
///
/// By them a body's velocity changes by hF/m and, with its gyroscopic moment, by ω⁺ − I⁻¹Σ(moments of impulses) − ω.
fn pressed(judge: &Judge, case: &Case, c: &Contact) -> (f64, f64) {
    let (mut approach, mut size, mut w) = (0.0, 0.0, 0.0);
    for (k, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
        let Some(mass) = case.model.bodies[k].mass else {
            continue;
        };
        let (inverse, sum) = (&judge.inverse[k], &judge.sums[k]);
        let lever = c.point - case.pose(k).position;
        let [old, new] = [case.before, case.after].map(|states| states[k].twist.angular);
        let change = Twist {
            linear: case.given.wrench[k].force * (case.given.h / mass.mass),
            angular: new - *inverse * sum.angular - old,
        };
        approach -= sign * c.normal.dot(change.at(lever));
        let turns = new.length() + old.length() + norm(inverse) * sum.angular_size;
        size += change.linear.length() + lever.length() * turns;
        let arm = lever.cross(c.normal);
        w += 1.0 / mass.mass + arm.dot(*inverse * arm);
    }
    let rounding = ROUNDINGS * f64::EPSILON * size / w;
    (approach.max(0.0) / w, rounding)
}
