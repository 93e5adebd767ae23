//! Values as text for messages.

use super::code::{Code, ShapeId};
use super::value::Value;

/// Maximum length of a text; longer ones are cut.
const LONGEST: usize = 10_000;

/// Maximum depth of a value; deeper parts are cut.
const DEEPEST: u32 = 100;

/// Returns a value as text, in the syntax of the language if it has one.
pub fn show(code: &Code, value: &Value) -> String {
    let mut show = Show { code, text: String::new() };
    show.value(value, 0);
    show.text
}

/// Returns a float as text: twelve digits, and always a point or an exponent.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{value:.11e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..12).contains(&exponent) {
        let digits = (11 - exponent).max(0) as usize;
        let text = format!("{value:.digits$}");
        return match text.split_once('.') {
            Some((whole, part)) => format!("{whole}.{}", part.trim_end_matches('0')),
            None => format!("{text}."),
        };
    }
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

struct Show<'a> {
    code: &'a Code,
    text: String,
}

impl Show<'_> {
    fn value(&mut self, value: &Value, depth: u32) {
        if self.text.len() > LONGEST || depth > DEEPEST {
            return self.text.push_str("...");
        }
        match value {
            Value::Unit => self.text.push_str("()"),
            Value::Int(value) => self.text.push_str(&value.to_string()),
            Value::Float(value) => self.text.push_str(&float_text(*value)),
            Value::Char(value) => self.text.push_str(&format!("'{}'", escaped(*value))),
            Value::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Value::Symbol(number) => self.text.push_str(&format!("symbol {number}")),
            Value::Builtin(builtin) => self.text.push_str(builtin.name()),
            Value::Seq(items) => {
                if matches!(items.get(0), Some(Value::Char(_))) {
                    let text: String = items.part(0, LONGEST).text().chars().map(escaped).collect();
                    return self.text.push_str(&format!("\"{text}\""));
                }
                self.list("[", items.iter(), "]", depth);
            }
            Value::Record(record) => self.record(record.shape(), record.fields(), depth),
            Value::Con(con) => {
                let name = self.code.cons[con.id() as usize].clone();
                self.text.push_str(&name);
                self.text.push(' ');
                let open = matches!(con.held(), Value::Con(_));
                self.text.push_str(if open { "(" } else { "" });
                self.value(con.held(), depth + 1);
                self.text.push_str(if open { ")" } else { "" });
            }
            Value::Function(_) | Value::Partial(_) => self.text.push_str("<function>"),
            Value::Ref(_) => self.text.push_str("<reference>"),
            Value::Tensor(tensor) => {
                let shape: Vec<String> = tensor.shape.iter().map(|extent| extent.to_string()).collect();
                self.text.push_str(&format!("<tensor of shape [{}]>", shape.join(", ")));
            }
        }
    }

    fn list(&mut self, open: &str, items: impl Iterator<Item = Value>, close: &str, depth: u32) {
        self.text.push_str(open);
        for (index, item) in items.enumerate() {
            if self.text.len() > LONGEST {
                self.text.push_str("...");
                break;
            }
            if index > 0 {
                self.text.push_str(", ");
            }
            self.value(&item, depth + 1);
        }
        self.text.push_str(close);
    }

    fn record(&mut self, shape: ShapeId, fields: &[Value], depth: u32) {
        let labels = &self.code.shapes[shape.0 as usize];
        let label = |index: usize| {
            let place = self.code.labels.binary_search_by_key(&labels[index], |(label, _)| *label);
            place.map_or("", |place| &*self.code.labels[place].1)
        };
        let mut named: Vec<(String, &Value)> =
            fields.iter().enumerate().map(|(index, field)| (label(index).to_string(), field)).collect();
        let number = |(label, _): &(String, &Value)| label.parse::<usize>().ok();
        named.sort_by(|a, b| (number(a), &a.0).cmp(&(number(b), &b.0)));
        if named.iter().enumerate().all(|(index, field)| number(field) == Some(index)) {
            let close = if named.len() == 1 { ",)" } else { ")" };
            return self.list("(", named.into_iter().map(|(_, field)| field.clone()), close, depth);
        }
        self.text.push('{');
        for (index, (label, field)) in named.into_iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.text.push_str(&format!("{label} = "));
            self.value(field, depth + 1);
        }
        self.text.push('}');
    }
}

fn escaped(c: char) -> String {
    let mut text = String::new();
    crate::syntax::literals::escape(c, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::float_text;

    #[test]
    fn floats() {
        for (value, text) in [
            (1.0, "1."),
            (-0.5, "-0.5"),
            (0.1 + 0.2, "0.3"),
            (5.0e25, "5e+25"),
            (-5.0e-5, "-5e-05"),
            (0.0001, "0.0001"),
            (123456789012.0, "123456789012."),
            (1234567890123.0, "1.23456789012e+12"),
            (99999999999.95, "99999999999.9"),
            (999999999999.9, "1e+12"),
            (1e300, "1e+300"),
            (0.0, "0."),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(float_text(value), text, "{value:?}");
        }
    }
}
