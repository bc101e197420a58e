//! `stickslip convert`: a model or a scene, written out as a scene file.

use crate::model::ModelArgs;
use crate::options::overrides;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use stickslip::prelude::World;
use stickslip::record::files::{replace, same};
use stickslip_console::{Failure, Verdict, print};

/// Write a model or a scene out as a scene file: exactly what was understood
///
/// Formulas are evaluated, counted bodies written one by one, included models resolved; what was not understood of a model is listed
/// with its place.
///
/// Example: stickslip convert robot.urdf --fixed-base -o robot.toml
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model (.urdf, .xml, .mjcf) or a scene file
    model: PathBuf,
    /// The scene file to write; standard output without it
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Set a parameter of the scene or a key such as step.h (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Read files also outside the folder of the model or scene
    #[arg(long)]
    allow_outside: bool,
    #[command(flatten)]
    how: ModelArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let wrong =
            |path: &Path, why: &dyn Display| Failure::Input(format!("{}: {why}", path.display()));
        if let Some(path) = self.output.iter().find(|path| same(path, &self.model)) {
            let why =
                "this is what is to be converted, formulas and notes in it; choose another file";
            return Err(wrong(path, &why));
        }
        let scene = self
            .how
            .read(&self.model, &overrides(&self.set, &[])?, self.allow_outside)?;
        // What cannot be simulated is refused here and not by the next command.
        World::from_scene(&scene)?;
        let text = scene.to_toml();
        match &self.output {
            None => print(&text)?,
            Some(path) => replace(path, text.as_bytes()).map_err(|e| wrong(path, &e))?,
        }
        Ok(Verdict::Good)
    }
}
