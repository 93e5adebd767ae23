//! Sequences: balanced trees whose leaves are arrays and windows of arrays.
//!
//! Taking an element or a part, and joining two sequences, take time logarithmic in the number of leaves. Elements that are made
//! together form one leaf, and any part of a leaf is a window at no cost. Numbers lie flat in a leaf ([`items`](super::items)).
//! Adding an element at an end copies at most [`SMALL`] elements, and none if the sequence has no other owner.

use std::rc::Rc;

use super::items::{Items, Lender, Numbers, Slice};
use super::value::Value;

/// Maximum length. Lengths of two sequences can be added, and a balanced tree of this length has a height of about 90.
pub(super) const LONGEST: usize = 1 << 62;

/// Maximum length of leaves that are copied rather than joined.
const SMALL: usize = 64;

/// A sequence.
#[derive(Clone, Default, Debug)]
pub struct Seq(Option<Rc<Node>>);

/// A tree, or a part of one.
#[derive(Clone, Debug)]
struct Node {
    /// Number of elements, at least one. Native code reads it, too.
    length: usize,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A leaf with all its elements.
    Leaf(Items),
    /// The same as a leaf, but made by the program as a list; only [`Seq::is_list`] tells the difference.
    List(Items),
    /// A window of a leaf.
    Window { leaf: Rc<Node>, start: usize },
    /// Two trees, one after the other; their heights differ by at most one.
    Join { height: u32, left: Rc<Node>, right: Rc<Node> },
}

impl Node {
    fn leaf(items: Items) -> Rc<Node> {
        Rc::new(Node { length: items.len(), shape: Shape::Leaf(items) })
    }

    fn height(&self) -> u32 {
        match self.shape {
            Shape::Leaf(_) | Shape::List(_) | Shape::Window { .. } => 0,
            Shape::Join { height, .. } => height,
        }
    }

    /// Returns the elements of a leaf or a window.
    #[inline]
    fn elements(&self) -> Option<Slice<'_>> {
        match &self.shape {
            Shape::Leaf(items) | Shape::List(items) => Some(items.slice()),
            Shape::Window { leaf, start } => match &leaf.shape {
                Shape::Leaf(items) | Shape::List(items) => Some(items.slice().part(*start, self.length)),
                Shape::Window { .. } | Shape::Join { .. } => unreachable!("a window is one of a leaf"),
            },
            Shape::Join { .. } => None,
        }
    }
}

/// Joins two trees without balancing.
fn node(left: Rc<Node>, right: Rc<Node>) -> Rc<Node> {
    let height = 1 + left.height().max(right.height());
    Rc::new(Node { length: left.length + right.length, shape: Shape::Join { height, left, right } })
}

/// Joins any two trees into a balanced one.
fn join(left: Rc<Node>, right: Rc<Node>) -> Rc<Node> {
    if let (Some(a), Some(b)) = (left.elements(), right.elements())
        && a.len() + b.len() <= SMALL
    {
        let mut values = Vec::with_capacity(a.len() + b.len());
        values.extend(a.iter().chain(b.iter()));
        return Node::leaf(Items::Values(values));
    }
    let (l, r) = (left.height(), right.height());
    match (&left.shape, &right.shape) {
        (Shape::Join { left: a, right: b, .. }, _) if l > r + 1 => balance(a.clone(), join(b.clone(), right)),
        (_, Shape::Join { left: a, right: b, .. }) if r > l + 1 => balance(join(left, a.clone()), b.clone()),
        _ => node(left, right),
    }
}

/// Joins two trees whose heights differ by at most two.
fn balance(left: Rc<Node>, right: Rc<Node>) -> Rc<Node> {
    let (l, r) = (left.height(), right.height());
    if let Shape::Join { left: a, right: b, .. } = &left.shape
        && l > r + 1
    {
        if a.height() >= b.height() {
            return node(a.clone(), node(b.clone(), right));
        }
        if let Shape::Join { left: c, right: d, .. } = &b.shape {
            return node(node(a.clone(), c.clone()), node(d.clone(), right));
        }
    }
    if let Shape::Join { left: a, right: b, .. } = &right.shape
        && r > l + 1
    {
        if b.height() >= a.height() {
            return node(node(left, a.clone()), b.clone());
        }
        if let Shape::Join { left: c, right: d, .. } = &a.shape {
            return node(node(left, c.clone()), node(d.clone(), b.clone()));
        }
    }
    node(left, right)
}

/// Returns the elements `start..start + length` of a tree; at least one.
fn part(tree: &Rc<Node>, start: usize, length: usize) -> Rc<Node> {
    if length == tree.length {
        return tree.clone();
    }
    let window =
        |leaf: &Rc<Node>, start| Rc::new(Node { length, shape: Shape::Window { leaf: leaf.clone(), start } });
    match &tree.shape {
        Shape::Leaf(_) | Shape::List(_) => window(tree, start),
        Shape::Window { leaf, start: first } => window(leaf, first + start),
        Shape::Join { left, right, .. } => {
            let middle = left.length;
            if start + length <= middle {
                part(left, start, length)
            } else if start >= middle {
                part(right, start - middle, length)
            } else {
                let first = part(left, start, middle - start);
                join(first, part(right, 0, start + length - middle))
            }
        }
    }
}

/// Adds an element at the end, if the tree's end has no other owner.
fn push(tree: &mut Rc<Node>, value: Value) -> Result<(), Value> {
    let Some(Node { length, shape }) = Rc::get_mut(tree) else { return Err(value) };
    match shape {
        Shape::Leaf(items) => {
            if *length == SMALL {
                *items = std::mem::take(items).flat();
            }
            items.push(value);
        }
        Shape::Join { right, .. } if right.elements().is_none_or(|slice| slice.len() < SMALL) => {
            push(right, value)?;
        }
        _ => return Err(value),
    }
    *length += 1;
    Ok(())
}

/// Adds an element at the start, if the tree's start has no other owner and its first leaf has room.
fn push_first(tree: &mut Rc<Node>, value: Value) -> Result<(), Value> {
    let Some(Node { length, shape }) = Rc::get_mut(tree) else { return Err(value) };
    match shape {
        Shape::Leaf(items) if *length < SMALL => items.insert_first(value),
        Shape::Join { left, .. } if left.elements().is_none_or(|slice| slice.len() < SMALL) => {
            push_first(left, value)?;
        }
        _ => return Err(value),
    }
    *length += 1;
    Ok(())
}

/// Adds a few elements at the end, if the tree's end has no other owner.
fn append(mut tree: Rc<Node>, others: &Node) -> Result<Rc<Node>, Rc<Node>> {
    let few = others.elements().filter(|slice| slice.len() <= SMALL);
    let (Some(few), Some(Node { length, shape: Shape::Leaf(items) })) = (few, Rc::get_mut(&mut tree)) else {
        return Err(tree);
    };
    let before = *length;
    *length += few.len();
    if before < SMALL && *length > SMALL {
        *items = std::mem::take(items).flat();
    }
    few.iter().for_each(|value| items.push(value));
    Ok(tree)
}

impl Seq {
    /// The empty sequence.
    pub const EMPTY: Seq = Seq(None);

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |tree| tree.length)
    }

    /// Returns the address of the length; null if the sequence is empty.
    pub(super) fn place_of_length(&self) -> *const usize {
        self.0.as_ref().map_or(std::ptr::null(), |tree| &raw const tree.length)
    }

    /// Returns whether the sequence is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the element at an index, counted from 0.
    #[inline]
    pub fn get(&self, mut index: usize) -> Option<Value> {
        let mut tree = self.0.as_deref()?;
        loop {
            match &tree.shape {
                Shape::Join { left, right, .. } => {
                    if index < left.length {
                        tree = left;
                    } else {
                        index -= left.length;
                        tree = right;
                    }
                }
                Shape::Leaf(_) | Shape::List(_) | Shape::Window { .. } => return tree.elements()?.get(index),
            }
        }
    }

    /// Returns whether a sequence of this length can be added at an end.
    pub fn has_room_for(&self, length: usize) -> bool {
        self.len() + length <= LONGEST
    }

    /// Concatenates two sequences. There must be room ([`has_room_for`](Seq::has_room_for)).
    pub fn concat(self, other: Seq) -> Seq {
        debug_assert!(self.has_room_for(other.len()));
        match (self.0, other.0) {
            (None, tree) | (tree, None) => Seq(tree),
            (Some(left), Some(right)) => match append(left, &right) {
                Ok(tree) => Seq(Some(tree)),
                Err(left) => Seq(Some(join(left, right))),
            },
        }
    }

    /// Adds an element at the start.
    pub fn cons(mut self, value: Value) -> Seq {
        let Some(tree) = &mut self.0 else { return Seq::from(vec![value]) };
        match push_first(tree, value) {
            Ok(()) => self,
            Err(value) => Seq::from(vec![value]).concat(self),
        }
    }

    /// Adds an element at the end.
    pub fn snoc(mut self, value: Value) -> Seq {
        let Some(tree) = &mut self.0 else { return Seq::from(vec![value]) };
        match push(tree, value) {
            Ok(()) => self,
            Err(value) => self.concat(Seq::from(vec![value])),
        }
    }

    /// Does the same as [`part`](Seq::part), in place if possible.
    pub fn into_part(mut self, start: usize, length: usize) -> Seq {
        let (n, at) = (self.len(), start);
        if let Some(Node { length: all, shape: Shape::Window { start, .. } }) =
            self.0.as_mut().and_then(Rc::get_mut)
            && at < n
            && length > 0
        {
            *start += at;
            *all = length.min(n - at);
            return self;
        }
        self.part(start, length)
    }

    /// Returns the elements from `start` on, at most `length`; indices out of bounds are left out.
    pub fn part(&self, start: usize, length: usize) -> Seq {
        let start = start.min(self.len());
        let length = length.min(self.len() - start);
        match &self.0 {
            Some(tree) if length > 0 => Seq(Some(part(tree, start, length))),
            _ => Seq::EMPTY,
        }
    }

    /// Replaces the element at an index, which must be in bounds.
    pub fn set(mut self, index: usize, value: Value) -> Seq {
        if let Some(Node { shape: Shape::Leaf(items), .. }) = self.0.as_mut().and_then(Rc::get_mut) {
            items.set(index, value);
            return self;
        }
        let after = self.part(index + 1, self.len());
        self.part(0, index).concat(Seq::from(vec![value])).concat(after)
    }

    /// Iterates over the elements in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { slices: self.slices(), slice: Slice::Values(&[]), index: 0 }
    }

    /// Iterates over the leaves in order.
    pub fn slices(&self) -> Slices<'_> {
        Slices { waiting: self.0.as_deref().into_iter().collect() }
    }

    /// Makes a sequence of these elements.
    pub fn of(items: Items) -> Seq {
        if items.is_empty() { Seq::EMPTY } else { Seq(Some(Node::leaf(items))) }
    }

    /// Makes a list of these elements.
    pub fn list(items: Items) -> Seq {
        if items.is_empty() {
            return Seq::EMPTY;
        }
        Seq(Some(Rc::new(Node { length: items.len(), shape: Shape::List(items) })))
    }

    /// Makes a sequence of lent integers.
    pub fn lent_ints(lender: Rc<dyn Lender<i64>>) -> Seq {
        Seq::of(Items::Ints(Numbers::Lent(lender)))
    }

    /// Makes a sequence of lent floats.
    pub fn lent_floats(lender: Rc<dyn Lender<f64>>) -> Seq {
        Seq::of(Items::Floats(Numbers::Lent(lender)))
    }

    /// Returns whether the program made the sequence as a list.
    pub fn is_list(&self) -> bool {
        matches!(self.0.as_deref(), Some(Node { shape: Shape::List(_), .. }))
    }

    /// Returns the characters of a string.
    pub fn text(&self) -> String {
        let char = |value: Value| match value {
            Value::Char(c) => c,
            _ => char::REPLACEMENT_CHARACTER,
        };
        self.iter().map(char).collect()
    }
}

impl From<Vec<Value>> for Seq {
    fn from(values: Vec<Value>) -> Seq {
        let items = Items::Values(values);
        Seq::of(if items.len() > SMALL { items.flat() } else { items })
    }
}

impl FromIterator<Value> for Seq {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Seq {
        Seq::from(values.into_iter().collect::<Vec<_>>())
    }
}

/// Iterator over the elements of a sequence.
pub struct Iter<'a> {
    slices: Slices<'a>,
    slice: Slice<'a>,
    index: usize,
}

impl Iterator for Iter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(value) = self.slice.get(self.index) {
                self.index += 1;
                return Some(value);
            }
            (self.slice, self.index) = (self.slices.next()?, 0);
        }
    }
}

/// Iterator over the leaves of a sequence.
pub struct Slices<'a> {
    waiting: Vec<&'a Node>,
}

impl<'a> Iterator for Slices<'a> {
    type Item = Slice<'a>;

    fn next(&mut self) -> Option<Slice<'a>> {
        loop {
            match self.waiting.pop()? {
                Node { shape: Shape::Join { left, right, .. }, .. } => {
                    self.waiting.extend([&**right, &**left]);
                }
                leaf => return leaf.elements(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(seq: &Seq) -> Vec<i64> {
        let number = |value: Value| match value {
            Value::Int(number) => number,
            other => panic!("{other:?}"),
        };
        seq.iter().map(number).collect()
    }

    fn balanced(tree: &Node) -> bool {
        let length = tree.length;
        length > 0
            && match &tree.shape {
                Shape::Join { height, left, right } => {
                    balanced(left)
                        && balanced(right)
                        && left.height().abs_diff(right.height()) <= 1
                        && *height == 1 + left.height().max(right.height())
                        && length == left.length + right.length
                }
                Shape::Leaf(items) | Shape::List(items) => length == items.len(),
                Shape::Window { leaf, start } => start + length <= leaf.length,
            }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Cons,
        Snoc,
        Twice,
        Part(usize, usize),
        Set(usize),
        Append(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Cons),
            4 => Just(Step::Snoc),
            1 => Just(Step::Twice),
            1 => (0..300usize, 0..300usize).prop_map(|(a, b)| Step::Part(a, b)),
            1 => (0..300usize).prop_map(Step::Set),
            2 => (0..200usize).prop_map(Step::Append),
        ]
    }

    proptest! {
        #[test]
        fn sequences_are_lists(steps in proptest::collection::vec(step(), 0..80), shared in any::<bool>()) {
            let (mut seq, mut list) = (Seq::EMPTY, Vec::new());
            let mut kept = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                let number = number as i64;
                if shared {
                    kept.push((seq.clone(), list.clone()));
                }
                match step {
                    Step::Cons => {
                        seq = seq.cons(Value::Int(number));
                        list.insert(0, number);
                    }
                    Step::Snoc => {
                        seq = seq.snoc(Value::Int(number));
                        list.push(number);
                    }
                    Step::Twice if list.len() < 10_000 => {
                        seq = seq.clone().concat(seq);
                        list.extend(list.clone());
                    }
                    Step::Twice => {}
                    Step::Part(start, length) => {
                        seq = seq.part(start, length);
                        list = list.into_iter().skip(start).take(length).collect();
                    }
                    Step::Set(index) if index < list.len() => {
                        seq = seq.set(index, Value::Int(number));
                        list[index] = number;
                    }
                    Step::Set(_) => {}
                    Step::Append(length) => {
                        seq = seq.concat((0..length as i64).map(Value::Int).collect());
                        list.extend(0..length as i64);
                    }
                }
                prop_assert!(seq.0.as_deref().is_none_or(balanced));
                prop_assert_eq!(numbers(&seq), list.clone());
                prop_assert_eq!(seq.len(), list.len());
                let last = seq.get(list.len().wrapping_sub(1)).is_some();
                prop_assert_eq!(last, !list.is_empty());
            }
            for (seq, list) in kept {
                prop_assert_eq!(numbers(&seq), list);
            }
        }
    }

    #[test]
    fn sequences_grow_to_the_greatest_length_and_no_further() {
        let mut seq = Seq::from(vec![Value::Int(7)]);
        while seq.has_room_for(seq.len()) {
            seq = seq.clone().concat(seq);
        }
        assert_eq!(seq.len(), LONGEST);
        assert!(seq.0.as_deref().is_some_and(|tree| tree.height() < 90));
        assert!(!seq.has_room_for(1) && seq.part(1, LONGEST).has_room_for(1));
        assert!(matches!(seq.get(LONGEST - 1), Some(Value::Int(7))));
        assert!(seq.get(LONGEST).is_none());
    }

    #[test]
    fn growing_takes_little_time() {
        let mut seq = Seq::EMPTY;
        for number in 0..1_000_000 {
            seq = if number % 2 == 0 { seq.cons(Value::Int(number)) } else { seq.snoc(Value::Int(number)) };
        }
        let mut total = 0;
        while let Some(Value::Int(first)) = seq.get(0) {
            total += first;
            seq = seq.part(1, seq.len());
        }
        assert_eq!(total, (0..1_000_000).sum());
    }
}
