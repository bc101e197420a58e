//! Other people's solvers on the same problems, where they are installed: scripts of `bench/peers`, run by Python.

use super::Budget;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use stickslip::problems::stored::{StoredAnswer, StoredProblem};

/// Name, and the script that asks it.
const PEERS: [(&str, &str); 2] = [
    ("path", include_str!("../../shipped/with_path.py")),
    ("siconos", include_str!("../../shipped/with_siconos.py")),
];

/// Names of the peers.
pub fn names() -> impl Iterator<Item = &'static str> {
    PEERS.iter().map(|p| p.0)
}

/// Names of the peers that take this kind of problem.
pub fn names_for(problem: &StoredProblem) -> impl Iterator<Item = &'static str> {
    names().filter(move |name| match problem {
        StoredProblem::Contact(_) => *name != "path",
        StoredProblem::Complementarity(_) => true,
        StoredProblem::Step(_) => false,
    })
}

/// Exit codes of a script that cannot take the problem, or whose peer is not installed; it has said so.
const REFUSED: i32 = 3;
const ABSENT: i32 = 4;

/// Why a peer has no answer.
pub enum NoAnswer {
    /// It is not installed: a sentence that says how.
    Absent(String),
    /// It is, but failed.
    Failed(String),
}

/// Interpreters tried in turn: those of `STICKSLIP_PYTHON` (a list like PATH), the one found first, the system's own.
fn interpreters() -> Vec<std::path::PathBuf> {
    let given = std::env::var_os("STICKSLIP_PYTHON").unwrap_or_default();
    let given = std::env::split_paths(&given).filter(|p| !p.as_os_str().is_empty());
    given
        .chain(["python3", "/usr/bin/python3"].map(Into::into))
        .collect()
}

/// The peer's answer within `limit` seconds, measured as our own are, and the seconds its solver took, the best of
/// what fits into `budget`. `None` if no peer has this name.
pub fn solve(
    problem: &StoredProblem,
    name: &str,
    tolerance: f64,
    limit: f64,
    budget: Budget,
) -> Option<Result<(StoredAnswer, f64), NoAnswer>> {
    let (_, script) = PEERS.iter().find(|p| p.0 == name)?;
    let question = question(problem, tolerance, limit, budget).map_err(NoAnswer::Failed);
    Some(question.and_then(|q| ask(problem, script, &q, tolerance)))
}

fn ask(
    problem: &StoredProblem,
    script: &str,
    question: &str,
    tolerance: f64,
) -> Result<(StoredAnswer, f64), NoAnswer> {
    let fail = |why: &str| NoAnswer::Failed(why.into());
    let mut absent = "no Python is installed".to_owned();
    for python in interpreters() {
        let Ok((code, out, err)) = run(&python, script, question) else {
            continue;
        };
        match code {
            Some(ABSENT) => {
                err.trim().clone_into(&mut absent);
                continue;
            }
            Some(REFUSED) => return Err(fail(err.trim())),
            _ => {}
        }
        let answer: Value = serde_json::from_str(out.trim()).map_err(|_| {
            let last = err.trim().lines().last().unwrap_or("no answer");
            NoAnswer::Failed(format!("its script failed: {last}"))
        })?;
        let values = answer["values"].as_array().into_iter().flatten();
        let values: Vec<f64> = values.filter_map(Value::as_f64).collect();
        let (Some(seconds), Some(solver)) = (answer["seconds"].as_f64(), answer["solver"].as_str())
        else {
            return Err(fail("its script's answer cannot be read"));
        };
        let iterations = answer["iterations"].as_u64().unwrap_or(0) as usize;
        let judged = problem
            .judge(values, solver, iterations, tolerance)
            .ok_or_else(|| fail("its answer has the wrong length"))?;
        return Ok((judged, seconds));
    }
    Err(NoAnswer::Absent(absent))
}

/// The problem as the scripts read it.
fn question(
    problem: &StoredProblem,
    tolerance: f64,
    limit: f64,
    budget: Budget,
) -> Result<String, String> {
    let (kind, n, matrix, q, mu): (_, _, Vec<_>, Vec<f64>, _) = match problem {
        StoredProblem::Contact(p) => {
            let q = p.q.iter().flat_map(|q| q.to_array()).collect();
            ("contact", p.len(), p.entries().collect(), q, p.frictions()?)
        }
        StoredProblem::Complementarity(p) if p.n_eq == 0 => (
            "lcp",
            p.q.len(),
            p.m.entries().collect(),
            p.q.clone(),
            Vec::new(),
        ),
        StoredProblem::Complementarity(_) => return Err("takes no mixed LCP".into()),
        StoredProblem::Step(_) => return Err("takes no step with joints".into()),
    };
    let rows: Vec<usize> = matrix.iter().map(|e| e.0).collect();
    let cols: Vec<usize> = matrix.iter().map(|e| e.1).collect();
    let vals: Vec<f64> = matrix.iter().map(|e| e.2).collect();
    Ok(json!({
        "kind": kind, "n": n, "rows": rows, "cols": cols, "vals": vals, "q": q, "mu": mu, "tolerance": tolerance,
        "limit": limit, "budget": budget.0,
    })
    .to_string())
}

/// Exit code, standard output and standard error.
fn run(
    python: &std::path::Path,
    script: &str,
    question: &str,
) -> std::io::Result<(Option<i32>, String, String)> {
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A script that refuses does not read to the end.
        let _ = stdin.write_all(question.as_bytes());
    }
    let done = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((done.status.code(), text(&done.stdout), text(&done.stderr)))
}
