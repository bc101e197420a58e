//! Robots as files describe them: URDF and MJCF, read with line and column, as bodies, joints and a list of what was not understood.
//!
//! [`read()`] turns the text of a file into a [`Robot`]: bodies about their centres of mass at the start, joints with six axes between
//! them, names of frames, equations between joints, actuators. Everything in the file that is not used as it stands there is a
//! [`Note`] with its place; what cannot be is a [`RobotError`] with its place. This crate knows shapes and masses, but no scene
//! and no step: `stickslip-dynamics` makes scenes of robots.
//!
//! | file | holds |
//! |---|---|
//! | `xml.rs` | XML as a tree that knows places and what was asked for |
//! | `model.rs` | links with their freedoms: what both formats say |
//! | `urdf.rs`, `mjcf/` | the two readers |
//! | `simplify.rs` | links without mass, axes that do not meet |
//! | `combine.rs` | freedoms of a link as axes of one joint |
//! | `assemble.rs` | bodies, joints, frames |
//! | `colours.rs` | colours of links |
//! | `notes.rs` | what is known and has no effect, and what is missing here |
//!
//! ```
//! use stickslip_robots::{NoFiles, Options, read};
//!
//! let text = r#"<robot name="pendulum">
//!   <link name="base"/>
//!   <link name="rod">
//!     `<inertial>`
//!       <origin xyz="0 0 -0.5"/>
//!       <mass value="2"/>
//!       <inertia ixx="0.1" iyy="0.1" izz="0.01"/>
//!     </inertial>
//!   </link>
//!   <joint name="pivot" type="continuous">
//!     <parent link="base"/> <child link="rod"/>
//!     <axis xyz="0 1 0"/>
//!   </joint>
//! </robot>"#;
//! let options = Options { fixed_base: true, ..Options::default() };
//! let robot = read("pendulum.urdf", text, &NoFiles, &options)?;
//! assert_eq!(robot.bodies.len(), 1);
//! assert_eq!(robot.bodies[0].pose.position.z, -0.5);
//! # Ok::<(), Box<stickslip_robots::RobotError>>(())
//! ```

mod assemble;
mod colours;
mod combine;
mod files;
mod inertia;
mod meshes;
mod mjcf;
mod model;
mod notes;
mod overlaps;
mod place;
mod robot;
mod simplify;
mod urdf;
mod xml;

use glam::DVec3;

pub use assemble::Start;
pub use colours::Colour;
pub use files::{Files, NoFiles, Packages};
pub use model::{Actuator, Coupling, Drive, Geom, Inertial};
pub use overlaps::Overlap;
pub use place::{Note, Outcome, Place, Regard, RobotError, Source};
pub use robot::{Axis, Body, Coordinate, Frame, Joint, Kind, Robot};
pub use simplify::SHARE;
pub use urdf::MOST_LINKS;
pub use xml::{DEEPEST, MOST_BYTES, MOST_NODES};

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The root of a URDF model stays where it is; else it floats. MJCF says itself what floats.
    pub fixed_base: bool,
    /// What `package://` stands for.
    pub packages: Packages,
    /// Inertias that break the triangle inequality are taken as they are, each with a note; else they are refused.
    pub any_inertia: bool,
    /// The SRDF file beside the model whose disabled pairs count.
    pub srdf: Option<String>,
    /// Where the model starts.
    pub start: Start,
}

/// Is this text, by its first element, a model that [`read()`] knows?
#[must_use]
pub fn is_model(text: &str) -> bool {
    ["<robot", "<mujoco"].iter().any(|root| text.contains(root))
}

/// What a model says of the world around it, before it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The name of its first element: `robot` or `mujoco`.
    pub root: String,
    /// Gravity, m/s².
    pub gravity: Option<DVec3>,
    /// Length of a step, s.
    pub step: Option<f64>,
}

/// Root element, gravity and step of a model.
///
/// # Errors
/// Where the text is no XML, or a number is none.
pub fn head(file: &str, text: &str) -> Outcome<Head> {
    let root = xml::parse(file, text.into())?;
    let (mut gravity, mut step) = (None, None);
    for option in root.all("option") {
        if let Some(given) = option.get("timestep") {
            step = Some(given.positive()?);
        }
        if let Some(given) = option.get("gravity") {
            gravity = Some(given.vector()?);
        }
    }
    Ok(Head {
        root: root.tag,
        gravity,
        step,
    })
}

/// Reads a model: URDF where its root is `<robot>`, MJCF where it is `<mujoco>`. `file` is its name in messages.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(file: &str, text: &str, files: &dyn Files, options: &Options) -> Outcome<Robot> {
    let mut root = xml::parse(file, text.into())?;
    let model = match root.tag.as_str() {
        "robot" => {
            let mut model = urdf::read(&root, files, options)?;
            if let Some(name) = &options.srdf {
                let bytes = files.bytes(name).map_err(|e| root.error(e))?;
                let text = String::from_utf8_lossy(&bytes);
                urdf::disabled(&xml::parse(name, text.as_ref().into())?, &mut model)?;
            }
            model
        }
        "mujoco" if options.srdf.is_some() => {
            return Err(
                root.error("an SRDF file goes with URDF: here pairs are named by <exclude>")
            );
        }
        "mujoco" => mjcf::read(&mut root, files, options)?,
        other => {
            let message =
                format!("<{other}> is no model: URDF begins with <robot>, MJCF with <mujoco>");
            return Err(root.error(message));
        }
    };
    assemble::assemble(model, &options.start)
}
