//! Bodies that are told not to collide pass through each other; the same bodies untold do not.

use stickslip::prelude::*;
use stickslip_verify::run;

/// A ball over a table that is held by nothing but itself, on a scene with `more` in it.
fn ball_after(table: &str, ball: &str, more: &str, until: f64) -> f64 {
    let text = format!(
        r#"
[step]
h = 0.01
until = 1

[[body]]
name = "table"
motion = "fixed"
shape = {{ box = {{ size = [1, 1, 0.1] }} }}
{table}

[[body]]
name = "ball"
shape = {{ ball = {{ radius = 0.1 }} }}
mass = 1
position = [0, 0, 0.5]
{ball}

{more}
"#
    );
    let scene = Scene::parse(&text, "table.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    run(&mut world, until);
    world.body("ball").expect("the ball").pose.position.z
}

#[test]
fn bodies_pass_where_groups_or_pairs_say_so_and_nowhere_else() {
    let ghosts = r#"groups = ["ghosts"]"#;
    let others = r#"groups = ["others", "more"]"#;
    let pair = "[[contact]]\nbodies = [\"table\", \"ball\"]\ncollide = false";
    // Free fall for 1 s: z = 0.5 − g t²/2.
    let fallen = 0.5 - 0.5 * 9.81;
    for (table, ball, more) in [
        (ghosts, ghosts, ""),
        (r#"groups = ["ghosts", "more"]"#, others, ""),
        ("", "", pair),
    ] {
        let z = ball_after(table, ball, more, 1.0);
        assert!((z - fallen).abs() < 1e-9, "{table} {ball} {more}: {z}");
    }
    for (table, ball) in [("", ""), (ghosts, ""), ("", ghosts), (ghosts, others)] {
        let z = ball_after(table, ball, "", 1.0);
        assert!((z - 0.15).abs() < 1e-9, "{table} {ball}: {z}");
    }
}

/// Two that overlap from the start are an error, unless they may.
#[test]
fn what_may_pass_may_begin_inside() {
    let inside = r#"position = [0, 0, 0.1]"#;
    let text = |groups: &str| {
        format!(
            "[step]\nh = 0.01\nuntil = 1\n[[body]]\nname = \"a\"\nmotion = \"fixed\"\nshape = {{ ball = {{ radius = 1 }} }}\n{groups}\n\
             [[body]]\nname = \"b\"\nshape = {{ ball = {{ radius = 0.1 }} }}\nmass = 1\n{inside}\n{groups}\n"
        )
    };
    let built = |text: &str| {
        let scene = Scene::parse(text, "inside.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        World::from_scene(&scene).map(|_| ())
    };
    assert!(built(&text("")).is_err());
    assert!(built(&text(r#"groups = ["both"]"#)).is_ok());
}
