//! Values as C and servers hold them: of any type of the interface, with operations that take them apart and assemble them.
//!
//! A value is its leaves: scalars and arrays in the order of [`Interface::leaves`]. Parts of a value share its arrays, except elements
//! of arrays, which are copies.

use std::fmt;

use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::interface::{Field, Input, Interface, Kind, TypeRef};

/// A value of a type of an interface.
#[derive(Clone, Debug)]
pub struct Held {
    /// Type of the value.
    pub ty: TypeRef,
    /// Leaves of the value.
    pub leaves: Vec<Value>,
    /// Size of each dimension, if the value is an array.
    pub shape: Vec<i64>,
    /// The reason why the value is no longer there.
    pub gone: Option<Gone>,
}

/// The reason why a value has no leaves any more: a call of the entry point with this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gone {
    /// The call consumed the value.
    Consumed(String),
    /// The call failed after it had begun to use the value up.
    Lost(String),
}

/// The reason why an operation fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The program failed, or was misused.
    Program(String),
    /// There is not enough memory.
    Memory(String),
    /// Anything else.
    Other(String),
}

/// The operations on values of an interface.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// Types of the values.
    pub interface: &'a Interface,
    /// Memory for new arrays.
    pub memory: &'a MemoryPool,
}

impl Held {
    /// Creates a value of this type from its leaves.
    pub fn new(interface: &Interface, ty: TypeRef, leaves: Vec<Value>) -> Held {
        let rank = rank(interface, ty);
        let shape = match leaves.first() {
            Some(leaf) => leaf.shape().iter().copied().take(rank).collect(),
            None => vec![0; rank],
        };
        Held { ty, leaves, shape, gone: None }
    }

    /// Creates a scalar.
    pub fn scalar(ty: ValueType, value: Scalar) -> Held {
        Held {
            ty: TypeRef::Scalar(ty),
            leaves: vec![Value::scalar(ty, value)],
            shape: Vec::new(),
            gone: None,
        }
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gone::Consumed(entry) => write!(f, "the value was consumed by a call of `{entry}`"),
            Gone::Lost(entry) => {
                write!(
                    f,
                    "the value is lost: a call of `{entry}`, which consumes it, failed after using it up"
                )
            }
        }
    }
}

impl<'a> Values<'a> {
    /// Returns a field of a record, or the array of that field of an array of records.
    pub fn project(self, value: &Held, field: usize) -> Result<Held, Problem> {
        let fields = self.fields(value.ty)?;
        let Some(found) = fields.get(field) else { return Err(misuse("there is no such field")) };
        self.usable(value)?;
        let start: usize = fields[..field].iter().map(|field| self.width(field.ty)).sum();
        let leaves = value.leaves[start..start + self.width(found.ty)].to_vec();
        Ok(Held::new(self.interface, found.ty, leaves))
    }

    /// Creates a record from fields, or an array of records from the fields' arrays.
    pub fn assemble(self, ty: TypeRef, parts: &[&Held]) -> Result<Held, Problem> {
        let fields = self.fields(ty)?;
        self.expect(fields.iter().map(|field| field.ty), parts)?;
        let rank = rank(self.interface, ty);
        let shapes: Vec<&[i64]> =
            parts.iter().map(|part| &part.shape[..rank.min(part.shape.len())]).collect();
        if rank > 0 && shapes.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(misuse("the arrays have different sizes"));
        }
        let leaves = parts.iter().flat_map(|part| part.leaves.iter().cloned()).collect();
        Ok(Held::new(self.interface, ty, leaves))
    }

    /// Returns the number of a sum value's variant.
    pub fn variant(self, value: &Held) -> Result<usize, Problem> {
        let variants = self.variants(value.ty)?;
        self.usable(value)?;
        let tag = value.leaves.first().and_then(|leaf| match leaf {
            Value::Scalar { value, .. } => value.as_int(),
            Value::Array { .. } => None,
        });
        let tag = tag.and_then(|tag| usize::try_from(tag & 0xff).ok()).filter(|&tag| tag < variants);
        tag.ok_or_else(|| misuse("the value is of no variant"))
    }

    /// Returns the values that a variant carries. The sum value must be of that variant.
    pub fn destruct(self, value: &Held, variant: usize) -> Result<Vec<Held>, Problem> {
        if self.variant(value)? != variant {
            return Err(misuse("the value is of another variant"));
        }
        let payload = self.payload(value.ty, variant)?;
        let part = |(ty, places): &(TypeRef, Vec<usize>)| {
            let typed = self.interface.leaves(*ty);
            let leaves = places.iter().zip(typed).map(|(&place, (ty, _))| retyped(&value.leaves[place], ty));
            Held::new(self.interface, *ty, leaves.collect())
        };
        Ok(payload.iter().map(part).collect())
    }

    /// Creates a sum value of a variant that carries `parts`. Leaves of other variants are zeros and empty arrays.
    pub fn construct(self, ty: TypeRef, variant: usize, parts: &[&Held]) -> Result<Held, Problem> {
        let payload = self.payload(ty, variant)?;
        self.expect(payload.iter().map(|(ty, _)| *ty), parts)?;
        let types = self.interface.leaves(ty);
        let zeros = types.iter().map(|&(ty, rank)| self.zero(ty, rank));
        let mut leaves = zeros.collect::<Result<Vec<_>, Problem>>()?;
        leaves[0] = Value::scalar(types[0].0, Scalar::int(types[0].0.scalar(), variant as i64));
        for ((_, places), part) in payload.iter().zip(parts) {
            for (&place, leaf) in places.iter().zip(&part.leaves) {
                leaves[place] = retyped(leaf, types[place].0);
            }
        }
        Ok(Held::new(self.interface, ty, leaves))
    }

    /// Returns an element of an array.
    pub fn index(self, value: &Held, index: &[i64]) -> Result<Held, Problem> {
        let element = self.element(value.ty)?;
        self.usable(value)?;
        let place = flat_index(&value.shape, index)?;
        let leaves = value.leaves.iter().map(|leaf| self.part(leaf, value.shape.len(), place));
        Ok(Held::new(self.interface, element, leaves.collect::<Result<_, _>>()?))
    }

    /// Replaces an element of an array.
    pub fn set(self, value: &mut Held, index: &[i64], element: &Held) -> Result<(), Problem> {
        self.expect([self.element(value.ty)?].into_iter(), &[element])?;
        self.usable(value)?;
        let place = flat_index(&value.shape, index)?;
        let rank = value.shape.len();
        let fits = |(leaf, part): (&Value, &Value)| &leaf.shape()[rank..] == part.shape();
        if !value.leaves.iter().zip(&element.leaves).all(fits) {
            return Err(misuse("the element has other sizes than those of the array"));
        }
        for (leaf, part) in value.leaves.iter_mut().zip(&element.leaves) {
            self.replace(leaf, place, part)?;
        }
        Ok(())
    }

    /// Creates an array from its elements in row-major order.
    pub fn array(self, ty: TypeRef, shape: &[i64], elements: &[&Held]) -> Result<Held, Problem> {
        let of = self.element(ty)?;
        let count = warpwise_runtime::array::element_count(shape);
        if shape.len() != rank(self.interface, ty) || count != Some(elements.len() as u64) {
            return Err(misuse("the number of elements does not fit the sizes"));
        }
        self.expect(elements.iter().map(|_| of), elements)?;
        let leaves = self.interface.leaves(of).into_iter().enumerate().map(|(number, (ty, inner))| {
            let parts: Vec<&Value> = elements.iter().map(|element| &element.leaves[number]).collect();
            let inner = parts.first().map_or(vec![0; inner], |part| part.shape().to_vec());
            if parts.iter().any(|part| part.shape() != inner) {
                return Err(misuse("the elements have different sizes"));
            }
            let sizes: Vec<i64> = shape.iter().copied().chain(inner).collect();
            let mut leaf = Value::array(ty, Array::allocate(self.memory, ty.scalar(), &sizes)?);
            let places = parts.iter().enumerate();
            places.into_iter().try_for_each(|(place, part)| self.replace(&mut leaf, place, part))?;
            Ok(leaf)
        });
        let leaves = leaves.collect::<Result<_, Problem>>()?;
        Ok(Held { ty, leaves, shape: shape.to_vec(), gone: None })
    }

    /// Checks that values have these types and are usable.
    fn expect(self, types: impl ExactSizeIterator<Item = TypeRef>, parts: &[&Held]) -> Result<(), Problem> {
        if types.len() != parts.len() {
            return Err(misuse(&format!(
                "{} values expected but {} values provided.",
                types.len(),
                parts.len()
            )));
        }
        for (ty, part) in types.zip(parts) {
            if ty != part.ty {
                let (expected, found) = (self.interface.name(ty), self.interface.name(part.ty));
                return Err(misuse(&format!("expected type {expected}, got {found}")));
            }
            self.usable(part)?;
        }
        Ok(())
    }

    /// Checks that a value has not been consumed.
    pub fn usable(self, value: &Held) -> Result<(), Problem> {
        match &value.gone {
            None => Ok(()),
            Some(gone) => Err(misuse(&gone.to_string())),
        }
    }

    fn fields(self, ty: TypeRef) -> Result<&'a [Field], Problem> {
        match self.kind(ty) {
            Some(Kind::Record(fields) | Kind::OpaqueArray { fields: Some(fields), .. }) => Ok(fields),
            Some(Kind::OpaqueArray { .. } | Kind::Sum(_) | Kind::Array { .. }) | None => {
                Err(misuse("Not a record type"))
            }
        }
    }

    fn variants(self, ty: TypeRef) -> Result<usize, Problem> {
        match self.kind(ty) {
            Some(Kind::Sum(variants)) => Ok(variants.len()),
            Some(Kind::Record(_) | Kind::OpaqueArray { .. } | Kind::Array { .. }) | None => {
                Err(misuse("Not a sum type"))
            }
        }
    }

    fn payload(self, ty: TypeRef, variant: usize) -> Result<&'a [(TypeRef, Vec<usize>)], Problem> {
        self.variants(ty)?;
        match self.kind(ty) {
            Some(Kind::Sum(variants)) if variant < variants.len() => Ok(&variants[variant].payload),
            Some(_) | None => Err(misuse("there is no such variant")),
        }
    }

    /// Returns the element type of an array type.
    pub fn element(self, ty: TypeRef) -> Result<TypeRef, Problem> {
        match self.kind(ty) {
            Some(Kind::Array { element, .. }) => Ok(TypeRef::Scalar(*element)),
            Some(Kind::OpaqueArray { element, .. }) => Ok(*element),
            Some(Kind::Record(_) | Kind::Sum(_)) | None => Err(misuse("Not an array type")),
        }
    }

    fn kind(self, ty: TypeRef) -> Option<&'a Kind> {
        match ty {
            TypeRef::Scalar(_) => None,
            TypeRef::Named(number) => Some(&self.interface.types[number].kind),
        }
    }

    fn width(self, ty: TypeRef) -> usize {
        match ty {
            TypeRef::Scalar(_) => 1,
            TypeRef::Named(number) => self.interface.types[number].leaves.len(),
        }
    }

    fn zero(self, ty: ValueType, rank: usize) -> Result<Value, Problem> {
        if rank == 0 {
            return Ok(Value::scalar(ty, Scalar::zero(ty.scalar())));
        }
        Ok(Value::array(ty, Array::allocate(self.memory, ty.scalar(), &vec![0; rank])?))
    }

    /// Copies the element at `place`, an index over the outer `rank` dimensions of a leaf.
    fn part(self, leaf: &Value, rank: usize, place: usize) -> Result<Value, Problem> {
        let Value::Array { ty, array } = leaf else { return Ok(leaf.clone()) };
        let inner = &array.shape()[rank..];
        if inner.is_empty() {
            let element = array.element(place).ok_or_else(|| misuse("Index out of bounds."))?;
            return Ok(Value::scalar(*ty, element));
        }
        let mut part = Array::allocate(self.memory, array.elem(), inner)?;
        let target = part.bytes_mut(self.memory)?;
        let start = place * target.len();
        target.copy_from_slice(&array.bytes()[start..start + target.len()]);
        Ok(Value::array(*ty, part))
    }

    fn replace(self, leaf: &mut Value, place: usize, part: &Value) -> Result<(), Problem> {
        let Value::Array { array, .. } = leaf else { return Ok(()) };
        let target = array.bytes_mut(self.memory)?;
        match part {
            Value::Scalar { value, .. } => {
                let width = value.ty().bytes();
                let bytes = value.to_bits().to_le_bytes();
                target[place * width..][..width].copy_from_slice(&bytes[..width]);
            }
            Value::Array { array: part, .. } => {
                let bytes = part.bytes();
                target[place * bytes.len()..][..bytes.len()].copy_from_slice(bytes);
            }
        }
        Ok(())
    }
}

/// Returns the number of dimensions; 0 for types that are not arrays.
pub fn rank(interface: &Interface, ty: TypeRef) -> usize {
    match ty {
        TypeRef::Scalar(_) => 0,
        TypeRef::Named(number) => match &interface.types[number].kind {
            Kind::Array { rank, .. } | Kind::OpaqueArray { rank, .. } => *rank,
            Kind::Record(_) | Kind::Sum(_) => 0,
        },
    }
}

/// Reinterprets a value as another type of the same width: variants with integers of different signedness share leaves.
fn retyped(value: &Value, ty: ValueType) -> Value {
    match value {
        Value::Scalar { value, .. } => Value::scalar(ty, *value),
        Value::Array { array, .. } => Value::array(ty, array.clone()),
    }
}

fn flat_index(shape: &[i64], index: &[i64]) -> Result<usize, Problem> {
    if shape.len() != index.len() {
        return Err(misuse(&format!(
            "{} indices expected but {} values provided.",
            shape.len(),
            index.len()
        )));
    }
    let mut flat = 0;
    for (&size, &at) in shape.iter().zip(index) {
        if !(0..size).contains(&at) {
            return Err(misuse("Index out of bounds."));
        }
        flat = flat * size as usize + at as usize;
    }
    Ok(flat)
}

/// Returns the name of an argument for messages. `at` counts from 0.
pub fn argument_name(at: usize, input: &Input) -> String {
    match input.name.as_str() {
        "" => format!("argument {}", at + 1),
        name => format!("argument {} (`{name}`)", at + 1),
    }
}

/// Creates a [`Problem`] for misuse of a program.
pub fn misuse(message: &str) -> Problem {
    Problem::Program(message.to_string())
}

impl Problem {
    /// Returns the error code for C.
    pub fn code(&self) -> i32 {
        match self {
            Problem::Other(_) => 1,
            Problem::Program(_) => 2,
            Problem::Memory(_) => 3,
        }
    }

    /// Adds the argument that the problem is about.
    pub fn of_argument(self, at: usize, input: &Input) -> Problem {
        self.within(&argument_name(at, input))
    }

    /// Adds the place that the problem is about.
    pub fn within(self, place: &str) -> Problem {
        let named = |message: String| format!("{place}: {message}");
        match self {
            Problem::Program(message) => Problem::Program(named(message)),
            Problem::Memory(message) => Problem::Memory(named(message)),
            Problem::Other(message) => Problem::Other(named(message)),
        }
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        match self {
            Problem::Program(message) | Problem::Memory(message) | Problem::Other(message) => message,
        }
    }
}

impl From<OutOfMemory> for Problem {
    fn from(error: OutOfMemory) -> Problem {
        Problem::Memory(error.to_string())
    }
}
