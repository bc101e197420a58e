//! What a run needs, beside the rows that are saved, to go on from them with the same bits and to the same files.
//!
//! It lies in each part (`checkpoint`), and in the metadata of the steps (`stickslip.checkpoint`, base64) where a run ended early.
//! Rows may have been saved after it was made: they are left out when the run goes on, which makes them again.

use super::seal::TableHash;
use crate::error::RecordError;
use sha2::{Digest, Sha256};
use std::path::Path;
use stickslip_model::bytes::Stored;
use stickslip_model::{BodyState, stored};

/// Where the writer of a trajectory stood, and what the run gave it to keep.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// Number of the group of rows that was being filled.
    pub(super) group: u64,
    /// Rows of each table in the groups before it, and in it.
    pub(super) closed: [u64; 4],
    pub(super) open: [u64; 4],
    /// Of all these rows.
    pub(super) hashes: Vec<TableHash>,
    /// Number, time and states of the last step that was recorded.
    pub(super) step: u64,
    pub(super) t: f64,
    pub(super) bodies: Vec<BodyState>,
    /// What the run remembers.
    pub(super) memory: Vec<u8>,
}

stored!(Checkpoint {
    group,
    closed,
    open,
    hashes,
    step,
    t,
    bodies,
    memory
});

/// How the bytes begin; the program's version says how the rest is laid out.
const HEAD: &str = "stickslip checkpoint ";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// SHA-256 of all before it stands at the end.
const DIGEST: usize = 32;

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{HEAD}{VERSION}\n").into_bytes();
        self.put(&mut bytes);
        let digest = Sha256::digest(&bytes);
        bytes.extend(digest);
        bytes
    }

    /// From the bytes that [`Checkpoint::to_bytes`] gave; `path` is for messages.
    pub(super) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, RecordError> {
        let damaged = || RecordError::Damaged {
            path: path.to_path_buf(),
            reason: "what the run needs to go on is not as it was written".into(),
        };
        let (body, digest) = (bytes.len().checked_sub(DIGEST))
            .map(|n| bytes.split_at(n))
            .ok_or_else(damaged)?;
        if Sha256::digest(body)[..] != *digest {
            return Err(damaged());
        }
        let rest = body.strip_prefix(HEAD.as_bytes()).ok_or_else(damaged)?;
        let line = rest.iter().position(|b| *b == b'\n').ok_or_else(damaged)?;
        let (version, rest) = rest.split_at(line);
        if version != VERSION.as_bytes() {
            let found = String::from_utf8_lossy(version);
            return Err(RecordError::Unresumable {
                path: path.to_path_buf(),
                reason: format!(
                    "it was written by version {found}, and only that goes on with it to the same bits (this is {VERSION})"
                ),
            });
        }
        let mut rest = &rest[1..];
        let checkpoint = Self::take(&mut rest).ok_or_else(damaged)?;
        if rest.is_empty() && checkpoint.hashes.len() == 4 {
            Ok(checkpoint)
        } else {
            Err(damaged())
        }
    }
}
