//! Reader and writer of Matrix Market files: coordinate or array, real or integer.

use std::fmt::Write as _;
use stickslip_solvers::SparseMatrix;

/// Largest number of rows or columns taken: a header cannot ask for more memory than this allows.
const MOST_ROWS: usize = 50_000_000;

/// What the first line and the line of sizes say.
struct Header {
    /// Every entry, column by column (`array`), or those listed (`coordinate`).
    dense: bool,
    /// What the entry across the diagonal is of the one in the file: nothing (0), the same, or its negative.
    mirror: f64,
    rows: usize,
    cols: usize,
    /// Entries announced.
    count: usize,
}

/// A line with its number, from zero.
type Line<'a> = (usize, &'a str);

/// Reads a matrix (a vector is a matrix of one column). `symmetric` and `skew-symmetric` files give
/// their full matrix.
///
/// # Errors
/// One sentence with the line at fault.
pub fn read(text: &str) -> Result<SparseMatrix, String> {
    let mut lines = text.lines().enumerate();
    let first = lines.next().map(|l| l.1).unwrap_or_default();
    let mut data = lines.filter(|(_, l)| !l.trim_start().starts_with('%') && !l.trim().is_empty());
    let header = Header::read(first, &mut data)?;
    let entries = if header.dense {
        dense_entries(&header, data)?
    } else {
        listed_entries(&header, data)?
    };
    // Column pointers are allocated by their number: keep a hostile header from asking for gigabytes.
    if header.cols > 64 * (entries.len() + 1024) {
        return Err(format!(
            "{} columns are far more than the {} entries",
            header.cols,
            entries.len()
        ));
    }
    SparseMatrix::from_triplets(header.rows, header.cols, &entries)
}

impl Header {
    /// From the first line and the first line of `data`.
    fn read<'a>(first: &str, data: &mut impl Iterator<Item = Line<'a>>) -> Result<Self, String> {
        let first = first.to_lowercase();
        let words: Vec<&str> = first.split_whitespace().collect();
        let [mark, "matrix", format, field, symmetry] = words[..] else {
            return Err(
                "line 1: expected `%%MatrixMarket matrix <format> <field> <symmetry>`".into(),
            );
        };
        if mark != "%%matrixmarket" {
            return Err("line 1: expected `%%MatrixMarket`".into());
        }
        let dense = match format {
            "coordinate" => false,
            "array" => true,
            other => {
                return Err(format!(
                    "line 1: format `{other}`; expected coordinate or array"
                ));
            }
        };
        if !matches!(field, "real" | "integer" | "double") {
            return Err(format!("line 1: field `{field}`; expected real or integer"));
        }
        let mirror = match symmetry {
            "general" => 0.0,
            "symmetric" => 1.0,
            "skew-symmetric" => -1.0,
            other => return Err(format!("line 1: symmetry `{other}` is not supported")),
        };
        let (at, sizes) = data.next().ok_or("the line of sizes is missing")?;
        let sizes: Vec<usize> = numbers(at, sizes)?;
        let (rows, cols, count) = match (dense, &sizes[..]) {
            (true, &[r, c]) => (r, c, r.saturating_mul(c)),
            (false, &[r, c, n]) => (r, c, n),
            _ => return Err(format!("line {}: wrong number of sizes", at + 1)),
        };
        if rows.max(cols) > MOST_ROWS || mirror != 0.0 && rows != cols {
            return Err(format!("line {}: {rows} x {cols} is not possible", at + 1));
        }
        Ok(Self {
            dense,
            mirror,
            rows,
            cols,
            count,
        })
    }
}

/// One number a line, column by column; symmetric files hold the lower triangle only.
fn dense_entries<'a>(
    header: &Header,
    data: impl Iterator<Item = Line<'a>>,
) -> Result<Vec<(usize, usize, f64)>, String> {
    let &Header {
        rows, cols, mirror, ..
    } = header;
    let mut entries = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (at, line) in data {
        if j >= cols {
            return Err(format!(
                "line {}: more entries than {rows} x {cols}",
                at + 1
            ));
        }
        let v = numbers::<f64>(at, line)?;
        let [v] = v[..] else {
            return Err(format!("line {}: expected one number", at + 1));
        };
        if !v.is_finite() {
            return Err(format!("line {}: {v} is not finite", at + 1));
        }
        push(&mut entries, i, j, v, mirror);
        i += 1;
        if i == rows {
            j += 1;
            i = if mirror == 0.0 { 0 } else { j };
        }
    }
    if j < cols && rows > 0 {
        return Err(format!("the file ends at entry ({i}, {j})"));
    }
    Ok(entries)
}

/// Row, column (from one) and value on each line.
fn listed_entries<'a>(
    header: &Header,
    data: impl Iterator<Item = Line<'a>>,
) -> Result<Vec<(usize, usize, f64)>, String> {
    let &Header {
        rows, cols, mirror, ..
    } = header;
    let (mut entries, mut found) = (Vec::new(), 0);
    for (at, line) in data {
        let mut words = line.split_whitespace();
        let mut next = || {
            words
                .next()
                .ok_or(format!("line {}: too few words", at + 1))
        };
        let (i, j, v) = (next()?, next()?, next()?);
        let index = |w: &str, most: usize| match w.parse::<usize>() {
            Ok(k) if k >= 1 && k <= most => Ok(k - 1),
            _ => Err(format!("line {}: index `{w}` outside 1..={most}", at + 1)),
        };
        let v: f64 = v
            .parse()
            .ok()
            .filter(|v: &f64| v.is_finite())
            .ok_or_else(|| format!("line {}: `{v}` is no finite number", at + 1))?;
        push(&mut entries, index(i, rows)?, index(j, cols)?, v, mirror);
        found += 1;
    }
    if found != header.count {
        return Err(format!(
            "{found} entries where {} are announced",
            header.count
        ));
    }
    Ok(entries)
}

fn push(entries: &mut Vec<(usize, usize, f64)>, i: usize, j: usize, v: f64, mirror: f64) {
    entries.push((i, j, v));
    if mirror != 0.0 && i != j {
        entries.push((j, i, mirror * v));
    }
}

fn numbers<T: std::str::FromStr>(at: usize, line: &str) -> Result<Vec<T>, String> {
    line.split_whitespace()
        .map(|w| {
            w.parse()
                .map_err(|_| format!("line {}: `{w}` is no number", at + 1))
        })
        .collect()
}

/// The matrix as a coordinate file; numbers round-trip exactly.
#[must_use]
pub fn write(matrix: &SparseMatrix) -> String {
    let mut out = String::from("%%MatrixMarket matrix coordinate real general\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{} {} {}",
        matrix.n_rows(),
        matrix.n_cols(),
        matrix.stored()
    );
    for (i, j, v) in matrix.entries() {
        let _ = writeln!(out, "{} {} {v:e}", i + 1, j + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let m = SparseMatrix::from_dense(2, 3, &[0.1, 0.0, -1e-300, 1.0 / 3.0, 5.0, 0.0]);
        assert_eq!(read(&write(&m)), Ok(m));
    }

    #[test]
    fn symmetric_and_dense_files_are_filled() {
        let text = "%%MatrixMarket matrix array real symmetric\n% word\n2 2\n1\n2\n3\n";
        let m = read(text).expect("good");
        assert_eq!(m, SparseMatrix::from_dense(2, 2, &[1.0, 2.0, 2.0, 3.0]));
        let text = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 4\n";
        let m = read(text).expect("good");
        assert_eq!(m, SparseMatrix::from_dense(2, 2, &[0.0, -4.0, 4.0, 0.0]));
    }

    #[test]
    fn nonsense_names_its_line() {
        for (text, word) in [
            ("", "line 1"),
            (
                "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
                "complex",
            ),
            (
                "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n",
                "line 3",
            ),
            (
                "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n",
                "announced",
            ),
            (
                "%%MatrixMarket matrix array real general\n2 2\n1\n2\n",
                "ends",
            ),
            (
                "%%MatrixMarket matrix coordinate real general\n99999999999 1 0\n",
                "not possible",
            ),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
