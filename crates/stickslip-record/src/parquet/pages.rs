//! Pages of a column, checked before the decoder takes them for granted.

use super::columns::Kind;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Passes on the pages of a flat column, but not those that would make the decoder panic.
pub(super) struct CheckedPages {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) kind: Kind,
    /// May the column have empty cells? Then its pages begin with definition levels.
    pub(super) optional: bool,
    pub(super) dictionary: bool,
}

impl CheckedPages {
    fn check(&mut self, page: &Page) -> Result<()> {
        let wrong = |what: &str| Err(ParquetError::General(what.to_owned()));
        let bytes = page.buffer().as_ref();
        if matches!(page, Page::DictionaryPage { .. }) {
            if std::mem::replace(&mut self.dictionary, true) {
                return wrong("two dictionaries in one column");
            }
            // The decoder makes room for as many values as the page claims to have.
            if !self.holds(bytes, page.num_values()) {
                return wrong("a dictionary that ends early");
            }
            return Ok(());
        }
        let values = self.levels(page).and_then(|levels| bytes.get(levels..));
        let Some(values) = values else {
            return wrong("a page that ends within its levels");
        };
        match page.encoding() {
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if !self.dictionary => {
                wrong("a page without its dictionary")
            }
            // Empty cells are refused later, so every value must be there.
            Encoding::PLAIN if !self.holds(values, page.num_values()) => {
                wrong("a page that ends early")
            }
            Encoding::BYTE_STREAM_SPLIT
                if self.kind != Kind::Real
                    || values.len() as u64 != u64::from(page.num_values()) * 8 =>
            {
                wrong("a page of the wrong length")
            }
            Encoding::PLAIN
            | Encoding::RLE
            | Encoding::RLE_DICTIONARY
            | Encoding::PLAIN_DICTIONARY
            | Encoding::BYTE_STREAM_SPLIT => Ok(()),
            other => Err(ParquetError::NYI(format!("pages in the encoding {other}"))),
        }
    }

    /// Are there as many values, one after the other, in these bytes?
    fn holds(&self, mut bytes: &[u8], values: u32) -> bool {
        match self.kind {
            Kind::Int | Kind::Real => bytes.len() as u64 >= u64::from(values) * 8,
            Kind::Flag => bytes.len() as u64 * 8 >= u64::from(values),
            Kind::Text => (0..values).all(|_| {
                let text = bytes.split_first_chunk().and_then(|(length, rest)| {
                    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
                    rest.get(length..)
                });
                bytes = text.unwrap_or_default();
                text.is_some()
            }),
        }
    }

    /// How many bytes of a data page are levels.
    fn levels(&self, page: &Page) -> Option<usize> {
        match page {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => usize::try_from(def_levels_byte_len.checked_add(*rep_levels_byte_len)?).ok(),
            _ if self.optional => {
                let length = page.buffer().first_chunk()?;
                usize::try_from(u32::from_le_bytes(*length))
                    .ok()?
                    .checked_add(4)
            }
            _ => Some(0),
        }
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
