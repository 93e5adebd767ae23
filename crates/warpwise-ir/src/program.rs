//! Programs, functions and their variables.

use smallvec::SmallVec;
use warpwise_diag::Span;
use warpwise_prim::ValueType;

use crate::entity;
use crate::entity::PrimaryMap;
use crate::expr::Body;
use crate::memory::Placement;
use crate::types::{Operand, Type};

entity!(
    /// A function of a program.
    FunctionId
);

entity!(
    /// A variable of one function. Bound exactly once.
    Var
);

/// A whole program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// All functions; callees need not precede their callers.
    pub functions: PrimaryMap<FunctionId, Function>,
}

/// A function: parameters, body and the types of its results.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, unique within the program.
    pub name: String,
    /// Its surface signature, if it can be called from outside.
    pub entry: Option<EntryPoint>,
    /// Every variable bound anywhere in this function.
    pub vars: PrimaryMap<Var, VarData>,
    /// Parameters; sizes precede the arrays whose types mention them.
    pub params: Vec<Param>,
    /// Declared results; a result's type may mention parameters and earlier results.
    pub results: Vec<ResultDecl>,
    /// Statements and result.
    pub body: Body,
    /// Source position of its definition.
    pub span: Span,
}

/// The data of a variable.
#[derive(Clone, Debug)]
pub struct VarData {
    /// Name hint for printing; not an identity.
    pub name: SmallVec<[u8; 16]>,
    /// Its type, stored here and nowhere else.
    pub ty: Type,
    /// Placement of an array in memory (level `mem` only).
    pub placement: Option<Placement>,
}

/// A parameter of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The variable it binds.
    pub var: Var,
    /// Whether the function may overwrite it (`*`).
    pub consumed: bool,
}

/// A result of a function. The variable only names the result in the types of later results; it is
/// never in scope in the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultDecl {
    /// The variable that carries the result's type.
    pub var: Var,
    /// Whether the result aliases no parameter (`*`).
    pub unique: bool,
}

/// The surface signature of an entry point. The function's parameters are first the sizes that
/// array types mention, then the flattened values of `params` in order; its results are first the
/// existential sizes, then the flattened values of `results`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct EntryPoint {
    /// The name it is called by.
    pub name: String,
    /// Number of leading function parameters that are sizes.
    pub size_params: usize,
    /// The parameters as written.
    pub params: Vec<EntryParam>,
    /// Number of leading function results that are sizes.
    pub size_results: usize,
    /// The name of the type whose parts the results are, if the result is a tuple and its type has a name in the source.
    pub tuple: Option<String>,
    /// The results as written; a returned tuple is unpacked one level.
    pub results: Vec<EntryResult>,
}

/// One result of an entry point.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct EntryResult {
    /// Whether its declaration has a star: it aliases no argument.
    pub unique: bool,
    /// Its type.
    pub ty: EntryType,
}

impl EntryPoint {
    /// Returns the types of the results.
    pub fn result_types(&self) -> impl ExactSizeIterator<Item = &EntryType> + Clone {
        self.results.iter().map(|result| &result.ty)
    }
}

impl From<EntryType> for EntryResult {
    /// Returns a result without a star.
    fn from(ty: EntryType) -> EntryResult {
        EntryResult { unique: false, ty }
    }
}

/// One parameter of an entry point.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct EntryParam {
    /// Its name in the source; may be empty.
    pub name: String,
    /// Whether it is consumed.
    pub consumed: bool,
    /// Its type.
    pub ty: EntryType,
}

/// A type as the outside world sees it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum EntryType {
    /// One scalar value.
    Scalar(ValueType),
    /// One array value of this rank.
    Array(ValueType, usize),
    /// Several values under one name: a record, a tuple, an array of records or tuples, or an abstract type.
    Opaque {
        /// The type as written, without sizes.
        name: String,
        /// Its parts, each with its name.
        fields: Vec<(String, EntryType)>,
        /// The meaning of the parts.
        form: OpaqueForm,
    },
}

/// The meaning of the parts of an opaque value.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum OpaqueForm {
    /// The parts are the fields of a record or tuple.
    Record,
    /// The parts are the number of a constructor, and slots for the payloads of the constructors, in any order. The variants are
    /// listed in the order of their numbers.
    Sum(Vec<Variant>),
    /// The parts are arrays of the element type's values, with the given number of additional dimensions.
    Array(usize, Box<EntryType>),
}

/// A constructor of a sum type.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Variant {
    /// Its name, without `#`.
    pub name: String,
    /// The types of its payload, each with the indices of its values among those of the whole sum type.
    pub payload: Vec<(EntryType, Vec<usize>)>,
}

impl EntryType {
    /// Returns the types and ranks of the scalars and arrays that a value of this type is made of.
    pub fn leaves(&self) -> Vec<(ValueType, usize)> {
        match self {
            EntryType::Scalar(ty) => vec![(*ty, 0)],
            EntryType::Array(ty, rank) => vec![(*ty, *rank)],
            EntryType::Opaque { fields, .. } => fields.iter().flat_map(|(_, ty)| ty.leaves()).collect(),
        }
    }
}

impl Program {
    /// Returns the entry point of this name.
    pub fn entry(&self, name: &str) -> Option<FunctionId> {
        let is = |f: &Function| f.entry.as_ref().is_some_and(|entry| entry.name == name);
        self.functions.iter().find(|(_, f)| is(f)).map(|(id, _)| id)
    }
}

impl Function {
    /// Creates a fresh variable.
    pub fn fresh(&mut self, name: &str, ty: Type) -> Var {
        self.vars.push(VarData { name: name.as_bytes().into(), ty, placement: None })
    }

    /// Creates a fresh variable with the name, type and placement of another.
    pub fn fresh_like(&mut self, var: Var) -> Var {
        self.vars.push(self.vars[var].clone())
    }

    /// Returns the type of a variable.
    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var].ty
    }

    /// Returns the type of an operand.
    pub fn operand_type(&self, operand: Operand) -> Type {
        match operand {
            Operand::Const(value) => Type::Scalar(value.ty()),
            Operand::Var(var) => self.vars[var].ty.clone(),
        }
    }
}

impl VarData {
    /// Returns the name hint as text.
    pub fn name(&self) -> &str {
        std::str::from_utf8(&self.name).unwrap_or("v")
    }
}
