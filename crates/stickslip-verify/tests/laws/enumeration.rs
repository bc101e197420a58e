//! One contact by enumeration: every mode tried, the angle of the slip by search.

use stickslip::prelude::*;
use stickslip_random::Random;
use stickslip_verify::ground;

/// A body that touches level ground with one point, about to be stepped: D and u_free of that point in (z, grain, across).
struct One {
    d: DMat3,
    u: DVec3,
    mu: f64,
    ratio: f64,
}

impl One {
    /// u after the impulse p.
    fn after(&self, p: DVec3) -> DVec3 {
        self.u + self.d * p
    }

    /// All velocities u that the law allows, by modes.
    fn answers(&self) -> Vec<DVec3> {
        let mut found = Vec::new();
        if self.u.x >= 0.0 {
            found.push(self.u);
        }
        let stick = self.d.inverse() * -self.u;
        let bound = libm::hypot(stick.y, stick.z / self.ratio);
        if stick.x >= 0.0 && bound <= self.mu * stick.x {
            found.push(DVec3::ZERO);
        }
        // Slip: p = p_n (1, μ cos φ, κ μ sin φ), u_n = 0, and u_t along −(cos φ, sin φ/κ).
        let at = |phi: f64| {
            let (s, c) = libm::sincos(phi);
            let ray = DVec3::new(1.0, self.mu * c, self.ratio * self.mu * s);
            let p_n = -self.u.x / (self.d * ray).x;
            let u = self.after(ray * p_n);
            let normal = [c, s / self.ratio];
            (u.y * normal[1] - u.z * normal[0], u, p_n, normal)
        };
        let n = 2000;
        for k in 0..n {
            let step = 2.0 * std::f64::consts::PI / f64::from(n);
            let (mut low, mut high) = (f64::from(k) * step, f64::from(k + 1) * step);
            if at(low).0 * at(high).0 > 0.0 {
                continue;
            }
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if at(low).0 * at(middle).0 <= 0.0 {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            let (_, u, p_n, normal) = at(low);
            let against = u.y * normal[0] + u.z * normal[1] < 0.0;
            if p_n >= 0.0 && against && p_n.is_finite() {
                found.push(u);
            }
        }
        found
    }
}

/// A free body of random inertia on one foot.
fn on_one_foot(random: &mut Random) -> (World, One) {
    let (mu, ratio) = (random.between(0.05, 0.9), random.decade(-1.0, 1.0));
    let belt = DVec3::new(random.signed(), random.signed(), 0.0);
    let angle = random.between(-3.0, 3.0);
    let (sin, cos) = libm::sincos(angle);
    let grain = DVec3::new(cos, sin, 0.0);
    let (h, g) = (0.01, 9.81);
    let lever = DVec3::new(0.1 * random.signed(), 0.1 * random.signed(), -0.2);
    let (linear, angular) = (random.vec3(), random.vec3());
    let linear = DVec3::new(linear.x, linear.y, -linear.z.abs());
    let moments = DVec3::new(
        random.between(0.02, 0.03),
        random.between(0.02, 0.03),
        random.between(0.02, 0.03),
    );
    let mass = 1.5;
    let shape = Shape::points(vec![lever]).expect("a foot");
    let world = World::builder()
        .friction(mu)
        .time_step(h)
        .body(
            ground()
                .with_grain(grain, ratio)
                .with_moving_surface(belt, DVec3::ZERO),
        )
        .body(
            BodySpec::free("body", shape, mass)
                .with_mass(stickslip::geometry::MassProperties {
                    mass,
                    inertia: DMat3::from_diagonal(moments),
                })
                .at(DVec3::Z * 0.2)
                .with_velocity(linear, angular),
        )
        .build()
        .expect("a world");
    // The step's own free spin: I(w − ω) + h w × I w = 0.
    let mut w = angular;
    for _ in 0..60 {
        w = angular - w.cross(moments * w) / moments * h;
    }
    let free = linear + DVec3::Z * (-g * h) + w.cross(lever) - belt;
    let axes = [DVec3::Z, grain, DVec3::Z.cross(grain)];
    let column = |e: DVec3| {
        let velocity = e / mass + (lever.cross(e) / moments).cross(lever);
        DVec3::from_array(axes.map(|a| a.dot(velocity)))
    };
    let d = DMat3::from_cols(column(axes[0]), column(axes[1]), column(axes[2]));
    let u = DVec3::from_array(axes.map(|a| a.dot(free)));
    (world, One { d, u, mu, ratio })
}

/// On a grain, on a belt: the step's velocity is one of those that enumeration finds, and where there is one only, that.
#[test]
fn one_contact_on_a_moving_grain_is_one_of_the_enumerated() {
    let mut random = Random::new(20);
    let (mut single, mut sliding) = (0, 0);
    for number in 0..3000 {
        let (mut world, one) = on_one_foot(&mut random);
        let axes = {
            let model = world.model();
            let ground = &model.bodies[0];
            let grain = ground.grain.expect("a grain").direction;
            [DVec3::Z, grain, DVec3::Z.cross(grain)]
        };
        let belt = one.u; // of the same frame
        let answers = one.answers();
        assert!(!answers.is_empty(), "{number}: enumeration finds one");
        world.step().expect("certified");
        let body = world.body("body").expect("the body");
        let foot = world.last_step().contacts[0];
        let p = DVec3::from_array(axes.map(|a| a.dot(foot.world_impulse() * sign(&foot))));
        let u = one.after(p);
        let nearest = answers
            .iter()
            .map(|a| a.distance(u))
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-7, "{number}: {u} {answers:?} {belt}");
        single += usize::from(answers.len() == 1);
        sliding += usize::from(foot.mode == Mode::Slide);
        assert!(body.twist.linear.is_finite());
    }
    eprintln!("{single} with one answer, {sliding} slide");
    assert!(single > 2500 && sliding > 1000);
}

/// +1 where the body is the second of the pair, so that the impulse is the one on it.
fn sign(foot: &ContactImpulse) -> f64 {
    if foot.contact.normal.z > 0.0 {
        1.0
    } else {
        -1.0
    }
}
