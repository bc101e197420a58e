//! Columns of a table in memory, between steps and Parquet pages.

use parquet::data_type::ByteArray;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A signed 64-bit integer.
    Int,
    /// An f64.
    Real,
    /// UTF-8, few different ones: names.
    Text,
    /// True or false.
    Flag,
}

/// One column of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// SI unit; empty where there is none.
    pub(super) unit: &'static str,
}

/// The values of one column.
#[derive(Clone, Debug)]
pub(super) enum Data {
    Int(Vec<i64>),
    Real(Vec<f64>),
    Text(Vec<ByteArray>),
    Flag(Vec<bool>),
}

/// One value of a row.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Int(i64),
    Real(f64),
    Text(&'a ByteArray),
    Flag(bool),
}

/// Some rows of a table, column by column.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) columns: Vec<Data>,
    pub(super) len: usize,
}

impl Rows {
    pub(super) fn new(columns: &[Column]) -> Self {
        let columns = columns.iter().map(|column| match column.kind {
            Kind::Int => Data::Int(Vec::new()),
            Kind::Real => Data::Real(Vec::new()),
            Kind::Text => Data::Text(Vec::new()),
            Kind::Flag => Data::Flag(Vec::new()),
        });
        Self {
            columns: columns.collect(),
            len: 0,
        }
    }

    /// Adds one row; the values are of the kinds of the columns, in their order.
    pub(super) fn push<'a>(&mut self, values: impl IntoIterator<Item = Value<'a>>) {
        let mut columns = self.columns.iter_mut();
        for value in values {
            match (columns.next(), value) {
                (Some(Data::Int(column)), Value::Int(x)) => column.push(x),
                (Some(Data::Real(column)), Value::Real(x)) => column.push(x),
                (Some(Data::Text(column)), Value::Text(x)) => column.push(x.clone()),
                (Some(Data::Flag(column)), Value::Flag(x)) => column.push(x),
                (column, value) => unreachable!("{value:?} into {column:?}"),
            }
        }
        debug_assert!(columns.next().is_none());
        self.len += 1;
    }

    /// Forgets the rows but keeps their memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        for column in &mut self.columns {
            match column {
                Data::Int(values) => values.clear(),
                Data::Real(values) => values.clear(),
                Data::Text(values) => values.clear(),
                Data::Flag(values) => values.clear(),
            }
        }
    }

    /// Adds the rows of another one, which forgets them, until there are `most`.
    pub(super) fn take_from(&mut self, other: &mut Self, most: u64) {
        let room = usize::try_from(most).unwrap_or(usize::MAX) - self.len;
        let n = other.len.min(room);
        for (column, more) in self.columns.iter_mut().zip(&mut other.columns) {
            match (column, more) {
                (Data::Int(all), Data::Int(more)) => all.extend(more.drain(..n)),
                (Data::Real(all), Data::Real(more)) => all.extend(more.drain(..n)),
                (Data::Text(all), Data::Text(more)) => all.extend(more.drain(..n)),
                (Data::Flag(all), Data::Flag(more)) => all.extend(more.drain(..n)),
                (column, more) => unreachable!("{more:?} into {column:?}"),
            }
        }
        self.len += n;
        other.clear();
    }

    pub(super) fn int(&self, column: usize, row: usize) -> i64 {
        match &self.columns[column] {
            Data::Int(values) => values[row],
            other => unreachable!("column {column} is {other:?}"),
        }
    }

    pub(super) fn real(&self, column: usize, row: usize) -> f64 {
        match &self.columns[column] {
            Data::Real(values) => values[row],
            other => unreachable!("column {column} is {other:?}"),
        }
    }

    pub(super) fn text(&self, column: usize, row: usize) -> &[u8] {
        match &self.columns[column] {
            Data::Text(values) => values[row].data(),
            other => unreachable!("column {column} is {other:?}"),
        }
    }

    pub(super) fn flag(&self, column: usize, row: usize) -> bool {
        match &self.columns[column] {
            Data::Flag(values) => values[row],
            other => unreachable!("column {column} is {other:?}"),
        }
    }
}
