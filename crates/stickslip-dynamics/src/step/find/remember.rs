//! Which contact of the last step is which of this one.
//!
//! Names of features are not enough: where a corner lies on an edge, or two corners on each other (bricks that overlap by half),
//! rounding decides whose corner it is, and names change hands from step to step. So contacts of a pair of bodies are matched by
//! their places too, each of which goes with one of the bodies.

use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::{BodyState, Contact, ContactImpulse};

/// Contacts of other names are the same only within this part of the distance from a body's centre: what moved farther is
/// another contact, for which no impulse is better than a wrong one.
const SAME_PLACE: f64 = 0.02;
/// and only if their normals are within 8 degrees.
const SAME_NORMAL: f64 = 0.99;

/// The contact of the last step for each of this one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    found: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Remembered {
    /// Looks up `contacts`, sorted by bodies as those of the last step are.
    pub(crate) fn look_up(&mut self, step: &Predicted, contacts: &[Contact]) {
        let last = &step.last.contacts;
        self.found.clear();
        self.found.resize(contacts.len(), None);
        self.taken.clear();
        self.taken.resize(last.len(), false);
        let mut from = 0;
        for group in contacts.chunk_by(|a, b| a.bodies == b.bodies) {
            let bodies = group[0].bodies;
            let first = last.partition_point(|c| c.contact.bodies < bodies);
            let end = last.partition_point(|c| c.contact.bodies <= bodies);
            if first < end {
                self.match_pair(step, group, from, first..end);
            }
            from += group.len();
        }
    }

    /// The same contact in the last step.
    pub(crate) fn of(&self, k: usize) -> Option<usize> {
        self.found[k]
    }

    /// Contacts of two bodies: those of the same name that stayed in their place first, then the nearest of another name, then
    /// those of the same name wherever they went (round bodies roll).
    fn match_pair(
        &mut self,
        step: &Predicted,
        group: &[Contact],
        from: usize,
        old: core::ops::Range<usize>,
    ) {
        let last = &step.last.contacts;
        let named = |c: &Contact| {
            let found = last[old.clone()].binary_search_by_key(&c.key(), |c| c.contact.key());
            found.ok().map(|k| old.start + k)
        };
        for (k, contact) in group.iter().enumerate() {
            let name = named(contact).filter(|&j| same_place(step, &last[j], contact).is_some());
            self.take(from + k, name);
        }
        for (k, contact) in group.iter().enumerate() {
            if self.found[from + k].is_some() {
                continue;
            }
            let free = old.clone().filter(|&j| !self.taken[j]);
            let near = free.filter_map(|j| Some((j, same_place(step, &last[j], contact)?)));
            let nearest = near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| j);
            self.take(from + k, nearest);
        }
        for (k, contact) in group.iter().enumerate() {
            if self.found[from + k].is_none() {
                let name = named(contact).filter(|&j| !self.taken[j]);
                self.take(from + k, name);
            }
        }
    }

    fn take(&mut self, k: usize, old: Option<usize>) {
        if let Some(j) = old {
            self.found[k] = Some(j);
            self.taken[j] = true;
        }
    }
}

/// How far a contact is from where one of the two bodies took an old one, m; None where that is another place.
fn same_place(step: &Predicted, old: &ContactImpulse, contact: &Contact) -> Option<f64> {
    let old = &old.contact;
    if old.normal.dot(contact.normal) < SAME_NORMAL {
        return None;
    }
    let start = step.start();
    let [off, reach] = contact
        .bodies
        .map(|i| &start[i])
        .map(|body| {
            let lever = contact.point - body.pose.position;
            let moved = carried(body, old.point, step.plan.h);
            (moved.distance(contact.point), lever.length())
        })
        .into_iter()
        .fold([f64::INFINITY; 2], |[off, reach], (o, r)| {
            [off.min(o), reach.min(r)]
        });
    (off <= SAME_PLACE * reach).then_some(off)
}

/// Where a body takes a point in the time h.
fn carried(body: &BodyState, point: DVec3, h: f64) -> DVec3 {
    let lever = point - body.pose.position;
    point + (body.twist.linear + body.twist.angular.cross(lever)) * h
}

#[cfg(test)]
mod tests {
    use crate::{BodySpec, World};
    use glam::DVec3;
    use stickslip_geometry::Shape;

    /// Bricks that overlap by half: corners lie on the middles of edges, and rounding names them. At rest each step then goes on
    /// from the impulses of the last one: nothing moves, and hardly anything is to be solved.
    #[test]
    fn a_wall_of_half_bricks_rests_from_the_last_impulses() {
        let mut builder = World::builder().time_step(0.005).body(BodySpec::fixed(
            "ground",
            Shape::half_space(DVec3::Z, 0.0).expect("a plane"),
        ));
        for (row, column) in (0..12).map(|k| (k / 3, k % 3)) {
            let x = 0.24 * f64::from(column) + 0.12 * f64::from(row % 2);
            let z = 0.0355 + 0.071 * f64::from(row);
            let shape = Shape::cuboid(DVec3::new(0.24, 0.115, 0.071)).expect("a brick");
            let mass = 3.0 + 0.1 * f64::from(column * row);
            let name = format!("brick {row} {column}");
            builder = builder.body(BodySpec::free(name, shape, mass).at(DVec3::new(x, 0.0, z)));
        }
        let mut world = builder.build().expect("a wall");
        let start: Vec<DVec3> = world.states().iter().map(|s| s.pose.position).collect();
        let mut iterations = Vec::new();
        for _ in 0..60 {
            world.step().expect("a step");
            iterations.push(world.last_step().iterations);
        }
        iterations.sort_unstable();
        assert!(iterations[30] <= 2, "{iterations:?}");
        for (state, start) in world.states().iter().zip(start) {
            assert!(state.pose.position.distance(start) < 1e-12);
        }
    }
}
