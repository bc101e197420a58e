//! Models that cannot be: each is refused with its message and its place. `broken.txt` holds them one after another: a line `=== name`,
//! the model, a line `---`, the message. `STICKSLIP_BLESS=1` writes the messages anew; read the difference before it is committed.

use std::fmt::Write as _;
use std::path::Path;
use stickslip_robots::{MOST_LINKS, NoFiles, Options, read};

fn message(name: &str, text: &str) -> String {
    let options = Options {
        fixed_base: name.contains("fixed base"),
        ..Options::default()
    };
    match read("model", text, &NoFiles, &options) {
        Ok(robot) => panic!("{name}: accepted, with {} bodies", robot.bodies.len()),
        Err(error) => {
            let help = error
                .help
                .as_ref()
                .map_or(String::new(), |h| format!("\nhelp: {h}"));
            format!("{error}{help}")
        }
    }
}

/// Name, model and message of each.
fn cases(all: &str) -> Vec<[String; 3]> {
    // The file begins with a mark: what stands before it is empty, and no case.
    let blocks = all.split("=== ").skip(1);
    blocks
        .map(|block| {
            let (name, rest) = block.split_once('\n').expect("a name");
            let (text, message) = rest.split_once("\n---\n").expect("a message");
            [name, text, message.trim_end()].map(str::to_owned)
        })
        .collect()
}

#[test]
fn each_broken_model_gives_its_message_and_place() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken.txt");
    let all = std::fs::read_to_string(&path).expect("broken.txt");
    let cases = cases(&all);
    assert!(cases.len() >= 40, "{}", cases.len());
    let (mut written, mut wrong) = (String::new(), Vec::new());
    for [name, text, wanted] in &cases {
        let found = message(name, text);
        let _ = writeln!(written, "=== {name}\n{text}\n---\n{found}\n");
        if found != *wanted {
            wrong.push(format!("{name}:\n{found}\ninstead of\n{wanted}"));
        }
    }
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        std::fs::write(&path, written).expect("broken.txt");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Too large to be written down.
#[test]
fn models_without_end_are_refused() {
    let mut links = String::from("<robot name=\"r\">\n");
    for k in 0..1_000_000 {
        let _ = writeln!(links, "<link name=\"l{k}\"/>");
    }
    links += "</robot>";
    let found = message("a million links", &links);
    assert_eq!(found, "model:1:1: the file has more than 1000000 elements");

    let mut links = String::from("<robot name=\"r\">\n");
    for k in 0..=MOST_LINKS {
        let _ = writeln!(links, "<link name=\"l{k}\"/>");
    }
    links += "</robot>";
    let found = message("many links", &links);
    assert_eq!(found, "model:20002:1: the model has more than 20000 links");

    let deep = format!("<mujoco>{}", "<worldbody>".repeat(100_000));
    let found = message("deep and not closed", &deep);
    assert!(found.contains("this is not XML"), "{found}");
    let deep = format!(
        "<mujoco>\n{}{}</mujoco>",
        "<frame>\n".repeat(1000),
        "</frame>".repeat(1000)
    );
    let found = message("deep", &deep);
    assert_eq!(found, "model:302:1: elements are nested more than 300 deep");

    let copies = "<mujoco><worldbody><body><freejoint/><replicate count=\"100000\"><replicate count=\"100000\"><geom size=\".1\"/></replicate></replicate></body></worldbody></mujoco>";
    let found = message("replicas of replicas", copies);
    assert!(
        found.contains("the model has more than 1000000 geoms"),
        "{found}"
    );
}
