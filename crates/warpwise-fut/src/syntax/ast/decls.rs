//! Declarations, modules and their types.

use warpwise_diag::Span;

use super::{Attr, Binder, Doc, Expr, Ident, Liftedness, Pat, QualName, TypeExpr, TypeParam};

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
    /// Annotated type of the result.
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
    /// Source position, including parentheses.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// Its module type.
    pub signature: ModuleTypeExpr,
}

/// The string after `import`, as written.
#[derive(Clone, Debug)]
pub struct ImportPath {
    /// Source position of the string.
    pub span: Span,
    /// Its value.
    pub path: String,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModuleExpr {
    /// Source position.
    pub span: Span,
    /// Form of the module expression.
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
    /// Source position.
    pub span: Span,
    /// Form of the module type.
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
        /// Name of the parameter, if the result refers to it.
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
    /// Source position.
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
