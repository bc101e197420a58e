//! From text to tokens.

use super::{ExpressionError, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Number,
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Comma,
    Open,
    Close,
}

/// A token, its text, and the byte at which it starts.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    pub(super) start: usize,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }

    /// The value of a number token.
    pub(super) fn number(&self) -> Result<f64, ExpressionError> {
        match self.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(ExpressionError::new(
                self.span(),
                "this number is too large",
            )),
            Err(_) => Err(ExpressionError::new(self.span(), "this is not a number")),
        }
    }
}

/// Splits the text into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExpressionError> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (kind, length) = token_at(text, start, first)?;
        found.push(Token {
            kind,
            text: &text[start..start + length],
            start,
        });
        start += length;
    }
    Ok(found)
}

/// The kind and length of the token at `start`, which begins with `first`.
fn token_at(text: &str, start: usize, first: char) -> Result<(TokenKind, usize), ExpressionError> {
    let rest = &text[start..];
    let then_equals = rest[first.len_utf8()..].starts_with('=');
    Ok(match first {
        '0'..='9' | '.' => (TokenKind::Number, number_length(rest)),
        'a'..='z' | 'A'..='Z' | '_' => (TokenKind::Name, name_length(rest)),
        '+' => (TokenKind::Plus, 1),
        '-' => (TokenKind::Minus, 1),
        '*' if rest.starts_with("**") => {
            let error = ExpressionError::new(start..start + 2, "unknown operator `**`");
            return Err(error.with_help("a power is written `^`"));
        }
        '*' => (TokenKind::Star, 1),
        '/' => (TokenKind::Slash, 1),
        '^' => (TokenKind::Caret, 1),
        '<' if then_equals => (TokenKind::LessEqual, 2),
        '<' => (TokenKind::Less, 1),
        '>' if then_equals => (TokenKind::GreaterEqual, 2),
        '>' => (TokenKind::Greater, 1),
        ',' => (TokenKind::Comma, 1),
        '(' => (TokenKind::Open, 1),
        ')' => (TokenKind::Close, 1),
        other => {
            let span = start..start + other.len_utf8();
            let message = format!("unexpected character {other:?}");
            let error = ExpressionError::new(span, message);
            return Err(match instead_of(other) {
                Some(help) => error.with_help(help),
                None => error,
            });
        }
    })
}

/// What is written here for a sign that is common elsewhere.
fn instead_of(sign: char) -> Option<&'static str> {
    Some(match sign {
        '°' => "degrees are written as `90 deg`",
        '%' => "50 % are written as 0.5",
        '×' | '·' | '⋅' => "a product is written with `*`",
        '−' | '–' => "a minus is written with `-`",
        '=' => "there is no `=` in a formula; compare with <, <=, > or >=",
        _ => return None,
    })
}

fn name_length(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len())
}

/// The length of a number: digits and points, then an exponent with its sign if one follows.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        let count = bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        from + count
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let stop = digits(end + 1 + signed);
        if stop > end + 1 + signed {
            end = stop;
        }
    }
    end
}
