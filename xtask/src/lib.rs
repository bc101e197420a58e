//! What the tasks and their tests share: the root of the workspace, its files, and the checks of its crates and pages.

pub mod crates;
pub mod pages;
pub mod variables;

use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The files of the project, sorted: everything under the root but build results, results of runs, Git's own and links, which stand
/// elsewhere.
#[must_use]
pub fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_symlink()
                || name == ".git"
                || (folder == root() && (name == "target" || name == "out"))
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The path below the root, with forward slashes.
#[must_use]
pub fn shown(path: &Path) -> String {
    let root = root();
    let path = path.strip_prefix(&root).unwrap_or(path);
    path.display().to_string().replace('\\', "/")
}
