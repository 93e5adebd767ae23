//! Programs with every name resolved.
//!
//! Variables, constructors, types and type variables are dense ids into the tables of a [`Program`]; a variable is bound once.
//! Syntax that only abbreviates is gone: tuples are records with the labels 0, 1, ..., `if` and `switch` are
//! [`ExprKind::Choice`]s, and a projection has one label. The checker fills [`Expr::ty`].

use std::rc::Rc;

use warpwise_diag::Span;

use crate::builtins::Builtin;
use crate::check::types::Ty;
use crate::syntax::names::Symbol;

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// A constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConId(pub u32);

/// A type with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// A type variable of an `all`, or a parameter of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeVar(pub u32);

/// A whole program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// The variables, by id.
    pub vars: Vec<Name>,
    /// The constructors, by id.
    pub cons: Vec<Con>,
    /// The named types, by id.
    pub types: Vec<NamedType>,
    /// The types of the built-ins, in the order of [`crate::builtins::ALL`].
    pub builtin_types: Vec<Type>,
    /// The type variables, by id.
    pub type_vars: Vec<Symbol>,
    /// External functions without an implementation, with their types: errors where they are used.
    pub missing_externals: Vec<(VarId, Type)>,
    /// The definitions at the top, in order.
    pub decls: Vec<Decl>,
    /// The expression that the program computes; `()` if there is none.
    pub main: Option<Expr>,
    /// The start of the program's own file: the position of messages that have no better one.
    pub start: Option<Span>,
}

/// A name and its binding position.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name as written.
    pub name: Symbol,
    /// Source position of the binding.
    pub span: Span,
}

/// A constructor.
#[derive(Clone, Debug)]
pub struct Con {
    /// Its name.
    pub name: Name,
    /// Its type: a function, perhaps under `all`.
    pub ty: Type,
}

/// A type with a name.
#[derive(Clone, Debug)]
pub struct NamedType {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<TypeVar>,
    /// Indices of the parameters that stand for types with arguments of their own.
    pub applied: Vec<usize>,
    /// The type that it abbreviates; a type without a definition is distinct from all others.
    pub definition: Option<Type>,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its kind.
    pub kind: DeclKind,
    /// Source position.
    pub span: Span,
}

/// The kinds of definitions in resolved programs.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `let x = e`.
    Let(Binding),
    /// Bindings that may use each other.
    Recursive(Vec<Binding>),
    /// An external function, with its type and implementation.
    External(VarId, Type, Builtin),
    /// A test.
    Utest(Box<Utest>),
    /// An expression computed for its effect.
    Do(Expr),
    /// `match e with p in`.
    Match(Expr, Pat),
}

/// `x : T = e`.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The bound variable.
    pub var: VarId,
    /// Its type, if written.
    pub ty: Option<Type>,
    /// Its value.
    pub body: Expr,
}

/// `utest a with b using eq else show`.
#[derive(Clone, Debug)]
pub struct Utest {
    /// The tested expression.
    pub actual: Expr,
    /// The expected value.
    pub expected: Expr,
    /// The comparison; equality if left out.
    pub using: Option<Expr>,
    /// The function that makes the message of a failure.
    pub otherwise: Option<Expr>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Source position.
    pub span: Span,
    /// Its type, once checked.
    pub ty: Ty,
}

impl Expr {
    /// Returns an expression that is not checked yet.
    pub fn new(span: Span, kind: ExprKind) -> Expr {
        Expr { kind, span, ty: Ty::UNCHECKED }
    }

    /// Returns `()`.
    pub fn unit(span: Span) -> Expr {
        Expr::new(span, ExprKind::Record(Vec::new()))
    }
}

impl Expr {
    /// Returns the expressions directly inside, in order, including those of a block's definitions.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Var(_)
            | ExprKind::Frozen(_)
            | ExprKind::Builtin(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Bool(_)
            | ExprKind::String(_)
            | ExprKind::Never => Vec::new(),
            ExprKind::Apply(function, arguments) => std::iter::once(&**function).chain(arguments).collect(),
            ExprKind::Lambda(_, inner)
            | ExprKind::Construct(_, inner)
            | ExprKind::Project(inner, _)
            | ExprKind::Accelerate(inner) => vec![inner],
            ExprKind::Choice(tests, otherwise) => {
                let tests = tests.iter().flat_map(|test| [&test.scrutinee, &test.then]);
                tests.chain(std::iter::once(&**otherwise)).collect()
            }
            ExprKind::Record(fields) => fields.iter().map(|(_, value)| value).collect(),
            ExprKind::Update(record, fields) => {
                std::iter::once(&**record).chain(fields.iter().map(|(_, value)| value)).collect()
            }
            ExprKind::Seq(items) => items.iter().collect(),
            ExprKind::Block(decls, result) => {
                decls.iter().flat_map(Decl::children).chain(std::iter::once(&**result)).collect()
            }
        }
    }

    /// Returns the same expressions, mutable.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Var(_)
            | ExprKind::Frozen(_)
            | ExprKind::Builtin(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Bool(_)
            | ExprKind::String(_)
            | ExprKind::Never => Vec::new(),
            ExprKind::Apply(function, arguments) => {
                std::iter::once(&mut **function).chain(arguments).collect()
            }
            ExprKind::Lambda(_, inner)
            | ExprKind::Construct(_, inner)
            | ExprKind::Project(inner, _)
            | ExprKind::Accelerate(inner) => vec![inner],
            ExprKind::Choice(tests, otherwise) => {
                let tests = tests.iter_mut().flat_map(|test| [&mut test.scrutinee, &mut test.then]);
                tests.chain(std::iter::once(&mut **otherwise)).collect()
            }
            ExprKind::Record(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
            ExprKind::Update(record, fields) => {
                std::iter::once(&mut **record).chain(fields.iter_mut().map(|(_, value)| value)).collect()
            }
            ExprKind::Seq(items) => items.iter_mut().collect(),
            ExprKind::Block(decls, result) => {
                decls.iter_mut().flat_map(Decl::children_mut).chain(std::iter::once(&mut **result)).collect()
            }
        }
    }

    /// Calls `visit` with this expression and everything in it, outermost first.
    pub fn each<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.each(visit));
    }
}

impl Decl {
    /// Returns the variables that a definition of values binds, except those of patterns.
    pub fn defined(&self) -> Vec<VarId> {
        match &self.kind {
            DeclKind::Let(binding) => vec![binding.var],
            DeclKind::Recursive(bindings) => bindings.iter().map(|binding| binding.var).collect(),
            DeclKind::External(var, ..) => vec![*var],
            DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => Vec::new(),
        }
    }

    /// Returns the expressions directly inside, in order.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            DeclKind::Let(binding) => vec![&binding.body],
            DeclKind::Recursive(bindings) => bindings.iter().map(|binding| &binding.body).collect(),
            DeclKind::External(..) => Vec::new(),
            DeclKind::Utest(utest) => {
                let optional = utest.using.iter().chain(&utest.otherwise);
                [&utest.actual, &utest.expected].into_iter().chain(optional).collect()
            }
            DeclKind::Do(value) | DeclKind::Match(value, _) => vec![value],
        }
    }

    /// Returns the same expressions, mutable.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            DeclKind::Let(binding) => vec![&mut binding.body],
            DeclKind::Recursive(bindings) => bindings.iter_mut().map(|binding| &mut binding.body).collect(),
            DeclKind::External(..) => Vec::new(),
            DeclKind::Utest(utest) => {
                let utest = &mut **utest;
                let optional = utest.using.iter_mut().chain(&mut utest.otherwise);
                [&mut utest.actual, &mut utest.expected].into_iter().chain(optional).collect()
            }
            DeclKind::Do(value) | DeclKind::Match(value, _) => vec![value],
        }
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A variable.
    Var(VarId),
    /// A variable whose type is not instantiated.
    Frozen(VarId),
    /// A built-in.
    Builtin(Builtin),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// `true` or `false`.
    Bool(bool),
    /// A sequence of characters.
    String(Rc<str>),
    /// `never`, an expression that is not reached.
    Never,
    /// A function applied to one or more arguments.
    Apply(Box<Expr>, Vec<Expr>),
    /// A function with one or more parameters.
    Lambda(Vec<Parameter>, Box<Expr>),
    /// A constructor applied.
    Construct(ConId, Box<Expr>),
    /// Tests with their expressions, and the expression if none holds. The first test that holds decides.
    Choice(Vec<Test>, Box<Expr>),
    /// A record; labels in the order written.
    Record(Vec<(Symbol, Expr)>),
    /// A record with some fields replaced.
    Update(Box<Expr>, Vec<(Symbol, Expr)>),
    /// A field of a record.
    Project(Box<Expr>, Symbol),
    /// A sequence.
    Seq(Vec<Expr>),
    /// Definitions, and the expression in their scope.
    Block(Vec<Decl>, Box<Expr>),
    /// `accelerate e`.
    Accelerate(Box<Expr>),
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable.
    pub var: VarId,
    /// Its type, if written.
    pub ty: Option<Type>,
}

/// A test, with the expression that follows if it holds.
#[derive(Clone, Debug)]
pub struct Test {
    /// The scrutinee.
    pub scrutinee: Expr,
    /// The pattern it must match.
    pub pattern: Pat,
    /// The expression that follows.
    pub then: Expr,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// Its kind.
    pub kind: PatKind,
    /// Source position.
    pub span: Span,
    /// Its type, once checked.
    pub ty: Ty,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `_`.
    Wildcard,
    /// A name for the value.
    Var(VarId),
    /// An integer.
    Int(i64),
    /// A character.
    Char(char),
    /// `true` or `false`.
    Bool(bool),
    /// Some fields of a record.
    Record(Vec<(Symbol, Pat)>),
    /// A constructor and the pattern of the value it holds.
    Construct(ConId, Box<Pat>),
    /// All elements of a sequence.
    Seq(Vec<Pat>),
    /// The first elements, the elements between, the last elements.
    Edge(Vec<Pat>, Option<VarId>, Vec<Pat>),
    /// Both patterns match.
    And(Box<Pat>, Box<Pat>),
    /// One of two patterns matches; both bind the same variables.
    Or(Box<Pat>, Box<Pat>),
    /// The pattern does not match; binds nothing.
    Not(Box<Pat>),
}

/// A type as written, with names resolved.
#[derive(Clone, Debug)]
pub enum Type {
    /// A type to be inferred.
    Unknown,
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Float`.
    Float,
    /// `Char`.
    Char,
    /// `[T]`.
    Seq(Box<Type>),
    /// `Tensor[T]`.
    Tensor(Box<Type>),
    /// `{x : T}`.
    Record(Vec<(Symbol, Type)>),
    /// A type variable.
    Var(TypeVar),
    /// A named type applied to as many arguments as it has parameters; to fewer if it stands for a parameter that takes
    /// arguments.
    Named(TypeId, Vec<Type>),
    /// A type variable applied to one or more types.
    Apply(TypeVar, Vec<Type>),
    /// `A -> B`.
    Arrow(Box<Type>, Box<Type>),
    /// `all a. T`.
    All(TypeVar, Box<Type>),
}
