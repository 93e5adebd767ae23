//! The whole text of a program: its files and all that they import, so that another machine needs none of the files.

use serde::{Deserialize, Serialize};
use warpwise_diag::{SourceFile, Sources};
use warpwise_driver::embedded::{Embedded, EmbeddedFile, EmbeddedImport};
use warpwise_fut::syntax::imports::load;
use warpwise_fut::syntax::session::Session;
use warpwise_ir::deep::deep;
use warpwise_source::files::SourceFiles;

use crate::program::Source;

/// The files of a program, the main file first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Parts {
    files: Vec<File>,
    imports: Vec<Import>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct File {
    /// The name that messages use. Names are unique within the program.
    name: String,
    text: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Import {
    importing: usize,
    path: String,
    imported: usize,
}

impl Parts {
    /// Reads the files of a program. Returns `None` where reading fails; the compiler reports that failure later.
    pub fn of(source: &Source) -> Option<Parts> {
        let files = SourceFiles::new();
        let main = match source {
            Source::File(path) => files.root(path),
            Source::Text { name, text, folder } => files.text(folder, name, text.clone()),
            Source::Parts(embedded) => return Some(Parts::from(*embedded)),
        };
        let main = main.ok()?;
        // Most programs import nothing, so they need no parsing here.
        if main.text.contains("import") && !main.name.ends_with(".ir") {
            let (mut sources, mut session) = (Sources::new(), Session::new());
            deep(|| load(main.clone(), &files, &mut sources, &mut session)).ok()?;
        }
        let mut numbered = Numbered { keys: Vec::new(), files: Vec::new() };
        numbered.number(main);
        for import in files.imports() {
            numbered.number(import.imported);
        }
        let place = |key: &str| numbered.keys.iter().position(|known| known == key);
        let imports = files.imports().into_iter().map(|import| {
            let (importing, imported) = (place(&import.importing)?, place(&import.imported.key)?);
            Some(Import { importing, path: import.path, imported })
        });
        let imports = imports.collect::<Option<Vec<_>>>()?;
        Some(Parts { files: numbered.files, imports })
    }

    /// Converts the files to the compiler's form. Embedded programs live as long as the process, so each program that arrives is kept
    /// in memory.
    pub fn embedded(self) -> Embedded {
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let file = |file: File| EmbeddedFile { name: leaked(file.name), text: leaked(file.text) };
        let import = |import: Import| {
            let Import { importing, path, imported } = import;
            EmbeddedImport { importing, path: leaked(path), imported }
        };
        Embedded {
            files: Vec::leak(self.files.into_iter().map(file).collect()),
            imports: Vec::leak(self.imports.into_iter().map(import).collect()),
        }
    }
}

impl From<Embedded> for Parts {
    fn from(embedded: Embedded) -> Parts {
        let file = |file: &EmbeddedFile| File { name: file.name.to_string(), text: file.text.to_string() };
        let import = |import: &EmbeddedImport| Import {
            importing: import.importing,
            path: import.path.to_string(),
            imported: import.imported,
        };
        Parts {
            files: embedded.files.iter().map(file).collect(),
            imports: embedded.imports.iter().map(import).collect(),
        }
    }
}

/// Files without duplicates, with their keys.
struct Numbered {
    keys: Vec<String>,
    files: Vec<File>,
}

impl Numbered {
    fn number(&mut self, file: SourceFile) {
        if self.keys.contains(&file.key) {
            return;
        }
        let is_taken = self.files.iter().any(|known| known.name == file.name);
        let name = if is_taken { file.key.clone() } else { file.name };
        self.keys.push(file.key);
        self.files.push(File { name, text: file.text });
    }
}
