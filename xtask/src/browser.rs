//! The browser stage: the page of a run in a real Chromium, by playwright-core; see crates/stickslip-view/tests/browser.

use crate::ci::{PROFILE, cargo, finish, program, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::root;

/// Runs the tests, or says why they are passed over. Whatever is missing is installed where that can be done.
pub(crate) fn run() -> Result<(), String> {
    let passed_over = |why: &str| {
        println!("   passed over: {why}");
        Ok(())
    };
    if !answers("node", "--version") || !answers("npm", "--version") {
        return passed_over("node and npm are not here");
    }
    let Some(chromium) = chromium() else {
        return passed_over(
            "no chromium here, and no right to install Debian's package (as root: apt-get install chromium)",
        );
    };
    let Some(place) = packages()? else {
        return passed_over(
            "playwright-core and gltf-validator are neither here nor can be fetched from the npm registry",
        );
    };
    let work = target().join("browser");
    std::fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
    let program = program()?;
    let names = work.join("names.html").display().to_string();
    let example = [
        "run",
        "--profile",
        PROFILE,
        "--quiet",
        "-p",
        "stickslip-view",
        "--example",
        "names",
        "--",
        &names,
    ];
    cargo(&example, &[])?;
    let mut command = Command::new("node");
    command
        .arg("run.mjs")
        .args([program, work, root()])
        .env("CHROMIUM", chromium)
        .current_dir(place);
    finish(&mut command)
}

fn answers(program: &str, question: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg(question)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

/// Where Chromium is; installed from Debian's packages if need be and allowed.
fn chromium() -> Option<PathBuf> {
    let found = || {
        let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].map(PathBuf::from);
        named.into_iter().chain(usual).find(|p| p.exists())
    };
    found().or_else(|| {
        let output = Command::new("id").arg("-u").output().ok()?;
        let is_root = output.stdout.trim_ascii() == b"0";
        if !is_root || !answers("apt-get", "--version") {
            return None;
        }
        println!("   chromium is not here: installing Debian's package once");
        let apt = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            command
                .args(words)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .stdout(Stdio::null());
            command.status().is_ok_and(|s| s.success())
        };
        let fetched = apt(&["update", "-qq"])
            && apt(&[
                "install",
                "-y",
                "-qq",
                "--no-install-recommends",
                "chromium",
            ]);
        if !fetched {
            println!("   apt-get could not install it");
        }
        found()
    })
}

/// The folder from which the tests run: the scripts beside their packages, which are fetched once.
fn packages() -> Result<Option<PathBuf>, String> {
    let place = target().join("tools").join("browser");
    let tests = root().join("crates/stickslip-view/tests/browser");
    let copy = |name: &str| {
        let (from, to) = (tests.join(name), place.join(name));
        std::fs::copy(&from, to).map_err(|e| format!("{}: {e}", from.display()))
    };
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let same = |name: &str| {
        let read = |folder: &Path| std::fs::read(folder.join(name)).ok();
        read(&tests) == read(&place)
    };
    let installed = same("package.json") && place.join("node_modules").exists();
    for name in ["package.json", "run.mjs", "tools.mjs"] {
        copy(name)?;
    }
    if !installed {
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--silent",
        ]);
        if finish(npm.current_dir(&place)).is_err() {
            // A half-made folder must not pass for a whole one.
            let _ = std::fs::remove_file(place.join("package.json"));
            return Ok(None);
        }
    }
    Ok(Some(place))
}
