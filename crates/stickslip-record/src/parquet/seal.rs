//! One number for a whole file: SHA-256 over every row of every table, the header, the scene and the summary.
//!
//! It shows that nothing has changed since the file was written; anyone can compute it anew, so it says nothing about who
//! wrote it. That is the judge's part: what was changed and sealed again must still obey the law.

use super::columns::{Data, Rows};
use super::tables::Texts;
use crate::hash::{Sha, hex};
use sha2::{Digest, Sha256};
use stickslip_model::stored;

/// What is hashed first.
const MARK: &[u8] = b"stickslip trajectory 2\n";

/// The rows of one table, hashed one after the other: for each value of a row, in the order of our columns, an integer or
/// real as its 8 bytes, little-endian; a text as its length (u64) and bytes; a flag as one byte.
#[derive(Clone, Debug, Default)]
pub(super) struct TableHash {
    sha: Sha,
    /// Room for a row.
    bytes: Vec<u8>,
}

stored!(TableHash { sha; bytes = Vec::new() });

impl TableHash {
    pub(super) fn add(&mut self, rows: &Rows, row: usize) {
        let bytes = &mut self.bytes;
        bytes.clear();
        for column in &rows.columns {
            match column {
                Data::Int(values) => bytes.extend(values[row].to_le_bytes()),
                Data::Real(values) => bytes.extend(values[row].to_bits().to_le_bytes()),
                Data::Text(values) => add_text(bytes, values[row].data()),
                Data::Flag(values) => bytes.push(u8::from(values[row])),
            }
        }
        self.sha.0.update(&self.bytes);
    }
}

fn add_text(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
}

/// The seal of tables with these texts, 64 hexadecimal digits: the mark, the header's JSON, the scene, the summary's JSON if
/// there is one (each with its length; 0 or 1 before the summary says whether), then the hash of each table, absent ones as
/// empty ones.
pub(super) fn seal<'h>(texts: &Texts, tables: impl Iterator<Item = &'h TableHash>) -> String {
    let mut bytes = MARK.to_vec();
    add_text(&mut bytes, texts.header.as_bytes());
    add_text(&mut bytes, texts.scene.as_bytes());
    bytes.push(u8::from(texts.summary.is_some()));
    add_text(
        &mut bytes,
        texts.summary.as_deref().unwrap_or("").as_bytes(),
    );
    for table in tables {
        bytes.extend(table.sha.0.clone().finalize());
    }
    hex(Sha256::digest(&bytes))
}
