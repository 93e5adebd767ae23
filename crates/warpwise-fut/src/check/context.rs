//! State of one run of the checker.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Diagnostic, Limit, Severity, Sources, Span};

use crate::check::env::{Env, Frame, Members, Names, Value};
use crate::check::files::Checked;
use crate::check::infer::Inference;
use crate::check::modules::NameSpace;
use crate::check::readings::Reading;
use crate::check::recursion::SelfReference;
use crate::check::size::Sizing;
use crate::syntax::ast::{Decl, Liftedness, PrimType};
use crate::syntax::session::{Interner, Session, Symbol};
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::tree::{Local, Program, TypeParam};
use crate::typed::ty::Type;

/// State that all phases share.
pub struct Checker<'a> {
    /// The session, which holds the table of names.
    pub session: &'a mut Session,
    /// The source texts.
    pub sources: &'a Sources,
    /// The program under construction.
    pub program: Program,
    /// The files being checked.
    pub checked: Option<Checked<'a>>,
    /// Whether the file being checked is the main one.
    pub in_main: bool,
    /// Whether the file being checked belongs to the prelude.
    pub in_prelude: bool,
    /// The scope of every file: the built-ins, and the prelude once it is checked.
    pub root: Env<'a>,
    /// Names in scope.
    pub env: Env<'a>,
    /// Members of the module being checked, as far as they are known.
    pub exports: Members<'a>,
    /// Declarations of the module being checked, with their source positions.
    pub declared: FxHashMap<(NameSpace, Symbol), Span>,
    /// Declarations that follow in the modules being checked, innermost module last.
    pub upcoming: Vec<&'a [Decl]>,
    /// Name of the module being checked, with a trailing dot; empty at the top of a file.
    pub prefix: String,
    /// The structural intrinsics.
    pub intrinsics: Rc<Names<Value>>,
    /// The definition being checked, if it may call itself.
    pub recursion: Option<SelfReference>,
    /// Meanings of a definition's own name in its body where it could also mean an earlier definition, by source position.
    pub readings: FxHashMap<Span, Reading>,
    /// The types among the intrinsics.
    pub intrinsic_types: Rc<Members<'a>>,
    /// The prelude's `|>` and `<|`.
    pub pipes: [Option<DefId>; 2],
    /// Names of the functions being checked, which tell recursion from a misspelling.
    pub checking: Vec<Symbol>,
    /// Nesting depth of the applications of parametric modules being checked.
    pub applications: u32,
    /// Whether a specification is being resolved with a module's own types in the place of abstract ones.
    pub reveals: bool,
    /// Amount of work done for modules, which is limited against programs that demand too much.
    pub module_work: u32,
    /// State of the phase without sizes.
    pub infer: Inference<'a>,
    /// State of the phase with sizes.
    pub sizing: Sizing,
    /// Distinct names, for the message being written, of locals that share their name with others.
    pub told_apart: FxHashMap<LocalId, String>,
    /// Codes and places of the warnings reported so far.
    pub warned: FxHashSet<(&'static str, Span)>,
    /// Number of errors in `diagnostics`.
    n_reported: usize,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Limits of the compiler that the program meets.
    pub limits: Vec<Limit>,
}

impl<'a> Checker<'a> {
    /// Creates a checker.
    pub fn new(session: &'a mut Session, sources: &'a Sources) -> Checker<'a> {
        Checker {
            session,
            sources,
            program: Program::default(),
            checked: None,
            in_main: false,
            in_prelude: false,
            root: Rc::new(Frame::default()),
            env: Rc::new(Frame::default()),
            exports: Members::default(),
            declared: FxHashMap::default(),
            upcoming: Vec::new(),
            prefix: String::new(),
            intrinsics: Rc::default(),
            intrinsic_types: Rc::default(),
            recursion: None,
            readings: FxHashMap::default(),
            pipes: [None; 2],
            checking: Vec::new(),
            applications: 0,
            reveals: false,
            module_work: 0,
            infer: Inference::default(),
            sizing: Sizing::default(),
            told_apart: FxHashMap::default(),
            warned: FxHashSet::default(),
            n_reported: 0,
            diagnostics: Vec::new(),
            limits: Vec::new(),
        }
    }

    /// Returns the table of names.
    pub fn names(&self) -> &Interner {
        &self.session.names
    }

    /// Returns the text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.session.names.text(symbol)
    }

    /// Returns the text at a place; `None` if it is longer than 40 bytes or spans several lines.
    pub fn written(&self, span: Span) -> Option<&'a str> {
        let text = self.sources.contains(span.file).then(|| self.sources.text(span.file))?;
        text.get(span.start as usize..span.end as usize)
            .filter(|text| text.len() <= 40 && !text.contains('\n'))
    }

    /// Reports an error or a warning.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.n_reported += usize::from(diagnostic.severity == Severity::Error);
        self.diagnostics.push(diagnostic);
    }

    /// Reports a feature that is not supported yet.
    pub fn limit(&mut self, span: Span, message: impl Into<String>) {
        self.limits.push(Limit { message: message.into(), span });
    }

    /// Removes and returns the messages after the first `n_diagnostics` and `n_limits`.
    pub fn take_messages(&mut self, n_diagnostics: usize, n_limits: usize) -> (Vec<Diagnostic>, Vec<Limit>) {
        let diagnostics = self.diagnostics.split_off(n_diagnostics);
        self.n_reported -= diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        (diagnostics, self.limits.split_off(n_limits))
    }

    /// Returns the number of errors and limits. A caller compares two results to detect new ones.
    pub fn n_errors(&self) -> usize {
        self.n_reported + self.limits.len()
    }

    /// Creates a local. Its type is set once it is known.
    pub fn new_local(&mut self, name: Symbol, span: Span) -> LocalId {
        self.program.locals.push(Local { name, span, ty: Type::Prim(PrimType::I64) });
        LocalId(self.program.locals.len() as u32 - 1)
    }

    /// Creates a size whose name the compiler chooses.
    pub fn new_size(&mut self, name: &str, span: Span) -> LocalId {
        let symbol = self.session.names.intern(name);
        self.new_local(symbol, span)
    }

    /// Creates a type parameter.
    pub fn new_type_param(&mut self, name: Symbol, span: Span, liftedness: Liftedness) -> TypeParamId {
        self.program.type_params.push(TypeParam { name, span, liftedness });
        TypeParamId(self.program.type_params.len() as u32 - 1)
    }

    /// Returns the names of the fields of a tuple.
    pub fn tuple_names(&mut self, length: usize) -> Rc<[Symbol]> {
        (0..length).map(|index| self.session.names.intern(&index.to_string())).collect()
    }

    /// Returns the key by which the fields of a record type are sorted.
    pub fn field_key(&self, name: Symbol) -> (bool, u64, &str) {
        let text = self.text(name);
        match text.parse::<u64>() {
            Ok(number) if text == "0" || !text.starts_with('0') => (false, number, ""),
            _ => (true, 0, text),
        }
    }
}
