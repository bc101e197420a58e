//! What things fall on: terrain, meshes, stairs; and free bodies that are meshes.

use super::draft::{Draft, cuboid, mesh};
use std::f64::consts::PI;
use stickslip::geometry::Mesh;
use stickslip::prelude::*;

/// Bodies in a square above height `floor`, about to land.
fn rain(draft: &mut Draft, n: usize, floor: f64, shape: fn(&mut Draft, f64) -> Shape) {
    let r = 0.5 * draft.size;
    let velocity = draft.falls(r);
    for k in 0..n {
        let at = |i: usize| (i as f64 - 0.5) * 2.1 * r;
        let place = DVec3::new(
            at(k % 2),
            at(k / 2 % 2),
            floor + 1.1 * r + 2.1 * r * (k / 4) as f64,
        );
        let size = r * draft.between(0.4, 1.0);
        let shape = shape(draft, size);
        let turn = draft.any_turn();
        let (aside, spin) = (draft.random.vec3().with_z(0.0), draft.random.vec3());
        let speed = draft.speed();
        let body = draft.free_within("part", shape, 0.7, place);
        body.orientation = turn;
        body.velocity = velocity + aside * speed;
        body.angular_velocity = spin * (speed / r);
    }
}

/// Hills of a height field, smooth or rough, fine or coarse.
pub(super) fn terrain(draft: &mut Draft) {
    let s = draft.size;
    let cells = draft.count(4, 14);
    let pitch = 8.0 * s / cells as f64;
    let (rough, waves) = (draft.between(0.0, 0.3), draft.random.vec3() * 3.0);
    let heights: Vec<Vec<f64>> = (0..=cells)
        .map(|row| {
            (0..=cells)
                .map(|column| {
                    let (x, y) = (column as f64 / cells as f64, row as f64 / cells as f64);
                    let smooth = libm::sin(2.0 * PI * (waves.x * x + waves.y * y) + waves.z);
                    s * (0.4 * smooth + rough * draft.random.signed())
                })
                .collect()
        })
        .collect();
    let field = Mesh::height_field(&heights, pitch, pitch).expect(super::draft::DRAWN);
    draft.fixed(mesh(field), DVec3::ZERO);
    let n = draft.count(1, 7);
    rain(draft, n, 0.75 * s, Draft::any_shape);
}

/// A bowl, a dish with facets: parts run down its side and meet at its bottom.
pub(super) fn bowl(draft: &mut Draft) {
    let s = draft.size;
    let (rings, sectors) = (draft.count(2, 5), draft.count(5, 16));
    let (wide, deep) = (4.0 * s, s * draft.between(0.5, 2.5));
    let mut points = vec![DVec3::ZERO];
    for ring in 1..=rings {
        let part = ring as f64 / rings as f64;
        for sector in 0..sectors {
            let (sin, cos) = libm::sincos(2.0 * PI * sector as f64 / sectors as f64);
            points.push(DVec3::new(
                wide * part * cos,
                wide * part * sin,
                deep * part * part,
            ));
        }
    }
    let at = |ring: usize, sector: usize| match ring {
        0 => 0,
        _ => (1 + (ring - 1) * sectors + sector % sectors) as u32,
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for k in 0..sectors {
            triangles.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
            if ring > 0 {
                triangles.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
    }
    let shape = mesh(Mesh::new(&points, &triangles).expect(super::draft::DRAWN));
    draft.fixed(shape, DVec3::ZERO);
    let n = draft.count(1, 6);
    rain(draft, n, deep + 0.1 * s, Draft::any_shape);
}

/// The surface of a prism over an outline, closed.
fn prism(outline: &[(f64, f64)], caps: &[[u32; 3]], height: f64) -> Mesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |&(x, y)| DVec3::new(x, y, z));
    let points: Vec<DVec3> = at(-0.5 * height).chain(at(0.5 * height)).collect();
    let mut triangles = Vec::new();
    for &[a, b, c] in caps {
        triangles.push([a, c, b]);
        triangles.push([a + n, b + n, c + n]);
    }
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([k, next, next + n]);
        triangles.push([k, next + n, k + n]);
    }
    Mesh::new(&points, &triangles).expect(super::draft::DRAWN)
}

/// A free body that is a mesh: an L, a box or a wedge, within a ball of radius `r`.
fn any_mesh(draft: &mut Draft, r: f64) -> Shape {
    let a = 0.55 * r;
    let height = r * draft.between(0.3, 0.9);
    let found = match draft.random.below(3) {
        0 => {
            let outline = [
                (-a, -a),
                (a, -a),
                (a, -0.3 * a),
                (-0.3 * a, -0.3 * a),
                (-0.3 * a, a),
                (-a, a),
            ];
            let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
            prism(&outline, &caps, height)
        }
        1 => prism(
            &[(-a, -a), (a, -a), (a, a), (-a, a)],
            &[[0, 1, 2], [0, 2, 3]],
            height,
        ),
        _ => prism(&[(-a, -a), (a, -a), (0.3 * a, a)], &[[0, 1, 2]], height),
    };
    mesh(found)
}

/// Free meshes and others, on the ground or on a mesh.
pub(super) fn meshes(draft: &mut Draft) {
    let s = draft.size;
    if draft.once_in(2) {
        draft.ground();
    } else {
        let w = 20.0 * s;
        let slab = prism(
            &[(-w, -w), (w, -w), (w, w), (-w, w)],
            &[[0, 1, 2], [0, 2, 3]],
            s,
        );
        draft.fixed(mesh(slab), DVec3::NEG_Z * 0.5 * s);
    }
    let n = draft.count(1, 5);
    rain(draft, n, 0.0, |draft, r| {
        if draft.once_in(3) {
            draft.any_convex(r)
        } else {
            any_mesh(draft, r)
        }
    });
}

/// Bodies tumble down stairs.
pub(super) fn stairs(draft: &mut Draft) {
    draft.ground();
    let (s, steps) = (draft.size, draft.count(2, 5));
    let (rise, tread) = (s * draft.between(0.3, 0.8), s * draft.between(0.6, 1.5));
    for k in 0..steps {
        let high = rise * (steps - k) as f64;
        let place = DVec3::new((k as f64 + 0.5) * tread, 0.0, 0.5 * high);
        draft.fixed(cuboid(DVec3::new(tread, 6.0 * s, high)), place);
    }
    let n = draft.count(1, 5);
    rain(draft, n, rise * steps as f64, Draft::any_shape);
    let speed = draft.speed();
    for body in draft
        .scene
        .bodies
        .iter_mut()
        .filter(|b| b.name.starts_with("part"))
    {
        body.velocity.x = speed;
    }
}
