//! Random scenes with redundant joints and contacts.

use stickslip::model::Along;
use stickslip::prelude::*;
use stickslip_testing::Random;
use stickslip_verify::{cuboid, ground};

/// A zigzag of boxes lying on the ground or hanging over it: every joint may be doubled by one of another kind, ends
/// and middles may be pinned to the world, the ring may be closed by a bar from end to end.
fn scene(random: &mut Random, flat: bool) -> World {
    let n = 3 + (random.unit() * 4.0) as usize;
    let height = if random.unit() < 0.5 {
        0.1
    } else {
        0.4 + random.unit()
    };
    let mut builder = World::builder()
        .friction(random.unit())
        .time_step(0.01)
        .body(ground());
    let name = |k: usize| format!("b{k}");
    // Corners of the zigzag; box k lies between corners k and k + 1.
    let lift = if height > 0.2 && !flat { 0.2 } else { 0.0 };
    let corner = |k: usize| {
        let up = height + lift * ((k * k) % 3) as f64;
        DVec3::new(0.4 * k as f64, 0.3 * (k % 2) as f64, up)
    };
    let turned = |k: usize| {
        let along = corner(k + 1) - corner(k);
        DQuat::from_rotation_arc(DVec3::X, along / along.length())
    };
    for k in 0..n {
        let mass = 0.2 + 3.0 * random.unit();
        let pose = Pose {
            position: (corner(k) + corner(k + 1)) * 0.5,
            orientation: turned(k),
        };
        let size = DVec3::new(0.44, 0.1, 0.2);
        builder = builder.body(cuboid(&name(k), size, mass).with_pose(pose));
    }
    let mut count = 0;
    let mut joint = |random: &mut Random, a: &str, b: &str, at: DVec3| {
        count += 1;
        let name = format!("j{count}");
        let axis = if random.unit() < 0.5 {
            DVec3::Y
        } else {
            DVec3::Z
        };
        match (random.unit() * 4.0) as usize {
            0 => JointSpec::ball(name, [a, b], at),
            1 => JointSpec::fixed(name, [a, b], at),
            _ => JointSpec::hinge(name, [a, b], at, axis).axis(3, |x| x.limit([-0.4, 0.5])),
        }
    };
    for k in 0..n - 1 {
        let copies = 1 + (random.unit() * 2.5) as usize;
        for _ in 0..copies {
            builder = builder.joint(joint(random, &name(k), &name(k + 1), corner(k + 1)));
        }
    }
    for k in [0, n / 2, n - 1] {
        if random.unit() < 0.5 {
            builder = builder.joint(joint(random, "world", &name(k), corner(k)));
        }
    }
    if random.unit() < 0.5 {
        let place = corner(n / 2) + DVec3::new(0.0, 0.8, 0.0);
        let bar = cuboid("bar", DVec3::new(0.3, 0.1, 0.2), 1.0).at(place);
        builder = builder.body(bar);
        builder = builder.joint(joint(random, "bar", &name(0), corner(0)));
        builder = builder.joint(joint(random, "bar", &name(n - 1), corner(n)));
    }
    builder.build().expect("a scene")
}

/// A scene, the number of its step, and whether that was refused at all, or only along the gradients at its start or whole.
type Refusal = (usize, u64, bool);

/// Runs a hundred scenes; gives those of which a step was refused, along the gradients at its start or whole (false) or at all (true),
/// with its number, and what was run.
fn hundred(flat: bool) -> (Vec<Refusal>, Vec<bool>) {
    let mut random = Random::congruential(20_261_116);
    let (mut steps, mut contacts, mut joints) = (0, 0, 0);
    let (mut refused, mut nets) = (Vec::new(), Vec::new());
    for k in 0..100 {
        let mut world = scene(&mut random, flat);
        joints += world.model().joints.len();
        // What lies on the ground is held by it.
        let hangs = world.body("b0").expect("b0").pose.position.z > 0.2;
        // Joints may stay open by the tolerance.
        let open = open_to_second_order(&world);
        nets.push(hangs && open > world.settings().tolerance);
        eprintln!("scene {k}: open by {open:.1e} m");
        for step in 1..=50 {
            if let Err(e) = world.step() {
                eprintln!("scene {k}: {e}");
                refused.push((k, step, true));
                break;
            }
            if world.last_step().h < world.settings().h {
                eprintln!("scene {k}: step {step} is divided");
                refused.push((k, step, false));
                if step == 1 {
                    break;
                }
            }
            let mut joints = world.last_step().joints.iter();
            if step == 1 && joints.any(|j| j.along == Along::Middle) {
                refused.push((k, step, false));
            }
            steps += 1;
            contacts += world.contact_forces().count();
        }
    }
    eprintln!("{steps} steps, {joints} joints, {contacts} contact forces, refused {refused:?}");
    (refused, nets)
}

#[test]
fn a_hundred_redundant_scenes_are_held_together() {
    let (refused, nets) = hundred(false);
    assert!(refused.iter().all(|r| !r.2) && nets.iter().all(|net| !net));
}

/// Open: a flat net that is open to second order by 0.6 of the tolerance in its first step, bears, and is refused in step 29, where no part of a step
/// closes its joint "j1". It came to its end by other roundings. None other may.
const OPEN: [usize; 1] = [76];

/// A net of rods that hangs in one plane holds a load across it to second order only: there the force without bound that it
/// would take is refused along the gradients at the start of the step, and nowhere else is a step without an answer. (Along those of
/// its middle, or in shorter steps, some of these nets bear.)
#[test]
fn flat_scenes_are_refused_where_no_impulse_holds_them() {
    let (refused, nets) = hundred(true);
    assert!(nets.contains(&true) && nets.contains(&false));
    for (k, net) in nets.into_iter().enumerate() {
        let first = refused.iter().any(|r| r.0 == k && r.1 == 1);
        let stopped = refused.iter().any(|r| r.0 == k && r.2);
        let as_told = if net {
            first
        } else {
            stopped == OPEN.contains(&k)
        };
        assert!(as_told, "scene {k}");
    }
}

/// By how much the locked axes are open, m, after the motion that obeys them to first order, in the combinations of axes that no
/// impulse acts on: where this is not zero, no impulse along the gradients at the start closes the joints.
fn open_to_second_order(world: &World) -> f64 {
    let (model, states, h) = (world.model(), world.states(), world.settings().h);
    let free: Vec<usize> = (0..states.len())
        .filter(|&i| model.bodies[i].is_free())
        .collect();
    // y = √M ν, angular parts in the body's own axes; boxes have theirs along these.
    let roots: Vec<(f64, DVec3)> = free
        .iter()
        .map(|&i| {
            let mass = model.bodies[i].mass.expect("free");
            let d = DVec3::new(
                mass.inertia.x_axis.x,
                mass.inertia.y_axis.y,
                mass.inertia.z_axis.z,
            );
            let root = DVec3::new(libm::sqrt(d.x), libm::sqrt(d.y), libm::sqrt(d.z));
            (libm::sqrt(mass.mass), root)
        })
        .collect();
    // The locked coordinates at the end of the step, m.
    let locked = |y: &[f64]| -> Vec<f64> {
        let mut moved = states.to_vec();
        for ((&i, root), y) in free.iter().zip(&roots).zip(y.chunks_exact(6)) {
            let twist = Twist {
                linear: DVec3::from_slice(y) / root.0,
                angular: states[i].pose.orientation * (DVec3::from_slice(&y[3..]) / root.1),
            };
            moved[i].pose = states[i].pose.moved(&twist, h);
        }
        let mut all = Vec::new();
        for joint in &model.joints {
            let c = joint.placed(&moved).coordinates;
            for k in 0..6 {
                if joint.axes[k].hold == stickslip::model::joint::Hold::Locked {
                    all.push(c[k] * joint.scale(k));
                }
            }
        }
        all
    };
    let n = 6 * free.len();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let at = |d: f64| {
                let mut y = vec![0.0; n];
                y[j] = d;
                locked(&y)
            };
            let (up, down) = (at(1e-3), at(-1e-3));
            up.iter().zip(&down).map(|(u, d)| (u - d) / 2e-3).collect()
        })
        .collect();
    let m = columns[0].len();
    let rows: Vec<Vec<f64>> = (0..m)
        .map(|i| columns.iter().map(|c| c[i]).collect())
        .collect();
    let mut y: Vec<f64> = Vec::new();
    for (&i, root) in free.iter().zip(&roots) {
        let v = (states[i].twist.linear + world.settings().gravity * h) * root.0;
        y.extend(v.to_array().into_iter().chain([0.0; 3]));
    }
    take_off(&mut y, &orthonormal(rows));
    let mut open = locked(&y);
    take_off(&mut open, &orthonormal(columns));
    open.iter().fold(0.0, |worst, x| x.abs().max(worst))
}

/// An orthonormal basis of what the vectors span.
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = |v: &[f64]| libm::sqrt(v.iter().map(|x| x * x).sum());
    let largest = vectors.iter().map(|v| size(v)).fold(0.0, f64::max);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut v in vectors {
        // Twice is enough.
        take_off(&mut v, &basis);
        take_off(&mut v, &basis);
        let length = size(&v);
        if length > 1e-6 * largest {
            basis.push(v.iter().map(|x| x / length).collect());
        }
    }
    basis
}

/// Takes off `v` its part in the span of the basis.
fn take_off(v: &mut [f64], basis: &[Vec<f64>]) {
    for e in basis {
        let along: f64 = v.iter().zip(e).map(|(v, e)| v * e).sum();
        v.iter_mut().zip(e).for_each(|(v, e)| *v -= along * e);
    }
}
