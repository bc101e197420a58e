//! Arrays in a page: their bytes sorted by significance, deflated, base64.
//!
//! An array `[component][frame][item]` of 4-byte numbers is written as all first bytes, then all second bytes,
//! and so on: what stays the same from one frame to the next is found by the compression at once.

use serde_json::{Value, json};

/// Arrays under their names, for `page/data.js` to read.
#[derive(Default)]
pub(crate) struct Pack {
    list: Vec<Value>,
    bytes: Vec<u8>,
}

/// One array, compressed.
pub(crate) struct Block {
    name: &'static str,
    kind: &'static str,
    length: usize,
    bytes: Vec<u8>,
}

impl Block {
    fn new<const N: usize>(
        name: &'static str,
        kind: &'static str,
        values: impl ExactSizeIterator<Item = [u8; N]> + Clone,
    ) -> Self {
        let length = values.len();
        let mut planes = Vec::with_capacity(N * length);
        for k in 0..N {
            planes.extend(values.clone().map(|v| v[k]));
        }
        let bytes = miniz_oxide::deflate::compress_to_vec_zlib(&planes, 6);
        Self {
            name,
            kind,
            length,
            bytes,
        }
    }

    pub(crate) fn f64(name: &'static str, values: &[f64]) -> Self {
        Self::new(name, "f64", values.iter().map(|v| v.to_le_bytes()))
    }

    pub(crate) fn f32(name: &'static str, values: &[f32]) -> Self {
        Self::new(name, "f32", values.iter().map(|v| v.to_le_bytes()))
    }

    pub(crate) fn u32(name: &'static str, values: &[u32]) -> Self {
        Self::new(name, "u32", values.iter().map(|v| v.to_le_bytes()))
    }

    pub(crate) fn u8(name: &'static str, values: &[u8]) -> Self {
        Self::new(name, "u8", values.iter().map(|v| [*v]))
    }

    /// Compressed size.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl Pack {
    pub(crate) fn add(&mut self, block: &Block) {
        self.list.push(json!({
            "name": block.name, "kind": block.kind, "length": block.length, "bytes": block.bytes.len(),
        }));
        self.bytes.extend(&block.bytes);
    }

    /// The list of arrays, and all their bytes in base64.
    pub(crate) fn finish(self) -> (Value, String) {
        (Value::Array(self.list), stickslip_plot::base64(&self.bytes))
    }
}

/// The number with its significand rounded to `bits` bits: what is left compresses better.
pub(crate) fn rounded(value: f32, bits: u32) -> f32 {
    let drop = 23u32.saturating_sub(bits);
    if drop == 0 || !value.is_finite() {
        return value;
    }
    let half = 1u32 << (drop - 1);
    let up = f32::from_bits((value.to_bits() + half) & !((1u32 << drop) - 1));
    if up.is_finite() { up } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        for bits in [8, 12, 23] {
            for value in [0.0f32, 1.0, -3.7e-5, 1.999_999, f32::MAX, 1e-40] {
                let error = (rounded(value, bits) - value).abs();
                assert!(
                    error <= value.abs() * 0.5f32.powi(bits as i32 + 1) + f32::MIN_POSITIVE,
                    "{value} {bits}"
                );
            }
        }
    }

    #[test]
    fn repeated_frames_cost_next_to_nothing() {
        let frame: Vec<f32> = (0..1000).map(|k| (k as f32 * 0.7).sqrt()).collect();
        let film: Vec<f32> = frame.iter().cycle().take(300_000).copied().collect();
        assert!(Block::f32("x", &film).size() < 30_000);
    }
}
