//! The problem files of a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use stickslip_console::Failure;

/// The problem files of a folder, sorted, found by their endings; of a Matrix Market pair, its M.
pub fn problem_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |e: std::io::Error| Failure::Input(format!("{}: {e}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if is_problem(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        let folder = folder.display();
        return Err(Failure::Input(format!("{folder}: no problem files here")));
    }
    Ok(paths)
}

fn is_problem(path: &Path) -> bool {
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    match text(path.extension()).as_str() {
        "hdf5" | "h5" | "json" => true,
        "mtx" => text(path.file_stem()).ends_with("_M"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_problem;
    use std::path::Path;

    #[test]
    fn of_a_matrix_market_pair_the_matrix_counts() {
        for (name, counts) in [
            ("a.hdf5", true),
            ("b.json", true),
            ("c_M.mtx", true),
            ("c_q.mtx", false),
            ("notes.txt", false),
            ("json", false),
        ] {
            assert_eq!(is_problem(Path::new(name)), counts, "{name}");
        }
    }
}
