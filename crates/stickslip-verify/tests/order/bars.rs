//! The error bar of `converge` and the wanted error of `extrapolated`, on scenes with closed forms.

use stickslip::dynamics::closed_forms::suite;
use stickslip::dynamics::converge::{Quantity, Settings, converge};
use stickslip::dynamics::scene::Override;
use stickslip::prelude::*;

#[test]
fn the_true_error_lies_inside_the_bar() {
    let (mut inside, mut ratios, mut count) = (0, Vec::new(), 0);
    for case in suite() {
        let scene = Scene::parse(&case.scene, "exact.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        let quantity = Quantity::parse(case.quantity).expect("a quantity");
        let settings = Settings {
            quantity: Some(quantity),
            directions: false,
            ..Settings::default()
        };
        let study = converge(&scene, &settings, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
        let (bar, error) = (study.bar.total(), (study.rungs[0].value - case.value).abs());
        let off = (study.extrapolated - case.value).abs();
        eprintln!(
            "{:<50} error {error:.2e}, bar {bar:.2e}, order {}, v* off by {off:.1e} ± {:.1e}",
            case.name, study.order, study.uncertainty
        );
        count += 1;
        inside += usize::from(error <= bar);
        if error > 1e-11 {
            ratios.push(bar / error);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    eprintln!("{inside} of {count} inside; median of bar over error {median:.2}");
    assert!(inside * 100 >= count * 95, "{inside} of {count}");
    assert!((1.0 / 3.0..3.0).contains(&median), "{median}");
}

/// A prism of n sides that stands for a cylinder, dropped on its side: how high it lies.
#[test]
fn facets_that_stand_for_a_cylinder_are_in_the_bar() {
    for n in [16, 32, 64] {
        let turn = std::f64::consts::PI / f64::from(n);
        let corners: Vec<String> = (0..n)
            .flat_map(|k| {
                // A face below.
                let angle = turn * f64::from(2 * k + 1) - std::f64::consts::FRAC_PI_2;
                let (z, x) = (0.1 * libm::sin(angle), 0.1 * libm::cos(angle));
                [-0.05, 0.05].map(|y| format!("[{x:?}, {y:?}, {z:?}]"))
            })
            .collect();
        let text = format!(
            "gravity = [0, 0, -9.81]\n[step]\nh = 0.01\nuntil = 0.3\n[material]\nfriction = 0.5\n\
             [[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n\
             [[body]]\nname = \"prism\"\nshape = {{ hull = {{ points = [{}] }} }}\nmass = 1\nposition = [0, 0, 0.11]\n",
            corners.join(", ")
        );
        let scene = Scene::parse(&text, "prism.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings {
            quantity: Some(Quantity::parse("prism.z").expect("a quantity")),
            directions: false,
            ..Settings::default()
        };
        let study = converge(&scene, &settings, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
        let (bar, error) = (study.bar.total(), (study.rungs[0].value - 0.1).abs());
        eprintln!("{n} sides: error {error:.3e} m, bar {bar:.3e} m");
        assert!(study.bar.geometry.is_some());
        assert!(error <= bar && bar <= 1.5 * error, "{n}: {error} {bar}");
    }
}

#[test]
fn a_wanted_error_is_met_with_fewer_steps_than_any_fixed_h() {
    let (mut met, mut fewer, mut count) = (0, 0, 0);
    for case in suite() {
        let set = |o: &str| Override::from_option(o).expect("KEY=VALUE");
        let overrides = [set("step.method=extrapolated"), set("step.error=1e-6")];
        let scene =
            Scene::parse(&case.scene, "exact.toml", &overrides).unwrap_or_else(|e| panic!("{e}"));
        let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
        while !world.reached(scene.step.until) {
            world
                .step()
                .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        }
        let quantity = Quantity::parse(case.quantity).expect("a quantity");
        let error = (quantity.of(&world).expect("a body") - case.value).abs();
        // The error of a fixed h = 0.01 s, carried to 1e-6 by its order one.
        let fixed = Scene::parse(&case.scene, "exact.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut other = World::from_scene(&fixed).unwrap_or_else(|e| panic!("{e}"));
        while !other.reached(fixed.step.until) {
            other
                .step()
                .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        }
        let coarse = (quantity.of(&other).expect("a body") - case.value).abs();
        let needed = other.steps() as f64 * (coarse / 1e-6).max(1.0);
        eprintln!(
            "{:<50} error {error:.2e} in {} steps ({} inner); a fixed step would need {needed:.0}",
            case.name,
            world.steps(),
            world.inner_steps()
        );
        count += 1;
        met += usize::from(error <= 2e-6);
        fewer += usize::from((world.inner_steps() as f64) < needed);
    }
    eprintln!("met in {met} of {count}, with fewer steps in {fewer}");
    assert_eq!(met, count);
    assert!(fewer * 10 >= count * 8, "{fewer} of {count}");
}
