//! Rows to Parquet files, and whole row groups from one file to another.

use super::columns::{Column, Data, Kind, Rows};
use super::sink::Sink;
use crate::error::RecordError;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Damage that can only come from the disk or from us, told with the file's name.
pub(super) fn failed(path: &Path) -> impl Fn(ParquetError) -> RecordError + '_ {
    move |error| match error {
        ParquetError::External(source) => RecordError::Io {
            path: path.to_path_buf(),
            source: match source.downcast::<std::io::Error>() {
                Ok(error) => *error,
                Err(other) => std::io::Error::other(other),
            },
        },
        other => RecordError::Io {
            path: path.to_path_buf(),
            source: std::io::Error::other(other),
        },
    }
}

/// The schema of a table: all columns required, names in UTF-8.
fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::new();
    for column in columns {
        let (physical, logical) = match column.kind {
            Kind::Int => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Flag => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    let schema = Type::group_type_builder("schema")
        .with_fields(fields)
        .build()?;
    Ok(Arc::new(schema))
}

/// How a table is packed: the same bytes for the same rows, always.
fn properties(
    columns: &[Column],
    metadata: &[KeyValue],
) -> Result<WriterPropertiesPtr, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("stickslip ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(metadata.to_vec()));
    for column in columns {
        // Steps, times and names repeat and go into a dictionary; the other numbers rarely do, and
        // their bytes compress best when those of the same weight stand together.
        if column.kind == Kind::Real && column.name != "t" {
            let path = ColumnPath::from(column.name);
            builder = builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
        }
    }
    Ok(Arc::new(builder.build()))
}

/// A Parquet file that takes row groups.
pub(super) struct TableFile<'a> {
    path: &'a Path,
    writer: SerializedFileWriter<Sink>,
}

impl<'a> TableFile<'a> {
    pub(super) fn create(
        path: &'a Path,
        columns: &[Column],
        metadata: &[KeyValue],
    ) -> Result<Self, RecordError> {
        let file = Sink::create(path).map_err(RecordError::io(path))?;
        let build =
            || SerializedFileWriter::new(file, schema(columns)?, properties(columns, metadata)?);
        let writer = build().map_err(failed(path))?;
        Ok(Self { path, writer })
    }

    /// Writes rows as one row group; none at all if there are no rows.
    pub(super) fn write(&mut self, rows: &Rows) -> Result<(), RecordError> {
        if rows.len == 0 {
            return Ok(());
        }
        write_rows(&mut self.writer, rows).map_err(failed(self.path))
    }

    /// Copies the first row groups of another file of the same table, byte by byte, as many as hold so many rows.
    pub(super) fn append(&mut self, part: &Path, rows: u64) -> Result<(), RecordError> {
        let file = File::open(part).map_err(RecordError::io(part))?;
        append_file(&mut self.writer, file, rows).map_err(failed(part))
    }

    /// Writes the footer and, if `sync`, waits until the file is on the disk; its length, bytes.
    pub(super) fn close(self, sync: bool) -> Result<u64, RecordError> {
        let sink = self.writer.into_inner().map_err(failed(self.path))?;
        let close = || {
            if sync {
                sink.file().sync_data()?;
            }
            Ok(sink.file().metadata()?.len())
        };
        close().map_err(RecordError::io(self.path))
    }
}

fn write_rows(writer: &mut SerializedFileWriter<Sink>, rows: &Rows) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for data in &rows.columns {
        let mut column = group
            .next_column()?
            .ok_or_else(|| ParquetError::General("more data than columns".into()))?;
        match data {
            Data::Int(values) => column
                .typed::<Int64Type>()
                .write_batch(values, None, None)?,
            Data::Real(values) => column
                .typed::<DoubleType>()
                .write_batch(values, None, None)?,
            Data::Text(values) => column
                .typed::<ByteArrayType>()
                .write_batch(values, None, None)?,
            Data::Flag(values) => column.typed::<BoolType>().write_batch(values, None, None)?,
        };
        column.close()?;
    }
    group.close()?;
    Ok(())
}

fn append_file(
    writer: &mut SerializedFileWriter<Sink>,
    file: File,
    mut rows: u64,
) -> Result<(), ParquetError> {
    let reader = SerializedFileReader::new(file.try_clone()?)?;
    for source in reader.metadata().row_groups() {
        let Some(left) = rows.checked_sub(u64::try_from(source.num_rows())?) else {
            break;
        };
        rows = left;
        let mut group = writer.next_row_group()?;
        for column in source.columns() {
            let close = ColumnCloseResult {
                bytes_written: u64::try_from(column.compressed_size())?,
                rows_written: u64::try_from(source.num_rows())?,
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            group.append_column(&file, close)?;
        }
        group.close()?;
    }
    Ok(())
}
