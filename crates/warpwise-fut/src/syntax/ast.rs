//! The syntax tree of the whole language: plain structs and enums, one place per node.
//!
//! The tree keeps what was written, with four exceptions that later phases are glad of:
//! - parentheses leave no node (they did their work in the parser);
//! - consecutive `let`s are one [`Let`](ExprKind::Let) with many bindings, so that a long function is a
//!   list and not a deep tree; `let a = 1 in let b = 2 in c` is the same tree as without the first `in`;
//! - all arguments of one application stand in one node, and so do the arguments of a constructor;
//! - the record pattern `{x}` is `{x = x}` and `{x: t}` is `{x = (x: t)}`; the record *expression* `{x}` keeps its short form.
//!
//! Not resolved here: `a.b.c` is always a [`QualName`], although `a` may turn out to be a record and `b` a field;
//! `(a).b` and `a.0` are projections. A name in a pattern may not be a constant: it always binds.
//!
//! Equality of nodes is equality of structure: places and ids do not take part. Symbols do, so only
//! trees of one session can be compared. The file is long because the grammar is; it has no logic.

use half::f16;
use warpwise_diag::Span;
use warpwise_ir::deep::deep;

use crate::syntax::session::{ExprId, PatId, Symbol};

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The comment on the file itself: the first of two documentation comments in a row at its top.
    pub doc: Option<Doc>,
    /// The declarations in order.
    pub decls: Vec<Decl>,
}

/// Trees may be high, and take a stack to be dropped.
impl Drop for Program {
    fn drop(&mut self) {
        let decls = std::mem::take(&mut self.decls);
        deep(|| drop(decls));
    }
}

/// A documentation comment (`-- | ...`), without the comment marks.
#[derive(Clone, Debug)]
pub struct Doc {
    /// The place of the whole comment.
    pub span: Span,
    /// The text; lines are separated by `\n`.
    pub text: String,
}

// ---------------------------------------------------------------------------------------------
// Names

/// A name where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name. Operators (`+`, `>>=`) and numeric fields (`0`) are names too.
    pub symbol: Symbol,
    /// The place.
    pub span: Span,
}

/// A name with the modules it is looked up in: `a.b.c`, ``a.b.`f` ``, `a.+`.
#[derive(Clone, Debug)]
pub struct QualName {
    /// The place of the whole.
    pub span: Span,
    /// Outermost first.
    pub qualifiers: Vec<Ident>,
    /// The last name.
    pub name: Ident,
}

/// A place that binds a value to a name without being a pattern. Shares its ids with patterns.
#[derive(Clone, Copy, Debug)]
pub struct Binder {
    /// For side tables.
    pub id: PatId,
    /// The bound name.
    pub name: Ident,
}

// ---------------------------------------------------------------------------------------------
// Attributes

/// The inside of `#[...]`.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The place, brackets not included.
    pub span: Span,
    /// Its content.
    pub kind: AttrKind,
}

/// The forms of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrKind {
    /// `noinline`.
    Name(Ident),
    /// `3`.
    Int(u128),
    /// `unroll(3)`, `sequential_outer()`.
    Compound(Ident, Vec<Attr>),
}

// ---------------------------------------------------------------------------------------------
// Declarations

/// A declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// From the keyword (or the first attribute) to the end.
    pub span: Span,
    /// The documentation comment before it.
    pub doc: Option<Doc>,
    /// `#[...]` before it, in order.
    pub attrs: Vec<Attr>,
    /// The declaration.
    pub kind: DeclKind,
}

/// The forms of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum DeclKind {
    /// `def`, `let` or `entry`.
    Value(ValueDecl),
    /// `type`, `type~` or `type^` with a definition.
    Type(TypeDecl),
    /// `module type name = signature`.
    ModuleType(ModuleTypeDecl),
    /// `module name (params) : signature = body`.
    Module(ModuleDecl),
    /// `open module`.
    Open(ModuleExpr),
    /// `import "file"`.
    Import(ImportPath),
    /// `local declaration`.
    Local(Box<Decl>),
}

/// `def name 'a [n] (x: t) : r = body`.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueDecl {
    /// Whether it was declared with `entry`.
    pub entry: bool,
    /// The name; an operator for `def (+) x y` and `def x + y` alike.
    pub name: Binder,
    /// Size and type parameters.
    pub type_params: Vec<TypeParam>,
    /// Parameters; none for a constant.
    pub params: Vec<Pat>,
    /// The annotated result.
    pub result: Option<TypeExpr>,
    /// The right-hand side.
    pub body: Expr,
}

/// `type~ name 'a [n] = definition`.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    /// Its liftedness.
    pub liftedness: Liftedness,
    /// The name.
    pub name: Ident,
    /// Size and type parameters.
    pub params: Vec<TypeParam>,
    /// The right-hand side.
    pub definition: TypeExpr,
}

/// `module type name = definition`.
#[derive(Clone, PartialEq, Debug)]
pub struct ModuleTypeDecl {
    /// The name.
    pub name: Ident,
    /// The right-hand side.
    pub definition: ModuleTypeExpr,
}

/// `module name (p: s) : signature = body`.
#[derive(Clone, PartialEq, Debug)]
pub struct ModuleDecl {
    /// The name.
    pub name: Ident,
    /// Module parameters.
    pub params: Vec<ModuleParam>,
    /// The signature it is sealed with.
    pub signature: Option<ModuleTypeExpr>,
    /// The right-hand side.
    pub body: ModuleExpr,
}

/// `(name: signature)`.
#[derive(Clone, Debug)]
pub struct ModuleParam {
    /// The place, parentheses included.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// Its module type.
    pub signature: ModuleTypeExpr,
}

/// The string after `import`, as written.
#[derive(Clone, Debug)]
pub struct ImportPath {
    /// The place of the string.
    pub span: Span,
    /// Its value.
    pub path: String,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModuleExpr {
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: ModuleExprKind,
}

/// The forms of a module expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ModuleExprKind {
    /// `a.b`.
    Var(QualName),
    /// `{ declarations }`.
    Body(Vec<Decl>),
    /// `import "file"`.
    Import(ImportPath),
    /// `f m`.
    Apply {
        /// The parametric module.
        function: Box<ModuleExpr>,
        /// Its argument.
        argument: Box<ModuleExpr>,
    },
    /// `m : signature`.
    Ascribe {
        /// The module.
        module: Box<ModuleExpr>,
        /// The sealing module type.
        signature: Box<ModuleTypeExpr>,
    },
    /// `\(p: s) : signature -> body`.
    Lambda {
        /// The parameter.
        param: Box<ModuleParam>,
        /// The signature of the result.
        signature: Option<Box<ModuleTypeExpr>>,
        /// The result.
        body: Box<ModuleExpr>,
    },
}

/// A module type expression.
#[derive(Clone, Debug)]
pub struct ModuleTypeExpr {
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: ModuleTypeExprKind,
}

/// The forms of a module type expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ModuleTypeExprKind {
    /// `a.b`.
    Var(QualName),
    /// `{ specifications }`.
    Specs(Vec<Spec>),
    /// `signature with name 'a = type`.
    With {
        /// The refined module type.
        base: Box<ModuleTypeExpr>,
        /// The type that gets a definition.
        name: QualName,
        /// Its parameters.
        params: Vec<TypeParam>,
        /// The definition.
        definition: Box<TypeExpr>,
    },
    /// `(p: s) -> t`, or `s -> t`.
    Arrow {
        /// The name of the parameter, if the result speaks of it.
        param: Option<Ident>,
        /// The argument.
        argument: Box<ModuleTypeExpr>,
        /// The result.
        result: Box<ModuleTypeExpr>,
    },
}

/// A specification inside a module type.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The place.
    pub span: Span,
    /// The documentation comment before it.
    pub doc: Option<Doc>,
    /// `#[...]` before it, in order.
    pub attrs: Vec<Attr>,
    /// The specification.
    pub kind: SpecKind,
}

/// The forms of a specification.
#[derive(Clone, PartialEq, Debug)]
pub enum SpecKind {
    /// `val name 'a [n] : type`.
    Value {
        /// The name.
        name: Ident,
        /// Size and type parameters.
        type_params: Vec<TypeParam>,
        /// The type.
        ty: TypeExpr,
    },
    /// `type name = definition`.
    TypeAbbreviation(TypeDecl),
    /// `type~ name 'a`.
    AbstractType {
        /// Its liftedness.
        liftedness: Liftedness,
        /// The name.
        name: Ident,
        /// Size and type parameters.
        params: Vec<TypeParam>,
    },
    /// `module name : signature`.
    Module {
        /// The name.
        name: Ident,
        /// Its module type.
        signature: ModuleTypeExpr,
    },
    /// `include signature`.
    Include(ModuleTypeExpr),
}

// ---------------------------------------------------------------------------------------------
// Types

/// The contents that a type may hide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liftedness {
    /// `type`, `'t`: values of a fixed size.
    Unlifted,
    /// `type~`, `'~t`: also values with sizes of their own.
    SizeLifted,
    /// `type^`, `'^t`: also functions.
    Lifted,
}

/// A size or type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// The place, marks included.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// `[n]` or one of `'t`, `'~t`, `'^t`.
    pub kind: TypeParamKind,
}

/// The two kinds of parameters of types and polymorphic functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamKind {
    /// `[n]`.
    Size,
    /// `'t` and its like.
    Type(Liftedness),
}

/// A type expression.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: TypeExprKind,
}

/// The forms of a type expression.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExprKind {
    /// `a.t`, `i32`.
    Var(QualName),
    /// `(a, b)`; unit when empty; never of length one.
    Tuple(Vec<TypeExpr>),
    /// `{x: a, y: b}`.
    Record(Vec<FieldType>),
    /// `[n]t`.
    Array {
        /// The extent of the outer dimension.
        size: SizeExpr,
        /// The type of a row.
        element: Box<TypeExpr>,
    },
    /// `*t`.
    Unique(Box<TypeExpr>),
    /// `t [n] a`: one argument per node, as the arguments may be sizes.
    Apply {
        /// The type constructor.
        function: Box<TypeExpr>,
        /// Its argument.
        argument: Box<TypeArg>,
    },
    /// `a -> b`, `(x: a) -> b`.
    Arrow {
        /// The name of the parameter, if the result speaks of it.
        param: Option<Ident>,
        /// The argument.
        argument: Box<TypeExpr>,
        /// The result.
        result: Box<TypeExpr>,
    },
    /// `#a t u | #b`.
    Sum(Vec<ConstructorType>),
    /// `?[n][m].t`.
    Exists {
        /// The unknown sizes; at least one.
        sizes: Vec<Ident>,
        /// The type that speaks of them.
        body: Box<TypeExpr>,
    },
}

/// One field of a record type.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldType {
    /// The field.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
}

/// One constructor of a sum type.
#[derive(Clone, Debug)]
pub struct ConstructorType {
    /// The place.
    pub span: Span,
    /// The name, without `#`.
    pub name: Ident,
    /// The payload.
    pub payload: Vec<TypeExpr>,
}

/// An argument of a type constructor.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// `[n]`.
    Size(SizeExpr),
    /// Any other.
    Type(TypeExpr),
}

/// A size in a type.
#[derive(Clone, Debug)]
pub struct SizeExpr {
    /// The place, brackets included.
    pub span: Span,
    /// The expression; none for `[]`.
    pub expr: Option<Box<Expr>>,
}

// ---------------------------------------------------------------------------------------------
// Patterns

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// For side tables.
    pub id: PatId,
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: PatKind,
}

/// The forms of a pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum PatKind {
    /// `x`, `(+)`.
    Name(Ident),
    /// `_`.
    Wildcard,
    /// `(p, q)`; unit when empty; never of length one.
    Tuple(Vec<Pat>),
    /// `{x = p}`.
    Record(Vec<FieldPat>),
    /// `p: t`.
    Ascribe(Box<Pat>, Box<TypeExpr>),
    /// `3`, `-3i8`, `'a'`, `true`.
    Literal {
        /// Whether a minus stands before it.
        negated: bool,
        /// The number, character or truth value.
        literal: Literal,
    },
    /// `#c p q`.
    Constructor(Ident, Vec<Pat>),
    /// `#[attr] p`.
    Attr(Box<Attr>, Box<Pat>),
}

/// One field of a record pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldPat {
    /// The field.
    pub name: Ident,
    /// The pattern that its value is matched with.
    pub pattern: Pat,
}

// ---------------------------------------------------------------------------------------------
// Literals

/// The scalar types of the language; the core's are signless.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PrimType {
    /// `bool`.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `f16`.
    F16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

/// A scalar literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// An integer without suffix: of any type of numbers, and out of range for some.
    Int(u128),
    /// A float without suffix.
    Float(f64),
    /// A character: an integer literal without suffix in another dress.
    Char(char),
    /// With suffix `i8`; what does not fit has been wrapped.
    I8(i8),
    /// With suffix `i16`.
    I16(i16),
    /// With suffix `i32`.
    I32(i32),
    /// With suffix `i64`.
    I64(i64),
    /// With suffix `u8`.
    U8(u8),
    /// With suffix `u16`.
    U16(u16),
    /// With suffix `u32`.
    U32(u32),
    /// With suffix `u64`.
    U64(u64),
    /// With suffix `f16`.
    F16(f16),
    /// With suffix `f32`.
    F32(f32),
    /// With suffix `f64`.
    F64(f64),
}

// ---------------------------------------------------------------------------------------------
// Expressions

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// For side tables.
    pub id: ExprId,
    /// The place; parentheses around it are not part of it.
    pub span: Span,
    /// Its kind.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `3`, `0x1fu8`, `'a'`, `true`.
    Literal(Literal),
    /// `"text"`, as its UTF-8 bytes: an array of `u8`.
    String(Vec<u8>),
    /// `???`.
    Hole,
    /// `x`, `a.b.x`; the qualifiers may turn out to be a record and its fields.
    Var(QualName),
    /// `(a, b)`; unit when empty; never of length one.
    Tuple(Vec<Expr>),
    /// `{x = a, y}`.
    Record(Vec<FieldInit>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `m.(e)`: `e` with the names of `m` in scope.
    LocalOpen {
        /// The module.
        module: QualName,
        /// The expression.
        body: Box<Expr>,
    },
    /// `#[attr] e`.
    Attr {
        /// The attribute.
        attr: Box<Attr>,
        /// The body.
        body: Box<Expr>,
    },
    /// `e.x`, where `e` is not a name; `e.0`.
    Project {
        /// The record.
        record: Box<Expr>,
        /// The field.
        field: Ident,
    },
    /// `a[i, j:k]`.
    Index {
        /// The array.
        array: Box<Expr>,
        /// One per dimension; fewer leave the rest whole.
        slice: Vec<DimIndex>,
    },
    /// `-e`.
    Negate(Box<Expr>),
    /// `!e`: of a truth value or of bits.
    Not(Box<Expr>),
    /// `assert c e`.
    Assert {
        /// The condition.
        condition: Box<Expr>,
        /// The value.
        body: Box<Expr>,
    },
    /// `#c a b`.
    Constructor {
        /// The name, without `#`.
        name: Ident,
        /// The payload.
        arguments: Vec<Expr>,
    },
    /// `e with [i].x = v`.
    Update {
        /// The array or record; consumed if an array is updated.
        target: Box<Expr>,
        /// The way to the place; at least one step.
        path: Vec<PathStep>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `\p q : t -> e`.
    Lambda {
        /// At least one.
        params: Vec<Pat>,
        /// The annotated result.
        result: Option<Box<TypeExpr>>,
        /// The result.
        body: Box<Expr>,
    },
    /// `(+)`, `` (`f`) ``.
    OperatorSection(QualName),
    /// `(e +)`.
    LeftSection {
        /// The given left operand.
        left: Box<Expr>,
        /// The operator.
        operator: QualName,
    },
    /// `(+ e)`.
    RightSection {
        /// The operator.
        operator: QualName,
        /// The given right operand.
        right: Box<Expr>,
    },
    /// `(.x)`, `(.[i])`, `(.[i].x.0)`: the function that follows the path.
    PathSection(Vec<PathStep>),
    /// `e : t`.
    Ascribe {
        /// The expression.
        body: Box<Expr>,
        /// Its type.
        ty: Box<TypeExpr>,
    },
    /// `e :> t`.
    Coerce {
        /// The expression.
        body: Box<Expr>,
        /// Its type, with sizes to be checked when it runs.
        ty: Box<TypeExpr>,
    },
    /// `f a b`.
    Apply {
        /// The function; never an application itself unless parenthesised.
        function: Box<Expr>,
        /// At least one.
        arguments: Vec<Expr>,
    },
    /// `a + b`, `` a `f` b ``, `a m.+ b`. `&&` and `||` are among them.
    Binary {
        /// The operator or the name between backticks.
        operator: QualName,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `a..b..<c`.
    Range {
        /// The first element.
        start: Box<Expr>,
        /// The second element, which gives the stride.
        second: Option<Box<Expr>>,
        /// The kind of end.
        bound: RangeBound,
        /// The end.
        end: Box<Expr>,
    },
    /// `let ... let ... in e`.
    Let {
        /// In order; at least one. Each sees those before it.
        bindings: Vec<LetBinding>,
        /// The result.
        body: Box<Expr>,
    },
    /// `if c then a else b`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Box<Expr>,
        /// When it does not.
        otherwise: Box<Expr>,
    },
    /// `loop p = a for i < n do e`.
    Loop(Box<LoopExpr>),
    /// `match e case p -> a case q -> b`.
    Match {
        /// The scrutinee.
        scrutinee: Box<Expr>,
        /// At least one.
        cases: Vec<MatchCase>,
    },
}

/// One field of a record expression.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldInit {
    /// The field.
    pub name: Ident,
    /// Its value; none when the variable of the same name is meant.
    pub value: Option<Expr>,
}

/// An index or slice of one dimension.
#[derive(Clone, Debug)]
pub struct DimIndex {
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: DimIndexKind,
}

/// The forms of an index.
#[derive(Clone, PartialEq, Debug)]
pub enum DimIndexKind {
    /// `i`.
    Fix(Box<Expr>),
    /// `start:end:stride`, each of which may be left out.
    Slice {
        /// The first index.
        start: Option<Box<Expr>>,
        /// One past the last.
        end: Option<Box<Expr>>,
        /// The stride.
        stride: Option<Box<Expr>>,
    },
}

/// One step on the way to a part of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum PathStep {
    /// `[i, j:k]`.
    Index(Vec<DimIndex>),
    /// `x`.
    Field(Ident),
}

/// Where a range ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeBound {
    /// `...`: at the bound.
    Inclusive,
    /// `..<`: below the bound.
    Below,
    /// `..>`: above the bound.
    Above,
}

/// One binding of a `let`.
#[derive(Clone, Debug)]
pub struct LetBinding {
    /// From `let` to the end of the right-hand side.
    pub span: Span,
    /// The kind of binding.
    pub kind: LetKind,
}

/// The forms of a binding.
#[derive(Clone, PartialEq, Debug)]
pub enum LetKind {
    /// `let [n] p = e`.
    Pattern {
        /// Sizes given a name.
        sizes: Vec<Ident>,
        /// The bound pattern.
        pattern: Pat,
        /// To what.
        value: Expr,
    },
    /// `let f 'a (x: t) : r = e`; at least one parameter.
    Function(Box<LocalFunction>),
    /// `let x[i].a = e`: `x` is consumed and bound anew.
    Update {
        /// The new binding; the old one has the same name.
        name: Binder,
        /// The way to the place; at least one step.
        path: Vec<PathStep>,
        /// The new value.
        value: Expr,
    },
}

/// A function bound by `let`.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalFunction {
    /// The name.
    pub name: Binder,
    /// Size and type parameters.
    pub type_params: Vec<TypeParam>,
    /// Parameters; at least one.
    pub params: Vec<Pat>,
    /// The annotated result.
    pub result: Option<TypeExpr>,
    /// The right-hand side.
    pub body: Expr,
}

/// `loop pattern = initial form do body`.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopExpr {
    /// The loop parameters.
    pub pattern: Pat,
    /// Their first values; none means the variables of the same names.
    pub initial: Option<Expr>,
    /// How it ends.
    pub form: LoopForm,
    /// The values of the next iteration.
    pub body: Expr,
}

/// How a loop ends.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For {
        /// Counts from 0.
        index: Binder,
        /// The number of iterations.
        bound: Expr,
    },
    /// `for p in a`.
    ForIn {
        /// Matched with every element.
        pattern: Pat,
        /// The array.
        array: Expr,
    },
    /// `while c`.
    While(Expr),
}

/// `case p -> e`.
#[derive(Clone, Debug)]
pub struct MatchCase {
    /// The place.
    pub span: Span,
    /// When.
    pub pattern: Pat,
    /// Then.
    pub body: Expr,
}

// ---------------------------------------------------------------------------------------------
// Small queries

impl QualName {
    /// A name without qualifiers.
    pub fn plain(name: Ident) -> QualName {
        QualName { span: name.span, qualifiers: Vec::new(), name }
    }
}

impl PrimType {
    /// All of them, in declaration order.
    pub const ALL: [PrimType; 12] = {
        use PrimType::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64]
    };

    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            PrimType::Bool => "bool",
            PrimType::I8 => "i8",
            PrimType::I16 => "i16",
            PrimType::I32 => "i32",
            PrimType::I64 => "i64",
            PrimType::U8 => "u8",
            PrimType::U16 => "u16",
            PrimType::U32 => "u32",
            PrimType::U64 => "u64",
            PrimType::F16 => "f16",
            PrimType::F32 => "f32",
            PrimType::F64 => "f64",
        }
    }

    /// The type with this name, if there is one.
    pub fn from_name(name: &str) -> Option<PrimType> {
        PrimType::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl Literal {
    /// The type the literal was written with; none if it is to be inferred.
    pub fn ty(self) -> Option<PrimType> {
        match self {
            Literal::Bool(_) => Some(PrimType::Bool),
            Literal::Int(_) | Literal::Float(_) | Literal::Char(_) => None,
            Literal::I8(_) => Some(PrimType::I8),
            Literal::I16(_) => Some(PrimType::I16),
            Literal::I32(_) => Some(PrimType::I32),
            Literal::I64(_) => Some(PrimType::I64),
            Literal::U8(_) => Some(PrimType::U8),
            Literal::U16(_) => Some(PrimType::U16),
            Literal::U32(_) => Some(PrimType::U32),
            Literal::U64(_) => Some(PrimType::U64),
            Literal::F16(_) => Some(PrimType::F16),
            Literal::F32(_) => Some(PrimType::F32),
            Literal::F64(_) => Some(PrimType::F64),
        }
    }

    /// The integer that a literal with the suffix of an integer type stands for.
    pub fn suffixed_integer(self) -> Option<i128> {
        match self {
            Literal::I8(value) => Some(value.into()),
            Literal::I16(value) => Some(value.into()),
            Literal::I32(value) => Some(value.into()),
            Literal::I64(value) => Some(value.into()),
            Literal::U8(value) => Some(value.into()),
            Literal::U16(value) => Some(value.into()),
            Literal::U32(value) => Some(value.into()),
            Literal::U64(value) => Some(value.into()),
            Literal::Bool(_)
            | Literal::Int(_)
            | Literal::Float(_)
            | Literal::Char(_)
            | Literal::F16(_)
            | Literal::F32(_)
            | Literal::F64(_) => None,
        }
    }
}

/// Equality by the named fields only: places and ids do not take part.
macro_rules! structural_eq {
    ($($node:ident { $($field:ident),+ })+) => {
        $(impl PartialEq for $node {
            fn eq(&self, other: &$node) -> bool {
                $(self.$field == other.$field)&&+
            }
        })+
    };
}

structural_eq! {
    Doc { text }
    Ident { symbol }
    QualName { qualifiers, name }
    Binder { name }
    Attr { kind }
    Decl { doc, attrs, kind }
    ModuleParam { name, signature }
    ImportPath { path }
    ModuleExpr { kind }
    ModuleTypeExpr { kind }
    Spec { doc, attrs, kind }
    TypeParam { name, kind }
    TypeExpr { kind }
    ConstructorType { name, payload }
    SizeExpr { expr }
    Pat { kind }
    Expr { kind }
    DimIndex { kind }
    LetBinding { kind }
    MatchCase { pattern, body }
}
