//! From text to postfix code.
//!
//! ```text
//! comparison := sum (("<" | "<=" | ">" | ">=") sum)?
//! sum        := product (("+" | "-") product)*
//! product    := unary (("*" | "/") unary)*
//! unary      := ("-" | "+") unary | power
//! power      := atom ("^" unary)?
//! atom       := number | name | name "(" comparison ("," comparison)* ")" | "(" comparison ")"
//! ```
//!
//! So `-2^2` is −4, `2^-1` is 1/2, and `2^3^2` is 2⁹.

use super::code::{DRAWS, FUNCTIONS, Item, Operator, is_function};
use super::lexer::{Token, TokenKind, tokens};
use super::nearest::nearest;
use super::{ExpressionError, Span};

/// Brackets, signs and powers nested deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// Parses a whole formula into postfix items, each with its place in the text.
pub(super) fn parse(text: &str) -> Result<Vec<(Item, Span)>, ExpressionError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        end: text.len(),
        depth: 0,
        code: Vec::new(),
    };
    parser.comparison()?;
    match parser.peek() {
        None => Ok(parser.code),
        Some(token) => Err(match token.kind {
            kind if is_comparison(kind) => chained(token),
            TokenKind::Close => ExpressionError::new(token.span(), "this `)` closes nothing"),
            kind => {
                let error =
                    ExpressionError::new(token.span(), "expected an operator or the end here");
                match kind {
                    TokenKind::Name => error.with_help(
                        "a product is written with `*`; units are not written: m, kg, s, N and rad (or `30 deg`)",
                    ),
                    _ => error,
                }
            }
        }),
    }
}

fn is_comparison(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(kind, K::Less | K::LessEqual | K::Greater | K::GreaterEqual)
}

fn chained(token: &Token<'_>) -> ExpressionError {
    ExpressionError::new(token.span(), "comparisons cannot be chained")
        .with_help("write the two comparisons as a product: (a < b) * (b < c)")
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    end: usize,
    depth: usize,
    code: Vec<(Item, Span)>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.next)
    }

    /// Takes the next token if it is of the given kind.
    fn accept(&mut self, kind: TokenKind) -> Option<Span> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        let span = token.span();
        self.next += 1;
        Some(span)
    }

    /// Takes the next token if it is one of the operators listed.
    fn accept_any(&mut self, among: &[(TokenKind, Operator)]) -> Option<(Operator, Span)> {
        among
            .iter()
            .find_map(|&(kind, operator)| Some((operator, self.accept(kind)?)))
    }

    /// The place to point at when something is missing: the next token, or the end of the text.
    fn here(&self) -> Span {
        self.peek().map_or(self.end..self.end, |token| token.span())
    }

    fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            return Err(ExpressionError::new(self.here(), message));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn apply(&mut self, operator: Operator, span: Span) {
        self.code.push((Item::Apply(operator), span));
    }

    fn comparison(&mut self) -> Result<(), ExpressionError> {
        const COMPARISONS: [(TokenKind, Operator); 4] = [
            (TokenKind::Less, Operator::Less),
            (TokenKind::LessEqual, Operator::LessEqual),
            (TokenKind::Greater, Operator::Greater),
            (TokenKind::GreaterEqual, Operator::GreaterEqual),
        ];
        self.sum()?;
        if let Some((operator, span)) = self.accept_any(&COMPARISONS) {
            self.sum()?;
            self.apply(operator, span);
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        const SUMS: [(TokenKind, Operator); 2] = [
            (TokenKind::Plus, Operator::Add),
            (TokenKind::Minus, Operator::Sub),
        ];
        self.product()?;
        while let Some((operator, span)) = self.accept_any(&SUMS) {
            self.product()?;
            self.apply(operator, span);
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        const PRODUCTS: [(TokenKind, Operator); 2] = [
            (TokenKind::Star, Operator::Mul),
            (TokenKind::Slash, Operator::Div),
        ];
        self.unary()?;
        while let Some((operator, span)) = self.accept_any(&PRODUCTS) {
            self.unary()?;
            self.apply(operator, span);
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        if let Some(span) = self.accept(TokenKind::Minus) {
            self.nested(Self::unary)?;
            self.apply(Operator::Neg, span);
            Ok(())
        } else if self.accept(TokenKind::Plus).is_some() {
            self.nested(Self::unary)
        } else {
            self.power()
        }
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.atom()?;
        self.unit();
        if let Some(span) = self.accept(TokenKind::Caret) {
            self.nested(Self::unary)?;
            self.apply(Operator::Pow, span);
        }
        Ok(())
    }

    /// `deg` behind a number, a name or a bracket makes degrees radians.
    fn unit(&mut self) {
        let Some(token) = self.peek() else {
            return;
        };
        if token.kind == TokenKind::Name && token.text == "deg" {
            let span = token.span();
            self.next += 1;
            self.code
                .push((Item::Number(std::f64::consts::PI / 180.0), span.clone()));
            self.apply(Operator::Mul, span);
        }
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        let Some(token) = self.peek().cloned() else {
            let message = "expected a number, a name or `(` here";
            return Err(ExpressionError::new(self.here(), message));
        };
        self.next += 1;
        let span = token.span();
        match token.kind {
            TokenKind::Number => {
                let value = token.number()?;
                self.code.push((Item::Number(value), span));
                Ok(())
            }
            TokenKind::Name => match self.accept(TokenKind::Open) {
                Some(_) => self.call(token.text, span),
                None => self.name(token.text, span),
            },
            TokenKind::Open => {
                self.nested(Self::comparison)?;
                self.close(span)
            }
            _ => {
                let message = "expected a number, a name or `(` here";
                Err(ExpressionError::new(span, message))
            }
        }
    }

    fn close(&mut self, opened: Span) -> Result<(), ExpressionError> {
        if self.accept(TokenKind::Close).is_some() {
            return Ok(());
        }
        match self.peek() {
            None => return Err(ExpressionError::new(opened, "this bracket is never closed")),
            Some(token) if is_comparison(token.kind) => return Err(chained(token)),
            Some(_) => {}
        }
        let message = "expected an operator or `)` here";
        Err(ExpressionError::new(self.here(), message))
    }

    fn name(&mut self, name: &str, span: Span) -> Result<(), ExpressionError> {
        if is_function(name) {
            let message = format!("`{name}` is a function: `(` must follow");
            return Err(ExpressionError::new(span, message));
        }
        self.code.push((Item::Name(name.into()), span));
        Ok(())
    }

    fn call(&mut self, name: &str, span: Span) -> Result<(), ExpressionError> {
        let operator = FUNCTIONS.iter().find(|f| f.0 == name);
        let draw = DRAWS.iter().find(|f| f.0 == name);
        let (item, takes) = match (operator, draw) {
            (Some(&(_, operator)), _) => (Item::Apply(operator), operator.arity()),
            (None, Some(&(_, draw))) => (Item::Draw(draw), 2),
            (None, None) => return Err(unknown_function(name, span)),
        };
        let mut count = 0;
        if self.accept(TokenKind::Close).is_none() {
            loop {
                self.nested(Self::comparison)?;
                count += 1;
                if self.accept(TokenKind::Comma).is_none() {
                    break;
                }
            }
            self.close(span.clone())?;
        }
        if count != takes {
            let plural = if takes == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` takes {takes} {plural}, not {count}");
            return Err(ExpressionError::new(span, message));
        }
        self.code.push((item, span));
        Ok(())
    }
}

fn unknown_function(name: &str, span: Span) -> ExpressionError {
    let functions = FUNCTIONS.iter().map(|f| f.0);
    let known: Vec<&str> = functions.chain(DRAWS.iter().map(|f| f.0)).collect();
    let error = ExpressionError::new(span, format!("unknown function `{name}`"));
    match nearest(name, known.iter().copied()) {
        Some(meant) => error.with_help(format!("did you mean `{meant}`?")),
        None => error.with_help(format!("the functions are {}", known.join(", "))),
    }
}
