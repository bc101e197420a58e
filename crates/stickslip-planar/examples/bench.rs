//! Time against the number of contacts: `cargo run --release -p stickslip-planar --example bench`.

use std::time::Instant;
use stickslip_planar::{Contact, Options, State, solve};
use stickslip_testing::Random;

fn generic(random: &mut Random, k: usize) -> State {
    let mut state = State::new(1.0, random.between(0.3, 1.0));
    state.force = [(); 3].map(|()| random.between(-2.0, 2.0));
    for _ in 0..k {
        let angle = random.between(-3.1, 3.1);
        let r = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let n = [libm::cos(angle), libm::sin(angle)];
        state
            .contacts
            .push(Contact::new(n, r, random.between(0.0, 1.0)));
    }
    state
}

/// All contacts slide: every normal is square to the velocity at its point, so that every flat is a different one.
fn moving(random: &mut Random, k: usize) -> State {
    let mut state = generic(random, k);
    state.velocity = [0.7, -0.4, 0.9];
    for c in &mut state.contacts {
        let p = [0.7 + 0.9 * c.r[1], -0.4 - 0.9 * c.r[0]];
        let speed = libm::hypot(p[0], p[1]);
        c.n = [-p[1] / speed, p[0] / speed];
    }
    state
}

fn feet(random: &mut Random, k: usize) -> State {
    let mut state = State::new(1.0, 1.0);
    state.force = [random.between(-1.0, 1.0), -1.0, random.between(-1.0, 1.0)];
    for _ in 0..k {
        state.contacts.push(Contact::new(
            [0.0, 1.0],
            [random.between(-1.0, 1.0), 1.0],
            0.25,
        ));
    }
    state
}

/// Microseconds for one state, the median of many.
fn time(make: fn(&mut Random, usize) -> State, k: usize, options: &Options) -> (f64, f64) {
    let mut random = Random::new(k as u64);
    let runs = 101;
    let mut times = Vec::with_capacity(runs);
    let mut tried = 0;
    for _ in 0..runs {
        let state = make(&mut random, k);
        let start = Instant::now();
        let answer = solve(&state, options).expect("a valid state");
        times.push(start.elapsed().as_secs_f64() * 1e6);
        tried = answer.subsets.tried;
    }
    times.sort_by(f64::total_cmp);
    (times[runs / 2], tried as f64)
}

fn main() {
    let pruned = Options::default();
    let exhaustive = Options {
        exhaustive: true,
        ..Options::default()
    };
    println!("median time of one state, µs (and sets of contacts tried)");
    println!(
        "contacts   at rest            moving             feet on a line     at rest, every subset"
    );
    for k in 1..=20 {
        let (a, n) = time(generic, k, &pruned);
        let (d, r) = time(moving, k, &pruned);
        let (b, p) = time(feet, k, &pruned);
        let every = if k <= 12 {
            let (c, q) = time(generic, k, &exhaustive);
            format!("{c:9.1} ({q})")
        } else {
            "-".into()
        };
        println!("{k:5}   {a:9.1} ({n:4})   {d:9.1} ({r:4})   {b:9.1} ({p:4})   {every}");
    }
}
