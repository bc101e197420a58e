//! Ordinary scenes with random numbers come to their end. `cargo xtask survey` runs more of them, each in a process of its own.

use stickslip::dynamics::check::check;
use stickslip::dynamics::scene::Override;
use stickslip::dynamics::simulate::simulate_in_memory;
use stickslip::model::Kind;
use stickslip::prelude::*;
use stickslip_testing::setting;
use stickslip_verify::survey::one::{State, run};
use stickslip_verify::survey::{FAMILIES, Family, scenes};

/// What a family draws can be read, is read as it was written, and makes a world: nothing overlaps at its start.
#[test]
fn every_scene_of_every_family_makes_a_world() {
    for family in FAMILIES {
        for seed in 0..setting("STICKSLIP_SURVEY_BUILT", 12) {
            let (title, text) = (family.title(seed), family.scene(seed));
            let scene = Scene::parse(&text, &title, &[]).unwrap_or_else(|e| panic!("{title}: {e}"));
            assert_eq!(scene.to_toml(), text, "{title}");
            let world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{title}: {e}"));
            assert!(world.model().bodies.iter().any(|b| b.is_free()), "{title}");
        }
    }
}

/// A seed is one scene of a family, another seed another.
#[test]
fn seeds_tell_scenes_apart() {
    for family in FAMILIES {
        assert_eq!(family.scene(1), family.scene(1));
        let body = |seed: u64| family.scene(seed).replace(&family.title(seed), "");
        assert_ne!(body(1), body(2), "{}", family.name);
    }
    let drawn = scenes(5, 2 * FAMILIES.len(), None);
    let mut titles: Vec<String> = drawn.iter().map(|(f, seed)| f.title(*seed)).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), drawn.len());
}

/// The beginning of a scene of each family, with every check on. What is approximate is within the scene's `accept`.
#[test]
fn a_scene_of_each_family_comes_to_its_end() {
    let (seed, count) = (setting("STICKSLIP_SURVEY_SEED", 20), FAMILIES.len());
    let mut unfinished = Vec::new();
    for (family, seed) in scenes(seed, setting("STICKSLIP_SURVEY_COUNT", count), None) {
        let (title, text) = (family.title(seed), family.scene(seed));
        let h = Scene::parse(&text, &title, &[]).expect("drawn").step.h;
        let until = Override::from_option(&format!("step.until={}", 40.0 * h)).expect("a key");
        let scene = Scene::parse(&text, &title, &[until]).expect("drawn");
        let ran = run(&scene, f64::INFINITY);
        eprintln!(
            "{title}: {} after {} steps, {:.2} s",
            ran.state.word(),
            ran.steps,
            ran.seconds
        );
        assert!(
            ran.worst_residual <= 1e3 * scene.step.accept,
            "{title}: {ran:?}"
        );
        if ran.state != State::Ended {
            unfinished.push(format!("{title}: {}", ran.message));
        }
    }
    assert!(unfinished.is_empty(), "{}", unfinished.join("\n"));
}

/// Scenes that a survey found refused, each for another reason, come to their end.
#[test]
fn what_was_refused_comes_to_its_end() {
    for (family, seed, why) in [
        (
            "gripper",
            3_564_339_803,
            "a driven jaw had no row with a ball at rest",
        ),
        (
            "pusher",
            1_526_971_504,
            "a driven pusher had no row with what lay there",
        ),
        (
            "compounds",
            3_977_224_346,
            "a row between an overlap and a gap was dropped in parts of a step",
        ),
        (
            "drum",
            2_638_740_986,
            "what is carried by a turning drum was under its chord half-way",
        ),
        (
            "drum",
            834_043_701,
            "in parts of a step the turn of a drum counted for nothing in what its rows may leave unseen",
        ),
        (
            "drum",
            2_803_135_518,
            "the same, with a hull that the drum throws",
        ),
        (
            "cards",
            3_410_222_124,
            "edges parallel to 1e-4 rad had a row that leans along both",
        ),
        (
            "roll",
            2_458_446_200,
            "a roller that friction locks overlaps, and no impulse undoes that",
        ),
        (
            "bin-capsules",
            3_521_672_651,
            "capsules that swing across each other at 13° had a row where the turn moves their crossing to",
        ),
    ] {
        let text = Family::named(family).expect("a family").scene(seed);
        let scene = Scene::parse(&text, family, &[]).expect("drawn");
        let ran = run(&scene, f64::INFINITY);
        assert_eq!(ran.state, State::Ended, "{family}, {why}: {}", ran.message);
    }
}

/// What overlaps a little where friction locks it is undone by no impulse: it is left as it is, the run goes on, and the judge knows of it.
#[test]
fn what_friction_locks_is_left_as_deep_as_it_is() {
    let text = Family::named("peg").expect("a family").scene(1_436_900_174);
    let scene = Scene::parse(&text, "peg", &[]).expect("drawn");
    let mut world = World::from_scene(&scene).expect("a world");
    let (mut run, outcome) = simulate_in_memory(&scene, &mut world).expect("a run");
    assert!(outcome.reached_end() && outcome.certified());
    assert!(outcome.account.leaving > 0, "{:?}", outcome.account);
    let report = check(&run).expect("the scene in the file");
    assert!(report.valid(), "{:?}", report.findings);
    assert_eq!(report.account, outcome.account);
    // As ordinary steps they miss the law by what they do not undo.
    for frame in &mut run.frames {
        frame.step.kind = match frame.step.kind {
            Kind::Leaving => Kind::Step,
            Kind::LeavingPart => Kind::Part,
            other => other,
        };
    }
    assert!(!check(&run).expect("the scene in the file").valid());
}
