//! `stickslip view`: a recorded run as one page to look at.

use crate::options::writable;
use serde_json::json;
use std::path::{Path, PathBuf};
use stickslip::dynamics::check::world_in;
use stickslip::record::Reader;
use stickslip::record::files::replace;
use stickslip_console::{Failure, Verdict, print, print_json};
use stickslip_view::{Film, Sample};

/// Write a trajectory as one HTML page with a 3D view
///
/// The page is one file without anything to fetch: it opens from disk, in any browser with WebGL 2. With a second trajectory both
/// are on it: the second as if of glass over the first, at the same time, and dashed in the plots.
///
/// Example: stickslip view stack.parquet -o stack.html
///
/// Example: stickslip view coarse.parquet fine.parquet -o both.html
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A trajectory written by `stickslip run … -o FILE.parquet`
    trajectory: PathBuf,
    /// Another one, to compare the first with
    second: Option<PathBuf>,
    /// Page to write (default: the name of the trajectory with .html)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let output = self
            .output
            .clone()
            .unwrap_or_else(|| self.trajectory.with_extension("html"));
        if !output
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("html"))
        {
            return Err(Failure::Input(format!(
                "{}: a page must end in .html",
                output.display()
            )));
        }
        writable(&output)?;
        with_film(&self.trajectory, &[], |film| {
            let page = match &self.second {
                None => film.page(),
                Some(path) => with_film(path, &[], |second| Ok(film.page_beside(second)))?,
            };
            replace(&output, page.as_bytes()).map_err(|e| Failure::unwritten(&output, e))?;
            if self.json {
                let file = output.display().to_string();
                return print_json(&json!({ "file": file, "bytes": page.len() }));
            }
            let megabytes = page.len() as f64 / 1e6;
            print(&format!("{} ({megabytes:.2} MB)", output.display()))
        })?;
        Ok(Verdict::Good)
    }
}

/// Opens a trajectory, rebuilds its bodies from the scene text inside, and hands on what is seen of it.
///
/// Of a long run as much is held as there is room for; the frames about these `times` (s) in any case.
pub(crate) fn with_film<T>(
    path: &Path,
    times: &[f64],
    show: impl FnOnce(&Film<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("csv"))
    {
        return Err(Failure::Input(format!(
            "{}: a CSV holds no shapes, so nothing can be seen of it; record the run with -o NAME.parquet",
            path.display()
        )));
    }
    let mut reader = Reader::open(path)?;
    let mut sample = Sample::default().with_times(times);
    sample.begin(&reader.header);
    for frame in reader.by_ref() {
        sample.add(frame?);
    }
    let mut warnings = reader.warnings.clone();
    warnings.extend(reader.seal().warning());
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    sample.end(reader.summary.clone(), warnings);
    let (scene, world) = world_in(&reader.header)?;
    let title = if scene.title.is_empty() {
        reader.header.scene_file.clone()
    } else {
        scene.title
    };
    let film = Film::of(world.model(), &sample)
        .map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?
        .titled(title);
    show(&film)
}
