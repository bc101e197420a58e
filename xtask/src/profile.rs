//! `cargo xtask profile SCENE`: where the instructions of a run go, by function, sorted; by one command.

use crate::ci::{cargo, finish, target};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use xtask::root;

/// Lines of the table.
const LINES: usize = 40;

pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let [scene, more @ ..] = arguments else {
        return Err("profile takes a scene, and options of `run` such as --until 0.1".into());
    };
    let tool = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !tool("valgrind") || !tool("callgrind_annotate") {
        return Err("valgrind is not installed: it counts the instructions".into());
    }
    // As a release, with names of functions and lines.
    let build = ["build", "--release", "--quiet", "-p", "stickslip-cli"];
    cargo(&build, &[])?;
    let name = format!("stickslip{}", std::env::consts::EXE_SUFFIX);
    let program = target().join("release").join(name);
    let folder = target().join("profile");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let stem = Path::new(scene).file_stem().unwrap_or_default();
    let counted = folder.join(stem).with_extension("callgrind");
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=callgrind", "--separate-threads=no"]);
    command.arg(format!("--callgrind-out-file={}", counted.display()));
    command.arg(program).args(["run", scene]).args(more);
    finish(
        command
            .args(["--quiet", "--threads", "1"])
            .current_dir(root()),
    )?;
    println!("{}", table(&annotated(&counted, false)?, "its own"));
    println!(
        "{}",
        table(&annotated(&counted, true)?, "with what it calls")
    );
    println!("whole: {} (kcachegrind opens it)", counted.display());
    Ok(())
}

/// What valgrind's own reader says of a file of counts.
fn annotated(counted: &Path, inclusive: bool) -> Result<String, String> {
    let inclusive = if inclusive { "yes" } else { "no" };
    let mut command = Command::new("callgrind_annotate");
    command.args(["--auto=no", "--threshold=99.5"]);
    command.arg(format!("--inclusive={inclusive}")).arg(counted);
    let output = command.output();
    let output = output.map_err(|e| format!("callgrind_annotate: {e}"))?;
    if !output.status.success() {
        return Err(format!("callgrind_annotate: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The heaviest functions of such a text: instructions, share, name.
fn table(text: &str, which: &str) -> String {
    let mut out = format!("{:>15}  share  function ({which})\n", "instructions");
    for (count, share, name) in text.lines().filter_map(row).take(LINES) {
        let _ = writeln!(out, "{count:>15}  {share:>5}  {name}");
    }
    out
}

/// The count, share and function of a line such as `1,234 (12.3%)  file.rs:krate::name [program]`.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let (count, rest) = line.trim_start().split_once(" (")?;
    let is_count = |c: char| c.is_ascii_digit() || c == ',';
    if count.is_empty() || !count.chars().all(is_count) {
        return None;
    }
    let (share, rest) = rest.split_once(')')?;
    let name = rest.trim();
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    // The place of the source is of no use here; `::` stands in names.
    let of_file = name.find(".rs:").map(|at| at + 4);
    let name = of_file.map_or(name, |at| &name[at..]);
    let name = name.strip_prefix("???:").unwrap_or(name);
    (name != "PROGRAM TOTALS").then_some((count, share.trim(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_valgrind_writes_them() {
        let line =
            "1,234,567 (12.34%)  crates/a/src/b.rs:stickslip::b::step [/target/release/stickslip]";
        assert_eq!(
            row(line),
            Some(("1,234,567", "12.34%", "stickslip::b::step"))
        );
        let bare = "     7 ( 0.01%)  ???:memcpy [/lib/libc.so.6]";
        assert_eq!(row(bare), Some(("7", "0.01%", "memcpy")));
        assert_eq!(row("1,234 (100.0%)  PROGRAM TOTALS"), None);
        assert_eq!(row("Profile data file 'x' (creator: callgrind)"), None);
        let text = format!("Ir\n{line}\n{bare}\n");
        let table = table(&text, "its own");
        assert_eq!(table.lines().count(), 3, "{table}");
    }
}
