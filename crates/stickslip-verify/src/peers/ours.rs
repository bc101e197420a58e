//! A scene by stickslip itself, stepped by the library on one thread, with the time of every step on a processor.

use super::measure::write_sample;
use super::statistics::median;
use serde_json::{Value, json};
use std::path::Path;
use stickslip::dynamics::scene::{Files, Override};
use stickslip::prelude::{Scene, World};
use stickslip::record::Account;

/// A scene file and its world, with values in place of the file's, such as `step.tolerance` of `1e-4`.
///
/// # Errors
/// What is wrong with the file.
pub fn read(path: &Path, settings: &[(&str, &str)]) -> Result<(Scene, World), String> {
    let overrides: Vec<Override> = settings
        .iter()
        .map(|(key, value)| Override::new(*key, *value))
        .collect();
    let files = Files::beside(path).anywhere(true);
    let scene = Scene::read_with(path, &overrides, files).map_err(|e| e.to_string())?;
    let world = World::from_scene(&scene).map_err(|e| e.to_string())?;
    Ok((scene, world))
}

/// Time of this process on processors, s: the clock that all engines are timed with.
#[cfg(unix)]
#[must_use]
pub fn on_cpu() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Elsewhere the time that passes, s.
#[cfg(not(unix))]
#[must_use]
pub fn on_cpu() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Runs a scene at a tolerance (m/s), a sample of states every `every` steps, until `limit` seconds are spent. What the programs of the
/// other engines print too: steps, time of all and of the median and the slowest step (s), contacts at most; besides, the
/// worst residual of the law (m/s), approximate steps and why it stopped.
///
/// # Errors
/// Where the scene cannot be read or the states cannot be written.
pub fn run(
    toml: &Path,
    tolerance: &str,
    states: &Path,
    every: u64,
    limit: f64,
) -> Result<Value, String> {
    let (scene, mut world) = read(toml, &[("step.tolerance", tolerance)])?;
    world.set_threads(1);
    let (mut text, mut times, mut spent) = (String::new(), Vec::new(), 0.0);
    let (mut contacts, mut worst, mut account) = (0, 0.0f64, Account::default());
    let (mut failure, mut part) = (None, 0.0);
    write_sample(&mut text, &world);
    while !world.reached(scene.step.until) && spent < limit {
        let start = on_cpu();
        let stepped = world.step().map(|_| ());
        let time = on_cpu() - start;
        (spent, part) = (spent + time, part + time);
        if let Err(error) = stepped {
            failure = Some(error.to_string());
            break;
        }
        let last = world.last_step();
        account.add(last, world.settings().tolerance);
        contacts = contacts.max(last.contacts.len());
        worst = worst.max(last.certificate.worst_of_law().1);
        // The parts of a divided step count together.
        if world.whole_steps() as usize > times.len() {
            times.push(part);
            part = 0.0;
            if world.whole_steps() % every == 0 || world.reached(scene.step.until) {
                write_sample(&mut text, &world);
            }
        }
    }
    std::fs::write(states, text).map_err(|e| format!("{}: {e}", states.display()))?;
    Ok(json!({
        "steps": times.len(),
        "cpu": spent,
        "median": median(&times),
        "worst": times.iter().copied().fold(0.0, f64::max),
        "contacts": contacts,
        "timeout": failure.is_none() && !world.reached(scene.step.until),
        "failure": failure,
        "residual": worst,
        "approximate": account.approximate.count,
    }))
}
