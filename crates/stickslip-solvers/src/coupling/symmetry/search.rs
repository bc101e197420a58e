//! The search for symmetries: maps of space that carry two bodies to bodies as far from the centroid, checked on all contacts.

use crate::coupling::symmetry::Symmetry;
use crate::problem::{Action, ContactProblem, Law};
use glam::{DMat3, DVec3};

/// Differences that count as none, relative to the largest lever, distance or velocity. What is solved with the help of
/// symmetries is judged on the problem as given, so this need not be rounding.
const NEARLY: f64 = 1e-6;
/// Differences of levers along the normal that count as none, relative to the lever: a contact's point lies on one of its
/// two bodies, so that the levers of an open contact and of its mirror image differ by the gap.
const ALIKE: f64 = 0.1;
/// Most maps that are tried.
const MOST_CANDIDATES: usize = 400;

/// One end of a contact, seen from its body.
#[derive(Clone, Copy, Debug)]
struct ContactEnd {
    contact: usize,
    arm: usize,
}

/// What is needed of a problem to find its symmetries.
pub(crate) struct Search<'a> {
    problem: &'a ContactProblem,
    /// Ends of contacts on each body: `ends[starts[b]..starts[b + 1]]`.
    starts: Vec<usize>,
    ends: Vec<ContactEnd>,
    /// Places of the bodies about their centroid; NaN for those without contacts.
    places: Vec<DVec3>,
    /// Lengths and speeds up to which things are equal.
    near: f64,
    slow: f64,
    /// The first body with a contact.
    first: usize,
}

impl<'a> Search<'a> {
    /// None where symmetries are not looked for.
    pub(crate) fn new(problem: &'a ContactProblem) -> Option<Self> {
        let simple = problem.contacts.iter().all(|c| {
            let round = c.compliance.y == c.compliance.z;
            // Elliptic cones have tangents that are scaled.
            let round = round && (c.frame[2].length_squared() - 1.0).abs() < 1e-9;
            let forces = c.arms.iter().flatten().all(|a| a.action == Action::Force);
            matches!(c.law, Law::Cone { .. } | Law::Unilateral) && round && forces
        });
        if !simple {
            return None;
        }
        let n_b = problem.inverse_mass.len();
        let (mut starts, mut length) = (vec![0; n_b + 1], 0.0_f64);
        for arm in problem
            .contacts
            .iter()
            .flat_map(|c| c.arms.iter().flatten())
        {
            starts[arm.body + 1] += 1;
            length = length.max(arm.lever.length());
        }
        for b in 0..n_b {
            starts[b + 1] += starts[b];
        }
        let mut next = starts.clone();
        let mut ends = vec![ContactEnd { contact: 0, arm: 0 }; starts[n_b]];
        for (i, contact) in problem.contacts.iter().enumerate() {
            for (k, arm) in contact.arms.iter().enumerate() {
                if let Some(arm) = arm {
                    ends[next[arm.body]] = ContactEnd { contact: i, arm: k };
                    next[arm.body] += 1;
                }
            }
        }
        let first = (0..n_b).find(|&b| starts[b + 1] > starts[b])?;
        let speeds = problem.nu_free.iter().map(|nu| nu.linear.length());
        let b = problem.contacts.iter().map(|c| c.b.length());
        let slow = NEARLY * speeds.chain(b).fold(0.0, f64::max);
        let mut search = Self {
            problem,
            starts,
            ends,
            places: vec![DVec3::NAN; n_b],
            near: NEARLY * length,
            slow,
            first,
        };
        search.place().then_some(search)
    }

    fn ends_of(&self, body: usize) -> &[ContactEnd] {
        &self.ends[self.starts[body]..self.starts[body + 1]]
    }

    /// Puts the bodies in their places; false where contacts are in several islands.
    fn place(&mut self) -> bool {
        let problem = self.problem;
        let mut open = vec![self.first];
        self.places[self.first] = DVec3::ZERO;
        let mut sum = DVec3::ZERO;
        let mut count = 0;
        while let Some(b) = open.pop() {
            sum += self.places[b];
            count += 1;
            for k in self.starts[b]..self.starts[b + 1] {
                let ContactEnd { contact, arm } = self.ends[k];
                let arms = &problem.contacts[contact].arms;
                if let (Some(own), Some(other)) = (arms[arm], arms[1 - arm])
                    && self.places[other.body].is_nan()
                {
                    self.places[other.body] = self.places[b] + own.lever - other.lever;
                    open.push(other.body);
                }
            }
        }
        let touching = (0..self.places.len()).filter(|&b| self.starts[b + 1] > self.starts[b]);
        if touching.count() != count {
            return false;
        }
        let centroid = sum / count as f64;
        for place in &mut self.places {
            *place -= centroid;
        }
        true
    }

    /// Maps to try.
    pub(crate) fn candidates(&self) -> Vec<DMat3> {
        // Bodies by their distance from the centroid, in classes of equal distance.
        let mut order: Vec<usize> = (0..self.places.len())
            .filter(|&b| !self.places[b].is_nan())
            .collect();
        let distance = |b: usize| self.places[b].length();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let largest = order.last().map_or(0.0, |&b| distance(b));
        let near = (NEARLY * largest).max(self.near);
        let mut classes: Vec<&[usize]> = order
            .chunk_by(|&a, &b| distance(b) - distance(a) <= near)
            .filter(|class| distance(class[0]) > 0.1 * self.near / NEARLY)
            .collect();
        classes.sort_by_key(|class| (class.len(), class[0]));
        let Some(&firsts) = classes.first() else {
            return Vec::new();
        };
        let x0 = self.places[firsts[0]];
        let off_axis = |b: &usize| {
            let x = self.places[*b];
            x0.cross(x).length() > 0.1 * x0.length() * x.length()
        };
        let second = classes.iter().find_map(|class| {
            let b = class.iter().copied().find(off_axis)?;
            Some((self.places[b], *class))
        });
        let Some((x1, seconds)) = second else {
            return Vec::new();
        };
        if 2 * firsts.len() * seconds.len() > MOST_CANDIDATES {
            return Vec::new();
        }
        let frame = |x: DVec3, y: DVec3, hand: f64| {
            let e = x / x.length();
            let across = y - e * e.dot(y);
            let f = across / across.length();
            DMat3::from_cols(e, f, e.cross(f) * hand)
        };
        let from = frame(x0, x1, 1.0).transpose();
        let mut out = Vec::new();
        for &b0 in firsts {
            for &b1 in seconds {
                let (y0, y1) = (self.places[b0], self.places[b1]);
                if (y0.distance(y1) - x0.distance(x1)).abs() <= near {
                    out.extend([1.0, -1.0].map(|hand| frame(y0, y1, hand) * from));
                }
            }
        }
        out
    }
}

impl Search<'_> {
    /// The symmetry of this map, if it is one: followed from body to body along the contacts.
    pub(crate) fn verify(&self, map: DMat3) -> Option<Symmetry> {
        let start = self.body_at(map * self.places[self.first])?;
        let n_b = self.places.len();
        let mut out = Symmetry {
            map,
            bodies: (0..n_b).collect(),
            contacts: vec![(usize::MAX, 0.0); self.problem.contacts.len()],
        };
        let mut known = vec![false; n_b];
        let mut open = vec![self.first];
        known[self.first] = true;
        out.bodies[self.first] = start;
        while let Some(b) = open.pop() {
            let image = out.bodies[b];
            let as_many = self.ends_of(b).len() == self.ends_of(image).len();
            if !as_many || !self.same_body(&out, b) {
                return None;
            }
            for &end in self.ends_of(b) {
                let there = self.image_of(&map, end, image)?;
                let (from, to) = (
                    &self.problem.contacts[end.contact],
                    &self.problem.contacts[there.contact],
                );
                let (a, c) = (from.arms[end.arm]?, to.arms[there.arm]?);
                let sign = a.sign * c.sign;
                let known_image = out.contacts[end.contact];
                if known_image.0 != usize::MAX && known_image != (there.contact, sign) {
                    return None;
                }
                out.contacts[end.contact] = (there.contact, sign);
                match (from.arms[1 - end.arm], to.arms[1 - there.arm]) {
                    (Some(a), Some(c)) if known[a.body] => {
                        if out.bodies[a.body] != c.body {
                            return None;
                        }
                    }
                    (Some(a), Some(c)) => {
                        known[a.body] = true;
                        out.bodies[a.body] = c.body;
                        open.push(a.body);
                    }
                    (None, None) => {}
                    _ => return None,
                }
            }
        }
        let lawful = |i: usize| self.same_contact(&out, i);
        (0..out.contacts.len()).all(lawful).then_some(out)
    }

    fn body_at(&self, place: DVec3) -> Option<usize> {
        let near = |b: &usize| self.places[*b].distance(place) <= 1e3 * self.near;
        (0..self.places.len()).find(near)
    }

    /// The end on body `image` where `end` goes.
    fn image_of(&self, map: &DMat3, end: ContactEnd, image: usize) -> Option<ContactEnd> {
        let contact = &self.problem.contacts[end.contact];
        let arm = contact.arms[end.arm]?;
        let (lever, push) = (*map * arm.lever, *map * contact.frame[0] * arm.sign);
        let fits = |other: &&ContactEnd| {
            let contact = &self.problem.contacts[other.contact];
            contact.arms[other.arm].is_some_and(|arm| {
                let off = arm.lever - lever;
                let along = off.dot(push);
                along.abs() <= ALIKE * lever.length()
                    && (off - push * along).length() <= self.near
                    && (contact.frame[0] * arm.sign).distance(push) <= NEARLY
            })
        };
        self.ends_of(image).iter().find(fits).copied()
    }

    /// Is the image of body `b` as heavy, and does it fall as `b` does?
    fn same_body(&self, s: &Symmetry, b: usize) -> bool {
        let image = s.bodies[b];
        let (from, to) = (
            &self.problem.inverse_mass[b],
            &self.problem.inverse_mass[image],
        );
        let turned = s.map * from.inertia * s.map.transpose();
        let size = |m: &DMat3| {
            m.to_cols_array()
                .iter()
                .fold(0.0_f64, |a, v| a.max(v.abs()))
        };
        let velocity = s.twist(&self.problem.nu_free[b]);
        let there = &self.problem.nu_free[image];
        let lever = self.near / NEARLY;
        (from.mass - to.mass).abs() <= NEARLY * from.mass
            && size(&(turned - to.inertia)) <= NEARLY * size(&turned)
            && velocity.linear.distance(there.linear) <= self.slow
            && velocity.angular.distance(there.angular) * lever <= self.slow
    }

    /// Has the image of contact `i` the same law and right-hand side?
    fn same_contact(&self, s: &Symmetry, i: usize) -> bool {
        let Some(to) = self.problem.contacts.get(s.contacts[i].0) else {
            return false;
        };
        let from = &self.problem.contacts[i];
        from.law == to.law
            && from.compliance == to.compliance
            && s.components(self.problem, i, from.b).distance(to.b) <= self.slow
    }
}
