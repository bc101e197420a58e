//! `stickslip solve` on files that are no problems: a sentence with the place, exit code 2, no panic, no gigabytes.

mod support;

use stickslip::problems::hdf5::{self, Data, Group, Node};
use support::{folder, path, stickslip};
use tempfile::TempDir;

/// What `solve` says about a file of these bytes, which must be refused.
fn refused(place: &TempDir, name: &str, bytes: &[u8], words: &[&str]) {
    let file = path(place, name);
    std::fs::write(&file, bytes).expect("writable");
    println!("{name}");
    stickslip(&["solve", &file])
        .exits(2)
        .says(&[&[name], words].concat());
}

#[test]
fn json() {
    let place = folder();
    let lcp = |n: &str, rows: &str, vals: &str, q: &str| {
        format!(
            r#"{{"type": "lcp", {n} "M": {{"rows": [{rows}], "cols": [0], "vals": [{vals}]}}, "q": [{q}]}}"#
        )
    };
    let mixed = |n_eq: &str| {
        format!(
            r#"{{"type": "mlcp", {n_eq} "M": {{"rows": [], "cols": [], "vals": []}}, "q": [1]}}"#
        )
    };
    let rows = |m: &str| format!(r#"{{"type": "lcp", "M": {m}, "q": [-5, -6]}}"#);
    let good = lcp("", "0", "1", "-1");
    for (k, (text, words)) in [
        (String::new(), "line 1 column 0"),
        (good[..good.len() / 2].into(), "line 1 column"),
        ("[".repeat(100_000), "line 1 column"),
        (lcp("", "0", "NaN", "1"), "line 1 column"),
        (lcp("", "0", "1e999", "1"), "out of range"),
        (lcp("", "0", "null", "1"), "null"),
        (lcp("", "-1", "1", "1"), "-1"),
        (lcp("", "10000000000", "1", "1"), "entry (10000000000, 0)"),
        (lcp("", "0, 0", "1", "1"), "2 rows, 1 cols and 1 vals"),
        (lcp(r#""n": 3,"#, "0", "1", "1"), "1 entries where 3"),
        (lcp(r#""n": 1e10,"#, "0", "1", "1"), "line 1 column"),
        (good.replace("lcp", "qp"), "qp"),
        (r#"{"M": [[1]], "q": [1]}"#.into(), r#"{"type": "lcp", "M""#),
        (rows("[[2, 1], [1]]"), "row 2 of M has 1 numbers"),
        (rows("[[2, 1]]"), "M has 1 rows"),
        (rows(r#"[[2, 1], [1, "x"]]"#), "line 1 column"),
        (rows("3"), "rows of numbers"),
        (mixed(""), "n_eq"),
        (mixed(r#""n_eq": 5,"#), "n_eq is 5"),
        (
            mixed(r#""n_eq": 1, "m_ineq": 18446744073709551615,"#),
            "1 entries where",
        ),
    ]
    .iter()
    .enumerate()
    {
        refused(&place, &format!("{k}.json"), text.as_bytes(), &[words]);
    }
}

#[test]
fn matrix_market() {
    let place = folder();
    let q = "%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n";
    let coordinate =
        |rest: &str| format!("%%MatrixMarket matrix coordinate real general\n{rest}\n");
    for (k, (m, q, words)) in [
        (coordinate("2 2 2\n1 1 1\n2 2 nan"), q, "line 4"),
        (coordinate("2 2 2\n1 1 1\n2 2 inf"), q, "line 4"),
        (coordinate("2 2 2\n1 1 1\n2 3 1"), q, "line 4"),
        (coordinate("2 2 2\n1 1 1\n0 2 1"), q, "line 4"),
        (coordinate("2 2 9\n1 1 1"), q, "1 entries where 9"),
        (coordinate("2 3 1\n1 1 1"), q, "2 x 3"),
        (coordinate("3 3 1\n1 1 1"), q, "3 x 3"),
        (
            coordinate("50000000 50000000 1\n1 1 1"),
            q,
            "50000000 columns",
        ),
        (coordinate("10000000000 10000000000 1\n1 1 1"), q, "line 2"),
        (coordinate("2 2"), q, "line 2"),
        (coordinate(""), q, "sizes"),
        (
            coordinate("2 2 1\n1 1 1").replace("real", "complex"),
            q,
            "complex",
        ),
        (coordinate("2 2 1\n1 1 1"), "%%MatrixMarket", "line 1"),
        (
            coordinate("2 2 1\n1 1 1"),
            "%%MatrixMarket matrix coordinate real general\n40000000 1 0\n",
            "40000000",
        ),
        (q.replace("2 1", "100000 100000"), q, "ends at entry (2, 0)"),
    ]
    .iter()
    .enumerate()
    {
        std::fs::write(path(&place, &format!("{k}_q.mtx")), q).expect("writable");
        refused(&place, &format!("{k}_M.mtx"), m.as_bytes(), &[words]);
    }
    refused(
        &place,
        "alone_M.mtx",
        coordinate("1 1 0").as_bytes(),
        &["alone_q.mtx"],
    );
    refused(&place, "other.mtx", q.as_bytes(), &["_M"]);
}

fn integers(v: &[i32]) -> Node {
    Node::Data(Data::Integers(v.to_vec()))
}

fn reals(v: &[f64]) -> Node {
    Node::Data(Data::Reals(v.to_vec()))
}

fn group<const N: usize>(members: [(&str, Node); N]) -> Node {
    Node::Group(members.map(|(name, node)| (name.into(), node)).into())
}

/// Triplets (nz ≥ 0) or compressed columns (nz = −1).
fn matrix(m: i32, n: i32, nz: i32, i: &[i32], p: &[i32], x: &[f64]) -> Node {
    group([
        ("m", integers(&[m])),
        ("n", integers(&[n])),
        ("nz", integers(&[nz])),
        ("i", integers(i)),
        ("p", integers(p)),
        ("x", reals(x)),
    ])
}

fn diagonal(n: i32, v: f64) -> Node {
    let k: Vec<i32> = (0..n).collect();
    matrix(n, n, n, &k, &k, &vec![v; k.len()])
}

const Q: [f64; 3] = [-1.0, 0.1, 0.2];

fn local(dimension: i32, w: Node, q: &[f64], mu: &[f64]) -> Vec<u8> {
    let vectors = group([("q", reals(q)), ("mu", reals(mu))]);
    let problem = group([
        ("spacedim", integers(&[dimension])),
        ("W", w),
        ("vectors", vectors),
    ]);
    hdf5::write(&[("fclib_local".into(), problem)].into())
}

fn global(m: Node, h: Node, f: &[f64], w: &[f64], mu: &[f64]) -> Vec<u8> {
    let vectors = group([("f", reals(f)), ("w", reals(w)), ("mu", reals(mu))]);
    let problem = group([
        ("spacedim", integers(&[3])),
        ("M", m),
        ("H", h),
        ("vectors", vectors),
    ]);
    hdf5::write(&[("fclib_global".into(), problem)].into())
}

#[test]
fn local_fclib() {
    let place = folder();
    let (one, nan) = (|| diagonal(3, 1.0), f64::NAN);
    let entries = |m: i32, n: i32, nz: i32, i: &[i32], p: &[i32]| {
        local(3, matrix(m, n, nz, i, p, &[1.0; 3]), &Q, &[0.5])
    };
    let good = local(3, one(), &Q, &[0.5]);
    // The datasets of three numbers (version 1, one dimension, its size) claim ten gigabytes.
    let mut ten_gigabytes = good.clone();
    let three = [1, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
    while let Some(at) = ten_gigabytes.windows(16).position(|w| w == three) {
        ten_gigabytes[at + 8..at + 16].copy_from_slice(&1_250_000_000u64.to_le_bytes());
    }
    assert_ne!(ten_gigabytes, good);
    let ok = [0, 1, 2];
    for (name, bytes, words) in [
        ("nothing", Vec::new(), "signature"),
        ("text", b"hello".to_vec(), "signature"),
        ("half", good[..good.len() / 2].to_vec(), "outside the file"),
        ("tail", good[..good.len() - 8].to_vec(), "the file ends"),
        ("ten_gigabytes", ten_gigabytes, "bytes where"),
        ("other", hdf5::write(&Group::new()), "fclib_local"),
        ("plane", local(2, one(), &Q, &[0.5]), "spacedim"),
        (
            "w_nan",
            local(3, diagonal(3, nan), &Q, &[0.5]),
            "contact 0: the Delassus matrix",
        ),
        (
            "q_nan",
            local(3, one(), &[nan, 0.0, 0.0], &[0.5]),
            "contact 0: q",
        ),
        ("mu_nan", local(3, one(), &Q, &[nan]), "friction NaN"),
        ("mu_negative", local(3, one(), &Q, &[-0.5]), "friction -0.5"),
        ("mu_two", local(3, one(), &Q, &[0.5, 0.5]), "W has 3 rows"),
        ("q_short", local(3, one(), &Q[..2], &[0.5]), "q 2"),
        (
            "not_square",
            entries(3, 6, 3, &ok, &ok),
            "3 x 6, not square",
        ),
        ("beyond", entries(3, 3, 3, &[0, 1, 9], &ok), "entry (9, 2)"),
        (
            "negative",
            entries(3, 3, 3, &[0, 1, -1], &ok),
            "negative index",
        ),
        (
            "few",
            entries(3, 3, 2_000_000_000, &ok, &ok),
            "fewer entries",
        ),
        (
            "huge",
            entries(90_000_000, 90_000_000, 3, &ok, &ok),
            "far more rows",
        ),
        ("storage", entries(3, 3, -7, &ok, &ok), "nz = -7"),
        (
            "pointers",
            entries(3, 3, -1, &ok, &[0, 5, 2, 3]),
            "pointers",
        ),
    ] {
        refused(&place, &format!("{name}.hdf5"), &bytes, &[words]);
    }
}

#[test]
fn global_fclib() {
    let place = folder();
    let (one, nan) = (|| diagonal(3, 1.0), f64::NAN);
    // One body with all contacts: D would be dense.
    let n = 30_000;
    let k: Vec<i32> = (0..n).collect();
    let all = vec![1.0; k.len()];
    let row = matrix(1, n, n, &vec![0; k.len()], &k, &all);
    let dense = global(diagonal(1, 1.0), row, &[1.0], &all, &vec![0.5; k.len() / 3]);
    for (name, bytes, words) in [
        (
            "singular",
            global(diagonal(3, 0.0), one(), &Q, &Q, &[0.5]),
            "M is singular",
        ),
        (
            "m_nan",
            global(diagonal(3, nan), one(), &Q, &Q, &[0.5]),
            "M(0, 0) is NaN",
        ),
        (
            "h_nan",
            global(one(), diagonal(3, nan), &Q, &Q, &[0.5]),
            "H(0, 0) is NaN",
        ),
        (
            "f_nan",
            global(one(), one(), &[0.0, nan, 0.0], &Q, &[0.5]),
            "f(1) is NaN",
        ),
        (
            "w_nan",
            global(one(), one(), &Q, &[0.0, nan, 0.0], &[0.5]),
            "w(1) is NaN",
        ),
        (
            "mu_negative",
            global(one(), one(), &Q, &Q, &[-0.5]),
            "friction -0.5",
        ),
        (
            "sizes",
            global(one(), diagonal(6, 1.0), &Q, &Q, &[0.5]),
            "H 6 x 6",
        ),
        ("dense", dense, "would have 900000000 entries"),
    ] {
        refused(&place, &format!("{name}.hdf5"), &bytes, &[words]);
    }
}

/// Numbers at the ends of their range are problems, but nothing that overflows is a solution.
#[test]
fn what_overflows_is_not_solved() {
    let place = folder();
    let file = path(&place, "extreme.json");
    let text = r#"{"type": "lcp", "M": {"rows": [0, 1, 0], "cols": [0, 1, 1], "vals": [1e308, 1e-308, 1e300]}, "q": [-1e308, -1e308]}"#;
    std::fs::write(&file, text).expect("writable");
    for solver in ["auto", "lemke", "interior-point", "pgs"] {
        stickslip(&["solve", &file, "--solver", solver]).exits(1);
    }
    // Without D (W in the file) no impulse stops what approaches, however large.
    let still = path(&place, "still.hdf5");
    std::fs::write(&still, local(3, diagonal(3, 0.0), &Q, &[0.5])).expect("writable");
    stickslip(&["solve", &still]).exits(1);
}
