//! Programs whose files are embedded in an executable.
//!
//! Imports were resolved when the executable was compiled ([`SourceFiles::imports`](crate::files::SourceFiles::imports)), so no
//! file is searched for at run time.

use warpwise_diag::{ReadError, SourceFile, SourceProvider};

/// A program with all its files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Embedded {
    /// The files; the program's main file is first.
    pub files: &'static [EmbeddedFile],
    /// The imports between the files.
    pub imports: &'static [EmbeddedImport],
}

/// An embedded file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EmbeddedFile {
    /// Name of the file in messages, unique in the program.
    pub name: &'static str,
    /// Text of the file.
    pub text: &'static str,
}

/// A resolved import.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EmbeddedImport {
    /// Index of the importing file.
    pub importing: usize,
    /// The path as written after `import`.
    pub path: &'static str,
    /// Index of the imported file.
    pub imported: usize,
}

impl Embedded {
    /// Returns the program's main file; an empty file if there are none.
    pub fn main(&self) -> SourceFile {
        self.file(0).unwrap_or_else(|| SourceFile {
            key: String::new(),
            name: String::new(),
            text: String::new(),
        })
    }

    fn file(&self, number: usize) -> Option<SourceFile> {
        let file = self.files.get(number)?;
        let name = file.name.to_string();
        Some(SourceFile { key: name.clone(), name, text: file.text.to_string() })
    }
}

impl SourceProvider for Embedded {
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        let importing = self.files.iter().position(|file| file.name == importing);
        let mut imports = self.imports.iter();
        imports
            .find(|import| Some(import.importing) == importing && import.path == path)
            .and_then(|import| self.file(import.imported))
            .ok_or_else(|| ReadError::NotFound(path.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_mean_what_they_meant() {
        static FILES: &[EmbeddedFile] = &[
            EmbeddedFile { name: "p.fut", text: "import \"lib/a\"" },
            EmbeddedFile { name: "lib/a.fut", text: "import \"a\"" },
            EmbeddedFile { name: "lib/lib/a.fut", text: "" },
        ];
        static IMPORTS: &[EmbeddedImport] = &[
            EmbeddedImport { importing: 0, path: "lib/a", imported: 1 },
            EmbeddedImport { importing: 1, path: "lib/a", imported: 2 },
        ];
        let program = Embedded { files: FILES, imports: IMPORTS };
        assert_eq!(program.main().name, "p.fut");
        assert_eq!(program.read("p.fut", "lib/a").unwrap().name, "lib/a.fut");
        assert_eq!(program.read("lib/a.fut", "lib/a").unwrap().name, "lib/lib/a.fut");
        assert!(matches!(program.read("p.fut", "b"), Err(ReadError::NotFound(_))));
        assert!(matches!(program.read("other.fut", "lib/a"), Err(ReadError::NotFound(_))));
        assert_eq!(Embedded { files: &[], imports: &[] }.main().text, "");
    }
}
