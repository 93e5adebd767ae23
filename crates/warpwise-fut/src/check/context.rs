//! The state of one run of the checker.

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

/// Everything the phases share.
pub struct Checker<'a> {
    /// Names.
    pub session: &'a mut Session,
    /// The texts that places lie in.
    pub sources: &'a Sources,
    /// The program under construction.
    pub program: Program,
    /// The files being checked.
    pub checked: Option<Checked<'a>>,
    /// Whether the file being checked is the main one.
    pub in_main: bool,
    /// Whether the file being checked belongs to the prelude.
    pub in_prelude: bool,
    /// The scope of every file: the built-ins, and once it is checked the prelude.
    pub root: Env<'a>,
    /// Names in scope.
    pub env: Env<'a>,
    /// The members so far of the module being checked.
    pub exports: Members<'a>,
    /// The declarations of the module being checked, with their places.
    pub declared: FxHashMap<(NameSpace, Symbol), Span>,
    /// The declarations still to come in the modules being checked, innermost last.
    pub upcoming: Vec<&'a [Decl]>,
    /// The name of the module being checked, with a dot; empty at the top of a file.
    pub prefix: String,
    /// The structural intrinsics.
    pub intrinsics: Rc<Names<Value>>,
    /// The definition being checked, where it may call itself.
    pub recursion: Option<SelfReference>,
    /// The meanings of definitions' names in their bodies where an earlier definition could be meant, by their places.
    pub readings: FxHashMap<Span, Reading>,
    /// The types among the intrinsics.
    pub intrinsic_types: Rc<Members<'a>>,
    /// The prelude's `|>` and `<|`.
    pub pipes: [Option<DefId>; 2],
    /// Names of functions being checked, to tell recursion from a misspelling.
    pub checking: Vec<Symbol>,
    /// How deep parametric modules are being applied.
    pub applications: u32,
    /// Whether abstract types stand for what a module says they are.
    pub reveals: bool,
    /// How much was done for modules, against programs that ask for too much.
    pub module_work: u32,
    /// The phase without sizes.
    pub infer: Inference<'a>,
    /// The phase with sizes.
    pub sizing: Sizing,
    /// The names, in the message being written, of locals of which others have the name.
    pub told_apart: FxHashMap<LocalId, String>,
    /// Places with the codes of the warnings that they got.
    pub warned: FxHashSet<(&'static str, Span)>,
    /// How many of the diagnostics are errors.
    n_reported: usize,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
    /// The limits met.
    pub limits: Vec<Limit>,
}

impl<'a> Checker<'a> {
    /// A checker that has seen nothing.
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

    /// The table of names.
    pub fn names(&self) -> &Interner {
        &self.session.names
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.session.names.text(symbol)
    }

    /// Returns the text at a place; `None` if it is long or goes over several lines.
    pub fn written(&self, span: Span) -> Option<&'a str> {
        let text = self.sources.contains(span.file).then(|| self.sources.text(span.file))?;
        text.get(span.start as usize..span.end as usize)
            .filter(|text| text.len() <= 40 && !text.contains('\n'))
    }

    /// Reports something.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.n_reported += usize::from(diagnostic.severity == Severity::Error);
        self.diagnostics.push(diagnostic);
    }

    /// Reports something that is not supported yet.
    pub fn limit(&mut self, span: Span, message: impl Into<String>) {
        self.limits.push(Limit { message: message.into(), span });
    }

    /// Takes out what was reported after the first `n_diagnostics` and `n_limits`.
    pub fn take_messages(&mut self, n_diagnostics: usize, n_limits: usize) -> (Vec<Diagnostic>, Vec<Limit>) {
        let diagnostics = self.diagnostics.split_off(n_diagnostics);
        self.n_reported -= diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        (diagnostics, self.limits.split_off(n_limits))
    }

    /// How many errors and limits there are: whether something went wrong since.
    pub fn n_errors(&self) -> usize {
        self.n_reported + self.limits.len()
    }

    /// A new local. Its type is set when it is known.
    pub fn new_local(&mut self, name: Symbol, span: Span) -> LocalId {
        self.program.locals.push(Local { name, span, ty: Type::Prim(PrimType::I64) });
        LocalId(self.program.locals.len() as u32 - 1)
    }

    /// A new size with a name of the compiler's choice.
    pub fn new_size(&mut self, name: &str, span: Span) -> LocalId {
        let symbol = self.session.names.intern(name);
        self.new_local(symbol, span)
    }

    /// A new type parameter.
    pub fn new_type_param(&mut self, name: Symbol, span: Span, liftedness: Liftedness) -> TypeParamId {
        self.program.type_params.push(TypeParam { name, span, liftedness });
        TypeParamId(self.program.type_params.len() as u32 - 1)
    }

    /// The names of the fields of a tuple.
    pub fn tuple_names(&mut self, length: usize) -> Rc<[Symbol]> {
        (0..length).map(|index| self.session.names.intern(&index.to_string())).collect()
    }

    /// The order of fields in a record type.
    pub fn field_key(&self, name: Symbol) -> (bool, u64, &str) {
        let text = self.text(name);
        match text.parse::<u64>() {
            Ok(number) if text == "0" || !text.starts_with('0') => (false, number, ""),
            _ => (true, 0, text),
        }
    }
}
