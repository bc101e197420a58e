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

/// File, bodies that move, joints, mass (kg); nothing where a mesh that the model needs is not there.
const MODELS: [(&str, Option<(usize, usize, f64)>); 15] = [
    ("quadruped/quadruped.urdf", Some((9, 8, 2.77))),
    ("solo12/solo12.urdf", Some((13, 12, 2.5))),
    ("unitree_a1/a1.urdf", Some((13, 12, 13.74))),
    ("allegro_hand/allegro_right_hand.urdf", Some((17, 16, 0.95))),
    ("panda/panda_collision.urdf", Some((10, 9, 17.45))),
    (
        "simple_humanoid/simple_humanoid.urdf",
        Some((30, 29, 130.8)),
    ),
    (
        "simple_humanoid/simple_humanoid_classical.urdf",
        Some((30, 29, 130.8)),
    ),
    ("minitaur/quadruped.urdf", Some((17, 16, 6.0))),
    ("minitaur/minitaur_fixed_all.urdf", Some((1, 0, 6.0))),
    ("mujoco_models/humanoid.xml", Some((15, 14, 40.84))),
    ("mujoco_models/car.xml", Some((3, 2, 1.0))),
    ("mujoco_models/dominos.xml", Some((76, 0, 76.0 * 0.09))),
    ("mujoco_models/newton_cradle.xml", Some((7, 0, 1.876))),
    ("mujoco_models/bowl.xml", Some((3, 0, 1.0))),
    ("mujoco_models/slider_crank.xml", Some((3, 3, 0.5))),
];

#[test]
fn every_model_loads_and_says_what_was_not_understood() {
    let Some(root) = shared("robots") else { return };
    for (file, wanted) in MODELS {
        let robot = load(&root.join(file), false);
        let Some((bodies, joints, mass)) = wanted else {
            continue;
        };
        let robot = robot.unwrap_or_else(|e| panic!("{file}: {e}"));
        let free = robot.bodies.iter().filter_map(|b| b.inertial);
        let (count, sum) = free.fold((0, 0.0), |(n, m), i| (n + 1, m + i.mass));
        let by = |regard| robot.notes.iter().filter(|n| n.regard == regard).count();
        println!(
            "{file}: {count} bodies ({bodies}), {} joints ({joints}), {sum} kg ({mass}), {} not understood, {} changed, {} of no effect; overlaps {}",
            robot.joints.len(),
            by(Regard::NotUnderstood),
            by(Regard::Changed),
            by(Regard::NoEffect),
            robot.overlaps().len()
        );
        for note in robot
            .notes
            .iter()
            .filter(|n| n.regard != Regard::NoEffect)
            .take(8)
        {
            println!("    {note}");
        }
    }
}
