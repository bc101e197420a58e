//! Parquet files to rows, a batch at a time, trusting nothing.
//!
//! The sizes and offsets in a footer are checked before the decoder sees them, and memory is bounded
//! by a batch of rows and one page of each column. Whatever the decoder still stumbles over, even by
//! a panic of its own, becomes [`RecordError::Damaged`].

use super::columns::{Column, Data, Kind, Rows};
use super::pages::CheckedPages;
use super::seal::TableHash;
use crate::error::RecordError;
use crate::files::open_plain;
use parquet::basic::{Compression, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, RowGroupMetaData};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Rows decoded at once.
const BATCH: usize = 4096;
const MAGIC: &[u8; 4] = b"PAR1";

/// A table in one file or in several, row after row.
pub(super) struct TableReader {
    columns: &'static [Column],
    files: VecDeque<PathBuf>,
    open: Option<OpenFile>,
    rows: Rows,
    /// The current row of `rows`.
    at: usize,
    /// Of the rows that have been taken.
    hash: TableHash,
}

struct OpenFile {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    /// Index in the file of each of our columns.
    places: Vec<usize>,
    group: usize,
    /// Readers of the current row group and the rows that are left in it.
    group_columns: Vec<ColumnReader>,
    left: usize,
}

impl TableReader {
    pub(super) fn new(columns: &'static [Column], files: Vec<PathBuf>) -> Self {
        Self {
            columns,
            files: files.into(),
            open: None,
            rows: Rows::new(columns),
            at: 0,
            hash: TableHash::default(),
        }
    }

    /// The hash of all rows that have been gone past.
    pub(super) fn hash(&self) -> &TableHash {
        &self.hash
    }

    /// Opens the first file and gives its key-value metadata.
    pub(super) fn metadata(&mut self) -> Result<Option<Vec<KeyValue>>, RecordError> {
        if self.open.is_none()
            && let Some(path) = self.files.pop_front()
        {
            self.open = Some(OpenFile::open(path, self.columns)?);
        }
        let open = self.open.as_ref();
        Ok(open.and_then(|open| {
            let metadata = open.reader.metadata().file_metadata();
            metadata.key_value_metadata().cloned()
        }))
    }

    /// The rows at hand and the current one among them; `None` at the end of the table.
    pub(super) fn row(&mut self) -> Result<Option<(&Rows, usize)>, RecordError> {
        while self.at == self.rows.len {
            self.at = 0;
            self.rows.clear();
            if self.open.is_none() {
                let Some(path) = self.files.pop_front() else {
                    return Ok(None);
                };
                self.open = Some(OpenFile::open(path, self.columns)?);
            }
            if let Some(open) = &mut self.open
                && !open.read_batch(self.columns, &mut self.rows)?
            {
                self.open = None;
            }
        }
        Ok(Some((&self.rows, self.at)))
    }

    /// Goes on to the next row.
    pub(super) fn advance(&mut self) {
        if self.at < self.rows.len {
            self.hash.add(&self.rows, self.at);
            self.at += 1;
        }
    }
}

/// So many rows of a table in one file, after the row groups that hold the first `skip` ones.
pub(super) fn rows_after(
    columns: &'static [Column],
    path: &Path,
    skip: u64,
    rows: u64,
) -> Result<Rows, RecordError> {
    let mut file = OpenFile::open(path.to_path_buf(), columns)?;
    let short = || RecordError::Damaged {
        path: path.to_path_buf(),
        reason: format!("it does not hold {rows} rows after the first {skip}"),
    };
    let mut left = skip;
    while left > 0 {
        let group = file.reader.metadata().row_groups().get(file.group);
        let held = group.and_then(|group| u64::try_from(group.num_rows()).ok());
        left = held
            .and_then(|held| left.checked_sub(held))
            .ok_or_else(short)?;
        file.group += 1;
    }
    let (mut all, mut batch) = (Rows::new(columns), Rows::new(columns));
    while (all.len as u64) < rows && file.read_batch(columns, &mut batch)? {
        all.take_from(&mut batch, rows);
    }
    if (all.len as u64) < rows {
        return Err(short());
    }
    Ok(all)
}

/// The last resort: a panic inside the decoder is the file's fault and must not end the program.
fn guarded<T>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, RecordError> {
    let damaged = |reason: String| RecordError::Damaged {
        path: path.to_path_buf(),
        reason,
    };
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(damaged(error.to_string())),
        Err(_) => Err(damaged("it cannot be decoded".into())),
    }
}

/// Refuses what is no Parquet file, or only the beginning of one.
fn check_ends(path: &Path, file: &mut File) -> Result<u64, RecordError> {
    let io = |error| RecordError::io(path)(error);
    let length = file.metadata().map_err(io)?.len();
    let not_parquet = |reason: &str| RecordError::NotATrajectory {
        path: path.to_path_buf(),
        reason: reason.into(),
    };
    if length < 12 {
        return Err(not_parquet("it is too short for a Parquet file"));
    }
    let (mut head, mut tail) = ([0; 4], [0; 8]);
    file.read_exact(&mut head).map_err(io)?;
    if head != *MAGIC {
        return Err(not_parquet(other_kind(path)));
    }
    file.seek(SeekFrom::End(-8)).map_err(io)?;
    file.read_exact(&mut tail).map_err(io)?;
    file.rewind().map_err(io)?;
    let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    if tail[4..] != *MAGIC || u64::from(footer) > length - 12 {
        return Err(RecordError::Truncated {
            path: path.to_path_buf(),
            reason: "it has no footer".into(),
        });
    }
    Ok(length)
}

/// Refuses a column chunk that lies outside the file or that we cannot unpack.
fn check_chunk(chunk: &ColumnChunkMetaData, rows: i64, length: u64) -> Result<(), String> {
    let first = chunk
        .dictionary_page_offset()
        .unwrap_or_else(|| chunk.data_page_offset());
    let inside = u64::try_from(first)
        .ok()
        .zip(u64::try_from(chunk.compressed_size()).ok())
        .and_then(|(first, size)| first.checked_add(size))
        .is_some_and(|end| end <= length);
    if !inside {
        return Err("its pages lie outside the file".into());
    }
    if chunk.num_values() != rows {
        return Err(format!("{} values in {rows} rows", chunk.num_values()));
    }
    match chunk.compression() {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_) => Ok(()),
        other => Err(format!(
            "compressed by {other}; zstd, snappy or none is read"
        )),
    }
}

impl OpenFile {
    fn open(path: PathBuf, columns: &[Column]) -> Result<Self, RecordError> {
        let mut file = open_plain(&path).map_err(RecordError::io(&path))?;
        let length = check_ends(&path, &mut file)?;
        let reader = guarded(&path, || SerializedFileReader::new(file))?;
        let places = find_columns(&path, &reader, columns)?;
        for group in reader.metadata().row_groups() {
            check_group(&path, group, columns, &places, length)?;
        }
        Ok(Self {
            path,
            reader,
            places,
            group: 0,
            group_columns: Vec::new(),
            left: 0,
        })
    }

    /// Reads the next rows; false at the end of the file.
    fn read_batch(&mut self, columns: &[Column], rows: &mut Rows) -> Result<bool, RecordError> {
        while self.left == 0 {
            let Some(group) = self.reader.metadata().row_groups().get(self.group) else {
                return Ok(false);
            };
            // Checked to be positive when the file was opened.
            self.left = usize::try_from(group.num_rows()).unwrap_or(0);
            let (reader, places, index) = (&self.reader, &self.places, self.group);
            self.group += 1;
            if self.left == 0 {
                continue;
            }
            self.group_columns = guarded(&self.path, || {
                let group = reader.get_row_group(index)?;
                let schema = reader.metadata().file_metadata().schema_descr();
                let open = |(column, place): (&Column, &usize)| {
                    let description = schema.column(*place);
                    let pages = CheckedPages {
                        pages: group.get_column_page_reader(*place)?,
                        kind: column.kind,
                        optional: description.max_def_level() > 0,
                        dictionary: false,
                    };
                    Ok(get_column_reader(description, Box::new(pages)))
                };
                columns.iter().zip(places).map(open).collect()
            })?;
        }
        let n = self.left.min(BATCH);
        for (i, column) in columns.iter().enumerate() {
            let (reader, data) = (&mut self.group_columns[i], &mut rows.columns[i]);
            let read = guarded(&self.path, || read_column(reader, n, data))?;
            let Some(values) = read else {
                return Err(self.column_error(column, "it is of the wrong type"));
            };
            if values < n {
                return Err(self.column_error(column, "it has empty cells or ends early"));
            }
        }
        rows.len = n;
        self.left -= n;
        Ok(true)
    }

    fn column_error(&self, column: &Column, reason: &str) -> RecordError {
        column_error(&self.path, column.name, reason)
    }
}

/// What a file is by its name that is no Parquet file.
fn other_kind(path: &Path) -> &'static str {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "toml" => "it is a scene; `stickslip run` with -o NAME.parquet makes a trajectory of it",
        "html" => "it is a page; give the .parquet that was written with it",
        _ => "it is not a Parquet file",
    }
}

fn column_error(path: &Path, column: &str, reason: impl Into<String>) -> RecordError {
    RecordError::Column {
        path: path.to_path_buf(),
        column: column.to_owned(),
        reason: reason.into(),
    }
}

/// Where our columns stand in the file; others are ignored.
fn find_columns(
    path: &Path,
    reader: &SerializedFileReader<File>,
    columns: &[Column],
) -> Result<Vec<usize>, RecordError> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut places = Vec::new();
    for column in columns {
        let wanted = match column.kind {
            Kind::Int => Physical::INT64,
            Kind::Real => Physical::DOUBLE,
            Kind::Text => Physical::BYTE_ARRAY,
            Kind::Flag => Physical::BOOLEAN,
        };
        let place = schema
            .columns()
            .iter()
            .position(|found| found.path().parts() == [column.name])
            .ok_or_else(|| column_error(path, column.name, "it is missing"))?;
        let found = schema.column(place);
        if found.physical_type() != wanted
            || found.max_rep_level() != 0
            || found.max_def_level() > 1
        {
            let reason = format!("it is of type {}, not {wanted}", found.physical_type());
            return Err(column_error(path, column.name, reason));
        }
        places.push(place);
    }
    Ok(places)
}

fn check_group(
    path: &Path,
    group: &RowGroupMetaData,
    columns: &[Column],
    places: &[usize],
    length: u64,
) -> Result<(), RecordError> {
    let rows = group.num_rows();
    // Some programs write a group for no rows at all, with pages that are nowhere.
    if rows == 0 {
        return Ok(());
    }
    if rows < 0 {
        return Err(RecordError::Damaged {
            path: path.to_path_buf(),
            reason: format!("a row group of {rows} rows"),
        });
    }
    for (column, place) in columns.iter().zip(places) {
        let chunk = group.columns().get(*place);
        chunk
            .ok_or_else(|| "it is missing in a row group".to_owned())
            .and_then(|chunk| check_chunk(chunk, rows, length))
            .map_err(|reason| column_error(path, column.name, reason))?;
    }
    Ok(())
}

/// Reads n values; how many there were, or `None` if the column is of another type.
fn read_column(
    reader: &mut ColumnReader,
    n: usize,
    data: &mut Data,
) -> Result<Option<usize>, ParquetError> {
    let values = match (reader, data) {
        (ColumnReader::Int64ColumnReader(r), Data::Int(values)) => read_values(r, n, values)?,
        (ColumnReader::DoubleColumnReader(r), Data::Real(values)) => read_values(r, n, values)?,
        (ColumnReader::ByteArrayColumnReader(r), Data::Text(values)) => read_values(r, n, values)?,
        (ColumnReader::BoolColumnReader(r), Data::Flag(values)) => read_values(r, n, values)?,
        _ => return Ok(None),
    };
    Ok(Some(values))
}

fn read_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    n: usize,
    values: &mut Vec<T::T>,
) -> Result<usize, ParquetError> {
    let mut levels = Vec::new();
    reader.read_records(n, Some(&mut levels), None, values)?;
    Ok(values.len())
}
