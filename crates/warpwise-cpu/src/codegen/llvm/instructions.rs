//! Instructions, each with the types of its operands and its result.

use std::fmt;

use super::opcodes::{Cast, Intrinsic, Opcode, Predicate, Total, cast};
use super::text::Text;
use super::types::{Address, Any, Bit, Element, Float, Int, Kind, Lanes, Many, One, Precision, Shape, Type};
use super::values::{Argument, Condition, Data, Pointer, Scalar, Shaped, Value, Vector};
use crate::codegen::Emitted;

/// A stack slot for values of one type.
#[derive(Clone)]
pub(in crate::codegen) struct Slot<K: Kind, S: Shape = Lanes> {
    pub place: Pointer,
    pub ty: Type<K, S>,
}

/// Numbers.
impl Text<'_> {
    pub fn binary<K: Kind, S: Shape>(
        &mut self,
        opcode: Opcode<K>,
        x: &Value<K, S>,
        y: &Value<K, S>,
    ) -> Value<K, S> {
        self.value(x.ty, format_args!("{opcode} {x}, {}", y.text))
    }

    /// Like [`Text::binary`], with a constant on the right.
    pub fn binary_int<S: Shape>(&mut self, opcode: Opcode<Int>, x: &Value<Int, S>, y: i64) -> Value<Int, S> {
        self.binary(opcode, x, &x.ty.constant(y))
    }

    pub fn intrinsic<K: Kind, S: Shape, const N: usize>(
        &mut self,
        name: Intrinsic<K, N>,
        args: [&Value<K, S>; N],
    ) -> Value<K, S> {
        let name = format!("llvm.{name}.{}", args[0].ty.suffix());
        self.call(args[0].ty, &name, &args.map(|arg| arg as &dyn Argument), "")
    }

    pub fn total<S: Shape>(&mut self, name: Total, x: &Value<Int, S>) -> Value<Int, S> {
        let name = format!("llvm.{name}.{}", x.ty.suffix());
        self.call(x.ty, &name, &[x, &Type::BIT.constant(false)], "")
    }

    /// Converts `x` to another element type; emits nothing if it has that type already.
    pub fn cast<From: Kind, To: Kind, S: Shape>(
        &mut self,
        opcode: Cast<From, To>,
        x: &Value<From, S>,
        element: To::Element,
    ) -> Value<To, S> {
        let ty = x.ty.of::<To>(element);
        if From::element(x.ty.element) == To::element(element) {
            return x.seen_as(element);
        }
        self.value(ty, format_args!("{opcode} {x} to {ty}"))
    }

    /// Returns the bits of floats.
    pub fn bits<S: Shape>(&mut self, x: &Value<Float, S>) -> Value<Int, S> {
        self.cast(cast::FLOAT_TO_BITS, x, x.ty.bits())
    }

    /// Returns the floats with these bits.
    pub fn float_of_bits<S: Shape>(&mut self, bits: &Value<Int, S>, precision: Precision) -> Value<Float, S> {
        self.cast(cast::BITS_TO_FLOAT, bits, precision)
    }

    /// Returns the bits of values of any kind.
    pub fn any_bits<S: Shape>(&mut self, x: &Value<Any, S>) -> Emitted<Value<Int, S>> {
        Ok(match x.data()? {
            Data::Int(x) => x,
            Data::Float(x) => self.bits(&x),
            Data::Bit(x) => x.as_ints(),
        })
    }

    /// Returns the values of any kind with these bits.
    pub fn any_of_bits<S: Shape>(
        &mut self,
        bits: &Value<Int, S>,
        element: Element,
    ) -> Emitted<Value<Any, S>> {
        match element {
            Element::Int(_) | Element::Float(_) => {
                Ok(self.recast(&bits.seen_as(Element::Int(bits.ty.element)), element))
            }
            Element::Bit => Ok(bits.seen_as(Element::Bit)),
            Element::Address => Err("the bits of an address are no number".into()),
        }
    }

    /// Reinterprets the bits as integers or floats of the same width.
    pub fn recast<S: Shape>(&mut self, x: &Value<Any, S>, element: Element) -> Value<Any, S> {
        if x.ty.element == element {
            return x.clone();
        }
        let ty = x.ty.of(element);
        self.value(ty, format_args!("bitcast {x} to {ty}"))
    }

    /// Divides the bits of a vector into lanes of another width.
    pub fn regroup(&mut self, x: &Value<Int>, ty: Type<Int>) -> Value<Int> {
        self.value(ty, format_args!("bitcast {x} to {ty}"))
    }
}

/// Truth values.
impl Text<'_> {
    pub fn compare<K: Kind, S: Shape>(
        &mut self,
        predicate: Predicate<K>,
        x: &Value<K, S>,
        y: &Value<K, S>,
    ) -> Value<Bit, S> {
        let instruction = match K::element(x.ty.element) {
            Element::Float(_) => "fcmp",
            Element::Int(_) | Element::Bit | Element::Address => "icmp",
        };
        self.value(x.ty.of(()), format_args!("{instruction} {predicate} {x}, {}", y.text))
    }

    pub fn compare_int<S: Shape>(
        &mut self,
        predicate: Predicate<Int>,
        x: &Value<Int, S>,
        y: i64,
    ) -> Value<Bit, S> {
        self.compare(predicate, x, &x.ty.constant(y))
    }

    pub fn compare_float<S: Shape>(
        &mut self,
        predicate: Predicate<Float>,
        x: &Value<Float, S>,
        y: f64,
    ) -> Value<Bit, S> {
        self.compare(predicate, x, &x.ty.constant(y))
    }

    pub fn is_null(&mut self, pointer: &Pointer) -> Condition {
        self.value(Type::BIT, format_args!("icmp eq {pointer}, null"))
    }

    /// Selects `x` where the condition holds, otherwise `y`; a scalar condition selects for all lanes.
    pub fn select<K: Kind, S: Shape, C: Shape>(
        &mut self,
        cond: &Value<Bit, C>,
        x: &Value<K, S>,
        y: &Value<K, S>,
    ) -> Value<K, S> {
        self.value(x.ty, format_args!("select {cond}, {x}, {y}"))
    }

    pub fn and<S: Shape>(&mut self, x: &Value<Bit, S>, y: &Value<Bit, S>) -> Value<Bit, S> {
        self.value(x.ty, format_args!("and {x}, {}", y.text))
    }

    pub fn or<S: Shape>(&mut self, x: &Value<Bit, S>, y: &Value<Bit, S>) -> Value<Bit, S> {
        self.value(x.ty, format_args!("or {x}, {}", y.text))
    }

    pub fn xor<S: Shape>(&mut self, x: &Value<Bit, S>, y: &Value<Bit, S>) -> Value<Bit, S> {
        self.value(x.ty, format_args!("xor {x}, {}", y.text))
    }

    /// Converts a truth value to 1, or -1 with `SEXT`, if it holds, otherwise to 0.
    pub fn number<S: Shape>(
        &mut self,
        opcode: Cast<Int, Int>,
        x: &Value<Bit, S>,
        bits: u32,
    ) -> Value<Int, S> {
        self.cast(opcode, &x.as_ints(), bits)
    }

    /// Computes whether integers are odd.
    pub fn low_bit<S: Shape>(&mut self, x: &Value<Int, S>) -> Value<Bit, S> {
        let low = self.cast(cast::TRUNC, x, 1);
        low.seen_as(())
    }

    /// Packs the lanes of a mask into the bits of one integer.
    pub fn packed<S: Shape>(&mut self, mask: &Value<Bit, S>) -> Scalar<Int> {
        if !mask.ty.is_vector() {
            return mask.seen_as(1);
        }
        let ty = Type::int(mask.ty.lanes);
        self.value(ty, format_args!("bitcast {mask} to {ty}"))
    }
}

/// Lanes.
impl Text<'_> {
    /// Broadcasts a scalar to `lanes` lanes; leaves a vector unchanged.
    pub fn splat<K: Kind, S: Shape>(&mut self, x: &Value<K, S>, lanes: u32) -> Value<K> {
        if lanes == 1 || x.ty.is_vector() {
            return x.lanewise();
        }
        self.fill(&x.seen_as(x.ty.element), Type::new(x.ty.element, lanes)).lanewise()
    }

    /// Broadcasts a scalar to the lanes of a vector.
    pub fn fill<K: Kind>(&mut self, x: &Scalar<K>, ty: Type<K, Many>) -> Vector<K> {
        let first = self.value(ty, format_args!("insertelement {ty} poison, {x}, i64 0"));
        let zeros = format_args!("<{} x i32> zeroinitializer", ty.lanes);
        self.value(ty, format_args!("shufflevector {first}, {ty} poison, {zeros}"))
    }

    pub fn extract<K: Kind>(&mut self, x: &Vector<K>, lane: &Scalar<Int>) -> Scalar<K> {
        self.value(x.ty.lane(), format_args!("extractelement {x}, {lane}"))
    }

    pub fn insert<K: Kind>(&mut self, x: &Vector<K>, value: &Scalar<K>, lane: &Scalar<Int>) -> Vector<K> {
        self.value(x.ty, format_args!("insertelement {x}, {value}, {lane}"))
    }

    /// Shuffles: lane `i` of the result is lane `lanes[i]` of `x` followed by `y`. All three are vectors or, with a single lane,
    /// scalars.
    pub fn shuffle<K: Kind>(&mut self, x: &Value<K>, y: &Value<K>, lanes: &[u32]) -> Value<K> {
        if let [only] = lanes {
            let (from, lane) = if *only < x.ty.lanes { (x, *only) } else { (y, *only - x.ty.lanes) };
            return self.lane(from, lane).lanewise();
        }
        let ty = x.ty.with_lanes(lanes.len() as u32);
        let (x, y) = (self.as_vector(x), self.as_vector(y));
        let mask: Vec<String> = lanes.iter().map(|lane| format!("i32 {lane}")).collect();
        self.value(ty, format_args!("shufflevector {x}, {y}, <{} x i32> <{}>", lanes.len(), mask.join(", ")))
    }

    /// Returns one lane of a vector, or a scalar itself.
    pub fn lane<K: Kind>(&mut self, x: &Value<K>, lane: u32) -> Scalar<K> {
        match x.shape() {
            Shaped::One(x) => x,
            Shaped::Many(x) => self.extract(&x, &Type::I64.constant(lane.into())),
        }
    }

    /// Replaces one lane of a vector, or a scalar as a whole.
    pub fn insert_lane<K: Kind>(&mut self, x: &Value<K>, value: &Scalar<K>, lane: u32) -> Value<K> {
        match x.shape() {
            Shaped::One(_) => value.lanewise(),
            Shaped::Many(x) => self.insert(&x, value, &Type::I64.constant(lane.into())).lanewise(),
        }
    }

    /// Returns the text of an operand with its type; a scalar becomes a vector of one lane.
    fn as_vector<K: Kind>(&mut self, x: &Value<K>) -> String {
        if x.ty.is_vector() {
            return x.to_string();
        }
        let vector = self.value(x.ty, format_args!("insertelement <1 x {}> poison, {x}, i64 0", x.ty));
        format!("<1 x {}> {}", x.ty, vector.text)
    }
}

/// Memory. `notes` follows an access: its alignment and metadata, each after a comma.
impl Text<'_> {
    pub fn slot<K: Kind, S: Shape>(&mut self, ty: Type<K, S>) -> Slot<K, S> {
        Slot { place: self.alloca(format_args!("{ty}")), ty }
    }

    /// Allocates stack space for `count` integers of 64 bits.
    pub fn array(&mut self, count: usize) -> Pointer {
        self.alloca(format_args!("[{count} x i64]"))
    }

    pub fn read<K: Kind, S: Shape>(&mut self, slot: &Slot<K, S>) -> Value<K, S> {
        self.load(slot.ty, &slot.place, "")
    }

    pub fn write<K: Kind, S: Shape>(&mut self, slot: &Slot<K, S>, value: &Value<K, S>) {
        self.store(value, &slot.place, "");
    }

    /// Returns the address of a table of constants.
    pub fn constant(&mut self, name: &str, words: &[u64]) -> Pointer {
        self.module.constant(name, words);
        Value::new(format!("@{name}"), Type::POINTER)
    }

    /// Returns the address `index` elements after `base`, for each lane if `index` is a vector.
    pub fn offset<S: Shape>(
        &mut self,
        base: &Pointer,
        unit: Element,
        index: &Value<Int, S>,
        in_bounds: bool,
    ) -> Value<Address, S> {
        let keyword = if in_bounds { " inbounds" } else { "" };
        self.value(index.ty.of(()), format_args!("getelementptr{keyword} {unit}, {base}, {index}"))
    }

    /// Returns the address `bytes` bytes after `base`, which need not be in the block.
    pub fn further(&mut self, base: &Pointer, bytes: i64) -> Pointer {
        self.offset(base, Element::Int(8), &Type::I64.constant(bytes), false)
    }

    pub fn load<K: Kind, S: Shape>(
        &mut self,
        ty: Type<K, S>,
        place: &Pointer,
        notes: impl fmt::Display,
    ) -> Value<K, S> {
        self.value(ty, format_args!("load {ty}, {place}{notes}"))
    }

    pub fn store<K: Kind, S: Shape>(
        &mut self,
        value: &Value<K, S>,
        place: &Pointer,
        notes: impl fmt::Display,
    ) {
        self.line(format_args!("store {value}, {place}{notes}"));
    }

    pub fn address(&mut self, pointer: &Pointer) -> Scalar<Int> {
        self.value(Type::I64, format_args!("ptrtoint {pointer} to i64"))
    }

    pub fn pointer(&mut self, address: &Scalar<Int>) -> Pointer {
        self.value(Type::POINTER, format_args!("inttoptr {address} to ptr"))
    }

    // -- atomic ------------------------------------------------------------------------------

    pub fn load_atomic(&mut self, ty: Type<Int, One>, place: &Pointer, order: &str) -> Scalar<Int> {
        self.value(ty, format_args!("load atomic {ty}, {place} {order}, align {}", ty.bytes()))
    }

    pub fn store_atomic(&mut self, value: &Scalar<Int>, place: &Pointer, order: &str) {
        self.line(format_args!("store atomic {value}, {place} {order}, align {}", value.ty.bytes()));
    }

    /// Combines a value atomically into memory by an operation of LLVM.
    pub fn update_atomic(&mut self, operation: &str, place: &Pointer, value: &Scalar<Any>) {
        let align = value.ty.bytes();
        self.value(value.ty, format_args!("atomicrmw {operation} {place}, {value} monotonic, align {align}"));
    }

    /// Replaces the seen value, unless memory has changed; returns the previous value, and whether it was replaced.
    pub fn compare_exchange(
        &mut self,
        place: &Pointer,
        seen: &Scalar<Int>,
        new: &Scalar<Int>,
    ) -> (Scalar<Int>, Condition) {
        let (ty, align) = (seen.ty, seen.ty.bytes());
        let pair =
            self.value(ty, format_args!("cmpxchg {place}, {seen}, {new} monotonic monotonic, align {align}"));
        let pair = format!("{{ {ty}, i1 }} {}", pair.text);
        let now = self.value(ty, format_args!("extractvalue {pair}, 0"));
        (now, self.value(Type::BIT, format_args!("extractvalue {pair}, 1")))
    }
}

/// Calls.
impl Text<'_> {
    /// Calls an external function, declared with `attributes`.
    pub fn call<K: Kind, S: Shape>(
        &mut self,
        result: Type<K, S>,
        name: &str,
        args: &[&dyn Argument],
        attributes: &str,
    ) -> Value<K, S> {
        self.module.declare(format!("{result} @{name}({}) {attributes}", types_of(args)));
        self.value(result, format_args!("call {result} @{name}({})", written(args)))
    }

    /// Calls an intrinsic, followed by metadata.
    pub fn call_annotated<K: Kind, S: Shape>(
        &mut self,
        result: Type<K, S>,
        name: &str,
        args: &[&dyn Argument],
        metadata: &str,
    ) -> Value<K, S> {
        self.module.declare(format!("{result} @{name}({})", types_of(args)));
        self.value(result, format_args!("call {result} @{name}({}){metadata}", written(args)))
    }

    /// Calls an external function without result, followed by metadata.
    pub fn call_void(&mut self, name: &str, args: &[&dyn Argument], metadata: &str) {
        self.module.declare(format!("void @{name}({})", types_of(args)));
        self.line(format_args!("call void @{name}({}){metadata}", written(args)));
    }

    /// Calls the function at an address.
    pub fn call_pointer(&mut self, function: &Pointer, args: &[&dyn Argument], attributes: &str) {
        self.line(format_args!("call void {}({}) {attributes}", function.text, written(args)));
    }

    /// Like [`Text::call_pointer`], for a function that returns a pointer.
    pub fn call_for_pointer(
        &mut self,
        function: &Pointer,
        args: &[&dyn Argument],
        attributes: &str,
    ) -> Pointer {
        self.value(Type::POINTER, format_args!("call ptr {}({}) {attributes}", function.text, written(args)))
    }
}

fn types_of(args: &[&dyn Argument]) -> String {
    args.iter().map(|arg| arg.type_name()).collect::<Vec<_>>().join(", ")
}

fn written(args: &[&dyn Argument]) -> String {
    args.iter().map(|arg| arg.to_string()).collect::<Vec<_>>().join(", ")
}
