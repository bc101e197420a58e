//! Enough rows for a stable support, and no more: each shape where it rests.

use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::pose::exp;
use stickslip_geometry::{Candidate, Moving, Pose, Shape};

/// Rows of b resting on a, both still, b about to fall by a little.
fn rows(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Vec<Candidate> {
    let mut fallen = pose_b;
    fallen.position.z -= 1e-5;
    let mut out = Vec::new();
    future_contacts(
        &Moving::free(a, pose_a, pose_a),
        &Moving::free(b, pose_b, fallen),
        &mut out,
    );
    out
}

fn ground() -> Shape {
    Shape::half_space(DVec3::Z, 0.0).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(DVec3::new(x, y, z))
}

fn turned(mut pose: Pose, phi: DVec3) -> Pose {
    pose.orientation = exp(phi);
    pose
}

/// All rows touch, with the upward normal, and the point below the centre of mass lies inside their outline.
fn supports(rows: &[Candidate], centre: DVec3, count: usize) {
    assert_eq!(rows.len(), count, "{rows:#?}");
    for c in rows {
        assert!(c.gap.abs() < 1e-14, "{c:?}");
        assert!((c.normal - DVec3::Z).length() < 1e-14, "{c:?}");
    }
    if count >= 3 {
        for k in 0..64 {
            let (s, c) = libm::sincos(f64::from(k) * PI / 32.0);
            let d = DVec3::new(c, s, 0.0);
            let reach = rows
                .iter()
                .map(|c| d.dot(c.point - centre))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(reach > 0.0, "nothing carries towards {d}");
        }
    }
}

#[test]
fn on_the_ground() {
    let o = Pose::IDENTITY;
    let cylinder = Shape::cylinder(0.3, 1.0).unwrap();
    supports(
        &rows(&ground(), o, &cylinder, at(0.0, 0.0, 0.5)),
        DVec3::ZERO,
        8,
    );
    let lying = turned(at(0.0, 0.0, 0.3), DVec3::X * FRAC_PI_2);
    let found = rows(&ground(), o, &cylinder, lying);
    assert_eq!(found.len(), 2);
    assert!((found[0].point - found[1].point).length() > 0.999);
    let cone = Shape::cone(0.3, 1.0).unwrap();
    supports(
        &rows(&ground(), o, &cone, at(0.0, 0.0, 0.25)),
        DVec3::ZERO,
        8,
    );
    let capsule = Shape::capsule(0.2, 1.0).unwrap();
    let lying = turned(at(0.0, 0.0, 0.2), DVec3::X * FRAC_PI_2);
    supports(&rows(&ground(), o, &capsule, lying), DVec3::ZERO, 2);
    let prism: Vec<DVec3> = (0..24)
        .map(|k| {
            let (s, c) = libm::sincos(PI / 6.0 * f64::from(k % 12));
            DVec3::new(0.3 * c, 0.3 * s, if k < 12 { -0.5 } else { 0.5 })
        })
        .collect();
    let prism = Shape::hull(&prism).unwrap();
    supports(
        &rows(&ground(), o, &prism, at(0.0, 0.0, 0.5)),
        DVec3::ZERO,
        12,
    );
}

#[test]
fn a_cone_on_its_side_touches_along_a_line() {
    let cone = Shape::cone(0.3, 1.0).unwrap();
    let tilt = libm::atan(0.3);
    // Lying: the side's normal downward.
    let q = exp(DVec3::Y * (FRAC_PI_2 + tilt));
    let pose = Pose {
        position: DVec3::ZERO,
        orientation: q,
    };
    let z = -cone.support(&pose, -DVec3::Z);
    let pose = Pose {
        position: DVec3::Z * -z,
        orientation: q,
    };
    let found = rows(&ground(), Pose::IDENTITY, &cone, pose);
    supports(&found, DVec3::ZERO, 2);
    assert!(((found[0].point - found[1].point).length() - 1.09_f64.sqrt()).abs() < 1e-14);
}

#[test]
fn on_a_box() {
    let table = Shape::cuboid(DVec3::new(2.0, 2.0, 1.0)).unwrap();
    let o = at(0.0, 0.0, -0.5);
    let cylinder = Shape::cylinder(0.3, 1.0).unwrap();
    supports(
        &rows(&table, o, &cylinder, at(0.1, 0.2, 0.5)),
        DVec3::new(0.1, 0.2, 0.0),
        8,
    );
    supports(
        &rows(
            &table,
            o,
            &cylinder,
            turned(at(0.1, 0.2, 0.3), DVec3::X * FRAC_PI_2),
        ),
        DVec3::ZERO,
        2,
    );
    // Overhanging: the rim crosses the border at two places, inside the eight.
    let found = rows(&table, o, &cylinder, at(0.9, 0.0, 0.5));
    assert!(
        found
            .iter()
            .all(|c| c.gap.abs() < 1e-14 && c.point.x <= 1.0 + 1e-12)
    );
    assert_eq!(found.iter().filter(|c| c.point.x > 1.0 - 1e-9).count(), 2);
    // Lying across a narrow table: where its line crosses the borders.
    let narrow = Shape::cuboid(DVec3::new(2.0, 0.5, 1.0)).unwrap();
    let lying = turned(at(0.0, 0.1, 0.3), DVec3::X * FRAC_PI_2);
    let found = rows(&narrow, o, &cylinder, lying);
    supports(&found, DVec3::ZERO, 2);
    assert!(((found[0].point.y - found[1].point.y).abs() - 0.5).abs() < 1e-7);
    // A wide cap on a small table: its four corners.
    let small = Shape::cuboid(DVec3::new(0.2, 0.2, 1.0)).unwrap();
    supports(
        &rows(&small, o, &cylinder, at(0.0, 0.0, 0.5)),
        DVec3::ZERO,
        4,
    );
    let capsule = Shape::capsule(0.2, 0.6).unwrap();
    supports(
        &rows(
            &table,
            o,
            &capsule,
            turned(at(0.0, 0.0, 0.2), DVec3::X * FRAC_PI_2),
        ),
        DVec3::ZERO,
        2,
    );
    supports(
        &rows(
            &narrow,
            o,
            &capsule,
            turned(at(0.0, 0.0, 0.2), DVec3::X * FRAC_PI_2),
        ),
        DVec3::ZERO,
        2,
    );
    let cone = Shape::cone(0.3, 1.0).unwrap();
    supports(&rows(&table, o, &cone, at(0.0, 0.0, 0.25)), DVec3::ZERO, 8);
}

#[test]
fn lines_side_by_side_carry_at_both_ends() {
    let capsule = Shape::capsule(0.2, 1.0).unwrap();
    let cylinder = Shape::cylinder(0.2, 1.0).unwrap();
    let cuboid = Shape::cuboid(DVec3::new(1.0, 1.0, 1.0)).unwrap();
    let along_x = DVec3::Y * FRAC_PI_2;
    let below = turned(at(0.0, 0.0, 0.0), along_x);
    let on = |x: f64| turned(at(x, 0.0, 0.4), along_x);
    for (a, b) in [
        (&capsule, &capsule),
        (&capsule, &cylinder),
        (&cylinder, &capsule),
        (&cylinder, &cylinder),
    ] {
        let found = rows(a, below, b, on(0.3));
        let (low, high) = found
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| {
                assert!(
                    c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-15,
                    "{c:?}"
                );
                (l.min(c.point.x), h.max(c.point.x))
            });
        assert!(
            (low + 0.2).abs() < 1e-9 && (high - 0.5).abs() < 1e-9,
            "{a:?} {b:?} {low} {high}"
        );
        assert!(found.len() <= 3, "{found:#?}");
    }
    // A box standing on an edge, a capsule along the upper edge.
    let edge = 0.5_f64.sqrt();
    let found = rows(
        &cuboid,
        turned(at(0.0, 0.0, 0.0), DVec3::X * FRAC_PI_2 / 2.0),
        &capsule,
        turned(at(0.1, 0.0, edge + 0.2), along_x),
    );
    let (low, high) = found
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| {
            assert!(
                c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-14,
                "{c:?}"
            );
            (l.min(c.point.x), h.max(c.point.x))
        });
    assert!(
        (low + 0.4).abs() < 1e-9 && (high - 0.5).abs() < 1e-9,
        "{low} {high}"
    );
}

#[test]
fn cylinders_end_to_end_and_crossed() {
    let cylinder = Shape::cylinder(0.3, 1.0).unwrap();
    supports(
        &rows(&cylinder, Pose::IDENTITY, &cylinder, at(0.0, 0.0, 1.0)),
        DVec3::ZERO,
        8,
    );
    // Moved aside: the overlap of the two discs is a lens with two corners.
    let found = rows(&cylinder, Pose::IDENTITY, &cylinder, at(0.2, 0.0, 1.0));
    for c in &found {
        assert!(c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-15);
        assert!(libm::hypot(c.point.x, c.point.y) < 0.3 + 1e-8);
        assert!(libm::hypot(c.point.x - 0.2, c.point.y) < 0.3 + 1e-8);
    }
    let reach = found.iter().map(|c| c.point.y).fold(0.0, f64::max);
    assert!((reach - (0.09 - 0.01_f64).sqrt()).abs() < 1e-12, "{reach}");
    assert!(found.len() <= 12, "{}", found.len());
    let crossed = rows(
        &cylinder,
        turned(at(0.0, 0.0, 0.0), DVec3::X * FRAC_PI_2),
        &cylinder,
        turned(at(0.0, 0.0, 0.6), DVec3::Y * FRAC_PI_2),
    );
    supports(&crossed, DVec3::ZERO, 1);
}
