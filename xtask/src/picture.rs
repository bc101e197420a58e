//! `cargo xtask picture`: the ten-box stack at four times, drawn from a trajectory.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::root;

/// The times shown, s.
const TIMES: [f64; 4] = [0.0, 1.5, 2.0, 8.0];
/// Pixels a metre.
const SCALE: f64 = 13.0;
/// Width of a column, height of the sky, px.
const COLUMN: f64 = 150.0;
const SKY: f64 = 27.0 * SCALE;

/// One body at one time: place and quaternion, scalar first.
struct Pose {
    position: [f64; 3],
    quaternion: [f64; 4],
}

/// Draws the given trajectory (CSV), or runs the scene first.
pub(crate) fn make(given: Option<&str>) -> Result<(), String> {
    let table = match given {
        Some(path) => PathBuf::from(path),
        None => run()?,
    };
    let picture = draw(&read(&table)?);
    let place = root().join("docs/pictures/box_stack.svg");
    std::fs::write(&place, picture).map_err(|e| format!("{}: {e}", place.display()))?;
    println!("written {}", xtask::shown(&place));
    Ok(())
}

/// Runs the scene and records it.
fn run() -> Result<PathBuf, String> {
    let out = root().join("out");
    std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let table = out.join("box_stack.csv");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--release", "-p", "stickslip-cli", "--", "run"])
        .args(["scenes/box_stack.toml", "--every", "50", "--quiet", "-o"])
        .arg(&table)
        .current_dir(root())
        .status()
        .map_err(|e| format!("cargo cannot be started: {e}"))?;
    if status.success() {
        Ok(table)
    } else {
        Err("the run failed".into())
    }
}

/// The boxes at each of [`TIMES`], from the trajectory's CSV.
fn read(table: &Path) -> Result<Vec<Vec<Pose>>, String> {
    let text = std::fs::read_to_string(table).map_err(|e| format!("{}: {e}", table.display()))?;
    let mut frames: Vec<Vec<Pose>> = TIMES.iter().map(|_| Vec::new()).collect();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if !cells.get(1).is_some_and(|name| name.starts_with("box")) {
            continue;
        }
        let number = |k: usize| -> Result<f64, String> {
            let cell = cells.get(k).ok_or("a row is too short")?;
            cell.parse().map_err(|e| format!("{cell}: {e}"))
        };
        let t = number(0)?;
        if let Some(k) = TIMES.iter().position(|time| (time - t).abs() < 1e-9) {
            frames[k].push(Pose {
                position: [number(2)?, number(3)?, number(4)?],
                quaternion: [number(5)?, number(6)?, number(7)?, number(8)?],
            });
        }
    }
    if frames.iter().any(|f| f.len() != 10) {
        return Err(format!(
            "{}: not ten boxes at each of the times",
            table.display()
        ));
    }
    Ok(frames)
}

impl Pose {
    /// A point of the body, seen from the front: (x, z) in the world.
    fn seen(&self, point: [f64; 3]) -> (f64, f64) {
        let ([s, x, y, z], [a, b, c]) = (self.quaternion, point);
        // v + 2 q × (q × v + s v)
        let cross = |u: [f64; 3], v: [f64; 3]| {
            [
                u[1] * v[2] - u[2] * v[1],
                u[2] * v[0] - u[0] * v[2],
                u[0] * v[1] - u[1] * v[0],
            ]
        };
        let q = [x, y, z];
        let inner = cross(q, [a, b, c]);
        let turn = cross(q, [inner[0] + s * a, inner[1] + s * b, inner[2] + s * c]);
        (
            self.position[0] + a + 2.0 * turn[0],
            self.position[2] + c + 2.0 * turn[2],
        )
    }
}

fn draw(frames: &[Vec<Pose>]) -> String {
    let (width, height) = (COLUMN * TIMES.len() as f64, SKY + 70.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
         <title>Ten boxes dropped from 15 m, drawn from the trajectory</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <rect y=\"{SKY}\" width=\"{width}\" height=\"8\" fill=\"#8a8f98\"/>\n"
    );
    for (k, (boxes, t)) in frames.iter().zip(TIMES).enumerate() {
        let middle = COLUMN * (k as f64 + 0.5);
        for (i, pose) in boxes.iter().enumerate() {
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, z)| {
                let (x, z) = pose.seen([x, -0.5, z]);
                format!("{:.3},{:.3}", middle + SCALE * x, SKY - SCALE * z)
            });
            let fill = ["#4c78a8", "#9ecae9"][i % 2];
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{fill}\" stroke=\"#24374d\" stroke-width=\"0.8\"/>",
                corners.join(" ")
            );
        }
        let offset = boxes
            .iter()
            .flat_map(|p| [p.position[0].abs(), p.position[1].abs()])
            .fold(0.0, f64::max);
        let offset = if offset == 0.0 {
            "no lateral offset".to_string()
        } else {
            format!("offset {offset:.0e} m")
        };
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" fill=\"#222222\">t = {t} s</text>\n\
             <text x=\"{middle}\" y=\"{}\" fill=\"#666666\" font-size=\"11\">{offset}</text>",
            SKY + 32.0,
            SKY + 50.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
