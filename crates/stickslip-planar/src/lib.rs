//! All accelerations of a planar rigid body in multiple frictional contact.
//!
//! Given a rigid planar body that touches fixed obstacles at several points, a velocity and an applied force and torque:
//! which accelerations do Newton's and Coulomb's laws allow? There may be none, one, several, or a continuum. [`solve()`]
//! returns all of them, with the contact mode and forces of each and the reason why every other hypothesis fails.
//!
//! The method is Erdmann's (Multiple-Point Contact with Friction: Computing Forces and Motions in Configuration Space):
//! friction cones live in the space of generalised forces (F_x, F_y, τ/ρ), several contacts add up to the sum of their
//! cones, and a reaction is found by projecting along the directions in which the body can still move. "The document"
//! in comments is that article; section and equation numbers are its own.
//!
//! ```
//! use stickslip_planar::{Contact, Options, State, solve};
//!
//! // A block on three feet is pushed sideways, harder than friction holds.
//! let mut state = State::new(1.0, 1.0);
//! state.contacts = [[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0]]
//!     .map(|r| Contact::new([0.0, 1.0], r, 0.25))
//!     .to_vec();
//! state.force = [0.6, -1.0, 0.0];
//! let answer = solve(&state, &Options::default())?;
//! let a = answer.sets[0].acceleration().unwrap();
//! assert!((a[0] - 0.35).abs() < 1e-12);
//! assert_eq!(answer.sets[0].mode, "rrr");
//! # Ok::<(), stickslip_planar::StateError>(())
//! ```

mod cone;
mod contact;
pub mod figure;
mod flats;
mod forces;
mod json;
mod kinematics;
mod line;
mod mode_map;
mod modes;
mod notes;
mod plane;
mod read;
mod region;
pub mod report;
mod single;
mod solve;
mod state;
pub mod table;
mod trace;
mod vec3;

pub use cone::Cone;
pub use contact::{Coefficients, Contact, ContactKind, Frame};
pub use forces::{ContactForce, ForceSet, forces};
pub use json::json;
pub use mode_map::{Axis, MapOptions, ModeMap, ModeRegion, Square, label, mode_map};
pub use modes::{MODES_CAP, closed_modes};
pub use notes::Note;
pub use region::Region;
pub use single::{Reaction, two_projections};
pub use solve::{EXHAUSTIVE_CAP, Options, Solution, Solutions, Status, SubsetCount, solve};
pub use state::{State, StateError};
pub use trace::{Hypothesis, Piece, Place, Reason, Verdict};
pub use vec3::V3;
