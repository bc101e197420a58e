//! `converge`, wanted errors, and trajectories of every method judged from their files.

mod support;

use support::{folder, path, stickslip};

#[test]
fn converge_tells_the_error_and_the_step_for_a_wanted_one() {
    let place = folder();
    let plot = path(&place, "order.svg");
    let json = stickslip(&[
        "converge",
        "scenes/sliding_box.toml",
        "--set",
        "step.until=1",
        "--quantity",
        "box.x",
        "--error",
        "1e-4",
        "--no-directions",
        "--json",
        "-o",
        &plot,
    ])
    .exits(0)
    .json();
    assert_eq!(json["quantity"], "box.x");
    assert_eq!(json["rungs"].as_array().map(Vec::len), Some(6));
    let number = |key: &str| json["error"][key].as_f64().expect(key);
    assert!(number("total") > 0.0 && number("cone") == 0.0);
    assert!(json["recommended"]["h"].as_f64().expect("h") > 0.0);
    let svg = std::fs::read_to_string(&plot).expect("a plot");
    assert!(svg.contains("slope 1"));
}

#[test]
fn converge_refuses_what_is_no_quantity() {
    let wrong = |quantity: &str| {
        let scene = "scenes/sliding_box.toml";
        stickslip(&["converge", scene, "--quantity", quantity, "--halvings", "3"]).exits(2)
    };
    assert!(wrong("box.w").err.contains("unknown component `w`"));
    assert!(wrong("x").err.contains("BODY.COMPONENT"));
    assert!(wrong("cone.x").err.contains("no body `cone`"));
}

#[test]
fn every_method_writes_what_check_accepts() {
    let place = folder();
    let parquet = path(&place, "run.parquet");
    for method in [
        "stewart-trinkle",
        "implicit",
        "event-driven",
        "anitescu",
        "extrapolated",
    ] {
        for scene in ["scenes/bouncing_ball.toml", "scenes/billiard.toml"] {
            let json = stickslip(&[
                "run", scene, "--method", method, "--until", "0.7", "--json", "-o", &parquet,
            ])
            .exits(0)
            .json();
            assert_eq!(json["certified"], true, "{method} {scene}");
            let checked = stickslip(&["check", &parquet]).exits(0);
            assert!(
                checked.out.starts_with("VALID"),
                "{method} {scene}: {}",
                checked.out
            );
        }
    }
}

#[test]
fn a_wanted_error_implies_its_method() {
    let scene = "scenes/bouncing_ball.toml";
    let run = |arguments: &[&str]| {
        let all = [&["run", scene, "--until", "1"], arguments].concat();
        stickslip(&all)
    };
    run(&["--error", "1e-7", "--h", "0.1"]).exits(0);
    let refused = run(&["--error", "1e-7", "--method", "implicit"]).exits(2);
    assert!(
        refused.err.contains("has no effect with this method"),
        "{}",
        refused.err
    );
}

/// Balls that strike each other: their ladder has no order, so no h is named, and what is better known is.
#[test]
fn no_step_is_recommended_where_there_is_no_order() {
    let asked = [
        "scenes/billiard.toml",
        "--halvings",
        "3",
        "--no-directions",
        "--quiet",
    ];
    let text = stickslip(&[&["converge"], &asked[..]].concat())
        .exits(0)
        .out;
    assert!(text.contains("  looked at    "), "{text}");
    assert!(text.contains("not in the asymptotic range"), "{text}");
    assert!(text.contains("  no h is recommended: "), "{text}");
    assert!(!text.contains(" use h = "), "{text}");
    assert!(
        text.contains("  of the 33 coordinates of bodies "),
        "{text}"
    );
    let json = stickslip(&[&["converge", "--json"], &asked[..]].concat())
        .exits(0)
        .json();
    assert!(json["recommended"]["h"].is_null());
    assert_eq!(json["others"]["coordinates"], 33);
}
