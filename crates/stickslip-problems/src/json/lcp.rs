//! LCP and mixed LCP problems in JSON, read and written.

use core::fmt;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
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

/// M as its entries, or row by row.
enum Matrix {
    Entries(Triplets),
    Rows(Vec<Vec<f64>>),
}

/// By the first bracket, so that a mistake within is told with its own words and place.
impl<'de> Deserialize<'de> for Matrix {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Matrix;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "rows of numbers, [[2, 1], [1, 2]], or entries, {\"rows\": [0], \"cols\": [0], \"vals\": [2]}",
                )
            }

            fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<Matrix, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(rows)).map(Matrix::Rows)
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Matrix, A::Error> {
                Triplets::deserialize(MapAccessDeserializer::new(entries)).map(Matrix::Entries)
            }
        }
        from.deserialize_any(Either)
    }
}

#[derive(Deserialize)]
struct FileEntry {
    #[serde(rename = "type")]
    kind: String,
    n: Option<usize>,
    n_eq: Option<usize>,
    m_ineq: Option<usize>,
    #[serde(rename = "M")]
    m: Matrix,
    q: Vec<f64>,
}

/// Reads `{"type": "lcp", "n", "M": {"rows", "cols", "vals"}, "q"}` (M may be an array of rows, and `n` left out) or
/// `{"type": "mlcp", "n_eq", "m_ineq", "M", "q"}`; other keys are passed over.
///
/// # Errors
/// One sentence with the place where the text is no such problem.
pub fn read(text: &str) -> Result<LcpFile, String> {
    let file: FileEntry = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let n = file.q.len();
    let Triplets { rows, cols, vals } = match file.m {
        Matrix::Entries(entries) => entries,
        Matrix::Rows(rows) => entries_of(&rows, n)?,
    };
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

/// Entries of a square matrix that is given row by row; zeros are none.
fn entries_of(given: &[Vec<f64>], n: usize) -> Result<Triplets, String> {
    if let Some(i) = given.iter().position(|row| row.len() != n) {
        let (found, row) = (given[i].len(), i + 1);
        return Err(format!("row {row} of M has {found} numbers, but q has {n}"));
    }
    if given.len() != n {
        return Err(format!("M has {} rows, but q has {n} numbers", given.len()));
    }
    let (mut rows, mut cols, mut vals) = (Vec::new(), Vec::new(), Vec::new());
    for (i, row) in given.iter().enumerate() {
        for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            rows.push(i);
            cols.push(j);
            vals.push(v);
        }
    }
    Ok(Triplets { rows, cols, vals })
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
