//! The README shows what the program prints. `STICKSLIP_BLESS=1 cargo test -p stickslip-cli --test readme` writes the
//! program's words into it.

mod support;

use support::{folder, program, root};

/// Numbers that differ from run to run are left out: the time it took.
fn steady(text: &str) -> String {
    let line = |line: &str| match (line.find(" in "), line.find(" steps ")) {
        (Some(at), Some(_)) => line[..at].to_string(),
        _ => line.trim_end().to_string(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The program's words for a line such as `$ cargo run --release -- run scenes/box_stack.toml`.
fn printed(command: &str, place: &tempfile::TempDir) -> String {
    let words = command
        .strip_prefix("$ cargo run --release -- ")
        .expect("the root command");
    let output = program()
        .args(words.split(' '))
        .current_dir(place.path())
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_readme_shows_real_output() {
    let place = folder();
    let scenes = place.path().join("scenes");
    std::fs::create_dir(&scenes).expect("a folder");
    for scene in ["box_stack.toml", "sliding_box.toml"] {
        std::fs::copy(root().join("scenes").join(scene), scenes.join(scene)).expect("a scene");
    }
    let page = std::fs::read_to_string(root().join("README.md")).expect("the page");
    let mut parts: Vec<String> = page.split("```").map(String::from).collect();
    let (mut shown, mut wrong) = (0, Vec::new());
    // The parts with an odd number are the blocks.
    for part in parts.iter_mut().skip(1).step_by(2) {
        let Some((command, text)) = part.strip_prefix("text\n").and_then(|b| b.split_once('\n'))
        else {
            continue;
        };
        let real = printed(command, &place);
        shown += 1;
        if steady(text) != steady(&real) {
            wrong.push(format!("{command}\nshown:\n{text}\nreal:\n{real}"));
            *part = format!("text\n{command}\n{real}");
        }
    }
    assert_eq!(shown, 3, "blocks with output");
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        std::fs::write(root().join("README.md"), parts.join("```")).expect("written");
    } else {
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }
}

#[test]
fn the_scene_of_the_readme_runs() {
    let page = std::fs::read_to_string(root().join("README.md")).expect("the page");
    let scene = page
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("a scene");
    let place = folder();
    let file = support::write(&place, "scene.toml", scene);
    let json = support::stickslip(&["run", &file, "--set", "speed=3", "--json"])
        .exits(0)
        .json();
    assert_eq!(json["certified"], true);
}
