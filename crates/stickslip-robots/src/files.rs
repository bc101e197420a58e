//! The files that a model names.

use std::sync::Arc;

/// Who gives the files that a model names: other models, meshes.
pub trait Files {
    /// The bytes of a file, by the name the model gives it (a path beside the model's own file), or why there are none.
    ///
    /// # Errors
    /// In words, what is wrong with the file.
    fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String>;
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String> {
        Err(format!("there is no file `{name}`"))
    }
}

/// What `package://` stands for: a prefix of the path behind it, and the folder that holds the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages(pub Vec<(String, String)>);

impl Packages {
    /// The names under which a file may be found, best first. An address without a package is its own name; of one with a package
    /// the longest prefix that is known counts, then every folder without a prefix: with the package's name, and without it.
    #[must_use]
    pub fn candidates(&self, address: &str) -> Vec<String> {
        let path = match address.strip_prefix("package://") {
            Some(path) => path,
            None => {
                let path = address.strip_prefix("file://").unwrap_or(address);
                return vec![path.to_owned()];
            }
        };
        let mut known: Vec<&(String, String)> = self.0.iter().collect();
        known.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        let mut found = Vec::new();
        for (prefix, folder) in known {
            if prefix.is_empty() {
                found.push(join(folder, path));
                if let Some((_, rest)) = path.split_once('/') {
                    found.push(join(folder, rest));
                }
            } else if let Some(rest) = path.strip_prefix(prefix.as_str())
                && let Some(rest) = rest.strip_prefix('/')
            {
                found.push(join(folder, rest));
            }
        }
        found
    }
}

/// A path in a folder.
pub(crate) fn join(folder: &str, path: &str) -> String {
    match folder.trim_end_matches('/') {
        "" | "." => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}
