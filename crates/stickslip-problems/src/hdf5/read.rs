//! A small reader of HDF5 files: old-style groups, contiguous or compact datasets of numbers.
//!
//! What the FCLIB collection uses and no more (HDF5 File Format Specification, version 1.1 objects:
//! superblock 0 or 1, B-tree and local heap groups, object headers of version 1). Every offset is
//! checked against the file, no allocation is larger than the file, and everything else is refused
//! with a word on what was found.

use std::collections::BTreeMap;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hdf5Error {
    /// The bytes do not follow the format where they must.
    #[error("not a readable HDF5 file: {0}")]
    Malformed(String),
    /// A part of the format that this reader leaves out.
    #[error("HDF5 feature not supported: {0}")]
    Unsupported(String),
    /// No object of that name.
    #[error("the file has no `{0}`")]
    Missing(String),
}

fn malformed<T>(what: impl Into<String>) -> Result<T, Hdf5Error> {
    Err(Hdf5Error::Malformed(what.into()))
}

/// A file in memory, its objects found by path.
#[derive(Clone, Debug)]
pub struct Hdf5File<'a> {
    bytes: &'a [u8],
    /// Object header address of each path ("/" first, no slash at the end).
    objects: BTreeMap<String, usize>,
}

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Groups within groups and objects in a file beyond this are taken for damage.
const DEEPEST: usize = 32;
const MOST_OBJECTS: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Integer { size: usize, signed: bool },
    Real { size: usize },
}

/// Place and kind of a dataset's numbers.
#[derive(Clone, Copy, Debug)]
struct Dataset {
    kind: Number,
    start: usize,
    count: usize,
}

impl<'a> Hdf5File<'a> {
    /// Reads the structure of a file.
    ///
    /// # Errors
    /// [`Hdf5Error`] where the bytes are no such file.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Hdf5Error> {
        let mut file = Self {
            bytes,
            objects: BTreeMap::new(),
        };
        if bytes.get(..8) != Some(SIGNATURE) {
            return malformed("the signature is missing");
        }
        let version = file.byte(8)?;
        if version > 1 {
            return Err(Hdf5Error::Unsupported(format!(
                "superblock version {version}"
            )));
        }
        if file.byte(13)? != 8 || file.byte(14)? != 8 {
            return Err(Hdf5Error::Unsupported(
                "offsets that are not 8 bytes".into(),
            ));
        }
        // Version 1 has four bytes more before the addresses.
        let addresses = if version == 0 { 24 } else { 28 };
        if file.number(addresses, 8)? != 0 {
            return Err(Hdf5Error::Unsupported("base address not zero".into()));
        }
        let root = file.address(addresses + 32 + 8)?;
        file.walk(root, String::new(), 0)?;
        Ok(file)
    }

    /// Paths of all objects, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.objects.keys().map(String::as_str)
    }

    /// Whether there is an object of that path.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.objects.contains_key(path)
    }

    /// The numbers of a dataset as f64.
    ///
    /// # Errors
    /// [`Hdf5Error`] where it is missing, cut off or of another kind.
    pub fn reals(&self, path: &str) -> Result<Vec<f64>, Hdf5Error> {
        let data = self.dataset(path)?;
        let Number::Real { size } = data.kind else {
            return Ok(self.integers(path)?.into_iter().map(|v| v as f64).collect());
        };
        let end = data.start + data.count * size;
        let bytes = &self.bytes[data.start..end];
        let as_f64 = |b: &[u8]| {
            let mut raw = [0; 8];
            raw[..size].copy_from_slice(b);
            if size == 8 {
                f64::from_le_bytes(raw)
            } else {
                f64::from(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]))
            }
        };
        Ok(bytes.chunks_exact(size).map(as_f64).collect())
    }

    /// The integers of a dataset.
    ///
    /// # Errors
    /// [`Hdf5Error`] where it is missing, cut off or not of integers.
    pub fn integers(&self, path: &str) -> Result<Vec<i64>, Hdf5Error> {
        let data = self.dataset(path)?;
        let Number::Integer { size, signed } = data.kind else {
            return malformed(format!("`{path}` does not hold integers"));
        };
        let end = data.start + data.count * size;
        let as_i64 = |b: &[u8]| {
            let negative = signed && b[size - 1] & 0x80 != 0;
            let mut raw = [if negative { 0xff } else { 0 }; 8];
            raw[..size].copy_from_slice(b);
            i64::from_le_bytes(raw)
        };
        Ok(self.bytes[data.start..end]
            .chunks_exact(size)
            .map(as_i64)
            .collect())
    }

    fn slice(&self, at: usize, len: usize) -> Result<&'a [u8], Hdf5Error> {
        at.checked_add(len)
            .and_then(|end| self.bytes.get(at..end))
            .map_or_else(
                || malformed(format!("the file ends before byte {at} + {len}")),
                Ok,
            )
    }

    fn byte(&self, at: usize) -> Result<u8, Hdf5Error> {
        Ok(self.slice(at, 1)?[0])
    }

    /// Little-endian unsigned number of `size` bytes (at most 8).
    fn number(&self, at: usize, size: usize) -> Result<u64, Hdf5Error> {
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(self.slice(at, size)?);
        Ok(u64::from_le_bytes(raw))
    }

    /// An address or length, which must lie in the file.
    fn address(&self, at: usize) -> Result<usize, Hdf5Error> {
        let v = self.number(at, 8)?;
        match usize::try_from(v) {
            Ok(v) if v <= self.bytes.len() => Ok(v),
            _ => malformed(format!("byte {at} points to {v}, outside the file")),
        }
    }

    /// Messages (kind, start, length) of an object header of version 1.
    fn messages(&self, header: usize) -> Result<Vec<(u16, usize, usize)>, Hdf5Error> {
        let version = self.byte(header)?;
        if version != 1 {
            return Err(Hdf5Error::Unsupported(format!(
                "object header at {header} of version {version}"
            )));
        }
        let most = self.number(header + 2, 2)? as usize;
        let mut blocks = vec![(header + 16, self.number(header + 8, 4)? as usize)];
        let mut out = Vec::new();
        let mut next = 0;
        while next < blocks.len() && blocks.len() <= 64 {
            let (mut at, len) = blocks[next];
            next += 1;
            self.slice(at, len)?;
            let end = at + len;
            while at + 8 <= end && out.len() < most {
                let kind = self.number(at, 2)? as u16;
                let size = self.number(at + 2, 2)? as usize;
                self.slice(at + 8, size)?;
                if kind == 0x10 {
                    blocks.push((self.address(at + 8)?, self.address(at + 16)?));
                }
                out.push((kind, at + 8, size));
                at += 8 + size;
            }
        }
        Ok(out)
    }

    /// Registers the object at `header` under `path` and, where it is a group, all below it.
    fn walk(&mut self, header: usize, path: String, depth: usize) -> Result<(), Hdf5Error> {
        if depth > DEEPEST || self.objects.len() > MOST_OBJECTS {
            return malformed("groups nest too deeply or are too many");
        }
        let table = self
            .messages(header)?
            .into_iter()
            .find(|m| m.0 == 0x11)
            .map(|m| m.1);
        self.objects.insert(path.clone(), header);
        let Some(at) = table else { return Ok(()) };
        let (tree, heap) = (self.address(at)?, self.address(at + 8)?);
        if self.slice(heap, 4)? != b"HEAP" {
            return malformed(format!("no heap at {heap}"));
        }
        let names = self.address(heap + 24)?;
        let mut nodes = vec![tree];
        let mut seen = 0;
        while let Some(node) = nodes.pop() {
            seen += 1;
            if seen > MOST_OBJECTS {
                return malformed("a group's tree does not end");
            }
            match self.slice(node, 4)? {
                b"TREE" => {
                    if self.byte(node + 4)? != 0 {
                        return malformed(format!("tree at {node} is not a group's"));
                    }
                    let used = self.number(node + 6, 2)? as usize;
                    for k in 0..used {
                        nodes.push(self.address(node + 32 + 16 * k)?);
                    }
                }
                b"SNOD" => {
                    let count = self.number(node + 6, 2)? as usize;
                    for k in 0..count {
                        let entry = node + 8 + 40 * k;
                        let name = self.name(names + self.address(entry)?)?;
                        let header = self.address(entry + 8)?;
                        self.walk(header, format!("{path}/{name}"), depth + 1)?;
                    }
                }
                _ => return malformed(format!("no tree node at {node}")),
            }
        }
        Ok(())
    }

    /// Name that ends in a zero byte.
    fn name(&self, at: usize) -> Result<String, Hdf5Error> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match rest.iter().take(256).position(|&b| b == 0) {
            Some(n) => Ok(String::from_utf8_lossy(&rest[..n]).into_owned()),
            None => malformed(format!("a name at {at} does not end")),
        }
    }

    fn dataset(&self, path: &str) -> Result<Dataset, Hdf5Error> {
        let header = *self
            .objects
            .get(path)
            .ok_or_else(|| Hdf5Error::Missing(path.into()))?;
        let (mut count, mut kind, mut place) = (None, None, None);
        for (message, at, size) in self.messages(header)? {
            match message {
                0x01 => count = Some(self.element_count(at)?),
                0x03 => kind = Some(self.number_kind(path, at)?),
                0x08 => place = Some(self.layout(path, at, size)?),
                0x0b => {
                    return Err(Hdf5Error::Unsupported(format!("filters on `{path}`")));
                }
                _ => {}
            }
        }
        let (Some(count), Some(kind), Some((start, len))) = (count, kind, place) else {
            return malformed(format!("`{path}` is not a dataset"));
        };
        let size = match kind {
            Number::Integer { size, .. } | Number::Real { size } => size,
        };
        let Some(bytes) = count.checked_mul(size) else {
            return malformed(format!("`{path}` claims {count} elements"));
        };
        if bytes > len {
            return malformed(format!(
                "`{path}` claims {bytes} bytes where {len} are stored"
            ));
        }
        if count > 0 {
            self.slice(start, bytes)?;
        }
        let start = if count == 0 { 0 } else { start };
        Ok(Dataset { kind, start, count })
    }

    fn element_count(&self, at: usize) -> Result<usize, Hdf5Error> {
        let (version, rank) = (self.byte(at)?, self.byte(at + 1)? as usize);
        let dims = match version {
            1 => at + 8,
            2 => at + 4,
            _ => {
                return Err(Hdf5Error::Unsupported(format!(
                    "dataspace version {version}"
                )));
            }
        };
        let mut count: u64 = 1;
        for k in 0..rank {
            count = match count.checked_mul(self.number(dims + 8 * k, 8)?) {
                Some(v) => v,
                None => return malformed("a dataset's dimensions overflow"),
            };
        }
        usize::try_from(count).map_or_else(|_| malformed("a dataset is too large"), Ok)
    }

    fn number_kind(&self, path: &str, at: usize) -> Result<Number, Hdf5Error> {
        let class = self.byte(at)? & 0x0f;
        let flags = self.byte(at + 1)?;
        let size = self.number(at + 4, 4)? as usize;
        if flags & 1 != 0 {
            return Err(Hdf5Error::Unsupported(format!("`{path}` is big-endian")));
        }
        match (class, size) {
            (0, 1 | 2 | 4 | 8) => Ok(Number::Integer {
                size,
                signed: flags & 8 != 0,
            }),
            (1, 4 | 8) => Ok(Number::Real { size }),
            _ => Err(Hdf5Error::Unsupported(format!(
                "`{path}` has elements of class {class} and {size} bytes"
            ))),
        }
    }

    /// Start and length of the data in the file.
    fn layout(&self, path: &str, at: usize, size: usize) -> Result<(usize, usize), Hdf5Error> {
        let version = self.byte(at)?;
        let (class, place) = match version {
            1 | 2 => (self.byte(at + 2)?, at + 8),
            3 => (self.byte(at + 1)?, at + 2),
            _ => return Err(Hdf5Error::Unsupported(format!("layout version {version}"))),
        };
        match (class, version) {
            (0, 3) => {
                let len = self.number(place, 2)? as usize;
                if len + 4 > size {
                    return malformed(format!("`{path}` is cut off"));
                }
                Ok((place + 2, len))
            }
            (1, _) => {
                let start = self.number(place, 8)?;
                if start == u64::MAX {
                    // No storage was ever given to it.
                    return Ok((0, 0));
                }
                let start = self.address(place)?;
                let len = if version == 3 {
                    self.address(place + 8)?
                } else {
                    self.bytes.len() - start
                };
                Ok((start, len))
            }
            _ => Err(Hdf5Error::Unsupported(format!(
                "`{path}` is not stored contiguously (layout class {class})"
            ))),
        }
    }
}
