//! A plain table of numbers as one Parquet file.

use super::columns::{Column, Kind, Rows, Value};
use super::encode::TableFile;
use crate::error::RecordError;
use parquet::file::metadata::KeyValue;
use std::path::Path;

/// Writes rows of numbers under columns of (name, unit), with notes in the file's metadata.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_numbers<'r>(
    path: &Path,
    columns: &[(&'static str, &'static str)],
    rows: impl IntoIterator<Item = &'r [f64]>,
    notes: &[(&str, String)],
) -> Result<(), RecordError> {
    let column = |&(name, unit): &(&'static str, &'static str)| Column {
        name,
        kind: Kind::Real,
        unit,
    };
    let columns: Vec<Column> = columns.iter().map(column).collect();
    let note = |(key, value): &(&str, String)| KeyValue::new((*key).to_string(), value.clone());
    let notes: Vec<KeyValue> = notes.iter().map(note).collect();
    let mut file = TableFile::create(path, &columns, &notes)?;
    let mut table = Rows::new(&columns);
    for row in rows {
        table.push(row.iter().map(|&x| Value::Real(x)));
    }
    file.write(&table)?;
    file.close(true).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn numbers_come_back_with_their_bits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let rows = [[0.1, f64::MIN_POSITIVE], [-3.0, 1e300]];
        let columns = [("x", "m"), ("v", "m/s")];
        write_numbers(
            &path,
            &columns,
            rows.iter().map(|r| &r[..]),
            &[("period", "0.03".into())],
        )
        .unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut read = Vec::new();
        for row in reader.get_row_iter(None).unwrap() {
            use parquet::record::RowAccessor;
            let row = row.unwrap();
            read.push([row.get_double(0).unwrap(), row.get_double(1).unwrap()]);
        }
        assert_eq!(read, rows);
    }
}
