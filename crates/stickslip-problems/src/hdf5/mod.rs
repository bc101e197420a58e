//! HDF5 files, as far as FCLIB's problems need them: groups of plain datasets, read from memory and written to it.

mod read;
mod write;

pub use read::{Hdf5Error, Hdf5File};
pub use write::{Data, Group, MOST_MEMBERS, Node, write};
