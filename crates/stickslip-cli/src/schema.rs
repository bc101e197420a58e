//! `stickslip schema`: the scene format as JSON Schema.

use stickslip::dynamics::scene;
use stickslip_console::{Failure, Verdict, print};

/// Print the JSON Schema of scene files
///
/// Example: stickslip schema > scene.schema.json
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print it on one line
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let schema = scene::schema();
        print(&if self.json {
            schema.to_string()
        } else {
            format!("{schema:#}")
        })?;
        Ok(Verdict::Good)
    }
}
