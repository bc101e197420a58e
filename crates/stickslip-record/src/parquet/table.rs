//! A plain table as one Parquet file: columns with names of the user's choice, some of whose cells may be empty.

use super::encode::failed;
use crate::error::RecordError;
use crate::files;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::path::Path;
use std::sync::Arc;

/// One column of a plain table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// SI unit; empty where there is none. Units stand in the file's metadata.
    pub unit: String,
    /// What it holds.
    pub cells: Cells,
}

/// The cells of a column; `None` is an empty one.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers.
    Real(Vec<Option<f64>>),
    /// Counts.
    Int(Vec<Option<i64>>),
    /// Words.
    Text(Vec<Option<String>>),
}

/// Writes a table whole or not at all, with notes in the file's metadata.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_table(
    path: &Path,
    columns: &[TableColumn],
    notes: &[(&str, String)],
) -> Result<(), RecordError> {
    let units: serde_json::Map<_, _> = columns
        .iter()
        .filter(|column| !column.unit.is_empty())
        .map(|column| (column.name.clone(), column.unit.clone().into()))
        .collect();
    let units = (
        "stickslip.units",
        serde_json::Value::from(units).to_string(),
    );
    let notes = notes.iter().chain([&units]);
    let notes = notes.map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let bytes = encode(columns, notes.collect()).map_err(failed(path))?;
    files::replace(path, &bytes).map_err(RecordError::io(path))
}

fn encode(columns: &[TableColumn], notes: Vec<KeyValue>) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (physical, logical) = match column.cells {
            Cells::Real(_) => (Physical::DOUBLE, None),
            Cells::Int(_) => (Physical::INT64, None),
            Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    let schema = Type::group_type_builder("schema")
        .with_fields(fields)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(concat!("stickslip ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_key_value_metadata(Some(notes))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema.into(), properties.into())?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        match &column.cells {
            Cells::Real(cells) => write::<DoubleType>(&mut group, cells.iter().copied())?,
            Cells::Int(cells) => write::<Int64Type>(&mut group, cells.iter().copied())?,
            Cells::Text(cells) => {
                let texts = cells.iter().map(|c| c.as_deref().map(ByteArray::from));
                write::<ByteArrayType>(&mut group, texts)?;
            }
        }
    }
    group.close()?;
    writer.into_inner()
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("more data than columns".into()))?;
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn cells_come_back_and_empty_ones_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.parquet");
        let column = |name: &str, unit: &str, cells| TableColumn {
            name: name.into(),
            unit: unit.into(),
            cells,
        };
        let columns = [
            column("force on box", "N", Cells::Real(vec![Some(0.1), None])),
            column("steps", "", Cells::Int(vec![None, Some(7)])),
            column("why", "", Cells::Text(vec![Some("it fell".into()), None])),
        ];
        write_table(&path, &columns, &[("scene", "x = 1".into())]).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        let rows: Vec<String> = rows.map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                "{force on box: 0.1, steps: null, why: \"it fell\"}",
                "{force on box: null, steps: 7, why: null}"
            ]
        );
        let notes = reader.metadata().file_metadata().key_value_metadata();
        let units = notes.unwrap().iter().find(|n| n.key == "stickslip.units");
        assert_eq!(
            units.unwrap().value.as_deref(),
            Some("{\"force on box\":\"N\"}")
        );
    }
}
