//! Meshes and height fields, from files or written out.

use glam::DVec3;

use super::keys::{HEIGHT_FIELD, MESH};
use super::node::{Fault, Node, Outcome};
use super::reader::{Reader, items, text};
use super::table::Table;
use stickslip_geometry::mesh::{MOST_TRIANGLES, obj, stl};
use stickslip_geometry::{Mesh, MeshError, Shape};

/// `mesh = { file, scale }` or `{ vertices, triangles }`.
pub(super) fn read_mesh(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    let table = Table::open(node, &MESH)?;
    if let Some(node) = table.get("file") {
        refuse_beside(&table, "file", &["vertices", "triangles"])?;
        let scale = match table.get("scale") {
            Some(node) => reader.positive(node, "the scale")?,
            None => 1.0,
        };
        return from_file(reader, node, scale, |bytes, ending| match ending {
            "stl" => Some(stl::read(bytes, scale)),
            "obj" => Some(obj::read(bytes, scale)),
            _ => None,
        });
    }
    refuse_beside(&table, "vertices", &["scale"])?;
    let (Some(vertices), Some(triangles)) = (table.get("vertices"), table.get("triangles")) else {
        let message = "a mesh is a `file`, or `vertices` and `triangles`";
        return Err(table.fault(message));
    };
    let vertices: Vec<DVec3> = items(vertices, "an array of points [x, y, z]")?
        .iter()
        .map(|item| reader.vector(item))
        .collect::<Outcome<_>>()?;
    let corners = |item: &Node| -> Outcome<[u32; 3]> {
        let three = items(item, "the numbers of three vertices")?;
        let three: &[Node; 3] = three.try_into().map_err(|_| {
            let message = format!("a triangle has three vertices, not {}", three.len());
            Fault::new(&item.place, message)
        })?;
        let most = vertices.len().saturating_sub(1) as u32;
        let [a, b, c] = three
            .each_ref()
            .map(|n| reader.whole(n, "the number of a vertex", 0, most));
        Ok([a?, b?, c?])
    };
    let triangles: Vec<[u32; 3]> = items(triangles, "an array of triangles [a, b, c]")?
        .iter()
        .map(corners)
        .collect::<Outcome<_>>()?;
    let made = reader.files.mesh(format!("{node:?}"), "mesh", || {
        Mesh::new(&vertices, &triangles)
    });
    made.map(Shape::Mesh)
        .map_err(|error| Fault::new(&node.place, error.to_string()))
}

/// `height-field = { file, spacing, scale }` or `{ heights, spacing, scale }`.
pub(super) fn read_height_field(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    let table = Table::open(node, &HEIGHT_FIELD)?;
    let spacing_node = table.need("spacing")?;
    let [dx, dy] = items(spacing_node, "two distances [dx, dy]")? else {
        let message = "expected two distances [dx, dy]";
        return Err(Fault::new(&spacing_node.place, message));
    };
    let (dx, dy) = (
        reader.positive(dx, "the distance of the columns")?,
        reader.positive(dy, "the distance of the rows")?,
    );
    let scale = match table.get("scale") {
        Some(node) => reader.number(node)?,
        None => 1.0,
    };
    let field = |mut heights: Vec<Vec<f64>>| {
        for z in heights.iter_mut().flatten() {
            *z *= scale;
        }
        Mesh::height_field(&heights, dx, dy)
    };
    if let Some(node) = table.get("file") {
        refuse_beside(&table, "file", &["heights"])?;
        let how = [dx, dy, scale].map(f64::to_bits);
        return from_file(reader, node, how, |bytes, ending| match ending {
            "csv" | "txt" => Some(heights_of_text(bytes).and_then(field)),
            "png" => Some(
                super::png::heights(bytes)
                    .map_err(MeshError::File)
                    .and_then(field),
            ),
            _ => None,
        });
    }
    let Some(rows) = table.get("heights") else {
        return Err(table.fault("a height field is a `file`, or `heights`"));
    };
    let heights: Vec<Vec<f64>> = items(rows, "rows of heights")?
        .iter()
        .map(|row| {
            let row = items(row, "a row of heights")?;
            row.iter().map(|z| reader.number(z)).collect()
        })
        .collect::<Outcome<_>>()?;
    let made = reader
        .files
        .mesh(format!("{node:?}"), "height-field", || field(heights));
    made.map(Shape::Mesh)
        .map_err(|error| Fault::new(&node.place, error.to_string()))
}

/// Reads a file by its ending, once for each way `how` it is read.
fn from_file(
    reader: &Reader<'_>,
    node: &Node,
    how: impl std::fmt::Debug,
    read: impl FnOnce(&[u8], &str) -> Option<Result<Mesh, MeshError>>,
) -> Outcome<Shape> {
    let name = text(node, "the name of a file")?;
    let fault = |message: String| Fault::new(&node.place, message);
    let bytes = reader.files.bytes(name).map_err(|e| {
        let fault = fault(e.message);
        match e.help {
            Some(help) => fault.with_help(help),
            None => fault,
        }
    })?;
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ending = ending.to_ascii_lowercase();
    let made = reader.files.mesh(format!("{name} {how:?}"), name, || {
        match read(&bytes, &ending) {
            Some(Ok(mesh)) => Ok(mesh),
            Some(Err(error)) => Err(fault(format!("`{name}`: {error}"))),
            None => {
                let known = "meshes are .stl or .obj files, height fields .csv or .png files";
                Err(fault(format!("`{name}`: what kind of file is this?")).with_help(known))
            }
        }
    })?;
    Ok(Shape::Mesh(made))
}

/// Numbers between commas, semicolons or spaces; a line for each row; `#` begins a comment.
fn heights_of_text(bytes: &[u8]) -> Result<Vec<Vec<f64>>, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut rows, mut count) = (Vec::new(), 0);
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words = line
            .split([',', ';', ' ', '\t'])
            .filter(|word| !word.is_empty());
        let row = words
            .map(|word| match word.parse::<f64>() {
                Ok(z) if z.is_finite() => Ok(z),
                _ => {
                    let word: String = word.chars().take(20).collect();
                    let reason = format!("`{word}` is no finite height");
                    Err(MeshError::Line {
                        line: k + 1,
                        reason,
                    })
                }
            })
            .collect::<Result<Vec<f64>, _>>()?;
        count += row.len();
        if count > MOST_TRIANGLES {
            return Err(MeshError::TooLarge(2 * count));
        }
        if !row.is_empty() {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Keys that have no effect beside `key`.
fn refuse_beside(table: &Table<'_>, key: &str, others: &[&str]) -> Outcome<()> {
    match table.first_of(others) {
        Some(other) => {
            let message = format!("`{}` has no effect beside `{key}`", other.name);
            Err(Fault::new(&other.place, message))
        }
        None => Ok(()),
    }
}

/// Why a free body cannot have this shape with mass or density alone; `None` where it can.
pub(super) fn without_volume(shape: &Shape) -> Option<String> {
    let Shape::Mesh(mesh) = shape else {
        return None;
    };
    if mesh.open_edges() > 0 {
        let edges = mesh.open_edges();
        return Some(MeshError::Open { edges }.to_string());
    }
    let volume = stickslip_geometry::mass::volume(shape);
    volume
        .is_none()
        .then(|| "the surface encloses no volume".to_owned())
}
