//! Loading of a file and all its imports, each read and parsed once.
//!
//! Files are not read here: a [`SourceProvider`], which the driver implements, resolves the string after `import` to a file, and
//! identifies equal files by a key. Imports form a graph without cycles. [`load`] returns the files such that each comes after
//! its imports, and the root comes last. The prelude is not imported here: a caller that wants it in scope loads it as a root of
//! its own.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use warpwise_diag::{Diagnostic, FileId, ReadError, SourceFile, SourceProvider, Sources, Span};

use crate::syntax::ast::{Decl, DeclKind, ImportPath, ModuleExpr, ModuleExprKind, Program};
use crate::syntax::parser::parse_program;
use crate::syntax::session::Session;

/// Index of a file in a [`Loaded`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UnitId(pub u32);

/// A file and its tree.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Key from its provider.
    pub key: String,
    /// Id of its text.
    pub file: FileId,
    /// Syntax tree.
    pub program: Program,
}

/// Files in the order in which they can be checked.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All units. Each comes after its imports; the root is last.
    pub units: Vec<Unit>,
    targets: FxHashMap<Span, UnitId>,
}

impl Loaded {
    /// Returns the file that an import in one of the trees means.
    pub fn target(&self, import: &ImportPath) -> UnitId {
        self.targets[&import.span]
    }
}

/// Parses `root` and all its imports. Returns the errors of all files together.
pub fn load(
    root: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
    session: &mut Session,
) -> Result<Loaded, Vec<Diagnostic>> {
    let mut loader = Loader {
        provider,
        sources,
        session,
        states: IndexMap::default(),
        open: Vec::new(),
        loaded: Loaded { units: Vec::new(), targets: FxHashMap::default() },
        errors: Vec::new(),
    };
    loader.open(root);
    while let Some(unit) = loader.open.last_mut() {
        match unit.pending.pop() {
            Some(import) => loader.import(import),
            None => loader.close(),
        }
    }
    if loader.errors.is_empty() { Ok(loader.loaded) } else { Err(loader.errors) }
}

struct Loader<'a> {
    provider: &'a dyn SourceProvider,
    sources: &'a mut Sources,
    session: &'a mut Session,
    /// State of each file, by key.
    states: IndexMap<String, State, FxBuildHasher>,
    /// Path from the root to the file whose imports are being read.
    open: Vec<OpenUnit>,
    loaded: Loaded,
    errors: Vec<Diagnostic>,
}

#[derive(Clone, Copy)]
enum State {
    /// Some imports are not read yet. Holds the position in `open`.
    Open(usize),
    Closed(UnitId),
}

struct OpenUnit {
    unit: Unit,
    /// Imports not read yet; the next one is last.
    pending: Vec<ImportPath>,
    /// The import being read.
    current: Option<ImportPath>,
}

impl Loader<'_> {
    fn open(&mut self, source: SourceFile) {
        let file = self.sources.add(source.name, source.text);
        let parsed = parse_program(file, self.sources.text(file), self.session);
        self.errors.extend(parsed.errors);
        let mut pending = Vec::new();
        imports_of(&parsed.program.decls, &mut pending);
        pending.reverse();
        self.states.insert(source.key.clone(), State::Open(self.open.len()));
        let unit = Unit { key: source.key, file, program: parsed.program };
        self.open.push(OpenUnit { unit, pending, current: None });
    }

    /// Closes the innermost open file, whose imports have all been read.
    fn close(&mut self) {
        let Some(OpenUnit { unit, .. }) = self.open.pop() else { return };
        let id = UnitId(self.loaded.units.len() as u32);
        self.states.insert(unit.key.clone(), State::Closed(id));
        self.loaded.units.push(unit);
        if let Some(import) = self.open.last_mut().and_then(|importing| importing.current.take()) {
            self.loaded.targets.insert(import.span, id);
        }
    }

    fn import(&mut self, import: ImportPath) {
        let Some(importing) = self.open.last() else { return };
        let source = match self.provider.read(&importing.unit.key, &import.path) {
            Ok(source) => source,
            Err(error) => return self.errors.push(unread(&import, error)),
        };
        match self.states.get(&source.key).copied() {
            Some(State::Closed(id)) => {
                self.loaded.targets.insert(import.span, id);
            }
            Some(State::Open(position)) => {
                let error = self.cycle(position, &import);
                self.errors.push(error);
            }
            None => {
                if let Some(importing) = self.open.last_mut() {
                    importing.current = Some(import);
                }
                self.open(source);
            }
        }
    }

    /// Returns the error that `import` leads back to the open file at `position`.
    fn cycle(&self, position: usize, import: &ImportPath) -> Diagnostic {
        let way = &self.open[position..];
        let names: Vec<&str> = way.iter().map(|open| self.sources.name(open.unit.file)).collect();
        let message = match names[..] {
            [name] => format!("`{name}` imports itself"),
            _ => format!("files import each other in a cycle: {} -> {}", names.join(" -> "), names[0]),
        };
        let mut diagnostic = Diagnostic::error("E0131", import.span, message);
        for step in way.iter().filter_map(|open| open.current.as_ref()) {
            diagnostic = diagnostic.label(step.span, "on the way");
        }
        diagnostic.hint("move what both files need into a third one")
    }
}

fn unread(import: &ImportPath, error: ReadError) -> Diagnostic {
    let path = &import.path;
    match error {
        ReadError::NotFound(place) => {
            let message = format!("the imported file \"{path}\" does not exist");
            let diagnostic =
                Diagnostic::error("E0130", import.span, message).at(format!("looked for {place}"));
            diagnostic.hint("the path is relative to this file and is written without the ending `.fut`")
        }
        ReadError::Unreadable(why) => Diagnostic::error(
            "E0132",
            import.span,
            format!("the imported file \"{path}\" cannot be read: {why}"),
        ),
    }
}

/// Collects all imports in declarations, in textual order.
fn imports_of(decls: &[Decl], imports: &mut Vec<ImportPath>) {
    for decl in decls {
        match &decl.kind {
            DeclKind::Import(import) => imports.push(import.clone()),
            DeclKind::Open(module) => imports_of_module(module, imports),
            DeclKind::Module(decl) => imports_of_module(&decl.body, imports),
            DeclKind::Local(decl) => imports_of(std::slice::from_ref(decl), imports),
            DeclKind::Value(_) | DeclKind::Type(_) | DeclKind::ModuleType(_) => {}
        }
    }
}

fn imports_of_module(module: &ModuleExpr, imports: &mut Vec<ImportPath>) {
    match &module.kind {
        ModuleExprKind::Var(_) => {}
        ModuleExprKind::Body(decls) => imports_of(decls, imports),
        ModuleExprKind::Import(import) => imports.push(import.clone()),
        ModuleExprKind::Apply { function, argument } => {
            imports_of_module(function, imports);
            imports_of_module(argument, imports);
        }
        ModuleExprKind::Ascribe { module, signature: _ } => imports_of_module(module, imports),
        ModuleExprKind::Lambda { param: _, signature: _, body } => imports_of_module(body, imports),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files by key. The key is the path without a leading `./`.
    struct Folder(Vec<(&'static str, String)>);

    impl SourceProvider for Folder {
        fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
            let key = path.trim_start_matches("./");
            if key == "binary" {
                return Err(ReadError::Unreadable("it is not UTF-8".to_string()));
            }
            let found = self.0.iter().find(|(name, _)| *name == key);
            let (name, text) = found.ok_or_else(|| ReadError::NotFound(format!("{key}.fut")))?;
            Ok(SourceFile { key: key.to_string(), name: format!("{name}.fut"), text: text.clone() })
        }
    }

    /// Returns the units in order, or the errors.
    fn check(files: &[(&'static str, &str)]) -> Result<Vec<String>, Vec<String>> {
        let folder = Folder(files.iter().map(|&(name, text)| (name, text.to_string())).collect());
        let (mut sources, mut session) = (Sources::new(), Session::new());
        let root = folder.read("", "main").unwrap();
        let loaded = load(root, &folder, &mut sources, &mut session).map_err(|errors| {
            let text = |e: &Diagnostic| format!("{}: {} {}", sources.describe(e.span), e.code, e.message);
            errors.iter().map(text).collect::<Vec<_>>()
        })?;
        for unit in &loaded.units {
            let mut imports = Vec::new();
            imports_of(&unit.program.decls, &mut imports);
            for import in imports {
                let target = &loaded.units[loaded.target(&import).0 as usize];
                assert_eq!(target.key, import.path.trim_start_matches("./"));
            }
        }
        Ok(loaded.units.into_iter().map(|unit| unit.key).collect())
    }

    #[test]
    fn imports_come_before_their_users_and_once() {
        let units = check(&[
            ("main", "import \"b\" module m = f (import \"a\") { local open import \"./c\" }"),
            ("a", "import \"c\""),
            ("b", "module x = \\(y: z) -> import \"c\" : w"),
            ("c", ""),
        ]);
        assert_eq!(units, Ok(["c", "b", "a", "main"].map(String::from).to_vec()));
    }

    #[test]
    fn all_errors_come_in_one_go() {
        let errors = check(&[
            ("main", "import \"a\"\nimport \"nowhere\"\nimport \"binary\"\ndef x ="),
            ("a", "import \"b\""),
            ("b", "import \"a\"\nimport \"b\""),
        ]);
        let expected = [
            "main.fut:4:8: E0110 Unexpected end of file",
            "b.fut:1:8: E0131 files import each other in a cycle: a.fut -> b.fut -> a.fut",
            "b.fut:2:8: E0131 `b.fut` imports itself",
            "main.fut:2:8: E0130 the imported file \"nowhere\" does not exist",
            "main.fut:3:8: E0132 the imported file \"binary\" cannot be read: it is not UTF-8",
        ];
        assert_eq!(errors, Err(expected.map(String::from).to_vec()));
    }

    #[test]
    fn a_long_chain_of_files_needs_no_stack() {
        let names: Vec<&'static str> = (0..5000).map(|n| &*format!("f{n}").leak()).collect();
        let mut files = vec![("main", "import \"f0\"".to_string())];
        files.extend(names.windows(2).map(|pair| (pair[0], format!("import \"{}\"", pair[1]))));
        files.push((names[4999], String::new()));
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        assert_eq!(check(&files).map(|units| units.len()), Ok(5001));
    }
}
