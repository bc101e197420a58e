//! The scene format as JSON Schema.

use serde_json::{Map, Value, json};

use super::FORMAT;
use super::keys::{Kind, ROOT, SHAPE, TableSpec};

/// The scene format as JSON Schema (draft 2020-12), made from the same list of keys that the parser
/// checks against. What a schema cannot say, such as that a body's name is used once, only the parser
/// refuses.
#[must_use]
pub fn schema() -> Value {
    let mut schema = table(&ROOT);
    if let Value::Object(fields) = &mut schema {
        fields.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        fields.insert("title".to_owned(), json!("stickslip scene"));
        fields.insert("$defs".to_owned(), definitions());
    }
    schema
}

fn definitions() -> Value {
    json!({
        "number": {
            "description": "A finite number, or a formula of the parameters, `pi`, and in a counted body `i`.",
            "anyOf": [{ "type": "number" }, { "type": "string" }],
        },
        "function": {
            "description": "A finite number, or a formula that may also use the time `t`.",
            "anyOf": [{ "type": "number" }, { "type": "string" }],
        },
        "shape": table(&SHAPE),
    })
}

fn table(spec: &TableSpec) -> Value {
    let mut properties = Map::new();
    for key in spec.keys {
        let mut value = of_kind(&key.kind);
        if let Value::Object(fields) = &mut value {
            fields.insert("description".to_owned(), json!(key.doc));
        }
        properties.insert(key.name.to_owned(), value);
    }
    let required: Vec<&str> = spec
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name)
        .collect();
    let mut schema = json!({
        "type": "object",
        "description": spec.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let (true, Value::Object(fields)) = (spec.one_key, &mut schema) {
        fields.insert("minProperties".to_owned(), json!(1));
        fields.insert("maxProperties".to_owned(), json!(1));
    }
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Limit => json!({ "anyOf": [{ "type": "number" }, { "type": "string" }] }),
        Kind::PyramidText => {
            json!({ "type": "string", "pattern": "^(pyramid:[0-9]+(:(world|body)(:[-+.eE0-9]+)?)?|budget:[0-9]+)$" })
        }
        Kind::Format => json!({ "const": FORMAT }),
        Kind::Number => json!({ "$ref": "#/$defs/number" }),
        Kind::Function => json!({ "$ref": "#/$defs/function" }),
        Kind::Array(item, length) => json!({
            "type": "array",
            "items": of_kind(item),
            "minItems": length,
            "maxItems": length,
        }),
        Kind::Shape => json!({ "$ref": "#/$defs/shape" }),
        Kind::List(item) => json!({ "type": "array", "items": of_kind(item) }),
        Kind::Table(spec) => table(spec),
        Kind::Tables(spec) => json!({ "type": "array", "items": table(spec) }),
        Kind::Parameters => json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
            "additionalProperties": { "$ref": "#/$defs/number" },
        }),
        Kind::Either(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(of_kind).collect();
            json!({ "anyOf": kinds })
        }
    }
}
