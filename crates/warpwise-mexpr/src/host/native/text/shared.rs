//! Shared values: ownership, blocks, and the representation of any value.

use super::super::super::code::Sort;
use super::super::super::object::CLASSES;
use super::super::super::value::tags;
use super::super::kinds::{Kind, Leaf, Shared};
use super::super::runtime::{Helper, length_at};
use super::{Scalar, Words, Writer};

/// Size in bytes of a block's head.
const HEAD: usize = 16;

impl Writer<'_> {
    /// Adds an owner to each of the words.
    pub(super) fn retain(&mut self, scalars: &[Scalar]) {
        for (index, Scalar { leaf, text }) in scalars.iter().enumerate() {
            match leaf {
                Leaf::Shared(Shared::Record | Shared::Con) => {
                    self.line(&format!("call void @retain(ptr {text})"))
                }
                Leaf::Shared(shared @ (Shared::Seq | Shared::Tensor)) => {
                    let bits = self.value(&format!("ptrtoint ptr {text} to i64"));
                    let tag = shared.tag();
                    self.line(&format!("call void @retain_other(ptr %context, i64 {tag}, i64 {bits})"));
                }
                Leaf::Tag => {
                    let bits = &scalars[index + 1].text;
                    self.line(&format!("call void @retain_any(ptr %context, i64 {text}, i64 {bits})"));
                }
                Leaf::Int | Leaf::Float | Leaf::Char | Leaf::Bool | Leaf::Bits => {}
            }
        }
    }

    /// Removes an owner from each of the words.
    pub(super) fn release(&mut self, scalars: &[Scalar]) {
        for (index, Scalar { leaf, text }) in scalars.iter().enumerate() {
            match leaf {
                Leaf::Shared(Shared::Record | Shared::Con) => {
                    self.line(&format!("call void @release(ptr %context, ptr {text})"));
                }
                Leaf::Shared(shared @ (Shared::Seq | Shared::Tensor)) => {
                    let bits = self.value(&format!("ptrtoint ptr {text} to i64"));
                    let tag = shared.tag();
                    self.line(&format!("call void @release_other(ptr %context, i64 {tag}, i64 {bits})"));
                }
                Leaf::Tag => {
                    let bits = &scalars[index + 1].text;
                    self.line(&format!("call void @release_any(ptr %context, i64 {text}, i64 {bits})"));
                }
                Leaf::Int | Leaf::Float | Leaf::Char | Leaf::Bool | Leaf::Bits => {}
            }
        }
    }

    /// Converts a value to a kind that includes its own; the result takes over the ownership.
    pub(super) fn convert(&mut self, words: Words, to: &Kind) -> Words {
        if words.kind == *to {
            return words;
        }
        match (&words.kind, to) {
            (Kind::Record(_, from), Kind::Record(_, parts)) => {
                let (from, parts) = (from.clone(), parts.clone());
                let mut scalars = words.scalars.into_iter();
                let mut converted = Vec::new();
                for (from, to) in from.iter().zip(parts.iter()) {
                    let scalars = scalars.by_ref().take(from.leaves().len()).collect();
                    converted.extend(self.convert(Words { kind: from.clone(), scalars }, to).scalars);
                }
                Words { kind: to.clone(), scalars: converted }
            }
            (Kind::Record(..), Kind::Shared(Shared::Record)) => self.record(words),
            (_, Kind::Any) => self.any(words),
            (from, to) => unreachable!("{to:?} does not include {from:?}"),
        }
    }

    /// Makes a block of the fields of a record.
    fn record(&mut self, words: Words) -> Words {
        let Kind::Record(shape, kinds) = words.kind else { unreachable!("it is a record") };
        let mut scalars = words.scalars.into_iter();
        let fields = kinds.iter().map(|kind| {
            let scalars = scalars.by_ref().take(kind.leaves().len()).collect();
            Words { kind: kind.clone(), scalars }
        });
        let fields: Vec<Words> = fields.collect();
        self.block(Shared::Record, shape.0, fields)
    }

    /// Makes a new block, which owns these values.
    pub(super) fn block(&mut self, shared: Shared, id: u32, values: Vec<Words>) -> Words {
        let values: Vec<Words> = values.into_iter().map(|value| self.any(value)).collect();
        let n = values.len();
        let take = if n <= CLASSES { "take" } else { "take_slowly" };
        let block = self.value(&format!("call ptr @{take}(ptr %context, i64 {n})"));
        self.line(&format!("store i64 1, ptr {block}"));
        let place = self.value(&format!("getelementptr i8, ptr {block}, i64 8"));
        self.line(&format!("store i64 {}, ptr {place}", u64::from(id) | (n as u64) << 32));
        for (index, value) in values.iter().enumerate() {
            let place = self.value(&format!("getelementptr i8, ptr {block}, i64 {}", HEAD + 16 * index));
            self.write(&place, value);
        }
        Words {
            kind: Kind::Shared(shared),
            scalars: vec![Scalar { leaf: Leaf::Shared(shared), text: block }],
        }
    }

    /// Writes a value of kind `Any` to memory.
    pub(super) fn write(&mut self, place: &str, value: &Words) {
        let [tag, bits] = &*value.scalars else { unreachable!("any value has two words") };
        let byte = self.value(&format!("trunc i64 {} to i8", tag.text));
        self.line(&format!("store i8 {byte}, ptr {place}"));
        let place = self.value(&format!("getelementptr i8, ptr {place}, i64 8"));
        self.line(&format!("store i64 {}, ptr {place}", bits.text));
    }

    /// Reads a value of kind `Any` from memory.
    pub(super) fn read(&mut self, place: &str) -> Words {
        let byte = self.value(&format!("load i8, ptr {place}"));
        let tag = self.value(&format!("zext i8 {byte} to i64"));
        let place = self.value(&format!("getelementptr i8, ptr {place}, i64 8"));
        let bits = self.value(&format!("load i64, ptr {place}"));
        any_of(tag, bits)
    }

    /// Converts a value to the kind `Any`.
    pub(super) fn any(&mut self, words: Words) -> Words {
        match &words.kind {
            Kind::Any => words,
            Kind::Unit => any_of(tags::UNIT.to_string(), "0".to_string()),
            Kind::Record(..) => {
                let record = self.record(words);
                self.any(record)
            }
            Kind::Scalar(_) | Kind::Shared(_) => {
                let Scalar { leaf, text } = &words.scalars[0];
                let bits = match leaf {
                    Leaf::Int | Leaf::Tag | Leaf::Bits => text.clone(),
                    Leaf::Float => self.value(&format!("bitcast double {text} to i64")),
                    Leaf::Char | Leaf::Bool => self.value(&format!("zext {} {text} to i64", leaf.ty())),
                    Leaf::Shared(_) => self.value(&format!("ptrtoint ptr {text} to i64")),
                };
                any_of(leaf.value_tag().to_string(), bits)
            }
            Kind::Function(..) | Kind::Builtin(..) => unreachable!("functions are no values here"),
        }
    }

    /// Converts a value to a kind that it must have; gives up if it does not have that kind.
    pub(super) fn narrow(&mut self, words: Words, to: &Kind) -> Words {
        let leaf = match to {
            _ if words.kind == *to => return words,
            Kind::Unit => return Words { kind: Kind::Unit, scalars: Vec::new() },
            Kind::Scalar(leaf) => *leaf,
            Kind::Shared(shared) => Leaf::Shared(*shared),
            to => unreachable!("{to:?} is not narrower than any value"),
        };
        let is_other = self.value(&format!("icmp ne i64 {}, {}", words.scalars[0].text, leaf.value_tag()));
        self.give_up_if(&is_other);
        Words { kind: to.clone(), scalars: vec![self.word(&words, leaf)] }
    }

    /// Converts a value of kind `Any` to a kind that it is known to have.
    pub(super) fn known(&mut self, words: &Words, to: &Kind) -> Words {
        let scalars = match to {
            Kind::Any => words.scalars.clone(),
            to => to.leaves().into_iter().map(|leaf| self.word(words, leaf)).collect(),
        };
        Words { kind: to.clone(), scalars }
    }

    /// Returns the word of a value of kind `Any` that is known to have this type.
    pub(super) fn word(&mut self, words: &Words, leaf: Leaf) -> Scalar {
        let bits = words.scalars[1].text.clone();
        let text = match leaf {
            Leaf::Int | Leaf::Tag | Leaf::Bits => bits,
            Leaf::Float => self.value(&format!("bitcast i64 {bits} to double")),
            // Memory with a character or a truth value has arbitrary bytes beside it.
            Leaf::Char | Leaf::Bool => self.value(&format!("trunc i64 {bits} to {}", leaf.ty())),
            Leaf::Shared(_) => self.value(&format!("inttoptr i64 {bits} to ptr")),
        };
        Scalar { leaf, text }
    }

    /// Reads a value of a block and adds an owner; the block keeps its ownership.
    pub(super) fn part(&mut self, block: &Scalar, index: u32, sort: &Sort) -> Words {
        let place = HEAD as u64 + 16 * u64::from(index);
        let place = self.value(&format!("getelementptr i8, ptr {}, i64 {place}", block.text));
        let any = self.read(&place);
        let words = self.narrow(any, &Kind::read(sort));
        self.retain(&words.scalars);
        words
    }

    /// Gives up unless a record has a field.
    pub(super) fn check_field(&mut self, record: &Scalar, field: u32) {
        let place = self.value(&format!("getelementptr i8, ptr {}, i64 12", record.text));
        let n = self.value(&format!("load i32, ptr {place}"));
        let is_beyond = self.value(&format!("icmp ule i32 {n}, {field}"));
        self.give_up_if(&is_beyond);
    }

    /// Returns the length of a sequence; an empty one has no address.
    pub(super) fn length(&mut self, seq: &Scalar) -> String {
        let is_empty = self.value(&format!("icmp eq ptr {}, null", seq.text));
        let place = self.value(&format!("getelementptr i8, ptr {}, i64 {}", seq.text, length_at()));
        let place = self.value(&format!("select i1 {is_empty}, ptr @zero, ptr {place}"));
        self.value(&format!("load i64, ptr {place}"))
    }

    /// Reads an element of a sequence; returns its place, and whether it exists.
    pub(super) fn element(&mut self, seq: &Scalar, index: &str) -> (String, String) {
        let cell = self.cell(0);
        let bits = self.value(&format!("ptrtoint ptr {} to i64", seq.text));
        let is_there = self.help(Helper::Item, "i64", &format!("i64 {bits}, i64 {index}, ptr {cell}"));
        (cell, is_there)
    }

    /// Writes values to memory, one after the other; returns the address of the first.
    pub(super) fn write_all(&mut self, values: Vec<Words>) -> String {
        let first = self.cell(0);
        for (index, value) in values.into_iter().enumerate() {
            let value = self.any(value);
            let place = self.cell(index);
            self.write(&place, &value);
        }
        first
    }
}

fn any_of(tag: String, bits: String) -> Words {
    let scalars = vec![Scalar { leaf: Leaf::Tag, text: tag }, Scalar { leaf: Leaf::Bits, text: bits }];
    Words { kind: Kind::Any, scalars }
}

/// Returns the sequence at an address.
pub(super) fn seq_at(writer: &mut Writer<'_>, bits: &str) -> Words {
    let text = writer.value(&format!("inttoptr i64 {bits} to ptr"));
    Words { kind: Kind::SEQ, scalars: vec![Scalar { leaf: Leaf::Shared(Shared::Seq), text }] }
}

impl Leaf {
    /// Returns the tag of this kind in a value.
    pub(super) fn value_tag(self) -> u8 {
        match self {
            Leaf::Int => tags::INT,
            Leaf::Float => tags::FLOAT,
            Leaf::Char => tags::CHAR,
            Leaf::Bool => tags::BOOL,
            Leaf::Shared(shared) => shared.tag(),
            Leaf::Tag | Leaf::Bits => unreachable!("a part of any value is no value"),
        }
    }
}
