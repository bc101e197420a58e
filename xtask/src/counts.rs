//! `cargo xtask counts`: instructions of five fixed runs, against those kept in bench/instructions.txt.
//!
//! Times change with the machine and what else it does; instructions hardly do. They are counted by valgrind on the program of the
//! tests (checks on, no link-time optimisation), on one thread. Another compiler makes other code, and another processor is given other
//! kernels, so the file names those that it was counted with; with others nothing is compared, which is said.

use crate::ci;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::root;

/// A run: its name, its scene and the time at which it ends, s.
struct Run {
    name: &'static str,
    scene: &'static str,
    until: &'static str,
}

/// Rest, a plate, balls and boxes that fall into a bin, joints: about a second of a core together, half a minute counted.
const RUNS: [Run; 5] = [
    Run {
        name: "stack at rest",
        scene: "scenes/box_stack.toml",
        until: "0.2",
    },
    Run {
        name: "plate",
        scene: "scenes/plate.toml",
        until: "0.05",
    },
    Run {
        name: "balls in a bin",
        scene: "scenes/bin_of_balls.toml",
        until: "0.3",
    },
    Run {
        name: "boxes in a bin",
        scene: "scenes/bin_of_boxes.toml",
        until: "0.3",
    },
    Run {
        name: "four bars",
        scene: "scenes/four_bar.toml",
        until: "0.2",
    },
];

/// Part by which a count may differ from the one that is kept.
const ALLOWED: f64 = 0.02;

/// Counts all runs and compares them with what is kept; with STICKSLIP_BLESS=1 keeps them instead.
pub(crate) fn run() -> Result<(), String> {
    let compiler = compiler()?;
    let file = root().join("bench/instructions.txt");
    let bless = std::env::var_os("STICKSLIP_BLESS").is_some();
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("   passed over: valgrind is not installed, so no instructions are counted");
        return Ok(());
    }
    let kept = Kept::read(&file);
    if let (false, Ok(kept)) = (bless, &kept)
        && kept.compiler != compiler
    {
        println!(
            "   passed over: counted with {}, and this is {compiler}",
            kept.compiler
        );
        return Ok(());
    }
    let program = ci::program()?;
    let mut counted = Vec::new();
    for run in &RUNS {
        counted.push((run.name, instructions(&program, run)?));
    }
    if bless {
        return write(&file, &compiler, &counted);
    }
    compare(&kept?, &counted)
}

/// The compiler's own word for itself, and the vector instructions of the processor.
fn compiler() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let output = output.map_err(|e| format!("rustc: {e}"))?;
    let compiler = String::from_utf8_lossy(&output.stdout);
    Ok(format!("{}, {}", compiler.trim(), vectors()))
}

/// Which vector instructions the kernels of linear algebra choose by.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return "x86-64 with AVX2";
    }
    std::env::consts::ARCH
}

/// Instructions of a run.
fn instructions(program: &Path, run: &Run) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(program)
        .args(["run", run.scene, "--until", run.until])
        .args(["--quiet", "--threads", "1"])
        .current_dir(root());
    let output = command.output().map_err(|e| format!("valgrind: {e}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {}\n{told}", run.scene, output.status));
    }
    counted_in(&told).ok_or_else(|| format!("{}: valgrind told no count\n{told}", run.scene))
}

/// The number in valgrind's line `I   refs:      1,234`.
fn counted_in(told: &str) -> Option<u64> {
    told.lines().find_map(|line| {
        let (what, number) = line.split_once("refs:")?;
        let counts_instructions = what.trim_end().ends_with(" I");
        let number = number.trim().replace(',', "");
        number.parse().ok().filter(|_| counts_instructions)
    })
}

/// What the file keeps.
struct Kept {
    compiler: String,
    counts: Vec<(String, u64)>,
}

impl Kept {
    fn read(file: &PathBuf) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| {
            format!("bench/instructions.txt: {e}; STICKSLIP_BLESS=1 cargo xtask counts writes it")
        })?;
        Self::parse(&text).ok_or_else(|| "bench/instructions.txt is not what was written".into())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next()?.to_string();
        let mut counts = Vec::new();
        for line in lines {
            let (count, name) = line.trim().split_once(' ')?;
            counts.push((name.trim().to_string(), count.parse().ok()?));
        }
        Some(Self { compiler, counts })
    }
}

fn write(file: &PathBuf, compiler: &str, counted: &[(&str, u64)]) -> Result<(), String> {
    let mut text = format!(
        "# Instructions of fixed runs, counted by `cargo xtask counts`, with this compiler:\n{compiler}\n"
    );
    for (name, count) in counted {
        println!("   {count:>13}  {name}");
        let _ = writeln!(text, "{count:>13}  {name}");
    }
    std::fs::write(file, text).map_err(|e| format!("bench/instructions.txt: {e}"))
}

/// Each count beside the one that is kept; those that are off by more than is allowed are an error.
fn compare(kept: &Kept, counted: &[(&str, u64)]) -> Result<(), String> {
    let mut off = Vec::new();
    for (name, count) in counted {
        let before = kept.counts.iter().find(|(kept, _)| kept == name);
        let (_, before) =
            before.ok_or_else(|| format!("bench/instructions.txt has no `{name}`"))?;
        let change = *count as f64 / *before as f64 - 1.0;
        println!("   {count:>13}  {name}: {:+.2} %", 100.0 * change);
        if change.abs() > ALLOWED {
            off.push(format!("{name} {:+.1} %", 100.0 * change));
        }
    }
    if off.is_empty() {
        return Ok(());
    }
    Err(format!(
        "instructions changed: {}; where that is meant, STICKSLIP_BLESS=1 cargo xtask counts",
        off.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_valgrind_and_the_file_tell_them() {
        let told = "==7== D   refs:  5\n==7== I   refs:        1,234,567\n";
        assert_eq!(counted_in(told), Some(1_234_567));
        assert_eq!(counted_in("==7== nothing"), None);
        let kept = Kept::parse("# words\nrustc 1.0\n      100  plate\n       50  four bars\n");
        let kept = kept.expect("a file as it is written");
        assert_eq!(kept.compiler, "rustc 1.0");
        assert_eq!(kept.counts[1], ("four bars".to_string(), 50));
        assert!(Kept::parse("rustc 1.0\nplate\n").is_none());
    }

    #[test]
    fn two_percent_are_allowed() {
        let kept = Kept {
            compiler: String::new(),
            counts: vec![("plate".to_string(), 1000)],
        };
        assert!(compare(&kept, &[("plate", 1019)]).is_ok());
        let more = compare(&kept, &[("plate", 1021)]).unwrap_err();
        assert!(more.contains("plate +2.1 %"), "{more}");
        assert!(compare(&kept, &[("plate", 979)]).is_err());
        assert!(compare(&kept, &[("bowl", 1000)]).is_err());
    }
}
