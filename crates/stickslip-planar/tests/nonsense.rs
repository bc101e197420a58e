//! Every bad or odd input gets a clear answer, and nothing panics.

mod common;

use common::{Random, all, three_point};
use stickslip_planar::{
    Contact, ContactKind, Note, Options, State, StateError, Status, figure, json, report, solve,
};

const GOOD: &str =
    r#"{"contacts":[{"n":[0,1],"r":[0,1]}],"F":[0,-1,0],"mu":0.3,"rho":1,"m":1,"v":[0,0,0]}"#;

fn error(text: &str) -> String {
    State::from_text(text).expect_err(text).to_string()
}

#[test]
fn json_errors_say_where_and_what() {
    assert!(State::from_text(GOOD).is_ok());
    let cases = [
        (r#""mu":0.3"#, r#""mu":-0.3"#, "zero or more"),
        (r#""m":1"#, r#""m":0"#, "greater than zero"),
        (r#""m":1"#, r#""m":"heavy""#, "expected a number"),
        (r#""rho":1"#, r#""rho":-2"#, "greater than zero"),
        (r#""rho":1,"#, "", "rho"),
        (r#""n":[0,1]"#, r#""n":[0,0]"#, "zero vector"),
        (
            r#""n":[0,1]"#,
            r#""n":[0,1,0]"#,
            "expected 2 numbers, found 3",
        ),
        (
            r#""F":[0,-1,0]"#,
            r#""F":[0,-1]"#,
            "expected 3 numbers, found 2",
        ),
        (r#""F":[0,-1,0]"#, r#""F":[0,-1,"inf"]"#, "finite"),
        (r#""mu":0.3"#, r#""my":0.3"#, "did you mean `mu`"),
        (
            r#""r":[0,1]"#,
            r#""r":[0,1],"type":"C""#,
            "unknown type `C`",
        ),
        (
            r#""mu":0.3"#,
            r#""mu":0.3,"support":0.5"#,
            "supporting plane is not covered",
        ),
        (
            r#""mu":0.3"#,
            r#""mu":0.3,"mu_support":0.5"#,
            "supporting plane is not covered",
        ),
        (
            r#""r":[0,1]"#,
            r#""r":[0,1],"point":[0,1]"#,
            "one of the two",
        ),
        (r#""mu":0.3,"#, "", "missing: give mu"),
        (r#"}"#, "", "line 1, column"),
    ];
    for (from, to, expected) in cases {
        let message = error(&GOOD.replacen(from, to, 1));
        assert!(message.contains(expected), "{to}: {message}");
    }
    assert!(error("").contains("line 1"));
    assert!(error("{").contains("line 1"));
    assert!(error("[1, 2]").contains("line 1"));
}

#[test]
fn toml_errors_say_where_and_what() {
    let good = "m = 1\nrho = 1\nmu = 0.3\nF = [0, -1, 0]\n[[contacts]]\nn = [0, 1]\nr = [0, 1]\n";
    assert!(State::from_toml(good).is_ok());
    let message = error(&good.replace("mu = 0.3", "mu = -1"));
    assert!(message.starts_with("line 3, column 6"), "{message}");
    let message = error(&good.replace("r = [0, 1]", "r = [0]"));
    assert!(message.starts_with("line 7, column 5"), "{message}");
    let message = error(&good.replace("rho", "roh"));
    assert!(message.contains("did you mean `rho`"), "{message}");
    assert!(State::from_toml(&good.replace("mu = 0.3", "mu = inf")).is_ok());
    assert!(
        State::from_toml(&good.replace("rho = 1", "inertia = 4"))
            .unwrap()
            .rho
            == 2.0
    );
    assert!(error(&good.replace("mu = 0.3", "mu = nan")).contains("zero or more"));
}

/// Texts made of broken pieces: an error or a state, never a panic.
#[test]
fn broken_texts_do_not_panic() {
    let mut random = Random::new(13);
    let pieces = [
        "{", "}", "[", "]", "\"n\":", "1e400", "-", "nan", "inf", ",", "\n", "m = ", "é", "\u{0}",
        "contacts",
    ];
    for _ in 0..5000 {
        let mut text: String = GOOD.to_owned();
        for _ in 0..random.integer(1, 6) {
            let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let at = places[random.integer(0, places.len() as i64) as usize];
            text.insert_str(at, pieces[random.integer(0, pieces.len() as i64) as usize]);
        }
        match State::from_text(&text) {
            Ok(state) => {
                assert!(state.m > 0.0 && state.m.is_finite(), "{text}");
                let _ = solve(&state, &Options::default());
            }
            Err(error) => assert!(!error.to_string().is_empty(), "{text}"),
        }
        let _ = State::from_toml(&text);
    }
}

/// Extreme but legal numbers go through everything.
#[test]
fn extreme_numbers_do_not_panic() {
    let mut random = Random::new(14);
    let sizes = [0.0, 1e-39, 1e-30, 1e-9, 1.0, 1e9, 1e30, 1e39];
    let pick = |random: &mut Random| {
        let sign = if random.integer(0, 2) == 0 { 1.0 } else { -1.0 };
        sign * sizes[random.integer(0, 8) as usize] * random.between(0.5, 1.0)
    };
    for _ in 0..3000 {
        let mut state = State::new(pick(&mut random).abs(), pick(&mut random).abs());
        state.force = [(); 3].map(|()| pick(&mut random));
        state.velocity = [(); 3].map(|()| {
            if random.integer(0, 2) == 0 {
                0.0
            } else {
                pick(&mut random)
            }
        });
        for _ in 0..random.integer(0, 4) {
            let angle = random.between(-3.0, 3.0);
            let mut contact = Contact::new(
                [libm::cos(angle), libm::sin(angle)],
                [pick(&mut random), pick(&mut random)],
                [0.0, 1e-12, 0.5, 1e12, f64::INFINITY][random.integer(0, 5) as usize],
            );
            if random.integer(0, 3) == 0 {
                contact.kind = ContactKind::VertexVertex;
            }
            state.contacts.push(contact);
        }
        let options = Options::default();
        if let Ok(answer) = solve(&state, &options) {
            let modes = answer.sets.iter().map(|set| set.mode.len());
            assert!(modes.into_iter().all(|n| n == answer.active.len()));
            let text = report::text(&state, &options, &answer, true);
            assert!(!text.contains("NaN"), "{text}");
            let _ = json(&state, &options, &answer).to_string();
            let _ = figure::both_svg(&state, &answer);
        }
    }
}

#[test]
fn values_are_checked_without_a_file_too() {
    let bad = |change: fn(&mut State)| {
        let mut state = three_point(0.25, 1.0, [0.0, -1.0, 0.0]);
        change(&mut state);
        solve(&state, &Options::default())
            .expect_err("bad state")
            .to_string()
    };
    assert!(bad(|s| s.contacts[1].mu = -0.1).contains("contacts[1].mu"));
    assert!(bad(|s| s.contacts[2].n = [0.0, 2.0]).contains("contacts[2].n"));
    assert!(bad(|s| s.contacts[0].r = [f64::NAN, 0.0]).contains("contacts[0].r"));
    assert!(bad(|s| s.m = f64::NAN).starts_with("m:"));
    assert!(bad(|s| s.force[1] = f64::INFINITY).starts_with("F:"));
    assert!(
        bad(|s| s.contacts[0].kind = ContactKind::Arc {
            body: 1.0,
            obstacle: -2.0
        })
        .contains("curvature")
    );
}

#[test]
fn velocity_into_a_surface_is_a_collision() {
    let mut state = three_point(0.25, 1.0, [0.0, -1.0, 0.0]);
    state.velocity = [0.0, -0.5, 0.0];
    let answer = all(&state);
    assert_eq!(answer.status(), Status::Collision);
    assert_eq!(answer.colliding, vec![(0, -0.5), (1, -0.5), (2, -0.5)]);
    assert!(answer.sets.is_empty());
    let text = report::text(&state, &Options::default(), &answer, true);
    assert!(
        text.contains("COLLISION") && text.contains("contact 2 closes at 0.5 m/s"),
        "{text}"
    );
    let value = json(&state, &Options::default(), &answer);
    assert_eq!(value["status"], "collision");
}

#[test]
fn no_contact_is_free_motion() {
    let mut state = State::new(2.0, 0.5);
    state.force = [2.0, -4.0, 1.0];
    let answer = all(&state);
    assert_eq!(answer.sets[0].acceleration(), Some([1.0, -2.0, 2.0]));
    assert_eq!(answer.notes, vec![Note::Free]);
}

#[test]
fn coincident_contacts_are_flagged() {
    let mut state = three_point(0.25, 1.0, [0.6, -1.0, 0.0]);
    let alone = all(&state);
    state.contacts.push(state.contacts[1].clone());
    let twice = all(&state);
    assert!(twice.notes.contains(&Note::Repeated(1, 3)));
    assert!(!twice.notes.iter().any(Note::non_generic));
    assert_eq!(alone.sets.len(), twice.sets.len());
    assert_eq!(twice.sets[0].mode, "rrrr");
    // One point with two normals: footnotes 1 and 2.
    state.contacts[3].n = [-0.6, 0.8];
    let corner = all(&state);
    assert!(corner.notes.contains(&Note::Coincident(1, 3)));
    assert!(corner.notes.iter().any(Note::non_generic));
    state.contacts.truncate(3);
    state.contacts[0].kind = ContactKind::VertexVertex;
    assert!(all(&state).notes.contains(&Note::VertexVertex(0)));
}

#[test]
fn too_many_contacts_is_said_with_the_cap() {
    let mut state = State::new(1.0, 1.0);
    state.force = [0.0, -1.0, 0.0];
    state.contacts = (0..70)
        .map(|i| Contact::new([0.0, 1.0], [0.1 * f64::from(i), 1.0], 0.3))
        .collect();
    let error = solve(&state, &Options::default()).expect_err("too many");
    assert!(
        matches!(error, StateError::TooManyContacts { found: 70, cap: 64 }),
        "{error}"
    );
    assert!(error.to_string().contains("70 contacts"));
    let exhaustive = Options {
        exhaustive: true,
        ..Options::default()
    };
    state.contacts.truncate(21);
    let error = solve(&state, &exhaustive)
        .expect_err("too many")
        .to_string();
    assert!(error.contains("2^21 - 1"), "{error}");
    // Counted before any work that grows with the pairs of contacts.
    state.contacts = (0..300_000)
        .map(|i| Contact::new([0.0, 1.0], [0.1 * f64::from(i), 1.0], 0.3))
        .collect();
    let error = solve(&state, &Options::default()).expect_err("too many");
    assert!(error.to_string().starts_with("300000 contacts"), "{error}");
}

/// Sizes at the ends of the floating-point range are refused with their size, and not answered wrongly.
#[test]
fn sizes_out_of_range_are_refused() {
    let message = |force: [f64; 3], rho: f64| {
        let state = three_point(0.25, rho, force);
        solve(&state, &Options::default())
            .expect_err("out of range")
            .to_string()
    };
    for (force, size) in [
        ([6e-201, -1e-200, 0.0], "1e-200"),
        ([6e99, -1e100, 0.0], "1e100"),
    ] {
        let error = message(force, 1.0);
        assert!(
            error.starts_with(&format!("F: its size {size} is out of range")),
            "{error}"
        );
    }
    let error = message([0.6, -1.0, 0.0], 1e120);
    assert!(error.starts_with("rho: its size 1e120"), "{error}");
    let error = message([0.6, -1.0, 0.0], 1e-10);
    assert!(error.contains("times the radius of gyration"), "{error}");
    // Within the range the unit of force changes nothing.
    for size in [1e-39, 1e-20, 1e20, 1e39] {
        let answer = all(&three_point(0.25, 1.0, [0.6 * size, -size, 0.0]));
        assert_eq!(answer.sets.len(), 1);
        assert_eq!(answer.sets[0].mode, "rrr");
    }
}

/// Levers from a millionth of the radius of gyration to a hundred thousand times it: one motion stays one motion.
#[test]
fn any_radius_of_gyration_gives_one_motion() {
    for exponent in -5_i32..=6 {
        let rho = libm::exp10(f64::from(exponent));
        let answer = all(&three_point(0.25, rho, [0.6, -1.0, 0.0]));
        let modes: Vec<&str> = answer.sets.iter().map(|s| s.mode.as_str()).collect();
        assert_eq!(modes, ["rrr"], "rho = {rho}");
        let a = answer.sets[0].acceleration().expect("a point");
        assert!((a[0] - 0.35).abs() < 1e-6 && a[1].abs() < 1e-6, "{a:?}");
        let noted = answer.notes.contains(&Note::Levers);
        assert_eq!(noted, !(-3..=4).contains(&exponent), "rho = {rho}");
    }
}

#[test]
fn json_of_another_kind_and_byte_order_marks() {
    let marked = format!("\u{feff}{GOOD}");
    assert!(State::from_text(&marked).is_ok());
    for text in ["[]", "null", "3", "\"m\"", " [1, 2]"] {
        let error = State::from_text(text).expect_err("no state").to_string();
        assert!(
            error.contains("expected a state with the keys"),
            "{text}: {error}"
        );
    }
    let both = GOOD.replacen("0.3", r#"{"static": 0.6, "kinetic": 0.4}"#, 1);
    assert_ne!(both, GOOD);
    let state = State::from_json(&both).expect("a state");
    assert_eq!(
        (state.contacts[0].mu, state.contacts[0].mu_static),
        (0.4, Some(0.6))
    );
    let swapped = both.replace("0.6", "0.2");
    let error = State::from_json(&swapped).expect_err("swapped").to_string();
    assert!(error.contains("static friction is not less"), "{error}");
}
