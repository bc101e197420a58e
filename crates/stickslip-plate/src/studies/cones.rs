//! Figure 5: trajectories and their error against the number of friction directions.

use super::{Effort, Study, slope};
use crate::field::{FieldError, world_at};
use crate::library::{self, Part};
use rayon::prelude::*;
use stickslip::prelude::*;
use stickslip_plot::{Axis, Plot};

/// The numbers of directions that are compared.
pub const CONES: [usize; 5] = [4, 8, 16, 32, 64];

/// Every tenth of a second, where a part is. The end is at 5 s.
type Path = Vec<DVec2>;

fn path(part: Part, cone: Cone, h: f64) -> Result<Path, FieldError> {
    let Some(plate) = library::by_name("circle") else {
        return Err(FieldError::NoPlate("no circle".into()));
    };
    let mut scene = plate.scene(part);
    scene.step.cone = cone;
    let start = DVec2::new(0.04, 0.0);
    let mut world = world_at(&scene, start, h)?;
    // At rest in the world, as the reference has it.
    let mut states = world.states().to_vec();
    if let Some(k) = world.index("part") {
        states[k].twist = Twist::default();
    }
    world
        .restore(0, 0.0, &states)
        .map_err(|e| FieldError::Sampling(e.to_string()))?;
    let place = |world: &World| {
        let part = world.body("part").copied().unwrap_or_default();
        part.pose.position.truncate()
    };
    let every = (0.1 / h).round() as usize;
    let mut path = vec![place(&world)];
    for _ in 0..50 {
        for _ in 0..every {
            let step = world.step();
            step.map_err(|error| FieldError::Step {
                x: start.x,
                y: start.y,
                error,
            })?;
        }
        path.push(place(&world));
    }
    Ok(path)
}

/// The scaled circle carries a particle and a tripod for 5 s, with the exact cone and with fans of 4 to 64 directions
/// fixed in the world, and of 4 to 32 fixed to the plate.
///
/// # Errors
/// A step that was not certified.
pub fn cone_error(effort: Effort) -> Result<Study, FieldError> {
    let h = match effort {
        Effort::Quick => 1e-4,
        Effort::Full => 1e-5,
    };
    let carried = |directions: usize| {
        Cone::Fan(stickslip::model::Fan {
            directions,
            carried: true,
            turn: 0.0,
        })
    };
    let mut runs = vec![
        (Part::Particle, Cone::Quadratic),
        (Part::Tripod, Cone::Quadratic),
    ];
    runs.extend(CONES.map(|n| (Part::Particle, Cone::Pyramid(n))));
    runs.extend(CONES[..4].iter().map(|&n| (Part::Particle, carried(n))));
    runs.extend(CONES[..4].iter().map(|&n| (Part::Tripod, Cone::Pyramid(n))));
    let paths = runs
        .par_iter()
        .map(|&(part, cone)| path(part, cone, h))
        .collect::<Result<Vec<Path>, FieldError>>()?;
    let (particle, tripod) = (&paths[0], &paths[1]);
    let [world, plate, legs] = [&paths[2..7], &paths[7..11], &paths[11..15]];
    let error = |path: &Path, base: &Path| -> Vec<f64> {
        path.iter()
            .zip(base)
            .map(|(a, b)| (*a - *b).length())
            .collect()
    };
    let end = |path: Option<&Path>, base: &Path| {
        path.map_or(f64::NAN, |p| {
            error(p, base).last().copied().unwrap_or(f64::NAN)
        })
    };
    let rows: Vec<Vec<f64>> = CONES
        .iter()
        .enumerate()
        .map(|(k, &n)| {
            let largest = error(&world[k], particle).into_iter().fold(0.0, f64::max);
            vec![
                n as f64,
                end(world.get(k), particle),
                largest,
                end(plate.get(k), particle),
                end(legs.get(k), tripod),
            ]
        })
        .collect();
    let curve: Vec<(f64, f64)> = rows.iter().map(|r| (r[0], r[1])).collect();
    let fall = slope(&curve[1..]);
    let mut study = Study {
        id: "plate-fig5",
        title: "Error of a part's place after 5 s against the number of friction directions",
        columns: vec![
            ("n_d", ""),
            ("fixed in the world", "m"),
            ("largest in 5 s", "m"),
            ("fixed to the plate", "m"),
            ("tripod", "m"),
        ],
        rows,
        findings: Vec::new(),
        plots: vec![
            ("fig5a", trajectories(particle, world)),
            ("fig5a-end", ends(particle, world)),
            ("fig5b", errors_in_time(particle, world)),
            ("fig5b-directions", errors_by_directions(&curve)),
        ],
    };
    study.find(
        "more directions",
        "the error becomes smaller",
        format!("it falls as n_d^{fall:.2} from 8 to 64"),
    );
    study.find(
        "8 directions",
        "insufficient",
        format!(
            "{:.2} mm off after 5 s on a circle of 4 cm",
            study.rows[1][1] * 1e3
        ),
    );
    Ok(study)
}

fn millimetres(path: &Path) -> Vec<(f64, f64)> {
    path.iter().map(|p| (p.x * 1e3, p.y * 1e3)).collect()
}

fn trajectories(base: &Path, paths: &[Path]) -> Plot {
    let mut plot = Plot::new("Trajectories of a particle on the scaled circle, 5 s")
        .x(Axis::linear("x", "mm"))
        .y(Axis::linear("y", "mm"))
        .equal()
        .line("exact cone", &millimetres(base));
    for (n, path) in CONES.iter().zip(paths).take(4) {
        plot = plot.line(&format!("{n} directions"), &millimetres(path));
    }
    // A tick every 0.3 s, as in the paper.
    let ticks: Vec<(f64, f64)> = millimetres(base).into_iter().step_by(3).collect();
    plot.points("every 0.3 s", &ticks)
}

/// The last tenths of a second of the trajectories, as large as they fit.
fn ends(base: &Path, paths: &[Path]) -> Plot {
    let named: Vec<(String, &Path)> = std::iter::once(("exact cone".to_string(), base))
        .chain(
            CONES
                .iter()
                .zip(paths)
                .map(|(n, p)| (format!("{n} directions"), p)),
        )
        .collect();
    let last = |path: &Path| millimetres(path).split_off(path.len().saturating_sub(4));
    let mut plot = Plot::new("The ends of the trajectories, 4.7 to 5 s")
        .x(Axis::linear("x", "mm"))
        .y(Axis::linear("y", "mm"))
        .equal();
    for (k, (name, path)) in named.iter().enumerate() {
        let end = last(path);
        plot = plot.line(name, &end).like(k).points("", &end).like(k);
    }
    plot
}

fn errors_in_time(base: &Path, paths: &[Path]) -> Plot {
    let mut plot = Plot::new("Distance from the trajectory of the exact cone")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("error", "mm"));
    for (n, path) in CONES.iter().zip(paths) {
        let points: Vec<(f64, f64)> = path
            .iter()
            .zip(base)
            .enumerate()
            .map(|(k, (a, b))| (0.1 * k as f64, (*a - *b).length() * 1e3))
            .collect();
        plot = plot.line(&format!("{n} directions"), &points);
    }
    plot
}

fn errors_by_directions(curve: &[(f64, f64)]) -> Plot {
    let at = |n: f64| (n, curve[1].1 * curve[1].0 / n);
    Plot::new("Error after 5 s against the number of directions")
        .x(Axis::log("number of directions", ""))
        .y(Axis::log("error", "m"))
        .line("fan fixed in the world", curve)
        .line("slope -1", &[at(4.0), at(64.0)])
        .dashed()
}
