//! Runs other people's engines beside stickslip on the same scenes, one after the other on each: `cargo xtask peers`.

use clap::Parser;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use stickslip_verify::peers::known::QUESTIONS;
use stickslip_verify::peers::measure::measure;
use stickslip_verify::peers::page::{Outcome, Ran, Row, known, left_out, plots, text};
use stickslip_verify::peers::{PEERS, Peer, export, exported, ours, scenes};
use stickslip_verify::root;
use stickslip_verify::survey::one::on_cpu;

/// stickslip, Rapier, MuJoCo and Bullet on the same scenes: cost, overlap, creep, energy
///
/// Writes docs/peers.md and its figures; with --scenes, --only or --count into the folder --out instead. --known prints a table.
///
/// Example: cargo xtask peers --only rapier --count 5
#[derive(Parser)]
struct Options {
    /// Take the pairs NAME.toml and NAME.json of this folder instead of drawn scenes
    #[arg(long, value_name = "DIR")]
    scenes: Option<PathBuf>,
    /// Only these engines (and stickslip): rapier, mujoco, bullet
    #[arg(long, value_name = "E", value_delimiter = ',', value_parser = ["rapier", "mujoco", "bullet"])]
    only: Vec<String>,
    /// Only the scenes whose answer is known: the rows of the README's table
    #[arg(long, conflicts_with_all = ["scenes", "count"])]
    known: bool,
    /// How many scenes
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Most seconds on a processor for a scene and engine
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    limit: f64,
    /// Where scenes, states and partial results are kept
    #[arg(long, value_name = "DIR", default_value = "out/peers")]
    out: PathBuf,
    /// The Python of MuJoCo and Bullet
    #[arg(long, value_name = "FILE", hide = true, default_value = "python3")]
    python: PathBuf,
    /// The program of Rapier
    #[arg(
        long,
        value_name = "FILE",
        hide = true,
        default_value = "stickslip-with-rapier"
    )]
    rapier: PathBuf,
    /// Run one scene by stickslip here, as the programs of other engines do: TOLERANCE SCENE STATES EVERY LIMIT
    #[arg(long, num_args = 5, hide = true)]
    one: Option<Vec<String>>,
}

/// Scenes where none are asked for: two rounds through the families, but for a few.
const COUNT: usize = 40;

/// Samples of states in a run.
const SAMPLES: u64 = 20;

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match options.one.as_deref() {
        Some([tolerance, scene, states, every, limit]) => {
            one(tolerance, scene, states, every, limit)
        }
        _ => compare(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn one(tolerance: &str, scene: &str, states: &str, every: &str, limit: &str) -> Result<(), String> {
    let every = every.parse().map_err(|e| format!("{every}: {e}"))?;
    let limit = limit.parse().map_err(|e| format!("{limit}: {e}"))?;
    let (scene, states) = (Path::new(scene), Path::new(states));
    println!("{}", ours::run(scene, tolerance, states, every, limit)?);
    Ok(())
}

/// A scene in both forms.
struct Pair {
    name: String,
    toml: PathBuf,
    json: PathBuf,
}

fn compare(options: &Options) -> Result<(), String> {
    let folder = options.out.join("scenes");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    if options.known {
        print!("{}", answers(options, &folder)?);
        return Ok(());
    }
    let pairs = match &options.scenes {
        Some(given) => found(given, options.count)?,
        None => drawn(&folder, options.count.unwrap_or(COUNT))?,
    };
    let mut rows = Vec::new();
    for (k, pair) in pairs.iter().enumerate() {
        let row = run(options, pair)?;
        eprintln!(
            "{:>3} of {}  {}  {}",
            k + 1,
            pairs.len(),
            pair.name,
            brief(&row)
        );
        rows.push(row);
    }
    let mut text = text(&rows);
    let whole = options.scenes.is_none() && options.only.is_empty() && options.count.is_none();
    if whole {
        text += &format!(
            "\n## Answers that are known\n\n{}",
            answers(options, &folder)?
        );
    }
    println!("{text}");
    let (page, figures) = if whole {
        (root().join("docs/peers.md"), root().join("docs/figures"))
    } else {
        (options.out.join("peers.md"), options.out.join("figures"))
    };
    std::fs::create_dir_all(&figures).map_err(|e| format!("{}: {e}", figures.display()))?;
    for (name, plot) in plots(&rows) {
        let file = figures.join(format!("{name}.svg"));
        plot.write(&file).map_err(|e| e.to_string())?;
    }
    let head = head(options, rows.len());
    std::fs::write(&page, format!("{head}\n{text}"))
        .map_err(|e| format!("{}: {e}", page.display()))?;
    println!("written {}", page.display());
    Ok(())
}

/// Draws the scenes of the comparison and writes them in both forms.
fn drawn(folder: &Path, count: usize) -> Result<Vec<Pair>, String> {
    let write = |file: &Path, text: &str| {
        std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
    };
    let mut pairs = Vec::new();
    for (family, seed) in scenes(count) {
        let name = family.title(seed);
        let (toml, json) = (
            folder.join(format!("{name}.toml")),
            folder.join(format!("{name}.json")),
        );
        write(&toml, &family.scene(seed))?;
        write(&json, &exported(family, seed)?.to_string())?;
        pairs.push(Pair { name, toml, json });
    }
    Ok(pairs)
}

/// What every engine says where the answer is known, and what was left out.
fn answers(options: &Options, folder: &Path) -> Result<String, String> {
    let pairs = kept(folder)?;
    let rows: Vec<Row> = pairs
        .iter()
        .map(|pair| run(options, pair))
        .collect::<Result<_, _>>()?;
    Ok(format!("{}\n{}", known(&rows), left_out(&rows)))
}

/// The scenes whose answer is known, each once.
fn kept(folder: &Path) -> Result<Vec<Pair>, String> {
    let mut names: Vec<&str> = QUESTIONS.iter().map(|q| q.scene).collect();
    names.dedup();
    let pair = |name: &str| {
        let toml = root().join("scenes").join(name).with_extension("toml");
        let json = folder.join(name.replace('/', "-")).with_extension("json");
        let (scene, world) = ours::read(&toml, &[])?;
        let told = export::json(&scene, &world, "known")?;
        std::fs::write(&json, told.to_string()).map_err(|e| format!("{}: {e}", json.display()))?;
        let name = name.to_owned();
        Ok(Pair { name, toml, json })
    };
    names.into_iter().map(pair).collect()
}

/// The pairs of a folder, by name. Scenes with joints have no counterpart here, which is said.
fn found(folder: &Path, count: Option<usize>) -> Result<Vec<Pair>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let mut pairs = Vec::new();
    for json in files {
        let toml = json.with_extension("toml");
        let name = json.file_stem().unwrap_or_default().to_string_lossy();
        if !toml.exists() {
            return Err(format!("{}: {name}.toml is missing", folder.display()));
        }
        let joints = read(&json)?["joints"]
            .as_array()
            .is_some_and(|j| !j.is_empty());
        if joints {
            println!("left out: {name} has joints");
            continue;
        }
        let name = name.into_owned();
        pairs.push(Pair { name, toml, json });
    }
    pairs.truncate(count.unwrap_or(usize::MAX));
    Ok(pairs)
}

fn read(json: &Path) -> Result<Value, String> {
    let wrong = |e: String| format!("{}: {e}", json.display());
    let text = std::fs::read_to_string(json).map_err(|e| wrong(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))
}

/// All engines on a scene, one after the other.
fn run(options: &Options, pair: &Pair) -> Result<Row, String> {
    let json = read(&pair.json)?;
    let wanted = |peer: &&Peer| {
        let only = &options.only;
        peer.engine == "stickslip" || only.is_empty() || only.iter().any(|o| o == peer.engine)
    };
    let mut outcomes = Vec::new();
    for peer in PEERS.iter().filter(wanted) {
        let states = options
            .out
            .join(format!("{}.{}", peer.engine, peer.setting));
        let outcome = match printed(options, pair, &json, peer, &states)? {
            Ok(told) => judged(pair, &json, &told, &states)?,
            Err(why) => Outcome::Broke(why),
        };
        outcomes.push((peer, outcome));
    }
    let scene = pair.name.clone();
    Ok(Row { scene, outcomes })
}

/// What an engine's program prints; or why it printed nothing.
fn printed(
    options: &Options,
    pair: &Pair,
    json: &Value,
    peer: &Peer,
    states: &Path,
) -> Result<Result<Value, String>, String> {
    let number = |key: &str| {
        let value = json[key].as_f64();
        value.ok_or_else(|| format!("{}: no {key}", pair.json.display()))
    };
    let every = ((number("until")? / number("h")?) as u64 / SAMPLES).max(1);
    let script = |name: &str| {
        let mut command = Command::new(&options.python);
        command.arg(root().join("bench/peers").join(name));
        (command, &pair.json)
    };
    let (mut command, scene) = match peer.engine {
        "mujoco" => script("with_mujoco.py"),
        "bullet" => script("with_bullet.py"),
        "rapier" => (Command::new(&options.rapier), &pair.json),
        _ => {
            let own = std::env::current_exe().map_err(|e| e.to_string())?;
            let mut command = Command::new(own);
            command.arg("--one");
            (command, &pair.toml)
        }
    };
    let whole = |path: &Path| std::path::absolute(path).map_err(|e| e.to_string());
    command.arg(peer.setting).arg(whole(scene)?);
    command.arg(whole(states)?);
    // MuJoCo leaves a log where it is run.
    command.current_dir(states.parent().unwrap_or(Path::new(".")));
    command.args([every.to_string(), options.limit.to_string()]);
    // One thread, whatever libraries inside would take.
    for variable in [
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "RAYON_NUM_THREADS",
    ] {
        command.env(variable, "1");
    }
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let _ = std::fs::remove_file(states);
    last_line(&mut command, options.limit)
}

/// The JSON of the last line; a process whose step does not end is ended. To be unable to start is an error of all.
fn last_line(command: &mut Command, limit: f64) -> Result<Result<Value, String>, String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .spawn()
        .map_err(|e| format!("{shown} cannot be started: {e}"))?;
    let (id, start) = (child.id().to_string(), Instant::now());
    let most = 2.0 * limit + 10.0;
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        let passed = start.elapsed().as_secs_f64();
        if on_cpu(&id).unwrap_or(passed) > most || passed > 20.0 * most {
            child.kill().map_err(|e| e.to_string())?;
            child.wait().map_err(|e| e.to_string())?;
            return Ok(Err(format!("one step took longer than {limit} s")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let json = printed.lines().rev().find(|l| l.starts_with('{'));
    let told = json.and_then(|line| serde_json::from_str(line).ok());
    Ok(told.ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|l| !l.trim().is_empty());
        format!("{}: {}", output.status, last.unwrap_or("no word"))
    }))
}

/// What was printed, with what the states show.
fn judged(pair: &Pair, json: &Value, told: &Value, states: &Path) -> Result<Outcome, String> {
    if let Some(lacks) = told["lacks"].as_str() {
        return Ok(Outcome::Lacks(lacks.to_owned()));
    }
    if let Some(failure) = told["failure"].as_str() {
        eprintln!(
            "  {}: {}",
            pair.name,
            failure.lines().next().unwrap_or_default()
        );
    }
    let number = |key: &str| told[key].as_f64().unwrap_or(0.0);
    let whole = |key: &str| told[key].as_u64().unwrap_or(0);
    let ended = told["timeout"] == Value::Bool(false) && told["failure"].is_null();
    Ok(Outcome::Ran(Box::new(Ran {
        steps: whole("steps"),
        cpu: number("cpu"),
        median: number("median"),
        worst: number("worst"),
        contacts: whole("contacts"),
        ended,
        residual: number("residual"),
        approximate: whole("approximate"),
        quality: measure(&pair.toml, json, states)?,
    })))
}

/// Mean steps in µs, in the order of the engines.
fn brief(row: &Row) -> String {
    let of = |outcome: &Outcome| match outcome {
        Outcome::Ran(ran) if ran.ended => format!("{:.1}", 1e6 * ran.mean()),
        Outcome::Ran(ran) => format!("{:.1} (cut)", 1e6 * ran.mean()),
        Outcome::Lacks(_) => "lacks".into(),
        Outcome::Broke(_) => "broke".into(),
    };
    let words: Vec<String> = row.outcomes.iter().map(|(_, o)| of(o)).collect();
    format!("{} µs", words.join(", "))
}

/// Title, what was done and how to read it.
fn head(options: &Options, scenes: usize) -> String {
    let limit = options.limit;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load
        .split_whitespace()
        .next()
        .unwrap_or("unknown")
        .to_owned();
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    format!(
        include_str!("../peers/head.txt"),
        scenes = scenes,
        limit = limit,
        load = load,
        cores = cores
    )
}
