//! Where the order is lost: events of the finest run, and the orders observed before and after each.

use super::Run;
use crate::world::World;
use stickslip_model::{BodyState, Mode};

/// A change in what a pair of bodies does.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub t: f64,
    /// The two bodies.
    pub bodies: [String; 2],
    /// Before and after.
    pub modes: [Mode; 2],
}

/// An event and the orders observed around it.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderAtEvent {
    /// The event.
    pub event: Event,
    /// At the last grid point before it; `None` where the runs agree to rounding.
    pub before: Option<f64>,
    /// At the second grid point after it.
    pub after: Option<f64>,
}

/// So many events are kept.
const MOST: usize = 200;

/// Watches the pairs of a run.
#[derive(Default)]
pub(super) struct Watch {
    pairs: Vec<([usize; 2], Mode)>,
    pub(super) events: Vec<Event>,
}

impl Watch {
    /// Compares the last record with the one before; a pair's mode is that of its most active contact.
    pub(super) fn look(&mut self, world: &World) {
        let mut now: Vec<([usize; 2], Mode)> = Vec::new();
        for c in world
            .last_step()
            .contacts
            .iter()
            .filter(|c| c.mode != Mode::Open)
        {
            match now.last_mut() {
                Some(last) if last.0 == c.contact.bodies => {
                    if c.mode == Mode::Slide {
                        last.1 = Mode::Slide;
                    }
                }
                _ => now.push((c.contact.bodies, c.mode)),
            }
        }
        let mode = |list: &[([usize; 2], Mode)], pair: [usize; 2]| {
            let found = list.binary_search_by_key(&pair, |p| p.0);
            found.map_or(Mode::Open, |k| list[k].1)
        };
        if world.steps() > 1 && self.events.len() < MOST {
            let mut pairs: Vec<[usize; 2]> = self.pairs.iter().chain(&now).map(|p| p.0).collect();
            pairs.sort_unstable();
            pairs.dedup();
            for pair in pairs {
                let modes = [mode(&self.pairs, pair), mode(&now, pair)];
                if modes[0] != modes[1] {
                    self.events.push(Event {
                        t: world.time(),
                        bodies: pair.map(|i| world.model().bodies[i].name.clone()),
                        modes,
                    });
                }
            }
        }
        self.pairs = now;
    }
}

/// The observed order at each grid point, from three runs each with half the step of the one before; in each the states stand in the
/// order of names.
fn orders_over_time(
    a: &[Vec<BodyState>],
    b: &[Vec<BodyState>],
    c: &[Vec<BodyState>],
) -> Vec<Option<f64>> {
    let distance = |p: &[BodyState], q: &[BodyState]| {
        let each = p
            .iter()
            .zip(q)
            .map(|(p, q)| (p.pose.position - q.pose.position).length());
        each.fold(0.0, f64::max)
    };
    let three = a.iter().zip(b).zip(c);
    three
        .map(|((a, b), c)| {
            let (coarse, fine) = (distance(a, b), distance(b, c));
            (coarse > 1e-12 && fine > 1e-12).then(|| libm::log2(coarse / fine))
        })
        .collect()
}

/// The events of the finest run with the orders around them.
pub(super) fn orders(
    coarse: &[Vec<BodyState>],
    middle: &[Vec<BodyState>],
    finest: &Run,
    h: f64,
) -> Vec<OrderAtEvent> {
    let orders = orders_over_time(coarse, middle, &finest.samples);
    let at = |k: usize| {
        orders
            .get(k.min(orders.len().saturating_sub(1)))
            .copied()
            .flatten()
    };
    finest
        .events
        .iter()
        .map(|event| {
            let k = (event.t / h) as usize;
            OrderAtEvent {
                event: event.clone(),
                before: at(k),
                after: at(k + 2),
            }
        })
        .collect()
}
