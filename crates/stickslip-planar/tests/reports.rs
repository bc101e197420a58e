//! Reports and pictures.

mod common;

use common::{all, scene, three_point};
use stickslip_planar::{Axis, Contact, MapOptions, Options, State, figure, json, mode_map, report};

#[test]
fn text_names_modes_and_reasons() {
    let state = scene("three-point.toml");
    let options = Options::default();
    let text = report::text(&state, &options, &all(&state), true);
    for expected in [
        "1 solution: the acceleration is unique",
        "[rrr] acceleration (0.35, 0) m/s²",
        "contact 1 (left)",
        "rejected: would push through contact 2",
        "4 of 7 sets of contacts tried",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let none = scene("painleve-none.toml");
    let text = report::text(&none, &options, &all(&none), false);
    assert!(text.contains("0 solutions"));
    let walls = scene("parallel-walls.toml");
    let text = report::text(&walls, &options, &all(&walls), false);
    assert!(
        text.contains("c from -1 to 0 N along t_c = (0, 1, 0)"),
        "{text}"
    );
}

#[test]
fn json_has_the_promised_keys() {
    let options = Options::default();
    let state = scene("three-point.toml");
    let value = json(&state, &options, &all(&state));
    let first = &value["solutions"][0];
    assert_eq!(first["modes"], serde_json::json!(["srr", "rrs", "rrr"]));
    assert!((first["acceleration"][0].as_f64().unwrap() - 0.35).abs() < 1e-12);
    assert_eq!(first["vertices"][0], first["acceleration"]);
    assert_eq!(first["rays"], serde_json::json!([]));
    assert_eq!(value["subsets"]["total"], serde_json::json!(7));
    let walls = scene("parallel-walls.toml");
    let value = json(&walls, &options, &all(&walls));
    let first = &value["solutions"][0];
    assert!(first["acceleration"].is_null());
    assert_eq!(first["vertices"].as_array().unwrap().len(), 2);
    assert_eq!(first["rays"], serde_json::json!([]));
    assert_eq!(first["modes"], serde_json::json!(["rl"]));
    assert_eq!(value["status"], "continuum");
}

/// Tags open and close in pairs, and no number is missing.
fn well_formed(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let (mut open, mut rest) = (Vec::new(), svg);
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a closed tag");
        let tag = &rest[start + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.to_owned()));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap().to_owned());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty());
}

#[test]
fn figures_are_drawn() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/planar");
    for entry in std::fs::read_dir(folder).unwrap() {
        let state = scene(entry.unwrap().file_name().to_str().unwrap());
        let answer = all(&state);
        well_formed(&figure::real_space_svg(&state, &answer));
        well_formed(&figure::configuration_svg(&state, &answer));
        well_formed(&figure::both_svg(&state, &answer));
    }
    // Figure 6: three sheets, and a composite cone with four dashed edges.
    let state = scene("three-point.toml");
    let svg = figure::configuration_svg(&state, &all(&state));
    assert_eq!(svg.matches("fill-opacity=\"0.3\"").count(), 3);
    assert_eq!(svg.matches("stroke-dasharray").count(), 4);
    // A title with special characters stays well-formed.
    let mut state = state;
    state.title = "a < b & \"c\"".into();
    well_formed(&figure::both_svg(&state, &all(&state)));
}

#[test]
fn mode_map_of_the_three_point_contact() {
    let state = three_point(0.25, 1.0, [0.0, -1.0, 0.0]);
    let options = MapOptions {
        x: (Axis::ForceX, [-1.0, 1.0]),
        y: (Axis::Torque, [-2.0, 2.0]),
        coarse: 5,
        fine: 9,
    };
    let map = mode_map(&state, &Options::default(), &options).unwrap();
    let share = |label: &str| {
        map.regions
            .iter()
            .find(|r| r.label == label)
            .map_or(0.0, |r| r.fraction)
    };
    // With F_y = -1 rest needs |F_x| ≤ 1/4 and |τ + F_x (height 1 × friction)| small enough: the cone's section is the
    // parallelogram with corners (±1/4, ±3/4) and (±1/4, ±5/4), of area 1/2 · 2 = 1 in a window of 8.
    assert!((share("fff") - 0.125).abs() < 2e-3, "{}", map.text());
    // Sliding: the strips beside it, of the same height.
    assert!(
        (share("rrr") - 0.75 * 2.0 / 8.0).abs() < 2e-3,
        "{}",
        map.text()
    );
    // Mirror images have the same share, to the last square.
    for (one, other) in [
        ("rrr", "lll"),
        ("sls", "rss"),
        ("lss", "srs"),
        ("fss", "sfs"),
    ] {
        assert!((share(one) - share(other)).abs() < 1e-12, "{}", map.text());
    }
    let total: f64 = map.regions.iter().map(|r| r.fraction).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let area: u64 = map
        .squares
        .iter()
        .map(|s| u64::from(s.side) * u64::from(s.side))
        .sum();
    assert_eq!(area, 512 * 512);
    let svg = map.svg(&state);
    well_formed(&svg);
    assert!(svg.contains("load of the state itself") && svg.contains("letter 3: "));
    assert_eq!(
        map,
        mode_map(&state, &Options::default(), &options).unwrap()
    );
    // Bad windows are refused.
    let mut bad = options.clone();
    bad.y.0 = Axis::ForceX;
    assert!(mode_map(&state, &Options::default(), &bad).is_err());
    let mut bad = options;
    bad.x.1 = [1.0, 1.0];
    assert!(mode_map(&state, &Options::default(), &bad).is_err());
}

/// Every solution is in the picture: rest by its name, a range with both ends, the velocity of a moving body.
#[test]
fn pictures_name_every_solution() {
    let picture = |name: &str| {
        let state = scene(name);
        figure::both_svg(&state, &all(&state))
    };
    let grasp = picture("grasp-closed.toml");
    assert!(grasp.contains("1 [ff] no acceleration") && grasp.contains("2 [rl] (0, -9.81)"));
    let walls = picture("parallel-walls.toml");
    assert!(walls.contains("1 [rl] (0, -1) m/s², 0 rad/s² to no acceleration"));
    assert!(picture("painleve-two.toml").contains(">v</text>"));
    assert!(!picture("painleve-three.toml").contains(">v</text>"));
}

/// Contacts without force take one line, however many there are.
#[test]
fn contacts_without_force_take_one_line() {
    let mut state = State::new(1.0, 1.0);
    state.contacts = (0..24)
        .map(|i| Contact::new([0.0, 1.0], [f64::from(i) - 11.5, 1.0], 0.3))
        .collect();
    state.force = [0.0, -1.0, 0.0];
    let options = Options::default();
    let text = report::text(&state, &options, &all(&state), false);
    assert!(text.contains("other contacts that are kept"), "{text}");
    assert!(text.matches("normal 0 N").count() == 0, "{text}");
}
