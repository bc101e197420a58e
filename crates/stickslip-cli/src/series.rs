//! `stickslip series`: numbers of a run over time.

use crate::options::{quoted, short, unpainted};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stickslip::dynamics::check::world_in;
use stickslip::dynamics::probe::Probe;
use stickslip::prelude::BodyState;
use stickslip::record::files::replace;
use stickslip::record::parquet::{Cells, Paths, TableColumn, write_table};
use stickslip::record::{Frame, Reader};
use stickslip_console::{Failure, Verdict, print, print_json};
use stickslip_plot::{Axis, Plot, Sheet};

/// Read numbers off a recorded run: positions, velocities, forces, torques, energies over time
///
/// Names: energy, kinetic energy, potential energy; of a body BODY.x .y .z .qs .qx .qy .qz .vx .vy .vz .wx .wy .wz .speed and `kinetic energy
/// of BODY`; of its contacts `force on BODY`, `force on BODY from BODY` and `torque on BODY`, as sizes or with .x .y .z, forces also with
/// .normal and .friction, and `gap between BODY and BODY`; of a joint or spring JOINT.x to JOINT.rz, JOINT.force and JOINT.torque (with .x .y
/// .z), and JOINT.hold.rx, JOINT.motor.rx, JOINT.friction.rx and JOINT.rate.rx of each axis; `frame NAME.x` and the like of a frame, `frame NAME.ax` or BODY.ax for accelerations. Forces are means over each step, in N.
///
/// Example: stickslip series stack.parquet --of "force on a from ground.z" --of energy -o stack.csv
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A Parquet file that `run` wrote
    run: PathBuf,
    /// What is read (may be repeated)
    #[arg(long, value_name = "NAME")]
    of: Vec<String>,
    /// Write to this file: .csv, .parquet, .svg or .png (may be repeated); a CSV on standard output unless given
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,
    /// Print one JSON object: units, and the last, least, largest and mean of each
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let paths = Paths::new(&self.run);
        if let Some(path) = self.output.iter().find(|path| paths.have(path)) {
            return Err(Failure::Input(format!(
                "{}: this is the run itself; choose another file",
                path.display()
            )));
        }
        if self.of.is_empty() {
            return Err(self.nothing_asked()?);
        }
        let series = Series::read(&self.run, &self.of)?;
        for path in &self.output {
            series.write(path, &self.run)?;
        }
        if self.json {
            print_json(&series.json())?;
        } else if self.output.is_empty() {
            print(series.csv().trim_end())?;
        } else {
            print(&self.account(&series))?;
        }
        Ok(Verdict::Good)
    }

    /// Without a name to read: which there are.
    fn nothing_asked(&self) -> Result<Failure, Failure> {
        let header = Reader::open(&self.run)?.header;
        let some = |names: &[String]| {
            let more = if names.len() > 8 { ", …" } else { "" };
            format!("{}{more}", names[..names.len().min(8)].join(", "))
        };
        let mut lines = vec![format!(
            "--of NAME: what is to be read of {}",
            self.run.display()
        )];
        lines.push(format!("  bodies: {}", some(&header.bodies)));
        if !header.joints.is_empty() {
            lines.push(format!("  joints and springs: {}", some(&header.joints)));
        }
        let body = header.bodies.last().map_or("BODY", String::as_str);
        lines.push(format!(
            "  such as --of energy --of {} --of {}; `stickslip series --help` has all",
            quoted(&format!("{body}.z")),
            quoted(&format!("force on {body}"))
        ));
        Ok(Failure::Input(lines.join("\n")))
    }

    /// The range of each series, and what was written.
    fn account(&self, series: &Series) -> String {
        let names = series.probes.iter().map(|p| p.name().chars().count());
        let wide = names.max().unwrap_or(0).max(12);
        let heads = ["last", "least", "largest", "mean"].map(|h| format!("{h:>13}"));
        let mut lines = vec![format!("  {:<wide$} {}", "", heads.concat())];
        for (probe, values) in series.probes.iter().zip(&series.values) {
            let range = Range::of(values).map_or_else(
                || "  no value at any time".into(),
                |r| {
                    [r.last, r.least, r.largest, r.mean]
                        .map(|x| format!("{:>13}", short(x)))
                        .concat()
                },
            );
            lines.push(format!(
                "  {:<wide$} {range} {}",
                probe.name(),
                probe.unit()
            ));
        }
        let written = self
            .output
            .iter()
            .map(|path| format!("  written      {}", path.display()));
        lines.extend(written);
        lines.join("\n")
    }
}

/// What a series comes to.
struct Range {
    last: f64,
    least: f64,
    largest: f64,
    mean: f64,
}

impl Range {
    /// `None` where there is no value at any time.
    fn of(values: &[Option<f64>]) -> Option<Self> {
        let there: Vec<f64> = values.iter().flatten().copied().collect();
        Some(Self {
            last: *there.last()?,
            least: there.iter().copied().reduce(f64::min)?,
            largest: there.iter().copied().reduce(f64::max)?,
            mean: there.iter().sum::<f64>() / there.len() as f64,
        })
    }
}

/// Numbers over time.
struct Series {
    probes: Vec<Probe>,
    t: Vec<f64>,
    /// For each probe a value at each time; `None` where there is none.
    values: Vec<Vec<Option<f64>>>,
}

impl Series {
    fn read(path: &Path, of: &[String]) -> Result<Self, Failure> {
        let mut reader = Reader::open(path)?;
        let (_, world) = world_in(&reader.header)?;
        let model = world.model();
        let probes = of.iter().map(|name| Probe::parse(name, model));
        let probes = probes
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| Failure::Input(format!("--of {e}")))?;
        let (mut t, mut values) = (Vec::new(), vec![Vec::new(); probes.len()]);
        let mut last: Option<Vec<BodyState>> = None;
        for frame in reader.by_ref() {
            let Frame { start, step } = frame?;
            let start = start.map(|start| start.bodies);
            let before = start.as_deref().or(last.as_deref());
            t.push(step.t);
            for (values, probe) in values.iter_mut().zip(&probes) {
                values.push(probe.of(model, before, &step));
            }
            last = Some(step.bodies);
        }
        let seal = reader.seal().warning();
        for warning in reader.warnings.iter().chain(&seal) {
            eprintln!("note: {warning}");
        }
        Ok(Self { probes, t, values })
    }

    fn write(&self, path: &Path, run: &Path) -> Result<(), Failure> {
        let ending = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => replace(path, self.csv().as_bytes()).map_err(|e| Failure::unwritten(path, e)),
            "parquet" => Ok(write_table(path, &self.columns(), &[])?),
            "svg" | "png" => self.plots(run).write(path).map_err(unpainted),
            _ => Err(Failure::Input(format!(
                "{}: what to write is told by the ending, which must be .csv, .parquet, .svg or .png",
                path.display()
            ))),
        }
    }

    fn csv(&self) -> String {
        let mut text = String::from("t [s]");
        for probe in &self.probes {
            let unit = match probe.unit() {
                "" => String::new(),
                unit => format!(" [{unit}]"),
            };
            let _ = write!(text, ",{}", field(&format!("{}{unit}", probe.name())));
        }
        for (k, t) in self.t.iter().enumerate() {
            let _ = write!(text, "\n{t}");
            for values in &self.values {
                text.push(',');
                if let Some(x) = values[k] {
                    let _ = write!(text, "{x}");
                }
            }
        }
        text.push('\n');
        text
    }

    fn columns(&self) -> Vec<TableColumn> {
        let column = |name: &str, unit: &str, cells| TableColumn {
            name: name.into(),
            unit: unit.into(),
            cells: Cells::Real(cells),
        };
        let times = self.t.iter().map(|t| Some(*t)).collect();
        let mut all = vec![column("t", "s", times)];
        for (probe, values) in self.probes.iter().zip(&self.values) {
            all.push(column(probe.name(), probe.unit(), values.clone()));
        }
        all
    }

    /// One plot for each unit, one below the other.
    fn plots(&self, run: &Path) -> Sheet {
        let mut units: Vec<&str> = Vec::new();
        for probe in &self.probes {
            if !units.contains(&probe.unit()) {
                units.push(probe.unit());
            }
        }
        let title = run.file_name().unwrap_or_default().to_string_lossy();
        let mut sheet = Sheet::new(title, 1);
        for unit in units {
            let all = self.probes.iter().zip(&self.values);
            let of_unit: Vec<_> = all.filter(|(probe, _)| probe.unit() == unit).collect();
            let name = match of_unit.as_slice() {
                [(only, _)] => only.name(),
                _ => quantity(unit),
            };
            let mut plot = Plot::new("")
                .x(Axis::linear("t", "s"))
                .y(Axis::linear(name, unit))
                .size(640.0, 300.0);
            for (probe, values) in of_unit {
                let points = self.t.iter().zip(values);
                let points: Vec<_> = points.filter_map(|(t, x)| Some((*t, (*x)?))).collect();
                plot = plot.line(probe.name(), &points);
            }
            sheet = sheet.plot(&plot);
        }
        sheet
    }

    fn json(&self) -> serde_json::Value {
        let each = self.probes.iter().zip(&self.values).map(|(probe, values)| {
            let range = Range::of(values);
            let of = |pick: fn(&Range) -> f64| range.as_ref().map(pick);
            serde_json::json!({
                "name": probe.name(),
                "unit": probe.unit(),
                "count": values.iter().flatten().count(),
                "last": of(|r| r.last),
                "min": of(|r| r.least),
                "max": of(|r| r.largest),
                "mean": of(|r| r.mean),
            })
        });
        serde_json::json!({ "times": self.t.len(), "series": each.collect::<Vec<_>>() })
    }
}

/// What several numbers of one unit are together.
fn quantity(unit: &str) -> &'static str {
    match unit {
        "m" => "length",
        "m/s" => "velocity",
        "m/s²" => "acceleration",
        "rad" => "angle",
        "rad/s" => "angular velocity",
        "N" => "force",
        "N m" => "torque",
        "J" => "energy",
        _ => "value",
    }
}

/// A field of a CSV.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
