//! Which bodies fly in a step, and which move with their contacts.
//!
//! Free bodies that share a contact row, a joint or a spring form an island. Where no contact of an island
//! carries an impulse and nothing is joined, its bodies fly: they move by the second-order map. Otherwise all of them move by q ⊕ hν⁺, so that bodies that
//! fall together stay together.

use crate::model::Model;
use crate::partition::Partition;
use crate::step::ContactImpulse;
use glam::DVec3;

/// Memory of the search, reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Islands {
    joined: Partition,
    loaded: Vec<bool>,
}

impl Islands {
    /// For each body: does it fly? (Prescribed bodies do not, and do not join islands.)
    pub fn flying(&mut self, model: &Model, contacts: &[ContactImpulse], flies: &mut Vec<bool>) {
        let n = model.bodies.len();
        self.join(model, contacts);
        self.loaded.clear();
        self.loaded.resize(n, false);
        let loads = contacts.iter().filter(|c| c.impulse != DVec3::ZERO);
        let touched = loads.flat_map(|c| c.contact.bodies);
        let joined = model.joined().flatten().flatten();
        for k in touched.chain(joined) {
            if model.bodies[k].is_free() {
                let root = self.root(k);
                self.loaded[root] = true;
            }
        }
        flies.clear();
        for k in 0..n {
            let root = self.root(k);
            flies.push(model.bodies[k].is_free() && !self.loaded[root]);
        }
    }

    /// Joins free bodies that share a contact row.
    pub fn join(&mut self, model: &Model, contacts: &[ContactImpulse]) {
        self.join_pairs(model, contacts.iter().map(|c| c.contact.bodies));
    }

    /// Joins the free bodies of each pair.
    pub fn join_pairs(&mut self, model: &Model, pairs: impl Iterator<Item = [usize; 2]>) {
        self.joined.separate(model.bodies.len());
        for [a, b] in pairs {
            if model.bodies[a].is_free() && model.bodies[b].is_free() {
                self.joined.join(a, b);
            }
        }
    }

    /// Joins free bodies that share a contact row, a joint or a spring.
    pub fn join_linked(&mut self, model: &Model, contacts: &[ContactImpulse]) {
        self.join(model, contacts);
        for [a, b] in model.joined() {
            if let (Some(a), Some(b)) = (a, b)
                && model.bodies[a].is_free()
                && model.bodies[b].is_free()
            {
                self.joined.join(a, b);
            }
        }
    }

    /// The first body of the island that a contact belongs to; `None` where neither body is free.
    pub fn of_contact(&mut self, model: &Model, bodies: [usize; 2]) -> Option<usize> {
        let free = bodies.into_iter().find(|&k| model.bodies[k].is_free())?;
        Some(self.root(free))
    }

    /// The first body of a body's island; the path to it is halved on the way.
    pub fn root(&mut self, k: usize) -> usize {
        self.joined.first(k)
    }
}
