//! LLVM IR around a program: its images and kernels, and either the start code of an executable or the functions of a library.
//!
//! ```text
//! define i32 @futhark_entry_mvm(ptr %0, ptr %1, ptr %2, ptr %3) {
//!   %in = alloca [2 x ptr]
//!   ...
//!   %result = call i32 @warpwise_call(ptr %0, i64 0, ptr %1, ptr %in)
//!   ret i32 %result
//! }
//! ```
//!
//! The C calling convention is assumed to be that of x86-64 Linux. Scalars are only stored, so the unused bits of their registers
//! do not matter.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use warpwise_driver::standalone::{Standalone, Variant};
use warpwise_prim::ValueType;
use warpwise_standalone::interface::Interface;

use crate::api::Api;
use crate::function::{Argument, Body, Declared, Function, Passed};
use crate::header::all;

/// Kind of file to link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A command.
    Executable {
        /// Whether the command is a server by default.
        server: bool,
    },
    /// A library.
    Library(Api),
}

/// Generates the LLVM IR around a program.
pub fn glue(program: &Standalone, interface: &Interface, role: Role) -> String {
    let mut module = Module { text: PROGRAM.to_string(), run_time: BTreeMap::new() };
    for (number, variant) in program.variants.iter().enumerate() {
        module.variant(number, variant);
    }
    module.program(&program.variants);
    match role {
        Role::Executable { server } => {
            module.text += &START.replace("SERVER", if server { "1" } else { "0" });
        }
        Role::Library(api) => all(interface, api).iter().for_each(|function| module.function(function)),
    }
    for declaration in module.run_time.values() {
        let _ = writeln!(module.text, "declare {declaration}");
    }
    module.text
}

/// Types and symbols that describe a program to the runtime. Destructors of thread-local variables identify their library by
/// `__dso_handle`, which a C start file would define.
const PROGRAM: &str = "
%variant = type { ptr, i64, ptr, i64 }
%linked = type { ptr, i64 }
@__dso_handle = hidden constant ptr @__dso_handle
";

/// Entry point of an executable, by the ABI of x86-64: the arguments lie on the stack, and `rdx` is the function that the loader
/// wants to be called at exit. No constructors are passed, because the C library finds them itself.
const START: &str = r#"
module asm ".globl _start"
module asm ".type _start, @function"
module asm "_start:"
module asm ".cfi_startproc"
module asm ".cfi_undefined rip"
module asm "xorl %ebp, %ebp"
module asm "movq %rdx, %r9"
module asm "popq %rsi"
module asm "movq %rsp, %rdx"
module asm "andq $-16, %rsp"
module asm "pushq %rax"
module asm "pushq %rsp"
module asm "xorl %r8d, %r8d"
module asm "xorl %ecx, %ecx"
module asm "leaq main(%rip), %rdi"
module asm "callq *__libc_start_main@GOTPCREL(%rip)"
module asm "hlt"
module asm ".cfi_endproc"

declare i32 @warpwise_main(ptr, i32, i32, ptr)

define hidden i32 @main(i32 %count, ptr %words) uwtable {
  %code = call i32 @warpwise_main(ptr @program, i32 SERVER, i32 %count, ptr %words)
  ret i32 %code
}
"#;

struct Module {
    text: String,
    /// Declarations of the runtime functions that are called.
    run_time: BTreeMap<&'static str, String>,
}

impl Module {
    /// Emits the image and the kernels of a variant.
    fn variant(&mut self, number: usize, variant: &Variant) {
        let bytes = variant.image.len();
        let _ = writeln!(
            self.text,
            "@image{number} = internal constant [{bytes} x i8] c\"{}\", align 16",
            escaped(&variant.image)
        );
        for symbol in &variant.symbols {
            let _ = writeln!(self.text, "declare void @\"{symbol}\"()");
        }
        let kernels: Vec<String> =
            variant.symbols.iter().map(|symbol| format!("ptr @\"{symbol}\"")).collect();
        let _ = writeln!(
            self.text,
            "@kernels{number} = internal constant [{} x ptr] [{}]",
            kernels.len(),
            kernels.join(", ")
        );
    }

    /// Emits the descriptor of the program for the runtime.
    fn program(&mut self, variants: &[Variant]) {
        let each = variants.iter().enumerate().map(|(number, variant)| {
            let (bytes, kernels) = (variant.image.len(), variant.symbols.len());
            format!("%variant {{ ptr @image{number}, i64 {bytes}, ptr @kernels{number}, i64 {kernels} }}")
        });
        let count = variants.len();
        let _ = writeln!(
            self.text,
            "@variants = internal constant [{count} x %variant] [{}]\n\
             @program = internal constant %linked {{ ptr @variants, i64 {count} }}",
            each.collect::<Vec<_>>().join(", ")
        );
    }

    /// Emits an exported function.
    fn function(&mut self, function: &Function) {
        let Function { name, result, params, body } = function;
        let result = ir_type(result.passed);
        let types: Vec<&str> = params.iter().map(|param| ir_type(param.passed)).collect();
        let mut code = Code { params, text: String::new(), arrays: 0 };
        match body {
            Body::Nothing if result == "void" => code.line("ret void"),
            Body::Nothing => code.line(&format!("ret {result} 0")),
            Body::Text(words) => {
                let (bytes, constant) = (words.len() + 1, format!("@{name}.text"));
                let _ = writeln!(
                    self.text,
                    "\n{constant} = internal constant [{bytes} x i8] c\"{}\\00\"",
                    escaped(words.as_bytes())
                );
                code.line(&format!("ret ptr {constant}"));
            }
            Body::Call(to, arguments) => {
                let call = self.call(&mut code, result, to, arguments);
                match result {
                    "void" => code.text += &format!("  {call}\n  ret void\n"),
                    _ => code.text += &format!("  %result = {call}\n  ret {result} %result\n"),
                }
            }
        }
        let _ = writeln!(
            self.text,
            "\ndefine {result} @{name}({}) nounwind uwtable {{\n{}}}",
            types.join(", "),
            code.text
        );
    }

    /// Emits a call of a runtime function, and declares the function at its first call.
    fn call(&mut self, code: &mut Code, result: &str, to: &'static str, arguments: &[Argument]) -> String {
        let given: Vec<String> = arguments.iter().map(|argument| code.argument(argument)).collect();
        let types: Vec<&str> = given.iter().filter_map(|argument| argument.split(' ').next()).collect();
        self.run_time.entry(to).or_insert(format!("{result} @{to}({})", types.join(", ")));
        format!("call {result} @{to}({})", given.join(", "))
    }
}

/// Code of a function under construction.
struct Code<'f> {
    params: &'f [Declared],
    text: String,
    /// Number of arrays made so far.
    arrays: usize,
}

impl Code<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    /// Returns an argument with its type.
    fn argument(&mut self, argument: &Argument) -> String {
        match argument {
            Argument::Program => "ptr @program".to_string(),
            Argument::Int(value) => format!("i32 {value}"),
            Argument::Size(value) => format!("i64 {value}"),
            Argument::Param(number) => self.param(*number),
            Argument::Sizes(params) => self.array("i64", params.clone(), Code::param),
            Argument::Places(params) => self.array("ptr", params.clone(), Code::place),
        }
    }

    fn param(&mut self, number: usize) -> String {
        format!("{} %{number}", ir_type(self.params[number].passed))
    }

    /// Returns a pointer parameter, or a pointer to any other parameter.
    fn place(&mut self, number: usize) -> String {
        let ty = ir_type(self.params[number].passed);
        if ty == "ptr" {
            return self.param(number);
        }
        self.line(&format!("%place{number} = alloca {ty}"));
        self.line(&format!("store {ty} %{number}, ptr %place{number}"));
        format!("ptr %place{number}")
    }

    /// Emits an array on the stack.
    fn array(&mut self, ty: &str, params: Range<usize>, element: fn(&mut Self, usize) -> String) -> String {
        let array = format!("%array{}", self.arrays);
        self.arrays += 1;
        self.line(&format!("{array} = alloca [{} x {ty}]", params.len()));
        for (index, param) in params.enumerate() {
            let value = element(self, param);
            self.line(&format!("{array}.{index} = getelementptr {ty}, ptr {array}, i64 {index}"));
            self.line(&format!("store {value}, ptr {array}.{index}"));
        }
        format!("ptr {array}")
    }
}

fn ir_type(passed: Passed) -> &'static str {
    match passed {
        Passed::Nothing => "void",
        Passed::Int => "i32",
        Passed::Word => "i64",
        Passed::Pointer => "ptr",
        Passed::Scalar(ty) => match ty {
            ValueType::Bool | ValueType::I8 | ValueType::U8 => "i8",
            ValueType::I16 | ValueType::U16 | ValueType::F16 => "i16",
            ValueType::I32 | ValueType::U32 => "i32",
            ValueType::I64 | ValueType::U64 => "i64",
            ValueType::F32 => "float",
            ValueType::F64 => "double",
        },
    }
}

/// Escapes bytes as in LLVM IR.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => text.push(char::from(byte)),
            _ => drop(write!(text, "\\{byte:02x}")),
        }
    }
    text
}
