//! Runs generated scenes, each in a process of its own, and says how many come to their end: `cargo xtask survey`.

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use stickslip_verify::survey::one::{Ran, State, on_cpu, run_file};
use stickslip_verify::survey::report::{Entry, text};
use stickslip_verify::survey::{FAMILIES, Family, scenes};

/// Ordinary scenes with random numbers: how many come to their end, in what time
///
/// A scene that does not end is kept as a file, for `stickslip run`.
///
/// Example: cargo xtask survey --seed 7 --count 90
#[derive(Parser)]
struct Options {
    /// Which scenes: others with every seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many, the families in turn
    #[arg(long, value_name = "M", default_value_t = 90)]
    count: usize,
    /// One family only
    #[arg(long, value_name = "F", value_parser = family)]
    family: Option<&'static Family>,
    /// One scene only, by the number in its name
    #[arg(long, value_name = "K", requires = "family")]
    scene: Option<u64>,
    /// Most seconds on a processor for a scene
    #[arg(long, value_name = "S", default_value_t = 120.0)]
    limit: f64,
    /// Only the first steps of each scene
    #[arg(long, value_name = "N")]
    steps: Option<u32>,
    /// Keep each trajectory in memory and check it
    #[arg(long)]
    check: bool,
    /// Where scenes that do not end are kept
    #[arg(long, value_name = "DIR", default_value = "out/survey")]
    out: PathBuf,
    /// Keep all scenes, not only those that do not end
    #[arg(long)]
    keep: bool,
    /// Run this scene file here and print what became of it; for the processes of a survey
    #[arg(long, value_name = "FILE", hide = true)]
    one: Option<PathBuf>,
}

fn family(name: &str) -> Result<&'static Family, String> {
    Family::named(name).ok_or_else(|| {
        let names: Vec<&str> = FAMILIES.iter().map(|f| f.name).collect();
        format!("there are: {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    let options = Options::parse();
    if let Some(file) = &options.one {
        let ran = run_file(file, options.limit, options.steps, options.check);
        println!("{}", ran.to_json());
        return ExitCode::SUCCESS;
    }
    match survey(&options) {
        Ok(entries) => {
            println!("{}", text(&entries));
            let all = entries.iter().all(|e| e.ran.state == State::Ended);
            if all {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn survey(options: &Options) -> Result<Vec<Entry>, String> {
    let out = &options.out;
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut entries = Vec::new();
    let drawn = match (options.family, options.scene) {
        (Some(family), Some(scene)) => vec![(family, scene)],
        (family, _) => scenes(options.seed, options.count, family),
    };
    for (family, seed) in drawn {
        let title = family.title(seed);
        let file = out.join(format!("{title}.toml"));
        std::fs::write(&file, family.scene(seed))
            .map_err(|e| format!("{}: {e}", file.display()))?;
        let ran = in_a_process(&file, options)?;
        if ran.state != State::Ended {
            let why = ran.message.lines().next().unwrap_or_default();
            eprintln!("{:<8} {}: {why}", ran.state.word(), file.display());
        } else if !options.keep {
            std::fs::remove_file(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        entries.push(Entry {
            family: family.name,
            title,
            ran,
        });
    }
    Ok(entries)
}

/// A panic, an abort or a step without end is the child's alone.
fn in_a_process(file: &Path, options: &Options) -> Result<Ran, String> {
    let limit = options.limit;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command
        .arg("--one")
        .arg(file)
        .args(["--limit", &limit.to_string()]);
    if let Some(steps) = options.steps {
        command.args(["--steps", &steps.to_string()]);
    }
    if options.check {
        command.arg("--check");
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let hung = !ended_by_itself(&mut child, limit)?;
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if hung {
        return Ok(Ran::without_steps(
            State::Hang,
            "one step took longer than the limit of all",
        ));
    }
    let printed = serde_json::from_slice(&output.stdout).ok();
    let ran = printed.as_ref().and_then(Ran::from_json);
    Ok(ran.unwrap_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        Ran::without_steps(State::Panic, format!("{}: {}", output.status, said.trim()))
    }))
}

/// Waits for a process that ends itself between two steps when its time is up; where that step does not end, ends the process.
fn ended_by_itself(child: &mut Child, limit: f64) -> Result<bool, String> {
    let start = Instant::now();
    let id = child.id().to_string();
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        let passed = start.elapsed().as_secs_f64();
        let used = on_cpu(&id).unwrap_or(passed);
        if used > 2.0 * limit + 5.0 || passed > 20.0 * limit + 60.0 {
            child.kill().map_err(|e| e.to_string())?;
            return Ok(false);
        }
        let pause = if passed < 1.0 { 2 } else { 50 };
        std::thread::sleep(Duration::from_millis(pause));
    }
    Ok(true)
}
