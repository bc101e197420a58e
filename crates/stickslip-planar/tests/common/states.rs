//! Random states: generic ones, and ones on a grid where everything that can coincide does.

use super::Random;
use stickslip_planar::{Contact, ContactKind, State};

fn unit(angle: f64) -> [f64; 2] {
    [libm::cos(angle), libm::sin(angle)]
}

/// A state with 1 to 5 contacts, at rest or moving, mu from 0 to 3. Half are generic, half on a grid.
pub(crate) fn random_state(random: &mut Random) -> State {
    let grid = random.integer(0, 2) == 0;
    let mut state = if grid {
        let pick =
            |random: &mut Random, list: &[f64]| list[random.integer(0, list.len() as i64) as usize];
        let m = pick(random, &[1.0, 2.0]);
        let rho = pick(random, &[0.5, 1.0, 2.0]);
        let mut state = State::new(m, rho);
        state.force = [(); 3].map(|()| random.integer(-3, 4) as f64);
        let common = pick(random, &[0.0, 0.25, 0.5, 1.0, 2.0, 3.0]);
        for _ in 0..random.integer(1, 6) {
            let n = match random.integer(0, 6) {
                0 => [1.0, 0.0],
                1 => [-1.0, 0.0],
                2 | 3 => [0.0, 1.0],
                4 => [0.6, 0.8],
                _ => [-0.6, 0.8],
            };
            let r = [random.integer(-2, 3) as f64, random.integer(-2, 3) as f64];
            let mu = if random.integer(0, 3) == 0 {
                pick(random, &[0.0, 0.5, 1.0, 2.0])
            } else {
                common
            };
            state.contacts.push(Contact::new(n, r, mu));
        }
        state
    } else {
        let mut state = State::new(random.between(0.5, 3.0), random.between(0.2, 2.0));
        state.force = [(); 3].map(|()| random.between(-3.0, 3.0));
        for _ in 0..random.integer(1, 6) {
            let n = unit(random.between(-3.15, 3.15));
            let r = [random.between(-1.5, 1.5), random.between(-1.5, 1.5)];
            let mu = if random.integer(0, 8) == 0 {
                0.0
            } else {
                random.between(0.0, 3.0)
            };
            state.contacts.push(Contact::new(n, r, mu));
        }
        state
    };
    if random.integer(0, 2) == 0 {
        set_in_motion(&mut state, grid, random);
    }
    state
}

/// Gives the body a velocity, and every contact a normal or a place that the velocity keeps (or, now and then, breaks).
fn set_in_motion(state: &mut State, grid: bool, random: &mut Random) {
    let mut number = |lo: f64, hi: f64| {
        if grid {
            random.between(lo, hi + 1.0).floor()
        } else {
            random.between(lo, hi)
        }
    };
    let omega = if number(0.0, 3.0) < 1.0 {
        0.0
    } else {
        number(-2.0, 2.0)
    };
    let (v_x, v_y) = (number(-2.0, 2.0), number(-2.0, 2.0));
    state.velocity = [v_x, v_y, omega];
    for contact in &mut state.contacts {
        let choice = random.integer(0, 5);
        // The contact at the centre of rotation stands still: v + ω z × (-r) = 0. A centre far outside the body would
        // make a lever so long that the tolerances of both methods cover different things.
        let centre = [v_y / omega, -v_x / omega];
        if choice < 2 && centre.iter().all(|x| x.abs() < 10.0) {
            contact.r = centre;
        }
        let point = [v_x + omega * contact.r[1], v_y - omega * contact.r[0]];
        let speed = libm::hypot(point[0], point[1]);
        if speed > 1e-9 {
            let along = point[0] * contact.n[0] + point[1] * contact.n[1];
            if choice == 4 && along.abs() > 0.1 {
                // Breaking.
                contact.n = contact.n.map(|x| x * along.signum());
            } else {
                let side = if random.integer(0, 2) == 0 { 1.0 } else { -1.0 };
                contact.n = [-point[1] / speed * side, point[0] / speed * side];
            }
        }
        contact.kind = match random.integer(0, 4) {
            0 => ContactKind::A,
            1 => ContactKind::Arc {
                body: random.between(0.5, 3.0),
                obstacle: random.between(0.0, 2.0),
            },
            _ => ContactKind::B,
        };
    }
}

/// Directions in which sets are probed.
pub(crate) fn directions() -> Vec<[f64; 3]> {
    let mut list = Vec::new();
    for i in 0..3 {
        let mut axis = [0.0; 3];
        axis[i] = 1.0;
        list.push(axis);
        list.push(axis.map(|x| -x));
    }
    list.extend([
        [0.61, 0.35, -0.71],
        [-0.53, 0.77, 0.35],
        [0.2, -0.6, 0.77],
        [-0.7, -0.4, -0.59],
    ]);
    list
}
