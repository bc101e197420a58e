//! PNG files: 8 bits a channel, no interlace (ISO/IEC 15948).

/// Width · height · 3 bytes of colour, row by row from the top, as a PNG file.
pub(crate) fn encode(width: usize, height: usize, rgb: &[u8]) -> Vec<u8> {
    let mut out = head(width, height);
    let all = Part::all(width, height);
    chunk(&mut out, b"IDAT", &all.compressed(width, rgb));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// Pictures of one size, one after the other for so many milliseconds each, again and again: an animated PNG. Programs that know no such thing
/// show the first. Of each picture only the part that differs from the one before is kept.
pub(crate) fn encode_moving(
    width: usize,
    height: usize,
    pictures: impl Iterator<Item = Vec<u8>>,
    milliseconds: u16,
) -> Vec<u8> {
    let (mut body, mut count, mut number) = (Vec::new(), 0u32, 0u32);
    let mut before: Option<Vec<u8>> = None;
    for rgb in pictures {
        let part = match &before {
            None => Part::all(width, height),
            Some(before) => Part::changed(width, height, before, &rgb),
        };
        chunk(&mut body, b"fcTL", &part.control(number, milliseconds));
        number += 1;
        let data = part.compressed(width, &rgb);
        if count == 0 {
            chunk(&mut body, b"IDAT", &data);
        } else {
            let numbered = [&number.to_be_bytes()[..], &data].concat();
            chunk(&mut body, b"fdAT", &numbered);
            number += 1;
        }
        count += 1;
        before = Some(rgb);
    }
    let mut out = head(width, height);
    let control = [count, 0].map(u32::to_be_bytes).concat();
    chunk(&mut out, b"acTL", &control);
    out.extend(body);
    chunk(&mut out, b"IEND", &[]);
    out
}

/// A rectangle of a picture: columns and rows.
struct Part {
    x: std::ops::Range<usize>,
    y: std::ops::Range<usize>,
}

impl Part {
    const fn all(width: usize, height: usize) -> Self {
        Self {
            x: 0..width,
            y: 0..height,
        }
    }

    /// The smallest that holds every pixel that differs; one pixel where none does, for there must be one.
    fn changed(width: usize, height: usize, before: &[u8], rgb: &[u8]) -> Self {
        let mut part = Self {
            x: width..0,
            y: height..0,
        };
        let pixels = before.chunks_exact(3).zip(rgb.chunks_exact(3));
        for (k, _) in pixels.enumerate().filter(|(_, (a, b))| a != b) {
            let (x, y) = (k % width, k / width);
            part.x = part.x.start.min(x)..part.x.end.max(x + 1);
            part.y = part.y.start.min(y)..part.y.end.max(y + 1);
        }
        if part.x.is_empty() {
            Self::all(1, 1)
        } else {
            part
        }
    }

    /// Number, size, place, delay as a fraction of a second; nothing is cleared or blended.
    fn control(&self, number: u32, milliseconds: u16) -> Vec<u8> {
        let places = [self.x.len(), self.y.len(), self.x.start, self.y.start].map(|v| v as u32);
        let mut out: Vec<u8> = std::iter::once(number)
            .chain(places)
            .flat_map(u32::to_be_bytes)
            .collect();
        out.extend([milliseconds, 1000].map(u16::to_be_bytes).concat());
        out.extend([0, 0]);
        out
    }

    /// Its pixels, out of a picture of this width.
    fn compressed(&self, width: usize, rgb: &[u8]) -> Vec<u8> {
        let row = 3 * self.x.len();
        let at = |y: usize, k: usize| rgb[3 * (y * width + self.x.start) + k];
        let mut raw = Vec::with_capacity((row + 1) * self.y.len());
        for y in self.y.clone() {
            // Filter 2: each byte minus the one above. Plots have many equal rows.
            raw.push(2);
            for k in 0..row {
                let above = if y > self.y.start { at(y - 1, k) } else { 0 };
                raw.push(at(y, k).wrapping_sub(above));
            }
        }
        miniz_oxide::deflate::compress_to_vec_zlib(&raw, 6)
    }
}

fn head(width: usize, height: usize) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend((width as u32).to_be_bytes());
    head.extend((height as u32).to_be_bytes());
    head.extend([8, 2, 0, 0, 0]); // 8 bits, red green blue, deflate, filters by row, no interlace
    chunk(&mut out, b"IHDR", &head);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let from = out.len();
    out.extend(kind);
    out.extend(data);
    let sum = crc32fast::hash(&out[from..]);
    out.extend(sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32fast::hash(b"IEND"), 0xae42_6082);
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

    /// The chunks of a PNG: kind and data.
    fn chunks(png: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
        let (mut rest, mut out) = (&png[8..], Vec::new());
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            assert_eq!(
                crc32fast::hash(&rest[4..8 + length]).to_be_bytes(),
                rest[8 + length..12 + length]
            );
            out.push((rest[4..8].try_into().unwrap(), rest[8..8 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        out
    }

    /// Each picture, put together again as a viewer does it.
    #[test]
    fn a_moving_picture_holds_its_pictures() {
        let (width, height) = (5, 4);
        let picture = |k: usize| -> Vec<u8> {
            (0..width * height)
                .flat_map(|i| {
                    if i == 7 + k || i == 8 {
                        [9, k as u8, 200]
                    } else {
                        [1, 2, 3]
                    }
                })
                .collect()
        };
        let pictures = [picture(0), picture(0), picture(3), picture(1)];
        let png = encode_moving(width, height, pictures.iter().cloned(), 50);
        let chunks = chunks(&png);
        let kinds: Vec<&[u8; 4]> = chunks.iter().map(|c| &c.0).collect();
        assert_eq!(
            kinds,
            [
                b"IHDR", b"acTL", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"fcTL", b"fdAT", b"fcTL",
                b"fdAT", b"IEND"
            ]
        );
        assert_eq!(chunks[1].1, [0, 0, 0, 4, 0, 0, 0, 0]);
        let (mut shown, mut number) = (vec![0u8; 3 * width * height], 0u32);
        for (pair, wanted) in chunks[2..10].chunks_exact(2).zip(&pictures) {
            let word = |k: usize| {
                u32::from_be_bytes(pair[0].1[4 * k..4 * k + 4].try_into().unwrap()) as usize
            };
            let (w, h, x0, y0) = (word(1), word(2), word(3), word(4));
            assert_eq!(word(0), number as usize);
            number += 1;
            let data = if &pair[1].0 == b"fdAT" {
                assert_eq!(pair[1].1[..4], number.to_be_bytes());
                number += 1;
                &pair[1].1[4..]
            } else {
                &pair[1].1[..]
            };
            let raw = miniz_oxide::inflate::decompress_to_vec_zlib(data).unwrap();
            assert_eq!(raw.len(), h * (3 * w + 1));
            let mut above = vec![0u8; 3 * w];
            for y in 0..h {
                for k in 0..3 * w {
                    above[k] = above[k].wrapping_add(raw[y * (3 * w + 1) + 1 + k]);
                }
                let at = 3 * ((y0 + y) * width + x0);
                shown[at..at + 3 * w].copy_from_slice(&above);
            }
            assert_eq!(&shown, wanted);
        }
    }
}
