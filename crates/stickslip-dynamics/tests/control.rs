//! Worlds that are driven from outside, and worlds that go on elsewhere: same forces, same memory, same bits.

use glam::DVec3;
use std::path::Path;
use stickslip_dynamics::scene::Override;
use stickslip_dynamics::{BuildError, Scene, Snapshot, SnapshotError, World};
use stickslip_geometry::Twist;
use stickslip_model::Wrench;

fn scene(name: &str, set: &[(&str, &str)]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes")
        .join(name);
    let set: Vec<Override> = set
        .iter()
        .map(|(key, value)| Override::new(*key, *value))
        .collect();
    Scene::read(&path, &set).expect("a scene of the project")
}

fn world(scene: &Scene) -> World {
    World::from_scene(scene).expect("a world")
}

fn parse(text: &str) -> World {
    world(&Scene::parse(text, "here", &[]).expect("a scene"))
}

/// Steps both and compares every record, bit by bit.
fn go_on_alike(a: &mut World, b: &mut World, steps: usize) {
    for _ in 0..steps {
        let (a, b) = (a.step().expect("a step"), b.step().expect("a step"));
        assert_eq!(a, b);
    }
}

/// Contacts that are warm started, joints with turns, compressions to be given back, events, error control, cones by budget.
#[test]
fn a_world_goes_on_elsewhere_to_the_same_bits() {
    for (name, set) in [
        ("box_stack.toml", &[][..]),
        ("bouncing_ball.toml", &[]),
        ("bouncing_ball.toml", &[("step.method", "event-driven")]),
        ("sliding_box.toml", &[("step.method", "extrapolated")]),
        ("colliding_boxes.toml", &[("step.method", "anitescu")]),
        ("slider_crank.toml", &[]),
        ("double_pendulum.toml", &[]),
        ("budget.toml", &[]),
    ] {
        let scene = scene(name, set);
        let mut first = world(&scene);
        for _ in 0..60 {
            first.step().expect("a step");
        }
        let bytes = first.snapshot().to_bytes();
        let mut second = world(&scene);
        second
            .resume(&Snapshot::from_bytes(&bytes).expect("a snapshot"))
            .expect("the same scene");
        assert_eq!(second.snapshot().to_bytes(), bytes, "{name}");
        go_on_alike(&mut first, &mut second, 60);
        let mut third = first.duplicate();
        go_on_alike(&mut first, &mut third, 20);
    }
}

const PUSHED: &str = r#"
step = { h = 0.01, until = 1 }
material = { friction = 0.3 }
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "box"
mass = 2
shape = { box = { size = [0.4, 0.4, 0.2] } }
position = [0, 0, 0.1]
"#;

/// A force that is set is the scene's own force: F = 9 N against μ m g = 5.886 N gives a = 1.557 m/s².
#[test]
fn a_force_from_outside_is_like_one_of_the_scene() {
    let text =
        format!("{PUSHED}[[force]]\nbody = \"box\"\nforce = [9, 0, 0]\npoint = [0, 0.1, 0]\n");
    let (mut told, mut driven) = (parse(&text), parse(PUSHED));
    let body = driven.index("box").expect("a box");
    let wrench = Wrench {
        force: DVec3::X * 9.0,
        torque: DVec3::ZERO,
    };
    driven
        .set_force(body, wrench, DVec3::Y * 0.1)
        .expect("a free body");
    assert!(driven.is_controlled());
    go_on_alike(&mut told, &mut driven, 50);
    // Going on elsewhere takes the force along; releasing the world takes it back.
    let mut other = parse(PUSHED);
    other.resume(&driven.snapshot()).expect("the same scene");
    go_on_alike(&mut driven, &mut other, 20);
    other
        .set_force(body, Wrench::default(), DVec3::ZERO)
        .expect("a free body");
    driven.release();
    assert!(!driven.is_controlled());
    go_on_alike(&mut driven, &mut other, 20);
    let v = driven.states()[body].twist.linear.x;
    assert!(v > 0.0 && v < 0.7 * 1.557, "the push is over: {v} m/s");
}

/// A fixed floor is set in motion: a box on it slides until it has the floor's velocity, after v/(μ g).
#[test]
fn a_body_that_stood_carries_what_lies_on_it() {
    let mut world = parse(PUSHED);
    let (ground, body) = (world.index("ground").unwrap(), world.index("box").unwrap());
    let twist = Twist {
        linear: DVec3::X * 0.5,
        angular: DVec3::ZERO,
    };
    world.set_motion(ground, twist).expect("a fixed body");
    while world.time() < 0.1 {
        assert!(world.step().expect("a step").certificate.holds(1e-8));
    }
    assert!((world.states()[body].twist.linear.x - 0.3 * 9.81 * 0.1).abs() < 1e-9);
    while world.time() < 0.5 {
        world.step().expect("a step");
    }
    assert!((world.states()[body].twist.linear.x - 0.5).abs() < 1e-9);
    assert!((world.states()[ground].pose.position.x - 0.25).abs() < 1e-12);
    let spin = Twist {
        linear: DVec3::ZERO,
        angular: DVec3::Z,
    };
    world.set_motion(ground, spin).expect("a fixed body");
    let q = {
        world.step().expect("a step").bodies[ground]
            .pose
            .orientation
    };
    assert!((q.z - libm::sin(0.005)).abs() < 1e-15, "{q}");
}

/// A motor aims at what it was told last, with the force it was told.
#[test]
fn a_motor_is_told_what_to_aim_at() {
    let text = format!(
        "{PUSHED}[[body]]\nname = \"wheel\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nshape = {{ ball = {{ radius = 0.1 }} }}\n\
         position = [0, 0, 2]\n[[joint]]\nname = \"shaft\"\ntype = \"hinge\"\nbodies = [\"world\", \"wheel\"]\n\
         anchor = [0, 0, 2]\naxis = [0, 0, 1]\nmotor = {{ velocity = 1, force = 1 }}\n"
    );
    let mut world = parse(&text);
    let rx = 3;
    world.set_motor(0, rx, -4.0, Some(2.0)).expect("a motor");
    world.step().expect("a step");
    let wheel = world.index("wheel").unwrap();
    let spin = |world: &World| world.states()[wheel].twist.angular.z;
    // 2 N m for 0.01 s on 0.1 kg m².
    assert!((spin(&world) + 0.2).abs() < 1e-12, "{}", spin(&world));
    for _ in 0..50 {
        world.step().expect("a step");
    }
    assert!((spin(&world) + 4.0).abs() < 1e-9);
    let wrong = world.set_motor(0, 0, 1.0, None).expect_err("x is locked");
    assert_eq!(
        wrong.to_string(),
        "joint \"shaft\": has no motor on x: its scene must give it one"
    );
    assert!(world.set_motor(0, rx, f64::NAN, None).is_err());
    assert!(world.set_motor(0, rx, 1.0, Some(-1.0)).is_err());
    assert!(world.set_motor(7, rx, 1.0, None).is_err());
}

#[test]
fn what_cannot_be_set_is_refused() {
    let mut world = parse(PUSHED);
    let (ground, body) = (world.index("ground").unwrap(), world.index("box").unwrap());
    let message = |e: Result<(), BuildError>| e.expect_err("nonsense").to_string();
    let push = |force| Wrench {
        force,
        torque: DVec3::ZERO,
    };
    let on_ground = message(world.set_force(ground, push(DVec3::X), DVec3::ZERO));
    assert_eq!(
        on_ground,
        "body \"ground\": is not free: a force on it has no effect"
    );
    let nan = message(world.set_force(body, push(DVec3::NAN), DVec3::ZERO));
    assert_eq!(nan, "body \"box\": the force is not finite");
    let free = message(world.set_motion(body, Twist::default()));
    assert_eq!(free, "body \"box\": is free: it moves by the forces on it");
    assert_eq!(
        message(world.set_motion(9, Twist::default())),
        "body: there is none of number 9"
    );
    assert!(!world.is_controlled());
}

/// Bodies stand by where they start: with other parameters the numbers in a snapshot may be those of other bodies.
#[test]
fn a_snapshot_of_a_world_that_starts_elsewhere_is_refused() {
    let at = |z: f64| {
        parse(&format!(
            "{PUSHED}[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ ball = {{ radius = 0.05 }} }}\nposition = [2, 0, {z}]\n"
        ))
    };
    let (mut high, mut higher, mut low) = (at(1.0), at(2.0), at(0.06));
    high.step().expect("a step");
    let bytes = high.snapshot().to_bytes();
    let snapshot = Snapshot::from_bytes(&bytes).expect("a snapshot");
    higher.resume(&snapshot).expect("the same order");
    go_on_alike(&mut high, &mut higher, 5);
    let before = low.snapshot().to_bytes();
    let refused = low.resume(&snapshot).expect_err("another order");
    assert_eq!(
        refused.to_string(),
        "this snapshot is of another scene: `box` is the body that `ball` is in the world: they stand by where bodies start, which is \
         elsewhere here"
    );
    assert_eq!(low.snapshot().to_bytes(), before);
}

/// Bytes that are no snapshot, or one of another scene, are refused and change nothing.
#[test]
fn damaged_snapshots_are_refused() {
    let mut stack = world(&scene("box_stack.toml", &[]));
    for _ in 0..5 {
        stack.step().expect("a step");
    }
    let bytes = stack.snapshot().to_bytes();
    for end in (0..bytes.len()).step_by(7) {
        assert!(Snapshot::from_bytes(&bytes[..end]).is_err(), "{end} bytes");
    }
    let more = [&bytes[..], &[0]].concat();
    assert!(Snapshot::from_bytes(&more).is_err());
    let mut other = parse(PUSHED);
    let refused = other.resume(&stack.snapshot()).expect_err("another scene");
    assert!(matches!(refused, SnapshotError::OtherScene(_)), "{refused}");
    // A changed byte gives another state or an error, never a panic.
    for k in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[k] ^= 0xff;
        if let Ok(snapshot) = Snapshot::from_bytes(&changed) {
            let _ = world(&scene("box_stack.toml", &[])).resume(&snapshot);
        }
    }
    assert_eq!(stack.snapshot().to_bytes(), bytes);
}
