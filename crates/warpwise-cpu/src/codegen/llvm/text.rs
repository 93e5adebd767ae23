//! Modules, functions and blocks as text, one line at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use super::types::{Kind, Shape, Type};
use super::values::{Condition, Pointer, Value};

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::codegen) struct BlockName(u32);

/// The module that functions share.
#[derive(Default)]
pub(in crate::codegen) struct Module {
    declarations: BTreeSet<String>,
    constants: BTreeMap<String, Vec<u64>>,
    metadata: Vec<String>,
    functions: String,
}

/// The body of a function during its construction.
pub(in crate::codegen) struct Text<'m> {
    pub(super) module: &'m mut Module,
    allocas: String,
    lines: String,
    temporaries: u32,
    blocks: u32,
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%b{}", self.0)
    }
}

impl Module {
    /// Declares an external function.
    pub(super) fn declare(&mut self, declaration: String) {
        self.declarations.insert(declaration);
    }

    /// Adds a table of constants that has a name of its own.
    pub(super) fn constant(&mut self, name: &str, words: &[u64]) {
        self.constants.entry(name.to_string()).or_insert_with(|| words.to_vec());
    }

    /// Adds a metadata node and returns its name. `node` gets its own name.
    pub fn metadata(&mut self, node: impl FnOnce(&str) -> String) -> String {
        let name = format!("!{}", self.metadata.len());
        self.metadata.push(node(&name));
        name
    }

    /// Returns the text of the whole module.
    pub fn finish(self) -> String {
        let mut text = self.functions;
        for declaration in &self.declarations {
            let _ = writeln!(text, "declare {declaration}");
        }
        for (name, words) in &self.constants {
            let listed: Vec<String> = words.iter().map(|word| format!("i64 {word}")).collect();
            let (count, listed) = (words.len(), listed.join(", "));
            let _ = writeln!(text, "@{name} = private unnamed_addr constant [{count} x i64] [{listed}]");
        }
        for (number, node) in self.metadata.iter().enumerate() {
            let _ = writeln!(text, "!{number} = {node}");
        }
        text
    }
}

impl<'m> Text<'m> {
    pub fn new(module: &'m mut Module) -> Text<'m> {
        Text { module, allocas: String::new(), lines: String::new(), temporaries: 0, blocks: 1 }
    }

    /// Adds the function to its module; `header` is everything before the brace.
    pub fn finish(self, header: &str) {
        let Text { module, allocas, lines, .. } = self;
        let _ = write!(module.functions, "{header} {{\nb0:\n{allocas}{lines}}}\n\n");
    }

    /// Writes an instruction without a result.
    pub(super) fn line(&mut self, instruction: fmt::Arguments<'_>) {
        let _ = writeln!(self.lines, "  {instruction}");
    }

    /// Writes an instruction with a result of type `ty`.
    pub(super) fn value<K: Kind, S: Shape>(
        &mut self,
        ty: Type<K, S>,
        instruction: fmt::Arguments<'_>,
    ) -> Value<K, S> {
        let text = self.fresh();
        let _ = writeln!(self.lines, "  {text} = {instruction}");
        Value::new(text, ty)
    }

    /// Allocates stack space.
    pub(super) fn alloca(&mut self, what: fmt::Arguments<'_>) -> Pointer {
        let text = self.fresh();
        let _ = writeln!(self.allocas, "  {text} = alloca {what}");
        Value::new(text, Type::POINTER)
    }

    fn fresh(&mut self) -> String {
        self.temporaries += 1;
        format!("%v{}", self.temporaries)
    }

    // -- blocks ------------------------------------------------------------------------------

    pub fn new_block(&mut self) -> BlockName {
        self.blocks += 1;
        BlockName(self.blocks - 1)
    }

    /// Continues in a block; the previous one must have been ended.
    pub fn begin(&mut self, block: BlockName) {
        let _ = writeln!(self.lines, "b{}:", block.0);
    }

    pub fn jump(&mut self, block: BlockName) {
        self.line(format_args!("br label {block}"));
    }

    pub fn branch(&mut self, cond: &Condition, then: BlockName, otherwise: BlockName) {
        self.branch_annotated(cond, then, otherwise, "");
    }

    /// Like [`branch`](Text::branch), followed by metadata.
    pub fn branch_annotated(
        &mut self,
        cond: &Condition,
        then: BlockName,
        otherwise: BlockName,
        metadata: &str,
    ) {
        self.line(format_args!("br {cond}, label {then}, label {otherwise}{metadata}"));
    }

    /// Like [`branch`](Text::branch), for a condition that rarely holds.
    pub fn branch_unlikely(&mut self, cond: &Condition, then: BlockName, otherwise: BlockName) {
        let weights = self.module.metadata(|_| "!{!\"branch_weights\", i32 1, i32 1048575}".to_string());
        self.branch_annotated(cond, then, otherwise, &format!(", !prof {weights}"));
    }

    pub fn return_nothing(&mut self) {
        self.line(format_args!("ret void"));
    }

    /// Returns the metadata for the back edge of a loop that is to be fully unrolled.
    pub fn unroll_hint(&mut self) -> String {
        let whole = self.module.metadata(|_| "!{!\"llvm.loop.unroll.full\"}".to_string());
        let own = self.module.metadata(|own| format!("distinct !{{{own}, {whole}}}"));
        format!(", !llvm.loop {own}")
    }
}
