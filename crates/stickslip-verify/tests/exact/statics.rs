//! What rests and what does not: blocks on slopes, ladders, tables, against stored enumerations.

use serde_json::Value;
use stickslip::prelude::*;
use stickslip_verify::{cuboid, ground, reference, run, tilted_gravity};

fn number(case: &Value, key: &str) -> f64 {
    case[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} is a number"))
}

/// The enumerated planar acceleration (along, up, about the out-of-plane axis) of a case.
fn acceleration(case: &Value) -> [f64; 3] {
    let a = &case["enumeration"][0]["a"][0];
    [0, 1, 2].map(|i| a[i].as_f64().expect("a number"))
}

#[test]
fn blocks_on_slopes() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["block"].as_array().expect("cases") {
        let slope = number(case, "beta_deg").to_radians();
        let (width, height) = (number(case, "width"), number(case, "height"));
        let mut world = World::builder()
            .friction(number(case, "mu"))
            .gravity(tilted_gravity(slope))
            .time_step(1e-3)
            .body(ground())
            .body(
                cuboid("block", DVec3::new(width, 1.0, height), 1.0).at(DVec3::Z * (0.5 * height)),
            )
            .build()
            .expect("a world");
        // From rest, one step shows the acceleration itself.
        world.step().expect("a certified step");
        let [ax, az, turn] = acceleration(case);
        let twist = world.body("block").expect("the block").twist;
        let found = [
            twist.linear.x / 1e-3,
            twist.linear.z / 1e-3,
            twist.angular.y.abs() / 1e-3,
        ];
        let want = [ax, az, turn.abs()];
        for (f, w) in found.iter().zip(want) {
            assert!(
                (f - w).abs() < 1e-7,
                "{case}\nfound {found:?}, want {want:?}"
            );
        }
        if case["at_rest_expected"].as_bool() == Some(true) {
            run(&mut world, 2.0);
            let moved = (world.body("block").expect("the block").pose.position
                - DVec3::Z * (0.5 * height))
                .length();
            assert!(moved < 1e-11, "{case}\nmoved {moved:e}");
        }
    }
}

#[test]
fn ladders() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["ladder"].as_array().expect("cases") {
        let (l, m, theta) = (
            number(case, "l"),
            number(case, "m"),
            number(case, "theta_deg").to_radians(),
        );
        let (s, c) = libm::sincos(theta);
        // A box so thin that its lower edge is the rod; it rises along +x and leans on a wall at +x.
        let thin = 1e-8;
        let along = DVec3::new(c, 0.0, s);
        let under = DVec3::new(s, 0.0, -c);
        let foot_to_centre = along * (0.5 * l) - under * (0.5 * thin);
        let inertia = m * l * l / 12.0;
        let wall_at = l * c;
        let mut world = World::builder()
            .time_step(1e-3)
            .body(ground())
            .body(BodySpec::fixed(
                "wall",
                Shape::half_space(-DVec3::X, -wall_at).expect("a plane"),
            ))
            .body(
                cuboid("ladder", DVec3::new(l, 0.5, thin), m)
                    .with_inertia(DMat3::from_diagonal(DVec3::new(
                        0.25 * inertia,
                        inertia,
                        inertia,
                    )))
                    .with_pose(Pose {
                        position: foot_to_centre,
                        orientation: stickslip::geometry::pose::exp(-DVec3::Y * theta),
                    }),
            )
            .pair_friction("ladder", "ground", same(number(case, "mu_floor")))
            .pair_friction("ladder", "wall", same(number(case, "mu_wall")))
            .build()
            .expect("a world");
        world.step().expect("a certified step");
        let twist = world.body("ladder").expect("the ladder").twist;
        let found = [
            twist.linear.x.abs() / 1e-3,
            twist.linear.z.abs() / 1e-3,
            twist.angular.y.abs() / 1e-3,
        ];
        let want = acceleration(case).map(f64::abs);
        for (f, w) in found.iter().zip(want) {
            assert!(
                (f - w).abs() < 1e-6,
                "{case}\nfound {found:?}, want {want:?}"
            );
        }
        if case["predicted"].as_str() == Some("rest") {
            run(&mut world, 2.0);
            let moved =
                (world.body("ladder").expect("the ladder").pose.position - foot_to_centre).length();
            assert!(moved < 1e-11, "{case}\nmoved {moved:e}");
        }
    }
}

fn same(mu: f64) -> Friction {
    Friction {
        stick: mu,
        slide: mu,
    }
}

#[test]
fn tables_stand_and_their_legs_carry_what_is_possible() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["table"].as_array().expect("cases") {
        let (a, b) = (number(case, "a"), number(case, "b"));
        let load = [0, 1].map(|i| case["load_xy"][i].as_f64().expect("a number"));
        let weight = number(case, "W");
        // A weightless-looking table cannot be; its weight is the load, its centre the load's place: the
        // four corners of a box are the legs, and a torque moves the weight's line of action.
        let mut world = World::builder()
            .friction(0.5)
            .body(ground())
            .body(
                cuboid("table", DVec3::new(2.0 * a, 2.0 * b, 0.2), weight / 9.81)
                    .at(DVec3::Z * 0.1),
            )
            .force("table", move |_, _| Wrench {
                force: DVec3::ZERO,
                torque: DVec3::new(load[0], load[1], 0.0).cross(DVec3::new(0.0, 0.0, -weight)),
            })
            .build()
            .expect("a world");
        run(&mut world, 1.0);
        assert!(
            (world.body("table").expect("the table").pose.position - DVec3::Z * 0.1).length()
                < 1e-12
        );
        let legs = case["legs"].as_array().expect("legs");
        for (leg, range) in legs
            .iter()
            .zip(case["per_leg_range_lp"].as_array().expect("ranges"))
        {
            let at = [0, 1].map(|i| leg[i].as_f64().expect("a sign"));
            let force: f64 = world
                .contact_forces()
                .filter(|(contact, _)| {
                    let p = contact.contact.point;
                    (p.x - at[0] * a).abs() < 1e-6 && (p.y - at[1] * b).abs() < 1e-6
                })
                .map(|(_, force)| force.z)
                .sum::<f64>()
                .abs();
            let [low, high] = [0, 1].map(|i| range[i].as_f64().expect("a bound"));
            assert!(
                force > low - 1e-9 && force < high + 1e-9,
                "{case}: {force} not in [{low}, {high}]"
            );
        }
    }
}
