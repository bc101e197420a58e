//! `[[gear]]` entries: equations between the coordinates of two joints.

use super::joint::{Gear, Joint};
use super::keys::GEAR;
use super::node::{Fault, Outcome};
use super::read_joint::{Taken, find_joint, pair};
use super::read_motor::free_axis_of;
use super::reader::{Reader, tables};
use super::table::Table;

/// Reads the `[[gear]]` entries, after those of included models; names are shared with joints and springs.
pub(super) fn read_gears(
    reader: &Reader<'_>,
    root: &Table<'_>,
    joints: &[Joint],
    (taken, source): (&mut Taken, &str),
    included: Vec<Gear>,
) -> Outcome<Vec<Gear>> {
    let mut gears = included;
    let Some(node) = root.get("gear") else {
        return Ok(gears);
    };
    for entry in tables(node, "gear")? {
        let table = Table::open(entry, &GEAR)?;
        reader.counted(&table, |reader, index| {
            gears.push(read_gear(reader, &table, joints, (taken, index), source)?);
            Ok(())
        })?;
    }
    Ok(gears)
}

fn read_gear(
    reader: &Reader<'_>,
    table: &Table<'_>,
    joints: &[Joint],
    (taken, index): (&mut Taken, Option<u32>),
    source: &str,
) -> Outcome<Gear> {
    let node = table.need("joints")?;
    let names = pair(node, "the names of two joints")?;
    let axes = table.get("axes").map(|node| pair(node, "two axes"));
    let axes = axes.transpose()?;
    let mut found: Vec<(String, usize)> = Vec::new();
    for (k, name) in names.into_iter().enumerate() {
        let joint = find_joint(reader, name, joints)?;
        let axis = free_axis_of(axes.map(|a| a[k]), name, joint)?;
        found.push((joint.name.clone(), axis));
    }
    let [of, own] = [found[0].clone(), found[1].clone()];
    if of == own {
        let message = format!("a gear of `{}` with itself", of.0);
        return Err(Fault::new(&node.place, message));
    }
    let given = table.need("ratio")?;
    let ratio = reader.number(given)?;
    if ratio == 0.0 {
        let message = "a ratio of zero holds one joint and leaves the other alone";
        return Err(Fault::new(&given.place, message).with_help("lock the axis instead"));
    }
    let offset = table.get("offset").map(|node| reader.number(node));
    // Brackets in a name hold the number of a counted entry: those of its joints become words.
    let made = format!("gear {} {}", of.0, own.0)
        .replace('[', " ")
        .replace(']', "");
    Ok(Gear {
        name: taken.name(table.get("name"), index, &made, source)?,
        joints: [of.0, own.0],
        axes: [of.1, own.1],
        ratio,
        offset: offset.unwrap_or(Ok(0.0))?,
        span: node.place.span.clone(),
    })
}
