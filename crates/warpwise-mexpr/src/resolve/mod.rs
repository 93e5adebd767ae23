//! Name resolution.
//!
//! [`resolve`] turns the definitions of all files into one [`Program`]: variables, constructors and types are looked up in their
//! scopes, every binding gets an id of its own, and the syntax that only abbreviates is gone. All errors are reported together.
//! Absent: type inference, and the removal of unused definitions (see [`crate::reachable`]).

mod copies;
mod decls;
mod exprs;
mod languages;
mod pats;
mod scopes;
mod types;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Failure, FileId, Span};

use crate::builtins::{self, Builtin, Kind};
use crate::library;
use crate::load::Loaded;
use crate::syntax::names::{Names, Symbol};
use crate::syntax::parser::parse_type;
use crate::tree::{Name, NamedType, Program, TypeId, TypeVar, VarId};

use languages::Fragment;
use scopes::Scope;

/// Maximum number of messages that are kept.
const MAX_ERRORS: usize = 100;

/// Names of built-ins in other implementations, and their names here.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("-", "`subi`, or `subf` for floats, before its arguments,"),
    ("*", "`muli`, or `mulf` for floats, before its arguments,"),
    ("/", "`divi`, or `divf` for floats, before its arguments,"),
    ("%", "`modi`, before its arguments,"),
    ("==", "`eqi`, or `eqf` for floats, before its arguments,"),
    ("<=", "`leqi`, or `leqf` for floats, before its arguments,"),
    (">=", "`geqi`, or `geqf` for floats, before its arguments,"),
    ("tensorGet", "`tensorGetExn`"),
    ("tensorSet", "`tensorSetExn`"),
    (
        "tensorCreate",
        "`tensorCreateDense`, or `tensorCreateCArrayInt` and `tensorCreateCArrayFloat` for what is written in accelerated code,",
    ),
];

/// The type `Ref a`, which every program has.
pub const REF: TypeId = TypeId(0);
/// The type `Symbol`, which every program has.
pub const SYMBOL: TypeId = TypeId(1);

/// Resolves a program.
pub fn resolve(loaded: &Loaded, names: &mut Names) -> Result<Program, Failure> {
    let span = Span { file: loaded.file, start: 0, end: 0 };
    let mut resolver = Resolver::new(names, span);
    resolver.later_types = languages::types(&loaded.decls);
    let decls = resolver.top_decls(&loaded.decls);
    let main = loaded.main.as_ref().map(|main| resolver.expr(main));
    if !resolver.errors.is_empty() {
        return Err(Failure::User(resolver.errors));
    }
    let mut program = resolver.program;
    (program.decls, program.main) = (decls, main);
    Ok(program)
}

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Var(VarId),
    Builtin(Builtin),
}

struct Resolver<'a> {
    names: &'a mut Names,
    program: Program,
    values: Scope<Value>,
    cons: Scope<crate::tree::ConId>,
    types: Scope<TypeId>,
    type_vars: Scope<TypeVar>,
    fragments: FxHashMap<Symbol, Fragment>,
    /// The types that fragments define, with their numbers of parameters: other definitions may mention them earlier.
    later_types: FxHashMap<Symbol, usize>,
    /// Types that were mentioned, but are not defined yet.
    mentioned_types: FxHashMap<Symbol, TypeId>,
    /// Whether the parallel words keep their meaning everywhere, which holds in programs that accelerate something.
    words_are_kept: bool,
    errors: Vec<Diagnostic>,
    /// The names of the functions around the current expression that cannot call themselves.
    being_defined: Vec<Symbol>,
}

impl<'a> Resolver<'a> {
    fn new(names: &'a mut Names, span: Span) -> Resolver<'a> {
        let words_are_kept = names.get("accelerate").is_some();
        let mut resolver = Resolver {
            names,
            program: Program { start: Some(span), ..Program::default() },
            values: Scope::default(),
            cons: Scope::default(),
            types: Scope::default(),
            type_vars: Scope::default(),
            fragments: FxHashMap::default(),
            later_types: FxHashMap::default(),
            mentioned_types: FxHashMap::default(),
            words_are_kept,
            errors: Vec::new(),
            being_defined: Vec::new(),
        };
        resolver.predefine();
        resolver
    }

    fn predefine(&mut self) {
        for builtin in builtins::ALL.iter().copied().filter(|builtin| builtin.kind() != Kind::External) {
            let name = self.names.intern(builtin.name());
            self.values.bind(name, Value::Builtin(builtin));
        }
        let a = self.names.intern("a");
        for (name, n_parameters) in [("Ref", 1), ("Symbol", 0), ("BootParseTree", 0)] {
            let name = self.names.intern(name);
            let parameters = (0..n_parameters).map(|_| self.fresh_type_var(a)).collect();
            let ty = NamedType {
                name: Name { name, span: Span::NONE },
                parameters,
                applied: Vec::new(),
                definition: None,
            };
            self.program.types.push(ty);
            self.types.bind(name, TypeId(self.program.types.len() as u32 - 1));
        }
        for builtin in builtins::ALL {
            let ty =
                parse_type(FileId(u32::MAX), builtin.ty(), self.names).expect("types of built-ins are types");
            let ty = self.ty(&ty);
            self.program.builtin_types.push(ty);
        }
    }

    fn text(&self, name: Symbol) -> &str {
        self.names.text(name)
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(diagnostic);
        }
    }

    fn fresh_var(&mut self, name: Symbol, span: Span) -> VarId {
        self.program.vars.push(Name { name, span });
        VarId(self.program.vars.len() as u32 - 1)
    }

    fn fresh_type_var(&mut self, name: Symbol) -> TypeVar {
        self.program.type_vars.push(name);
        TypeVar(self.program.type_vars.len() as u32 - 1)
    }

    /// Binds a variable in the current scope.
    fn bind(&mut self, name: Symbol, span: Span) -> VarId {
        self.check_rebinding(name, span);
        let var = self.fresh_var(name, span);
        self.values.bind(name, Value::Var(var));
        var
    }

    /// Reports a binding of `accelerate`; in a program that accelerates, of any parallel word.
    fn check_rebinding(&mut self, name: Symbol, span: Span) {
        let text = self.text(name);
        let word = builtins::ALL.iter().any(|b| b.kind() == Kind::Parallel && b.name() == text);
        if (word && self.words_are_kept) || text == "accelerate" {
            let message = format!("`{text}` is a parallel word and cannot be given another meaning");
            self.error(Diagnostic::error("M0206", span, message).hint("use another name"));
        }
    }

    /// Runs `part` and then drops the bindings that it made.
    fn scoped<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let marks = (self.values.mark(), self.cons.mark(), self.types.mark(), self.type_vars.mark());
        let result = part(self);
        self.values.reset(marks.0);
        self.cons.reset(marks.1);
        self.types.reset(marks.2);
        self.type_vars.reset(marks.3);
        result
    }

    /// Reports that a name is unbound, with a hint: its name here, or the closest name in scope.
    fn unbound<T: Copy>(
        &mut self,
        code: &'static str,
        what: &str,
        name: Symbol,
        span: Span,
        scope: fn(&Self) -> &Scope<T>,
    ) {
        let text = self.text(name).to_string();
        let candidates = scope(self).names().map(|name| self.text(name));
        let close = scopes::closest(&text, candidates).map(str::to_string);
        let mut error = Diagnostic::error(code, span, format!("there is no {what} `{text}` here"));
        if let Some(hint) = self.hint_for(code, name).or_else(|| Some(format!("did you mean `{}`?", close?)))
        {
            error = error.hint(hint);
        }
        self.error(error);
    }

    /// Returns the likely intention behind an unbound name that is a known one elsewhere.
    fn hint_for(&self, code: &str, name: Symbol) -> Option<String> {
        let text = self.text(name);
        if code == "M0201" {
            if self.being_defined.contains(&name) {
                return Some(format!(
                    "a function that calls itself is defined inside `recursive`: `recursive let {text} = ... end`"
                ));
            }
            if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| *other == text) {
                return Some(format!("it is called {name} here"));
            }
        }
        let file = match code {
            "M0201" | "M0202" | "M0204" => library::defining(text)?,
            _ => return None,
        };
        Some(format!("it is defined in the library: add `include \"{file}\"` at the start of the file"))
    }
}
