//! What the rows of a step keep apart stays apart: a motion that keeps all rows open to first order, those of the second look
//! included, ends with no more overlap than is of second order in it. Over harsh poses of all pairs (`common/harsh.rs`), rods that
//! lie side by side, and bodies on the edges and corners of a height field.

mod common;

use common::harsh::{Pair, harsh_pair, magnitude};
use common::{KINDS, Random, random, shape};
use glam::DVec3;
use std::sync::Arc;
use stickslip_geometry::mesh::Mesh;
use stickslip_geometry::narrow_phase::{TOUCH, future_contacts, linear_gap, row_at_end};
use stickslip_geometry::path::{closest_on_the_way, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::{nearest, separation};
use stickslip_geometry::{Candidate, Moving, Pose, Shape, Twist};

/// Length of the step, s.
const H: f64 = 0.1;

/// Second looks at most.
const LOOKS: usize = 16;

fn moving<'a>(shape: &'a Shape, start: Pose, nu: &Twist) -> Moving<'a> {
    Moving {
        shape,
        start,
        pose: start,
        end: start.moved(nu, H),
        arm: 0.0,
    }
}

/// A motion of a body of this size: `speed` of its size in a second, and as many radians.
fn twist(dice: &mut Random, size: f64, speed: f64) -> Twist {
    Twist {
        linear: dice.vec3() * (size * speed),
        angular: dice.vec3() * speed,
    }
}

/// The least change of b's motion (unit mass, the inertia of its size) that keeps all rows open to first order: row by row, until
/// nothing changes.
fn kept_open(pair: &Pair, rows: &[Candidate], nu: &[Twist; 2]) -> [Twist; 2] {
    let inertia = pair.2.radius() * pair.2.radius();
    let mut nu = *nu;
    let mut impulses = vec![0.0_f64; rows.len()];
    for _ in 0..4_000 {
        let mut change = 0.0_f64;
        for (c, p) in rows.iter().zip(&mut impulses) {
            let lever = c.point - pair.3.position;
            let arm = lever.cross(c.normal);
            let velocity = nu[1].at(lever) - nu[0].at(c.point - pair.1.position);
            let open = c.gap / H + c.normal.dot(velocity);
            let next = (*p - open / (1.0 + arm.length_squared() / inertia)).max(0.0);
            nu[1].linear += c.normal * (next - *p);
            nu[1].angular += arm * ((next - *p) / inertia);
            change = change.max((next - *p).abs());
            *p = next;
        }
        if change < 1e-15 {
            break;
        }
    }
    nu
}

/// The deepest overlap, over what is of second order, of b's motion that is nearest to the one wanted and keeps all rows open;
/// rows of each motion tried are added as the second look does.
fn deepest(pair: &Pair, wanted: &[Twist; 2]) -> f64 {
    deepest_of(pair, wanted, false)
}

/// The same; where a is `driven`, its gaps are measured at its end, and rows do not count its motion.
fn deepest_of(pair: &Pair, wanted: &[Twist; 2], driven: bool) -> f64 {
    let size = pair.0.radius().max(pair.2.radius());
    let mut rows = Vec::new();
    let mut depth = 0.0_f64;
    for look in 0..LOOKS {
        let seen = if driven { Twist::default() } else { wanted[0] };
        let nu = kept_open(pair, &rows, &[seen, wanted[1]]);
        let (mut a, b) = (
            moving(&pair.0, pair.1, &wanted[0]),
            moving(&pair.2, pair.3, &nu[1]),
        );
        if driven {
            a.pose = a.end;
        }
        let known = rows.len();
        depth = 0.0;
        piece_pairs(&a, &b, TOUCH, &mut |_, a, b| {
            // What is pushed without turning is held to the tolerance of its rows, 1e-8 m/s and of their rounding.
            let allowed = unseen(a, b)
                + if driven {
                    1e-8 * H * size.max(1.0)
                } else {
                    0.0
                };
            let ratio = -closest_on_the_way(a, b).at_end / allowed;
            depth = depth.max(ratio);
            if look == 0 {
                future_contacts(a, b, &mut rows);
            } else if ratio > 1.0 / 8.0 {
                let mut new = Vec::new();
                future_contacts(a, b, &mut new);
                new.extend(row_at_end(a, b));
                new.retain(|c| linear_gap(a, b, c) < -allowed / 64.0);
                rows.append(&mut new);
            }
        });
        if rows.len() == known {
            break;
        }
    }
    depth
}

#[test]
fn harsh_pairs_overlap_to_second_order() {
    let mut dice = random(25);
    let (mut worst, mut seen) = (0.0_f64, 0);
    for k in 0..6_000 {
        let n = KINDS.len();
        let Some(pair) = harsh_pair(&mut dice, [KINDS[k % n], KINDS[k / n % n]], 0.0) else {
            continue;
        };
        let speed = magnitude(&mut dice, -4.0, -0.5);
        let size = pair.0.radius().min(pair.2.radius());
        let wanted = [(); 2].map(|()| twist(&mut dice, size, speed));
        let depth = deepest(&pair, &wanted);
        assert!(depth < 1.0, "{depth} {pair:?} {wanted:?}");
        worst = worst.max(depth);
        seen += 1;
    }
    println!("{seen} motions, deepest overlap {worst:.2} of what is of second order");
    assert!(seen > 2_000, "{seen}");
}

/// What is driven meets bodies that do not move themselves: a pusher, a plate, a finger, from anywhere within its way.
#[test]
fn driven_bodies_strike_what_rests() {
    let mut dice = random(28);
    let (mut worst, mut seen) = (0.0_f64, 0);
    for k in 0..6_000 {
        let (n, speed) = (KINDS.len(), magnitude(&mut dice, -4.0, -0.5));
        let before = 0.5 * (dice.signed() + 1.0) * speed * H;
        let Some(pair) = harsh_pair(&mut dice, [KINDS[k % n], KINDS[k / n % n]], before) else {
            continue;
        };
        let size = pair.0.radius().min(pair.2.radius());
        let mut motion = twist(&mut dice, size, 0.3 * speed);
        let near = nearest(&pair.0, &pair.1, &pair.2, &pair.3).expect("bounded");
        motion.linear += near.normal * (size * speed);
        motion.angular *= size / pair.0.radius();
        let depth = deepest_of(&pair, &[motion, Twist::default()], true);
        assert!(depth < 1.0, "{depth} {pair:?} {motion:?}");
        worst = worst.max(depth);
        seen += 1;
    }
    println!("{seen} driven bodies, deepest overlap {worst:.2} of what is of second order");
    assert!(seen > 2_000, "{seen}");
}

/// Two rods side by side that touch, parallel but for a tilt of any magnitude about any axis.
fn rods(dice: &mut Random) -> Pair {
    let mut rod = || {
        let (r, l) = (0.1 + 0.05 * dice.signed(), 1.0 + 0.3 * dice.signed());
        if dice.signed() < 0.0 {
            Shape::cylinder(r, l)
        } else {
            Shape::capsule(r, l)
        }
        .expect("a rod")
    };
    let (a, b) = (rod(), rod());
    let tilt = magnitude(dice, -8.0, -1.0);
    let orientation = exp(dice.vec3() * tilt);
    let along = DVec3::Z * (0.3 * dice.signed());
    let at = |x: f64| Pose {
        position: DVec3::X * x + along,
        orientation,
    };
    touching(a, b, [0.0, 1.0], at)
}

/// Two bodies that touch: the second brought to the first along its way `at`, from where they overlap to where they do not.
fn touching(a: Shape, b: Shape, [mut low, mut high]: [f64; 2], at: impl Fn(f64) -> Pose) -> Pair {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if separation(&a, &Pose::IDENTITY, &b, &at(middle)) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (a, Pose::IDENTITY, b, at(high))
}

/// Bodies that come at each other against `normal`, at a speed of 10 to these powers, and turn: how deep they go.
fn come_together(
    what: &str,
    dice: &mut Random,
    (from, to): (f64, f64),
    normal: usize,
    (count, pair): (usize, impl Fn(&mut Random, usize) -> Pair),
) {
    let (mut worst, mut beyond) = (0.0_f64, 0);
    for k in 0..count {
        let pair = pair(dice, k);
        let speed = magnitude(dice, from, to);
        let mut wanted = [Twist::default(), twist(dice, 0.5, speed)];
        wanted[1].linear[normal] = -speed;
        let depth = deepest(&pair, &wanted);
        beyond += usize::from(depth > 1.0);
        worst = worst.max(depth);
    }
    println!("{beyond} {what} beyond, deepest overlap {worst:.2} of what is of second order");
    assert_eq!(beyond, 0, "{worst}");
}

#[test]
fn rods_side_by_side_overlap_to_second_order() {
    let dice = &mut random(26);
    come_together("rods", dice, (-7.0, -1.0), 0, (1_500, |dice, _| rods(dice)));
}

/// A body that touches a rough field from above, near its middle.
fn on_field(dice: &mut Random, kind: &str) -> Pair {
    let rough = 0.3;
    let heights: Vec<Vec<f64>> = (0..7)
        .map(|_| (0..7).map(|_| rough * dice.signed()).collect())
        .collect();
    let mesh = Mesh::height_field(&heights, 0.5, 0.5).expect("a field");
    let field = Shape::Mesh(Arc::new(mesh));
    let body = shape(dice, kind);
    let (aside, orientation) = (dice.vec3() * 0.5, exp(dice.vec3() * 3.0));
    let at = |z: f64| Pose {
        position: DVec3::new(aside.x, aside.y, z),
        orientation,
    };
    touching(field, body, [-1.0, 3.0], at)
}

#[test]
fn bodies_on_a_field_overlap_to_second_order() {
    let dice = &mut random(27);
    let pairs = |dice: &mut Random, k: usize| on_field(dice, KINDS[k % KINDS.len()]);
    come_together("bodies", dice, (-4.0, -0.5), 2, (1_200, pairs));
}

/// A box whose lower face lies along a ridge, but for a tilt of any magnitude, with both ends of the ridge beyond the face: it
/// touches no corner of the field, and the field none of its own.
fn on_ridge(dice: &mut Random) -> Pair {
    let steep = 0.5 + 0.3 * dice.signed();
    let low = |by: f64| vec![-steep * by; 3];
    let heights = [low(1.0), low(0.0), low(1.0 + 0.5 * dice.signed())];
    let mesh = Mesh::height_field(&heights, 2.0, 1.0).expect("a field");
    let field = Shape::Mesh(Arc::new(mesh));
    let size = DVec3::new(1.0, 0.8, 0.5) + dice.vec3() * 0.2;
    let body = Shape::cuboid(size).expect("a box");
    let tilt = dice.vec3() * magnitude(dice, -8.0, -2.0);
    let yaw = DVec3::Z * (3.0 * dice.signed());
    let at = |z: f64| Pose {
        position: DVec3::new(0.1 * yaw.z, 0.0, z),
        orientation: exp(tilt) * exp(yaw),
    };
    touching(field, body, [-1.0, 3.0], at)
}

#[test]
fn boxes_along_a_ridge_overlap_to_second_order() {
    let dice = &mut random(29);
    come_together(
        "boxes",
        dice,
        (-6.0, -1.0),
        2,
        (600, |dice, _| on_ridge(dice)),
    );
}
