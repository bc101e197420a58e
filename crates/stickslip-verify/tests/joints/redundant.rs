//! Random scenes with redundant joints and contacts.

use stickslip::prelude::*;
use stickslip_verify::{cuboid, ground};

struct Noise(u64);

impl Noise {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A zigzag of boxes lying on the ground or hanging over it: every joint may be doubled by one of another kind, ends
/// and middles may be pinned to the world, the ring may be closed by a bar from end to end.
fn scene(noise: &mut Noise) -> World {
    let n = 3 + (noise.unit() * 4.0) as usize;
    let height = if noise.unit() < 0.5 {
        0.1
    } else {
        0.4 + noise.unit()
    };
    let mut builder = World::builder()
        .friction(noise.unit())
        .time_step(0.01)
        .body(ground());
    let name = |k: usize| format!("b{k}");
    // Corners of the zigzag; box k lies between corners k and k + 1.
    // Those that hang do not lie in one plane: there, a ring of ball joints gives way to second order only.
    let lift = if height > 0.2 { 0.2 } else { 0.0 };
    let corner = |k: usize| {
        let up = height + lift * ((k * k) % 3) as f64;
        DVec3::new(0.4 * k as f64, 0.3 * (k % 2) as f64, up)
    };
    let turned = |k: usize| {
        let along = corner(k + 1) - corner(k);
        DQuat::from_rotation_arc(DVec3::X, along / along.length())
    };
    for k in 0..n {
        let mass = 0.2 + 3.0 * noise.unit();
        let pose = Pose {
            position: (corner(k) + corner(k + 1)) * 0.5,
            orientation: turned(k),
        };
        let size = DVec3::new(0.44, 0.1, 0.2);
        builder = builder.body(cuboid(&name(k), size, mass).with_pose(pose));
    }
    let mut count = 0;
    let mut joint = |noise: &mut Noise, a: &str, b: &str, at: DVec3| {
        count += 1;
        let name = format!("j{count}");
        let axis = if noise.unit() < 0.5 {
            DVec3::Y
        } else {
            DVec3::Z
        };
        match (noise.unit() * 4.0) as usize {
            0 => JointSpec::ball(name, [a, b], at),
            1 => JointSpec::fixed(name, [a, b], at),
            _ => JointSpec::hinge(name, [a, b], at, axis).axis(3, |x| x.limit([-0.4, 0.5])),
        }
    };
    for k in 0..n - 1 {
        let copies = 1 + (noise.unit() * 2.5) as usize;
        for _ in 0..copies {
            builder = builder.joint(joint(noise, &name(k), &name(k + 1), corner(k + 1)));
        }
    }
    for k in [0, n / 2, n - 1] {
        if noise.unit() < 0.5 {
            builder = builder.joint(joint(noise, "world", &name(k), corner(k)));
        }
    }
    if noise.unit() < 0.5 {
        let place = corner(n / 2) + DVec3::new(0.0, 0.8, 0.0);
        let bar = cuboid("bar", DVec3::new(0.3, 0.1, 0.2), 1.0).at(place);
        builder = builder.body(bar);
        builder = builder.joint(joint(noise, "bar", &name(0), corner(0)));
        builder = builder.joint(joint(noise, "bar", &name(n - 1), corner(n)));
    }
    builder.build().expect("a scene")
}

#[test]
fn a_hundred_redundant_scenes_are_held_together() {
    let mut noise = Noise(20_261_116);
    let (mut steps, mut contacts, mut joints, mut refused) = (0, 0, 0, 0);
    for k in 0..100 {
        let mut world = scene(&mut noise);
        joints += world.model().joints.len();
        for _ in 0..50 {
            if let Err(e) = world.step() {
                eprintln!("scene {k}: {e}");
                refused += 1;
                break;
            }
            steps += 1;
            contacts += world.contact_forces().count();
        }
    }
    eprintln!("{steps} steps, {joints} joints, {contacts} contact forces, {refused} refused");
    // One ring, pulled straight in its 43rd step, stays 1.2e-10 m open and is refused with a word.
    assert!(refused <= 1 && steps >= 4990);
}
