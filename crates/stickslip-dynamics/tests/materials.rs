//! Random numbers in the formulas of bodies, and what pairs of materials have.

use stickslip_dynamics::World;
use stickslip_dynamics::scene::Scene;

const BALLS: &str = r#"
step = { h = 0.01, until = 1 }
[[body]]
name = "ball"
count = 200
shape = { ball = { radius = "uniform(0.01, 0.02)" } }
mass = "normal(2, 0.1)"
position = ["uniform(-1, 1)", "uniform(-1, 1) ", "i"]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse(text, "scene", &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn numbers_depend_on_the_seed_the_name_and_the_formulas_place_alone() {
    let places = |text: &str| -> Vec<[u64; 2]> {
        let scene = scene(text);
        let balls = scene.bodies.iter().filter(|b| b.name.starts_with("ball"));
        balls
            .map(|b| [b.position.x.to_bits(), b.position.y.to_bits()])
            .collect()
    };
    let seeded = |seed: u32| format!("seed = {seed}\n{BALLS}");
    let first = places(BALLS);
    assert_eq!(first, places(&seeded(0)), "without a seed it is 0");
    assert_eq!(first, places(&seeded(0)), "again");
    assert_ne!(first, places(&seeded(1)));
    for (k, place) in first.iter().enumerate() {
        assert_ne!(place[0], place[1], "two formulas, two numbers");
        assert!(!first[..k].contains(place), "each index draws anew");
    }
    // Other bodies, before and behind, change nothing.
    let other = "[[body]]\nname = \"other\"\nshape = \"point\"\nmass = \"uniform(1, 2)\"\nposition = [9, 9, \"uniform(5, 6)\"]\n";
    assert_eq!(first, places(&format!("{BALLS}{other}")));
    let (head, rest) = BALLS.split_once("[[body]]").expect("a body");
    assert_eq!(first, places(&format!("{head}{other}[[body]]{rest}")));
}

#[test]
fn numbers_are_those_of_their_distributions_and_are_written_as_they_were_drawn() {
    let scene = scene(BALLS);
    let n = scene.bodies.len() as f64;
    let mut mean = 0.0;
    for body in &scene.bodies {
        assert!((0.01..0.02).contains(&body.shape.radius()));
        assert!(body.position.x.abs() <= 1.0 && body.position.y.abs() <= 1.0);
        mean += body.position.x / n;
    }
    // Five standard deviations of the mean of 200 numbers uniform in [−1, 1).
    assert!(mean.abs() < 5.0 / (3.0 * n).sqrt(), "{mean}");
    let world = World::from_scene(&scene).expect("a world");
    let masses: Vec<f64> = (world.model().bodies.iter())
        .filter_map(|b| Some(b.mass?.mass))
        .collect();
    let mean = masses.iter().sum::<f64>() / n;
    assert!((mean - 2.0).abs() < 5.0 * 0.1 / n.sqrt(), "{mean}");
    assert!(masses.iter().any(|m| *m < 1.9) && masses.iter().any(|m| *m > 2.1));
    let again = Scene::parse(&scene.to_toml(), "again", &[]).expect("a scene");
    for (a, b) in scene.bodies.iter().zip(&again.bodies) {
        assert_eq!((a.position, &a.shape), (b.position, &b.shape));
    }
}

#[test]
fn numbers_that_cannot_be_drawn_are_refused() {
    let refused = |text: &str| {
        Scene::parse(text, "scene", &[])
            .expect_err("refused")
            .to_string()
    };
    let body = |key: &str| {
        format!(
            "step = {{ h = 0.01, until = 1 }}\n[[body]]\nname = \"b\"\nshape = \"point\"\nmass = 1\n{key}\n"
        )
    };
    for (text, word) in [
        (BALLS.replace("h = 0.01", "h = \"uniform(1, 2)\""), "in the formulas of a [[body]] only"),
        (body("position = [\"uniform(2, 1)\", 0, 0]"), "a must not be the larger"),
        (body("position = [\"normal(0, -1)\", 0, 0]"), "must not be negative"),
        (body("position = [\"uniform(1)\", 0, 0]"), "takes 2 arguments, not 1"),
        (body("position = [\"uniforn(1, 2)\", 0, 0]"), "did you mean `uniform`?"),
        (format!("seed = 1.5\n{BALLS}"), "the seed must be a whole number"),
        (
            "step = { h = 0.01, until = 1 }\n[[body]]\nname = \"b\"\nshape = { ball = { radius = 1 } }\nmotion = { position = [\"uniform(0, t)\", 0, 0] }\n".into(),
            "a random number is drawn once",
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains(word), "{word}: {message}");
    }
}

const BLOCKS: &str = r#"
step = { h = 0.01, until = 1 }
material = { friction = 0.2 }
[[body]]
name = "ground"
shape = { half-space = { normal = [0, 0, 1] } }
motion = "fixed"
material = "ice"
[[body]]
name = "a"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [0, 0, 0.1]
material = "steel"
[[body]]
name = "b"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [1, 0, 0.1]
material = "steel"
friction = 0.7
[[body]]
name = "c"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [2, 0, 0.1]
[[pair]]
materials = ["steel", "ice"]
friction = { static = 0.05, kinetic = 0.03 }
rolling = 0.001
[[contact]]
bodies = ["b", "ground"]
friction = 0.9
"#;

#[test]
fn pairs_of_materials_have_what_the_table_says() {
    let scene = scene(BLOCKS);
    let again = Scene::parse(&scene.to_toml(), "again", &[]).expect("written and read");
    for scene in [&scene, &again] {
        let mut world = World::from_scene(scene).expect("a world");
        world.step().expect("a step");
        let found = |name: &str| {
            let contacts = world.last_step().contacts.iter();
            let mut own = contacts.filter(|c| {
                c.contact
                    .bodies
                    .iter()
                    .any(|&k| world.model().bodies[k].name == name)
            });
            let contact = own.next().expect("a contact").contact;
            let moments = world.model().moments.of(contact.bodies);
            (
                contact.friction.stick,
                contact.friction.slide,
                moments.map_or(0.0, |m| m.0.rolling),
            )
        };
        assert_eq!(found("a"), (0.05, 0.03, 0.001), "of its material");
        assert_eq!(
            found("b"),
            (0.9, 0.9, 0.001),
            "its own entry says the friction"
        );
        assert_eq!(found("c"), (0.2, 0.2, 0.0), "made of nothing in particular");
        let of = |name: &str| {
            scene
                .bodies
                .iter()
                .find(|b| b.name == name)
                .expect("a body")
        };
        let between = scene.material_between(of("a"), of("ground"));
        assert_eq!(
            (between.friction.stick, between.moments.rolling),
            (0.05, 0.001)
        );
    }
    for (from, to, word) in [
        (
            "\"steel\", \"ice\"]",
            "\"steal\", \"ice\"]",
            "no body is made of `steal`",
        ),
        (
            "\"steel\", \"ice\"]",
            "\"steel\"]",
            "a pair is of two materials, not 1",
        ),
        (
            "friction = { static = 0.05, kinetic = 0.03 }\nrolling = 0.001",
            "",
            "the pair says nothing",
        ),
        (
            "[[contact]]",
            "[[pair]]\nmaterials = [\"ice\", \"steel\"]\nfriction = 1\n[[contact]]",
            "is given twice",
        ),
    ] {
        let text = BLOCKS.replace(from, to);
        let message = Scene::parse(&text, "scene", &[])
            .expect_err("refused")
            .to_string();
        assert!(message.contains(word), "{word}: {message}");
    }
}
