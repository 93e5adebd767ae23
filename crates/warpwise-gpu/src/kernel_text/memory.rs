//! Loads, stores and atomic operations.
//!
//! OpenCL C 1.2 has atomic operations on 32-bit integers and, as an extension, 64-bit sums; CUDA has all of them for 64 bits, and
//! sums of floats. Operations that are missing for these widths are compare-and-swap loops. So are operations on narrower
//! elements, on the word that contains the element. Buffers and arenas begin and end with whole words; arrays in local memory
//! need not, and are a limit.

use warpwise_imp::{AtomicOp, KernelParam, Mem, Operand, Order, Reg, Space};
use warpwise_prim::{BinaryOp, Scalar, ScalarType};

use super::dialect::Dialect;
use super::printer::{Printed, Printer};
use super::survey::Elements;

impl Printer<'_> {
    /// Prints `dst = mem[index]`, or zero where the mask does not hold.
    pub fn load(&mut self, dst: Reg, mem: Mem, index: Operand, mask: Option<Operand>) -> Printed<()> {
        if let Some(element) = self.at_hand(mem, index) {
            return self.assign(dst, Some(element));
        }
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

    /// Prints `mem[index] = value` where the mask holds.
    pub fn store(
        &mut self,
        mem: Mem,
        index: Operand,
        value: Operand,
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Printed<()> {
        let element = match self.at_hand(mem, index) {
            Some(element) => element,
            None => self.element(mem, elem, index)?,
        };
        let line = format!("{element} = {};", self.operand(value));
        self.guarded(mask, &[line]);
        Ok(())
    }

    /// Prints `dst = src`, as pointers into one space.
    pub fn set_mem(&mut self, dst: Mem, src: Mem) -> Printed<()> {
        let space = |mem: Mem| self.dialect.space(self.kernel.mems[mem].space);
        if space(dst) != space(src) {
            return self.limit("a memory that lies in one of two address spaces");
        }
        // An array is declared with the type of its elements, a name for one of several memories with the type of bytes.
        let cast = if self.declared(src).is_some() {
            format!("({})", self.pointer(dst, false))
        } else {
            String::new()
        };
        let line = format!("{} = {cast}{};", self.mem(dst), self.mem(src));
        self.line(&line);
        Ok(())
    }

    /// Prints an atomic update of an element.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        (index, value): (Operand, Operand),
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Printed<()> {
        if elem.bytes() < 4 {
            return self.narrow_atomic(op, mem, (index, value), elem, mask);
        }
        self.wide_atomics |= elem.bytes() == 8;
        let word = if elem.bytes() == 8 { ScalarType::I64 } else { ScalarType::I32 };
        let text = self.operand(value);
        let lines = match native(op, elem, self.dialect) {
            Some((function, operand)) => {
                let (ty, value) = match operand {
                    Word::Signed => (self.dialect.ty(word), text),
                    Word::Unsigned => (self.dialect.unsigned(word), text),
                    Word::Float => (self.dialect.ty(elem), text),
                    Word::Bits => (self.dialect.ty(word), self.dialect.bits_as(word, &text)),
                };
                let place = self.word(mem, index, ty)?;
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

    /// Returns the address of a lock.
    pub fn place_of_lock(&self, mem: Mem, index: Operand) -> Printed<String> {
        self.word(mem, index, self.dialect.ty(ScalarType::I32))
    }

    /// Prints the increment of a counter, whose old value is `dst`.
    pub fn ticket(&mut self, dst: Reg, mem: Mem, index: Operand) -> Printed<()> {
        let place = self.word(mem, index, self.dialect.ty(ScalarType::I32))?;
        self.assign(dst, Some(format!("atomic_add({place}, 1)")))
    }

    /// Prints the store of a word. With `Released`, earlier writes are visible before it.
    pub fn publish(&mut self, (mem, index): (Mem, Operand), value: Operand, order: Order) -> Printed<()> {
        let place = self.word(mem, index, self.dialect.ty(self.operand_type(value)))?;
        let value = self.operand(value);
        match order {
            Order::Relaxed => self.line(&format!("*({place}) = {value};")),
            Order::Released => {
                self.line(self.dialect.fence());
                self.line(&format!("atomic_xchg({place}, {value});"));
            }
        }
        Ok(())
    }

    /// Prints a loop that waits for a nonzero word. With `Released`, writes before the word's release are visible afterwards.
    pub fn wait_for(&mut self, dst: Reg, (mem, index): (Mem, Operand), order: Order) -> Printed<()> {
        let place = self.word(mem, index, self.dialect.ty(self.scalar_type(dst)))?;
        self.line("do {");
        self.assign(dst, Some(format!("*({place})")))?;
        let word = self.reg(dst);
        self.line(&format!("}} while ({word} == 0);"));
        if order == Order::Released {
            self.line(self.dialect.fence());
        }
        Ok(())
    }

    /// Returns a loop that computes the new word from the old one until nobody has changed it meanwhile. An unchanged word is not
    /// written: minima and maxima are usually found long before all elements have been seen.
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
            format!("for ({word_ty} word = {};;) {{", self.dialect.peek(prefix, place)),
            format!("    const {ty} current = {current};"),
            format!("    const {ty} next = {new};"),
            format!("    const {word_ty} wanted = {swapped};"),
            format!(
                "    const {word_ty} found = wanted == word ? word : {prefix}_cmpxchg({place}, word, wanted);"
            ),
            "    if (found == word) {".to_string(),
            "        break;".to_string(),
            "    }".to_string(),
            "    word = found;".to_string(),
            "}".to_string(),
        ])
    }

    /// Prints an atomic update of an element that is a part of a word.
    fn narrow_atomic(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        (index, value): (Operand, Operand),
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Printed<()> {
        if self.kernel.mems[mem].space == Space::Local {
            return self.limit("atomic operations on elements of less than 32 bits in local memory");
        }
        let value = self.operand(value);
        let new = match op {
            AtomicOp::Exchange => Some(value),
            AtomicOp::Binary(op) => self.binary(op, elem, "current", &value),
        };
        let Some(new) = new else { return self.bug("an atomic operator on a type it does not take") };
        let (space, ty, bits) = (self.space_of(mem), self.dialect.ty(elem), self.dialect.unsigned(elem));
        let (start, index, size) = (self.mem(mem), self.operand(index), elem.bytes());
        let all = if size == 1 { "0xffu" } else { "0xffffu" };
        let word = self.dialect.peek("atomic", "place");
        let lines = [
            "{".to_string(),
            format!("    const long byte = {index} * {size};"),
            format!(
                "    volatile {space} int *place = (volatile {space} int *)(({space} uchar *){start} + (byte & ~3L));"
            ),
            "    const int shift = (int)(byte & 3) * 8;".to_string(),
            format!("    const uint others = ~({all} << shift);"),
            format!("    for (int word = {word};;) {{"),
            format!("        const {ty} current = ({ty})((uint)word >> shift);"),
            format!("        const {ty} next = {new};"),
            format!("        const int wanted = (int)((uint)word & others | (uint)({bits})next << shift);"),
            "        const int found = wanted == word ? word : atomic_cmpxchg(place, word, wanted);"
                .to_string(),
            "        if (found == word) {".to_string(),
            "            break;".to_string(),
            "        }".to_string(),
            "        word = found;".to_string(),
            "    }".to_string(),
            "}".to_string(),
        ];
        self.guarded(mask, &lines);
        Ok(())
    }

    /// Returns an element of a memory as an lvalue. Under a lock, an element in global memory is volatile: OpenCL's fences allow
    /// work-groups to keep it in their own caches.
    fn element(&self, mem: Mem, elem: ScalarType, index: Operand) -> Printed<String> {
        let (name, index) = (self.mem(mem), self.operand(index));
        if let Some(together) = self.slots.bytes_together(mem) {
            return Ok(self.interleaved(mem, elem, &index, together));
        }
        match self.survey.elements.get(&mem) {
            _ if self.lock.is_some() && self.kernel.mems[mem].space == Space::Global => {
                let (space, ty) = (self.space_of(mem), self.dialect.ty(elem));
                Ok(format!("((volatile {space} {ty} *){name})[{index}]"))
            }
            Some(Elements::One(ty)) if *ty == elem && self.declared(mem).is_none_or(|own| own == elem) => {
                Ok(format!("{name}[{index}]"))
            }
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

    /// Returns the address of an element as a pointer to a word of this type.
    fn word(&self, mem: Mem, index: Operand, ty: &str) -> Printed<String> {
        let space = self.space_of(mem);
        Ok(format!("(volatile {space} {ty} *){} + {}", self.mem(mem), self.operand(index)))
    }

    fn space_of(&self, mem: Mem) -> &'static str {
        self.dialect.space(self.kernel.mems[mem].space)
    }

    /// Prints lines that run only where the mask holds.
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

/// Returns the prefix of atomic functions on words of this type.
fn prefix(word: ScalarType) -> &'static str {
    if word == ScalarType::I64 { "atom" } else { "atomic" }
}

/// The form in which an atomic operation takes its operand.
#[derive(Clone, Copy)]
enum Word {
    Signed,
    Unsigned,
    Float,
    /// A float, as the integer with its bits.
    Bits,
}

/// Returns the atomic function for an operation on a word, if every device has one.
fn native(op: AtomicOp, elem: ScalarType, dialect: Dialect) -> Option<(&'static str, Word)> {
    let op = match op {
        AtomicOp::Exchange => return Some(("xchg", if elem.is_float() { Word::Bits } else { Word::Signed })),
        AtomicOp::Binary(op) => op,
    };
    let on_cuda = dialect == Dialect::Cuda;
    let (function, operand, wide_too) = match op {
        BinaryOp::FAdd if on_cuda => return Some(("add", Word::Float)),
        BinaryOp::Add => ("add", Word::Signed, true),
        BinaryOp::Sub => ("sub", Word::Signed, true),
        BinaryOp::And => ("and", Word::Signed, on_cuda),
        BinaryOp::Or => ("or", Word::Signed, on_cuda),
        BinaryOp::Xor => ("xor", Word::Signed, on_cuda),
        BinaryOp::SMin => ("min", Word::Signed, on_cuda),
        BinaryOp::SMax => ("max", Word::Signed, on_cuda),
        BinaryOp::UMin => ("min", Word::Unsigned, on_cuda),
        BinaryOp::UMax => ("max", Word::Unsigned, on_cuda),
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
    possible.then_some((function, operand))
}
