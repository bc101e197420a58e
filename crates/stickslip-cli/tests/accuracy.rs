//! Certified is not accurate: what a run says where its steps are too long, and `converge` where its orders are not settled.

mod support;

use support::{folder, stickslip, write};

/// The kinds of doubt about a run, and what was printed.
fn doubts(scene: &str, more: &[&str]) -> (Vec<String>, String) {
    let place = folder();
    let file = write(&place, "scene.toml", scene);
    let json = stickslip(&[&["run", &file, "--json"], more].concat()).json();
    let kinds = json["long_steps"].as_array().expect("a list").iter();
    let kinds = kinds.map(|d| d["kind"].as_str().expect("a word").to_owned());
    let text = stickslip(&[&["run", &file], more].concat()).out;
    (kinds.collect(), text)
}

/// A spinning bar in free flight: ω h rad a step.
fn spinner(omega: f64) -> String {
    format!(
        "gravity = [0, 0, 0]\n[step]\nh = 0.01\nuntil = 0.2\n[[body]]\nname = \"bar\"\nmass = 1\n\
         shape = {{ box = {{ size = [1, 0.1, 0.1] }} }}\nangular-velocity = [0, 0, {omega}]\n"
    )
}

#[test]
fn a_fast_turn_is_told_of_and_a_slow_one_is_not() {
    let (kinds, text) = doubts(&spinner(40.0), &[]);
    assert_eq!(kinds, ["turn"]);
    assert!(
        text.contains("long steps   \"bar\" turns 0.40 rad in the step to t = ")
            && text.contains(": 16 steps a turn"),
        "{text}"
    );
    assert!(
        text.contains("how far they are off: stickslip converge "),
        "{text}"
    );
    assert!(doubts(&spinner(20.0), &[]).0.is_empty());
    // A ball looks the same however it is turned.
    let ball = spinner(40.0).replace("box = { size = [1, 0.1, 0.1] }", "ball = { radius = 0.5 }");
    assert!(doubts(&ball, &[]).0.is_empty());
}

#[test]
fn short_bounces_are_told_of_and_long_ones_are_not() {
    // v = √(2 g d) falls d, and flies 2 e v/g: 0.32 s for d = 0.1 m and e = 0.8, and then less and less.
    let ball = |more: &str| {
        format!(
            "[step]\nh = 0.001\nuntil = 0.6\n{more}[material]\nrestitution = 0.8\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
             shape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ ball = {{ radius = 0.1 }} }}\n\
             position = [0, 0, 0.2]\n"
        )
    };
    assert!(doubts(&ball(""), &[]).0.is_empty());
    let (kinds, text) = doubts(&ball(""), &["--h", "0.04", "--until", "3"]);
    assert_eq!(kinds, ["bounce"], "{text}");
    assert!(
        text.contains("no bounce of \"ball\" and \"ground\" takes more than "),
        "{text}"
    );
    // Events are found where they are, and a wanted error is kept by other means.
    for method in ["event-driven", "extrapolated"] {
        let more = ["--h", "0.04", "--until", "1", "--method", method];
        assert!(doubts(&ball(""), &more).0.is_empty(), "{method}");
    }
}

#[test]
fn a_spring_loses_as_much_as_is_said() {
    // 1 kg on 4π² N/m: a period of 1 s, 50 steps. What is left of 0.1 m after 5 periods is measured.
    let scene = "gravity = [0, 0, 0]\n[step]\nh = 0.02\nuntil = 5\n[[body]]\nname = \"mass\"\nmass = 1\n\
                 shape = { ball = { radius = 0.1 } }\nposition = [1.1, 0, 0]\n[[spring]]\nname = \"spring\"\n\
                 between = [{ body = \"world\" }, { body = \"mass\" }]\nlength = 1\nstiffness = \"4*pi^2\"\n";
    let (kinds, text) = doubts(scene, &[]);
    assert_eq!(kinds, ["spring"], "{text}");
    let said = text
        .split("they take ")
        .nth(1)
        .and_then(|s| s.split(' ').next());
    let said: f64 = said.expect("a percentage").parse().expect("a number");
    let place = folder();
    let file = write(&place, "scene.toml", scene);
    let energy = stickslip(&["run", &file, "--json"]).json()["energy"].clone();
    let part = energy["end"].as_f64().expect("J") / energy["start"].as_f64().expect("J");
    let lost = 100.0 * (1.0 - libm::pow(part, 0.5 / 5.0));
    assert!((lost - said).abs() < 1.5, "{lost} % lost, {said} % said");
    assert!(doubts(scene, &["--h", "0.002"]).0.is_empty());
}

#[test]
fn a_motion_faster_than_its_steps_is_told_of() {
    let plate = |hertz: f64| {
        format!(
            "[step]\nh = 0.001\nuntil = 0.2\n[material]\nfriction = 0.5\n[[body]]\nname = \"plate\"\nshape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n\
             [body.motion]\nposition = [\"1e-4*sin(2*pi*{hertz}*t)\", 0, 0]\n[[body]]\nname = \"part\"\nmass = 1\n\
             shape = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\nposition = [0, 0, 0.05]\n"
        )
    };
    assert!(doubts(&plate(30.0), &[]).0.is_empty());
    for hertz in [100.0, 700.0] {
        let (kinds, text) = doubts(&plate(hertz), &[]);
        assert_eq!(kinds, ["motion"], "{hertz} Hz: {text}");
        let said = format!("in {:.1} steps", 1000.0 / hertz);
        assert!(text.contains(&said), "{hertz} Hz: {text}");
    }
}

#[test]
fn the_scenes_shipped_are_told_of_only_where_they_mean_to_be() {
    for scene in [
        "box_stack",
        "sliding_box",
        "ladder",
        "plate",
        "block_on_incline",
        "pendulum",
    ] {
        let file = format!("scenes/{scene}.toml");
        let json = stickslip(&["run", &file, "--until", "0.2", "--json"]).json();
        assert_eq!(
            json["long_steps"].as_array().map(Vec::len),
            Some(0),
            "{scene}"
        );
    }
}

#[test]
fn converge_says_where_its_orders_are_not_settled() {
    let study = |scene: &str, more: &[&str]| {
        let words = ["converge", scene, "--no-directions", "--quiet"];
        stickslip(&[&words, more].concat()).exits(0)
    };
    let settled = study(
        "scenes/incline_slip.toml",
        &["--set", "step.until=0.5", "--halvings", "4"],
    );
    assert!(!settled.out.contains("asymptotic"), "{}", settled.out);
    // Balls that meet or miss: no order.
    let more = ["--halvings", "3", "--quantity", "cue.y"];
    let unsettled = study("scenes/billiard.toml", &more);
    assert!(
        unsettled
            .out
            .contains("not in the asymptotic range: the last two orders are "),
        "{}",
        unsettled.out
    );
    let json = study("scenes/billiard.toml", &[&more[..], &["--json"]].concat()).json();
    assert_eq!(json["asymptotic"], false);
}

/// To a wanted error steps have lengths of their own: `19 steps of 0.01 s` would not be true of them.
#[test]
fn steps_that_are_not_h_long_are_not_said_to_be() {
    let scene = "scenes/bouncing_ball.toml";
    let line = |more: &[&str]| {
        let ran = stickslip(&[&["run", scene, "--until", "1", "--h", "0.01"], more].concat());
        let steps = ran.out.lines().find(|l| l.contains("to t = 1 s"));
        steps.expect("a line").to_owned()
    };
    assert!(line(&[]).starts_with("  100 steps of 0.01 s to t"));
    let own = line(&["--error", "1e-7"]);
    assert!(
        own.contains(" s in the mean, 0.01 s at most, to t"),
        "{own}"
    );
}

/// Ten boxes that fall on each other: each contact that begins or ends to slide ends a step.
#[test]
fn a_run_that_would_crawl_to_a_wanted_error_says_so_early() {
    let asked = [
        "--error", "1e-6", "--until", "100", "--limit", "20", "--quiet",
    ];
    let ran = stickslip(&[&["run", "scenes/box_stack.toml"], &asked[..]].concat());
    assert_eq!(ran.err.matches("note: to this error steps are ").count(), 1);
    assert!(ran.err.contains("a larger --error"), "{}", ran.err);
}

/// What most people forget once: bodies in contact, and not a word of friction. Who writes 0 means it.
#[test]
fn friction_that_was_forgotten_is_told_of() {
    let scene = |material: &str| {
        format!(
            "[step]\nh = 0.01\nuntil = 0.5\n{material}\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
             shape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ ball = {{ radius = 0.1 }} }}\n\
             position = [0, 0, 0.15]\n"
        )
    };
    let said = |material: &str| {
        doubts(&scene(material), &[])
            .1
            .contains("  friction     none is given")
    };
    assert!(said(""));
    assert!(!said("[material]\nfriction = 0"));
    assert!(!said("[material]\nfriction = 0.4"));
    // Nothing has touched yet.
    let text = doubts(&scene(""), &["--until", "0.01"]).1;
    assert!(!text.contains("none is given"), "{text}");
}
