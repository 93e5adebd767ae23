//! Aliases: the owners whose memory a value may share.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use warpwise_diag::Span;

use crate::typed::ty::{Type, Uniqueness};

/// Index of an [`Owner`] in the definition's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OwnerId(pub u32);

/// Memory tracked in a definition.
#[derive(Clone, Debug)]
pub struct Owner {
    /// Name that the memory was first bound to.
    pub name: String,
    /// Source position of that binding.
    pub span: Span,
    /// Whether the memory may be consumed.
    pub permission: Permission,
}

/// Whether an owner's memory may be consumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// The memory may be consumed.
    Owned,
    /// The memory belongs to the caller.
    Borrowed,
    /// The memory belongs to a constant.
    Constant,
}

/// The owners that a value may share memory with, part by part. Scalars have none.
#[derive(Clone, Debug)]
pub enum Aliases {
    /// Owners of a value without parts, sorted and without duplicates.
    Leaf(Rc<[OwnerId]>),
    /// Aliases of the parts of a record or a sum, in the order of its type (see [`Type::parts`]).
    Record(Rc<[Aliases]>),
}

impl OwnerId {
    /// Returns the position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Aliases {
    /// Returns aliases that share nothing.
    pub fn none() -> Aliases {
        Aliases::Leaf(Rc::new([]))
    }

    /// Returns aliases for a type in which every part that is not a scalar shares memory with these owners.
    pub fn spread(ty: &Type, owners: &Rc<[OwnerId]>) -> Aliases {
        match ty {
            Type::Prim(_) => Aliases::none(),
            Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => {
                Aliases::Leaf(owners.clone())
            }
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default();
                Aliases::Record(parts.into_iter().map(|part| Aliases::spread(part, owners)).collect())
            }
        }
    }

    /// Returns the aliases of one field.
    pub fn field(&self, index: usize) -> Aliases {
        match self {
            Aliases::Leaf(_) => self.clone(),
            Aliases::Record(fields) => fields.get(index).cloned().unwrap_or_else(Aliases::none),
        }
    }

    /// Appends all owners to a list, possibly with duplicates.
    pub fn collect(&self, into: &mut Vec<OwnerId>) {
        match self {
            Aliases::Leaf(owners) => into.extend(owners.iter()),
            Aliases::Record(fields) => fields.iter().for_each(|field| field.collect(into)),
        }
    }

    /// Returns all owners, sorted and without duplicates.
    pub fn all(&self) -> Rc<[OwnerId]> {
        let mut owners = Vec::new();
        self.collect(&mut owners);
        owners.sort_unstable();
        owners.dedup();
        owners.into()
    }

    /// Whether the value shares nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Aliases::Leaf(owners) => owners.is_empty(),
            Aliases::Record(fields) => fields.iter().all(Aliases::is_empty),
        }
    }

    /// Returns the union of both.
    pub fn union(&self, other: &Aliases) -> Aliases {
        match (self, other) {
            (Aliases::Record(xs), Aliases::Record(ys)) => {
                Aliases::Record(xs.iter().zip(ys.iter()).map(|(x, y)| x.union(y)).collect())
            }
            (Aliases::Leaf(xs), Aliases::Leaf(ys)) if ys.is_empty() => Aliases::Leaf(xs.clone()),
            (Aliases::Leaf(xs), Aliases::Leaf(ys)) if xs.is_empty() => Aliases::Leaf(ys.clone()),
            (Aliases::Leaf(_), Aliases::Leaf(_) | Aliases::Record(_))
            | (Aliases::Record(_), Aliases::Leaf(_)) => {
                let mut owners = Vec::new();
                self.collect(&mut owners);
                other.collect(&mut owners);
                owners.sort_unstable();
                owners.dedup();
                Aliases::Leaf(owners.into())
            }
        }
    }

    /// Replaces owners as `names` says: pairs of old and new owner.
    pub fn renamed(&self, names: &[(OwnerId, OwnerId)]) -> Aliases {
        match self {
            Aliases::Leaf(owners) => {
                let rename = |owner: &OwnerId| {
                    names.iter().find(|name| name.0 == *owner).map_or(*owner, |name| name.1)
                };
                Aliases::Leaf(owners.iter().map(rename).collect::<Vec<_>>().into()).sorted()
            }
            Aliases::Record(fields) => {
                Aliases::Record(fields.iter().map(|field| field.renamed(names)).collect())
            }
        }
    }

    fn sorted(self) -> Aliases {
        Aliases::Leaf(self.all())
    }

    /// Keeps the marked parts; the others share nothing.
    pub fn marked(&self, marks: &Uniqueness) -> Aliases {
        match (marks, self) {
            (Uniqueness::No, _) => Aliases::none(),
            (Uniqueness::Yes, _) => self.clone(),
            (Uniqueness::Fields(marks), Aliases::Record(fields)) => Aliases::Record(
                fields.iter().zip(marks.iter()).map(|(field, mark)| field.marked(mark)).collect(),
            ),
            (Uniqueness::Fields(_), Aliases::Leaf(_)) => Aliases::none(),
        }
    }

    /// Keeps the parts that are not marked; the others share nothing.
    pub fn unmarked(&self, marks: &Uniqueness) -> Aliases {
        match (marks, self) {
            (Uniqueness::No, _) => self.clone(),
            (Uniqueness::Yes, _) => Aliases::none(),
            (Uniqueness::Fields(marks), Aliases::Record(fields)) => Aliases::Record(
                fields.iter().zip(marks.iter()).map(|(field, mark)| field.unmarked(mark)).collect(),
            ),
            (Uniqueness::Fields(_), Aliases::Leaf(_)) => self.clone(),
        }
    }

    /// Returns the leaves in order.
    pub fn leaves(&self) -> Vec<Rc<[OwnerId]>> {
        match self {
            Aliases::Leaf(owners) => vec![owners.clone()],
            Aliases::Record(fields) => fields.iter().flat_map(Aliases::leaves).collect(),
        }
    }
}

/// Counts, for each owner, the parts that contain it.
pub fn owner_counts(parts: &[Rc<[OwnerId]>]) -> FxHashMap<OwnerId, u32> {
    let mut counts = FxHashMap::default();
    for owner in parts.iter().flat_map(|part| part.iter()) {
        *counts.entry(*owner).or_insert(0) += 1;
    }
    counts
}

/// Whether one of the counted parts shares an owner with another.
pub fn is_shared(part: &[OwnerId], counts: &FxHashMap<OwnerId, u32>) -> bool {
    part.iter().any(|owner| counts.get(owner).is_some_and(|&count| count > 1))
}

/// Whether two sorted lists have a common element.
pub fn intersects(xs: &[OwnerId], ys: &[OwnerId]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < xs.len() && j < ys.len() {
        match xs[i].cmp(&ys[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(owners: &[u32]) -> Aliases {
        Aliases::Leaf(owners.iter().map(|&owner| OwnerId(owner)).collect())
    }

    #[test]
    fn unions_are_sorted_and_part_by_part() {
        let a = Aliases::Record([leaf(&[3]), leaf(&[])].into());
        let b = Aliases::Record([leaf(&[1, 3]), leaf(&[2])].into());
        let union = a.union(&b).leaves();
        assert_eq!(union, [leaf(&[1, 3]).all(), leaf(&[2]).all()]);
        assert!(intersects(&union[0], &leaf(&[3, 4]).all()));
        assert!(!intersects(&union[0], &union[1]));
    }

    #[test]
    fn marks_select_parts() {
        let value = Aliases::Record([leaf(&[1]), leaf(&[2])].into());
        let marks = Uniqueness::Fields([Uniqueness::Yes, Uniqueness::No].into());
        assert_eq!(value.marked(&marks).all(), leaf(&[1]).all());
        assert_eq!(value.unmarked(&marks).all(), leaf(&[2]).all());
    }
}
