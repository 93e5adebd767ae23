//! The tree of a file, as written.
//!
//! Constructs that follow each other in the text are lists here, so that long programs give wide trees, not deep ones:
//! - `let`, `recursive`, `utest`, ... with `in`, `e1; e2` and `match e with p in` are the [`Decl`]s of one [`ExprKind::Block`];
//! - `if`s and `match`es that follow each other's `else` are the tests of one [`ExprKind::Choice`];
//! - `lam x. lam y.` is one function, `f x y` one application.
//!
//! Two trees are equal if they have the same meaning: source positions do not take part in comparisons.

use warpwise_diag::Span;
use warpwise_ir::deep::deep;

use crate::syntax::names::Symbol;

/// A name at a source position.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Source position.
    pub span: Span,
}

impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.name == other.name
    }
}

/// A file.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The files it includes.
    pub includes: Vec<Include>,
    /// Its definitions.
    pub decls: Vec<Decl>,
    /// The expression after `mexpr`.
    pub main: Option<Expr>,
}

/// Trees may be deep, and dropping them may need a large stack.
impl Drop for Program {
    fn drop(&mut self) {
        let tree = (std::mem::take(&mut self.decls), self.main.take());
        deep(|| drop(tree));
    }
}

/// `include "path"`.
#[derive(Clone, Debug)]
pub struct Include {
    /// The path, as written between the quotes.
    pub path: String,
    /// Source position.
    pub span: Span,
}

impl PartialEq for Include {
    fn eq(&self, other: &Include) -> bool {
        self.path == other.path
    }
}

/// A definition, at the top of a file or inside an expression.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its kind.
    pub kind: DeclKind,
    /// Source position.
    pub span: Span,
}

impl PartialEq for Decl {
    fn eq(&self, other: &Decl) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of definitions.
#[derive(Clone, PartialEq, Debug)]
pub enum DeclKind {
    /// `let x : T = e`.
    Let(Binding),
    /// `recursive let f = e let g = e end`, or `in` instead of `end`.
    Recursive(Vec<Binding>),
    /// `type T a b = D`.
    Type(TypeDecl),
    /// `con C : T`.
    Con(ConDecl),
    /// `external f ! : T`.
    External(External),
    /// `utest a with b using eq else show`.
    Utest(Box<Utest>),
    /// `lang L = A + B ... end`; only at the top.
    Lang(Lang),
    /// `use L in`; only in an expression.
    Use(Ident),
    /// `e;`: an expression computed for its effect; only in an expression.
    Do(Expr),
    /// `match e with p in`; only in an expression.
    Match(Box<(Expr, Pat)>),
}

/// `x : T = e`.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// The bound name.
    pub name: Ident,
    /// Its type, if written.
    pub ty: Option<TypeExpr>,
    /// Its value.
    pub body: Expr,
}

/// `type T a b`, with or without a definition.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    /// The type's name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<Ident>,
    /// The type that it abbreviates; a type without a definition is distinct from all others.
    pub definition: Option<TypeExpr>,
}

/// `con C : T`.
#[derive(Clone, PartialEq, Debug)]
pub struct ConDecl {
    /// The constructor.
    pub name: Ident,
    /// Its type, if written.
    pub ty: Option<TypeExpr>,
}

/// `external f ! : T`.
#[derive(Clone, PartialEq, Debug)]
pub struct External {
    /// The function's name.
    pub name: Ident,
    /// Whether it is marked as having an effect (`!`).
    pub effect: bool,
    /// Its type.
    pub ty: TypeExpr,
}

/// `utest a with b using eq else show`.
#[derive(Clone, PartialEq, Debug)]
pub struct Utest {
    /// The tested expression.
    pub actual: Expr,
    /// The expected value.
    pub expected: Expr,
    /// The comparison; equality if left out.
    pub using: Option<Expr>,
    /// The function that makes the message of a failure from both values.
    pub otherwise: Option<Expr>,
}

/// A language fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct Lang {
    /// Its name.
    pub name: Ident,
    /// The fragments it is composed of.
    pub parents: Vec<Ident>,
    /// `with x = A.x + B.y`.
    pub withs: Vec<With>,
    /// Its declarations.
    pub decls: Vec<LangDecl>,
}

/// `with x = A.x + B.y`: joins members that the parents define separately.
#[derive(Clone, PartialEq, Debug)]
pub struct With {
    /// The name in the new fragment: a type or a function.
    pub name: Ident,
    /// Pairs of a fragment and a name in it.
    pub parts: Vec<(Ident, Ident)>,
}

/// A definition in a fragment.
#[derive(Clone, Debug)]
pub struct LangDecl {
    /// Its kind.
    pub kind: LangDeclKind,
    /// Source position.
    pub span: Span,
}

impl PartialEq for LangDecl {
    fn eq(&self, other: &LangDecl) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of definitions in a fragment.
#[derive(Clone, PartialEq, Debug)]
pub enum LangDeclKind {
    /// `syn T a = | C D`: constructors of an open type.
    Syn {
        /// The type.
        name: Ident,
        /// Its parameters.
        parameters: Vec<Ident>,
        /// The constructors with the types they hold; `()` if there is none.
        constructors: Vec<(Ident, Option<TypeExpr>)>,
    },
    /// `sem f x y = | p -> e`: cases of an open function.
    Sem {
        /// The function's name.
        name: Ident,
        /// Parameters before the matched one.
        parameters: Vec<Parameter>,
        /// The cases.
        cases: Vec<(Pat, Expr)>,
    },
    /// `sem f : T`.
    SemType {
        /// The function's name.
        name: Ident,
        /// Its type.
        ty: TypeExpr,
    },
    /// `type T a = D`.
    Type(TypeDecl),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Source position.
    pub span: Span,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A variable or a built-in.
    Var(Symbol),
    /// `#frozen"x"`: a variable whose type is not instantiated.
    Frozen(Symbol),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// A sequence of characters.
    String(String),
    /// `true` or `false`.
    Bool(bool),
    /// `never`: an expression that is not reached.
    Never,
    /// `f a b`.
    Apply(Box<Expr>, Vec<Expr>),
    /// `C a`.
    Construct(Ident, Box<Expr>),
    /// `lam x : T. lam y. e`.
    Lambda(Vec<Parameter>, Box<Expr>),
    /// `if a then b else match c with p then d else e`.
    Choice(Vec<Test>, Box<Expr>),
    /// `switch e case p then a ... end`.
    Switch(Box<Expr>, Vec<(Pat, Expr)>),
    /// `()`, `(a,)`, `(a, b)`: a record with the labels 0, 1, ...
    Tuple(Vec<Expr>),
    /// `{x = a}`.
    Record(Vec<(Ident, Expr)>),
    /// `{r with x = a}`.
    Update(Box<Expr>, Vec<(Ident, Expr)>),
    /// `r.x.y`, `t.0`.
    Project(Box<Expr>, Vec<Ident>),
    /// `[a, b]`.
    Seq(Vec<Expr>),
    /// Definitions, and the expression in their scope.
    Block(Vec<Decl>, Box<Expr>),
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its name; `None` for `lam. e`.
    pub name: Option<Ident>,
    /// Its type, if written.
    pub ty: Option<TypeExpr>,
}

/// A test, with the expression that follows if it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The scrutinee.
    pub scrutinee: Expr,
    /// The pattern it must match; `None` stands for `true` (`if`).
    pub pattern: Option<Pat>,
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
}

impl PartialEq for Pat {
    fn eq(&self, other: &Pat) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of patterns.
#[derive(Clone, PartialEq, Debug)]
pub enum PatKind {
    /// `_`.
    Wildcard,
    /// `x`.
    Name(Symbol),
    /// An integer.
    Int(i64),
    /// A character.
    Char(char),
    /// `true` or `false`.
    Bool(bool),
    /// `()`, `(p,)`, `(p, q)`.
    Tuple(Vec<Pat>),
    /// `{x = p}`.
    Record(Vec<(Ident, Pat)>),
    /// `C p`.
    Construct(Ident, Box<Pat>),
    /// `[p, q]` or `"text"`: all elements.
    Seq(SeqPat),
    /// `[p] ++ x ++ [q]`; the middle is a name or `_`.
    Edge(SeqPat, Box<Pat>, SeqPat),
    /// `p & q`.
    And(Box<Pat>, Box<Pat>),
    /// `p | q`.
    Or(Box<Pat>, Box<Pat>),
    /// `!p`.
    Not(Box<Pat>),
}

/// A list of elements in a pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum SeqPat {
    /// `[p, q]`.
    List(Vec<Pat>),
    /// `"text"`.
    String(String),
}

/// A type.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Its kind.
    pub kind: TypeKind,
    /// Source position.
    pub span: Span,
}

impl PartialEq for TypeExpr {
    fn eq(&self, other: &TypeExpr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `Unknown` or `_`: a type to be inferred.
    Unknown,
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Float`.
    Float,
    /// `Char`.
    Char,
    /// `String`, the same as `[Char]`.
    String,
    /// `[T]`.
    Seq(Box<TypeExpr>),
    /// `Tensor[T]`.
    Tensor(Box<TypeExpr>),
    /// `()`, `(T,)`, `(T, U)`.
    Tuple(Vec<TypeExpr>),
    /// `{x : T}`.
    Record(Vec<(Ident, TypeExpr)>),
    /// A type variable.
    Var(Symbol),
    /// A named type, and its arguments.
    Named(Ident, Vec<TypeExpr>),
    /// A type variable applied to one or more types.
    Apply(Ident, Vec<TypeExpr>),
    /// `A -> B`.
    Arrow(Box<TypeExpr>, Box<TypeExpr>),
    /// `all a. T`.
    All(Ident, Box<TypeExpr>),
    /// `use L in T`.
    Use(Ident, Box<TypeExpr>),
}
