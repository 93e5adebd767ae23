//! Loads, stores and atomic operations.
//!
//! OpenCL C 1.2 has atomic operations on integers of 32 and, as an extension, 64 bits. What it lacks for those widths
//! (operators on floats, products, minima of 64 bits) is a compare-and-swap loop; narrower elements are a limit.

use warpwise_imp::{AtomicOp, KernelParam, Mem, Operand, Reg};
use warpwise_prim::{BinaryOp, Scalar, ScalarType};

use super::printer::{Printed, Printer};
use super::survey::Elements;

impl Printer<'_> {
    /// `dst = mem[index]`, or zero where the mask does not hold.
    pub fn load(&mut self, dst: Reg, mem: Mem, index: Operand, mask: Option<Operand>) -> Printed<()> {
        let element = self.element(mem, self.scalar_type(dst), index)?;
        let value = match mask {
            None => element,
            Some(mask) => {
                let zero = self.operand(Scalar::zero(self.scalar_type(dst)).into());
                format!("{} ? {element} : {zero}", self.operand(mask))
            }
        };
        self.assign(dst, Some(value))
    }

    /// `mem[index] = value`, where the mask holds.
    pub fn store(
        &mut self,
        mem: Mem,
        index: Operand,
        value: Operand,
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Printed<()> {
        let line = format!("{} = {};", self.element(mem, elem, index)?, self.operand(value));
        self.guarded(mask, &[line]);
        Ok(())
    }

    /// `dst = src`, as pointers into one space.
    pub fn set_mem(&mut self, dst: Mem, src: Mem) -> Printed<()> {
        let space = |mem: Mem| self.dialect.space(self.kernel.mems[mem].space);
        if space(dst) != space(src) {
            return self.limit("a memory that lies in one of two address spaces");
        }
        let line = format!("{} = {};", self.mem(dst), self.mem(src));
        self.line(&line);
        Ok(())
    }

    /// Combines a value into an element.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        (index, value): (Operand, Operand),
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Printed<()> {
        if elem.bytes() < 4 {
            return self.limit("atomic operations on elements of less than 32 bits");
        }
        self.wide_atomics |= elem.bytes() == 8;
        let word = if elem.bytes() == 8 { ScalarType::I64 } else { ScalarType::I32 };
        let text = self.operand(value);
        let lines = match native(op, elem) {
            Some((function, unsigned)) => {
                let place = self.word(
                    mem,
                    index,
                    if unsigned { self.dialect.unsigned(word) } else { self.dialect.ty(word) },
                )?;
                let value = if elem.is_float() { self.dialect.bits_as(word, &text) } else { text };
                vec![format!("{}_{function}({place}, {value});", prefix(word))]
            }
            None => {
                let place = self.word(mem, index, self.dialect.ty(word))?;
                self.swap_loop(op, &place, (elem, word), &text)?
            }
        };
        self.guarded(mask, &lines);
        Ok(())
    }

    /// Computes the new word from the old one until nobody has changed it meanwhile.
    fn swap_loop(
        &mut self,
        op: AtomicOp,
        place: &str,
        (elem, word): (ScalarType, ScalarType),
        value: &str,
    ) -> Printed<Vec<String>> {
        let AtomicOp::Binary(op) = op else { return self.bug("an exchange is one operation") };
        let (ty, word_ty, prefix) = (self.dialect.ty(elem), self.dialect.ty(word), prefix(word));
        let (mut current, mut swapped) = ("word".to_string(), "next".to_string());
        if elem.is_float() {
            current = self.dialect.bits_as(elem, &current);
            swapped = self.dialect.bits_as(word, &swapped);
        }
        let Some(new) = self.binary(op, elem, "current", value) else {
            return self.bug("an atomic operator on a type it does not take");
        };
        Ok(vec![
            "for (;;) {".to_string(),
            format!("    const {word_ty} word = {prefix}_add({place}, 0);"),
            format!("    const {ty} current = {current};"),
            format!("    const {ty} next = {new};"),
            format!("    if ({prefix}_cmpxchg({place}, word, {swapped}) == word) {{"),
            "        break;".to_string(),
            "    }".to_string(),
            "}".to_string(),
        ])
    }

    /// An element of a memory as a place.
    fn element(&self, mem: Mem, elem: ScalarType, index: Operand) -> Printed<String> {
        let (name, index) = (self.mem(mem), self.operand(index));
        match self.survey.elements.get(&mem) {
            Some(Elements::One(ty)) if *ty == elem => Ok(format!("{name}[{index}]")),
            Some(Elements::One(_) | Elements::Several) | None => {
                let (space, ty) = (self.space_of(mem), self.dialect.ty(elem));
                let read_only = self.kernel.params.iter().any(
                    |param| matches!(param, KernelParam::Memory { mem: own, read_only: true, .. } if *own == mem),
                );
                let constant = if read_only { "const " } else { "" };
                Ok(format!("(({space} {constant}{ty} *){name})[{index}]"))
            }
        }
    }

    /// The address of an element, as that of a word of this type.
    fn word(&self, mem: Mem, index: Operand, ty: &str) -> Printed<String> {
        let space = self.space_of(mem);
        Ok(format!("(volatile {space} {ty} *){} + {}", self.mem(mem), self.operand(index)))
    }

    fn space_of(&self, mem: Mem) -> &'static str {
        self.dialect.space(self.kernel.mems[mem].space)
    }

    /// Lines that are run where the mask holds.
    fn guarded(&mut self, mask: Option<Operand>, lines: &[String]) {
        let Some(mask) = mask else {
            lines.iter().for_each(|line| self.line(line));
            return;
        };
        let head = format!("if ({}) {{", self.operand(mask));
        self.line(&head);
        lines.iter().for_each(|line| self.line(&format!("    {line}")));
        self.line("}");
    }
}

/// What the names of atomic functions on words of this type begin with.
fn prefix(word: ScalarType) -> &'static str {
    if word == ScalarType::I64 { "atom" } else { "atomic" }
}

/// The function that does an operation on a word in one go, where every device has it, and whether it takes
/// the word as unsigned.
fn native(op: AtomicOp, elem: ScalarType) -> Option<(&'static str, bool)> {
    let op = match op {
        AtomicOp::Exchange => return Some(("xchg", false)),
        AtomicOp::Binary(op) => op,
    };
    let (function, unsigned, wide_too) = match op {
        BinaryOp::Add => ("add", false, true),
        BinaryOp::Sub => ("sub", false, true),
        BinaryOp::And => ("and", false, false),
        BinaryOp::Or => ("or", false, false),
        BinaryOp::Xor => ("xor", false, false),
        BinaryOp::SMin => ("min", false, false),
        BinaryOp::SMax => ("max", false, false),
        BinaryOp::UMin => ("min", true, false),
        BinaryOp::UMax => ("max", true, false),
        BinaryOp::Mul
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SDiv
        | BinaryOp::SMod
        | BinaryOp::SQuot
        | BinaryOp::SRem
        | BinaryOp::UDiv
        | BinaryOp::UMod
        | BinaryOp::Pow
        | BinaryOp::UPow
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMod
        | BinaryOp::FRem
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::FPow
        | BinaryOp::Atan2
        | BinaryOp::Atan2Pi
        | BinaryOp::Hypot
        | BinaryOp::CopySign
        | BinaryOp::NextAfter
        | BinaryOp::LdExp => return None,
    };
    let possible = elem == ScalarType::I32 || elem == ScalarType::I64 && wide_too;
    possible.then_some((function, unsigned))
}
