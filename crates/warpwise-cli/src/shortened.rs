//! Results for a terminal: large arrays without their middles.

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::formats::{push_number, write_text};

/// Maximum number of elements of an array that is shown whole.
const MOST: u64 = 1000;

/// Number of items that are shown at either end of a dimension.
const EDGE: i64 = 3;

/// A value as text.
pub struct Shortened {
    /// The text.
    pub text: String,
    /// Whether elements are left out.
    pub is_shorter: bool,
}

impl Shortened {
    /// Formats a value. A large array is shown by the first and last items of every dimension, and its type.
    pub fn of(value: &Value) -> Shortened {
        match value {
            Value::Array { ty, array } if array.len() as u64 > MOST => {
                let mut text = String::new();
                push_items(&mut text, *ty, array, (0, 0));
                text += &format!(" : {}", value.type_text());
                Shortened { text, is_shorter: true }
            }
            Value::Array { .. } | Value::Scalar { .. } => {
                let mut text = Vec::new();
                // Writing to memory does not fail.
                let _ = write_text(&mut text, value);
                Shortened { text: String::from_utf8_lossy(&text).into_owned(), is_shorter: false }
            }
        }
    }
}

/// Appends the items of a dimension. `first` is the number of their first element.
fn push_items(text: &mut String, ty: ValueType, array: &Array, (dimension, first): (usize, usize)) {
    let Some(&size) = array.shape().get(dimension) else {
        let width = array.elem().bytes();
        return push_number(text, ty, &array.bytes()[first * width..][..width]);
    };
    let item: usize = array.shape()[dimension + 1..].iter().map(|&size| size as usize).product();
    text.push('[');
    for index in 0..size {
        if (EDGE..size - EDGE).contains(&index) {
            if index == EDGE {
                text.push_str(", ...");
            }
            continue;
        }
        if index > 0 {
            text.push_str(", ");
        }
        push_items(text, ty, array, (dimension + 1, first + index as usize * item));
    }
    text.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(count: i64, shape: &[i64]) -> (String, bool) {
        let array = Array::from_vec(shape, (0..count).collect());
        let Shortened { text, is_shorter } = Shortened::of(&Value::array(ValueType::I64, array));
        (text, is_shorter)
    }

    #[test]
    fn large_arrays_lose_their_middles() {
        assert_eq!(shown(3, &[3]), ("[0i64, 1i64, 2i64]".to_string(), false));
        let vector = "[0, 1, 2, ..., 1997, 1998, 1999] : [2000]i64";
        assert_eq!(shown(2000, &[2000]), (vector.to_string(), true));
        let matrix = "[[0, 1], [2, 3], [4, 5], ..., [1994, 1995], [1996, 1997], [1998, 1999]] : [1000][2]i64";
        assert_eq!(shown(2000, &[1000, 2]), (matrix.to_string(), true));
        let wide =
            "[[0, 1, 2, ..., 997, 998, 999], [1000, 1001, 1002, ..., 1997, 1998, 1999]] : [2][1000]i64";
        assert_eq!(shown(2000, &[2, 1000]), (wide.to_string(), true));
    }
}
