//! Scenes damaged at random: never a panic, and every error at a place inside the text.

use std::path::Path;

use stickslip_dynamics::expression::{Expression, Scope};
use stickslip_dynamics::scene::{MAX_FILE, Override, Scene, SceneError};
use stickslip_testing::{Random, setting};

/// How many damaged scenes, options and formulas are tried: 20,000, or `STICKSLIP_FUZZ`.
fn tries() -> usize {
    setting("STICKSLIP_FUZZ", 20_000)
}

/// Pieces that mean something in a scene or formula, and some that mean trouble.
const PIECES: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "=",
    ",",
    "\n",
    "#",
    ".",
    "-",
    "+",
    "*",
    "/",
    "^",
    "<",
    ">",
    "(",
    ")",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "0",
    "-0.0",
    "9999999999999999999999",
    "true",
    "1979-05-27",
    "t",
    "i",
    "pi",
    "mass",
    "count",
    "h",
    "body",
    "[[body]]",
    "[step]",
    "[[force]]",
    "[[contact]]",
    "sin(",
    "mod(",
    "if(",
    "sqrt(-1)",
    "1/0",
    "\\u0041",
    "\u{fffd}",
    "é",
    "\u{0}",
    "\t",
    "\r",
    "\"\"\"",
    "'''",
    "quadratic",
    "free",
    "fixed",
    "ball",
    "box",
    "half-space",
];

fn seeds() -> Vec<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["../../scenes", "tests/broken_scenes"] {
        let entries = std::fs::read_dir(manifest.join(folder)).expect("a folder of scenes");
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            if path.extension().is_some_and(|ending| ending == "toml") {
                texts.push(std::fs::read_to_string(&path).expect("a scene"));
            }
        }
    }
    texts
}

/// A place in the text that does not split a character.
fn place(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn damage(random: &mut Random, text: &mut String, other: &str) {
    let at = place(random, text);
    let end = (at + random.below(12)).min(text.len());
    let end = (at..=end)
        .rev()
        .find(|&e| text.is_char_boundary(e))
        .unwrap_or(at);
    match random.below(6) {
        0 => text.replace_range(at..end, ""),
        1 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        2 => text.replace_range(at..end, PIECES[random.below(PIECES.len())]),
        3 => {
            let copy = text[at..end].repeat(1 + random.below(3));
            text.insert_str(at, &copy);
        }
        4 => {
            // A line of another scene.
            let lines: Vec<&str> = other.lines().collect();
            if !lines.is_empty() {
                let line = format!("\n{}\n", random.pick(&lines));
                text.insert_str(at, &line);
            }
        }
        _ => {
            // A digit becomes another one.
            if text[at..].starts_with(|c: char| c.is_ascii_digit()) {
                let digit = random.below(10).to_string();
                text.replace_range(at..at + 1, &digit);
            }
        }
    }
}

fn check(error: &SceneError) {
    assert!(error.line >= 1 && error.column >= 1, "{error}");
    assert!(error.text.get(error.span.clone()).is_some(), "{error}");
    assert!(
        error.line <= error.text.matches('\n').count() + 1,
        "{error}"
    );
    assert!(!error.message.is_empty());
    assert!(!error.to_string().is_empty());
}

/// What is accepted can be written, and reads back to the same.
fn written_and_read_again(scene: &Scene) {
    let written = scene.to_toml();
    if written.len() > MAX_FILE {
        return;
    }
    match Scene::parse(&written, "written.toml", &[]) {
        Ok(again) => assert_eq!(again.to_toml(), written),
        Err(error) => panic!("{error}\n{written}"),
    }
}

#[test]
fn damaged_scenes_are_refused_at_a_place() {
    let seeds = seeds();
    let mut random = Random::new(1);
    let mut refused = 0;
    let tries = tries();
    for _ in 0..tries {
        let mut text = random.pick(&seeds).clone();
        let other = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            damage(&mut random, &mut text, &other);
        }
        if text.contains("count") {
            // Not a test of patience: a million bodies are legal.
            text = text.replace("00000", "0");
        }
        match Scene::parse(&text, "damaged.toml", &[]) {
            Err(error) => {
                check(&error);
                refused += 1;
            }
            Ok(scene) => written_and_read_again(&scene),
        }
    }
    assert!(refused > tries / 4, "only {refused} of {tries} refused");
}

#[test]
fn damaged_overrides_are_refused_at_a_place() {
    let text = "[parameters]\na = 1\n[step]\nh = 0.01\nuntil = 1\n[[body]]\nname = \"b\"\n\
                shape = { ball = { radius = \"a\" } }\nmass = 1\n";
    let good = [
        "a=2",
        "step.h=0.1",
        "step.cone={ pyramid = 8 }",
        "gravity=[0, 0, \"a\"]",
    ];
    let mut random = Random::new(2);
    for _ in 0..tries() {
        let mut option = (*random.pick(&good)).to_owned();
        for _ in 0..=random.below(3) {
            damage(
                &mut random,
                &mut option,
                "step.solver=lemke\nparameters.a=3",
            );
        }
        let Some(option) = Override::from_option(&option) else {
            continue;
        };
        if let Err(error) = Scene::parse(text, "scene.toml", &[option]) {
            check(&error);
        }
    }
}

#[test]
fn damaged_formulas_are_refused_at_a_place() {
    let good = [
        "0.002*cos(2*pi*33*t)",
        "if(mod(t, 2) < 1, mod(t, 1), 1 - mod(t, 1))",
        "-2^-3^2 + max(abs(t - 1), min(t, sqrt(1 + t^2)))/exp(-ln(1 + t))",
        "atan(floor(3.7e-1)) >= asin(0.5)*acos(.5)*tan(1.)",
    ];
    let mut random = Random::new(3);
    for _ in 0..tries() {
        let mut text = (*random.pick(&good)).to_owned();
        for _ in 0..=random.below(5) {
            damage(&mut random, &mut text, good[1]);
        }
        let bound = Expression::parse(&text)
            .and_then(|formula| formula.bind(&Scope::default().with_time()));
        match bound {
            Ok(function) => drop(function.jet(0.3)),
            Err(error) => assert!(text.get(error.span.clone()).is_some(), "{text}: {error:?}"),
        }
    }
}

#[test]
fn long_and_deep_formulas_do_not_exhaust_the_stack() {
    for text in [
        "(".repeat(15_000),
        "-".repeat(15_000),
        "2^".repeat(7_500),
        "sin(".repeat(4_000),
        "t+".repeat(9_000) + "t",
        "1+(".repeat(5_000),
        "t ^ ".repeat(4_000) + "t",
    ] {
        if let Ok(formula) = Expression::parse(&text) {
            let function = formula.bind(&Scope::default().with_time());
            assert!(function.is_ok_and(|function| function.value(1.0) == 9_001.0));
        }
    }
}
