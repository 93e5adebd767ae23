//! Built-ins on scalars as text of LLVM IR, with the same results as on the machine.

use crate::builtins::{ALL, Builtin};

use super::kinds::Leaf;
use super::text::{Scalar, Writer, context};

/// Applies a built-in to the scalars that it takes.
pub(super) fn scalar(writer: &mut Writer<'_>, builtin: Builtin, arguments: &[Scalar]) -> Scalar {
    let leaf = super::infer::scalars(builtin).map_or(Leaf::Int, |(_, result)| result);
    let text = match arguments {
        [a] => unary(writer, builtin, &a.text),
        [a, b] => binary(writer, builtin, &a.text, &b.text),
        _ => None,
    };
    Scalar { leaf, text: text.expect("a built-in of one or two scalars") }
}

fn unary(writer: &mut Writer<'_>, builtin: Builtin, a: &str) -> Option<String> {
    use Builtin as B;
    let operation = match builtin {
        B::Negi => format!("sub i64 0, {a}"),
        B::Negf => format!("fneg double {a}"),
        B::Floorfi => return Some(whole(writer, "floor", a)),
        B::Ceilfi => return Some(whole(writer, "ceil", a)),
        B::Roundfi => return Some(whole(writer, "round", a)),
        B::IntToFloat => format!("sitofp i64 {a} to double"),
        B::CharToInt => format!("zext i32 {a} to i64"),
        B::IntToChar => return Some(char(writer, a)),
        B::ExternalSqrt => format!("call double @llvm.sqrt.f64(double {a})"),
        B::ExternalExp | B::ExternalLog | B::ExternalAtan | B::ExternalSin | B::ExternalCos => {
            return Some(mathematics(writer, builtin, a, "0.0"));
        }
        _ => return None,
    };
    Some(writer.value(&operation))
}

fn binary(writer: &mut Writer<'_>, builtin: Builtin, a: &str, b: &str) -> Option<String> {
    use Builtin as B;
    let operation = match builtin {
        B::Addi => "add i64",
        B::Subi => "sub i64",
        B::Muli => "mul i64",
        B::Lti => "icmp slt i64",
        B::Leqi => "icmp sle i64",
        B::Gti => "icmp sgt i64",
        B::Geqi => "icmp sge i64",
        B::Eqi => "icmp eq i64",
        B::Neqi => "icmp ne i64",
        B::Eqc => "icmp eq i32",
        B::Addf => "fadd double",
        B::Subf => "fsub double",
        B::Mulf => "fmul double",
        B::Divf => "fdiv double",
        B::Ltf => "fcmp olt double",
        B::Leqf => "fcmp ole double",
        B::Gtf => "fcmp ogt double",
        B::Geqf => "fcmp oge double",
        B::Eqf => "fcmp oeq double",
        B::Neqf => "fcmp une double",
        B::Divi | B::Modi => return Some(division(writer, builtin, a, b)),
        B::Slli | B::Srli | B::Srai => return Some(shift(writer, builtin, a, b)),
        B::ExternalAtan2 | B::ExternalPow => return Some(mathematics(writer, builtin, a, b)),
        _ => return None,
    };
    Some(writer.value(&format!("{operation} {a}, {b}")))
}

/// Divides; gives up if the divisor is 0. LLVM leaves the least integer divided by -1 undefined.
fn division(writer: &mut Writer<'_>, builtin: Builtin, a: &str, b: &str) -> String {
    let is_zero = writer.value(&format!("icmp eq i64 {b}, 0"));
    writer.give_up_if(&is_zero);
    let is_minus_one = writer.value(&format!("icmp eq i64 {b}, -1"));
    let divisor = writer.value(&format!("select i1 {is_minus_one}, i64 1, i64 {b}"));
    if builtin == Builtin::Modi {
        return writer.value(&format!("srem i64 {a}, {divisor}"));
    }
    let quotient = writer.value(&format!("sdiv i64 {a}, {divisor}"));
    let negated = writer.value(&format!("sub i64 0, {a}"));
    writer.value(&format!("select i1 {is_minus_one}, i64 {negated}, i64 {quotient}"))
}

/// Shifts; a shift by 64 or more, or by less than 0, shifts all bits out.
fn shift(writer: &mut Writer<'_>, builtin: Builtin, a: &str, by: &str) -> String {
    let fits = writer.value(&format!("icmp ult i64 {by}, 64"));
    let most = if builtin == Builtin::Srai { "63" } else { "0" };
    let amount = writer.value(&format!("select i1 {fits}, i64 {by}, i64 {most}"));
    let operation = match builtin {
        Builtin::Slli => "shl",
        Builtin::Srli => "lshr",
        _ => return writer.value(&format!("ashr i64 {a}, {amount}")),
    };
    let shifted = writer.value(&format!("{operation} i64 {a}, {amount}"));
    writer.value(&format!("select i1 {fits}, i64 {shifted}, i64 0"))
}

/// Rounds a float to an integer, with saturation.
fn whole(writer: &mut Writer<'_>, how: &str, a: &str) -> String {
    let rounded = writer.value(&format!("call double @llvm.{how}.f64(double {a})"));
    writer.value(&format!("call i64 @llvm.fptosi.sat.i64.f64(double {rounded})"))
}

/// Converts an integer to a character; gives up if there is no such character.
fn char(writer: &mut Writer<'_>, a: &str) -> String {
    let is_beyond = writer.value(&format!("icmp ugt i64 {a}, {}", u32::from(char::MAX)));
    let after_gap = writer.value(&format!("sub i64 {a}, {}", 0xD800));
    let in_gap = writer.value(&format!("icmp ult i64 {after_gap}, {}", 0xE000 - 0xD800));
    let is_none = writer.value(&format!("or i1 {is_beyond}, {in_gap}"));
    writer.give_up_if(&is_none);
    writer.value(&format!("trunc i64 {a} to i32"))
}

/// Calls the world's mathematical function.
fn mathematics(writer: &mut Writer<'_>, builtin: Builtin, a: &str, b: &str) -> String {
    let function = writer.context_field(context::MATHEMATICS, "ptr");
    let world = writer.context_field(context::WORLD, "ptr");
    let number = ALL.iter().position(|other| *other == builtin).expect("all built-ins are there");
    writer.value(&format!("call double {function}(ptr {world}, i32 {number}, double {a}, double {b})"))
}
