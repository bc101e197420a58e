//! The worked scenes, each with its answer in closed form.

mod common;

use common::{Random, all, distance, rod, scene};
use stickslip_planar::figure::{Pair, Peg};
use stickslip_planar::{State, Status};

const G: f64 = 9.81;

fn only(name: &str) -> (String, [f64; 3]) {
    let answer = all(&scene(name));
    assert_eq!(
        answer.status(),
        Status::Unique,
        "{name}: {:#?}",
        answer.sets
    );
    (answer.sets[0].mode.clone(), answer.sets[0].vertices[0])
}

fn modes(name: &str) -> Vec<String> {
    all(&scene(name))
        .sets
        .iter()
        .map(|s| s.mode.clone())
        .collect()
}

/// Every scene file can be read and solved.
#[test]
fn all_scenes_are_states() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/planar");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name();
        all(&scene(name.to_str().unwrap()));
        count += 1;
    }
    assert!(count >= 20);
}

#[test]
fn feeder_track() {
    assert_eq!(modes("feeder-rests.toml"), ["ff"]);
    let (mode, a) = only("feeder-slides.toml");
    let slope = 25.0_f64.to_radians();
    let expected = G * (libm::sin(slope) - 0.3 * libm::cos(slope));
    assert_eq!(mode, "rr");
    assert!(distance(a, [expected, 0.0, 0.0]) < 1e-9);
    let (mode, a) = only("feeder-tips.toml");
    assert_eq!(mode, "sf");
    // Turning about the lower edge: moment of the weight over the inertia about the edge, with half sides 10 and 30 mm.
    let moment = libm::cos(slope) * 0.01 - libm::sin(slope) * 0.03;
    let alpha = G * moment / ((4e-4 + 3.6e-3) / 12.0 + 1e-4 + 9e-4);
    assert!((a[2] - alpha).abs() < 1e-9, "{a:?} {alpha}");
    assert!(alpha < 0.0);
}

#[test]
fn pushing_along_a_wall() {
    assert_eq!(modes("wall-push-sticks.toml"), ["ff"]);
    let (mode, a) = only("wall-push-slides.toml");
    let lean = 30.0_f64.to_radians();
    let expected = 20.0 * (libm::sin(lean) - 0.3 * libm::cos(lean));
    assert_eq!(mode, "rr");
    assert!(distance(a, [expected, 0.0, 0.0]) < 1e-9);
    // The edge of the friction cone decides.
    let mut state = scene("wall-push-slides.toml");
    for (mu, slides) in [
        (libm::tan(lean) - 1e-7, true),
        (libm::tan(lean) + 1e-7, false),
    ] {
        state.contacts.iter_mut().for_each(|c| c.mu = mu);
        let answer = all(&state);
        assert_eq!(answer.sets.len(), 1);
        assert_eq!(answer.sets[0].mode == "rr", slides);
    }
}

/// A uniform ladder rests where tan θ ≥ (1 - μ²)/(2μ).
#[test]
fn ladder() {
    assert_eq!(modes("ladder-rests.toml"), ["ff"]);
    assert_eq!(modes("ladder-slips.toml"), ["ll"]);
    let base = scene("ladder-rests.toml");
    for mu in [0.1, 0.35, 0.6, 0.9] {
        let limit = libm::atan((1.0 - mu * mu) / (2.0 * mu));
        for (angle, rests) in [(limit + 1e-6, true), (limit - 1e-6, false)] {
            let mut state = base.clone();
            let r = [2.0 * libm::cos(angle), 2.0 * libm::sin(angle)];
            state.contacts[0].r = r;
            state.contacts[1].r = [-r[0], -r[1]];
            state.contacts.iter_mut().for_each(|c| c.mu = mu);
            let answer = all(&state);
            assert_eq!(
                answer.sets.iter().any(|s| s.mode == "ff"),
                rests,
                "mu {mu} {:#?}",
                answer.sets
            );
        }
    }
}

/// Two fingers hold every load where the line between them lies inside both friction cones.
#[test]
fn two_finger_grasp() {
    let closed = scene("grasp-closed.toml");
    let open = scene("grasp-open.toml");
    assert!(closed.force_closure() && !open.force_closure());
    assert_eq!(modes("grasp-closed.toml"), ["ff", "rl"]);
    assert_eq!(modes("grasp-open.toml"), ["rl"]);
    let mut random = Random::new(30);
    for _ in 0..500 {
        let mut state = closed.clone();
        state.force = [
            random.between(-5.0, 5.0),
            random.between(-5.0, 5.0),
            random.between(-0.2, 0.2),
        ];
        assert!(
            all(&state).sets.iter().any(|s| s.mode == "ff"),
            "{:?}",
            state.force
        );
    }
    // The condition itself: offset ±y over half width 0.03 against mu.
    for offset in [0.002, 0.008, 0.02, 0.05] {
        let lean: f64 = offset / 0.03;
        for (mu, holds) in [(lean * 1.001, true), (lean * 0.999, false)] {
            let mut state = closed.clone();
            state.contacts[0].r = [0.03, offset];
            state.contacts[1].r = [-0.03, -offset];
            state.contacts.iter_mut().for_each(|c| c.mu = mu);
            assert_eq!(state.force_closure(), holds, "offset {offset} mu {mu}");
        }
    }
}

/// The peg of the scenes with another depth (m), friction and load: F_x, F_z (pushing in) and M about the middle of the tip.
fn peg(depth: f64, mu: f64, f_x: f64, f_z: f64, moment: f64) -> State {
    let mut state = scene("peg-slides.toml");
    state.contacts[0].r = [0.01, 0.04 - depth];
    state.contacts.iter_mut().for_each(|c| c.mu = mu);
    // The centre of mass is 40 mm above the tip.
    state.force = [f_x, -f_z, moment + 0.04 * f_x];
    state
}

/// Whitney's jamming line M/(r F_z) = λ - μ(1 + λ) F_x/F_z with λ = l/(2 r μ), and his wedging condition l < 2 r μ.
#[test]
fn peg_in_hole_against_whitney() {
    assert_eq!(modes("peg-slides.toml"), ["rl"]);
    assert_eq!(modes("peg-jams.toml"), ["ff"]);
    assert_eq!(modes("peg-wedged.toml"), ["ff", "lr"]);
    let r = 0.01;
    let mut random = Random::new(31);
    let (mut jams, mut slides) = (0, 0);
    for _ in 0..5000 {
        let (mu, depth) = (random.between(0.05, 0.8), random.between(0.002, 0.06));
        let lambda = depth / (2.0 * r * mu);
        let f_z = random.between(0.5, 2.0);
        let x = random.between(-1.0, 1.0) / mu;
        let line = lambda - mu * (1.0 + lambda) * x;
        let y = line + random.between(-4.0, 4.0);
        let state = peg(depth, mu, x * f_z, f_z, y * r * f_z);
        let stuck = all(&state).sets.iter().any(|s| s.mode == "ff");
        if lambda > 1.0 {
            assert_eq!(
                stuck,
                y >= line,
                "lambda {lambda}, F_x/F_z {x}, M/(r F_z) {y}, line {line}"
            );
            assert!(!state.force_closure());
            *if stuck { &mut jams } else { &mut slides } += 1;
        } else {
            // Wedged: any load can be held.
            assert!(stuck && state.force_closure());
        }
    }
    assert!(jams > 1000 && slides > 1000, "{jams} {slides}");
}

/// Both pairs of contacts, tip right and tip left: inside the parallelogram nothing sticks, beyond each of its slanted
/// sides one pair does.
#[test]
fn whitneys_parallelogram() {
    let mut random = Random::new(33);
    let mut counts = [0; 3];
    for _ in 0..3000 {
        let (mu, depth) = (random.between(0.1, 0.8), random.between(0.02, 0.06));
        let peg = Peg { r: 0.01, depth, mu };
        if peg.lambda() < 1.05 {
            continue;
        }
        let (x, y) = (
            random.between(-0.99, 0.99) / mu,
            random.between(-12.0, 12.0),
        );
        let [right, left] =
            [Pair::TipRight, Pair::TipLeft].map(|pair| peg.sticks(pair, x, y).expect("a peg"));
        assert_eq!(right, y >= peg.line(Pair::TipRight, x), "{peg:?} {x} {y}");
        assert_eq!(left, y <= peg.line(Pair::TipLeft, x), "{peg:?} {x} {y}");
        counts[usize::from(right) + 2 * usize::from(left)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
}

#[test]
fn painleve_none_one_two_three() {
    assert_eq!(modes("painleve-none.toml"), Vec::<String>::new());
    assert_eq!(modes("painleve-one.toml"), ["l"]);
    assert_eq!(modes("painleve-two.toml"), ["s", "l"]);
    assert_eq!(modes("painleve-three.toml"), ["s", "f", "l"]);
}

/// The four regions of the sliding rod: signs of K = 1 + 3cos² - 3μ sin cos and of b = -g + (l/2) ω² sin.
#[test]
fn painleve_regions_by_the_formula() {
    let mut random = Random::new(32);
    let mut counts = [0; 4];
    for _ in 0..5000 {
        let (theta, mu) = (random.between(0.1, 1.5), random.between(0.0, 4.0));
        let omega = random.between(-8.0, 8.0);
        let mut state = rod(theta, mu, 1.0);
        let r = state.contacts[0].r;
        state.velocity = [-1.0 - omega * r[1], omega * r[0], omega];
        let (s, c) = (libm::sin(theta), libm::cos(theta));
        let k = 1.0 + 3.0 * c * c - 3.0 * mu * s * c;
        let b = -G + 0.5 * omega * omega * s;
        let solutions = all(&state).sets.len();
        let (region, expected) = match (k > 0.0, b > 0.0) {
            (true, false) => (0, 1),
            (true, true) => (1, 1),
            (false, false) => (2, 0),
            (false, true) => (3, 2),
        };
        counts[region] += 1;
        assert_eq!(solutions, expected, "theta {theta} mu {mu} omega {omega}");
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
    // Onset at 72 degrees, and the least mu of all at tan θ = 2.
    let onset = |theta: f64| (4.0 + libm::tan(theta) * libm::tan(theta)) / (3.0 * libm::tan(theta));
    assert!((onset(72.0_f64.to_radians()) - 1.4591).abs() < 1e-4);
    assert!((onset(libm::atan(2.0)) - 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn continuum_and_jam() {
    let answer = all(&scene("parallel-walls.toml"));
    assert_eq!(answer.status(), Status::Continuum);
    assert_eq!(answer.sets.len(), 1);
    let mut ends: Vec<f64> = answer.sets[0].vertices.iter().map(|v| v[1]).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 1.0).abs() < 1e-12 && ends[1].abs() < 1e-12);
    assert_eq!(modes("v-groove.toml"), ["ss", "ff"]);
}
