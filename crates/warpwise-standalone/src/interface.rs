//! The types and entry points of a program as C, servers and manifests see them: a table of types with names.
//!
//! ```text
//! []f32                futhark_f32_1d               an array of scalars
//! point                futhark_opaque_point         a record whose type has a name in the source
//! (i32, []f32)         futhark_opaque_tup2_i32_arr1d_f32
//! []point              futhark_opaque_arr1d_point   an array of records: an array for each field
//! {a: i32}             futhark_opaque_HASH          what C has no name for
//! ```
//!
//! Names for C are those of Futhark (`c_names`), so that programs written for its libraries link.
//! A type without a name in the source gets the name of a type of the same structure, if the entry points mention one. The result of an
//! entry point is one value: several results form a tuple.

mod c_names;

use warpwise_ir::{EntryPoint, EntryResult, EntryType, OpaqueForm};
use warpwise_prim::ValueType;

pub use c_names::Naming;

/// The types and entry points of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Types other than scalars, in the order in which entry points mention them, parts first.
    pub types: Vec<NamedType>,
    /// Entry points, in the order of the source.
    pub entries: Vec<EntryInterface>,
}

/// A type other than a scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedType {
    /// Name in the language.
    pub name: String,
    /// Name in C, after `futhark_`.
    pub c_name: String,
    /// Structure of the type.
    pub kind: Kind,
    /// Leaves of the type: element types with ranks.
    pub leaves: Vec<(ValueType, usize)>,
    source: EntryType,
}

/// A scalar type, or the number of a type in [`Interface::types`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRef {
    /// A scalar.
    Scalar(ValueType),
    /// Any other.
    Named(usize),
}

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An array of scalars.
    Array {
        /// Element type.
        element: ValueType,
        /// Number of dimensions.
        rank: usize,
    },
    /// A record or tuple.
    Record(Vec<Field>),
    /// A sum type. Its first leaf is the number of the variant.
    Sum(Vec<SumVariant>),
    /// An array of elements that are not scalars.
    OpaqueArray {
        /// Element type.
        element: TypeRef,
        /// Number of dimensions.
        rank: usize,
        /// Arrays of the fields, if the elements are records.
        fields: Option<Vec<Field>>,
    },
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name of the field; a number in tuples.
    pub name: String,
    /// Name in C.
    pub c_name: String,
    /// Type of the field.
    pub ty: TypeRef,
}

/// A constructor of a sum type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SumVariant {
    /// Name of the constructor.
    pub name: String,
    /// Name in C.
    pub c_name: String,
    /// Types that it carries, each with the numbers of its leaves among those of the sum.
    pub payload: Vec<(TypeRef, Vec<usize>)>,
}

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryInterface {
    /// Name of the entry point.
    pub name: String,
    /// Name in C, after `futhark_entry_`.
    pub c_name: String,
    /// Parameters.
    pub inputs: Vec<Input>,
    /// The result.
    pub output: Output,
    /// The single results, which `output` combines into a tuple without a name unless there is exactly one.
    pub outputs: Vec<Output>,
}

/// A result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Type of the result.
    pub ty: TypeRef,
    /// Whether its declaration has a star: it aliases no argument.
    pub unique: bool,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Name of the parameter; may be empty.
    pub name: String,
    /// Type of the parameter.
    pub ty: TypeRef,
    /// Whether its declaration has a star: the entry point may consume it.
    pub unique: bool,
}

impl Input {
    /// Returns whether an argument for it is unusable after a call. Scalars are copied, so they are never consumed.
    pub fn is_consumed(&self) -> bool {
        self.unique && !matches!(self.ty, TypeRef::Scalar(_))
    }
}

impl Interface {
    /// Returns the interface of these entry points.
    pub fn of<'e>(points: impl Iterator<Item = &'e EntryPoint> + Clone, naming: Naming) -> Interface {
        let mut table = Table { naming, aliases: Vec::new(), types: Vec::new() };
        for point in points.clone() {
            let params = point.params.iter().map(|param| &param.ty);
            params.chain(point.result_types()).for_each(|ty| table.collect_aliases(ty));
        }
        let mut entries: Vec<EntryInterface> = Vec::new();
        for point in points {
            let c_name =
                unused(&c_names::word(&point.name), |name| entries.iter().all(|entry| entry.c_name != name));
            let entry = table.entry(point, c_name);
            entries.push(entry);
        }
        Interface { types: table.types, entries }
    }

    /// Returns the name of a type in the language.
    pub fn name(&self, ty: TypeRef) -> &str {
        match ty {
            TypeRef::Scalar(ty) => ty.name(),
            TypeRef::Named(number) => &self.types[number].name,
        }
    }

    /// Returns the type with this name.
    pub fn find(&self, name: &str) -> Option<TypeRef> {
        let scalar = ValueType::ALL.into_iter().find(|ty| ty.name() == name).map(TypeRef::Scalar);
        scalar.or_else(|| self.types.iter().position(|ty| ty.name == name).map(TypeRef::Named))
    }

    /// Returns the leaves of a type: element types with ranks.
    pub fn leaves(&self, ty: TypeRef) -> Vec<(ValueType, usize)> {
        match ty {
            TypeRef::Scalar(ty) => vec![(ty, 0)],
            TypeRef::Named(number) => self.types[number].leaves.clone(),
        }
    }
}

/// The state of numbering types.
struct Table {
    naming: Naming,
    /// Types that have names in the source.
    aliases: Vec<(String, EntryType)>,
    types: Vec<NamedType>,
}

impl Table {
    fn collect_aliases(&mut self, ty: &EntryType) {
        let EntryType::Opaque { name, fields, form } = ty else { return };
        if is_word(name) && !self.aliases.iter().any(|(known, _)| known == name) {
            self.aliases.push((name.clone(), ty.clone()));
        }
        match form {
            OpaqueForm::Record => fields.iter().for_each(|(_, ty)| self.collect_aliases(ty)),
            OpaqueForm::Array(_, element) => self.collect_aliases(element),
            OpaqueForm::Sum(variants) => {
                let payload = variants.iter().flat_map(|variant| &variant.payload);
                payload.for_each(|(ty, _)| self.collect_aliases(ty));
            }
        }
    }

    fn entry(&mut self, point: &EntryPoint, c_name: String) -> EntryInterface {
        let inputs = point.params.iter().map(|param| Input {
            name: param.name.clone(),
            ty: self.number(&param.ty),
            unique: param.consumed,
        });
        let inputs = inputs.collect();
        let output = |result: &EntryResult| Output { ty: self.number(&result.ty), unique: result.unique };
        let outputs: Vec<Output> = point.results.iter().map(output).collect();
        let output = match outputs.as_slice() {
            [only] => *only,
            _ => {
                let unique = outputs.iter().any(|output| output.unique);
                Output { ty: self.number(&result_tuple(point)), unique }
            }
        };
        // A tuple with a name is one result.
        let outputs = if point.tuple.is_some() { vec![output] } else { outputs };
        EntryInterface { name: point.name.clone(), c_name, inputs, output, outputs }
    }

    /// Returns the number of a type. A new type is added to the table.
    fn number(&mut self, ty: &EntryType) -> TypeRef {
        let kind = match ty {
            EntryType::Scalar(ty) => return TypeRef::Scalar(*ty),
            EntryType::Array(element, rank) => Kind::Array { element: *element, rank: *rank },
            EntryType::Opaque { fields, form: OpaqueForm::Record, .. } => Kind::Record(self.fields(fields)),
            EntryType::Opaque { form: OpaqueForm::Sum(variants), .. } => {
                let variants = variants.iter().map(|variant| SumVariant {
                    name: variant.name.clone(),
                    c_name: c_names::part(&variant.name),
                    payload: variant
                        .payload
                        .iter()
                        .map(|(ty, leaves)| (self.number(ty), leaves.clone()))
                        .collect(),
                });
                Kind::Sum(variants.collect())
            }
            EntryType::Opaque { form: OpaqueForm::Array(rank, element), .. } => {
                let number = self.number(element);
                let fields = match &**element {
                    EntryType::Opaque { fields, form: OpaqueForm::Record, .. } => {
                        let raised: Vec<_> =
                            fields.iter().map(|(name, ty)| (name.clone(), raised(ty, *rank))).collect();
                        Some(self.fields(&raised))
                    }
                    EntryType::Opaque { .. } | EntryType::Scalar(_) | EntryType::Array(..) => None,
                };
                Kind::OpaqueArray { element: number, rank: *rank, fields }
            }
        };
        self.enter(ty, kind)
    }

    fn fields(&mut self, fields: &[(String, EntryType)]) -> Vec<Field> {
        let mut all: Vec<Field> = Vec::with_capacity(fields.len());
        for (name, ty) in fields {
            let ty = self.number(ty);
            let c_name = unused(&c_names::part(name), |word| all.iter().all(|field| field.c_name != word));
            all.push(Field { name: name.clone(), c_name, ty });
        }
        all
    }

    fn enter(&mut self, ty: &EntryType, kind: Kind) -> TypeRef {
        let name = self.name(ty);
        let known = self.types.iter().position(|known| known.name == name && same(&known.source, ty));
        if let Some(number) = known {
            return TypeRef::Named(number);
        }
        // Types of different modules may have the same name.
        let name = unused(&name, |name| self.types.iter().all(|known| known.name != name));
        let c_name = self.c_name(ty, &kind);
        let c_name = unused(&c_name, |name| self.types.iter().all(|known| known.c_name != name));
        self.types.push(NamedType { name, c_name, kind, leaves: ty.leaves(), source: ty.clone() });
        TypeRef::Named(self.types.len() - 1)
    }

    /// Returns the name of a type in the language.
    fn name(&self, ty: &EntryType) -> String {
        let (name, fields, form) = match ty {
            EntryType::Scalar(ty) => return ty.name().to_string(),
            EntryType::Array(element, rank) => return "[]".repeat(*rank) + element.name(),
            EntryType::Opaque { name, fields, form } => (name, fields, form),
        };
        if is_word(name) {
            return name.clone();
        }
        if let Some((alias, _)) = self.aliases.iter().find(|(_, alias)| same(alias, ty)) {
            return alias.clone();
        }
        match form {
            OpaqueForm::Record => {
                let is_tuple = is_tuple(fields);
                let parts = fields.iter().map(|(name, ty)| match is_tuple {
                    true => self.name(ty),
                    false => format!("{name}: {}", self.name(ty)),
                });
                let parts = parts.collect::<Vec<_>>().join(", ");
                if is_tuple { format!("({parts})") } else { format!("{{{parts}}}") }
            }
            OpaqueForm::Array(rank, element) => {
                let name = self.name(element);
                let name = if name.starts_with('#') { format!("({name})") } else { name };
                "[]".repeat(*rank) + &name
            }
            OpaqueForm::Sum(_) => name.clone(),
        }
    }

    /// Returns the name of a type in C.
    fn c_name(&self, ty: &EntryType, kind: &Kind) -> String {
        match kind {
            Kind::Array { element, rank } => format!("{}_{rank}d", element.name()),
            Kind::Record(_) | Kind::Sum(_) | Kind::OpaqueArray { .. } => {
                format!("opaque_{}", c_names::of_opaque(&self.spelled(ty), self.naming))
            }
        }
    }

    /// Returns the name that Futhark gives to a type.
    fn spelled(&self, ty: &EntryType) -> String {
        let name = self.name(ty);
        let EntryType::Opaque { fields, form, .. } = ty else { return name };
        if is_word(&name) {
            return name;
        }
        match form {
            OpaqueForm::Record if is_tuple(fields) => {
                let parts: Vec<String> = fields.iter().map(|(_, ty)| self.spelled(ty)).collect();
                format!("({})", parts.join(", "))
            }
            OpaqueForm::Record => {
                let colon = self.naming.colon();
                let field = |(name, ty): &(String, EntryType)| format!("{name}{colon}{}", self.spelled(ty));
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            OpaqueForm::Array(rank, element) => "[]".repeat(*rank) + &self.spelled(element),
            OpaqueForm::Sum(variants) => {
                let variant = |variant: &warpwise_ir::Variant| {
                    let payload = variant.payload.iter().map(|(ty, _)| self.spelled(ty));
                    format!("{}:{}", variant.name, payload.collect::<Vec<_>>().join(" "))
                };
                variants.iter().map(variant).collect::<Vec<_>>().join(" | ")
            }
        }
    }
}

/// Returns whether these are the fields of a tuple.
fn is_tuple(fields: &[(String, EntryType)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string())
}

/// Returns the tuple of an entry point's results.
fn result_tuple(point: &EntryPoint) -> EntryType {
    let fields = point.result_types().enumerate().map(|(i, ty)| (i.to_string(), ty.clone()));
    let (name, form) = (point.tuple.clone().unwrap_or_default(), OpaqueForm::Record);
    EntryType::Opaque { name, fields: fields.collect(), form }
}

/// Returns the type of arrays whose elements have type `ty`.
fn raised(ty: &EntryType, rank: usize) -> EntryType {
    match ty {
        EntryType::Scalar(element) => EntryType::Array(*element, rank),
        EntryType::Array(element, inner) => EntryType::Array(*element, rank + inner),
        EntryType::Opaque { form: OpaqueForm::Array(inner, element), .. } => raised(element, rank + inner),
        EntryType::Opaque { fields, .. } => {
            let fields = fields.iter().map(|(name, field)| (name.clone(), raised(field, rank))).collect();
            let form = OpaqueForm::Array(rank, Box::new(ty.clone()));
            EntryType::Opaque { name: String::new(), fields, form }
        }
    }
}

/// Returns whether two types have the same structure, regardless of their names.
fn same(a: &EntryType, b: &EntryType) -> bool {
    let (EntryType::Opaque { fields, form, .. }, EntryType::Opaque { fields: others, form: other, .. }) =
        (a, b)
    else {
        return a == b;
    };
    match (form, other) {
        (OpaqueForm::Record, OpaqueForm::Record) => {
            let mut pairs = fields.iter().zip(others);
            fields.len() == others.len() && pairs.all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
        }
        (OpaqueForm::Array(rank, element), OpaqueForm::Array(other_rank, other)) => {
            rank == other_rank && same(element, other)
        }
        (OpaqueForm::Sum(variants), OpaqueForm::Sum(others)) => {
            let same_payload = |a: &[(EntryType, Vec<usize>)], b: &[(EntryType, Vec<usize>)]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.0, &b.0))
            };
            let mut pairs = variants.iter().zip(others);
            variants.len() == others.len()
                && pairs.all(|(a, b)| a.name == b.name && same_payload(&a.payload, &b.payload))
        }
        (OpaqueForm::Record | OpaqueForm::Array(..) | OpaqueForm::Sum(_), _) => false,
    }
}

/// Returns whether a type's name comes from the source, and does not spell out a structure.
fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\''))
}

/// Returns the name itself if it is free, otherwise the first free name with a number appended.
fn unused(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (1..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
