//! A small writer of HDF5 files: groups of contiguous datasets of integers, reals and texts.
//!
//! The oldest form of the format (HDF5 File Format Specification: superblock 0, B-tree and local heap groups,
//! object headers of version 1), which every reader understands, ours too.

use std::collections::BTreeMap;

/// What a dataset holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 32-bit signed integers.
    Integers(Vec<i32>),
    /// 64-bit reals.
    Reals(Vec<f64>),
    /// A text.
    Text(String),
}

/// Members of a group, by name; at most [`MOST_MEMBERS`].
pub type Group = BTreeMap<String, Node>;

/// A group or a dataset.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Members by name.
    Group(Group),
    /// Numbers or a text.
    Data(Data),
}

/// Members that one symbol node holds; a group has one.
pub const MOST_MEMBERS: usize = 8;

/// Half the number of entries of a group's tree node and of its symbol node, as in the superblock.
const TREE_K: usize = 16;
const LEAF_K: usize = MOST_MEMBERS / 2;

const NOWHERE: u64 = u64::MAX;

/// The bytes of a file whose root is `root`.
///
/// # Panics
/// If a group has more than [`MOST_MEMBERS`] members: groups are laid out by the program, not by its user.
#[must_use]
pub fn write(root: &Group) -> Vec<u8> {
    let mut out = Writer { bytes: vec![0; 96] };
    let (header, tree, heap) = out.group(root);
    let end = out.bytes.len() as u64;
    let mut block = Vec::from(*b"\x89HDF\r\n\x1a\n");
    // Versions, sizes of offsets and lengths, the two K, consistency flags.
    block.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    block.extend((LEAF_K as u16).to_le_bytes());
    block.extend((TREE_K as u16).to_le_bytes());
    block.extend([0; 4]);
    for address in [0, NOWHERE, end, NOWHERE, 0, header] {
        block.extend(address.to_le_bytes());
    }
    // The root's entry keeps the places of its tree and heap.
    block.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    block.extend(tree.to_le_bytes());
    block.extend(heap.to_le_bytes());
    out.bytes[..96].copy_from_slice(&block);
    out.bytes
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Appends a block at the next multiple of eight; returns its address.
    fn push(&mut self, block: &[u8]) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let address = self.bytes.len() as u64;
        self.bytes.extend_from_slice(block);
        address
    }

    /// Object header of version 1 with these messages.
    fn header(&mut self, messages: &[(u16, Vec<u8>)]) -> u64 {
        let mut body = Vec::new();
        for (kind, data) in messages {
            let size = data.len().next_multiple_of(8);
            body.extend(kind.to_le_bytes());
            body.extend((size as u16).to_le_bytes());
            body.extend([0; 4]);
            body.extend(data);
            body.resize(body.len() + size - data.len(), 0);
        }
        let mut block = vec![1, 0];
        block.extend((messages.len() as u16).to_le_bytes());
        block.extend(1_u32.to_le_bytes());
        block.extend((body.len() as u32).to_le_bytes());
        block.extend([0; 4]);
        block.extend(body);
        self.push(&block)
    }

    /// Members first, then heap of names, symbol node, tree and header: (header, tree, heap).
    fn group(&mut self, group: &Group) -> (u64, u64, u64) {
        assert!(group.len() <= MOST_MEMBERS, "a group with too many members");
        let mut names = vec![0; 8];
        let mut symbols = Vec::from(*b"SNOD\x01\x00");
        symbols.extend((group.len() as u16).to_le_bytes());
        let mut last = 0_u64;
        // A BTreeMap gives the names in the order of their bytes, as the format asks.
        for (name, node) in group {
            let mut cache = [0_u8; 24];
            let header = match node {
                Node::Group(members) => {
                    let (header, tree, heap) = self.group(members);
                    cache[0] = 1;
                    cache[8..16].copy_from_slice(&tree.to_le_bytes());
                    cache[16..].copy_from_slice(&heap.to_le_bytes());
                    header
                }
                Node::Data(data) => self.dataset(data),
            };
            last = names.len() as u64;
            names.extend(name.bytes());
            names.resize((names.len() + 1).next_multiple_of(8), 0);
            symbols.extend(last.to_le_bytes());
            symbols.extend(header.to_le_bytes());
            symbols.extend(cache);
        }
        symbols.resize(8 + 40 * MOST_MEMBERS, 0);
        let symbols = self.push(&symbols);
        let place = self.push(&names);
        let mut heap = Vec::from(*b"HEAP\x00\x00\x00\x00");
        // One says that the heap has no free room.
        for word in [names.len() as u64, 1, place] {
            heap.extend(word.to_le_bytes());
        }
        let heap = self.push(&heap);
        let mut tree = Vec::from(*b"TREE\x00\x00");
        tree.extend(u16::from(!group.is_empty()).to_le_bytes());
        for word in [NOWHERE, NOWHERE, 0, symbols, last] {
            tree.extend(word.to_le_bytes());
        }
        tree.resize(24 + 8 * (2 * TREE_K + 1) + 8 * (2 * TREE_K), 0);
        let tree = self.push(&tree);
        let table = [tree.to_le_bytes(), heap.to_le_bytes()].concat();
        (self.header(&[(0x11, table)]), tree, heap)
    }

    fn dataset(&mut self, data: &Data) -> u64 {
        let (kind, bytes, count) = match data {
            Data::Integers(v) => (
                // Class 0, little-endian and signed, 4 bytes, 32 bits from bit 0.
                vec![0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0],
                v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>(),
                Some(v.len()),
            ),
            Data::Reals(v) => (
                // Class 1, little-endian IEEE: sign at bit 63, 11 bits of exponent at 52, bias 1023.
                vec![
                    0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0,
                ],
                v.iter().flat_map(|x| x.to_le_bytes()).collect(),
                Some(v.len()),
            ),
            Data::Text(text) => {
                let mut bytes = Vec::from(text.as_bytes());
                bytes.push(0);
                // Class 3, ends in a zero, UTF-8.
                let mut kind = vec![0x13, 0x10, 0, 0];
                kind.extend((bytes.len() as u32).to_le_bytes());
                (kind, bytes, None)
            }
        };
        let mut space = vec![1, u8::from(count.is_some()), 0, 0, 0, 0, 0, 0];
        if let Some(count) = count {
            space.extend((count as u64).to_le_bytes());
        }
        let place = if bytes.is_empty() {
            NOWHERE
        } else {
            self.push(&bytes)
        };
        let mut layout = vec![3, 1];
        layout.extend(place.to_le_bytes());
        layout.extend((bytes.len() as u64).to_le_bytes());
        // No fill value: everything is written.
        let fill = vec![2, 2, 2, 0];
        self.header(&[(0x01, space), (0x03, kind), (0x05, fill), (0x08, layout)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hdf5::Hdf5File;

    #[test]
    fn what_is_written_is_read() {
        let data = |d| Node::Data(d);
        let inner: Group = [
            ("x".into(), data(Data::Reals(vec![1.5, -0.0, f64::MIN]))),
            ("i".into(), data(Data::Integers(vec![-1, 0, i32::MAX]))),
            ("none".into(), data(Data::Reals(vec![]))),
        ]
        .into();
        let root: Group = [
            ("group".into(), Node::Group(inner)),
            ("title".into(), data(Data::Text("ε".into()))),
        ]
        .into();
        let bytes = write(&root);
        let file = Hdf5File::new(&bytes).expect("a file");
        let paths: Vec<_> = file.paths().collect();
        assert_eq!(
            paths,
            [
                "",
                "/group",
                "/group/i",
                "/group/none",
                "/group/x",
                "/title"
            ]
        );
        assert_eq!(file.reals("/group/x"), Ok(vec![1.5, -0.0, f64::MIN]));
        assert_eq!(
            file.integers("/group/i"),
            Ok(vec![-1, 0, i64::from(i32::MAX)])
        );
        assert_eq!(file.reals("/group/none"), Ok(vec![]));
    }
}
