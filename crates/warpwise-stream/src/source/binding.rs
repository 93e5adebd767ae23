//! Which columns of an input go to which streamed arrays.
//!
//! A column goes to the array of its name: a parameter's, or that of a field of its elements. An array of another name takes the
//! column that is requested for it. Only a single array without a column of its name takes what there is: the only column, or all
//! columns as a vector. The order of columns never decides, because the fields of a record have no order in the source.
//!
//! ```text
//! entry f (ps: []{price: f64, size: i64})      leaves ps.price, ps.size
//! size,price                                   columns 1, 0
//! ```

use super::Wanted;

/// An array that an entry point takes as a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The parameter's name, followed by the names of fields after points.
    pub name: String,
    /// Type of its elements.
    pub wanted: Wanted,
    /// The requested column; `None` if the array takes the column of its own name.
    pub column: Option<String>,
}

/// Maximum number of columns in messages.
const COLUMNS_SHOWN: usize = 40;

impl Leaf {
    /// Returns the name without the parameter's, if the array is a field of the parameter's elements.
    pub fn field(&self) -> Option<&str> {
        self.name.split_once('.').map(|(_, field)| field)
    }

    /// Returns whether `name` means this one of all `leaves`: its whole name, or the name of its field if no other has it.
    pub fn is_called(&self, name: &str, leaves: &[Leaf]) -> bool {
        let others = || leaves.iter().filter(|leaf| leaf.name == name || leaf.field() == Some(name)).count();
        self.name == name || self.field() == Some(name) && others() == 1
    }
}

/// Returns the column of each leaf; `None` for a single leaf that takes what there is. `names` are those of the columns, none if
/// the columns have no names.
pub(super) fn bind(names: &[&str], leaves: &[Leaf]) -> Result<Vec<Option<String>>, String> {
    let own =
        |leaf: &Leaf| names.iter().find(|name| leaf.is_called(name, leaves)).map(|name| name.to_string());
    let bound: Vec<Option<String>> =
        leaves.iter().map(|leaf| leaf.column.clone().or_else(|| own(leaf))).collect();
    let takes_all = matches!(leaves, [only] if only.field().is_none());
    let missing: Vec<&str> = leaves
        .iter()
        .zip(&bound)
        .filter(|(_, column)| column.is_none())
        .map(|(leaf, _)| leaf.name.as_str())
        .collect();
    match missing.first() {
        Some(first) if !takes_all => Err(unbound(first, &missing, names)),
        Some(_) | None => Ok(bound),
    }
}

fn unbound(first: &str, missing: &[&str], names: &[&str]) -> String {
    let arrays = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return format!(
            "the columns have no names; `--column {first}=NUMBER` says which one is which, for {arrays}"
        );
    }
    let more = if names.len() > COLUMNS_SHOWN { ", ..." } else { "" };
    let columns = names.iter().take(COLUMNS_SHOWN).copied().collect::<Vec<_>>().join(", ");
    format!(
        "no column is called like {arrays}; the columns are: {columns}{more}. `--column {first}=COLUMN` says which one is meant"
    )
}

#[cfg(test)]
mod tests {
    use warpwise_prim::ValueType;

    use super::*;

    fn leaf(name: &str, column: Option<&str>) -> Leaf {
        let wanted = Wanted { scalar: ValueType::I32, rank: 0 };
        Leaf { name: name.to_string(), wanted, column: column.map(str::to_string) }
    }

    fn bound(names: &[&str], leaves: &[Leaf]) -> Result<Vec<Option<String>>, String> {
        bind(names, leaves)
    }

    fn some(names: &[&str]) -> Result<Vec<Option<String>>, String> {
        Ok(names.iter().map(|name| Some(name.to_string())).collect())
    }

    #[test]
    fn names_decide_and_never_the_order() {
        let fields = [leaf("ps.x", None), leaf("ps.y", None)];
        assert_eq!(bound(&["y", "z", "x"], &fields), some(&["x", "y"]));
        assert_eq!(bound(&["ps.y", "ps.x"], &fields), some(&["ps.x", "ps.y"]));
        let parameters = [leaf("xs", None), leaf("ys", Some("b"))];
        assert_eq!(bound(&["b", "xs"], &parameters), some(&["xs", "b"]));
        let error = bound(&["a", "b"], &fields).unwrap_err();
        let expected = "no column is called like `ps.x`, `ps.y`; the columns are: a, b. \
            `--column ps.x=COLUMN` says which one is meant";
        assert_eq!(error, expected);
        assert!(bound(&[], &fields).unwrap_err().contains("no names"));
    }

    #[test]
    fn a_field_of_two_parameters_needs_its_whole_name() {
        let both = [leaf("ps.x", None), leaf("qs.x", None)];
        assert!(bound(&["x"], &both).unwrap_err().contains("`ps.x`, `qs.x`"));
        assert_eq!(bound(&["qs.x", "ps.x"], &both), some(&["ps.x", "qs.x"]));
    }

    #[test]
    fn one_parameter_takes_what_there_is() {
        assert_eq!(bound(&["a"], &[leaf("xs", None)]), Ok(vec![None]));
        assert_eq!(bound(&["a", "xs"], &[leaf("xs", None)]), some(&["xs"]));
        assert!(bound(&["a"], &[leaf("ps.x", None)]).is_err());
    }
}
