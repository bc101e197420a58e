//! Tables of a trajectory, column by column: one memory for NumPy and for Arrow.

use crate::buffer::Buffer;
use crate::errors::Fault;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchIterator, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns of one length.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct Table {
    batch: RecordBatch,
}

/// Collects columns.
pub(crate) struct Columns {
    rows: usize,
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    /// None yet, of that many rows.
    pub(crate) const fn of(rows: usize) -> Self {
        Self {
            rows,
            fields: Vec::new(),
            arrays: Vec::new(),
        }
    }

    /// All values, in memory that is as large as it need be.
    fn gathered<T>(&self, values: impl Iterator<Item = T>) -> Vec<T> {
        let mut all = Vec::with_capacity(self.rows);
        all.extend(values);
        all
    }

    fn add(mut self, name: &str, unit: &str, array: ArrayRef) -> Self {
        let mut field = Field::new(name, array.data_type().clone(), false);
        if !unit.is_empty() {
            field = field.with_metadata([("unit".to_owned(), unit.to_owned())]);
        }
        self.fields.push(field);
        self.arrays.push(array);
        self
    }

    /// Numbers in a unit.
    pub(crate) fn numbers(self, name: &str, unit: &str, values: impl Iterator<Item = f64>) -> Self {
        let all = self.gathered(values);
        self.add(name, unit, Arc::new(Float64Array::from(all)))
    }

    /// Whole numbers.
    pub(crate) fn counts(self, name: &str, values: impl Iterator<Item = u64>) -> Self {
        let all = self.gathered(values.map(|n| n as i64));
        self.add(name, "", Arc::new(Int64Array::from(all)))
    }

    pub(crate) fn flags(self, name: &str, values: impl Iterator<Item = bool>) -> Self {
        let all = self.gathered(values);
        self.add(name, "", Arc::new(BooleanArray::from(all)))
    }

    /// Names by their numbers.
    pub(crate) fn names(
        self,
        name: &str,
        names: &[String],
        numbers: impl Iterator<Item = usize>,
    ) -> Result<Self, Fault> {
        let codes = Int32Array::from(self.gathered(numbers.map(|k| k as i32)));
        let all = Arc::new(StringArray::from_iter_values(names));
        let array = DictionaryArray::<Int32Type>::try_new(codes, all).map_err(Fault::input)?;
        Ok(self.add(name, "", Arc::new(array)))
    }

    /// Words of which there are few.
    pub(crate) fn words<'a>(self, name: &str, words: impl Iterator<Item = &'a str>) -> Self {
        let mut builder = StringDictionaryBuilder::<Int32Type>::new();
        words.for_each(|word| builder.append_value(word));
        self.add(name, "", Arc::new(builder.finish()))
    }

    pub(crate) fn finish(self) -> Result<Table, Fault> {
        let schema = Arc::new(Schema::new(self.fields));
        let batch = RecordBatch::try_new(schema, self.arrays).map_err(Fault::input)?;
        Ok(Table { batch })
    }
}

impl Table {
    fn find(&self, name: &str) -> Result<&ArrayRef, Fault> {
        self.batch.column_by_name(name).ok_or_else(|| {
            let names: Vec<&str> = self.names();
            Fault::Input(format!(
                "there is no column \"{name}\"; there are {}",
                names.join(", ")
            ))
        })
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The columns in their order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.batch
            .schema_ref()
            .fields()
            .iter()
            .map(|f| f.name().as_str())
            .collect()
    }

    /// The unit of each column that has one.
    #[getter]
    fn units(&self) -> BTreeMap<&str, &str> {
        let fields = self.batch.schema_ref().fields().iter();
        fields
            .filter_map(|f| Some((f.name().as_str(), f.metadata().get("unit")?.as_str())))
            .collect()
    }

    /// A column's memory, its NumPy type, and the words that its numbers stand for, if they do.
    fn column(&self, name: &str) -> PyResult<(Buffer, &'static str, Option<Vec<String>>)> {
        let array = self.find(name)?;
        Ok(match array.data_type() {
            DataType::Float64 => (
                Buffer::new(array.as_primitive::<Float64Type>().values().inner().clone()),
                "f8",
                None,
            ),
            DataType::Int64 => (
                Buffer::new(array.as_primitive::<Int64Type>().values().inner().clone()),
                "i8",
                None,
            ),
            DataType::Boolean => {
                // Arrow has eight of them in a byte.
                let bytes: Vec<u8> = array
                    .as_boolean()
                    .iter()
                    .map(|b| u8::from(b == Some(true)))
                    .collect();
                (Buffer::new(bytes.into()), "?", None)
            }
            _ => {
                let words = array.as_dictionary::<Int32Type>();
                let all = words.values().as_string::<i32>();
                let list = all
                    .iter()
                    .map(|w| w.unwrap_or_default().to_owned())
                    .collect();
                (
                    Buffer::new(words.keys().values().inner().clone()),
                    "i4",
                    Some(list),
                )
            }
        })
    }

    /// The table as a stream of Arrow's C interface: the same memory.
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that need not be granted.
        drop(requested_schema);
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
