//! OBJ files: vertices and faces; faces with more than three corners are cut into a fan. Everything else in the
//! file (normals, textures, groups) is passed over, as it is no part of the surface.

use super::{MOST_TRIANGLES, Mesh, MeshError};
use glam::DVec3;

/// Words of the format that say nothing about the surface.
const OTHERS: [&str; 14] = [
    "vn", "vt", "vp", "g", "o", "s", "l", "p", "mg", "usemtl", "mtllib", "lod", "usemap", "maplib",
];

/// Reads an OBJ file; lengths are multiplied by `scale`.
///
/// # Errors
/// What is no OBJ, with its line, and what [`Mesh::new`] refuses.
pub fn read(bytes: &[u8], scale: f64) -> Result<Mesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut points, mut triangles, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for (k, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let mut words = content.split_whitespace();
        let fault = |reason: String| MeshError::Line {
            line: k + 1,
            reason,
        };
        match words.next() {
            None => {}
            Some("v") => points.push(vector(words, k + 1)? * scale),
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, points.len()).map_err(fault)?);
                }
                if corners.len() < 3 {
                    let found = corners.len();
                    return Err(fault(format!(
                        "a face has at least three corners, not {found}"
                    )));
                }
                triangles
                    .extend((2..corners.len()).map(|j| [corners[0], corners[j - 1], corners[j]]));
                if triangles.len() > MOST_TRIANGLES {
                    return Err(MeshError::TooLarge(triangles.len()));
                }
            }
            Some(word) if OTHERS.contains(&word) => {}
            Some(word) => {
                let word: String = word.chars().take(20).collect();
                return Err(fault(format!(
                    "`{word}` is no word of an OBJ file known here"
                )));
            }
        }
    }
    Mesh::new(&points, &triangles)
}

/// The vertex of a corner such as `7`, `7/1`, `7//3` or `-1`, from 0.
fn corner(word: &str, count: usize) -> Result<u32, String> {
    let index = word.split('/').next().unwrap_or_default();
    let number: i64 = index
        .parse()
        .map_err(|_| format!("`{index}` is no number of a vertex"))?;
    let from_zero = if number < 0 {
        count as i64 + number
    } else {
        number - 1
    };
    if (0..count as i64).contains(&from_zero) {
        Ok(from_zero as u32)
    } else {
        Err(format!(
            "there is no vertex {number}: {count} have been given so far"
        ))
    }
}

/// Three finite numbers; what follows them (a weight, a colour) is passed over.
pub(super) fn vector<'w>(
    mut words: impl Iterator<Item = &'w str>,
    line: usize,
) -> Result<DVec3, MeshError> {
    let mut number = || {
        let word = words.next().unwrap_or_default();
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => {
                let word: String = word.chars().take(20).collect();
                let reason = format!("a vertex has three finite numbers, but here is `{word}`");
                Err(MeshError::Line { line, reason })
            }
        }
    };
    Ok(DVec3::new(number()?, number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pyramid_with_a_square_base() {
        let text = "# five vertices\nv 1 1 0\nv -1 1 0\nv -1 -1 0\nv 1 -1 0\nv 0 0 1.5 1.0\n\
                    vn 0 0 1\ng sides\nf 1 2 5\nf 2/1 3/2 5/3\nf -3//1 -2//1 -1//1\nf 4 1 5\nf 4 3 2 1\n";
        let mesh = read(text.as_bytes(), 2.0).unwrap();
        assert_eq!((mesh.triangles().len(), mesh.open_edges()), (6, 0));
        assert_eq!(mesh.bounds().max.z, 3.0);
        let shape = crate::shape::Shape::Mesh(std::sync::Arc::new(mesh));
        // A third of base times height; the centre at a quarter of the height.
        assert!((crate::mass::volume(&shape).unwrap() - 16.0).abs() < 1e-14);
        assert!((crate::mass::centre_of_mass(&shape).unwrap().z - 0.75).abs() < 1e-15);
    }

    #[test]
    fn broken_files_say_where() {
        for (text, word) in [
            ("v 1 2\n", "line 1"),
            ("v 1 2 inf\n", "line 1"),
            ("v 0 0 0\nf 1 2 3\n", "line 2: there is no vertex 2"),
            ("v 0 0 0\nv 1 0 0\nf 1 2\n", "three corners"),
            ("v 0 0 0\nf 1 x 1\n", "`x`"),
            ("hello\n", "`hello`"),
            ("", "no triangle"),
        ] {
            let error = read(text.as_bytes(), 1.0).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
