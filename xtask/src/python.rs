//! The Python stage: an environment of its own, the wheel, its tests, its stubs, its notebooks; see the folder `python`.

use crate::ci::{PROFILE, finish, target};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::root;

/// Builds, installs and tests the package, or says why that is passed over.
pub(crate) fn run() -> Result<(), String> {
    let Some(python) = interpreter() else {
        let why = "no Python here: python3 of version 3.11 or newer, with venv, is needed";
        if std::env::var_os("CI").is_some_and(|v| v == "true") {
            return Err(format!("{why}, and CI=true says that it must be"));
        }
        println!("   passed over: {why}");
        return Ok(());
    };
    let target = std::path::absolute(target()).unwrap_or_else(|_| target());
    let work = target.join("python");
    let folder = root().join("python");
    let list = folder.join("requirements-test.txt");
    let environment = Environment::at(&work, &python, &list)?;
    environment.install(&environment.wheel(&work, &folder)?)?;
    // In the folder of the tests: the package that is imported is the one that was installed.
    let tests = folder.join("tests");
    let tell = |name: &str, command: &mut Command| {
        println!("   {name}");
        finish(command.current_dir(&tests))
    };
    tell(
        "tests",
        environment
            .tool("pytest")
            .args(["-p", "no:cacheprovider", "."]),
    )?;
    let settings = folder.join("pyproject.toml");
    let mut types = environment.tool("mypy");
    types.arg("--config-file").arg(&settings).arg("--cache-dir");
    types.arg(work.join("mypy")).arg(folder.join("stickslip"));
    tell("types", &mut types)?;
    let mut stubs = environment.tool("stubtest");
    stubs.args(["stickslip._core", "--ignore-unused-allowlist"]);
    stubs.arg("--allowlist").arg(folder.join("stubtest.txt"));
    tell("stubs", &mut stubs)?;
    tell(
        "notebooks",
        environment
            .tool("python")
            .arg(folder.join("notebooks/run.py")),
    )
}

/// A Python that is new enough and can make environments.
pub(crate) fn interpreter() -> Option<PathBuf> {
    let question = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let fits = |name: &&str| {
        let output = Command::new(name).args(["-c", question]).output();
        output.is_ok_and(|o| o.status.success())
    };
    ["python3", "python"]
        .into_iter()
        .find(fits)
        .map(PathBuf::from)
}

/// A virtual environment with what a list of packages names.
pub(crate) struct Environment {
    programs: PathBuf,
    /// Compiled files of all that is imported.
    compiled: PathBuf,
}

impl Environment {
    /// The one in the folder `work`: made once, and again where the list has changed.
    pub(crate) fn at(work: &Path, python: &Path, list: &Path) -> Result<Self, String> {
        let place = work.join("environment");
        let programs = if cfg!(windows) { "Scripts" } else { "bin" };
        let environment = Self {
            programs: place.join(programs),
            compiled: work.join("compiled"),
        };
        let wanted = std::fs::read(list).map_err(|e| format!("{}: {e}", list.display()))?;
        let stamp = place.join("installed.txt");
        if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(environment);
        }
        println!("   an environment is made once, in the target folder");
        finish(
            Command::new(python)
                .args(["-m", "venv", "--clear"])
                .arg(&place),
        )?;
        let mut pip = environment.pip();
        finish(
            pip.args(["install", "--quiet", "--no-compile", "-r"])
                .arg(list),
        )?;
        std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(environment)
    }

    /// Its interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.programs.join("python")
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        // Compiled files would lie beside the tests.
        command.env("PYTHONPYCACHEPREFIX", &self.compiled);
        command.env_remove("PYTHONDONTWRITEBYTECODE");
        command
    }

    fn pip(&self) -> Command {
        let mut command = self.tool("python");
        command.args(["-m", "pip", "--disable-pip-version-check"]);
        command
    }

    /// Builds the wheel in the profile of all stages, whose crates are there already; where it is.
    fn wheel(&self, work: &Path, folder: &Path) -> Result<PathBuf, String> {
        let place = work.join("wheels");
        if place.exists() {
            std::fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        }
        println!("   wheel");
        let mut maturin = self.tool("maturin");
        maturin.args(["build", "--quiet", "--profile", PROFILE, "--out"]);
        finish(maturin.arg(&place).current_dir(folder))?;
        let files = std::fs::read_dir(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let mut wheels = files.flatten().map(|entry| entry.path());
        let wheel = wheels.find(|path| path.extension().is_some_and(|e| e == "whl"));
        let wheel = wheel.ok_or_else(|| format!("{}: no wheel was built", place.display()))?;
        let size = std::fs::metadata(&wheel).map_or(0, |m| m.len());
        println!("   {:.1} MB", size as f64 / 1e6);
        Ok(wheel)
    }

    fn install(&self, wheel: &Path) -> Result<(), String> {
        let mut pip = self.pip();
        let words = ["install", "--quiet", "--force-reinstall", "--no-deps"];
        finish(pip.args(words).arg(wheel))
    }
}
