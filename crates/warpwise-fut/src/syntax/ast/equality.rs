//! Structural equality.

use super::{
    Attr, Binder, ConstructorType, Decl, DimIndex, Doc, Expr, Ident, ImportPath, LetBinding, MatchCase,
    ModuleExpr, ModuleParam, ModuleTypeExpr, Pat, QualName, SizeExpr, Spec, TypeExpr, TypeParam,
};

/// Implements equality by the named fields only, which ignores source positions and ids.
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
