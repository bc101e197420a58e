//! Robots with loops that a scene closes, and such as fall: every step is certified.

use super::grasping::{certified, world};
use std::fmt::Write as _;
use stickslip::prelude::*;
use stickslip_testing::shared;

const LEGS: [&str; 4] = ["front_left", "back_left", "front_right", "back_right"];

/// Minitaur: each leg is two arms on one axle, whose ends meet in the foot. The URDF has the arms, the scene the feet.
fn minitaur(more: &str) -> String {
    // Upper arms level, lower ones back to the middle: 0.115 m out, 0.2 m long.
    let knee = 0.5 * std::f64::consts::PI + libm::asin(0.115 / 0.2);
    let mut starts = Vec::new();
    let mut motors = String::new();
    for leg in LEGS {
        for (arm, sign) in [("R", 1.0), ("L", -1.0)] {
            let level = sign * 0.5 * std::f64::consts::PI;
            starts.push(format!("motor_{leg}{arm}_joint = {level:?}"));
            starts.push(format!("knee_{leg}{arm}_link = {:?}", -sign * knee));
            let _ = writeln!(
                motors,
                "[[motor]]\njoint = \"motor_{leg}{arm}_joint\"\nposition = {level:?}\nstiffness = 100\ndamping = 2\nforce = 20"
            );
        }
    }
    format!(
        r#"
[step]
h = 0.002
until = 10
[material]
friction = 0.1
[[body]]
name = "ground"
motion = "fixed"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[[include]]
file = "minitaur/quadruped.urdf"
position = [0, 0, 0.19]
self-collision = false
any-inertia = true
joints = {{ {} }}
{motors}
{more}
"#,
        starts.join(", ")
    )
}

#[test]
fn minitaur_stands_on_feet_that_the_scene_closes() {
    let Some(folder) = shared("robots") else {
        return;
    };
    let open = world(&folder, &minitaur(""));
    let mut feet = String::new();
    for leg in LEGS {
        let [r, l] = ["R", "L"].map(|arm| {
            let frame = open.frame(&format!("lower_leg_{leg}{arm}_link"));
            frame.expect("a link").to_world(DVec3::Z * 0.2)
        });
        assert!((r - l).truncate().x.abs() < 1e-3, "{leg}: {r} {l}");
        let foot = r.midpoint(l);
        let _ = writeln!(
            feet,
            "[[joint]]\nname = \"foot {leg}\"\ntype = \"ball\"\nbodies = [\"lower_leg_{leg}R_link\", \"lower_leg_{leg}L_link\"]\nanchor = [{:?}, {:?}, {:?}]",
            foot.x, foot.y, foot.z
        );
    }
    let mut closed = world(&folder, &minitaur(&feet));
    certified(&mut closed, 0.4);
    let height = closed
        .frame("base_chassis_link")
        .expect("a base")
        .position
        .z;
    eprintln!("minitaur stands at {height:.4} m");
    assert!((0.1..0.25).contains(&height), "{height}");
    // Without the feet its arms slide apart on ground as smooth as this.
    let mut open = world(&folder, &minitaur(""));
    certified(&mut open, 0.4);
    let fallen = open.frame("base_chassis_link").expect("a base").position.z;
    assert!(fallen < height - 0.004, "{fallen} {height}");
}

/// MuJoCo's humanoid is let go with bent knees above the floor of its file, falls and lies. Its contacts stick and its joints have dampers and
/// springs: what is left dies away by a factor of 130 each second, down to rounding. (With straight legs and friction 0.7 it is
/// at rest after 16 s; with friction 1, as in the file, it still leaned after 20 s while the dampers gave way, and was not followed to its end.)
#[test]
fn a_humanoid_falls_and_comes_to_rest() {
    let Some(folder) = shared("robots") else {
        return;
    };
    let text = r#"
[step]
h = 0.01
until = 10
[material]
friction = 0.7
[[include]]
file = "mujoco_models/humanoid.xml"
self-collision = false
any-inertia = true
joints = { knee_right = -1.2, knee_left = -1.2 }
"#;
    let mut world = world(&folder, text);
    let kinetic = |world: &World| {
        let states = world.model().bodies.iter().zip(world.states());
        let each = states.filter_map(|(body, state)| {
            let mass = body.mass?;
            let spin = state.pose.turned(&mass.inertia) * state.twist.angular;
            Some(
                0.5 * (mass.mass * state.twist.linear.length_squared()
                    + state.twist.angular.dot(spin)),
            )
        });
        each.sum::<f64>()
    };
    let mut most = 0.0;
    let mut rest = None;
    let mut time = 0.5;
    while time <= 10.0 {
        certified(&mut world, time);
        let now = kinetic(&world);
        eprintln!("{time} s: {now:.3e} J");
        most = f64::max(most, now);
        rest = rest.or((now < REST).then_some(time));
        assert!(
            rest.is_none() || now < REST,
            "it moves again: {now} J at {time} s"
        );
        time += 0.5;
    }
    assert!(most > 10.0, "it falls: {most} J");
    assert!(rest.is_some(), "it lies still: {} J", kinetic(&world));
}

/// J: some 40 kg at 1e-10 m/s, far above rounding and far below any motion.
const REST: f64 = 1e-18;
