//! LCP and mixed LCP problems in JSON, read and written.

use serde::{Deserialize, Serialize};
use stickslip_solvers::SparseMatrix;
use stickslip_solvers::lcp::{Lcp, MixedLcp};

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum LcpFile {
    /// 0 ≤ z ⟂ M z + q ≥ 0.
    Plain(Lcp),
    /// With free variables first.
    Mixed(MixedLcp),
}

#[derive(Deserialize, Serialize)]
struct Triplets {
    rows: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
}

#[derive(Deserialize)]
struct FileEntry {
    #[serde(rename = "type")]
    kind: String,
    n: Option<usize>,
    n_eq: Option<usize>,
    m_ineq: Option<usize>,
    #[serde(rename = "M")]
    m: Triplets,
    q: Vec<f64>,
}

/// Reads `{"type": "lcp", "n", "M": {"rows", "cols", "vals"}, "q"}` or
/// `{"type": "mlcp", "n_eq", "m_ineq", "M", "q"}`; other keys are passed over.
///
/// # Errors
/// One sentence with the place where the text is no such problem.
pub fn read(text: &str) -> Result<LcpFile, String> {
    let file: FileEntry = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let n = file.q.len();
    let Triplets { rows, cols, vals } = file.m;
    if rows.len() != vals.len() || cols.len() != vals.len() {
        return Err(format!(
            "M has {} rows, {} cols and {} vals",
            rows.len(),
            cols.len(),
            vals.len()
        ));
    }
    let entries: Vec<_> = rows
        .into_iter()
        .zip(cols)
        .zip(vals)
        .map(|((i, j), v)| (i, j, v))
        .collect();
    let m = SparseMatrix::from_triplets(n, n, &entries)?;
    let disagree = |said: usize| format!("q has {n} entries where {said} are announced");
    match file.kind.as_str() {
        "lcp" => {
            let said = file.n.unwrap_or(n);
            if said != n {
                return Err(disagree(said));
            }
            Ok(LcpFile::Plain(Lcp { m, q: file.q }))
        }
        "mlcp" => {
            let n_eq = file.n_eq.ok_or("an mlcp needs n_eq")?;
            if n_eq > n {
                return Err(format!("n_eq is {n_eq} but q has only {n} entries"));
            }
            // n_eq + m_ineq cannot overflow unless m_ineq is beyond any file.
            let said = file.m_ineq.map_or(n, |k| k.saturating_add(n_eq));
            if said != n {
                return Err(disagree(said));
            }
            Ok(LcpFile::Mixed(MixedLcp { m, q: file.q, n_eq }))
        }
        other => Err(format!("type \"{other}\"; expected \"lcp\" or \"mlcp\"")),
    }
}

/// The text of a file with a mixed LCP (a plain one where nothing is free).
#[must_use]
pub fn write(problem: &MixedLcp, name: &str, note: &str) -> String {
    let n = problem.q.len();
    let mut m = Triplets {
        rows: Vec::new(),
        cols: Vec::new(),
        vals: Vec::new(),
    };
    let mut entries: Vec<_> = problem.m.entries().collect();
    entries.sort_by_key(|&(i, j, _)| (i, j));
    for (i, j, v) in entries {
        m.rows.push(i);
        m.cols.push(j);
        m.vals.push(v);
    }
    let mut file = serde_json::json!({ "name": name, "note": note, "M": m, "q": problem.q });
    if problem.n_eq == 0 {
        file["type"] = "lcp".into();
        file["n"] = n.into();
    } else {
        file["type"] = "mlcp".into();
        file["n_eq"] = problem.n_eq.into();
        file["m_ineq"] = (n - problem.n_eq).into();
    }
    file.to_string()
}
