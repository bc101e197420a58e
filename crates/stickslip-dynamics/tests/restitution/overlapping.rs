//! Balls in rows: impacts that begin before others have ended.

use super::{along_x, ball, run};
use glam::DVec3;
use stickslip_dynamics::World;

/// Gaps as parts of the way of a step.
const GAPS: [f64; 12] = [1e-4, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0];

/// Balls of 1 kg on the x axis: their places and speeds.
fn row(balls: &[(f64, f64)], h: f64, e: f64) -> World {
    let mut builder = World::builder()
        .time_step(h)
        .gravity(DVec3::ZERO)
        .friction(0.0)
        .restitution(e);
    for (k, &(x, v)) in balls.iter().enumerate() {
        let one = ball(&format!("{k}"), DVec3::X * x);
        builder = builder.body(one.with_velocity(DVec3::X * v, DVec3::ZERO));
    }
    builder.build().expect("a row")
}

/// One ball strikes two.
fn cradle(gap: f64, h: f64, e: f64) -> World {
    // Where in its step it strikes is not to be lucky.
    let mut world = row(
        &[(-0.2 - 7.3 * h, 1.0), (0.0, 0.0), (0.2 + gap * h, 0.0)],
        h,
        e,
    );
    run(&mut world, 80.0 * h);
    world
}

/// The balls are struck one after the other where the way takes a step or more, and at once where it takes next to none.
fn assert_either(gap: f64, world: &World, in_turn: [f64; 3], at_once: [f64; 3]) {
    let v = along_x(world, &["0", "1", "2"]);
    let off = |exact: [f64; 3]| {
        let off = v.iter().zip(exact).map(|(a, b)| (a - b).abs());
        off.fold(0.0, f64::max)
    };
    let (in_turn, at_once) = (off(in_turn) < 1e-9, off(at_once) < 1e-9);
    assert!(in_turn || at_once, "gap {gap} h: {v:?}");
    assert!(in_turn || gap < 1.0, "gap {gap} h: {v:?}");
    assert!(at_once || gap > 0.2, "gap {gap} h: {v:?}");
}

#[test]
fn a_cradle_keeps_its_energy_whatever_its_gaps() {
    for h in [0.01, 1e-3] {
        for gap in GAPS {
            let world = cradle(gap, h, 1.0);
            let energy = world.energy();
            assert!((energy - 0.5).abs() < 1e-9, "gap {gap} h: {energy} J");
            let at_once = [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
            assert_either(gap, &world, [0.0, 0.0, 1.0], at_once);
        }
    }
}

#[test]
fn a_cradle_loses_what_it_is_to_lose() {
    for h in [0.01, 1e-3] {
        for gap in GAPS {
            let world = cradle(gap, h, 0.5);
            let in_turn = [0.203_125, 0.234_375, 0.5625];
            assert_either(gap, &world, in_turn, [0.0, 0.5, 0.5]);
        }
    }
}

#[test]
fn a_row_of_twenty_keeps_its_energy() {
    for h in [0.01, 1e-3] {
        for gap in [0.01, 0.1, 0.2, 0.4, 1.2, 3.0] {
            let mut balls = vec![(-0.2 - 7.3 * h, 1.0)];
            balls.extend((0..20).map(|k| (f64::from(k) * (0.2 + gap * h), 0.0)));
            let mut world = row(&balls, h, 1.0);
            run(&mut world, 150.0 * h);
            let kept = world.energy() / 0.5;
            eprintln!("row {h} {gap}: {kept}");
            assert!(kept > 0.95 && kept < 1.0 + 1e-9, "gap {gap} h: {kept}");
        }
    }
}

/// Two pairs strike at any time from each other, and the inner two perhaps each other.
#[test]
fn impacts_that_overlap_in_time_keep_their_energy() {
    let h = 0.01;
    for late in 0..24 {
        let late = 0.25 * f64::from(late) * h;
        for gap in GAPS.map(|gap| gap * h) {
            let inner = 0.1 + 0.5 * gap;
            let balls = [
                (-inner - 0.2 - 3.3 * h, 1.0),
                (-inner, 0.0),
                (inner, 0.0),
                (inner + 0.2 + 3.3 * h + late, -1.0),
            ];
            let mut world = row(&balls, h, 1.0);
            run(&mut world, 60.0 * h);
            let energy = world.energy();
            assert!((energy - 1.0).abs() < 1e-9, "{late} {gap}: {energy} J");
        }
    }
}

/// A ball between a wall of two heavy ones, struck by a heavier one: what is pressed again by what gave back just now counts whole.
#[test]
fn a_light_ball_between_others_keeps_the_energy() {
    let h = 0.01;
    for gap in GAPS.map(|gap| gap * h) {
        let weigh = |name: &str, mass: f64, x: f64, v: f64| {
            let shape = stickslip_geometry::Shape::ball(0.1).expect("a ball");
            let body = stickslip_dynamics::BodySpec::free(name, shape, mass);
            body.at(DVec3::X * x)
                .with_velocity(DVec3::X * v, DVec3::ZERO)
        };
        let mut world = World::builder()
            .time_step(h)
            .gravity(DVec3::ZERO)
            .friction(0.0)
            .restitution(1.0)
            .body(weigh("heavy", 3.0, -0.2 - 5.3 * h, 1.0))
            .body(weigh("light", 1.0, 0.0, 0.0))
            .body(weigh("heaviest", 9.0, 0.2 + gap, 0.0))
            .build()
            .expect("a row");
        run(&mut world, 1.0);
        let kept = world.energy() / 1.5;
        assert!((kept - 1.0).abs() < 1e-9, "{gap}: {kept}");
    }
}
