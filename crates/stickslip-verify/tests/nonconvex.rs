//! Contact where the free space is not convex: the planar cases of the reference, the cracked ramp, the tight hole.

use serde_json::Value;
use stickslip::geometry::narrow_phase::Rule;
use stickslip::prelude::*;
use stickslip::solvers::lcp::enumerate::all_solutions;
use stickslip::solvers::lcp::max_gap::{chain, conjunction, face};
use stickslip_verify::{reference, run, world_of};

fn numbers(value: &Value) -> Vec<f64> {
    let items = value.as_array().expect("an array");
    items
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

fn vectors(value: &Value) -> Vec<[f64; 2]> {
    let items = value.as_array().expect("an array");
    items
        .iter()
        .map(|v| numbers(v).try_into().expect("two numbers"))
        .collect()
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn close(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}: {a:?} {b:?}");
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-12, "{what}: {a:?} {b:?}");
    }
}

/// Every answer of the chain along every face, the conjunctive answer, and the face that is chosen.
#[test]
fn the_planar_cases_match_the_reference() {
    let Some(file) = reference("r9_nonconvex.json") else {
        return;
    };
    // What the rule chooses: none where the way is free, else the face in front of which the vertex starts and
    // which it breaks least. In case 8 that is the top, in front of which it starts; the nearest face at the
    // end is a side which it could reach only through the box.
    let chosen = [
        None,
        None,
        Some(1),
        Some(0),
        None,
        Some(0),
        Some(0),
        Some(1),
    ];
    for (case, want) in file["cases"].as_array().expect("cases").iter().zip(chosen) {
        let name = case["name"].as_str().expect("a name");
        let normals = vectors(&case["normals"]);
        let n = normals.len();
        let (h, m) = (
            case["h"].as_f64().expect("h"),
            case["m"].as_f64().expect("m"),
        );
        let gaps = numbers(&case["gaps_free"]);
        let start: [f64; 2] = numbers(&case["P_free"]).try_into().expect("a point");
        // ψ_k changes by h/m n_k·n_u for each unit of impulse along n_u.
        let response = |u: usize| -> Vec<f64> {
            (0..n)
                .map(|k| h / m * dot(normals[k], normals[u]))
                .collect()
        };
        for u in 0..n {
            let known = &case["new"][u];
            let found = all_solutions(&chain(&gaps, &response(u)), 1e-13).expect("a small problem");
            let mut impulses: Vec<f64> = found.iter().map(|z| z[n - 1]).collect();
            impulses.sort_by(f64::total_cmp);
            impulses.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
            close(&impulses, &numbers(&known["impulses"]), name);
            let ends = vectors(&known["end_points"]);
            for (p, end) in impulses.iter().zip(ends) {
                let reached = [0, 1].map(|i| start[i] + h / m * normals[u][i] * p);
                close(&reached, &end, name);
            }
        }
        let all: Vec<f64> = (0..n).flat_map(response).collect();
        let old = all_solutions(&conjunction(&gaps, &all), 1e-13).expect("a small problem");
        assert_eq!(!old.is_empty(), case["old"]["feasible"] == true, "{name}");
        if let Some(old) = old.first() {
            close(old, &numbers(&case["old"]["impulses"]), name);
        }
        assert_eq!(face(&numbers(&case["gaps_start"]), &gaps), want, "{name}");
    }
}

/// How far the box has come along the ramp, and the largest angle by which it has turned on the way.
fn down_the_ramp(overrides: &[String]) -> (f64, f64) {
    let (scene, mut world) = world_of("cracked_ramp.toml", overrides);
    let slope = world.body("ramp").expect("a ramp").pose.orientation;
    let mut turned = 0.0_f64;
    while world.time() < scene.step.until - 1e-9 {
        let h = world.settings().h;
        let until = world.time() + h;
        run(&mut world, until);
        let q = world.body("box").expect("a box").pose.orientation;
        turned = turned.max(stickslip::geometry::pose::log(slope.conjugate() * q).length());
    }
    let x = world.body("box").expect("a box").pose.position;
    ((slope.conjugate() * x).x, turned)
}

/// Over cracks of 1e-4 of the box up to 0.9 (L − μH)/2 = 0.216 m the box slides as if there were none, with the
/// closed form's end; every plane at once makes it tumble over the narrowest.
#[test]
fn a_box_slides_over_cracks() {
    let (whole, _) = down_the_ramp(&["crack=0".into()]);
    for crack in [
        "1e-4*long",
        "0.001",
        "0.02",
        "0.1",
        "0.9*(long - mu*high)/2",
    ] {
        let (end, turned) = down_the_ramp(&[format!("crack={crack}")]);
        assert!(
            (end - whole).abs() < 1e-9,
            "crack {crack}: {end} not {whole}"
        );
        assert!(turned < 1e-9, "crack {crack}: turned by {turned}");
        let (old_end, old_turned) =
            down_the_ramp(&[format!("crack={crack}"), "step.contact=conjunctive".into()]);
        assert!(old_turned > 0.5, "crack {crack}: {old_end} {old_turned}");
    }
    // Wider than (L − μH)/2: friction tips it into the crack.
    let (_, turned) = down_the_ramp(&["crack=1.6*(long - mu*high)/2".into()]);
    assert!(turned > 1e-2, "turned by {turned} only");
}

fn lowest(overrides: &[String]) -> f64 {
    let (scene, mut world) = world_of("tight_hole.toml", overrides);
    run(&mut world, scene.step.until);
    world.body("box").expect("a box").pose.position.z
}

/// Through holes 1e-2 … 1e-6 wider than the box, straight or to one side; every plane at once holds it on the rim.
#[test]
fn a_box_falls_into_a_tight_hole() {
    for clearance in ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6"] {
        let wide = format!("clearance={clearance}");
        for aside in ["0", "0.45*clearance", "0.5*clearance"] {
            let z = lowest(&[wide.clone(), format!("aside={aside}")]);
            assert!((z + 9.5).abs() < 1e-9, "{clearance}, {aside}: {z}");
        }
        let z = lowest(&[wide, "step.contact=conjunctive".into()]);
        assert!(z > 2.4, "{clearance}: conjunctive {z}");
    }
}

/// At most one normal for each pair of pieces at the corner of a block, whatever the way to it.
#[test]
fn one_piece_pushes_along_one_normal() {
    let (_, mut world) = world_of("cracked_ramp.toml", &[]);
    assert_eq!(world.settings().contact, Rule::MaxGap);
    for _ in 0..230 {
        world.step().expect("a certified step");
        let mut loaded: Vec<([u32; 2], DVec3)> = Vec::new();
        for (c, _) in world.contact_forces() {
            let known = loaded.iter().find(|l| l.0 == c.contact.pieces);
            assert!(known.is_none_or(|l| l.1.dot(c.contact.normal) > 1.0 - 1e-12));
            loaded.push((c.contact.pieces, c.contact.normal));
        }
    }
}
