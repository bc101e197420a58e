//! Motors report the force they use, and stall at their limit.

use stickslip::prelude::*;
use stickslip_verify::world_of;

#[test]
fn a_motor_lifts_with_the_force_it_reports() {
    let (_, mut world) = world_of("lifts.toml", &[]);
    let (h, weight) = (world.settings().h, 2.0 * 9.81);
    let force = |world: &World, name: &str| world.joint(name).expect("stepped").motor[0] / h;
    for step in 0..300 {
        world.step().expect("certified");
        let (t, lifted) = (world.time(), world.body("lifted").expect("lifted"));
        let z = lifted.pose.position.z - 0.1;
        let used = force(&world, "strong");
        match step {
            // 25 N until 0.5 m/s are reached, then the weight and no more.
            0..9 => assert!((used - 25.0).abs() < 1e-9, "{step}: {used}"),
            20..190 => {
                assert!((used - weight).abs() < 1e-9, "{step}: {used}");
                assert!((lifted.twist.linear.z - 0.5).abs() < 1e-12);
            }
            // At the stop the motor pushes with all it has and the limit takes the rest.
            250.. => {
                assert!(
                    (z - 1.0).abs() < 1e-12 && (used - 25.0).abs() < 1e-9,
                    "{t}: {z} {used}"
                );
                let stop = world.joint("strong").expect("stepped").hold[0] / h;
                assert!((stop + 25.0 - weight).abs() < 1e-9, "{stop}");
            }
            _ => {}
        }
        // 15 N cannot lift it: the motor stalls at its limit and the ground carries the rest.
        let stalled = world.body("stalled").expect("stalled");
        assert!((stalled.pose.position.z - 0.1).abs() < 1e-14);
        assert!((force(&world, "weak") - 15.0).abs() < 1e-9);
        let ground = world.contact_force_on("stalled").expect("a body");
        assert!(
            (ground - DVec3::Z * (weight - 15.0)).length() < 1e-8,
            "{ground}"
        );
    }
}

#[test]
fn a_servo_reaches_its_place_and_stays() {
    use stickslip::dynamics::MotorSpec;
    use stickslip::model::joint::Goal;
    let mut world = World::builder()
        .body(stickslip_verify::cuboid("arm", DVec3::new(1.0, 0.1, 0.1), 1.0).at(DVec3::X * 0.5))
        .joint(
            JointSpec::hinge("servo", ["world", "arm"], DVec3::ZERO, DVec3::Y).axis(3, |axis| {
                axis.motor = Some(MotorSpec {
                    target: std::sync::Arc::new(|_| -0.8),
                    goal: Goal::Position { speed: 1.0 },
                    force: 20.0,
                });
            }),
        )
        .build()
        .expect("an arm");
    stickslip_verify::run(&mut world, 2.0);
    let servo = world.joint("servo").expect("stepped");
    assert!((servo.coordinates[3] + 0.8).abs() < 1e-12, "{servo:?}");
    // It holds the arm's weight: m g l/2 cos θ about the shaft, in the axis' own sense.
    let torque = servo.motor[3] / world.settings().h;
    assert!(
        (torque.abs() - 9.81 * 0.5 * libm::cos(0.8)).abs() < 1e-9,
        "{torque}"
    );
    // The joint's load is the arm's weight and that torque.
    let load = world.joint_load("servo").expect("stepped");
    assert!(
        (load.force - DVec3::Z * 9.81).length() < 1e-9,
        "{:?}",
        load.force
    );
}

/// A leg under a trunk on a rail, which slides outwards as its motor gives way: its foot turns about the contact and stands all the while. Its load is no
/// impact's, and it does not spring up again.
#[test]
fn a_leg_that_gives_way_owes_no_bounce() {
    let text = r#"
[step]
h = 0.002
until = 2
[material]
friction = 0.1
restitution = 0.5
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "trunk"
shape = { box = { size = [0.2, 0.2, 0.1] } }
mass = 2.0
position = [0, 0, "0.02+0.28*cos(0.4)"]
[[body]]
name = "leg"
shape = { capsule = { radius = 0.02, length = 0.28 } }
mass = 0.2
position = ["0.14*sin(0.4)", 0, "0.02+0.14*cos(0.4)"]
orientation = { axis = [0, 1, 0], angle = -0.4 }
[[joint]]
name = "rail"
type = "slider"
bodies = ["ground", "trunk"]
anchor = [0, 0, "0.02+0.28*cos(0.4)"]
axis = [0, 0, 1]
[[joint]]
name = "hip"
type = "hinge"
bodies = ["trunk", "leg"]
anchor = [0, 0, "0.02+0.28*cos(0.4)"]
axis = [0, 1, 0]
[[motor]]
joint = "hip"
position = 0
stiffness = 30
damping = 1
"#;
    let scene = Scene::parse(text, "leg", &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    let height = |world: &World| world.body("trunk").expect("a trunk").pose.position.z;
    let start = height(&world);
    let mut fastest: f64 = 0.0;
    while world.time() < 1.0 {
        let before = height(&world);
        let record = world.step().expect("certified");
        // The load comes on in the first step, and a part of that one is given back in the second.
        let bears = |c: &ContactImpulse| c.restituted < c.impulse.x;
        assert!(record.contacts.iter().all(bears), "t = {}", record.t);
        fastest = fastest.max((height(&world) - before) / world.settings().h);
    }
    assert!(height(&world) < start - 0.005, "it gives way");
    assert!(fastest < 0.05, "it springs back at {fastest} m/s");
}
