//! Properties of the narrow phase over random poses of all pairs: the gaps are the shapes' own, their
//! rates are those of the rows, no pair that closes is left without a candidate, and none that misses is
//! stopped.

mod common;

use common::{KINDS, Random, pair_at, pose, random, shape};
use glam::DVec3;
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::{nearest, separation};
use stickslip_geometry::{Candidate, Moving, Pose, Shape, Twist};

/// All pairs of kinds, in turn.
fn kinds(k: usize) -> [&'static str; 2] {
    let n = KINDS.len();
    [KINDS[k % n], KINDS[k / n % n]]
}

fn twist(dice: &mut Random, size: f64) -> Twist {
    Twist {
        linear: dice.vec3() * size,
        angular: dice.vec3() * size,
    }
}

fn moving<'a>(shape: &'a Shape, start: Pose, nu: &Twist, h: f64) -> Moving<'a> {
    Moving::free(shape, start, start.moved(nu, h))
}

fn contacts(a: &Moving, b: &Moving) -> Vec<Candidate> {
    let mut out = Vec::new();
    future_contacts(a, b, &mut out);
    out
}

/// How far a candidate is from what it claims: its point on one body, its gap the distance from the other's
/// supporting plane.
fn misplaced(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, c: &Candidate) -> f64 {
    let (n, x) = (c.normal, c.point);
    let on_b = (n.dot(x) - a.support(pose_a, n) - c.gap)
        .abs()
        .max(b.distance(pose_b, x));
    let on_a = (-b.support(pose_b, -n) - n.dot(x) - c.gap)
        .abs()
        .max(a.distance(pose_a, x));
    on_a.min(on_b).max((n.length() - 1.0).abs())
}

#[test]
fn the_smallest_gap_is_the_separation_of_the_shapes() {
    let mut dice = random(1);
    let (mut worst, mut astray, mut most, mut seen) = (0.0_f64, 0.0_f64, 0, 0);
    for gap in [1e-2, 1e-4, 1e-8, 1e-12, 0.0, -1e-10, -1e-6] {
        for k in 0..360 {
            let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, kinds(k), gap) else {
                continue;
            };
            // Approaching, so that the pair is a candidate at every gap.
            let nu = Twist {
                linear: (pose_a.position - pose_b.position) * 10.0,
                ..Twist::default()
            };
            let found = contacts(
                &moving(&a, pose_a, &Twist::default(), 0.01),
                &moving(&b, pose_b, &nu, 0.01),
            );
            let smallest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            let truth = nearest(&a, &pose_a, &b, &pose_b).expect("bounded").gap;
            for c in &found {
                let off = misplaced(&a, &pose_a, &b, &pose_b, c);
                assert!(
                    off < 4e-15,
                    "{c:?} is off by {off:e}: {a:?} {pose_a:?} {b:?} {pose_b:?}"
                );
                astray = astray.max(off);
            }
            most = most.max(found.len());
            seen += 1;
            // Rows beside the deepest one may lie deeper along their own normal, never shallower.
            assert!(
                smallest - truth < 1e-12,
                "{a:?} {pose_a:?} {b:?} {pose_b:?}: {smallest:e}, not {truth:e}"
            );
            worst = worst.max(smallest - truth);
        }
    }
    println!("{seen} pairs, at most {most} rows, gaps to {worst:e}, points to {astray:e}");
    assert!(seen > 2_400);
    assert!(most <= 24, "{most} candidates for one pair");
}

#[test]
fn rows_of_a_face_along_an_edge_stand_where_both_bodies_are() {
    // A board across the edge of a step: the edge lies in the board's face to rounding, crosses two of the face's own
    // edges, and may do so as the pair's nearest features or not.
    let mut dice = random(9);
    let step = Shape::cuboid(DVec3::new(0.5, 3.0, 0.8)).expect("a step");
    let board = Shape::cuboid(DVec3::new(0.2, 0.32, 0.48)).expect("a board");
    let below = Pose {
        position: DVec3::new(0.75, 0.0, 0.4),
        ..Pose::IDENTITY
    };
    let edge = DVec3::new(1.0, 0.0, 0.8);
    let (mut crossings, mut worst) = (0, 0.0_f64);
    for _ in 0..2_000 {
        // The face's normal, across the edge, and the board turned about it.
        let n = DVec3::new(0.1 + dice.signed().abs(), 0.0, 0.1 + dice.signed().abs());
        let n = n.try_normalize().expect("not zero");
        let upright = glam::DQuat::from_rotation_arc(DVec3::X, n);
        let tilt = dice.vec3() * libm::pow(10.0, -13.0 - 3.0 * dice.signed());
        let orientation = (exp(tilt) * exp(n * (1e-4 * dice.signed())) * upright).normalize();
        let face_centre =
            edge + DVec3::Y * dice.signed() + n.cross(DVec3::Y) * (0.2 * dice.signed());
        let above = Pose {
            position: face_centre + n * 0.1,
            orientation,
        };
        let pressed = Twist {
            linear: n * -0.01,
            ..Twist::default()
        };
        let found = contacts(
            &moving(&step, below, &Twist::default(), 0.005),
            &moving(&board, above, &pressed, 0.005),
        );
        assert!(found.len() >= 2, "{found:?}");
        for c in found.iter().filter(|c| c.gap < 1e-9) {
            crossings += usize::from(c.feature.0 >> 24 == 4);
            let off = step
                .distance(&below, c.point)
                .max(board.distance(&above, c.point));
            assert!(off < 1e-9, "{off:e} beside: {c:?} {above:?}");
            worst = worst.max(off);
        }
    }
    println!("{crossings} crossings, rows at most {worst:e} m beside a body");
    assert!(crossings > 0, "the case is not met");
}

#[test]
fn gaps_change_at_the_rate_of_their_rows() {
    let mut dice = random(2);
    let (mut worst, mut seen) = (0.0_f64, 0);
    for k in 0..3_600 {
        let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, kinds(k), 0.0) else {
            continue;
        };
        let (nu_a, nu_b) = (twist(&mut dice, 1.0), twist(&mut dice, 1.0));
        let eps = 1e-8;
        let at = |s: f64| {
            let (pa, pb) = (pose_a.moved(&nu_a, s), pose_b.moved(&nu_b, s));
            // A common approach decides which rows there are; it is the same for both sides.
            let toward = Twist {
                linear: (pa.position - pb.position) * 2.0,
                ..Twist::default()
            };
            contacts(
                &moving(&a, pa, &Twist::default(), 0.01),
                &moving(&b, pb, &toward, 0.01),
            )
        };
        let (before, now, after) = (at(-eps), at(0.0), at(eps));
        for c in &now {
            // Points where a line or a rim crosses the border of a face are not material points, nor are those
            // spread around a rim, which go with its lowest one, nor the ends of a round side, nor where lines will cross.
            let kind = c.feature.0 >> 24;
            let on_border = kind == 5 || kind == 6 || kind > 10;
            let round = |s: &Shape| matches!(s, Shape::Cylinder { .. } | Shape::Cone { .. });
            let spread = (kind == 2 || kind >= 7) && (round(&a) || round(&b));
            let same =
                |list: &[Candidate]| list.iter().find(|k| k.feature == c.feature).map(|k| k.gap);
            let (Some(g0), Some(g1)) = (same(&before), same(&after)) else {
                continue;
            };
            if on_border || spread {
                continue;
            }
            let row = c
                .normal
                .dot(nu_b.at(c.point - pose_b.position) - nu_a.at(c.point - pose_a.position));
            let error = ((g1 - g0) / (2.0 * eps) - row).abs();
            assert!(
                error < 1e-6,
                "{c:?}: {error:e} {a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
            worst = worst.max(error);
            seen += 1;
        }
    }
    println!("{seen} rates, to {worst:e}");
    assert!(seen > 2_500, "{seen}");
}

#[test]
fn a_pair_that_closes_within_the_step_always_has_a_candidate() {
    let mut dice = random(3);
    let mut closing = 0;
    for k in 0..20_000 {
        let [first, second] = kinds(k);
        let (a, b) = (shape(&mut dice, first), shape(&mut dice, second));
        let (pose_a, pose_b) = (pose(&mut dice, 1.2), pose(&mut dice, 1.2));
        if separation(&a, &pose_a, &b, &pose_b) < 0.0 {
            continue;
        }
        let (nu_a, nu_b) = (twist(&mut dice, 20.0), twist(&mut dice, 2.0));
        let (ma, mb) = (
            moving(&a, pose_a, &nu_a, 0.02),
            moving(&b, pose_b, &nu_b, 0.02),
        );
        for c in contacts(&ma, &mb) {
            let off = misplaced(&a, &pose_a, &b, &pose_b, &c);
            assert!(
                off < 4e-15,
                "{c:?} is off by {off:e}: {a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
        }
        if separation(&a, &ma.end, &b, &mb.end) < 0.0 {
            closing += 1;
            assert!(
                !contacts(&ma, &mb).is_empty(),
                "{a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
        }
    }
    assert!(closing > 500, "{closing}");
}

#[test]
fn nothing_passes_through_a_thin_plate() {
    let plate = Shape::Box {
        half: DVec3::new(1.0, 1.0, 0.0005),
    };
    for bullet in [
        Shape::Ball { radius: 0.01 },
        Shape::Box {
            half: DVec3::splat(0.01),
        },
    ] {
        let start = Pose::at(DVec3::new(0.1, 0.2, 0.5));
        let nu = Twist {
            linear: DVec3::new(0.0, 0.0, -1000.0),
            ..Twist::default()
        };
        let found = contacts(
            &moving(&plate, Pose::IDENTITY, &Twist::default(), 0.01),
            &moving(&bullet, start, &nu, 0.01),
        );
        let first = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!((first - 0.4895).abs() < 1e-12, "{first}");
        assert!(found.iter().all(|c| (c.normal - DVec3::Z).length() < 1e-15));
    }
}

#[test]
fn what_flies_past_is_not_stopped() {
    // Falling beside a box; two balls that miss each other by a millimetre at 100 m/s.
    let tower = Shape::Box {
        half: DVec3::new(0.5, 0.5, 1.0),
    };
    let down = Twist {
        linear: DVec3::new(0.0, 0.0, -50.0),
        ..Twist::default()
    };
    for part in [
        Shape::Ball { radius: 0.1 },
        Shape::Box {
            half: DVec3::splat(0.1),
        },
    ] {
        let start = Pose::at(DVec3::new(0.601, 0.0, 1.3));
        let found = contacts(
            &moving(&tower, Pose::IDENTITY, &Twist::default(), 0.01),
            &moving(&part, start, &down, 0.01),
        );
        for c in found {
            let closing = c.gap + c.normal.dot(down.linear) * 0.01;
            assert!(closing >= 0.0, "{part:?} would be stopped: {c:?}");
        }
    }
    let ball = Shape::Ball { radius: 0.1 };
    let fast = Twist {
        linear: DVec3::X * 100.0,
        ..Twist::default()
    };
    let found = contacts(
        &moving(&ball, Pose::IDENTITY, &Twist::default(), 0.01),
        &moving(&ball, Pose::at(DVec3::new(-0.5, 0.201, 0.0)), &fast, 0.01),
    );
    for c in found {
        assert!(c.gap + c.normal.dot(fast.linear) * 0.01 >= -1e-12, "{c:?}");
    }
}

#[test]
fn a_box_on_a_box_has_four_rows_where_they_are_alike_and_eight_where_they_are_turned() {
    let cube = Shape::Box {
        half: DVec3::splat(0.5),
    };
    let still = Twist::default();
    let on = |turn: f64| Pose {
        position: DVec3::Z,
        orientation: exp(DVec3::Z * turn),
    };
    for (turn, rows) in [(0.0, 4), (std::f64::consts::FRAC_PI_4, 8)] {
        let found = contacts(
            &moving(&cube, Pose::IDENTITY, &still, 0.01),
            &moving(&cube, on(turn), &still, 0.01),
        );
        assert_eq!(found.len(), rows, "turned by {turn}");
        for c in found {
            assert!(c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-15);
        }
    }
}

#[test]
fn balls_that_fall_together_touch_whatever_their_motion_rounds_to() {
    let ball = Shape::Ball { radius: 0.1 };
    let falls = Twist {
        linear: DVec3::new(0.0, 0.0, -1.0981),
        ..Twist::default()
    };
    // Layers of a square pyramid, each ball in the hollow of four: places that round in every way.
    let (n, r) = (8, 0.1);
    let place = |level: u32, i: u32, j: u32| {
        let along = |i: u32| r * f64::from(level + 2 * i);
        let height = r * (1.0 + f64::from(level) * 2.0_f64.sqrt());
        DVec3::new(along(i), along(j), height)
    };
    for level in 1..n {
        for (i, j) in (0..n - level).flat_map(|i| (0..n - level).map(move |j| (i, j))) {
            let above = moving(&ball, Pose::at(place(level, i, j)), &falls, 0.01);
            for (k, l) in [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                let below = moving(&ball, Pose::at(place(level - 1, k, l)), &falls, 0.01);
                assert_eq!(contacts(&below, &above).len(), 1, "{level}: {i} {j}");
            }
        }
    }
}
