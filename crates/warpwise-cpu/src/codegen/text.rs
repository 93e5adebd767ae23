//! LLVM's textual IR, one line at a time.
//!
//! Text rather than the builder interface: it is what `warpwise dev` shows, LLVM upgrades it between
//! its versions, intrinsics and metadata need no special calls, and nothing here is unsafe. A
//! mistake in it is caught by LLVM's parser and becomes a `Failure::Bug` that carries the text.
//!
//! This file knows types, values, blocks and instructions of LLVM; it knows nothing of kernels.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use warpwise_imp::ImpType;
use warpwise_prim::{Scalar, ScalarType};

/// The type of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Int(u32),
    Half,
    Float,
    Double,
    Pointer,
}

/// A scalar or, with more than one lane, a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub element: Element,
    pub lanes: u32,
}

/// A constant or a result, with its type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    pub ty: Type,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockName(u32);

/// What functions of one module share.
#[derive(Default)]
pub(super) struct Module {
    declarations: BTreeSet<String>,
    metadata: Vec<String>,
    functions: String,
}

/// The body of a function while it is written.
pub(super) struct Text<'m> {
    pub module: &'m mut Module,
    allocas: String,
    lines: String,
    temporaries: u32,
    blocks: u32,
}

impl Element {
    fn bits(self) -> u32 {
        match self {
            Element::Int(bits) => bits,
            Element::Half => 16,
            Element::Float => 32,
            Element::Double | Element::Pointer => 64,
        }
    }
}

impl From<ScalarType> for Element {
    fn from(ty: ScalarType) -> Element {
        match ty {
            ScalarType::Bool => Element::Int(1),
            ScalarType::I8 => Element::Int(8),
            ScalarType::I16 => Element::Int(16),
            ScalarType::I32 => Element::Int(32),
            ScalarType::I64 => Element::Int(64),
            ScalarType::F16 => Element::Half,
            ScalarType::F32 => Element::Float,
            ScalarType::F64 => Element::Double,
        }
    }
}

impl From<ImpType> for Type {
    fn from(ty: ImpType) -> Type {
        Type { element: ty.scalar.into(), lanes: ty.lanes.into() }
    }
}

impl Type {
    pub const I1: Type = Type::int(1);
    pub const I32: Type = Type::int(32);
    pub const I64: Type = Type::int(64);
    pub const POINTER: Type = Type { element: Element::Pointer, lanes: 1 };

    pub const fn int(bits: u32) -> Type {
        Type { element: Element::Int(bits), lanes: 1 }
    }

    /// As many lanes of another type.
    pub fn of(self, element: Element) -> Type {
        Type { element, lanes: self.lanes }
    }

    /// Another number of lanes of this type.
    pub fn with_lanes(self, lanes: u32) -> Type {
        Type { element: self.element, lanes }
    }

    /// Bits of a lane.
    pub fn bits(self) -> u32 {
        self.element.bits()
    }

    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Integers of the same width.
    pub fn as_int(self) -> Type {
        self.of(Element::Int(self.bits()))
    }

    /// How intrinsics name this type: `i32`, `v8f64`.
    pub fn suffix(self) -> String {
        let element = match self.element {
            Element::Int(bits) => format!("i{bits}"),
            Element::Half => "f16".into(),
            Element::Float => "f32".into(),
            Element::Double => "f64".into(),
            Element::Pointer => "p0".into(),
        };
        if self.is_vector() { format!("v{}{element}", self.lanes) } else { element }
    }

    /// The integer in every lane, taken modulo the width.
    pub fn int_constant(self, value: i64) -> Value {
        let bits = self.bits();
        let text = match bits {
            1 => if value & 1 == 1 { "true" } else { "false" }.to_string(),
            2..64 => (value << (64 - bits) >> (64 - bits)).to_string(),
            _ => value.to_string(),
        };
        self.constant(&text)
    }

    /// The float in every lane; it must be representable in the type.
    pub fn float_constant(self, value: f64) -> Value {
        let text = match self.element {
            Element::Half => format!("0xH{:04X}", Scalar::float(ScalarType::F16, value).to_bits()),
            _ => format!("0x{:016X}", value.to_bits()),
        };
        self.constant(&text)
    }

    /// The constant spelled so in every lane.
    pub fn constant(self, text: &str) -> Value {
        let text = if self.is_vector() {
            format!("splat ({} {text})", self.with_lanes(1))
        } else {
            text.to_string()
        };
        Value { text, ty: self }
    }

    /// Zero in every lane.
    pub fn zero(self) -> Value {
        Value { text: "zeroinitializer".into(), ty: self }
    }

    /// The integers 0, 1, 2, ... in the lanes.
    pub fn lane_numbers(self) -> Value {
        let element = self.with_lanes(1);
        let lanes: Vec<String> = (0..self.lanes)
            .map(|lane| format!("{element} {}", element.int_constant(lane.into()).text))
            .collect();
        Value { text: format!("<{}>", lanes.join(", ")), ty: self }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vector() {
            write!(f, "<{} x ", self.lanes)?;
        }
        match self.element {
            Element::Int(bits) => write!(f, "i{bits}")?,
            Element::Half => f.write_str("half")?,
            Element::Float => f.write_str("float")?,
            Element::Double => f.write_str("double")?,
            Element::Pointer => f.write_str("ptr")?,
        }
        if self.is_vector() { f.write_str(">") } else { Ok(()) }
    }
}

/// With its type, as operands of calls and stores are written.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.text)
    }
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%b{}", self.0)
    }
}

impl Module {
    /// Declares an external function.
    pub fn declare(&mut self, declaration: String) {
        self.declarations.insert(declaration);
    }

    /// Adds a metadata node and gives its name. `node` is told its own name.
    pub fn metadata(&mut self, node: impl FnOnce(&str) -> String) -> String {
        let name = format!("!{}", self.metadata.len());
        self.metadata.push(node(&name));
        name
    }

    /// The whole module.
    pub fn finish(self) -> String {
        let mut text = self.functions;
        for declaration in &self.declarations {
            let _ = writeln!(text, "declare {declaration}");
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

    /// An instruction without a result.
    pub fn line(&mut self, instruction: fmt::Arguments<'_>) {
        let _ = writeln!(self.lines, "  {instruction}");
    }

    /// An instruction with a result of type `ty`.
    pub fn value(&mut self, ty: Type, instruction: fmt::Arguments<'_>) -> Value {
        let text = self.fresh();
        let _ = writeln!(self.lines, "  {text} = {instruction}");
        Value { text, ty }
    }

    /// A place on the stack, as a pointer.
    pub fn alloca(&mut self, what: fmt::Arguments<'_>) -> Value {
        let text = self.fresh();
        let _ = writeln!(self.allocas, "  {text} = alloca {what}");
        Value { text, ty: Type::POINTER }
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

    /// Continues in a block; the last one must have been ended.
    pub fn begin(&mut self, block: BlockName) {
        let _ = writeln!(self.lines, "b{}:", block.0);
    }

    pub fn jump(&mut self, block: BlockName) {
        self.line(format_args!("br label {block}"));
    }

    pub fn branch(&mut self, cond: &Value, then: BlockName, otherwise: BlockName) {
        self.line(format_args!("br {cond}, label {then}, label {otherwise}"));
    }

    /// As [`branch`](Text::branch), followed by metadata.
    pub fn branch_annotated(&mut self, cond: &Value, then: BlockName, otherwise: BlockName, metadata: &str) {
        self.line(format_args!("br {cond}, label {then}, label {otherwise}{metadata}"));
    }

    /// The metadata for the branch back of a loop that is to be unrolled as a whole.
    pub fn unroll_hint(&mut self) -> String {
        let whole = self.module.metadata(|_| "!{!\"llvm.loop.unroll.full\"}".to_string());
        let own = self.module.metadata(|own| format!("distinct !{{{own}, {whole}}}"));
        format!(", !llvm.loop {own}")
    }

    // -- instructions ------------------------------------------------------------------------

    /// `opcode ty x, y` with a result of the operands' type.
    pub fn binary(&mut self, opcode: &str, x: &Value, y: &Value) -> Value {
        self.value(x.ty, format_args!("{opcode} {x}, {}", y.text))
    }

    /// As [`Text::binary`] with an integer constant on the right.
    pub fn binary_int(&mut self, opcode: &str, x: &Value, y: i64) -> Value {
        self.binary(opcode, x, &x.ty.int_constant(y))
    }

    /// `opcode x to ty`; nothing if `x` has that type already.
    pub fn cast(&mut self, opcode: &str, x: &Value, ty: Type) -> Value {
        if x.ty == ty {
            return x.clone();
        }
        self.value(ty, format_args!("{opcode} {x} to {ty}"))
    }

    pub fn icmp(&mut self, predicate: &str, x: &Value, y: &Value) -> Value {
        self.value(x.ty.of(Element::Int(1)), format_args!("icmp {predicate} {x}, {}", y.text))
    }

    pub fn icmp_int(&mut self, predicate: &str, x: &Value, y: i64) -> Value {
        self.icmp(predicate, x, &x.ty.int_constant(y))
    }

    pub fn fcmp(&mut self, predicate: &str, x: &Value, y: &Value) -> Value {
        self.value(x.ty.of(Element::Int(1)), format_args!("fcmp {predicate} {x}, {}", y.text))
    }

    pub fn fcmp_const(&mut self, predicate: &str, x: &Value, y: f64) -> Value {
        self.fcmp(predicate, x, &x.ty.float_constant(y))
    }

    pub fn select(&mut self, cond: &Value, x: &Value, y: &Value) -> Value {
        self.value(x.ty, format_args!("select {cond}, {x}, {y}"))
    }

    /// An intrinsic overloaded on the type of its first argument, which is also its result's.
    pub fn intrinsic(&mut self, name: &str, args: &[&Value]) -> Value {
        let full = format!("llvm.{name}.{}", args[0].ty.suffix());
        self.call(args[0].ty, &full, args, "")
    }

    /// A call of an external function, declared with `attributes`.
    pub fn call(&mut self, result: Type, name: &str, args: &[&Value], attributes: &str) -> Value {
        let (types, args) = self.arguments(args);
        self.module.declare(format!("{result} @{name}({types}) {attributes}"));
        self.value(result, format_args!("call {result} @{name}({args})"))
    }

    /// A call of an intrinsic, followed by metadata.
    pub fn call_annotated(&mut self, result: Type, name: &str, args: &[&Value], metadata: &str) -> Value {
        let (types, args) = self.arguments(args);
        self.module.declare(format!("{result} @{name}({types})"));
        self.value(result, format_args!("call {result} @{name}({args}){metadata}"))
    }

    /// A call of an external function without result, followed by metadata.
    pub fn call_void(&mut self, name: &str, args: &[&Value], metadata: &str) {
        let (types, args) = self.arguments(args);
        self.module.declare(format!("void @{name}({types})"));
        self.line(format_args!("call void @{name}({args}){metadata}"));
    }

    fn arguments(&self, args: &[&Value]) -> (String, String) {
        let types: Vec<String> = args.iter().map(|arg| arg.ty.to_string()).collect();
        let values: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        (types.join(", "), values.join(", "))
    }

    // -- lanes -------------------------------------------------------------------------------

    /// `x` in each of `lanes` lanes; a vector stays.
    pub fn splat(&mut self, x: &Value, lanes: u32) -> Value {
        if lanes == 1 || x.ty.is_vector() {
            return x.clone();
        }
        let ty = x.ty.with_lanes(lanes);
        let first = self.value(ty, format_args!("insertelement {ty} poison, {x}, i64 0"));
        self.value(ty, format_args!("shufflevector {first}, {ty} poison, <{lanes} x i32> zeroinitializer"))
    }

    /// Lane `lane` of a vector; a scalar stays.
    pub fn lane(&mut self, x: &Value, lane: u32) -> Value {
        if !x.ty.is_vector() {
            return x.clone();
        }
        self.value(x.ty.with_lanes(1), format_args!("extractelement {x}, i64 {lane}"))
    }

    pub fn insert_lane(&mut self, x: &Value, value: &Value, lane: u32) -> Value {
        if !x.ty.is_vector() {
            return value.clone();
        }
        self.value(x.ty, format_args!("insertelement {x}, {value}, i64 {lane}"))
    }

    /// Lane `i` of the result is lane `lanes[i]` of `x` followed by `y`; all three are vectors or,
    /// with a single lane, scalars.
    pub fn shuffle(&mut self, x: &Value, y: &Value, lanes: &[u32]) -> Value {
        if let [only] = lanes {
            let (from, lane) = if *only < x.ty.lanes { (x, *only) } else { (y, *only - x.ty.lanes) };
            return self.lane(from, lane);
        }
        let ty = x.ty.with_lanes(lanes.len() as u32);
        let (x, y) = (self.as_vector(x), self.as_vector(y));
        let mask: Vec<String> = lanes.iter().map(|lane| format!("i32 {lane}")).collect();
        self.value(ty, format_args!("shufflevector {x}, {y}, <{} x i32> <{}>", lanes.len(), mask.join(", ")))
    }

    /// The operand as it is written with its type; a scalar as a vector of one lane.
    fn as_vector(&mut self, x: &Value) -> String {
        if x.ty.is_vector() {
            return x.to_string();
        }
        let vector = self.value(x.ty, format_args!("insertelement <1 x {}> poison, {x}, i64 0", x.ty));
        format!("<1 x {}> {}", x.ty, vector.text)
    }
}
