//! Bytes as text (RFC 4648).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as base64, padded.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= group.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}

/// The bytes of a base64 text; `None` where it is none.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.as_bytes().chunks_exact(4);
    if !groups.remainder().is_empty() {
        return None;
    }
    for group in groups {
        let pads = group.iter().rev().take_while(|b| **b == b'=').count();
        let mut bits = 0_u32;
        for b in &group[..4 - pads.min(2)] {
            let value = DIGITS.iter().position(|d| d == b)?;
            bits = bits << 6 | value as u32;
        }
        bits <<= 6 * pads.min(2);
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - pads.min(2)]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(b"Man"), "TWFu");
        assert_eq!(encode(b"Ma"), "TWE=");
        let all: Vec<u8> = (0..=255).collect();
        for n in 0..=256 {
            assert_eq!(decode(&encode(&all[..n])).as_deref(), Some(&all[..n]));
        }
        assert_eq!(decode("a"), None);
        assert_eq!(decode("a*b="), None);
    }
}
