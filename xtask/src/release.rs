//! What is looked at before a release, each by a command of its own: the least Rust that builds, the crates as they would be published,
//! and what changed for those who use them.

use crate::ci::{cargo, finish, target};
use std::process::{Command, Stdio};
use xtask::crates::UNPUBLISHED;
use xtask::root;

/// `cargo xtask least-rust`: everything, tests too, compiles with the Rust that the manifest promises.
pub(crate) fn least_rust() -> Result<(), String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).map_err(|e| e.to_string())?;
    let version = promised(&manifest).ok_or("Cargo.toml has no rust-version")?;
    println!("   Rust {version}");
    finish(Command::new("rustup").args(["toolchain", "install", version, "--profile", "minimal"]))?;
    let check = "cargo check --locked --workspace --all-targets --quiet";
    finish(
        Command::new("rustup")
            .args(["run", version])
            .args(check.split(' '))
            // Beside the results of the usual compiler, which stay as they are.
            .arg("--target-dir")
            .arg(target().join("least-rust"))
            .current_dir(root()),
    )
}

/// The version in `rust-version = "…"`.
fn promised(manifest: &str) -> Option<&str> {
    let line = manifest
        .lines()
        .find_map(|l| l.strip_prefix("rust-version = "))?;
    Some(line.trim_matches('"'))
}

/// `cargo xtask package`: every crate that is published, packed as the registry would get it, and built from its package.
pub(crate) fn package() -> Result<(), String> {
    let exclude = UNPUBLISHED.iter().flat_map(|name| ["--exclude", name]);
    let what = ["package", "--workspace", "--locked"];
    cargo(&what.into_iter().chain(exclude).collect::<Vec<_>>(), &[])
}

/// `cargo xtask semver REV`: what of the public interface of `REV` is gone or changed, by cargo-semver-checks.
pub(crate) fn semver(baseline: &str) -> Result<(), String> {
    let mut version = Command::new("cargo-semver-checks");
    version.arg("--version").stdout(Stdio::null());
    if !version.status().is_ok_and(|s| s.success()) {
        return Err(
            "cargo-semver-checks is not here: cargo install --locked cargo-semver-checks".into(),
        );
    }
    let exclude = UNPUBLISHED.iter().flat_map(|name| ["--exclude", name]);
    let what = ["semver-checks", "--workspace", "--baseline-rev", baseline];
    cargo(&what.into_iter().chain(exclude).collect::<Vec<_>>(), &[])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_promises_a_version() {
        let manifest = "[workspace.package]\nedition = \"2024\"\nrust-version = \"1.88\"\n";
        assert_eq!(super::promised(manifest), Some("1.88"));
        assert_eq!(super::promised("[workspace]\n"), None);
    }
}
