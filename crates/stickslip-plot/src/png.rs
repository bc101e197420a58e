//! PNG files: 8 bits a channel, no interlace (ISO/IEC 15948).

/// Width · height · 3 bytes of colour, row by row from the top, as a PNG file.
pub(crate) fn encode(width: usize, height: usize, rgb: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend((width as u32).to_be_bytes());
    head.extend((height as u32).to_be_bytes());
    head.extend([8, 2, 0, 0, 0]); // 8 bits, red green blue, deflate, filters by row, no interlace
    chunk(&mut out, b"IHDR", &head);
    let row = 3 * width;
    let mut raw = Vec::with_capacity((row + 1) * height);
    for y in 0..height {
        // Filter 2: each byte minus the one above. Plots have many equal rows.
        raw.push(2);
        for x in 0..row {
            let above = if y > 0 { rgb[(y - 1) * row + x] } else { 0 };
            raw.push(rgb[y * row + x].wrapping_sub(above));
        }
    }
    chunk(
        &mut out,
        b"IDAT",
        &miniz_oxide::deflate::compress_to_vec_zlib(&raw, 6),
    );
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let from = out.len();
    out.extend(kind);
    out.extend(data);
    let sum = crc32(&out[from..]);
    out.extend(sum.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|k| {
        (0..8).fold(k as u32, |c, _| {
            if c & 1 == 1 {
                0xedb8_8320 ^ (c >> 1)
            } else {
                c >> 1
            }
        })
    });
    !bytes.iter().fold(!0u32, |c, b| {
        table[((c ^ u32::from(*b)) & 255) as usize] ^ (c >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn pixels_come_back() {
        let rgb: Vec<u8> = (0..2 * 3 * 3).map(|k| (k * 37) as u8).collect();
        let png = encode(2, 3, &rgb);
        let at = png.windows(4).position(|w| w == b"IDAT").unwrap();
        let length = u32::from_be_bytes(png[at - 4..at].try_into().unwrap()) as usize;
        let raw =
            miniz_oxide::inflate::decompress_to_vec_zlib(&png[at + 4..at + 4 + length]).unwrap();
        let mut back = vec![0u8; 18];
        for y in 0..3 {
            assert_eq!(raw[y * 7], 2);
            for x in 0..6 {
                let above = if y > 0 { back[(y - 1) * 6 + x] } else { 0 };
                back[y * 6 + x] = raw[y * 7 + 1 + x].wrapping_add(above);
            }
        }
        assert_eq!(back, rgb);
    }
}
