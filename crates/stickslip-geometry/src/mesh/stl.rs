//! STL files, binary and text. Normals in the file are not used: the corners' order gives them.

use super::{MOST_TRIANGLES, Mesh, MeshError};
use glam::DVec3;

/// Bytes of a binary header, and of one triangle.
const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file; lengths are multiplied by `scale`.
///
/// # Errors
/// What is no STL, with the line where it is text, and what [`Mesh::new`] refuses.
pub fn read(bytes: &[u8], scale: f64) -> Result<Mesh, MeshError> {
    let points = match binary(bytes)? {
        Some(points) => points,
        None => text(bytes)?,
    };
    let points: Vec<DVec3> = points.into_iter().map(|p| p * scale).collect();
    let triangles: Vec<[u32; 3]> = (0..points.len() as u32 / 3)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    Mesh::new(&points, &triangles)
}

/// The corners in a binary file, three for each triangle; `None` where it is text. Some binary files begin with
/// `solid` as well: the length decides.
fn binary(bytes: &[u8]) -> Result<Option<Vec<DVec3>>, MeshError> {
    let count = bytes.get(80..HEADER).map(|b| {
        let b: [u8; 4] = b.try_into().unwrap_or_default();
        u32::from_le_bytes(b) as usize
    });
    let exact = count.is_some_and(|n| bytes.len() == HEADER + RECORD * n);
    if !exact && bytes.trim_ascii_start().starts_with(b"solid") {
        return Ok(None);
    }
    let Some(count) = count else {
        let message = format!(
            "no STL file: {} bytes, and no `solid` at its start",
            bytes.len()
        );
        return Err(MeshError::File(message));
    };
    if count > MOST_TRIANGLES {
        return Err(MeshError::TooLarge(count));
    }
    let needed = HEADER + RECORD * count;
    if bytes.len() < needed {
        let message = format!(
            "the STL file is cut short: {count} triangles need {needed} bytes, it has {}",
            bytes.len()
        );
        return Err(MeshError::File(message));
    }
    let mut points = Vec::with_capacity(3 * count);
    for record in bytes[HEADER..needed].chunks_exact(RECORD) {
        // A normal, three corners, two bytes of attributes.
        for corner in record[12..48].chunks_exact(12) {
            let number = |k: usize| {
                let b: [u8; 4] = corner[4 * k..4 * k + 4].try_into().unwrap_or_default();
                f64::from(f32::from_le_bytes(b))
            };
            points.push(DVec3::new(number(0), number(1), number(2)));
        }
    }
    Ok(Some(points))
}

/// The corners in a text file.
fn text(bytes: &[u8]) -> Result<Vec<DVec3>, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut points = Vec::new();
    let mut in_facet = 0;
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let fault = |reason: String| {
            Err(MeshError::Line {
                line: k + 1,
                reason,
            })
        };
        match words.next() {
            None => {}
            Some("vertex") => {
                in_facet += 1;
                points.push(super::obj::vector(words, k + 1)?);
                if points.len() > 3 * MOST_TRIANGLES {
                    return Err(MeshError::TooLarge(points.len() / 3));
                }
            }
            Some("endfacet") if in_facet != 3 => {
                return fault(format!("a facet has three vertices, this one {in_facet}"));
            }
            Some("endfacet") => in_facet = 0,
            Some("solid" | "facet" | "outer" | "endloop" | "endsolid") => {}
            Some(word) => {
                let word: String = word.chars().take(20).collect();
                return fault(format!("`{word}` is no word of an STL file"));
            }
        }
    }
    if in_facet != 0 {
        let message = "the STL file is cut short: its last facet has no end";
        return Err(MeshError::File(message.into()));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid t
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 2e0 0
 endloop
endfacet
endsolid t
";

    fn binary_of(mesh: &Mesh) -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
        for t in mesh.triangles() {
            bytes.extend([0; 12]);
            for v in t {
                let p = mesh.vertices()[*v as usize];
                for x in p.to_array() {
                    bytes.extend((x as f32).to_le_bytes());
                }
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn text_and_binary_give_the_same_mesh() {
        let mesh = read(TEXT.as_bytes(), 1.0).unwrap();
        assert_eq!(mesh.vertices()[2], DVec3::new(0.0, 2.0, 0.0));
        assert_eq!(read(&binary_of(&mesh), 1.0).unwrap(), mesh);
        assert_eq!(read(TEXT.as_bytes(), 0.001).unwrap().radius(), 0.002);
    }

    #[test]
    fn broken_files_say_where() {
        let says = |bytes: &[u8], word: &str| {
            let error = read(bytes, 1.0).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        };
        says(b"", "no STL");
        says(b"solid x", "no triangle");
        says(TEXT.replace("2e0", "two").as_bytes(), "line 6");
        says(TEXT.replace("2e0", "NaN").as_bytes(), "line 6");
        says(TEXT.replace(" vertex 1 0 0\n", "").as_bytes(), "line 7");
        says(TEXT.replace(" outer", " inner").as_bytes(), "line 3");
        let end = TEXT.find("endfacet").unwrap();
        says(&TEXT.as_bytes()[..end], "cut short");
        let mut bytes = binary_of(&read(TEXT.as_bytes(), 1.0).unwrap());
        bytes[0] = b'x';
        bytes.pop();
        says(&bytes, "cut short");
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        says(&bytes, "4294967295 triangles");
    }
}
