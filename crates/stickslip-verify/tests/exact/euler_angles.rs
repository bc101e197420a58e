//! Orientation by three angles and by a quaternion: one motion.

use stickslip::prelude::*;
use stickslip_verify::Ladder;

/// Principal moments of the top, kg m².
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);
/// Angles φ, θ, ψ about z, y' and x'' at the start, and the spin in the body, rad/s.
const START: [f64; 6] = [0.4, -0.3, 0.2, 0.5, 0.8, -0.4];

/// ẏ of y = (φ, θ, ψ, ω) with ω in the body: the kinematic map of Euler angles and Euler's equations,
/// ω = (ψ̇ − φ̇ sin θ, θ̇ cos ψ + φ̇ cos θ sin ψ, −θ̇ sin ψ + φ̇ cos θ cos ψ).
fn rates(y: [f64; 6]) -> [f64; 6] {
    let [_, theta, psi, x, y, z] = y;
    let (sin, cos) = libm::sincos(psi);
    let phi_dot = (y * sin + z * cos) / libm::cos(theta);
    let theta_dot = y * cos - z * sin;
    let psi_dot = x + phi_dot * libm::sin(theta);
    let i = MOMENTS;
    [
        phi_dot,
        theta_dot,
        psi_dot,
        (i.y - i.z) * y * z / i.x,
        (i.z - i.x) * z * x / i.y,
        (i.x - i.y) * x * y / i.z,
    ]
}

/// Runge and Kutta's fourth-order method, `steps` steps to time 1 s.
fn by_angles(steps: u32) -> [f64; 6] {
    let h = 1.0 / f64::from(steps);
    let ahead = |y: [f64; 6], k: [f64; 6], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let mut y = START;
    for _ in 0..steps {
        let a = rates(y);
        let b = rates(ahead(y, a, 0.5 * h));
        let c = rates(ahead(y, b, 0.5 * h));
        let d = rates(ahead(y, c, h));
        let mean = std::array::from_fn(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0);
        y = ahead(y, mean, h);
    }
    y
}

/// The rotation of the angles: R = R_z(φ) R_y(θ) R_x(ψ).
fn rotation([phi, theta, psi, ..]: [f64; 6]) -> DMat3 {
    DMat3::from_rotation_z(phi) * DMat3::from_rotation_y(theta) * DMat3::from_rotation_x(psi)
}

/// The scene of the top, its angles and spin written as a user would.
fn top(h: f64) -> World {
    let [phi, theta, psi, ..] = START;
    let spin = rotation(START) * DVec3::new(START[3], START[4], START[5]);
    let text = format!(
        "gravity = [0, 0, 0]\n[step]\nh = {h:?}\nuntil = 1.0\n[[body]]\nname = \"top\"\n\
         shape = {{ ball = {{ radius = 0.1 }} }}\nmass = 1\ninertia = [1, 2, 3]\n\
         orientation = {{ rpy = [{psi:?}, {theta:?}, {phi:?}] }}\nangular-velocity = [{:?}, {:?}, {:?}]\n",
        spin.x, spin.y, spin.z
    );
    let scene = Scene::parse(&text, "top.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn quaternions_move_as_euler_angles_do() {
    let exact = rotation(by_angles(2000));
    let coarse = rotation(by_angles(1000));
    let off = |a: DMat3, b: DMat3| {
        (a - b)
            .to_cols_array()
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max)
    };
    assert!(off(exact, coarse) < 1e-12, "the angles' own error");
    let ladder = Ladder::climb(0.02, 4, |h| {
        let mut world = top(h);
        let start = DMat3::from_quat(world.states()[0].pose.orientation);
        assert!(off(start, rotation(START)) < 1e-15, "the start");
        stickslip_verify::run(&mut world, 1.0);
        off(DMat3::from_quat(world.states()[0].pose.orientation), exact)
    });
    eprintln!("{}", ladder.table());
    ladder.assert_order(2.0, "orientation against Euler angles");
}
