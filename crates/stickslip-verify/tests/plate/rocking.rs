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
        eprintln!("{kind} from {x0}\n{}", ladder.table());
        let finest = ladder.rungs.last().unwrap().1;
        if finest > 1e-5 {
            eprintln!("XXXX");
        }
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

/// Mean place and mean velocity along the plate in each period of a drift from r to within 4 mm of the middle.
fn drift(r: f64, steps: usize) -> Vec<(f64, f64)> {
    let mut world = rocking(0.05, r, 0.0, steps as f64);
    let mut periods = Vec::new();
    let mut x = along_the_plate(&world);
    while x.abs() > 0.004 {
        // The mean of x by the trapezoidal rule.
        let (start, mut sum) = (x, -0.5 * x);
        for _ in 0..steps {
            sum += x;
            world.step().unwrap();
            x = along_the_plate(&world);
        }
        periods.push(((sum + 0.5 * x) / steps as f64, (x - start) / T));
    }
    periods.split_off(10) // the transient falls by 0.26 a period
}

/// Cubic interpolation of v at the place r, among periods sorted by their mean place.
fn at_place(periods: &[(f64, f64)], r: f64) -> f64 {
    let k = periods.partition_point(|p| p.0.abs() > r.abs());
    let near = &periods[k.clamp(2, periods.len() - 2) - 2..][..4];
    let mut v = 0.0;
    for (i, a) in near.iter().enumerate() {
        let mut weight = 1.0;
        for (j, b) in near.iter().enumerate() {
            if i != j {
                weight *= (r - b.0) / (a.0 - b.0);
            }
        }
        v += weight * a.1;
    }
    v
}

/// Least squares of v = b r + c r³.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let mut s = [0.0; 5];
    for &(r, v) in points {
        let r3 = r * r * r;
        for (sum, term) in s.iter_mut().zip([r * r, r * r3, r3 * r3, r * v, r3 * v]) {
            *sum += term;
        }
    }
    let det = s[0] * s[2] - s[1] * s[1];
    (
        (s[3] * s[2] - s[4] * s[1]) / det,
        (s[0] * s[4] - s[1] * s[3]) / det,
    )
}

#[test]
fn steady_velocity_is_the_true_one_and_not_the_leading_formula() {
    let Some(reference) = reference("r1_plate2d.json") else {
        return;
    };
    let slide = &reference["slide"];
    let grid = numbers(&slide["r_grid"]);
    let (mut points, mut worst) = (Vec::new(), 0.0_f64);
    for (sign, column) in [(1.0, "vss_true"), (-1.0, "vss_true_negative_r")] {
        let runs = [750, 1500].map(|steps| drift(sign * 0.0575, steps));
        for (&r, &truth) in grid.iter().zip(&numbers(&slide[column])) {
            // First order in h: extrapolated from two step sizes.
            let [coarse, fine] = runs.each_ref().map(|run| at_place(run, sign * r));
            let v = 2.0 * fine - coarse;
            worst = worst.max((v / truth - 1.0).abs());
            points.push((sign * r, v));
        }
    }
    let (b, c) = fit(&points);
    for steps in [750, 1500, 3000, 6000, 12000] {
        let mut all = drift(0.0575, steps);
        all.extend(drift(-0.0575, steps));
        all.retain(|p| p.0.abs() < 0.0525);
        eprintln!(
            "steps {steps}: fit of all {} periods {:?}",
            all.len(),
            fit(&all)
        );
    }
    let of = |column: &str| ["b", "c"].map(|k| slide[column][k].as_f64().unwrap());
    let ([b_true, c_true], [b_lead, c_lead]) = (of("fit_true"), of("leading_order"));
    eprintln!("b = {b:.6} 1/s (true {b_true:.6}, leading {b_lead:.6})");
    eprintln!("c = {c:.4} 1/(m² s) (true {c_true:.4}, leading {c_lead:.4})");
    eprintln!("largest relative difference on the grid {worst:.1e}");
    assert!(worst < 1e-3, "{worst:.2e}");
    assert!((b / b_true - 1.0).abs() < 1e-3 && (c / c_true - 1.0).abs() < 1e-3);
    assert!((b / b_lead - 1.0).abs() > 0.013 && (c / c_lead - 1.0).abs() > 0.03);
}
