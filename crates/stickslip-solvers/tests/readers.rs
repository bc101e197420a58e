//! The file readers on the shared collection, and on damaged files.

mod common;

use stickslip_solvers::{fclib, lcp_json};

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
        lcp_json::read(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    }
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let Some(files) = common::shared_files("problems/fc", "hdf5") else {
        return;
    };
    let mut random = stickslip_solvers::random::Random::new(99);
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
        let error = lcp_json::read(text).expect_err(text);
        assert!(error.contains(word), "{text}: {error}");
    }
}
