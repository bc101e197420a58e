//! FCLIB files: frictional contact problems in HDF5; local and global ones are read, local ones written.

use crate::hdf5::{self, Data, Group, Hdf5Error, Hdf5File, Node};
use glam::DVec3;
use stickslip_solvers::SparseMatrix;
use stickslip_solvers::problem::global::{GlobalProblem, local_problem};
use stickslip_solvers::problem::local::LocalProblem;

/// What an FCLIB file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FclibProblem {
    /// (W, q, μ), where W is FCLIB's name of the Delassus matrix, and (V, R, s) where there are equations:
    /// 0 = Vᵀ r + R λ + s, u = W r + V λ + q. Their λ are bilateral blocks after the contacts.
    Local(LocalProblem),
    /// (M, H, f, w, μ), and (G, b) where there are equations.
    Global(GlobalProblem),
}

/// Why an FCLIB file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FclibError {
    /// The container.
    #[error(transparent)]
    Hdf5(#[from] Hdf5Error),
    /// The contents.
    #[error("not an FCLIB problem: {0}")]
    Contents(String),
}

impl FclibProblem {
    /// The problem on the contacts; a global one is reduced.
    ///
    /// # Errors
    /// One sentence where M is singular or sizes disagree.
    pub fn into_local(self) -> Result<LocalProblem, String> {
        match self {
            Self::Local(local) => Ok(local),
            Self::Global(global) => global.to_local(),
        }
    }
}

/// Reads a file's bytes.
///
/// # Errors
/// [`FclibError`] with what was found and what was expected.
pub fn read(bytes: &[u8]) -> Result<FclibProblem, FclibError> {
    let file = Hdf5File::new(bytes)?;
    let contents = |e: String| FclibError::Contents(e);
    if file.contains("/fclib_local") {
        check_dimension(&file, "/fclib_local/spacedim")?;
        let w = matrix(&file, "/fclib_local/W")?;
        let mut q = file.reals("/fclib_local/vectors/q")?;
        let mu = file.reals("/fclib_local/vectors/mu")?;
        if w.n_rows() != w.n_cols() {
            let (r, c) = (w.n_rows(), w.n_cols());
            return Err(contents(format!("W is {r} x {c}, not square")));
        }
        if w.n_rows() != 3 * mu.len() {
            let (rows, n_c) = (w.n_rows(), mu.len());
            return Err(contents(format!(
                "W has {rows} rows and mu {n_c}: rows must be three times mu"
            )));
        }
        let mut entries: Vec<_> = w.entries().collect();
        let equations = equations(&file, w.n_rows(), &mut entries, &mut q)?;
        let n = w.n_rows() + equations;
        let problem = local_problem(n, &entries, &q, &mu).map_err(contents)?;
        return Ok(FclibProblem::Local(problem));
    }
    if file.contains("/fclib_global") {
        check_dimension(&file, "/fclib_global/spacedim")?;
        let (g, b) = if file.contains("/fclib_global/G") {
            let g = matrix(&file, "/fclib_global/G")?;
            (g, file.reals("/fclib_global/vectors/b")?)
        } else {
            Default::default()
        };
        return Ok(FclibProblem::Global(GlobalProblem {
            m: matrix(&file, "/fclib_global/M")?,
            h: matrix(&file, "/fclib_global/H")?,
            f: file.reals("/fclib_global/vectors/f")?,
            w: file.reals("/fclib_global/vectors/w")?,
            mu: file.reals("/fclib_global/vectors/mu")?,
            g,
            b,
        }));
    }
    Err(contents("neither /fclib_local nor /fclib_global".into()))
}

/// Adds the equations of a local problem after the `n` rows of its contacts; how many are there?
fn equations(
    file: &Hdf5File,
    n: usize,
    entries: &mut Vec<(usize, usize, f64)>,
    q: &mut Vec<f64>,
) -> Result<usize, FclibError> {
    let [has_v, has_r] = ["V", "R"].map(|m| file.contains(&format!("/fclib_local/{m}")));
    if !has_v && !has_r {
        return Ok(0);
    }
    if !(has_v && has_r) {
        return Err(FclibError::Contents("of V and R there is only one".into()));
    }
    let v = matrix(file, "/fclib_local/V")?;
    let r = matrix(file, "/fclib_local/R")?;
    let s = file.reals("/fclib_local/vectors/s")?;
    let p = s.len();
    if (v.n_rows(), v.n_cols(), r.n_rows(), r.n_cols()) != (n, p, p, p) || q.len() != n {
        return Err(FclibError::Contents(format!(
            "sizes disagree: W {n} x {n}, V {} x {}, R {} x {}, q {}, s {p}",
            v.n_rows(),
            v.n_cols(),
            r.n_rows(),
            r.n_cols(),
            q.len()
        )));
    }
    for (i, j, x) in v.entries() {
        entries.push((i, n + j, x));
        entries.push((n + j, i, x));
    }
    entries.extend(r.entries().map(|(i, j, x)| (n + i, n + j, x)));
    q.extend(s);
    Ok(p)
}

fn check_dimension(file: &Hdf5File, path: &str) -> Result<(), FclibError> {
    match file.integers(path)?.first() {
        Some(3) => Ok(()),
        other => Err(FclibError::Contents(format!(
            "spacedim is {other:?}; only 3 is supported"
        ))),
    }
}

/// One integer.
fn scalar(file: &Hdf5File, path: &str) -> Result<i64, FclibError> {
    file.integers(path)?
        .first()
        .copied()
        .ok_or_else(|| FclibError::Contents(format!("{path} is empty")))
}

/// A matrix by its storage: nz ≥ 0 triplets (i rows, p columns), −1 compressed columns, −2 rows.
fn matrix(file: &Hdf5File, path: &str) -> Result<SparseMatrix, FclibError> {
    let fail = |what: &str| FclibError::Contents(format!("{path}: {what}"));
    let size = |name: &str| -> Result<usize, FclibError> {
        let v = scalar(file, &format!("{path}/{name}"))?;
        // Beyond this an index array could not be in the file either.
        if (0..=100_000_000).contains(&v) {
            Ok(v as usize)
        } else {
            Err(fail(&format!("{name} = {v} is not a size")))
        }
    };
    let (m, n) = (size("m")?, size("n")?);
    let nz = scalar(file, &format!("{path}/nz"))?;
    let index = |name: &str| -> Result<Vec<usize>, FclibError> {
        file.integers(&format!("{path}/{name}"))?
            .into_iter()
            .map(|v| usize::try_from(v).map_err(|_| fail("a negative index")))
            .collect()
    };
    let p = index("p")?;
    let i = index("i")?;
    let x = file.reals(&format!("{path}/x"))?;
    let mut entries = Vec::new();
    match nz {
        -2 | -1 => {
            let lines = if nz == -1 { n } else { m };
            if p.len() < lines + 1 {
                return Err(fail("too few pointers"));
            }
            for line in 0..lines {
                if p[line] > p[line + 1] || p[line + 1] > i.len().min(x.len()) {
                    return Err(fail("pointers out of order or beyond the entries"));
                }
                for k in p[line]..p[line + 1] {
                    entries.push(if nz == -1 {
                        (i[k], line, x[k])
                    } else {
                        (line, i[k], x[k])
                    });
                }
            }
        }
        nz if nz >= 0 => {
            let nz = nz as usize;
            if nz > p.len() || nz > i.len() || nz > x.len() {
                return Err(fail("fewer entries than nz says"));
            }
            entries.extend((0..nz).map(|k| (i[k], p[k], x[k])));
        }
        _ => return Err(fail(&format!("nz = {nz} is no storage"))),
    }
    // Column pointers are allocated by n: keep a hostile header from asking for gigabytes.
    if m.max(n) > 64 * (entries.len() + 1024) {
        return Err(fail("far more rows or columns than entries"));
    }
    SparseMatrix::from_triplets(m, n, &entries).map_err(|e| fail(&e))
}

/// The bytes of a file with the problem (D, which FCLIB calls W, q, μ), and impulses r to start from where there are some.
///
/// # Errors
/// One sentence where a contact's law is neither a cone nor frictionless, or the problem is too large for
/// the format's 32-bit indices.
pub fn write(
    problem: &LocalProblem,
    title: &str,
    description: &str,
    guess: Option<&[DVec3]>,
) -> Result<Vec<u8>, String> {
    let mu = problem.frictions()?;
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, value) in problem.entries() {
        rows.push(index(row)?);
        columns.push(index(column)?);
        values.push(value);
    }
    let (n, nz) = (index(3 * problem.len())?, index(values.len())?);
    // Triplets: i holds rows, p columns.
    let w = group([
        ("m", integer(n)),
        ("n", integer(n)),
        ("nzmax", integer(nz)),
        ("nz", integer(nz)),
        ("i", Node::Data(Data::Integers(rows))),
        ("p", Node::Data(Data::Integers(columns))),
        ("x", Node::Data(Data::Reals(values))),
    ]);
    let vectors = group([
        ("q", reals(&problem.q)),
        ("mu", Node::Data(Data::Reals(mu))),
    ]);
    let info = group([
        ("title", text(title)),
        ("description", text(description)),
        ("math_info", text("")),
    ]);
    let local = group([
        ("spacedim", integer(3)),
        ("W", w),
        ("vectors", vectors),
        ("info", info),
    ]);
    let mut root: Group = [("fclib_local".into(), local)].into();
    if let Some(r) = guess {
        let u: Vec<DVec3> = (0..problem.len()).map(|i| problem.velocity(i, r)).collect();
        let first = group([("r", reals(r)), ("u", reals(&u))]);
        let guesses = group([("number_of_guesses", integer(1)), ("1", first)]);
        root.insert("guesses".into(), guesses);
    }
    Ok(hdf5::write(&root))
}

fn group<const N: usize>(members: [(&str, Node); N]) -> Node {
    Node::Group(members.map(|(name, node)| (name.into(), node)).into())
}

fn integer(v: i32) -> Node {
    Node::Data(Data::Integers(vec![v]))
}

fn reals(v: &[DVec3]) -> Node {
    Node::Data(Data::Reals(v.iter().flat_map(|x| x.to_array()).collect()))
}

fn text(t: &str) -> Node {
    Node::Data(Data::Text(t.into()))
}

fn index(i: usize) -> Result<i32, String> {
    i32::try_from(i).map_err(|_| format!("{i} entries are too many for an FCLIB file"))
}
