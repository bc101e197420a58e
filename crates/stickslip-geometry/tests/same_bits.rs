//! The narrow phase, the second look's question and separations of many pairs, to the last bit: what makes the search faster must not
//! change what it finds. A change of this number is a change of every run.

use glam::DVec3;
use stickslip_geometry::narrow_phase::{Rule, contacts_by, one_way_out};
use stickslip_geometry::path::{closest_on_the_way, stays_apart, unseen};
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::{nearest, separation};
use stickslip_geometry::{Moving, Pose, Shape};
use stickslip_testing::Random;

/// FNV-1a over the bits of numbers.
struct Bits(u64);

impl Bits {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, x: f64) {
        // A zero has no sign here: no gap or place depends on it.
        self.word(if x == 0.0 { 0 } else { x.to_bits() });
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }
}

fn shapes(random: &mut Random) -> Vec<Shape> {
    let points: Vec<DVec3> = (0..12).map(|_| random.vec3()).collect();
    let prism: Vec<DVec3> = [(0.0, 0.0), (1.0, 0.1), (1.2, 0.8), (0.1, 1.0)]
        .into_iter()
        .flat_map(|(x, y)| [DVec3::new(x, y, 0.0), DVec3::new(x, y, 1.0)])
        .collect();
    [
        Shape::cuboid(DVec3::ONE),
        Shape::cuboid(DVec3::new(2.0, 1.0, 0.5)),
        Shape::cuboid(DVec3::new(0.24, 0.115, 0.071)),
        Shape::hull(&points),
        Shape::hull(&prism),
        Shape::capsule(0.3, 1.0),
        Shape::cylinder(0.4, 0.9),
        Shape::cone(0.5, 1.1),
        Shape::ball(0.5),
    ]
    .into_iter()
    .map(|shape| shape.expect("a shape"))
    .collect()
}

/// A pair on its way: b lies on a, or beside it, to within anything from rounding to a tenth; turned by any angle, by right angles, or
/// hardly.
fn pair<'a>(random: &mut Random, a: &'a Shape, b: &'a Shape) -> [Moving<'a>; 2] {
    let turn = |random: &mut Random| match random.below(4) {
        0 => exp(DVec3::ZERO),
        1 => exp(DVec3::AXES[random.below(3)] * std::f64::consts::FRAC_PI_2),
        2 => exp(random.vec3() * random.decade(-17.0, -2.0)),
        _ => exp(random.vec3() * 2.0),
    };
    let pose_a = Pose {
        position: random.vec3() * f64::from(random.below(2) as u32),
        orientation: turn(random),
    };
    let side = match random.below(2) {
        0 => DVec3::AXES[random.below(3)],
        _ => random.vec3().try_normalize().unwrap_or(DVec3::Z),
    };
    let mut pose_b = Pose {
        position: pose_a.position,
        orientation: if random.below(2) == 0 {
            pose_a.orientation * turn(random)
        } else {
            turn(random)
        },
    };
    // Beside each other, then moved along until they touch to what was drawn.
    let apart = a.support(&pose_a, side) + b.support(&pose_b, -side);
    let gap = random.signed() * random.decade(-17.0, -1.0);
    let along =
        side.any_orthonormal_vector() * random.signed() * 0.3 * f64::from(random.below(2) as u32);
    pose_b.position += side * (apart + gap) + along;
    let moved = |random: &mut Random, pose: Pose| Pose {
        position: pose.position + random.vec3() * random.decade(-6.0, -1.0) - side * 1e-3,
        orientation: exp(random.vec3() * random.decade(-9.0, -1.0)) * pose.orientation,
    };
    let end_b = moved(random, pose_b);
    let end_a = if random.below(2) == 0 {
        pose_a
    } else {
        moved(random, pose_a)
    };
    let mut first = Moving::free(a, pose_a, end_a);
    if random.below(4) == 0 {
        first.pose = end_a;
    }
    [first, Moving::free(b, pose_b, end_b)]
}

#[test]
fn the_search_finds_what_it_found() {
    let mut random = Random::new(17);
    let shapes = shapes(&mut random);
    let mut bits = Bits(0xcbf2_9ce4_8422_2325);
    let (mut rows, mut candidates) = (0, Vec::new());
    for _ in 0..20_000 {
        // Boxes in two of three pairs.
        let draw = |random: &mut Random| {
            let few = random.below(3) > 0;
            random.below(if few { 3 } else { shapes.len() })
        };
        let (i, j) = (draw(&mut random), draw(&mut random));
        let [a, b] = pair(&mut random, &shapes[i], &shapes[j]);
        candidates.clear();
        contacts_by(Rule::MaxGap, &a, &b, &mut candidates);
        rows += candidates.len();
        for c in &candidates {
            bits.word(u64::from(c.feature.0));
            bits.vector(c.point);
            bits.vector(c.normal);
            bits.number(c.gap);
        }
        bits.word(u64::from(one_way_out(&a, &b)));
        let closest = closest_on_the_way(&a, &b);
        bits.number(closest.on_the_way);
        for allowed in [0.0, 1e-14, 1e-6, -closest.on_the_way.min(0.0)] {
            let apart = closest.on_the_way >= -allowed;
            assert_eq!(stays_apart(&a, &b, allowed), apart, "{a:?} {b:?}");
        }
        bits.number(unseen(&a, &b));
        bits.number(separation(a.shape, &a.end, b.shape, &b.end));
        let near = nearest(a.shape, &a.start, b.shape, &b.start).expect("bounded");
        bits.number(near.gap);
        bits.vector(near.normal);
    }
    assert!(rows > 15_000, "{rows}");
    assert_eq!(bits.0, 0x3fda_faee_e8bd_d57d, "{:#018x}", bits.0);
}
