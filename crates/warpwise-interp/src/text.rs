//! Values as text, for the headers of test files: constants of the IR and nested lists of them.
//!
//! ```text
//! f(3, [1f32, 2f32, 3f32], empty(0, 2, i64))
//! ```
//!
//! A list without elements does not determine its shape and type; `empty(0, 2, i64)` does.

use warpwise_prim::{Scalar, ScalarType};

use crate::value::{ArrayValue, Value};

/// A call as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<'t> {
    /// Name of the function.
    pub function: &'t str,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The text after the call.
    pub rest: &'t str,
}

/// Reads `f(value, ...)`.
pub fn parse_call(text: &str) -> Result<Call<'_>, String> {
    let (function, args) = text.split_once('(').ok_or("a call looks like `f(1, [2f32])`")?;
    let mut reader = Reader { rest: args };
    let args = reader.list(')')?;
    Ok(Call { function, args, rest: reader.rest })
}

/// Reads `value, ...` up to the end of the text.
pub fn parse_values(text: &str) -> Result<Vec<Value>, String> {
    let text = format!("{text})");
    let mut reader = Reader { rest: &text };
    let values = reader.list(')')?;
    if reader.rest.is_empty() { Ok(values) } else { Err(format!("`{}` is left over", reader.rest)) }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Reads values up to a closing delimiter.
    fn list(&mut self, close: char) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Ok(values);
            }
            values.push(self.value()?);
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            return array(self.list(']')?);
        }
        let end = self.rest.find([',', ']', ')', '(']).ok_or("a value or a list has no end")?;
        let (text, rest) = self.rest.split_at(end);
        if let Some(sizes) = rest.strip_prefix('(').filter(|_| text == "empty") {
            self.rest = sizes;
            return self.empty();
        }
        self.rest = rest;
        let constant = text.parse().map(Scalar::I64).ok().or_else(|| Scalar::parse(text));
        constant.map(Value::Scalar).ok_or_else(|| format!("`{text}` is no constant"))
    }

    /// Reads `empty(0, 2, f32)`: an array without elements.
    fn empty(&mut self) -> Result<Value, String> {
        let (inside, rest) = self.rest.split_once(')').ok_or("`empty` has no end")?;
        self.rest = rest;
        let mut parts: Vec<&str> = inside.split(", ").collect();
        let elem = parts.pop().and_then(ScalarType::from_name).ok_or("`empty` needs a type")?;
        let sizes: Result<Vec<usize>, _> = parts.iter().map(|size| size.parse()).collect();
        let shape = sizes.map_err(|error| format!("{error}"))?;
        if shape.contains(&0) {
            Ok(Value::Array(ArrayValue::new(elem, shape, vec![])))
        } else {
            Err("`empty` needs a size of 0".to_string())
        }
    }
}

fn array(rows: Vec<Value>) -> Result<Value, String> {
    let first = rows.first().ok_or("write an empty list as `empty(0, i64)`")?;
    let (elem, inner) = match first {
        Value::Scalar(value) => (value.ty(), vec![]),
        Value::Array(row) => (row.elem, row.shape.clone()),
        Value::Acc(_) | Value::Token => return Err("lists hold values".to_string()),
    };
    let same_type = |row: &Value| match row {
        Value::Scalar(value) => inner.is_empty() && value.ty() == elem,
        Value::Array(row) => row.shape == inner && row.elem == elem,
        Value::Acc(_) | Value::Token => false,
    };
    if !rows.iter().all(same_type) {
        return Err("the rows of a list differ in type or size".to_string());
    }
    let shape = std::iter::once(rows.len()).chain(inner.iter().copied()).collect();
    let data = rows.iter().flat_map(|row| row.elements().to_vec()).collect();
    Ok(Value::Array(ArrayValue::new(elem, shape, data)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        let call = parse_call("f(1, [[2f32], [3f32]], empty(0, 2, i8), true) = 4").expect("a call");
        assert_eq!((call.function, call.rest), ("f", " = 4"));
        let rows = ArrayValue::new(ScalarType::F32, vec![2, 1], vec![Scalar::F32(2.0), Scalar::F32(3.0)]);
        let empty = ArrayValue::new(ScalarType::I8, vec![0, 2], vec![]);
        let scalar = |value| Value::Scalar(value);
        let expected =
            vec![scalar(Scalar::I64(1)), Value::Array(rows), Value::Array(empty), scalar(Scalar::Bool(true))];
        assert_eq!(call.args, expected);
        assert_eq!(parse_call("f()").expect("a call").args, vec![]);
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in
            ["", "f", "f(", "f(x)", "f([1", "f([])", "f([1, 2f32])", "f([[1], [2, 3]])", "f(empty(1, i64))"]
        {
            assert!(parse_call(text).is_err(), "{text}");
        }
        assert!(parse_values("1) 2").is_err());
    }
}
