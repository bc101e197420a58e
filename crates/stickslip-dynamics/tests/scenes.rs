//! Every scene of the repository is read, and says what its comments say.

use std::path::{Path, PathBuf};

use stickslip_dynamics::scene::{Override, Scene};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn read(name: &str, overrides: &[Override]) -> Scene {
    Scene::read(&folder().join(name), overrides).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_scene_is_read_and_has_a_title() {
    let entries = std::fs::read_dir(folder()).expect("the folder of scenes");
    let mut count = 0;
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let scene = Scene::read(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(!scene.title.is_empty(), "{} has no title", path.display());
            count += 1;
        }
    }
    assert!(count >= 1);
}

#[test]
fn the_box_stack_is_numbered_and_stacked() {
    let scene = read("box_stack.toml", &[]);
    assert_eq!(scene.bodies.len(), 11);
    let top = &scene.bodies[10];
    assert_eq!(top.name, "box[9]");
    assert_eq!(top.position.to_array(), [0.0, 0.0, 24.5]);
}
