//! Every scene of the repository is read, and says what its comments say.

use std::path::{Path, PathBuf};

use glam::DVec3;
use stickslip_dynamics::scene::{Body, Mobility, Override, Scene};
use stickslip_geometry::{Pose, Shape};
use stickslip_model::Cone;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn read(name: &str, overrides: &[Override]) -> Scene {
    Scene::read(&folder().join(name), overrides).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_scene_is_read_and_has_a_title() {
    let entries = std::fs::read_dir(folder()).expect("the folder of scenes");
    let mut count = 0;
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let scene = Scene::read(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(!scene.title.is_empty(), "{} has no title", path.display());
            count += 1;
        }
    }
    assert!(count >= 16, "{count} scenes");
}

#[test]
fn the_box_stack_is_numbered_and_stacked() {
    let scene = read("box_stack.toml", &[]);
    assert_eq!(scene.bodies.len(), 11);
    let top = &scene.bodies[10];
    assert_eq!(top.name, "box[9]");
    assert_eq!(top.position.to_array(), [0.0, 0.0, 24.5]);
}

/// The distance of a box's lowest corner from a half-space; both at their start.
fn gap(scene: &Scene, plane: &str, part: &str) -> f64 {
    let body = |name: &str| -> &Body {
        let mut bodies = scene.bodies.iter();
        bodies.find(|body| body.name == name).expect("a body")
    };
    let (plane, part) = (body(plane), body(part));
    let Shape::HalfSpace { normal, offset } = plane.shape else {
        panic!("{} is no half-space", plane.name);
    };
    let turned = Pose {
        position: DVec3::ZERO,
        orientation: part.orientation,
    };
    let reach = part.shape.support(&turned, -normal);
    normal.dot(part.position) - offset - reach
}

#[test]
fn parts_start_in_touch_with_what_carries_them() {
    for (file, plane, part) in [
        ("sliding_box.toml", "ground", "box"),
        ("incline_stick.toml", "slope", "box"),
        ("incline_slip.toml", "slope", "box"),
        ("static_and_kinetic.toml", "slope", "resting"),
        ("static_and_kinetic.toml", "slope", "pushed"),
        ("rolling_sphere.toml", "slope", "ball"),
        ("backspin.toml", "ground", "ball"),
        ("spinning_sphere.toml", "ground", "ball"),
        ("block_on_incline.toml", "slope", "block"),
        ("ladder.toml", "floor", "ladder"),
        ("ladder.toml", "wall", "ladder"),
        ("pushed_box.toml", "ground", "box"),
    ] {
        let gap = gap(&read(file, &[]), plane, part);
        assert!(gap.abs() < 1e-15, "{file}: {part} is {gap} m from {plane}");
    }
    // The table's pieces are measured from the floor, and its origin is where 6 kg at 0.95 m and 4 kg at 0.675 m balance.
    let scene = read("table.toml", &[]);
    let table = &scene.bodies[1];
    let lowest = table.shape.support(&Pose::at(DVec3::ZERO), DVec3::NEG_Z);
    assert!(lowest.abs() < 1e-15, "{lowest}");
    assert!((table.position.z - (6.0 * 0.95 + 4.0 * 0.675) / 10.0).abs() < 1e-15);
    let scene = read("plate.toml", &[]);
    let [plate, part] = &scene.bodies[..] else {
        panic!("two bodies");
    };
    assert!((part.position.z - plate.position.z - 0.015).abs() < 1e-17);
}

#[test]
fn the_slopes_are_where_they_are_said_to_be() {
    for (file, ratio) in [("incline_stick.toml", 0.99), ("incline_slip.toml", 1.01)] {
        let scene = read(file, &[]);
        let Shape::HalfSpace { normal, .. } = scene.bodies[0].shape else {
            panic!("a slope");
        };
        let tan = normal.x / normal.z;
        assert!((tan - ratio * 0.5).abs() < 1e-15);
        let up = scene.bodies[1].orientation * DVec3::Z;
        assert!((up - normal).length() < 1e-15);
    }
}

#[test]
fn overrides_change_parameters_and_settings() {
    let set = [
        "turn=pi/2",
        "step.cone=pyramid:4",
        "step.h=1/1000",
        "gravity=[0, 0, \"-2*mu\"]",
    ];
    let overrides: Vec<Override> = set
        .iter()
        .map(|option| Override::from_option(option).expect("KEY=VALUE"))
        .collect();
    let scene = read("sliding_box.toml", &overrides);
    assert_eq!(scene.step.cone, Cone::Pyramid(4));
    assert_eq!(scene.step.h, 0.001);
    assert_eq!(scene.gravity, DVec3::new(0.0, 0.0, -1.0));
    let velocity = scene.bodies[1].velocity;
    assert!((velocity - DVec3::new(-1.0, 3f64.sqrt(), 0.0)).length() < 1e-15);
    assert_eq!(scene.overrides, overrides);
}

#[test]
fn a_flag_is_shown_as_it_was_given() {
    let flag = Override::by_flag("--cone", "step.cone", "pyramid:2");
    let path = folder().join("sliding_box.toml");
    let error = Scene::read(&path, &[flag]).expect_err("two directions");
    assert_eq!((error.file.as_str(), error.column), ("the command line", 8));
    assert_eq!(&*error.text, "--cone pyramid:2");
    let flag = Override::by_flag("--h", "step.h", "0.02");
    assert_eq!(read("sliding_box.toml", &[flag]).step.h, 0.02);
}

#[test]
fn materials_combine_as_documented() {
    let scene = read("ladder.toml", &[Override::new("mu_wall", "0.1")]);
    let [floor, wall, ladder] = &scene.bodies[..] else {
        panic!("three bodies");
    };
    assert_eq!(scene.material_between(ladder, floor).friction.stick, 0.3);
    assert_eq!(scene.material_between(wall, ladder).friction.slide, 0.1);
    assert_eq!(scene.material_between(floor, wall).friction.stick, 0.0);
    let scene = read("static_and_kinetic.toml", &[]);
    let friction = scene
        .material_between(&scene.bodies[0], &scene.bodies[1])
        .friction;
    assert_eq!((friction.stick, friction.slide), (0.6, 0.4));
}

#[test]
fn the_plate_moves_with_exact_derivatives() {
    let scene = read("plate.toml", &[]);
    let Mobility::Prescribed(motion) = &scene.bodies[0].motion else {
        panic!("a prescribed motion");
    };
    let w = 66.0 * std::f64::consts::PI;
    let t = 0.0123;
    let (sin, cos) = libm::sincos(w * t);
    let jet = motion.position[0].jet(t);
    assert!((jet.value - 1e-4 * sin).abs() < 1e-18);
    assert!((jet.rate - 1e-4 * w * cos).abs() < 1e-15);
    assert!((jet.second + 1e-4 * w * w * sin).abs() < 1e-13);
    assert_eq!(motion.axis, DVec3::Y);
    assert!((motion.angle.value(t) - 1e-4 * sin).abs() < 1e-18);
}

/// No two balls of the billiard touch at the start, and all neighbours are a millimetre apart.
#[test]
fn the_billiard_is_a_triangle() {
    let scene = read("billiard.toml", &[]);
    let mut neighbours = 0;
    for (k, a) in scene.bodies.iter().enumerate() {
        for b in &scene.bodies[..k] {
            let gap = (a.position - b.position).length() - 0.06;
            assert!(gap > 0.000_999, "{} and {}", a.name, b.name);
            neighbours += usize::from(gap < 0.001_001);
        }
    }
    assert_eq!(neighbours, 18);
}

/// Forgets where a scene was written, and what was said of places there.
fn without_places(mut scene: Scene) -> Scene {
    scene.notes.clear();
    scene.file.clear();
    scene.text = "".into();
    scene.overrides.clear();
    scene.files.clear();
    scene.bodies.iter_mut().for_each(|body| body.span = 0..0);
    scene.forces.iter_mut().for_each(|force| force.span = 0..0);
    scene.joints.iter_mut().for_each(|joint| joint.span = 0..0);
    let springs = scene.springs.iter_mut();
    springs.for_each(|spring| spring.span = 0..0);
    let pairs = scene.contact_overrides.iter_mut();
    pairs.for_each(|pair| pair.span = 0..0);
    scene
}

#[test]
fn scenes_written_and_read_again_are_the_same_to_the_last_bit() {
    for entry in std::fs::read_dir(folder()).expect("the folder of scenes") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let scene = Scene::read(&path, &[]).expect("a scene");
        let text = scene.to_toml();
        let again = Scene::parse(&text, "again.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.to_toml(), text);
        assert_eq!(
            without_places(again),
            without_places(scene),
            "{}",
            path.display()
        );
    }
}

#[test]
fn odd_line_ends_and_marks_are_read() {
    let text = std::fs::read_to_string(folder().join("box_stack.toml")).expect("a scene");
    let dos = text.replace('\n', "\r\n");
    let marked = format!("\u{feff}{text}");
    for text in [dos, marked] {
        let scene = Scene::parse(&text, "odd.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene.bodies.len(), 11);
    }
}

#[test]
fn a_large_count_is_read_in_reasonable_time() {
    let text = "[step]\nh = 0.01\nuntil = 1\n[[body]]\nname = \"b\"\ncount = 100_000\nmass = 1\n\
                shape = { ball = { radius = 0.1 } }\nposition = [\"mod(i, 100)\", \"floor(i/100)\", 0]\n";
    let start = std::time::Instant::now();
    let scene = Scene::parse(text, "large.toml", &[]).expect("a scene");
    assert_eq!(scene.bodies.len(), 100_000);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// Degrees for radians, g/cm³ for kg/m³, grams for kilograms; and what the format does that nobody may expect. Legal, and noted.
#[test]
fn what_is_probably_not_meant_is_noted() {
    let notes = |body: &str| {
        let text = format!(
            "step = {{ h = 0.01, until = 1 }}\n[[body]]\nname = \"a\"\n{body}\nposition = [0, 0, 5]\n"
        );
        Scene::parse(&text, "a.toml", &[]).expect("legal").notes
    };
    let cube = "shape = { box = { size = [0.1, 0.1, 0.1] } }";
    assert_eq!(
        notes(&format!(
            "{cube}\ndensity = 7.8\norientation = {{ axis = [0, 0, 1], angle = 45 }}"
        )),
        [
            "a.toml:5:11: this density is 7.8 kg/m³, as of a gas; 7.8 g/cm³ is 7800",
            "a.toml:6:43: this angle is 45 rad, 7.2 turns; degrees are written \"45 deg\"",
        ]
    );
    assert_eq!(
        notes(&format!("{cube}\nmass = 500")),
        ["\"a\": 5.00e2 kg in 1.00e-3 m³ are 5.0e5 kg/m³: lengths are in m, masses in kg"]
    );
    let pieces =
        "shape = { compound = [{ shape = { ball = { radius = 0.1 } }, position = [0, 0, 0.3] }] }";
    assert_eq!(
        notes(&format!("{pieces}\nmass = 2\ncount = 3")),
        [
            "\"a[0]\" and 2 more: its centre of mass, at [0, 0, 0.3] m in the frame of its shape, is its origin: `position` is the place of that, and so are positions in tables and pages"
        ]
    );
    // What is as it should be is not talked about, nor what is said by a formula.
    let fine = [
        format!("{cube}\ndensity = 7800\norientation = {{ axis = [0, 0, 1], angle = \"45 deg\" }}"),
        format!("{cube}\ndensity = 1\norientation = {{ rpy = [0, 0, 3.1] }}"),
        format!("{cube}\nmass = 1\norientation = {{ axis = [0, 0, 1], angle = \"9*pi\" }}"),
        pieces.replace("0.3", "0") + "\nmass = 2",
    ];
    for body in fine {
        assert_eq!(notes(&body), [""; 0], "{body}");
    }
}
