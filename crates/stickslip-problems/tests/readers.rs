//! The file readers on the shared collection, and on damaged files.

mod common;

use glam::{DMat3, DVec3};
use stickslip_problems::fclib::FclibProblem;
use stickslip_problems::hdf5::{self, Data, Group, Node};
use stickslip_problems::json::step::{self, StepFile};
use stickslip_problems::stored::StoredProblem;
use stickslip_problems::{fclib, json};
use stickslip_solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};

#[test]
fn every_file_of_the_collection_is_read() {
    let Some(files) = common::shared_files("problems/fc", "hdf5") else {
        return;
    };
    assert!(files.len() >= 50);
    for path in files {
        let bytes = std::fs::read(&path).expect("readable");
        let local = fclib::read(&bytes)
            .unwrap_or_else(|e| panic!("{path:?}: {e}"))
            .into_local()
            .unwrap_or_else(|e| panic!("{path:?}: {e}"));
        assert!(!local.is_empty());
    }
    for path in common::shared_files("problems/lcp", "json").unwrap_or_default() {
        let text = std::fs::read_to_string(&path).expect("readable");
        json::lcp::read(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    }
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let Some(files) = common::shared_files("problems/fc", "hdf5") else {
        return;
    };
    let mut random = stickslip_testing::Random::new(99);
    for path in files
        .iter()
        .filter(|p| std::fs::metadata(p).is_ok_and(|m| m.len() < 15_000))
    {
        let bytes = std::fs::read(path).expect("readable");
        // Cut anywhere: an error, or (a cut in the tail) the same problem.
        for k in 0..200 {
            let cut = bytes.len() * k / 200;
            let _ = fclib::read(&bytes[..cut]);
        }
        assert!(fclib::read(&bytes[..bytes.len() / 2]).is_err());
        // Flip bytes: whatever comes, no panic and no absurd allocation.
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(8) {
                let at = random.below(damaged.len());
                damaged[at] = (random.bits() & 0xff) as u8;
            }
            if let Ok(problem) = fclib::read(&damaged) {
                let _ = problem.into_local();
            }
        }
    }
    assert!(fclib::read(b"").is_err());
    assert!(fclib::read(&[0x89; 4096]).is_err());
}

#[test]
fn bad_json_says_where() {
    for (text, word) in [
        ("", "EOF"),
        ("{\"type\": \"lcp\"}", "missing field"),
        (
            "{\"type\":\"qp\",\"M\":{\"rows\":[],\"cols\":[],\"vals\":[]},\"q\":[]}",
            "qp",
        ),
        (
            "{\"type\":\"lcp\",\"M\":{\"rows\":[9],\"cols\":[0],\"vals\":[1]},\"q\":[1]}",
            "(9, 0)",
        ),
        (
            "{\"type\":\"lcp\",\"n\":3,\"M\":{\"rows\":[],\"cols\":[],\"vals\":[]},\"q\":[1]}",
            "3",
        ),
        (
            "{\"type\":\"mlcp\",\"M\":{\"rows\":[],\"cols\":[],\"vals\":[]},\"q\":[1]}",
            "n_eq",
        ),
        (
            "{\"type\":\"lcp\",\"M\":{\"rows\":[0],\"cols\":[],\"vals\":[]},\"q\":[1]}",
            "rows",
        ),
    ] {
        let error = json::lcp::read(text).expect_err(text);
        assert!(error.contains(word), "{text}: {error}");
    }
}

/// Two points of 1 kg and 2 kg on the ground, tied together along x by an equation: what friction stops one stops both.
struct Tied {
    /// W, row by row, 6 × 6.
    w: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    r: f64,
    s: f64,
}

const PUSHED: [f64; 6] = [-0.1, 0.5, 0.0, -0.1, 0.0, 0.0];

fn tied() -> Tied {
    let inverse = [1.0, 0.5];
    let mut w = vec![0.0; 36];
    for i in 0..6 {
        w[7 * i] = inverse[i / 3];
    }
    // 0 = u_x of the first − u_x of the second.
    let mut v = vec![0.0; 6];
    (v[1], v[4]) = (inverse[0], -inverse[1]);
    Tied {
        w,
        q: PUSHED.to_vec(),
        v,
        r: inverse[0] + inverse[1],
        s: PUSHED[1] - PUSHED[4],
    }
}

fn integers(values: &[i32]) -> Node {
    Node::Data(Data::Integers(values.to_vec()))
}

fn reals(values: &[f64]) -> Node {
    Node::Data(Data::Reals(values.to_vec()))
}

/// A dense matrix as triplets.
fn dense(rows: usize, cols: usize, values: &[f64]) -> Node {
    let place = |k: usize| (k / cols, k % cols);
    let index = |f: &dyn Fn(usize) -> usize| {
        let all: Vec<i32> = (0..rows * cols).map(|k| f(k) as i32).collect();
        integers(&all)
    };
    let n = (rows * cols) as i32;
    let group: Group = [
        ("m".into(), integers(&[rows as i32])),
        ("n".into(), integers(&[cols as i32])),
        ("nzmax".into(), integers(&[n])),
        ("nz".into(), integers(&[n])),
        ("i".into(), index(&|k| place(k).0)),
        ("p".into(), index(&|k| place(k).1)),
        ("x".into(), reals(values)),
    ]
    .into();
    Node::Group(group)
}

fn hdf5(kind: &str, members: Vec<(&str, Node)>, vectors: Vec<(&str, Node)>) -> Vec<u8> {
    let named = |list: Vec<(&str, Node)>| -> Group {
        list.into_iter().map(|(n, v)| (n.to_string(), v)).collect()
    };
    let mut problem = named(members);
    problem.insert("spacedim".into(), integers(&[3]));
    problem.insert("vectors".into(), Node::Group(named(vectors)));
    hdf5::write(&[(kind.to_string(), Node::Group(problem))].into())
}

/// FCLIB's equations, in both of its forms: read, solved, and the tied points go on together.
#[test]
fn equations_of_fclib_are_bilateral_blocks() {
    let Tied { w, q, v, r, s } = tied();
    let mu = || ("mu", reals(&[0.3, 0.3]));
    let local = hdf5(
        "fclib_local",
        vec![
            ("W", dense(6, 6, &w)),
            ("V", dense(6, 1, &v)),
            ("R", dense(1, 1, &[r])),
        ],
        vec![("q", reals(&q)), ("s", reals(&[s])), mu()],
    );
    let mut m = vec![0.0; 36];
    for i in 0..6 {
        m[7 * i] = if i < 3 { 1.0 } else { 2.0 };
    }
    let h: Vec<f64> = (0..36).map(|k| f64::from(k % 7 == 0)).collect();
    let f: Vec<f64> = (0..6).map(|i| m[7 * i] * PUSHED[i]).collect();
    let global = hdf5(
        "fclib_global",
        vec![
            ("M", dense(6, 6, &m)),
            ("H", dense(6, 6, &h)),
            ("G", dense(6, 1, &[0.0, 1.0, 0.0, 0.0, -1.0, 0.0])),
        ],
        vec![
            ("f", reals(&f)),
            ("w", reals(&[0.0; 6])),
            ("b", reals(&[0.0])),
            mu(),
        ],
    );
    for bytes in [local, global] {
        let problem = fclib::read(&bytes)
            .expect("read")
            .into_local()
            .expect("local");
        assert_eq!(problem.len(), 3);
        assert_eq!(problem.laws[2], Law::bilateral([true, false, false]));
        let stored = StoredProblem::Contact(problem.clone());
        for solver in ["auto", "newton", "nsgs", "interior-point"] {
            let answer = stored.solve(solver, 1e-10).expect("a solver");
            assert_eq!(answer.status, "solved", "{solver}");
            let p: Vec<DVec3> = answer
                .values
                .chunks_exact(3)
                .map(DVec3::from_slice)
                .collect();
            let (a, b) = (problem.velocity(0, &p), problem.velocity(1, &p));
            // 3 kg push at 0.5/3 m/s; friction takes μ 0.1 m/s off.
            let speed = 0.5 / 3.0 - 0.3 * 0.1;
            assert!(
                (a.y - speed).abs() < 1e-9 && (b.y - speed).abs() < 1e-9,
                "{solver}: {a} {b}"
            );
        }
        let answer = stored.solve("staggered", 1e-10).expect("a solver");
        assert!(
            answer.note.contains("neither a quadratic cone"),
            "{}",
            answer.note
        );
    }
    // Half of an equation, or one of another size, is refused with a word.
    let half = hdf5(
        "fclib_local",
        vec![("W", dense(6, 6, &w)), ("V", dense(6, 1, &v))],
        vec![("q", reals(&q)), mu()],
    );
    let long = hdf5(
        "fclib_local",
        vec![
            ("W", dense(6, 6, &w)),
            ("V", dense(6, 1, &v)),
            ("R", dense(1, 1, &[r])),
        ],
        vec![("q", reals(&q)), ("s", reals(&[s, s])), mu()],
    );
    for (bytes, word) in [(half, "only one"), (long, "sizes disagree")] {
        let error = fclib::read(&bytes).expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
    }
    let Ok(FclibProblem::Global(mut global)) = fclib::read(&hdf5(
        "fclib_global",
        vec![("M", dense(6, 6, &m)), ("H", dense(6, 6, &h))],
        vec![("f", reals(&f)), ("w", reals(&[0.0; 6])), mu()],
    )) else {
        panic!("a global problem");
    };
    global.b.push(1.0);
    assert!(global.to_local().is_err_and(|e| e.contains("G 0 x 0")));
}

/// A block of each law, with numbers that do not end.
fn every_law() -> StepFile {
    let third = 1.0 / 3.0;
    let arm = |body: usize, sign: f64, action: Action| {
        Some(Arm {
            body,
            lever: DVec3::new(-third, 1e-300, -0.0),
            sign,
            action,
        })
    };
    let inf = f64::INFINITY;
    let laws = [
        Law::Unilateral,
        Law::Cone { mu: 0.1 + 0.2 },
        Law::Pyramid {
            mu: third,
            directions: 5,
        },
        Law::Bounded {
            lo: DVec3::new(-inf, 0.0, -third),
            hi: DVec3::new(inf, inf, third),
        },
        Law::Disc {
            radius: third,
            directions: None,
        },
        Law::Disc {
            radius: 0.7,
            directions: Some(4),
        },
    ];
    let contacts = laws.map(|law| ContactBlock {
        frame: [DVec3::Z, DVec3::X, DVec3::Y],
        arms: [arm(0, 1.0, Action::Force), arm(1, -1.0, Action::Torque)].into(),
        b: DVec3::new(-0.1, third, 5e-324),
        compliance: DVec3::new(0.0, 1e-17, 2.0 * third),
        law,
    });
    let mass = InverseMass {
        mass: third,
        inertia: DMat3::from_diagonal(DVec3::new(third, 0.7, 100.0)),
    };
    let nu = Twist {
        linear: DVec3::new(1e-5, -9.81 * 0.01, third),
        angular: DVec3::new(0.0, 1e300, -third),
    };
    StepFile {
        name: "every \"law\"".into(),
        note: "for a test\nin two lines".into(),
        problem: ContactProblem {
            floors: Vec::new(),
            inverse_mass: vec![mass; 2],
            nu_free: vec![nu; 2],
            contacts: contacts.to_vec(),
        },
        bodies: vec!["a".into(), "b".into()],
        blocks: (0..6).map(|k| format!("block of law {k}")).collect(),
        impulses: vec![DVec3::new(third, -0.0, 1e-320); 6],
    }
}

#[test]
fn a_step_comes_back_bit_for_bit() {
    let step = every_law();
    let text = step.write().expect("written");
    let again = step::read(&text).expect("read");
    assert_eq!(again, step);
    // -0.0 and 0.0 are equal: the text tells them apart.
    assert_eq!(again.write().expect("written"), text);
    let StoredProblem::Step(stored) = StoredProblem::from_json(&text).expect("read") else {
        panic!("not a step");
    };
    assert_eq!(stored, step);
    let mut broken = step;
    broken.problem.nu_free[1].linear.x = f64::NAN;
    assert!(broken.write().is_err_and(|e| e.contains("body 1")));
}

#[test]
fn a_bad_step_says_where() {
    let good = every_law().write().expect("written");
    for (from, to, words) in [
        ("\"type\": \"step\"", "\"type\": \"stop\"", vec!["stop"]),
        (
            "\"cone\"",
            "\"clone\"",
            vec!["unknown variant", "cone", "line"],
        ),
        (
            "\"mu\":0.30000000000000004",
            "\"mu\":-1",
            vec!["blocks[1] (block of law 1)", "friction -1"],
        ),
        ("\"mu\":0.30000000000000004", "\"mu\":NaN", vec!["line"]),
        (
            "\"mu\":0.30000000000000004",
            "\"mu\":1e999",
            vec!["out of range", "line"],
        ),
        (
            "\"mu\":0.30000000000000004",
            "\"nu\":1",
            vec!["unknown field", "line"],
        ),
        (
            "\"directions\":5",
            "\"directions\":2",
            vec!["blocks[2]", "from 3 to 4096"],
        ),
        (
            "\"body\":1",
            "\"body\":2",
            vec!["blocks[0]", "arms[1]", "body 2 of 2"],
        ),
        ("\"sign\":-1.0", "\"sign\":3", vec!["blocks[0]", "sign 3"]),
        (
            "\"hi\":[null,null,",
            "\"hi\":[null,-1,",
            vec!["blocks[3]", "not ordered"],
        ),
        (
            "\"frame\":[[0.0,0.0,1.0]",
            "\"frame\":[[0.0,0.0,2.0]",
            vec!["blocks[0]", "orthonormal"],
        ),
        (
            "\"frame\":[[0.0,0.0,1.0]",
            "\"frame\":[[0.0,1.0]",
            vec!["length 2", "line"],
        ),
        (
            "\"inverse_mass\":0.3333333333333333",
            "\"inverse_mass\":-1",
            vec!["bodies[0] (a)", "inverse_mass"],
        ),
        (
            "[0.0,0.7,0.0]",
            "[0.0,-0.7,0.0]",
            vec!["bodies[0] (a)", "eigenvalues"],
        ),
        (
            "\"compliance\":[0.0,",
            "\"compliance\":[-1,",
            vec!["blocks[0]", "compliance"],
        ),
        (
            ",\"impulse\":[0.3333333333333333,-0.0,1e-320]",
            "",
            vec!["5 of 6", "impulse"],
        ),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from} is not in the file");
        let error = step::read(&text).expect_err(to);
        for word in words {
            assert!(error.contains(word), "{to}: {error}");
        }
    }
    for cut in (0..good.len() - 2).filter(|&k| good.is_char_boundary(k)) {
        let error = step::read(&good[..cut]).expect_err("cut");
        assert!(error.contains("line"), "{error}");
    }
}
