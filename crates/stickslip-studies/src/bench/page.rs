//! `stickslip bench page`: how large the page of a run is, how fast it opens and how many pictures it draws a second.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use stickslip::dynamics::simulate::simulate_in_memory;
use stickslip::prelude::{Scene, World};
use stickslip_console::{Failure, Verdict, print, print_json};
use stickslip_view::Film;

const SCENES: [(&str, &str); 3] = [
    (
        "scenes/box_stack.toml",
        include_str!("../../shipped/scenes/box_stack.toml"),
    ),
    (
        "scenes/ragdolls.toml",
        include_str!("../../shipped/scenes/ragdolls.toml"),
    ),
    (
        "scenes/large/thousand.toml",
        include_str!("../../shipped/scenes/large/thousand.toml"),
    ),
];

/// Longest wait for a browser.
const PATIENCE: Duration = Duration::from_secs(180);

struct ScenePage {
    scene: &'static str,
    bodies: usize,
    frames: usize,
    megabytes: f64,
    /// Seconds to make the page from the trajectory.
    written: f64,
    /// What the page says of itself, or why it says nothing.
    seen: Result<Value, String>,
}

pub(crate) fn run(as_json: bool) -> Result<Verdict, Failure> {
    let chromium = chromium();
    let mut rows = Vec::new();
    for (file, text) in SCENES {
        // The largest takes a minute: a table that says nothing until it is whole looks like a program that hangs.
        eprintln!("{file}: runs, then is opened …");
        rows.push(measure(file, text, chromium.as_deref())?);
    }
    if as_json {
        print_json(
            &json!({ "bench": "page", "rows": rows.iter().map(json_of).collect::<Vec<_>>() }),
        )?;
    } else {
        print(&text_of(&rows))?;
    }
    Ok(Verdict::Good)
}

fn measure(file: &'static str, text: &str, chromium: Option<&Path>) -> Result<ScenePage, Failure> {
    let scene = Scene::parse(text, file, &[])?;
    let mut world = World::from_scene(&scene)?;
    let (trajectory, outcome) = simulate_in_memory(&scene, &mut world)?;
    if let Some(failure) = &outcome.failure {
        // What was computed until then makes a page all the same.
        eprintln!("warning: {file}: {failure}");
    }
    let film = Film::new(world.model(), &trajectory).map_err(|e| Failure::Work(e.to_string()))?;
    let start = Instant::now();
    let page = film.titled(&scene.title).page();
    let written = start.elapsed().as_secs_f64();
    let seen = match chromium {
        None => Err("no chromium found (set CHROMIUM to its path)".into()),
        Some(chromium) => look(chromium, &page),
    };
    Ok(ScenePage {
        scene: file,
        bodies: world.model().bodies.len(),
        frames: trajectory.frames.len(),
        megabytes: page.len() as f64 / 1e6,
        written,
        seen,
    })
}

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    named
        .into_iter()
        .chain(usual.map(PathBuf::from))
        .find(|p| p.exists())
}

/// Opens the page without a window and without a graphics card, and reads what it says on its console.
fn look(chromium: &Path, page: &str) -> Result<Value, String> {
    let place = std::env::temp_dir().join(format!("stickslip-bench-page-{}", std::process::id()));
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let file = place.join("page.html");
    std::fs::write(&file, page).map_err(|e| format!("{}: {e}", file.display()))?;
    let child = Command::new(chromium)
        .args([
            "--headless",
            // The page is our own and fetches nothing.
            "--no-sandbox",
            "--disable-gpu",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--window-size=1280,800",
            "--enable-logging=stderr",
        ])
        .arg(format!(
            "--user-data-dir={}",
            place.join("profile").display()
        ))
        .arg(format!("file://{}#bench", file.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", chromium.display()))?;
    let said = listen(child);
    // Only our own folder; what is left there hurts nobody.
    let _ = std::fs::remove_dir_all(&place);
    said
}

fn listen(mut child: Child) -> Result<Value, String> {
    let lines = child.stderr.take().map(BufReader::new);
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in lines
            .into_iter()
            .flat_map(BufRead::lines)
            .map_while(Result::ok)
        {
            if let Some((_, rest)) = line.split_once("stickslip-bench ") {
                let end = rest.rfind('}').map_or(rest.len(), |k| k + 1);
                let _ = send.send(rest[..end].to_owned());
                return;
            }
        }
    });
    let said = receive.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = child.wait();
    let said = said.map_err(|_| "the browser said nothing about the page".to_string())?;
    serde_json::from_str(&said).map_err(|e| format!("{said}: {e}"))
}

fn text_of(rows: &[ScenePage]) -> String {
    let mut lines = vec![
        "The page of a run, in Chromium without a graphics card, 1280 × 800".to_string(),
        format!(
            "{:<28} {:>7} {:>7} {:>8} {:>10} {:>9} {:>12} {:>10}",
            "scene", "bodies", "frames", "MB", "written s", "opens s", "pictures/s", "slow /s"
        ),
    ];
    for r in rows {
        let seen = match &r.seen {
            Ok(v) => {
                let get = |name: &str| v[name].as_f64().unwrap_or(f64::NAN);
                format!(
                    "{:>9.2} {:>12.0} {:>10.0}",
                    get("load") / 1e3,
                    1e3 / get("picture"),
                    1e3 / get("slow")
                )
            }
            Err(why) => format!("  {why}"),
        };
        lines.push(format!(
            "{:<28} {:>7} {:>7} {:>8.2} {:>10.2} {seen}",
            r.scene, r.bodies, r.frames, r.megabytes, r.written
        ));
    }
    lines.push("pictures/s: the median of 60 over the run, each finished before the next; slow: the 57th of the 60".into());
    lines.join("\n")
}

fn json_of(row: &ScenePage) -> Value {
    let mut json = json!({ "scene": row.scene, "bodies": row.bodies, "frames": row.frames,
                           "bytes": (row.megabytes * 1e6).round(), "write_seconds": row.written });
    match &row.seen {
        Ok(v) => json["browser"] = v.clone(),
        Err(why) => json["browser_missing"] = json!(why),
    }
    json
}
