//! A particle on a rocking plate (equation 15 of the plate paper): sliding, stick-slip, and loss of contact.

use serde_json::Value;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, reference, run, world_of};

/// Length of a period, s.
const T: f64 = 0.03;

/// x along the plate, from the foot of the axis, m.
fn along_the_plate(world: &World) -> f64 {
    let [plate, particle] = ["plate", "particle"].map(|name| world.body(name).unwrap());
    plate.pose.to_body(particle.pose.position).x
}

/// A particle at r with velocity u along the plate, the axis d below it, in `steps` steps a period.
fn rocking(d: f64, r: f64, u: f64, steps: f64) -> World {
    let set = [
        format!("d={d}"),
        format!("r={r}"),
        format!("u={u}"),
        format!("step.h={}/{steps}", T),
    ];
    world_of("plate_rocking.toml", &set).1
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().expect("an array").iter();
    numbers.map(|x| x.as_f64().expect("a number")).collect()
}

/// Each stored trajectory: first order in h, and within 1e-5 m after 20 periods at the finest h.
fn converges(kind: &str) {
    let Some(reference) = reference("r1_plate2d.json") else {
        return;
    };
    let case = &reference[kind];
    let d = case["params"]["d"].as_f64().unwrap();
    for trajectory in case["trajectories"].as_array().unwrap() {
        let [x0, u0] = ["x0", "u0"].map(|key| trajectory[key].as_f64().unwrap());
        let (t, x) = (numbers(&trajectory["t"]), numbers(&trajectory["x"]));
        let end = t.iter().position(|t| (t - 20.0 * T).abs() < 1e-9).unwrap();
        let ladder = Ladder::climb(T / 375.0, 5, |h| {
            let mut world = rocking(d, x0, u0, (T / h).round());
            run(&mut world, 20.0 * T);
            (along_the_plate(&world) - x[end]).abs()
        });
        ladder.assert_order(1.0, &format!("{kind} from {x0} m"));
        let finest = ladder.rungs.last().unwrap().1;
        assert!(finest < 1e-5, "{kind} from {x0} m: {finest:.2e} m");
    }
}

#[test]
fn sliding_converges_at_first_order() {
    converges("slide");
}

#[test]
fn stick_slip_converges_at_first_order() {
    converges("stick");
}

#[test]
fn loss_of_contact_converges_at_first_order() {
    converges("lift");
}

/// Place (m) and velocity (m/s) along the plate, from the foot of the axis.
fn slip(world: &World) -> [f64; 2] {
    let [plate, particle] = ["plate", "particle"].map(|name| world.body(name).unwrap());
    let lever = particle.pose.position - plate.pose.position;
    let over = particle.twist.linear - plate.twist.at(lever);
    let along = plate.pose.orientation * DVec3::X;
    [along_the_plate(world), along.dot(over)]
}

/// Mean place and mean velocity along the plate in each period of a drift from r to within 4 mm of the middle. Each
/// period is a run of its own, known to `error` (m): reversals of the slip are located, not stepped over.
fn drift(r: f64, error: f64) -> Vec<(f64, f64)> {
    let set = [
        format!("r={r}"),
        "u=0".to_string(),
        "step.method=extrapolated".to_string(),
        format!("step.error={error}"),
        format!("step.until={T}"),
        format!("step.h={}", T / 20.0),
    ];
    let (_, mut world) = world_of("plate_rocking.toml", &set);
    let mut periods = Vec::new();
    let (mut t, [mut x, mut u]) = (0.0, slip(&world));
    while x.abs() > 0.004 {
        let (start, mut sum) = (x, 0.0);
        while !world.reached(T) {
            world.step().unwrap();
            let [x_next, u_next] = slip(&world);
            let h = world.time() - t;
            // The trapezoidal rule with its end correction: fourth order.
            sum += 0.5 * h * (x + x_next) + h * h / 12.0 * (u - u_next);
            (t, x, u) = (world.time(), x_next, u_next);
        }
        periods.push((sum / T, (x - start) / T));
        let states = world.states().to_vec();
        world.restore(0, 0.0, &states).unwrap();
        t = 0.0;
    }
    periods.split_off(10) // the transient falls by 0.26 a period
}

/// Least squares of v = Σ c_k r^(e_k) by the normal equations in r/5 cm.
fn fit<const K: usize>(points: &[(f64, f64)], exponents: [u32; K]) -> [f64; K] {
    const SCALE: f64 = 0.05;
    let powers = |r: f64| exponents.map(|e| (0..e).fold(1.0, |x, _| x * (r / SCALE)));
    let (mut a, mut c) = ([[0.0; K]; K], [0.0; K]);
    for &(r, v) in points {
        let x = powers(r);
        for i in 0..K {
            c[i] += x[i] * v;
            for j in 0..K {
                a[i][j] += x[i] * x[j];
            }
        }
    }
    // The matrix is positive definite: elimination needs no pivots.
    for k in 0..K {
        for i in k + 1..K {
            let l = a[i][k] / a[k][k];
            c[i] -= l * c[k];
            for j in k..K {
                a[i][j] -= l * a[k][j];
            }
        }
    }
    for k in (0..K).rev() {
        for j in k + 1..K {
            c[k] -= a[k][j] * c[j];
        }
        c[k] /= a[k][k];
    }
    let unit = powers(1.0);
    std::array::from_fn(|k| c[k] * unit[k])
}

/// The definition of the reference: the mean velocity of a period against its mean place, once settled, read at its
/// places (by a polynomial of seventh degree through all periods) and fitted there by b r + c r³.
#[test]
fn steady_velocity_is_the_true_one_and_not_the_leading_formula() {
    let Some(reference) = reference("r1_plate2d.json") else {
        return;
    };
    let slide = &reference["slide"];
    let mut periods = drift(0.0575, 3e-7);
    periods.extend(drift(-0.0575, 3e-7));
    periods.retain(|p| p.0.abs() < 0.0525);
    let smooth = fit(&periods, [1, 2, 3, 4, 5, 6, 7]);
    let velocity = |r: f64| {
        let mut power = 1.0;
        smooth.iter().fold(0.0, |v, c| {
            power *= r;
            v + c * power
        })
    };
    let off = periods.iter().map(|p| (velocity(p.0) - p.1).abs());
    eprintln!(
        "{} periods, within {:.1e} m/s of the polynomial",
        periods.len(),
        off.fold(0.0, f64::max)
    );
    let (mut points, mut worst) = (Vec::new(), 0.0_f64);
    for (sign, column) in [(1.0, "vss_true"), (-1.0, "vss_true_negative_r")] {
        for (&r, &truth) in numbers(&slide["r_grid"])
            .iter()
            .zip(&numbers(&slide[column]))
        {
            let v = velocity(sign * r);
            worst = worst.max((v / truth - 1.0).abs());
            points.push((sign * r, v));
        }
    }
    let [b, c] = fit(&points, [1, 3]);
    let of = |column: &str| ["b", "c"].map(|k| slide[column][k].as_f64().unwrap());
    let ([b_true, c_true], [b_lead, c_lead]) = (of("fit_true"), of("leading_order"));
    let [b_off, c_off] = [b / b_true - 1.0, c / c_true - 1.0];
    eprintln!("b = {b:.7} 1/s (true {b_true:.7}, off {b_off:.1e}; leading {b_lead:.6})");
    eprintln!("c = {c:.5} 1/(m² s) (true {c_true:.5}, off {c_off:.1e}; leading {c_lead:.4})");
    eprintln!("largest relative difference on the grid {worst:.1e}");
    assert!(worst < 1e-3, "{worst:.2e}");
    assert!(b_off.abs() < 1e-3, "b");
    assert!(c_off.abs() < 1e-3, "c");
    assert!((b / b_lead - 1.0).abs() > 0.013 && (c / c_lead - 1.0).abs() > 0.02);
}
