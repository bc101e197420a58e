//! Compounds, meshes and height fields against the single shapes they stand for, and meshes that cannot be.

use std::path::PathBuf;
use std::sync::Arc;
use stickslip::geometry::{Mesh, Piece};
use stickslip::prelude::*;
use stickslip_verify::{ball, cuboid, ground, run};

/// A level sheet around the origin of nx by ny cells, its cells `gap` apart, every other cell of another size: cracks
/// and T-junctions.
fn sheet(size: DVec2, nx: u32, ny: u32, gap: f64) -> Shape {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let cell = DVec2::new(size.x / f64::from(nx), size.y / f64::from(ny));
    for j in 0..ny {
        // Shifted by half a cell in every other row, so that corners meet edges.
        let shift = if gap > 0.0 && j % 2 == 1 {
            0.5 * cell.x
        } else {
            0.0
        };
        for i in 0..nx {
            let low = DVec2::new(f64::from(i), f64::from(j)) * cell - size * 0.5;
            let (x, y) = (low.x + shift, low.y);
            let (u, v) = (x + cell.x - gap, y + cell.y - gap);
            let k = points.len() as u32;
            points.extend([(x, y), (u, y), (u, v), (x, v)].map(|(x, y)| DVec3::new(x, y, 0.0)));
            triangles.extend([[k, k + 1, k + 2], [k, k + 2, k + 3]]);
        }
    }
    Shape::Mesh(Arc::new(Mesh::new(&points, &triangles).expect("a sheet")))
}

fn surface(name: &str) -> Shape {
    let size = DVec2::new(16.0, 6.0);
    match name {
        "mesh" => sheet(size, 10, 10, 0.0),
        "cracked mesh" => sheet(size, 23, 7, 1e-3),
        "height field" => {
            let heights = vec![vec![0.0; 33]; 13];
            Shape::Mesh(Arc::new(
                Mesh::height_field(&heights, 0.5, 0.5).expect("a field"),
            ))
        }
        _ => Shape::half_space(DVec3::Z, 0.0).expect("a plane"),
    }
}

fn on(floor: Shape, body: BodySpec, h: f64, mu: f64) -> World {
    World::builder()
        .body(BodySpec::fixed("ground", floor))
        .body(body)
        .friction(mu)
        .time_step(h)
        .build()
        .expect("a world")
}

/// Largest distance of the two bodies' motions on the way, m, m/s and rad/s.
fn apart(mut a: World, mut b: World, name: &str, until: f64) -> f64 {
    let mut worst = 0.0_f64;
    while a.time() < until - 1e-9 {
        for world in [&mut a, &mut b] {
            let next = world.time() + world.settings().h;
            run(world, next);
        }
        let (p, q) = (a.body(name).expect("a body"), b.body(name).expect("a body"));
        worst = worst
            .max((p.pose.position - q.pose.position).length())
            .max((p.twist.linear - q.twist.linear).length())
            .max((p.twist.angular - q.twist.angular).length());
    }
    worst
}

#[test]
fn level_surfaces_are_the_plane() {
    let box_ = || {
        let turned = stickslip::geometry::pose::exp(DVec3::Z * 0.3);
        let pose = Pose {
            position: DVec3::new(-5.0, 0.13, 0.2),
            orientation: turned,
        };
        cuboid("part", DVec3::new(0.7, 0.5, 0.4), 2.0)
            .with_pose(pose)
            .with_velocity(DVec3::new(3.2, 0.0, 0.0), DVec3::ZERO)
    };
    let spinning = || {
        ball("part", 0.25, 1.0)
            .at(DVec3::new(-5.0, 0.1, 0.25))
            .with_velocity(DVec3::new(2.5, 0.3, 0.0), DVec3::new(0.0, -3.0, 4.0))
    };
    for floor in ["mesh", "cracked mesh", "height field"] {
        for (part, mu) in [(box_(), 0.1), (spinning(), 0.3)] {
            let plane = on(surface("plane"), part.clone(), 0.01, mu);
            let mesh = on(surface(floor), part, 0.01, mu);
            let worst = apart(plane, mesh, "part", 3.0);
            assert!(worst < 1e-9, "{floor}: {worst}");
        }
    }
}

/// A box on 200 triangles: four corners, never more than eight rows, never one lost.
#[test]
fn a_box_on_many_triangles_has_few_rows() {
    let part = cuboid("part", DVec3::new(3.0, 3.0, 0.4), 2.0)
        .at(DVec3::new(0.03, 0.02, 0.2))
        .with_velocity(DVec3::new(1.5, 0.4, 0.0), DVec3::ZERO);
    let mut world = on(surface("mesh"), part, 0.01, 0.2);
    for _ in 0..60 {
        world.step().expect("a certified step");
        let rows = world.last_step().contacts.len();
        assert!((4..=8).contains(&rows), "{rows} rows");
        assert_eq!(world.contact_forces().count(), 4);
    }
}

/// Corners of a box about the origin, and its surface as triangles.
fn box_surface(size: DVec3) -> (Vec<DVec3>, Mesh) {
    let corner = |k: usize| {
        let side = |bit: usize, x: f64| if k >> bit & 1 == 1 { x } else { -x };
        DVec3::new(
            side(0, 0.5 * size.x),
            side(1, 0.5 * size.y),
            side(2, 0.5 * size.z),
        )
    };
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let quads: [[u32; 4]; 6] = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .collect();
    let mesh = Mesh::new(&corners, &triangles).expect("a closed mesh");
    (corners, mesh)
}

/// A mesh on a mesh: a box of triangles slides over sheets of them as a box over the plane.
#[test]
fn a_mesh_slides_over_a_mesh_as_a_box_over_the_plane() {
    let size = DVec3::new(0.7, 0.5, 0.4);
    let part = |shape: Shape| {
        BodySpec::free("part", shape, 2.0)
            .at(DVec3::new(-3.0, 0.13, 0.2))
            .with_velocity(DVec3::new(2.2, 0.1, 0.0), DVec3::ZERO)
    };
    for floor in ["mesh", "cracked mesh", "height field"] {
        let solid = part(Shape::cuboid(size).expect("a box"));
        let plane = on(surface("plane"), solid, 0.01, 0.1);
        let surfaces = part(Shape::Mesh(Arc::new(box_surface(size).1)));
        let mesh = on(surface(floor), surfaces, 0.01, 0.1);
        let worst = apart(plane, mesh, "part", 1.0);
        assert!(worst < 1e-9, "{floor}: {worst}");
    }
}

/// Eight small boxes, a hull, a closed mesh, and a box of the same outline: thrown, they tumble alike.
#[test]
fn one_outline_moves_as_one() {
    let size = DVec3::new(0.6, 0.4, 0.3);
    let (corners, mesh) = box_surface(size);
    let small = Shape::cuboid(size * 0.5).expect("a box");
    let eight = Shape::compound(corners.iter().map(|c| Piece {
        shape: small.clone(),
        pose: Pose::at(*c * 0.5),
    }));
    let thrown = |shape: Shape| {
        let pose = Pose {
            position: DVec3::new(0.0, 0.0, 0.8),
            orientation: stickslip::geometry::pose::exp(DVec3::new(0.2, 0.3, 0.1)),
        };
        World::builder()
            .body(ground())
            .body(
                BodySpec::free("part", shape, 2.0)
                    .with_pose(pose)
                    .with_velocity(DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.5, 2.0, -1.0)),
            )
            .friction(0.4)
            .time_step(0.005)
            .build()
            .expect("a world")
    };
    let whole = || thrown(Shape::cuboid(size).expect("a box"));
    for (name, shape) in [
        ("compound", eight.expect("a compound")),
        ("hull", Shape::hull(&corners).expect("a hull")),
        ("mesh", Shape::Mesh(Arc::new(mesh))),
    ] {
        let worst = apart(whole(), thrown(shape), "part", 1.5);
        assert!(worst < 1e-9, "{name}: {worst}");
    }
}

/// Every shape lands and comes to rest on a mesh, on its face or rolling, certified, without sinking in.
#[test]
fn every_shape_lands_on_a_mesh() {
    let points = [
        [0.2, 0.0, -0.1],
        [-0.2, 0.1, -0.1],
        [-0.1, -0.2, -0.1],
        [0.0, 0.0, 0.2],
    ];
    let hull = Shape::hull(&points.map(DVec3::from)).expect("a hull");
    for (name, shape) in [
        ("ball", Shape::ball(0.2)),
        ("box", Shape::cuboid(DVec3::new(0.3, 0.2, 0.2))),
        ("cylinder", Shape::cylinder(0.15, 0.3)),
        ("cone", Shape::cone(0.2, 0.3)),
        ("capsule", Shape::capsule(0.1, 0.3)),
        ("hull", Ok(hull)),
    ] {
        let shape = shape.expect("a shape");
        for floor in ["mesh", "cracked mesh"] {
            let part = BodySpec::free("part", shape.clone(), 1.0)
                .at(DVec3::new(-1.0, 0.07, 0.4))
                .with_velocity(DVec3::new(1.0, 0.1, 0.0), DVec3::ZERO);
            let mut world = on(surface(floor), part, 0.005, 0.5);
            let mut deepest = 0.0_f64;
            for step in 0..240 {
                if let Err(e) = world.step() {
                    panic!("{name} on {floor}, step {step}: {e}");
                }
                deepest = deepest.max(world.last_step().certificate.penetration);
            }
            let z = world.body("part").expect("a body").pose.position.z;
            assert!(z > 0.04 && z < 0.41, "{name} on {floor}: z = {z}");
            assert!(deepest < 1e-3, "{name} on {floor}: {deepest} m deep");
        }
    }
}

/// A ball of 1 cm at 1 km/s and h = 0.01 s against a sheet without thickness, and against a plate of 1 mm.
#[test]
fn nothing_passes_through_a_sheet() {
    let plate = Shape::compound([-1.0, 1.0].map(|x| Piece {
        shape: Shape::cuboid(DVec3::new(2.0, 2.0, 0.001)).expect("a plate"),
        pose: Pose::at(DVec3::new(x, 0.0, 0.0)),
    }));
    for floor in [surface("mesh"), plate.expect("a plate")] {
        for (x, vx) in [(0.3, 0.0), (0.0, 100.0), (-0.7, 31.0)] {
            let part = ball("part", 0.005, 0.01)
                .at(DVec3::new(x, 0.11, 3.0))
                .with_velocity(DVec3::new(vx, 0.0, -1000.0), DVec3::ZERO);
            let mut world = on(floor.clone(), part, 0.01, 0.2);
            for _ in 0..3 {
                world.step().expect("a certified step");
                let p = world.body("part").expect("a body").pose.position;
                assert!(p.z > 0.0049 || p.x.abs() > 2.0, "{p}");
            }
        }
    }
}

/// A folder of its own for the files of a test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn meshes_that_cannot_be_are_refused_with_a_reason() {
    let root = folder("meshes");
    let inner = root.join("scene");
    std::fs::create_dir_all(&inner).expect("a folder");
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let mut huge = b"binary".to_vec();
    huge.resize(80, 0);
    huge.extend(10_000_000_u32.to_le_bytes());
    for (name, content) in [
        ("open.obj", format!("{triangle}f 1 2 3\n").into_bytes()),
        ("nan.obj", b"v 0 0 nan\nf 1 1 1\n".to_vec()),
        ("flat.obj", format!("{triangle}f 1 2 2\n").into_bytes()),
        ("huge.stl", huge),
        ("rows.csv", b"0, 1, 2\n0, 1\n".to_vec()),
        ("word.csv", b"0, 1\n0, tall\n".to_vec()),
        ("part.step", b"ISO-10303-21;".to_vec()),
        (
            "../outside.obj",
            format!("{triangle}f 1 2 3\n").into_bytes(),
        ),
    ] {
        std::fs::write(inner.join(name), content).expect("a file");
    }
    let read = |shape: &str, rest: &str| {
        let text = format!(
            "[step]\nh = 0.01\nuntil = 1\n[[body]]\nname = \"part\"\nshape = {shape}\n{rest}\n"
        );
        let file = inner.join("scene.toml");
        Scene::parse(&text, &file.display().to_string(), &[])
    };
    let fixed = "motion = \"fixed\"";
    for (shape, rest, word) in [
        (
            "{ mesh = { file = \"open.obj\" } }",
            "mass = 1",
            "not closed",
        ),
        ("{ mesh = { file = \"nan.obj\" } }", fixed, "line 1"),
        (
            "{ mesh = { file = \"flat.obj\" } }",
            fixed,
            "no triangle with an area",
        ),
        (
            "{ mesh = { file = \"huge.stl\" } }",
            fixed,
            "10000000 triangles",
        ),
        ("{ mesh = { file = \"part.step\" } }", fixed, "what kind"),
        ("{ mesh = { file = \"none.obj\" } }", fixed, "cannot read"),
        (
            "{ mesh = { file = \"../outside.obj\" } }",
            fixed,
            "not in the scene's folder",
        ),
        (
            "{ mesh = { file = \"open.obj\", scale = -1 } }",
            fixed,
            "scale",
        ),
        (
            "{ mesh = { vertices = [[0, 0, 0]], triangles = [[0, 0, 1]] } }",
            fixed,
            "from 0 to 0",
        ),
        (
            "{ mesh = { vertices = [[0, 0, 0]] } }",
            fixed,
            "`vertices` and `triangles`",
        ),
        (
            "{ height-field = { file = \"rows.csv\", spacing = [1, 1] } }",
            fixed,
            "line 2",
        ),
        (
            "{ height-field = { file = \"word.csv\", spacing = [1, 1] } }",
            fixed,
            "`tall`",
        ),
        (
            "{ height-field = { heights = [[0, 1]], spacing = [1, 1] } }",
            fixed,
            "two rows",
        ),
        ("{ compound = [] }", "mass = 1", "at least one piece"),
        (
            "{ compound = [{ shape = { mesh = { file = \"open.obj\" } } }] }",
            fixed,
            "convex shape",
        ),
    ] {
        let error = read(shape, rest).expect_err(shape);
        assert!(error.message.contains(word), "{shape}: {}", error.message);
        assert!(error.line > 0, "{shape}: no line");
    }
    // With leave, and repaired.
    let file = inner.join("scene.toml");
    let text = "[step]\nh = 0.01\nuntil = 1\n[[body]]\nname = \"a\"\nmotion = \"fixed\"\n\
                shape = { mesh = { file = \"../outside.obj\" } }\n";
    let files = stickslip::dynamics::scene::Files::beside(&file).anywhere(true);
    let name = file.display().to_string();
    let scene = Scene::parse_with(text, &name, &[], files).expect("a scene");
    assert_eq!(scene.files.len(), 1);
    let repaired = read(
        "{ mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2], [0, 0, 1]] } }",
        fixed,
    );
    assert_eq!(repaired.expect("a scene").notes.len(), 1);
    std::fs::remove_dir_all(&root).expect("a folder to remove");
}
