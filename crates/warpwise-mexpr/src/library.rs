//! The library that comes with the compiler, written in the language: `library/*.mc`.

use warpwise_diag::Sources;

use crate::syntax::ast::DeclKind;
use crate::syntax::names::Names;
use crate::syntax::parser::parse_program;

/// Texts of the files, by path.
const FILES: &[(&str, &str)] = &[
    ("assoc-seq.mc", include_str!("../library/assoc-seq.mc")),
    ("basic-types.mc", include_str!("../library/basic-types.mc")),
    ("bool.mc", include_str!("../library/bool.mc")),
    ("char.mc", include_str!("../library/char.mc")),
    ("common.mc", include_str!("../library/common.mc")),
    ("ext/array-ext.mc", include_str!("../library/ext/array-ext.mc")),
    ("ext/dist-ext.mc", include_str!("../library/ext/dist-ext.mc")),
    ("ext/file-ext.mc", include_str!("../library/ext/file-ext.mc")),
    ("ext/math-ext.mc", include_str!("../library/ext/math-ext.mc")),
    ("float.mc", include_str!("../library/float.mc")),
    ("int.mc", include_str!("../library/int.mc")),
    ("map.mc", include_str!("../library/map.mc")),
    ("math.mc", include_str!("../library/math.mc")),
    ("option.mc", include_str!("../library/option.mc")),
    ("seq.mc", include_str!("../library/seq.mc")),
    ("set.mc", include_str!("../library/set.mc")),
    ("string.mc", include_str!("../library/string.mc")),
    ("tensor.mc", include_str!("../library/tensor.mc")),
];

/// Returns the text of a file of the library.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// Returns the path of the file that defines a value, a constructor or a type of this name; the first in the order of the paths.
pub fn defining(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(path, text)| defines(path, text, name)).map(|(path, _)| *path)
}

fn defines(path: &str, text: &str, name: &str) -> bool {
    if name.starts_with('_') || !text.contains(name) {
        return false;
    }
    let mut names = Names::default();
    let file = Sources::new().add(path.to_string(), text.to_string());
    let parsed = parse_program(file, text, &mut names);
    let is = |ident: &crate::syntax::ast::Ident| names.text(ident.name) == name;
    parsed.program.decls.iter().any(|decl| match &decl.kind {
        DeclKind::Let(binding) => is(&binding.name),
        DeclKind::Recursive(bindings) => bindings.iter().any(|binding| is(&binding.name)),
        DeclKind::Con(con) => is(&con.name),
        DeclKind::External(external) => is(&external.name),
        DeclKind::Type(ty) => is(&ty.name),
        DeclKind::Utest(_) | DeclKind::Lang(_) | DeclKind::Use(_) | DeclKind::Do(_) | DeclKind::Match(_) => {
            false
        }
    })
}

/// Returns the paths of all files of the library.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(path, _)| *path)
}
