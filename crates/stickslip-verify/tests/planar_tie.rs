//! The simulator and the enumeration of planar accelerations look at the same states.

use stickslip::planar::{Options, Status, solve};
use stickslip::prelude::*;

/// A rod (a very thin box) that slides on its lower end at tan θ = 2: where μ exceeds (4 + tan²θ)/(3 tan θ) = 4/3
/// and it does not turn, no acceleration is legal; the step jams with the impulse of the closed form.
#[test]
fn painleves_rod_is_seen_and_jams() {
    let theta = libm::atan(2.0);
    let (s, c) = libm::sincos(theta);
    let thin = 1e-5;
    let rod = |mu: f64, h: f64| {
        let along = DVec3::new(c, 0.0, s);
        let under = DVec3::new(s, 0.0, -c);
        let inertia = 1.0 / 12.0;
        World::builder()
            .friction(mu)
            .time_step(h)
            .body(stickslip_verify::ground())
            .body(
                BodySpec::free(
                    "rod",
                    Shape::cuboid(DVec3::new(1.0, 0.2, thin)).expect("a box"),
                    1.0,
                )
                .with_inertia(DMat3::from_diagonal(DVec3::new(
                    0.25 * inertia,
                    inertia,
                    inertia,
                )))
                .with_pose(Pose {
                    position: along * 0.5 - under * (0.5 * thin),
                    orientation: stickslip::geometry::pose::exp(-DVec3::Y * theta),
                })
                .with_velocity(-DVec3::X, DVec3::ZERO),
            )
            .build()
            .expect("a world")
    };
    for (mu, want) in [(1.2, Status::Unique), (1.5, Status::None)] {
        let world = rod(mu, 1e-3);
        let view = world
            .planar_view(world.index("rod").expect("the rod"))
            .expect("a planar state");
        let answer = solve(
            &view.state,
            &Options {
                rest_speed: 1e-9,
                ..Options::default()
            },
        )
        .expect("a state");
        assert_eq!(answer.status(), want, "mu = {mu}");
    }
    // The normal impulse does not vanish with h: c_n = 3/4 s c |v| for m = 1.
    for h in [1e-3, 1e-5, 1e-7] {
        let mut world = rod(1.5, h);
        world.step().expect("a certified step");
        let p = world
            .last_step()
            .contacts
            .iter()
            .map(|k| k.impulse.x)
            .sum::<f64>();
        assert!((p - 0.75 * s * c).abs() < 10.0 * h + 2e-3, "h = {h}: {p}");
    }
}
