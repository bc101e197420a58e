//! Every model of the references loads (or says why not), and says what of it was not understood.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use stickslip_robots::{Files, Options, Packages, Regard, Robot, RobotError, read};
use stickslip_testing::shared;

struct Folder(PathBuf);

impl Files for Folder {
    fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String> {
        let bytes = std::fs::read(self.0.join(name)).map_err(|e| format!("{name}: {e}"))?;
        Ok(bytes.into())
    }
}

/// Where the packages of the references are.
fn packages() -> Packages {
    let solo = "example-robot-data/robots/solo_description/meshes/stl";
    let folders = [
        (format!("{solo}/solo12"), "meshes"),
        (format!("{solo}/with_foot"), "meshes"),
        (
            "example-robot-data/robots/simple_humanoid_description/meshes".into(),
            "meshes",
        ),
    ];
    Packages(folders.map(|(a, b)| (a, b.to_owned())).to_vec())
}

fn load(path: &Path, fixed_base: bool) -> Result<Robot, Box<RobotError>> {
    let text = std::fs::read_to_string(path).expect("a file");
    let options = Options {
        fixed_base,
        any_inertia: true,
        packages: packages(),
        ..Options::default()
    };
    let folder = Folder(path.parent().expect("a folder").to_owned());
    read(
        &path.file_name().expect("a name").to_string_lossy(),
        &text,
        &folder,
        &options,
    )
}

/// File, bodies that move, joints, mass in kg (of URDF from the table of the references, of MJCF from MuJoCo).
const MODELS: [(&str, usize, usize, f64); 15] = [
    ("quadruped/quadruped.urdf", 9, 8, 2.772),
    ("solo12/solo12.urdf", 13, 12, 2.50000279),
    ("unitree_a1/a1.urdf", 13, 12, 13.741),
    ("allegro_hand/allegro_right_hand.urdf", 17, 16, 0.9549),
    ("panda/panda_collision.urdf", 10, 9, 17.451901),
    ("simple_humanoid/simple_humanoid.urdf", 30, 29, 130.8),
    (
        "simple_humanoid/simple_humanoid_classical.urdf",
        30,
        29,
        130.8,
    ),
    ("minitaur/quadruped.urdf", 17, 16, 6.0),
    ("minitaur/minitaur_fixed_all.urdf", 1, 0, 6.0),
    // The ankles' two axes do not meet: each foot has a link between them.
    ("mujoco_models/humanoid.xml", 15, 14, 40.844_021_221_621_34),
    ("mujoco_models/car.xml", 3, 2, 0.5430345024703865),
    ("mujoco_models/dominos.xml", 96, 0, 8.64),
    ("mujoco_models/newton_cradle.xml", 7, 0, 1.8765780117443032),
    ("mujoco_models/bowl.xml", 3, 0, 0.18829794490192323),
    ("mujoco_models/slider_crank.xml", 3, 3, 0.18661060362323373),
];

#[test]
fn every_model_loads_and_says_what_was_not_understood() {
    let Some(root) = shared("robots") else { return };
    println!(
        "| model | bodies | joints | not understood | changed | of no effect | overlaps at the start |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (file, bodies, joints, mass) in MODELS {
        let robot = load(&root.join(file), false).unwrap_or_else(|e| panic!("{file}: {e}"));
        let free = robot.bodies.iter().filter_map(|b| b.inertial);
        let (count, sum) = free.fold((0, 0.0), |(n, m), i| (n + 1, m + i.mass));
        assert_eq!((count, robot.joints.len()), (bodies, joints), "{file}");
        assert!(
            (sum - mass).abs() < 1e-12 * mass,
            "{file}: {sum} kg, not {mass}"
        );
        let by = |regard| robot.notes.iter().filter(|n| n.regard == regard).count();
        println!(
            "| {file} | {count} | {joints} | {} | {} | {} | {} |",
            by(Regard::NotUnderstood),
            by(Regard::Changed),
            by(Regard::NoEffect),
            robot.overlaps().len()
        );
    }
}

/// What is listed stands where the list says.
#[test]
fn notes_are_at_their_places() {
    let Some(root) = shared("robots") else { return };
    for (file, ..) in MODELS {
        let robot = load(&root.join(file), false).unwrap_or_else(|e| panic!("{file}: {e}"));
        for note in &robot.notes {
            let text = &note.place.source.text[note.place.span.clone()];
            let named = note.what.split(['`', '<', '>']).nth(1).unwrap_or_default();
            let plain = note.regard == Regard::NotUnderstood && !note.what.contains("actuator");
            if plain {
                let there = text.strip_prefix('<').unwrap_or(text);
                assert!(there.starts_with(named), "{note}: there is `{text}`");
            }
        }
    }
}

/// Meshes that the masses come from are not among the references: the models are refused, as MuJoCo refuses them.
#[test]
fn models_without_their_meshes_are_refused() {
    let Some(root) = shared("robots") else { return };
    for (file, wanted) in [
        (
            "allegro_hand/menagerie_right_hand.xml",
            "menagerie_right_hand.xml:113:11: `assets/base_link.stl`",
        ),
        (
            "mujoco_models/cards.xml",
            "cards.xml:20:11: `assets/card.obj`",
        ),
    ] {
        let error = load(&root.join(file), false).expect_err("no mesh");
        assert!(error.to_string().starts_with(wanted), "{error}");
    }
}

/// What stands in the world is no link of a robot, unless something that moves stands on it; colours come from visuals, geoms and materials.
#[test]
fn scenery_and_colours() {
    let mjcf = r#"<mujoco>
  <asset><material name="wood" rgba="0.6 0.4 0.2 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="table"><geom type="box" size="1 1 1" material="wood"/></body>
    <body name="palm" pos="0 0 5">
      <geom size="0.1" rgba="0 1 0 1"/>
      <body name="finger" pos="1 0 0"><joint type="hinge"/><geom size="0.1" material="wood"/></body>
    </body>
  </worldbody>
</mujoco>"#;
    let folder = Folder(PathBuf::new());
    let robot = read("m.xml", mjcf, &folder, &Options::default()).expect("a model");
    let of = |name: &str| {
        robot
            .bodies
            .iter()
            .find(|b| b.name == name)
            .expect("a body")
    };
    assert!(of("floor").scenery && of("table").scenery);
    assert!(!of("palm").scenery && !of("finger").scenery);
    assert_eq!(of("table").colour, Some([0.6, 0.4, 0.2]));
    assert_eq!(of("palm").colour, Some([0.0, 1.0, 0.0]));
    assert_eq!(of("finger").colour, Some([0.6, 0.4, 0.2]));
    assert_eq!(of("floor").colour, None);

    let link = |name: &str, material: &str| {
        format!(
            r#"<link name="{name}"><visual><geometry><sphere radius="1"/></geometry>{material}</visual>
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>"#
        )
    };
    let urdf = format!(
        r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
{}{}
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#,
        link("a", r#"<material name="red"/>"#),
        link(
            "b",
            r#"<material name="own"><color rgba="0 0 0.5 1"/></material>"#
        ),
    );
    let robot = read("r.urdf", &urdf, &folder, &Options::default()).expect("a model");
    let colours: Vec<_> = robot.bodies.iter().map(|b| b.colour).collect();
    assert_eq!(colours, [Some([1.0, 0.0, 0.0]), Some([0.0, 0.0, 0.5])]);
    let bad = urdf.replace("1 0 0 1", "1 0 2 1");
    let error = read("r.urdf", &bad, &folder, &Options::default()).expect_err("no colour");
    assert_eq!(error.message, "`rgba` has four numbers from 0 to 1");
}
