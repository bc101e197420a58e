//! `docs/scene.md`: every example is read, and every key of the format is on the page.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use stickslip_dynamics::expression::{Expression, Scope};
use stickslip_dynamics::scene::{Files, Scene, schema};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.md");
    std::fs::read_to_string(path).expect("docs/scene.md")
}

/// The TOML examples, each with the line it starts in.
fn examples(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in page.lines().enumerate() {
        match &mut open {
            None if line == "```toml" => open = Some((number + 2, String::new())),
            None => assert!(!line.starts_with("```toml"), "line {}: {line}", number + 1),
            Some(_) if line == "```" => found.extend(open.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "an example is never closed");
    found
}

/// Adds what the page says its examples leave out.
fn complete(example: &str) -> String {
    let mut text = example.to_owned();
    if !text.contains("[step]") {
        text.push_str("\n[step]\nh = 0.01\nuntil = 1.0\n");
    }
    let missing = |name: &str| !example.contains(&format!("name = \"{name}\""));
    if missing("ground") {
        text.push_str("\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n");
        text.push_str("shape = { half-space = { normal = [0, 0, 1] } }\n");
    }
    if missing("ball") {
        text.push_str(
            "\n[[body]]\nname = \"ball\"\nshape = { ball = { radius = 0.1 } }\nmass = 1\n",
        );
    }
    text
}

#[test]
fn every_example_is_a_scene() {
    let page = page();
    let examples = examples(&page);
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for (line, example) in examples {
        let name = format!("docs/scene.md from line {line}");
        // Files that the page names are beside the scenes.
        let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/any.toml");
        let files = Files::beside(Path::new(scenes));
        if let Err(error) = Scene::parse_with(&complete(&example), &name, &[], files) {
            panic!("{error}");
        }
    }
}

fn keys(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                found.extend(properties.keys().cloned());
            }
            fields.values().for_each(|inner| keys(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| keys(inner, found)),
        _ => {}
    }
}

#[test]
fn every_key_is_on_the_page_and_in_an_example() {
    let page = page();
    let examples: String = examples(&page).into_iter().map(|(_, text)| text).collect();
    let mut all = BTreeSet::new();
    keys(&schema(), &mut all);
    assert!(all.len() >= 35, "{} keys", all.len());
    for key in all {
        assert!(
            page.contains(&format!("`{key}`")),
            "`{key}` is not on the page"
        );
        let written = examples
            .match_indices(&key)
            .any(|(at, _)| examples[at + key.len()..].starts_with([' ', ']']));
        assert!(written, "`{key}` is in no example");
    }
}

#[test]
fn the_message_on_the_page_is_the_one_that_is_given() {
    let page = page();
    let (_, first) = &examples(&page)[0];
    let broken = first.replace("mass =", "masss =");
    let error = Scene::parse(&broken, "scenes/ball.toml", &[]).expect_err("an unknown key");
    assert!(page.contains(&format!("```text\n{error}\n```")), "{error}");
}

/// Every name in the page's list of functions is one, and the formulas know no others.
#[test]
fn every_function_is_on_the_page() {
    let page = page();
    let error = Expression::parse("zzzzzzzz(1)").expect_err("no such function");
    let help = error.help.expect("the list of functions");
    let names = help.strip_prefix("the functions are ").expect("a list");
    for name in names.split(", ") {
        let shown = page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}("));
        assert!(shown, "`{name}` is not on the page");
        let call = ["(1)", "(1, 1)", "(1, 1, 1)"].map(|arguments| format!("{name}{arguments}"));
        let works = |text: &String| Expression::parse(text).is_ok();
        assert_eq!(call.iter().filter(|text| works(text)).count(), 1, "{name}");
    }
    let shuttle = "0.1*if(mod(t, 2) < 1.5, mod(t, 2), 6 - 3*mod(t, 2))";
    let shuttle = Expression::parse(shuttle).expect("a formula");
    let shuttle = shuttle.bind(&Scope::default().with_time()).expect("bound");
    assert!((shuttle.value(1.5) - 0.15).abs() < 1e-15);
    assert!(shuttle.value(1.999_999).abs() < 1e-6);
    assert!((shuttle.jet(3.7).rate + 0.3).abs() < 1e-15);
}

/// A scene may name every solver there is, and the page lists them all.
#[test]
fn every_solver_is_on_the_page() {
    let page = page();
    for name in stickslip_solvers::SOLVER_NAMES {
        assert!(
            page.contains(&format!("| `{name}` |")),
            "`{name}` is not on the page"
        );
    }
    assert_eq!(
        stickslip_dynamics::scene::SOLVERS,
        stickslip_solvers::SOLVER_NAMES
    );
}
