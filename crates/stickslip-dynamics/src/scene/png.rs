//! Heights from PNG images (ISO/IEC 15948): grey, 8 or 16 bits, not interlaced.

/// Largest number of pixels: more than any mesh may have.
const MOST_PIXELS: usize = 4_000_000;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Rows of heights between 0 (black) and 1 (white), the lowest row of the image first, as y goes up.
pub(super) fn heights(bytes: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    let Some(mut rest) = bytes.strip_prefix(SIGNATURE) else {
        return Err("no PNG file".into());
    };
    let (mut head, mut data) = (None, Vec::new());
    loop {
        let (kind, content, after) = chunk(rest).ok_or("the PNG file is cut short")?;
        match kind {
            b"IHDR" => head = Some(Head::read(content)?),
            b"IDAT" => data.extend_from_slice(content),
            b"IEND" => break,
            _ => {}
        }
        rest = after;
    }
    let head = head.ok_or("the PNG file has no header")?;
    let size = head.height * (1 + head.row);
    let raw = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&data, size)
        .map_err(|_| "the PNG file's pixels cannot be unpacked")?;
    if raw.len() != size {
        return Err("the PNG file has not as many pixels as it says".into());
    }
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(head.height);
    let mut above = vec![0; head.row];
    for line in raw.chunks_exact(1 + head.row) {
        let mut row = line[1..].to_vec();
        unfilter(line[0], &mut row, &above, head.pixel)?;
        rows.push(head.heights(&row));
        above = row;
    }
    rows.reverse();
    Ok(rows)
}

struct Head {
    height: usize,
    /// Bytes of a pixel and of a row.
    pixel: usize,
    row: usize,
    deep: bool,
}

impl Head {
    fn read(content: &[u8]) -> Result<Self, String> {
        let &[a, b, c, d, e, f, g, h, bits, colour, _, _, interlaced] = content else {
            return Err("the PNG file's header has a wrong length".into());
        };
        let width = u32::from_be_bytes([a, b, c, d]) as usize;
        let height = u32::from_be_bytes([e, f, g, h]) as usize;
        if width.saturating_mul(height) > MOST_PIXELS {
            return Err(format!(
                "the image has {width} × {height} pixels; at most {MOST_PIXELS} can be used"
            ));
        }
        // Grey, or grey with an opacity, which says nothing about height.
        let channels = match (bits, colour, interlaced) {
            (8 | 16, 0, 0) => 1,
            (8 | 16, 4, 0) => 2,
            _ => {
                return Err(
                    "only grey images of 8 or 16 bits, not interlaced, can be read as heights"
                        .into(),
                );
            }
        };
        let pixel = channels * usize::from(bits / 8);
        Ok(Self {
            height,
            pixel,
            row: width * pixel,
            deep: bits == 16,
        })
    }

    fn heights(&self, row: &[u8]) -> Vec<f64> {
        row.chunks_exact(self.pixel)
            .map(|p| match (self.deep, p) {
                (true, [high, low, ..]) => f64::from(u16::from_be_bytes([*high, *low])) / 65535.0,
                (_, [grey, ..]) => f64::from(*grey) / 255.0,
                _ => 0.0,
            })
            .collect()
    }
}

/// Kind and content of the first chunk, and what follows it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let (content, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let (_checksum, rest) = rest.split_first_chunk::<4>()?;
    Some((kind, content, rest))
}

/// Undoes the filter of a row.
fn unfilter(filter: u8, row: &mut [u8], above: &[u8], pixel: usize) -> Result<(), String> {
    for k in 0..row.len() {
        let left = if k >= pixel { row[k - pixel] } else { 0 };
        let corner = if k >= pixel { above[k - pixel] } else { 0 };
        let up = above[k];
        let guess = match filter {
            0 => 0,
            1 => left,
            2 => up,
            3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
            4 => {
                // Of left, up and corner the one nearest to left + up − corner.
                let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
                let far = |x: u8| (estimate - i16::from(x)).abs();
                if far(left) <= far(up) && far(left) <= far(corner) {
                    left
                } else if far(up) <= far(corner) {
                    up
                } else {
                    corner
                }
            }
            _ => return Err(format!("the PNG file uses the unknown filter {filter}")),
        };
        row[k] = row[k].wrapping_add(guess);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG of 3 × 2 pixels with the given bits and colour type; rows with their filters in front.
    fn png(bits: u8, colour: u8, raw: &[u8]) -> Vec<u8> {
        let mut out = SIGNATURE.to_vec();
        let mut put = |kind: &[u8; 4], content: &[u8]| {
            out.extend((content.len() as u32).to_be_bytes());
            out.extend(kind);
            out.extend(content);
            out.extend([0; 4]);
        };
        put(b"IHDR", &[0, 0, 0, 3, 0, 0, 0, 2, bits, colour, 0, 0, 0]);
        put(b"tEXt", b"passed over");
        put(b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(raw, 6));
        put(b"IEND", &[]);
        out
    }

    #[test]
    fn grey_rows_with_every_filter() {
        // Wanted, from the top: 10 20 30 over 15 25 255.
        let top: [&[u8]; 2] = [&[0, 10, 20, 30], &[1, 10, 10, 10]];
        let bottom: [&[u8]; 4] = [
            &[0, 15, 25, 255],
            &[2, 5, 5, 225],
            &[3, 10, 8, 228],
            &[4, 5, 5, 225],
        ];
        for first in top {
            for second in bottom {
                let rows = heights(&png(8, 0, &[first, second].concat())).unwrap();
                let want = [[15, 25, 255], [10, 20, 30]].map(|r| r.map(|x| f64::from(x) / 255.0));
                assert_eq!(rows, want, "{second:?}");
            }
        }
        let deep = heights(&png(16, 0, &[0, 1, 0, 2, 0, 3, 0, 0, 255, 255, 0, 0, 0, 1])).unwrap();
        assert_eq!(deep[0], [1.0, 0.0, 1.0 / 65535.0]);
    }

    #[test]
    fn others_are_refused() {
        let good = png(8, 0, &[0, 1, 2, 3, 0, 1, 2, 3]);
        for (bytes, word) in [
            (b"GIF89a".to_vec(), "no PNG"),
            (good[..good.len() - 20].to_vec(), "cut short"),
            (png(8, 2, &[0; 20]), "grey"),
            (png(8, 0, &[0, 1, 2]), "pixels"),
            (png(8, 0, &[9, 1, 2, 3, 0, 1, 2, 3]), "filter 9"),
        ] {
            let error = heights(&bytes).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
