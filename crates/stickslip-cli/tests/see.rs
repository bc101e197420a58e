//! Pages, pictures, animations and the report.

mod support;

use support::{ball, folder, path, stickslip, write};

fn recorded(place: &tempfile::TempDir) -> String {
    let scene = write(place, "ball.toml", ball(""));
    let parquet = path(place, "ball.parquet");
    let page = path(place, "ball.html");
    stickslip(&["run", &scene, "-o", &parquet, "-o", &page]).exits(0);
    parquet
}

#[test]
fn a_run_and_its_file_give_the_same_page() {
    let place = folder();
    let parquet = recorded(&place);
    let page = path(&place, "again.html");
    stickslip(&["view", &parquet, "-o", &page]).exits(0);
    let read = |name: &str| std::fs::read_to_string(path(&place, name)).expect("a page");
    let (first, second) = (read("ball.html"), read("again.html"));
    assert!(first == second, "the pages differ");
    assert!(first.starts_with("<!doctype html>") && first.ends_with("</html>\n"));
    // The name of SVG looks like an address and is none.
    let named = first.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "src=\"/", "@import", "connect-src"] {
        assert!(!named.contains(outside), "the page names {outside}");
    }
}

#[test]
fn two_runs_are_on_one_page() {
    let place = folder();
    let parquet = recorded(&place);
    let both = path(&place, "both.html");
    stickslip(&["view", &parquet, &parquet, "-o", &both]).exits(0);
    let page = std::fs::read_to_string(&both).expect("a page");
    assert_eq!(page.matches("id=\"about-second\">{").count(), 1);
    let none = path(&place, "none.parquet");
    stickslip(&["view", &parquet, &none, "-o", &both])
        .exits(2)
        .says(&["none.parquet"]);
}

#[test]
fn a_moving_picture_has_as_many_pictures_as_were_asked_for() {
    let place = folder();
    let parquet = recorded(&place);
    let film = path(&place, "film.png");
    let shot = |more: &[&str]| {
        stickslip(
            &[
                &["shot", &parquet, "--film", "--size", "120,90", "-o", &film],
                more,
            ]
            .concat(),
        )
    };
    shot(&["--at", "0,0.1", "--rate", "20", "--speed", "0.2"]).exits(0);
    let bytes = std::fs::read(&film).expect("a film");
    let at = bytes
        .windows(4)
        .position(|w| w == b"acTL")
        .expect("an animated PNG");
    // 0.1 s at a fifth of the speed and 20 pictures a second: 10 pictures and the last one.
    assert_eq!(bytes[at + 4..at + 8], 11u32.to_be_bytes());
    shot(&["--at", "0.1"]).exits(2).says(&["two times"]);
    shot(&["--at", "0.1,0.05"]).exits(2).says(&["two times"]);
    shot(&["--speed", "0"]).exits(2).says(&["--speed 0"]);
    shot(&["--speed", "1e-5"])
        .exits(2)
        .says(&["pictures, more than 3000"]);
    let svg = path(&place, "film.svg");
    stickslip(&["shot", &parquet, "--film", "-o", &svg])
        .exits(2)
        .says(&["must end in .png"]);
    stickslip(&["shot", &parquet, "--rate", "5", "-o", &svg])
        .exits(2)
        .says(&["--film"]);
}

#[test]
fn pictures_and_animations_are_written_by_their_ending() {
    let place = folder();
    let parquet = recorded(&place);
    for (name, start) in [
        ("a.svg", b"<svg xmlns".as_slice()),
        ("a.png", b"\x89PNG"),
        ("a.glb", b"glTF\x02\0\0\0"),
    ] {
        let out = path(&place, name);
        stickslip(&["shot", &parquet, "-o", &out]).exits(0);
        let bytes = std::fs::read(&out).expect("a file");
        assert!(bytes.starts_with(start), "{name}");
        // The same call gives the same bytes.
        let again = path(&place, &format!("again-{name}"));
        stickslip(&["shot", &parquet, "-o", &again]).exits(0);
        assert_eq!(std::fs::read(&again).expect("a file"), bytes, "{name}");
    }
}

#[test]
fn what_cannot_be_seen_is_said() {
    let place = folder();
    let parquet = recorded(&place);
    let out = path(&place, "a.svg");
    stickslip(&["shot", &parquet, "--at", "99", "-o", &out])
        .exits(2)
        .says(&["t = 99 s", "goes from 0 s"]);
    stickslip(&["shot", &parquet, "--at", "NaN", "-o", &out]).exits(2);
    stickslip(&["shot", &parquet, "--size", "0,5", "-o", &out])
        .exits(2)
        .says(&["--size"]);
    stickslip(&["shot", &parquet, "-o", &path(&place, "a.gif")])
        .exits(2)
        .says(&[".svg or .png"]);
    stickslip(&["view", "run.csv"])
        .exits(2)
        .says(&["no shapes"]);
    stickslip(&["reproduce", "S9-99"])
        .exits(2)
        .says(&["--list"]);
}

#[test]
fn the_report_has_its_places_before_it_is_computed() {
    let place = folder();
    let deep = path(&place, "new/folder/report.html");
    stickslip(&["reproduce", "--quick", "pyramid-deficit", "-o", &deep]).exits(0);
    assert!(std::fs::read_to_string(&deep).is_ok_and(|s| s.ends_with("</html>\n")));
    // A file stands where a folder is wanted: nothing is computed.
    let blocked = format!("{deep}/report.html");
    let ran = stickslip(&["reproduce", "--quick", "pyramid-deficit", "-o", &blocked]).exits(1);
    assert!(ran.out.is_empty(), "{}", ran.out);
    stickslip(&["reproduce", "-o", &path(&place, "report.json")])
        .exits(2)
        .says(&["another ending"]);
}

#[test]
fn the_report_has_every_row_and_every_picture() {
    let place = folder();
    let out = path(&place, "report.html");
    let ids = [
        "bouncing-ball",
        "certificates",
        "free-top",
        "pyramid-deficit",
        "painleve",
        "step-size",
        "static-kinetic",
        "three-point",
        "mode-map",
        "planar-examples",
        "box-stack",
        "one-answer",
        "rolling",
        "corner",
        "cracked-ramp",
        "tight-hole",
        "future-contacts",
    ];
    let ran =
        stickslip(&[&["reproduce", "--quick", "--json", "-o", &out], &ids[..]].concat()).exits(0);
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let entries = json["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), ids.len());
    for entry in entries {
        assert!(
            ["reproduced", "verified", "shown"]
                .map(serde_json::Value::from)
                .contains(&entry["verdict"]),
            "{entry}"
        );
        for line in entry["lines"].as_array().expect("lines") {
            let source = line["source"].as_str();
            assert!(
                source.is_some_and(|s| ["printed", "derived", "our bound"].contains(&s)),
                "{line}"
            );
            // What has a tolerance has its numbers as numbers.
            let numbers = [&line["expected"]["number"], &line["ours"]["number"]];
            assert!(
                line["tolerance"].is_null() || numbers.iter().all(|n| n.is_number()),
                "{line}"
            );
        }
    }
    let figures: usize = entries
        .iter()
        .filter_map(|e| e["figures"].as_array())
        .map(Vec::len)
        .sum();
    let html = std::fs::read_to_string(&out).expect("a report");
    assert_eq!(html.matches("<img ").count(), figures);
    assert_eq!(
        html.matches("src=\"data:image/svg+xml;base64,PHN2Zy")
            .count(),
        figures
    );
}

/// What reaches behind the eye is cut, not left out: under a small ball on a long plate there is plate.
#[test]
fn a_plate_that_goes_on_behind_the_eye_is_drawn() {
    let place = folder();
    let scene = r#"
        [step]
        h = 0.01
        until = 0.02
        [[body]]
        name = "plate"
        motion = "fixed"
        shape = { box = { size = [20, 20, 0.1] } }
        position = [0, 0, -0.05]
        [[body]]
        name = "ball"
        mass = 1
        shape = { ball = { radius = 0.05 } }
        position = [0, 0, 0.05]
        "#;
    let scene = write(&place, "plate.toml", scene);
    let (parquet, svg) = (path(&place, "plate.parquet"), path(&place, "plate.svg"));
    stickslip(&["run", &scene, "-o", &parquet]).exits(0);
    stickslip(&["shot", &parquet, "--no-forces", "-o", &svg]).exits(0);
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    // The first two are the paper and the sky.
    let polygons = picture.split("<polygon points=\"").skip(3);
    let widths = polygons.filter_map(|rest| {
        let points = rest.split('"').next()?.split_whitespace();
        let xs: Vec<f64> = points
            .filter_map(|p| p.split(',').next()?.parse().ok())
            .collect();
        let (low, high) = (xs.iter().copied()).fold((0.0_f64, 0.0_f64), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        Some(high - low)
    });
    assert!(
        widths.fold(0.0, f64::max) >= 800.0,
        "no part of the plate is as wide as the picture"
    );
}

/// Over each other, moments could not be told apart; what is driven was drawn once.
#[test]
fn several_moments_have_views_of_their_own() {
    let place = folder();
    let scene = write(
        &place,
        "driven.toml",
        ball(
            "[[body]]\nname = \"gate\"\nshape = { box = { size = [0.2, 2, 1] } }\n[body.motion]\nposition = [\"2 + t\", 0, 0.5]",
        ),
    );
    let parquet = path(&place, "driven.parquet");
    stickslip(&["run", &scene, "-o", &parquet]).exits(0);
    let svg = path(&place, "a.svg");
    let drawn = |more: &[&str]| {
        stickslip(&[&["shot", &parquet, "--no-forces", "-o", &svg], more].concat()).exits(0);
        std::fs::read_to_string(&svg).expect("a picture")
    };
    let polygons = |picture: &str| picture.matches("<polygon").count();
    let apart = drawn(&["--at", "0.1,0.4,0.9"]);
    for moment in ["t = 0.1 s", "t = 0.4 s", "t = 0.9 s"] {
        assert!(apart.contains(&format!(">{moment}</text>")), "{moment}");
    }
    let together = drawn(&["--at", "0.1,0.4,0.9", "--overlay"]);
    assert!(together.contains(">t = 0.1, 0.4, 0.9 s</text>"));
    // The gate stands elsewhere each time: three times its three faces, of two triangles each.
    let (one, none) = (drawn(&["--at", "0.9"]), drawn(&["--at", "0.9,0.9"]));
    assert!(polygons(&together) >= polygons(&one) + 2 * 4, "{together}");
    assert_eq!(one, none, "the same moment twice is one");
    stickslip(&["shot", &parquet, "--film", "--overlay", "-o", &svg]).exits(2);
}
