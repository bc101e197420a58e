//! Checks of who may use whom. Each gives what is wrong, one line for each mistake; an empty list is good.

use crate::pages::text;
use crate::{files, root, shown};

/// The crates in their order: each may use those before it, never those after.
pub const ORDER: [&str; 21] = [
    "stickslip-random",
    "stickslip-threads",
    "stickslip-solvers",
    "stickslip-geometry",
    "stickslip-planar",
    "stickslip-plot",
    "stickslip-robots",
    "stickslip-problems",
    "stickslip-model",
    "stickslip-certify",
    "stickslip-record",
    "stickslip-dynamics",
    "stickslip-view",
    "stickslip",
    "stickslip-plate",
    "stickslip-sweep",
    "stickslip-console",
    "stickslip-studies",
    "stickslip-cli",
    "stickslip-py",
    "stickslip-verify",
];

/// What stays in the repository: `publish = false` in their manifests.
pub const UNPUBLISHED: [&str; 4] = ["stickslip-py", "stickslip-verify", TESTING, "xtask"];

/// What the tests of every crate may use, and nothing else.
const TESTING: &str = "stickslip-testing";

/// Four that know nothing of each other; a generator of numbers and threads are all they may share.
const APART: [&str; 4] = [
    "stickslip-solvers",
    "stickslip-geometry",
    "stickslip-planar",
    "stickslip-plot",
];

/// Bodies, judge and records know no solver.
const BLIND: [&str; 3] = ["stickslip-model", "stickslip-certify", "stickslip-record"];

/// The crates that may ask the judge: the one that steps (in [`GATE`] alone) and the facade that hands him on.
const JUDGED: [&str; 2] = ["stickslip-dynamics", "stickslip"];

/// The only file of `stickslip-dynamics` that may name the judge: the gate, where a step is judged and accepted. Nobody who
/// makes a step does: a formula that is wrong in the stepper is then not wrong in the judge.
const GATE: [&str; 1] = ["step/gate.rs"];

/// Files of the stepping crate that use the judge although they make steps.
#[must_use]
pub fn judges_of_their_own_steps() -> Vec<String> {
    let folder = "crates/stickslip-dynamics/src/";
    let steps = files().into_iter().map(|p| (shown(&p), text(&p)));
    steps
        .filter_map(|(path, source)| {
            let inner = path.strip_prefix(folder)?.to_string();
            let uses = source.contains("stickslip_certify");
            (uses && !GATE.contains(&inner.as_str()))
                .then(|| format!("{path} uses the judge; only {GATE:?} may"))
        })
        .collect()
}

/// A dependency of a manifest.
#[derive(Debug, PartialEq)]
struct Use {
    name: String,
    /// Of tests, examples and benchmarks only.
    tests_only: bool,
}

/// Dependencies between crates that go the wrong way, and crates that ARCHITECTURE.md does not list.
#[must_use]
pub fn wrong_dependencies() -> Vec<String> {
    let mut wrong = Vec::new();
    let page = text(&root().join("ARCHITECTURE.md"));
    for path in files().iter().filter(|p| p.ends_with("Cargo.toml")) {
        let place = shown(path);
        let Some(name) = place
            .strip_prefix("crates/")
            .and_then(|p| p.split('/').next())
        else {
            continue;
        };
        if !page.contains(&format!("| `{name}` |")) {
            wrong.push(format!("ARCHITECTURE.md: the table does not list {name}"));
        }
        let forbidden = uses(&text(path))
            .into_iter()
            .filter(|used| !may_use(name, used));
        wrong.extend(forbidden.map(|used| format!("{place}: {name} must not use {}", used.name)));
    }
    wrong
}

/// Crates without what a registry shows of them: a page of their own that begins with their name and description, and licences.
#[must_use]
pub fn unready_crates() -> Vec<String> {
    let mut wrong = Vec::new();
    for name in published() {
        let folder = root().join("crates").join(name);
        let manifest = text(&folder.join("Cargo.toml"));
        let has = |line: &str| manifest.lines().any(|l| l == line);
        let fields = [
            "version",
            "edition",
            "rust-version",
            "license",
            "keywords",
            "categories",
            "exclude",
        ];
        let absent = fields
            .into_iter()
            .filter(|field| !has(&format!("{field}.workspace = true")));
        wrong.extend(absent.map(|field| format!("{name}: no {field} in its manifest")));
        let description = manifest
            .lines()
            .find_map(|l| l.strip_prefix("description = "))
            .map_or("", |d| d.trim_matches('"'));
        let begin = format!("# {name}\n\n{description}.\n");
        let own = text(&folder.join("README.md"));
        if !has("readme.workspace = true") && !own.starts_with(&begin) {
            wrong.push(format!("{name}: README.md does not begin with\n{begin}"));
        }
        let licences = ["LICENSE-MIT", "LICENSE-APACHE"];
        let absent = licences
            .into_iter()
            .filter(|l| text(&folder.join(l)) != text(&root().join(l)));
        wrong.extend(absent.map(|licence| format!("{name}: no {licence}")));
    }
    wrong
}

/// The crates that are published.
fn published() -> impl Iterator<Item = &'static str> {
    ORDER.into_iter().filter(|name| !UNPUBLISHED.contains(name))
}

/// May the crate `name` have this dependency?
fn may_use(name: &str, used: &Use) -> bool {
    let place = |name: &str| ORDER.iter().position(|n| *n == name);
    let is_in = |list: &[&str]| list.contains(&name);
    match used.name.as_str() {
        // The crate of independent truth is made of tests.
        TESTING => used.tests_only || name == "stickslip-verify",
        "stickslip-random" | "stickslip-threads" => true,
        "stickslip-certify" if !is_in(&JUDGED) => false,
        "stickslip-solvers" | "stickslip-problems" if is_in(&BLIND) => false,
        _ if is_in(&APART) => false,
        used => matches!((place(used), place(name)), (Some(a), Some(b)) if a < b),
    }
}

/// The crates of this project that a manifest names as dependencies.
fn uses(manifest: &str) -> Vec<Use> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]") && line.starts_with("stickslip") {
            let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            found.push(Use {
                name: line[..end.unwrap_or(line.len())].to_string(),
                tests_only: section == "[dev-dependencies]",
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_one_way() {
        let plain = |name: &str| Use {
            name: name.into(),
            tests_only: false,
        };
        for (name, used, allowed) in [
            ("stickslip-dynamics", "stickslip-solvers", true),
            ("stickslip-solvers", "stickslip-dynamics", false),
            ("stickslip-geometry", "stickslip-solvers", false),
            ("stickslip-solvers", "stickslip-random", true),
            ("stickslip-certify", "stickslip-threads", true),
            ("stickslip-model", "stickslip-solvers", false),
            ("stickslip-record", "stickslip-model", true),
            ("stickslip-record", "stickslip-certify", false),
            ("stickslip-cli", "stickslip-studies", true),
            ("stickslip-studies", "stickslip-cli", false),
            ("stickslip-dynamics", "stickslip-testing", false),
            ("stickslip-cli", "stickslip-unheard-of", false),
        ] {
            assert_eq!(may_use(name, &plain(used)), allowed, "{name} -> {used}");
        }
    }

    #[test]
    fn tests_may_use_what_is_made_for_them() {
        let manifest = "[dependencies]\nglam = \"1\"\nstickslip-model.workspace = true\n\n\
                        [dev-dependencies]\nstickslip-testing = { path = \"x\" }\n";
        let found = uses(manifest);
        let names: Vec<(&str, bool)> = found.iter().map(|u| (&*u.name, u.tests_only)).collect();
        assert_eq!(
            names,
            [("stickslip-model", false), ("stickslip-testing", true)]
        );
        assert!(found.iter().all(|used| may_use("stickslip-record", used)));
    }
}
