//! Values of scripts, with the names of their parts.

use warpwise_ir::EntryType;

/// The result of an expression: the values in it, in order, and the structure of its parts.
#[derive(Clone)]
pub(super) struct Composite<T> {
    pub items: Vec<T>,
    pub parts: Parts,
}

/// The parts of a composite, each with its name and its number of values; empty if nothing can be selected.
#[derive(Clone, Default)]
pub(super) struct Parts(Vec<(String, usize, Parts)>);

impl Parts {
    /// Returns the parts of a value of a type.
    fn of(ty: &EntryType) -> Parts {
        match ty {
            EntryType::Scalar(_) | EntryType::Array(..) => Parts::default(),
            EntryType::Opaque { fields, .. } => {
                let part =
                    |(name, ty): &(String, EntryType)| (name.clone(), ty.leaves().len(), Parts::of(ty));
                Parts(fields.iter().map(part).collect())
            }
        }
    }

    /// Returns the parts of an entry point's result: one value, or a tuple.
    pub fn of_results<'t>(results: impl ExactSizeIterator<Item = &'t EntryType>) -> Parts {
        match results.collect::<Vec<_>>().as_slice() {
            [result] => Parts::of(result),
            results => {
                let part = |(number, ty): (usize, &EntryType)| {
                    (number.to_string(), ty.leaves().len(), Parts::of(ty))
                };
                Parts(results.iter().copied().enumerate().map(part).collect())
            }
        }
    }
}

impl<T> Composite<T> {
    /// Creates a value without parts.
    pub fn one(item: T) -> Composite<T> {
        Composite { items: vec![item], parts: Parts::default() }
    }

    /// Combines composites into one, as its parts.
    pub fn of(fields: impl IntoIterator<Item = (String, Composite<T>)>) -> Composite<T> {
        let (mut items, mut parts) = (Vec::new(), Vec::new());
        for (name, mut field) in fields {
            parts.push((name, field.items.len(), field.parts));
            items.append(&mut field.items);
        }
        Composite { items, parts: Parts(parts) }
    }

    /// Combines composites into a tuple.
    pub fn tuple(components: impl IntoIterator<Item = Composite<T>>) -> Composite<T> {
        Composite::of(components.into_iter().enumerate().map(|(number, part)| (number.to_string(), part)))
    }

    /// Splits into the parts, with their names.
    pub fn split(self) -> Vec<(String, Composite<T>)> {
        let mut items = self.items.into_iter();
        let part =
            |(name, count, parts)| (name, Composite { items: items.by_ref().take(count).collect(), parts });
        self.parts.0.into_iter().map(part).collect()
    }

    /// Returns the names of the parts.
    pub fn names(&self) -> Vec<&str> {
        self.parts.0.iter().map(|(name, ..)| name.as_str()).collect()
    }
}
