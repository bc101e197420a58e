//! The simulator and the enumeration of planar accelerations say the same: as h falls, a step's mean
//! acceleration is one of those that Newton and Coulomb allow, except where the step jams, which it does only
//! in Painlevé states.

use stickslip::planar::{Options, Status, solve};
use stickslip::prelude::*;

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }
}

/// A box in the x-z plane whose chosen vertices touch half-spaces, each across a direction of that vertex's
/// own normal cone.
#[derive(Clone)]
struct Case {
    half: DVec3,
    turn: f64,
    rho: f64,
    walls: Vec<(DVec3, f64, f64)>,
    velocity: [f64; 3],
    force: [f64; 3],
}

impl Case {
    fn random(dice: &mut Dice) -> Self {
        let half = DVec3::new(dice.between(0.2, 1.0), 0.3, dice.between(0.2, 1.0));
        let turn = dice.between(-1.5, 1.5);
        let rotation = stickslip::geometry::pose::exp(DVec3::Y * turn);
        let contacts = 1 + (dice.roll() * 3.0) as usize;
        let first = (dice.roll() * 4.0) as usize;
        let (mut walls, mut levers) = (Vec::new(), Vec::new());
        for k in 0..contacts {
            let corner = (first + k) % 4;
            let sx = if corner == 0 || corner == 3 {
                1.0
            } else {
                -1.0
            };
            let sz = if corner < 2 { 1.0 } else { -1.0 };
            let vertex = rotation * DVec3::new(sx * half.x, 0.0, sz * half.z);
            let w = dice.between(0.15, 0.85);
            let outward = rotation * DVec3::new(sx * w, 0.0, sz * (1.0 - w));
            let n = -outward / outward.length();
            walls.push((
                n,
                n.dot(vertex),
                if dice.roll() < 0.1 {
                    0.0
                } else {
                    dice.between(0.0, 3.0)
                },
            ));
            levers.push(vertex);
        }
        let scale = if dice.roll() < 0.4 {
            0.0
        } else {
            dice.between(-2.0, 2.0)
        };
        let velocity = kept(dice, &walls, &levers).map(|v| v * scale);
        let force = [
            dice.between(-5.0, 5.0),
            dice.between(-5.0, 5.0),
            dice.between(-3.0, 3.0),
        ];
        Self {
            half,
            turn,
            rho: dice.between(0.2, 1.0),
            walls,
            velocity,
            force,
        }
    }

    fn world(&self, h: f64) -> World {
        let [vx, vz, omega] = self.velocity;
        let [fx, fz, torque] = self.force;
        let inertia = self.rho * self.rho;
        let mut builder = World::builder().gravity(DVec3::ZERO).time_step(h);
        for (k, (n, offset, mu)) in self.walls.iter().enumerate() {
            let name = format!("wall{k}");
            let wall = BodySpec::fixed(
                name.clone(),
                Shape::half_space(*n, *offset).expect("a plane"),
            );
            let friction = Friction::same(*mu);
            builder = builder.body(wall).pair_friction("part", name, friction);
        }
        let pose = Pose {
            position: DVec3::ZERO,
            orientation: stickslip::geometry::pose::exp(DVec3::Y * self.turn),
        };
        builder
            .body(
                BodySpec::free("part", Shape::cuboid(self.half * 2.0).expect("a box"), 1.0)
                    .with_inertia(DMat3::from_diagonal(DVec3::new(inertia, inertia, inertia)))
                    .with_pose(pose)
                    .with_velocity(DVec3::new(vx, 0.0, vz), DVec3::Y * omega),
            )
            .force("part", move |_, _| Wrench {
                force: DVec3::new(fx, 0.0, fz),
                torque: DVec3::Y * torque,
            })
            .build()
            .expect("a world")
    }

    /// The jump of the velocity in the first step of h.
    fn jump(&self, h: f64) -> f64 {
        let mut world = self.world(h);
        let twist = |world: &World| world.body("part").expect("the part").twist;
        let before = twist(&world);
        world.step().expect("a certified step");
        let after = twist(&world);
        (after.linear - before.linear).length() + (after.angular - before.angular).length()
    }

    /// Acceleration in the axes of the view.
    ///
    /// The rows of a step are those of its start, so the turning of the normals shows in the gap one step
    /// later, and impulse and gap settle to each other geometrically (slowly where friction is near
    /// Painlevé's), opening and closing in turn: the acceleration is the mean over 1,000 steps after 200.
    fn acceleration(&self, h: f64, axes: &[DVec3; 3]) -> [f64; 3] {
        let mut world = self.world(h);
        stickslip_verify::run(&mut world, 200.0 * h);
        let before = world.body("part").expect("the part").twist;
        stickslip_verify::run(&mut world, 1200.0 * h);
        let after = world.body("part").expect("the part").twist;
        let dv = (after.linear - before.linear) / (1000.0 * h);
        let dw = (after.angular - before.angular) / (1000.0 * h);
        [axes[0].dot(dv), axes[1].dot(dv), self.rho * axes[2].dot(dw)]
    }
}

/// A velocity (vx, vz, ω about y) that keeps all contacts, of unit size, or rest where there is none.
fn kept(dice: &mut Dice, walls: &[(DVec3, f64, f64)], levers: &[DVec3]) -> [f64; 3] {
    // Row of contact i: n·v + ω (n × … ): n·(ω y × r).
    let row = |i: usize| {
        let n = walls[i].0;
        DVec3::new(n.x, n.z, n.dot(DVec3::Y.cross(levers[i])))
    };
    let v = match walls.len() {
        1 => {
            let any = DVec3::new(
                dice.between(-1.0, 1.0),
                dice.between(-1.0, 1.0),
                dice.between(-1.0, 1.0),
            );
            row(0).cross(any)
        }
        2 => row(0).cross(row(1)),
        _ => DVec3::ZERO,
    };
    let length = v.length();
    if length < 1e-3 {
        [0.0; 3]
    } else {
        (v / length).to_array()
    }
}

#[test]
fn steps_tend_to_legal_accelerations() {
    let count = std::env::var("STICKSLIP_STATES")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1000);
    let mut dice = Dice(4);
    let (mut legal, mut jams, mut passed_over) = (0, 0, 0);
    for k in 0..count {
        let case = Case::random(&mut dice);
        let world = case.world(1e-5);
        let view = match world.planar_view(world.index("part").expect("the part")) {
            Ok(view) => view,
            // Walls that meet the part elsewhere too, at an angle near a face's own.
            Err(_) => {
                passed_over += 1;
                continue;
            }
        };
        assert_eq!(view.state.contacts.len(), case.walls.len(), "case {k}");
        let answer = solve(
            &view.state,
            &Options {
                rest_speed: 1e-9,
                ..Options::default()
            },
        )
        .expect("a state");
        let (coarse, fine) = (case.jump(1e-3), case.jump(1e-5));
        if fine > 0.1 * coarse && fine > 1e-3 {
            jams += 1;
            assert_ne!(
                answer.status(),
                Status::Unique,
                "case {k} jams (jump {coarse:e} at 1e-3, {fine:e} at 1e-5) in a state with one answer"
            );
            continue;
        }
        let a = case.acceleration(5e-7, &view.axes);
        let slack = 1e-2 * (1.0 + a.iter().map(|x| x.abs()).fold(0.0, f64::max));
        assert!(
            answer.sets.iter().any(|s| s.region.contains(a, slack)),
            "case {k}: {a:?} is not among {:?} ({:?}), walls {:?}, v {:?}",
            answer.sets,
            answer.status(),
            case.walls,
            case.velocity
        );
        legal += 1;
    }
    eprintln!(
        "{legal} steps tend to a legal acceleration, {jams} jam in Painlevé states, {passed_over} passed over"
    );
    assert!(legal > count / 2);
}

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
