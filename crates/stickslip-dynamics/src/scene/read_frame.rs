//! `[[frame]]` entries.

use glam::DVec3;
use stickslip_geometry::Pose;

use super::joint::Frame;
use super::keys::FRAME;
use super::node::{Fault, Outcome};
use super::read_body::read_name;
use super::read_pairs::Names;
use super::read_shape::read_orientation;
use super::reader::{Reader, tables};
use super::table::Table;

/// Reads the `[[frame]]` entries, after those of included models.
pub(super) fn read_frames(
    reader: &Reader<'_>,
    root: &Table<'_>,
    names: &Names<'_>,
    included: Vec<Frame>,
) -> Outcome<Vec<Frame>> {
    let mut frames = included;
    let Some(node) = root.get("frame") else {
        return Ok(frames);
    };
    for entry in tables(node, "frame")? {
        let table = Table::open(entry, &FRAME)?;
        let name_node = table.need("name")?;
        let name = read_name(name_node)?.to_owned();
        if frames.iter().any(|f| f.name == name) {
            let message = format!("a second frame has the name `{name}`");
            return Err(Fault::new(&name_node.place, message));
        }
        frames.push(Frame {
            name,
            body: names.end(reader, table.need("body")?)?,
            pose: Pose {
                position: reader.vector_or(&table, "position", DVec3::ZERO)?,
                orientation: read_orientation(reader, table.get("orientation"))?,
            },
            span: name_node.place.span.clone(),
        });
    }
    Ok(frames)
}
