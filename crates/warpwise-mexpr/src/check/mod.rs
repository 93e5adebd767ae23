//! Type inference: Hindley and Milner's, with records, named types, and types written under `all`.
//!
//! [`check`] fills [`Expr::ty`](crate::tree::Expr::ty) and [`Pat::ty`](crate::tree::Pat::ty) and returns the types of variables.
//! The variable of a `let` is general if it is bound to a value or has a written type; otherwise its uses determine its type. The
//! type of a parameter is general only if it is written so. A record whose fields are demanded one by one has exactly these
//! fields, unless it turns out to be a record with more. After an error, checking goes on. All errors are reported together, each
//! with the definition that contains it; whether the program uses that definition is not checked here.

mod exprs;
mod general;
mod pats;
pub mod show;
pub mod types;
mod unify;

use warpwise_diag::{Diagnostic, Span};

use crate::builtins::ALL;
use crate::syntax::names::Names;
use crate::tree::{Program, Type, VarId};

use types::{Node, Ty, Types};
use unify::Clash;

/// Maximum number of messages that are kept.
const MAX_ERRORS: usize = 100;

/// The types of a program.
#[derive(Clone, Debug)]
pub struct Typing {
    /// The types.
    pub types: Types,
    /// The types of the variables, by id.
    pub vars: Vec<Ty>,
}

/// A type error.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// The error.
    pub diagnostic: Diagnostic,
    /// The places of the error in the program; several if language fragments inherit it.
    pub places: Vec<Place>,
}

/// A part of a program that is kept or dropped as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A definition at the top.
    Definition(VarId),
    /// The parts that always run: the program's expression, tests, computations with an effect.
    Run,
}

/// Infers the types of a program, and finds all type errors.
pub fn check(program: &mut Program, names: &mut Names) -> (Typing, Vec<Complaint>) {
    let mut decls = std::mem::take(&mut program.decls);
    let mut main = program.main.take();
    let mut checker = Checker {
        typing: Typing { types: Types::new(), vars: vec![Ty::UNCHECKED; program.vars.len()] },
        builtins: Vec::new(),
        cons: Vec::new(),
        program,
        names,
        level: 0,
        place: Place::Run,
        complaints: Vec::new(),
    };
    checker.predefine();
    decls.iter_mut().for_each(|decl| checker.top_decl(decl));
    if let Some(main) = &mut main {
        checker.expr(main);
        checker.refuse_too_large(exprs::result_span(main));
    }
    let Checker { mut typing, complaints, .. } = checker;
    typing.types.finish();
    (program.decls, program.main) = (decls, main);
    (typing, complaints)
}

struct Checker<'a> {
    typing: Typing,
    /// The types of the built-ins, in the order of [`ALL`].
    builtins: Vec<Ty>,
    /// The types of the constructors, by id.
    cons: Vec<Ty>,
    program: &'a mut Program,
    names: &'a mut Names,
    /// Number of enclosing `let`s.
    level: u32,
    /// The part that is being checked.
    place: Place,
    complaints: Vec<Complaint>,
}

impl Checker<'_> {
    fn predefine(&mut self) {
        let builtins = std::mem::take(&mut self.program.builtin_types);
        self.builtins = builtins.iter().map(|ty| self.written(ty)).collect();
        debug_assert_eq!(self.builtins.len(), ALL.len());
        self.program.builtin_types = builtins;
        for index in 0..self.program.cons.len() {
            let ty = self.program.cons[index].ty.clone();
            let ty = self.written(&ty);
            self.cons.push(ty);
        }
        for index in 0..self.program.missing_externals.len() {
            let (var, ty) = self.program.missing_externals[index].clone();
            self.typing.vars[var.0 as usize] = self.written(&ty);
        }
    }

    fn types(&mut self) -> &mut Types {
        &mut self.typing.types
    }

    fn fresh(&mut self) -> Ty {
        let level = self.level;
        self.types().fresh(level)
    }

    /// Returns the type for a type as written.
    fn written(&mut self, ty: &Type) -> Ty {
        match ty {
            Type::Unknown => self.fresh(),
            Type::Bool => Types::BOOL,
            Type::Int => Types::INT,
            Type::Float => Types::FLOAT,
            Type::Char => Types::CHAR,
            Type::Seq(element) => {
                let element = self.written(element);
                self.types().seq(element)
            }
            Type::Tensor(element) => {
                let element = self.written(element);
                self.types().add(Node::Tensor(element))
            }
            Type::Record(fields) => {
                let fields: Vec<_> = fields.iter().map(|(label, ty)| (*label, self.written(ty))).collect();
                if fields.is_empty() { Types::UNIT } else { self.types().record(fields) }
            }
            Type::Var(var) => self.types().add(Node::Var(*var)),
            Type::Apply(var, arguments) => {
                let var = self.types().add(Node::Var(*var));
                arguments.iter().fold(var, |function, argument| {
                    let argument = self.written(argument);
                    self.types().apply(function, argument)
                })
            }
            Type::Arrow(from, to) => {
                let (from, to) = (self.written(from), self.written(to));
                self.types().arrow(from, to)
            }
            Type::All(var, body) => {
                let body = self.written(body);
                self.types().add(Node::All(*var, body))
            }
            Type::Named(id, arguments) => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| self.written(argument)).collect();
                let named = &self.program.types[id.0 as usize];
                let Some(definition) = named.definition.clone() else {
                    return self.types().add(Node::Named(*id, arguments.into()));
                };
                let parameters = named.parameters.clone();
                let missing = parameters.len().saturating_sub(arguments.len());
                let arguments: Vec<Ty> =
                    arguments.into_iter().chain((0..missing).map(|_| self.fresh())).collect();
                let with: Vec<_> = parameters.into_iter().zip(arguments).collect();
                let body = self.written(&definition);
                self.types().substitute(body, &with)
            }
        }
    }

    // Complaining

    /// Keeps a message. An error that several language fragments inherit is reported once.
    fn error(&mut self, diagnostic: Diagnostic) {
        let same = |other: &&mut Complaint| {
            (other.diagnostic.code, other.diagnostic.span) == (diagnostic.code, diagnostic.span)
        };
        if let Some(known) = self.complaints.iter_mut().find(same) {
            known.places.push(self.place);
        } else if self.complaints.len() < MAX_ERRORS {
            self.complaints.push(Complaint { diagnostic, places: vec![self.place] });
        }
    }

    /// Reports that a type in the code that ends here had too many parts.
    fn refuse_too_large(&mut self, span: Span) {
        if self.types().were_too_large() {
            let message = "a type here has more than 50,000 parts";
            let hint =
                "a value that is used twice in a tuple, again and again, has twice as many parts every time";
            self.error(Diagnostic::error("M0305", span, message).hint(hint));
        }
    }

    fn show(&self, ty: Ty) -> String {
        show::show(&self.typing.types, self.program, self.names, ty)
    }

    /// Demands that `found` is the type `expected`; `what` names the thing found in messages.
    fn demand(&mut self, expected: Ty, found: Ty, span: Span, what: &str) -> bool {
        let clash = match self.types().unify(expected, found) {
            Ok(()) => return true,
            Err(clash) => clash,
        };
        let (expected_text, found_text) = (self.show(expected), self.show(found));
        let message = format!("{what} has type `{found_text}`, but `{expected_text}` is expected");
        let mut error = Diagnostic::error("M0301", span, message).at(format!("this is `{found_text}`"));
        match clash {
            Clash::Types(a, b) => {
                let (a, b) = (self.show(a), self.show(b));
                if (a.as_str(), b.as_str()) != (&expected_text, &found_text) {
                    error = error.hint(format!("`{a}` and `{b}` differ"));
                }
                error.hints.extend(hint(&a, &b));
            }
            Clash::Infinite(..) => {
                error = Diagnostic::error(
                    "M0303",
                    span,
                    format!("{what} would need a type that contains itself"),
                )
                .at(format!("`{found_text}` cannot be `{expected_text}`"));
            }
            Clash::NoField(..) | Clash::Escape(_) | Clash::TooDeep => {
                error = error.hint(self.describe(clash));
            }
        }
        self.error(error);
        false
    }

    fn describe(&self, clash: Clash) -> String {
        match clash {
            Clash::Types(a, b) | Clash::Infinite(a, b) => {
                format!("`{}` and `{}` differ", self.show(a), self.show(b))
            }
            Clash::NoField(ty, label) => {
                format!("`{}` has no field `{}`", self.show(ty), self.names.text(label))
            }
            Clash::Escape(var) => {
                let name = self.names.text(self.program.type_vars[var.0 as usize]);
                format!("the type variable `{name}` means nothing outside of its definition")
            }
            Clash::TooDeep => "the types nest too deeply".to_string(),
        }
    }
}

/// Returns a hint for a type that was found where another one is expected.
fn hint(expected: &str, found: &str) -> Option<String> {
    let hint = match (expected, found) {
        ("Int", "Float") => {
            "`floorfi`, `roundfi` and `ceilfi` make integers of floats; operators on floats end in `f`"
        }
        ("Float", "Int") => "`int2float` makes a float of an integer; operators on floats end in `f`",
        ("String", "Char") => "write a string of one character as \"c\"",
        _ => return None,
    };
    Some(hint.to_string())
}
