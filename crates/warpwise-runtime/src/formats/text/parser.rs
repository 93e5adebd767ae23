//! Parsing of values from text that is completely in memory.
//!
//! Arrays are parsed without recursion (brackets may nest as deep as the input is long), element by element into a growing block.

use std::sync::Arc;

use half::f16;
use warpwise_prim::ValueType;

use super::literals::{Literal, is_bare_float, is_suffixed, is_token_byte, token_length, type_of};
use crate::array::{Array, Shape, Value, element_count};
use crate::formats::ExpectedType;
use crate::formats::error::Fault;
use crate::memory::{BlockBuilder, MemoryPool};

/// Maximum number of dimensions; none of the supported file formats allows more.
const MOST_DIMENSIONS: usize = 255;

const UNTYPED_EMPTY: &str = "an empty array is written with its type, such as empty([0]i32)";

/// A position in a text, and the type expected there.
pub(in crate::formats) struct Parser<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    expected: Option<ExpectedType>,
    pool: &'a MemoryPool,
}

/// Calls `$parser.$method::<T>(..)` with the Rust type of a [`ValueType`].
macro_rules! for_type {
    ($ty:expr, $parser:ident.$method:ident($($argument:expr),*)) => {
        match $ty {
            ValueType::Bool => $parser.$method::<bool>($($argument),*),
            ValueType::I8 => $parser.$method::<i8>($($argument),*),
            ValueType::I16 => $parser.$method::<i16>($($argument),*),
            ValueType::I32 => $parser.$method::<i32>($($argument),*),
            ValueType::I64 => $parser.$method::<i64>($($argument),*),
            ValueType::U8 => $parser.$method::<u8>($($argument),*),
            ValueType::U16 => $parser.$method::<u16>($($argument),*),
            ValueType::U32 => $parser.$method::<u32>($($argument),*),
            ValueType::U64 => $parser.$method::<u64>($($argument),*),
            ValueType::F16 => $parser.$method::<f16>($($argument),*),
            ValueType::F32 => $parser.$method::<f32>($($argument),*),
            ValueType::F64 => $parser.$method::<f64>($($argument),*),
        }
    };
}

impl<'a> Parser<'a> {
    /// Makes a parser of `text` that begins at `at`.
    pub(in crate::formats) fn new(
        text: &'a [u8],
        at: usize,
        expected: Option<ExpectedType>,
        pool: &'a MemoryPool,
    ) -> Parser<'a> {
        Parser { text, at, expected, pool }
    }

    /// Returns the current position.
    pub(in crate::formats) fn at(&self) -> usize {
        self.at
    }

    /// Skips white space and comments, and returns the position after them.
    pub(in crate::formats) fn skip_space(&mut self) -> usize {
        loop {
            match self.text[self.at..] {
                [byte, ..] if byte.is_ascii_whitespace() => self.at += 1,
                [b'-', b'-', ..] => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return self.at,
            }
        }
    }

    /// Parses the value that begins here.
    pub(in crate::formats) fn value(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'[') => self.array_of_some_type(),
            Some(b'"') => self.string(),
            Some(_) if self.at_empty() => self.empty(),
            _ => {
                let ty = self.token_type(self.at)?;
                self.check(ExpectedType { elem: ty, rank: 0 })?;
                for_type!(ty, self.scalar())
            }
        }
    }

    fn scalar<T: Literal>(&mut self) -> Result<Value, Fault> {
        Ok(Value::from_element(self.literal_as::<T>(self.expected.is_none())?))
    }

    fn at_empty(&self) -> bool {
        self.text[self.at..].starts_with(b"empty")
    }

    fn empty(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let (shape, ty) = self.empty_array()?;
        self.check_at(start, ExpectedType { elem: ty, rank: shape.len() })?;
        let array = Array::allocate(self.pool, ty.scalar(), &shape)
            .map_err(|error| Fault::memory(start as u64, error))?;
        Ok(Value::array(ty, array))
    }

    /// Parses `empty([0][2]i32)`.
    fn empty_array(&mut self) -> Result<(Shape, ValueType), Fault> {
        let start = self.at;
        self.at += b"empty".len();
        self.require(b'(')?;
        let mut shape = Shape::new();
        while self.skip_space() < self.text.len() && self.peek() == Some(b'[') {
            self.at += 1;
            self.skip_space();
            shape.push(self.literal_as::<i64>(false)?);
            self.require(b']')?;
        }
        self.skip_space();
        let name = self.token();
        let ty = std::str::from_utf8(name).ok().and_then(ValueType::from_name);
        let ty = ty.ok_or_else(|| self.fault("the name of an element type must stand here"))?;
        self.at += name.len();
        self.require(b')')?;
        if shape.len() > MOST_DIMENSIONS || shape.iter().any(|&size| size < 0) || !shape.contains(&0) {
            let message = "an empty array has a size of 0 among its sizes, and none is negative";
            return Err(Fault::new(start as u64, message));
        }
        Ok((shape, ty))
    }

    /// Parses a string: the bytes of its UTF-8.
    fn string(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        self.check(ExpectedType { elem: ValueType::U8, rank: 1 })?;
        let mut bytes = BlockBuilder::new(self.pool);
        let size = self.string_bytes(&mut bytes)?;
        self.finish_array(start, ValueType::U8, &[size], bytes)
    }

    fn array_of_some_type(&mut self) -> Result<Value, Fault> {
        let (ty, is_suffixed) = match self.expected {
            Some(expected) if expected.rank == 0 => return Err(self.fault("found an array")),
            Some(expected) => (expected.elem, true),
            None => self.first_element()?,
        };
        // If the first element has a suffix, later elements need none.
        for_type!(ty, self.array(!is_suffixed))
    }

    /// Returns the type of the first element of the array that begins here, and whether the element names it.
    fn first_element(&mut self) -> Result<(ValueType, bool), Fault> {
        let start = self.at;
        while self.peek() == Some(b'[') {
            self.at += 1;
            self.skip_space();
        }
        let found = match self.peek() {
            Some(b']') => return Err(self.fault(UNTYPED_EMPTY)),
            Some(b'"') => (ValueType::U8, true),
            _ if self.at_empty() => (self.empty_array()?.1, true),
            _ => {
                let ty = self.token_type(self.at)?;
                (ty, is_suffixed(self.token(), ty))
            }
        };
        self.at = start;
        Ok(found)
    }

    fn array<T: Literal>(&mut self, strict: bool) -> Result<Value, Fault> {
        let start = self.at;
        let mut elements = BlockBuilder::new(self.pool);
        // Sizes known so far, by depth; number of items in each open array; depth of the elements.
        let mut sizes: Vec<Option<i64>> = Vec::new();
        let mut open: Vec<i64> = Vec::new();
        let mut depth = self.expected.map(|expected| expected.rank);
        loop {
            self.skip_space();
            if self.peek() == Some(b'[') {
                self.open(&mut open, &mut sizes, depth)?;
                continue;
            }
            let count = if self.peek() == Some(b']') {
                // The row is empty: `open` refuses this bracket elsewhere.
                0
            } else if self.peek() == Some(b'"') || self.at_empty() {
                let row = self.at;
                let shape = self.whole_row(T::TYPE, &mut elements)?;
                self.fit_row(row, &shape, &open, &mut sizes, &mut depth)?;
                1
            } else if *depth.get_or_insert(open.len()) != open.len() {
                return Err(self.fault("a row must stand here, not an element"));
            } else {
                self.row::<T>(&mut elements, strict)?
            };
            if let Some(items) = open.last_mut() {
                *items += count;
            }
            // The row ends here, and possibly the arrays around it.
            while !self.next_item()? {
                self.close(&mut open, &mut sizes)?;
                if open.is_empty() {
                    let shape: Shape = sizes.iter().map(|size| size.unwrap_or(0)).collect();
                    return self.finish_array(start, T::TYPE, &shape, elements);
                }
            }
        }
    }

    /// Returns whether another item follows in the enclosing array. A comma may follow the last item.
    fn next_item(&mut self) -> Result<bool, Fault> {
        self.skip_space();
        let comma = self.peek() == Some(b',');
        if comma {
            self.at += 1;
            self.skip_space();
        }
        match self.peek() {
            Some(b']') => Ok(false),
            _ if comma => Ok(true),
            _ => Err(self.unexpected("`,` or `]`")),
        }
    }

    /// Parses a row that is not a list of elements (a string or `empty(...)`) and returns its shape.
    fn whole_row(&mut self, ty: ValueType, elements: &mut BlockBuilder<'_>) -> Result<Shape, Fault> {
        let start = self.at;
        let (shape, found) = match self.at_empty() {
            true => self.empty_array()?,
            false => (Shape::from_slice(&[self.string_bytes(elements)?]), ValueType::U8),
        };
        if found != ty {
            let message = format!("elements of type {ty} must stand here, not of type {found}");
            return Err(Fault::new(start as u64, message));
        }
        Ok(shape)
    }

    /// Checks that a row fits the sizes known so far.
    fn fit_row(
        &self,
        start: usize,
        shape: &[i64],
        open: &[i64],
        sizes: &mut Vec<Option<i64>>,
        depth: &mut Option<usize>,
    ) -> Result<(), Fault> {
        let rank = open.len() + shape.len();
        if *depth.get_or_insert(rank) != rank {
            return Err(Fault::new(
                start as u64,
                "this row has another number of dimensions than it must have",
            ));
        }
        sizes.resize(rank.max(sizes.len()), None);
        for (known, &size) in sizes[open.len()..].iter_mut().zip(shape) {
            let known = *known.get_or_insert(size);
            if known != size {
                let message = format!("this row has {size} elements, an earlier one {known}");
                return Err(Fault::new(start as u64, message));
            }
        }
        Ok(())
    }

    /// Enters an array.
    fn open(
        &mut self,
        open: &mut Vec<i64>,
        sizes: &mut Vec<Option<i64>>,
        depth: Option<usize>,
    ) -> Result<(), Fault> {
        if depth.is_some_and(|depth| open.len() >= depth) {
            return Err(self.fault("an element must stand here, not an array"));
        }
        if open.len() == MOST_DIMENSIONS {
            return Err(self.fault("more than 255 dimensions"));
        }
        self.at += 1;
        open.push(0);
        if sizes.len() < open.len() {
            sizes.push(None);
        }
        self.skip_space();
        // An empty row is an array only if its type is known, and it has no inner dimensions of unknown size.
        let is_typed = self.expected.is_some_and(|expected| expected.rank == open.len());
        if self.peek() == Some(b']') && !is_typed {
            return Err(self.fault(UNTYPED_EMPTY));
        }
        Ok(())
    }

    /// Leaves an array and checks that its size is that of its siblings.
    fn close(&mut self, open: &mut Vec<i64>, sizes: &mut [Option<i64>]) -> Result<(), Fault> {
        let size = open.pop().unwrap_or(0);
        let known = *sizes[open.len()].get_or_insert(size);
        if known != size {
            return Err(self.fault(&format!("this row has {size} elements, an earlier one {known}")));
        }
        if let Some(items) = open.last_mut() {
            *items += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// Parses elements separated by commas, with an optional comma after the last, and returns their number.
    fn row<T: Literal>(&mut self, elements: &mut BlockBuilder<'_>, strict: bool) -> Result<i64, Fault> {
        let mut count = 0;
        loop {
            let start = self.at;
            let element = self.literal_as::<T>(strict)?;
            elements
                .push(bytemuck::bytes_of(&element))
                .map_err(|error| Fault::memory(start as u64, error))?;
            count += 1;
            if self.skip_space() == self.text.len() || self.text[self.at] != b',' {
                return Ok(count);
            }
            self.at += 1;
            self.skip_space();
            if self.peek() == Some(b']') {
                return Ok(count);
            }
        }
    }

    fn finish_array(
        &self,
        start: usize,
        ty: ValueType,
        shape: &[i64],
        elements: BlockBuilder<'_>,
    ) -> Result<Value, Fault> {
        let block = elements.finish().map_err(|error| Fault::memory(start as u64, error))?;
        debug_assert_eq!(element_count(shape), Some((block.bytes() / ty.scalar().bytes()) as u64));
        let array = Array::from_block(ty.scalar(), shape, Arc::new(block))
            .ok_or_else(|| Fault::new(start as u64, "the rows do not make up an array"))?;
        Ok(Value::array(ty, array))
    }

    #[inline]
    fn literal_as<T: Literal>(&mut self, strict: bool) -> Result<T, Fault> {
        if let Some((value, length)) = T::parse_quickly(&self.text[self.at..], strict) {
            self.at += length;
            return Ok(value);
        }
        let token = self.token();
        if token.is_empty() {
            return Err(self.unexpected(&format!("a value of type {}", T::TYPE)));
        }
        let value = T::parse(token, strict).map_err(|message| self.fault(&message))?;
        self.at += token.len();
        Ok(value)
    }

    /// Returns the type of the scalar at `at`: the expected type if a scalar is expected, else its own.
    fn token_type(&self, at: usize) -> Result<ValueType, Fault> {
        let token = &self.text[at..][..token_length(&self.text[at..])];
        let expected = self.expected.filter(|expected| expected.rank == 0).map(|expected| expected.elem);
        let is_float = expected.is_some_and(|ty| ty.scalar().is_float());
        if is_float && is_bare_float(token) {
            return Ok(expected.unwrap_or(ValueType::F64));
        }
        let own = type_of(token).ok_or_else(|| self.unexpected("a value"))?;
        Ok(expected.unwrap_or(own))
    }

    fn token(&self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        &rest[..token_length(rest)]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Consumes `byte` and white space before it.
    fn require(&mut self, byte: u8) -> Result<(), Fault> {
        self.skip_space();
        if self.peek() != Some(byte) {
            return Err(self.unexpected(&format!("`{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn check(&self, found: ExpectedType) -> Result<(), Fault> {
        self.check_at(self.at, found)
    }

    fn check_at(&self, at: usize, found: ExpectedType) -> Result<(), Fault> {
        match self.expected {
            Some(expected) => expected.check(found).map_err(|message| Fault::new(at as u64, message)),
            None => Ok(()),
        }
    }

    /// Makes the fault that `wanted` must stand here, naming the actual input.
    fn unexpected(&self, wanted: &str) -> Fault {
        match self.peek() {
            None => self.fault(&format!("{wanted} must stand here, but the input ends")),
            Some(byte) if is_token_byte(byte) => {
                let token = self.token();
                let shown = &token[..token.len().min(40)];
                self.fault(&format!("{wanted} must stand here, not `{}`", shown.escape_ascii()))
            }
            Some(byte) => self.fault(&format!("{wanted} must stand here, not `{}`", byte.escape_ascii())),
        }
    }

    pub(super) fn fault(&self, message: &str) -> Fault {
        Fault::new(self.at as u64, message)
    }
}
