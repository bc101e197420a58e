//! Every broken scene in `broken_scenes/` is refused with exactly the message beside it.
//!
//! `name.toml` is the scene, `name.set` (where there is one) the `--set` options to use with it, one a
//! line, and `name.txt` the message. `STICKSLIP_BLESS=1` writes the messages anew; read the difference
//! before it is committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stickslip_dynamics::World;
use stickslip_dynamics::scene::{Override, Scene, SceneError};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_scenes")
}

fn overrides(path: &Path) -> Vec<Override> {
    let Ok(lines) = fs::read_to_string(path) else {
        return Vec::new();
    };
    let option = |line| Override::from_option(line).expect("KEY=VALUE");
    lines.lines().map(option).collect()
}

/// The line, column and span of an error agree with the text it points into.
fn check_place(error: &SceneError) {
    assert!(error.line >= 1 && error.column >= 1);
    let start = error.span.start;
    let before = error.text.get(..start).expect("a place inside the text");
    assert!(error.text.get(error.span.clone()).is_some());
    assert_eq!(before.matches('\n').count() + 1, error.line);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    assert_eq!(before[line_start..].chars().count() + 1, error.column);
}

#[test]
fn each_broken_scene_gives_its_message() {
    let bless = std::env::var_os("STICKSLIP_BLESS").is_some();
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder()).expect("the folder of broken scenes") {
        let path = entry.expect("an entry").path();
        names.insert(path.with_extension(""));
    }
    let mut wrong = Vec::new();
    for name in &names {
        let scene = name.with_extension("toml");
        let short = name.file_name().expect("a name").to_string_lossy();
        let Ok(text) = fs::read_to_string(&scene) else {
            wrong.push(format!("{short}: a message without a scene"));
            continue;
        };
        let file = format!("{short}.toml");
        let options = overrides(&name.with_extension("set"));
        let parsed = Scene::parse(&text, &file, &options);
        // What only the world can see, such as bodies that do not meet, is refused when it is built.
        let built = parsed.and_then(|scene| World::from_scene(&scene).map(|_| ()));
        let message = match built {
            Ok(_) => {
                wrong.push(format!("{short}: accepted"));
                continue;
            }
            Err(error) => {
                check_place(&error);
                format!("{error}\n")
            }
        };
        let golden = name.with_extension("txt");
        if bless {
            fs::write(&golden, &message).expect("the message is written");
        }
        match fs::read_to_string(&golden) {
            Ok(expected) if expected == message => {}
            Ok(expected) => wrong.push(format!("{short}: expected\n{expected}but got\n{message}")),
            Err(_) => wrong.push(format!(
                "{short}: a scene without a message; got\n{message}"
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(names.len() >= 100, "only {} broken scenes", names.len());
}

#[test]
fn a_file_that_cannot_be_read_says_so() {
    let missing = folder().join("there_is_no_such_scene.toml");
    let error = Scene::read(&missing, &[]).expect_err("no file");
    assert_eq!((error.line, error.column), (0, 0));
    assert!(error.message.starts_with("cannot read the scene"));
}

#[test]
fn a_file_that_is_no_text_says_where() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_text.toml");
    fs::write(&path, b"title = \"a\"\n[step]\nh = \xff\xfe\n").expect("a file");
    let error = Scene::read(&path, &[]).expect_err("no text");
    assert_eq!((error.line, error.column), (3, 5));
    check_place(&error);
    let error = Scene::read(Path::new(env!("CARGO_TARGET_TMPDIR")), &[]).expect_err("a folder");
    assert!(error.message.starts_with("cannot read the scene"));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let text = "#".repeat(stickslip_dynamics::scene::MAX_FILE + 1);
    let error = Scene::parse(&text, "large.toml", &[]).expect_err("too large");
    assert!(error.message.contains("bytes"), "{}", error.message);
}
