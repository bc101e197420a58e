//! Problems stored in files, whatever their kind: read by their ending, solved by a solver's name; and the
//! problem of a step written as such a file.

use crate::fclib;
use crate::json::lcp::{self, LcpFile};
use crate::json::step::{self, StepFile};
use crate::matrix_market;
use crate::prepared::Prepared;
use glam::DVec3;
use std::path::Path;
use stickslip_solvers::lcp::interior::{LcpInterior, LcpInteriorSettings, mixed, solve_auto};
use stickslip_solvers::lcp::lemke::{Lemke, LemkeSettings};
use stickslip_solvers::lcp::pgs;
use stickslip_solvers::lcp::pyramid::ContactLcp;
use stickslip_solvers::lcp::{Lcp, LcpError, LcpSolution, MixedLcp};
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::problem::residual::{self, GlobalResidual};
use stickslip_solvers::problem::{ContactProblem, Law};
use stickslip_solvers::registry::{SOLVER_NAMES, SOLVERS};

/// A problem from a file.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredProblem {
    /// Frictional contact on the exact cone: (D, q, μ).
    Contact(LocalProblem),
    /// LCP or mixed LCP.
    Complementarity(MixedLcp),
    /// The block problem of a step, on its bodies, in SI units.
    Step(StepFile),
}

/// What a solver made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAnswer {
    /// "solved", "not converged", "ray", or (set by whoever limits it) "out of time".
    pub status: &'static str,
    /// The solver that gave the answer.
    pub solver: String,
    /// Natural map over max(|q|, |r|, |u|) for contact; |min(z, w)|/|q| for complementarity; the largest residual of
    /// a block for a step, m/s.
    pub residual: f64,
    /// Natural map over |q| (for complementarity the same as `residual`).
    pub residual_faf: f64,
    /// Iterations, sweeps or pivots.
    pub iterations: usize,
    /// r or z, in the file's own order.
    pub values: Vec<f64>,
    /// What a ray says, where the method ended on one, or why it cannot take the problem; empty otherwise.
    pub note: String,
}

/// Solvers for contact problems in files: those of steps that need no bodies, and the convex relaxation.
pub const CONTACT_SOLVERS: &[&str] = &{
    let mut names = [""; STORED_SOLVERS + 1];
    let (mut i, mut n) = (0, 0);
    while i < SOLVERS.len() {
        if SOLVERS[i].make_stored.is_some() {
            names[n] = SOLVERS[i].name;
            n += 1;
        }
        i += 1;
    }
    names[n] = "relaxation";
    names
};

/// Number of solvers of steps that need no bodies.
const STORED_SOLVERS: usize = {
    let (mut i, mut n) = (0, 0);
    while i < SOLVERS.len() {
        n += SOLVERS[i].make_stored.is_some() as usize;
        i += 1;
    }
    n
};

/// Solvers for steps in files: those of a run.
pub const STEP_SOLVERS: &[&str] = SOLVER_NAMES;

/// Solvers for (mixed) LCPs in files.
pub const LCP_SOLVERS: [&str; 4] = ["auto", "lemke", "interior-point", "pgs"];

impl StoredProblem {
    /// Reads FCLIB (`.hdf5`, `.h5`), JSON (`.json`), or Matrix Market (`.mtx`: M, with q in the file beside
    /// it whose name has its last `_M` replaced by `_q`).
    ///
    /// # Errors
    /// One sentence that says what was found and what was expected.
    pub fn read(path: &Path) -> Result<Self, String> {
        let ending = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        let open = |path: &Path| {
            std::fs::read(path).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_string(),
                _ => format!("cannot be read: {e}"),
            })
        };
        let text = |path: &Path| {
            String::from_utf8(open(path)?).map_err(|_| "is not text in UTF-8".to_string())
        };
        match ending.to_ascii_lowercase().as_str() {
            "hdf5" | "h5" => {
                let problem = fclib::read(&open(path)?).map_err(|e| e.to_string())?;
                let local = problem.into_local()?;
                local.validate()?;
                Ok(Self::Contact(local))
            }
            "json" => Self::from_json(&text(path)?),
            "mtx" => {
                let m = matrix_market::read(&text(path)?)?;
                let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                let Some((before, after)) = name.rsplit_once("_M") else {
                    return Err("is the M of a pair NAME_M.mtx, NAME_q.mtx? Its name has no _M".into());
                };
                let beside = path.with_file_name(format!("{before}_q{after}"));
                let q = matrix_market::read(&text(&beside).map_err(|e| format!("its q, {}, {e}", beside.display()))?)?;
                if q.n_cols() != 1 {
                    return Err(format!("q must have one column, not {}", q.n_cols()));
                }
                if q.n_rows() != m.n_rows() || m.n_rows() != m.n_cols() {
                    return Err(format!(
                        "M is {} x {} but q, in {}, has {} entries",
                        m.n_rows(),
                        m.n_cols(),
                        beside.display(),
                        q.n_rows()
                    ));
                }
                let mut values = Vec::new();
                q.times(&[1.0], &mut values);
                let lcp = Lcp { m, q: values };
                lcp.validate().map_err(|e| e.to_string())?;
                Ok(Self::Complementarity(mixed(&lcp)))
            }
            _ => Err("has an ending that is none of .hdf5, .h5 (FCLIB), .json (LCP or step), .mtx (Matrix Market)".into()),
        }
    }

    /// Reads JSON: a step, or a (mixed) LCP, by the word under `type`.
    ///
    /// # Errors
    /// One sentence with the place where the text is no such problem.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(serde::Deserialize)]
        struct Typed {
            #[serde(rename = "type")]
            word: String,
        }
        let form = "an LCP is {\"type\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}";
        let typed: Typed = serde_json::from_str(text).map_err(|e| format!("{e}; {form}"))?;
        match typed.word.as_str() {
            step::TYPE => Ok(Self::Step(step::read(text)?)),
            "lcp" | "mlcp" => Ok(Self::Complementarity(match lcp::read(text)? {
                LcpFile::Plain(lcp) => mixed(&lcp),
                LcpFile::Mixed(problem) => problem,
            })),
            other => Err(format!(
                "type \"{other}\"; expected \"lcp\", \"mlcp\" or \"step\""
            )),
        }
    }

    /// One line: kind and size.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Contact(p) => format!("frictional contact, {} contacts", p.len()),
            Self::Complementarity(p) if p.n_eq == 0 => format!("LCP, n = {}", p.q.len()),
            Self::Complementarity(p) => {
                format!("mixed LCP, n = {} of which {} free", p.q.len(), p.n_eq)
            }
            Self::Step(file) => {
                let p = &file.problem;
                format!(
                    "step, {} bodies, {} blocks",
                    p.nu_free.len(),
                    p.contacts.len()
                )
            }
        }
    }

    /// Names of the solvers that can take it.
    #[must_use]
    pub const fn solvers(&self) -> &'static [&'static str] {
        match self {
            Self::Contact(_) => CONTACT_SOLVERS,
            Self::Complementarity(_) => &LCP_SOLVERS,
            Self::Step(_) => STEP_SOLVERS,
        }
    }

    /// Solves it; `None` for a solver's name that is not in [`StoredProblem::solvers`].
    #[must_use]
    pub fn solve(&self, solver: &str, tolerance: f64) -> Option<StoredAnswer> {
        let attempt = Prepared::new(self, solver)?.attempt(tolerance);
        attempt.judge(self, tolerance)
    }
}

impl StoredProblem {
    /// The problem of a step: on its contacts with quadratic cones, a mixed LCP with pyramids and bounded rows, as it is
    /// where there are both, friction under impulses that are known, or moments.
    ///
    /// # Errors
    /// One sentence where the mixed LCP would be too large.
    pub fn of_step(problem: &ContactProblem) -> Result<Self, String> {
        let has = |kind: fn(&Law) -> bool| problem.contacts.iter().any(|c| kind(&c.law));
        let cones = has(|l| matches!(l, Law::Cone { .. }));
        let rows = has(|l| matches!(l, Law::Pyramid { .. } | Law::Bounded { .. }));
        if has(|l| l.is_soft() || matches!(l, Law::Disc { .. })) || cones && rows {
            return Ok(Self::Step(StepFile {
                problem: problem.clone(),
                ..StepFile::default()
            }));
        }
        let mut local = LocalProblem::default();
        local.assemble(problem);
        Ok(if rows {
            Self::Complementarity(ContactLcp::new(&local)?.mixed)
        } else {
            Self::Contact(local)
        })
    }

    /// What values are worth, whoever found them, by the problem's own residual; `None` where there are too few or
    /// too many of them.
    #[must_use]
    pub fn judge(
        &self,
        values: Vec<f64>,
        solver: &str,
        iterations: usize,
        tolerance: f64,
    ) -> Option<StoredAnswer> {
        let (residual, residual_faf, decisive) = match self {
            Self::Contact(problem) if values.len() == 3 * problem.len() => {
                let p: Vec<DVec3> = values.chunks_exact(3).map(DVec3::from_slice).collect();
                let judged = GlobalResidual::new(problem, &p);
                (judged.siconos(), judged.faf(), judged.against(tolerance))
            }
            Self::Complementarity(problem) if values.len() == problem.q.len() => {
                let residual = problem.residual(&values);
                (residual, residual, residual)
            }
            Self::Step(file) if values.len() == 3 * file.problem.contacts.len() => {
                let p: Vec<DVec3> = values.chunks_exact(3).map(DVec3::from_slice).collect();
                let (residual, _) = residual::of_step(&file.problem, &p, &mut Vec::new());
                let mut local = LocalProblem::default();
                local.assemble(&file.problem);
                (residual, GlobalResidual::new(&local, &p).faf(), residual)
            }
            _ => return None,
        };
        Some(StoredAnswer {
            status: if decisive <= tolerance {
                "solved"
            } else {
                "not converged"
            },
            solver: solver.into(),
            residual,
            residual_faf,
            iterations,
            values,
            note: String::new(),
        })
    }
}

/// The problem of a step as a file: its ending and its bytes. Quadratic cones alone give an FCLIB file, with the impulses as a
/// guess; pyramids and bounded rows a mixed LCP in JSON; anything else the step itself in JSON.
///
/// # Errors
/// One sentence where numbers are not finite, or too many for the format.
pub fn file_of_step(step: &StepFile) -> Result<(&'static str, Vec<u8>), String> {
    match StoredProblem::of_step(&step.problem)? {
        StoredProblem::Complementarity(problem) => {
            let text = lcp::write(&problem, &step.name, &step.note);
            Ok(("json", text.into_bytes()))
        }
        StoredProblem::Contact(local) => {
            let guess = (step.impulses.len() == local.len()).then_some(&step.impulses[..]);
            let bytes = fclib::write(&local, &step.name, &step.note, guess)?;
            Ok(("hdf5", bytes))
        }
        StoredProblem::Step(_) => Ok(("json", step.write()?.into_bytes())),
    }
}

/// What the solver of that name says; `None` where there is none.
pub(crate) fn solve_lcp(
    problem: &MixedLcp,
    solver: &str,
    tolerance: f64,
) -> Option<Result<LcpSolution, LcpError>> {
    let mut lemke = Lemke::new(LemkeSettings {
        tolerance,
        attempts: LemkeSettings::ALL,
        ..LemkeSettings::default()
    });
    let interior = LcpInterior {
        settings: LcpInteriorSettings {
            tolerance,
            ..LcpInteriorSettings::default()
        },
    };
    Some(match solver {
        "auto" => solve_auto(problem, tolerance),
        "lemke" => lemke.solve(problem),
        "interior-point" => interior.solve(problem),
        "pgs" => problem.solve_with(|l| pgs::solve(l, 1.0, 100_000, tolerance)),
        _ => return None,
    })
}

/// What a ray says.
pub(crate) fn ray_in_words(direction: &[f64], infeasible: bool) -> String {
    const MOST_NAMED: usize = 12;
    let mut places: Vec<String> = (0..direction.len())
        .filter(|&i| direction[i].abs() > 1e-9)
        .map(|i| i.to_string())
        .collect();
    if places.len() > MOST_NAMED {
        let more = places.len() - MOST_NAMED;
        places.truncate(MOST_NAMED);
        places.push(format!("{more} more"));
    }
    let one = places.len() == 1;
    let places = places.join(", ");
    match (infeasible, one) {
        (true, true) => format!("no z obeys row {places}: there is no solution"),
        (true, false) => {
            format!("no z obeys the rows {places} together: there is no solution")
        }
        (false, _) => format!(
            "the path goes off along z[{places}]: there may be no solution, but this does not prove it"
        ),
    }
}
