//! Records of an RFC 4180 file, one by one, with bounded memory.

use std::io::{self, BufRead, Read};

/// No record of ours comes near this; a longer one is refused instead of filling the memory.
const LONGEST: u64 = 1 << 20;

/// What is wrong with a record.
#[derive(Debug)]
pub(super) enum RowError {
    Io(io::Error),
    Form(&'static str),
}

/// Splits a file into records and fields.
#[derive(Debug)]
pub(super) struct Rows<R> {
    input: R,
    raw: Vec<u8>,
    /// Line on which the current record starts, from 1.
    pub(super) line: u64,
    next_line: u64,
    /// Did the current record end with a line break?
    pub(super) ended: bool,
    /// Fields of the current record.
    pub(super) fields: Vec<String>,
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            raw: Vec::new(),
            line: 0,
            next_line: 1,
            ended: true,
            fields: Vec::new(),
        }
    }

    /// Reads the next record into `fields`; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool, RowError> {
        self.raw.clear();
        self.line = self.next_line;
        loop {
            let room = LONGEST - self.raw.len() as u64;
            let read = (&mut self.input)
                .take(room)
                .read_until(b'\n', &mut self.raw)
                .map_err(RowError::Io)?;
            self.ended = self.raw.last() == Some(&b'\n');
            if self.raw.len() as u64 >= LONGEST {
                return Err(RowError::Form("a row of more than a megabyte"));
            }
            if self.ended && read > 0 {
                self.next_line += 1;
            }
            // Inside quotes a line break is part of the field.
            let open = self.raw.iter().filter(|b| **b == b'"').count() % 2 == 1;
            if read == 0 || !open {
                break;
            }
        }
        if self.raw.is_empty() {
            return Ok(false);
        }
        self.split()?;
        Ok(true)
    }

    fn split(&mut self) -> Result<(), RowError> {
        let text = std::str::from_utf8(&self.raw).map_err(|_| RowError::Form("not UTF-8"))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let mut rest = text.strip_suffix('\r').unwrap_or(text);
        self.fields.clear();
        loop {
            let mut field = String::new();
            if let Some(inside) = rest.strip_prefix('"') {
                rest = inside;
                loop {
                    let (part, after) = rest
                        .split_once('"')
                        .ok_or(RowError::Form("a quote is not closed"))?;
                    field.push_str(part);
                    rest = after;
                    let Some(more) = rest.strip_prefix('"') else {
                        break;
                    };
                    field.push('"');
                    rest = more;
                }
            } else {
                let end = rest.find(',').unwrap_or(rest.len());
                field.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            self.fields.push(field);
            if rest.is_empty() {
                return Ok(());
            }
            rest = rest
                .strip_prefix(',')
                .ok_or(RowError::Form("text after a closing quote"))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_breaks_inside_fields_are_read() {
        let text = "a,\"b,c\"\r\n\"say \"\"hi\"\"\",\"two\nlines\"\nlast,";
        let mut rows = Rows::new(text.as_bytes());
        let mut all = Vec::new();
        let mut lines = Vec::new();
        while rows.advance().unwrap() {
            all.push(rows.fields.clone());
            lines.push(rows.line);
        }
        assert_eq!(
            all,
            [["a", "b,c"], ["say \"hi\"", "two\nlines"], ["last", ""]]
        );
        assert_eq!(lines, [1, 2, 4]);
        assert!(!rows.ended || rows.raw.is_empty());
    }

    #[test]
    fn broken_quotes_and_endless_rows_are_refused() {
        let endless = vec![b'x'; 3 << 20];
        for text in [&b"\"open\n"[..], b"\"a\"b,c\n", b"\xff\xfe\n", &endless] {
            assert!(matches!(Rows::new(text).advance(), Err(RowError::Form(_))));
        }
    }
}
