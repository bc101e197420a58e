//! As much of a JSON Schema validator as the scene's schema needs. Words it does not know are an
//! error, so that a schema it cannot judge is not taken for right.

use serde_json::Value;

/// The schema itself, or the alternatives of its `anyOf`.
pub(crate) fn options(schema: &Value) -> Vec<&Value> {
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(options) => options.iter().flat_map(options_of).collect(),
        None => vec![schema],
    }
}

fn options_of(schema: &Value) -> Vec<&Value> {
    options(schema)
}

pub(crate) fn validate(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let fields = schema.as_object().ok_or("a schema is an object")?;
    for (word, rule) in fields {
        let holds = match word.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = rule.as_str().and_then(|r| r.strip_prefix("#/$defs/"));
                let target = name.and_then(|name| root["$defs"].get(name));
                return validate(value, target.ok_or("a dangling $ref")?, root);
            }
            "anyOf" => {
                let options = rule.as_array().ok_or("anyOf is an array")?;
                options
                    .iter()
                    .any(|option| validate(value, option, root).is_ok())
            }
            "type" => has_type(value, rule.as_str().ok_or("type is a string")?)?,
            "enum" => rule.as_array().is_some_and(|list| list.contains(value)),
            "const" => value == rule,
            "pattern" => fits_pattern(value, rule.as_str().unwrap_or(""))?,
            "properties" => {
                properties(value, rule, root)?;
                true
            }
            "required" => {
                let names = rule.as_array().ok_or("required is an array")?;
                names
                    .iter()
                    .all(|n| n.as_str().is_some_and(|n| value.get(n).is_some()))
            }
            "additionalProperties" => additional(value, schema, rule, root)?,
            "propertyNames" => {
                let names = value.as_object().into_iter().flatten();
                for (name, _) in names {
                    validate(&Value::from(name.as_str()), rule, root)?;
                }
                true
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    validate(item, rule, root)?;
                }
                true
            }
            "minItems" => length(value) >= rule.as_u64(),
            "maxItems" => length(value) <= rule.as_u64(),
            "minProperties" => length(value) >= rule.as_u64(),
            "maxProperties" => length(value) <= rule.as_u64(),
            other => return Err(format!("the validator does not know `{other}`")),
        };
        if !holds {
            return Err(format!("{value} breaks `{word}`: {rule}"));
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &str) -> Result<bool, String> {
    Ok(match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => return Err(format!("the validator does not know the type {other}")),
    })
}

fn fits_pattern(value: &Value, pattern: &str) -> Result<bool, String> {
    let Some(text) = value.as_str() else {
        return Ok(true);
    };
    match pattern {
        "^pyramid:[0-9]+$" => Ok(text
            .strip_prefix("pyramid:")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))),
        "^[A-Za-z_][A-Za-z0-9_]*$" => {
            let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            Ok(word && !text.starts_with(|c: char| c.is_ascii_digit()))
        }
        other => Err(format!("the validator does not know the pattern {other}")),
    }
}

fn properties(value: &Value, rules: &Value, root: &Value) -> Result<(), String> {
    for (name, inner) in value.as_object().into_iter().flatten() {
        if let Some(rule) = rules.get(name) {
            validate(inner, rule, root).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    Ok(())
}

fn additional(value: &Value, schema: &Value, rule: &Value, root: &Value) -> Result<bool, String> {
    let listed = |name: &str| {
        schema
            .get("properties")
            .is_some_and(|p| p.get(name).is_some())
    };
    for (name, inner) in value.as_object().into_iter().flatten() {
        if listed(name) {
            continue;
        }
        if rule == &Value::Bool(false) {
            return Err(format!("unknown key {name}"));
        }
        validate(inner, rule, root)?;
    }
    Ok(true)
}

fn length(value: &Value) -> Option<u64> {
    let items = value.as_array().map(Vec::len);
    let length = items.or_else(|| value.as_object().map(serde_json::Map::len));
    length.map(|length| length as u64)
}
