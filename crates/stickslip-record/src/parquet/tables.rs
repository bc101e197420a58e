//! The tables: their files, their columns, and the metadata that each one carries.

use super::columns::{Column, Kind};
use super::joints::JOINT_COLUMNS;
use crate::base64;
use crate::error::RecordError;
use crate::files;
use crate::header::{FORMAT, Header, Summary};
use parquet::file::metadata::KeyValue;
use std::path::{Path, PathBuf};

/// The files of one trajectory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Bodies, contacts, steps and joints, in the order of the tables; the last only where there are joints.
    pub tables: [PathBuf; 4],
    /// The folder of a run that has not ended.
    pub parts: PathBuf,
}

impl Paths {
    /// For the bodies' file `out`: `run.parquet` has `run.contacts.parquet`, `run.steps.parquet`,
    /// `run.joints.parquet` and `run.parquet.parts` beside it.
    #[must_use]
    pub fn new(out: &Path) -> Self {
        let mut parts = out.as_os_str().to_owned();
        parts.push(".parts");
        Self {
            tables: [
                out.to_path_buf(),
                out.with_extension("contacts.parquet"),
                out.with_extension("steps.parquet"),
                out.with_extension("joints.parquet"),
            ],
            parts: parts.into(),
        }
    }

    /// Is this one of the trajectory's tables, whatever way leads there?
    #[must_use]
    pub fn have(&self, path: &Path) -> bool {
        self.tables.iter().any(|table| files::same(table, path))
    }
}

/// Index of the bodies' table.
pub(super) const BODIES: usize = 0;
/// Index of the contacts' table.
pub(super) const CONTACTS: usize = 1;
/// Index of the steps' table.
pub(super) const STEPS: usize = 2;
/// Index of the joints' table.
pub(super) const JOINTS: usize = 3;
/// File names inside a part.
pub(super) const PART_FILES: [&str; 4] = [
    "bodies.parquet",
    "contacts.parquet",
    "steps.parquet",
    "joints.parquet",
];
/// Beside them in a part: what the run needs to go on.
pub(super) const PART_CHECKPOINT: &str = "checkpoint";

/// All files of a part.
pub(super) fn part_files() -> impl Iterator<Item = &'static str> {
    PART_FILES.into_iter().chain([PART_CHECKPOINT])
}

/// How many tables a run has: that of the joints only where there are some.
pub(super) fn tables_of(header: &Header) -> usize {
    if header.joints.is_empty() { 3 } else { 4 }
}

const fn column(name: &'static str, kind: Kind, unit: &'static str) -> Column {
    Column { name, kind, unit }
}

/// One row for each body at each recorded time.
const BODY_COLUMNS: [Column; 17] = [
    column("step", Kind::Int, ""),
    column("t", Kind::Real, "s"),
    column("body", Kind::Text, ""),
    column("x", Kind::Real, "m"),
    column("y", Kind::Real, "m"),
    column("z", Kind::Real, "m"),
    column("qs", Kind::Real, ""),
    column("qx", Kind::Real, ""),
    column("qy", Kind::Real, ""),
    column("qz", Kind::Real, ""),
    column("vx", Kind::Real, "m/s"),
    column("vy", Kind::Real, "m/s"),
    column("vz", Kind::Real, "m/s"),
    column("wx", Kind::Real, "rad/s"),
    column("wy", Kind::Real, "rad/s"),
    column("wz", Kind::Real, "rad/s"),
    column("start", Kind::Flag, ""),
];

/// One row for each contact of each recorded step.
const CONTACT_COLUMNS: [Column; 25] = [
    column("step", Kind::Int, ""),
    column("t", Kind::Real, "s"),
    column("body_a", Kind::Text, ""),
    column("body_b", Kind::Text, ""),
    column("feature", Kind::Int, ""),
    column("x", Kind::Real, "m"),
    column("y", Kind::Real, "m"),
    column("z", Kind::Real, "m"),
    column("nx", Kind::Real, ""),
    column("ny", Kind::Real, ""),
    column("nz", Kind::Real, ""),
    column("gap", Kind::Real, "m"),
    column("mu_static", Kind::Real, ""),
    column("mu_kinetic", Kind::Real, ""),
    column("p_n", Kind::Real, "N s"),
    column("p_t1", Kind::Real, "N s"),
    column("p_t2", Kind::Real, "N s"),
    column("mode", Kind::Text, ""),
    column("restituted", Kind::Real, "N s"),
    column("piece_a", Kind::Int, ""),
    column("piece_b", Kind::Int, ""),
    column("directions", Kind::Int, ""),
    column("m_n", Kind::Real, "N m s"),
    column("m_t1", Kind::Real, "N m s"),
    column("m_t2", Kind::Real, "N m s"),
];

/// One row for each recorded step; the residuals in the order of `Residual::ALL`.
const STEP_COLUMNS: [Column; 26] = [
    column("step", Kind::Int, ""),
    column("t", Kind::Real, "s"),
    column("energy", Kind::Real, "J"),
    column("contacts", Kind::Int, ""),
    column("active", Kind::Int, ""),
    column("solver", Kind::Text, ""),
    column("iterations", Kind::Int, ""),
    column("penetration", Kind::Real, "m"),
    column("speed", Kind::Real, "m/s"),
    column("rounding", Kind::Real, ""),
    column("floor", Kind::Real, "m/s"),
    column("h", Kind::Real, "s"),
    column("kind", Kind::Text, ""),
    column("residual_momentum", Kind::Real, "m/s"),
    column("residual_map", Kind::Real, "m/s"),
    column("residual_norm", Kind::Real, "m/s"),
    column("residual_prescribed", Kind::Real, "m/s"),
    column("residual_geometry", Kind::Real, "m/s"),
    column("residual_gap", Kind::Real, "m/s"),
    column("residual_complementarity", Kind::Real, "m/s"),
    column("residual_cone", Kind::Real, "m/s"),
    column("residual_direction", Kind::Real, "m/s"),
    column("residual_joint", Kind::Real, "m/s"),
    column("needs", Kind::Real, ""),
    column("allowed", Kind::Real, "m"),
    column("certified", Kind::Flag, ""),
];

/// Columns of the tables.
pub(super) const TABLES: [&[Column]; 4] = [
    &BODY_COLUMNS,
    &CONTACT_COLUMNS,
    &STEP_COLUMNS,
    &JOINT_COLUMNS,
];
/// What the tables are called in messages.
pub(super) const TABLE_NAMES: [&str; 4] = ["bodies", "contacts", "steps", "joints"];

const FORMAT_KEY: &str = "stickslip.format";
const TABLE_KEY: &str = "stickslip.table";
const HEADER_KEY: &str = "stickslip.header";
const SCENE_KEY: &str = "stickslip.scene";
const UNITS_KEY: &str = "stickslip.units";
const SUMMARY_KEY: &str = "stickslip.summary";
const SEAL_KEY: &str = "stickslip.seal";
const CHECKPOINT_KEY: &str = "stickslip.checkpoint";

/// The texts that all tables of a trajectory carry, as they are stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texts {
    /// JSON, but for the scene.
    pub(super) header: String,
    pub(super) scene: String,
    /// JSON; `None` while the run goes on.
    pub(super) summary: Option<String>,
}

/// What the run needs to go on, as metadata of the steps.
pub(super) fn checkpoint_metadata(bytes: &[u8]) -> KeyValue {
    KeyValue::new(CHECKPOINT_KEY.to_owned(), base64::encode(bytes))
}

/// The same, read; `None` where there is none.
pub(super) fn read_checkpoint(metadata: Option<&Vec<KeyValue>>) -> Option<Vec<u8>> {
    let pair = metadata?.iter().find(|pair| pair.key == CHECKPOINT_KEY)?;
    base64::decode(pair.value.as_deref()?)
}

impl Texts {
    pub(super) fn of(header: &Header) -> Result<Self, RecordError> {
        Ok(Self {
            header: json(header)?,
            scene: header.scene.clone(),
            summary: None,
        })
    }

    /// The same when the run has ended.
    pub(super) fn ended(&self, summary: &Summary) -> Result<Self, RecordError> {
        Ok(Self {
            summary: Some(json(summary)?),
            ..self.clone()
        })
    }

    /// The metadata of one table, with its seal.
    pub(super) fn metadata(&self, table: usize, seal: &str) -> Vec<KeyValue> {
        let pairs = [
            (FORMAT_KEY, Some(FORMAT.to_string())),
            (TABLE_KEY, Some(TABLE_NAMES[table].to_owned())),
            (HEADER_KEY, Some(self.header.clone())),
            (SCENE_KEY, Some(self.scene.clone())),
            (UNITS_KEY, Some(units(table))),
            (SUMMARY_KEY, self.summary.clone()),
            (SEAL_KEY, Some(seal.to_owned())),
        ];
        let present = pairs.into_iter().filter(|(_, value)| value.is_some());
        present
            .map(|(key, value)| KeyValue::new(key.to_owned(), value))
            .collect()
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, RecordError> {
    serde_json::to_string(value).map_err(|e| RecordError::Header(e.to_string()))
}

/// The units of a table's columns, as JSON.
fn units(table: usize) -> String {
    let units: serde_json::Map<_, _> = TABLES[table]
        .iter()
        .filter(|column| !column.unit.is_empty())
        .map(|column| (column.name.to_owned(), column.unit.into()))
        .collect();
    serde_json::Value::from(units).to_string()
}

/// What the metadata of one file says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileHeader {
    pub(super) header: Header,
    pub(super) summary: Option<Summary>,
    pub(super) texts: Texts,
    pub(super) seal: Option<String>,
}

/// Reads the metadata of a file that should be this table; `None` if it has none of ours.
pub(super) fn read_metadata(
    path: &Path,
    table: usize,
    metadata: Option<&Vec<KeyValue>>,
) -> Result<Option<FileHeader>, RecordError> {
    let get = |key: &str| {
        let pair = metadata?.iter().find(|pair| pair.key == key)?;
        pair.value.clone()
    };
    let not_ours = |reason: String| RecordError::NotATrajectory {
        path: path.to_path_buf(),
        reason,
    };
    let Some(format) = get(FORMAT_KEY) else {
        return Ok(None);
    };
    if format != FORMAT.to_string() {
        return Err(RecordError::Version {
            path: path.to_path_buf(),
            found: format,
            expected: FORMAT,
        });
    }
    if let Some(found) = get(TABLE_KEY).filter(|found| *found != TABLE_NAMES[table]) {
        let wanted = TABLE_NAMES[table];
        return Err(not_ours(format!(
            "it holds the table of {found}, not that of {wanted}"
        )));
    }
    if get(UNITS_KEY).is_none_or(|found| found != units(table)) {
        return Err(not_ours("its units are not those of the format".into()));
    }
    let texts = Texts {
        header: get(HEADER_KEY).ok_or_else(|| not_ours("it has no header".into()))?,
        scene: get(SCENE_KEY).ok_or_else(|| not_ours("it has no scene".into()))?,
        summary: get(SUMMARY_KEY),
    };
    let (header, summary) = read_texts(&texts).map_err(not_ours)?;
    Ok(Some(FileHeader {
        header,
        summary,
        texts,
        seal: get(SEAL_KEY),
    }))
}

/// Does the metadata say that the file is one of ours, in any format?
pub(super) fn has_format(metadata: &[KeyValue]) -> bool {
    metadata.iter().any(|pair| pair.key == FORMAT_KEY)
}

/// What the texts say.
pub(super) fn read_texts(texts: &Texts) -> Result<(Header, Option<Summary>), String> {
    let mut header: Header =
        serde_json::from_str(&texts.header).map_err(|e| format!("its header: {e}"))?;
    header.scene.clone_from(&texts.scene);
    header.validate().map_err(|e| format!("its {e}"))?;
    let summary = texts.summary.as_deref().map(serde_json::from_str);
    let summary = summary
        .transpose()
        .map_err(|e| format!("its summary: {e}"))?;
    Ok((header, summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::STATE;
    use stickslip_model::Residual;

    #[test]
    fn the_columns_follow_the_types_they_store() {
        let state: Vec<&str> = BODY_COLUMNS[3..16].iter().map(|c| c.name).collect();
        assert_eq!(state, STATE);
        for (column, residual) in STEP_COLUMNS[13..].iter().zip(Residual::ALL) {
            assert_eq!(column.name, format!("residual_{}", residual.name()));
        }
        let after: Vec<&str> = STEP_COLUMNS[13 + Residual::ALL.len()..]
            .iter()
            .map(|c| c.name)
            .collect();
        assert_eq!(after, ["needs", "allowed", "certified"]);
    }

    #[test]
    fn every_column_and_key_is_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trajectory.md");
        let text = std::fs::read_to_string(path).unwrap();
        for table in TABLES {
            for column in table {
                let name = column.name.trim_start_matches("residual_");
                assert!(text.contains(&format!("`{name}`")), "{}", column.name);
            }
        }
        for key in [
            FORMAT_KEY,
            TABLE_KEY,
            HEADER_KEY,
            SCENE_KEY,
            UNITS_KEY,
            SUMMARY_KEY,
            SEAL_KEY,
        ] {
            assert!(text.contains(&format!("`{key}`")), "{key}");
        }
        for line in [
            crate::csv::BODY_COLUMNS,
            crate::csv::CONTACT_COLUMNS,
            crate::csv::JOINT_COLUMNS,
        ] {
            assert!(text.contains(line), "{line}");
        }
        for metric in crate::Metric::ALL {
            let row = format!("| `{}` | {} |", metric.name(), metric.unit());
            assert!(text.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_tables_lie_beside_each_other() {
        let paths = Paths::new(Path::new("out/run.1.parquet"));
        assert_eq!(paths.tables[1], Path::new("out/run.1.contacts.parquet"));
        assert_eq!(paths.tables[2], Path::new("out/run.1.steps.parquet"));
        assert_eq!(paths.tables[3], Path::new("out/run.1.joints.parquet"));
        assert_eq!(paths.parts, Path::new("out/run.1.parquet.parts"));
    }
}
