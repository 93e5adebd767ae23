//! The built-in overloaded operators, and the table of scalar intrinsics.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarClass, ScalarType, TernaryOp, UnaryOp};

use crate::syntax::ast::PrimType;
use crate::typed::intrinsic::Intrinsic;

/// A built-in operator on two operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Mod,
    /// `//`.
    Quot,
    /// `%%`.
    Rem,
    /// `**`.
    Pow,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `>>>`.
    LogicalShr,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `&&`.
    LogicalAnd,
    /// `||`.
    LogicalOr,
}

/// A set of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrimSet(u16);

impl PrimSet {
    /// All scalar types.
    pub const ALL: PrimSet = PrimSet(0xfff);
    /// `bool`.
    pub const BOOL: PrimSet = PrimSet(1);
    /// Signed integers.
    pub const SIGNED: PrimSet = PrimSet(0b1_1110);
    /// Integers.
    pub const INTEGERS: PrimSet = PrimSet(0b1_1111_1110);
    /// Floats.
    pub const FLOATS: PrimSet = PrimSet(0b1110_0000_0000);
    /// Integers and floats.
    pub const NUMBERS: PrimSet = PrimSet(0b1111_1111_1110);
    /// Integers and truth values.
    pub const BITS: PrimSet = PrimSet(0b1_1111_1111);

    /// Whether a type is in the set.
    pub fn contains(self, ty: PrimType) -> bool {
        self.0 >> ty as u16 & 1 == 1
    }

    /// Returns the intersection of two sets.
    pub fn intersect(self, other: PrimSet) -> PrimSet {
        PrimSet(self.0 & other.0)
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the only element, if there is exactly one.
    pub fn single(self) -> Option<PrimType> {
        if self.0.count_ones() != 1 {
            return None;
        }
        PrimType::ALL.into_iter().find(|&ty| self.contains(ty))
    }

    /// Returns a description for messages.
    pub fn describe(self) -> &'static str {
        match self {
            PrimSet::ALL => "a scalar type",
            PrimSet::BOOL => "bool",
            PrimSet::SIGNED => "a signed integer type",
            PrimSet::INTEGERS => "an integer type",
            PrimSet::FLOATS => "a float type",
            PrimSet::NUMBERS => "a number type",
            PrimSet::BITS => "an integer type or bool",
            PrimSet(_) => "a scalar type of a smaller choice",
        }
    }
}

impl Operator {
    /// All operators with their names.
    pub const ALL: [(&'static str, Operator); 22] = [
        ("+", Operator::Add),
        ("-", Operator::Sub),
        ("*", Operator::Mul),
        ("/", Operator::Div),
        ("%", Operator::Mod),
        ("//", Operator::Quot),
        ("%%", Operator::Rem),
        ("**", Operator::Pow),
        ("&", Operator::And),
        ("|", Operator::Or),
        ("^", Operator::Xor),
        ("<<", Operator::Shl),
        (">>", Operator::Shr),
        (">>>", Operator::LogicalShr),
        ("<", Operator::Less),
        ("<=", Operator::LessEqual),
        (">", Operator::Greater),
        (">=", Operator::GreaterEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("&&", Operator::LogicalAnd),
        ("||", Operator::LogicalOr),
    ];

    /// Returns the scalar types of the operands; `None` for `==` and `!=`, which accept any comparable type.
    pub fn operands(self) -> Option<PrimSet> {
        use Operator::*;
        Some(match self {
            Add | Sub | Mul | Div | Mod | Pow => PrimSet::NUMBERS,
            Quot | Rem | Shl | Shr | LogicalShr => PrimSet::INTEGERS,
            And | Or | Xor => PrimSet::BITS,
            Less | LessEqual | Greater | GreaterEqual => PrimSet::ALL,
            LogicalAnd | LogicalOr => PrimSet::BOOL,
            Equal | NotEqual => return None,
        })
    }

    /// Whether the operator is a comparison, with result `bool`; otherwise the result has the type of the operands.
    pub fn compares(self) -> bool {
        use Operator::*;
        match self {
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => true,
            Add | Sub | Mul | Div | Mod | Quot | Rem | Pow | And | Or | Xor | Shl | Shr | LogicalShr
            | LogicalAnd | LogicalOr => false,
        }
    }

    /// Returns the intrinsic for operands of a scalar type; `None` for `&&` and `||`, which are not intrinsics. The type must be
    /// in [`Operator::operands`].
    pub fn at(self, ty: PrimType) -> Option<Intrinsic> {
        use Operator::*;
        let kind = Kind::of(ty);
        let binary =
            |signed, unsigned, float| Some(Intrinsic::Binary(kind.pick(signed, unsigned, float), ty));
        let same = |op| Some(Intrinsic::Binary(op, ty));
        let compare = |signed, unsigned, float, swapped| {
            Some(Intrinsic::Compare { op: kind.pick(signed, unsigned, float), operand: ty, swapped })
        };
        match self {
            Add => binary(BinaryOp::Add, BinaryOp::Add, BinaryOp::FAdd),
            Sub => binary(BinaryOp::Sub, BinaryOp::Sub, BinaryOp::FSub),
            Mul => binary(BinaryOp::Mul, BinaryOp::Mul, BinaryOp::FMul),
            Div => binary(BinaryOp::SDiv, BinaryOp::UDiv, BinaryOp::FDiv),
            Mod => binary(BinaryOp::SMod, BinaryOp::UMod, BinaryOp::FMod),
            Quot => binary(BinaryOp::SQuot, BinaryOp::UDiv, BinaryOp::FDiv),
            Rem => binary(BinaryOp::SRem, BinaryOp::UMod, BinaryOp::FMod),
            Pow => binary(BinaryOp::Pow, BinaryOp::UPow, BinaryOp::FPow),
            And => same(BinaryOp::And),
            Or => same(BinaryOp::Or),
            Xor => same(BinaryOp::Xor),
            Shl => same(BinaryOp::Shl),
            Shr => binary(BinaryOp::AShr, BinaryOp::LShr, BinaryOp::LShr),
            LogicalShr => same(BinaryOp::LShr),
            Less => compare(CompareOp::SLt, CompareOp::ULt, CompareOp::FLt, false),
            LessEqual => compare(CompareOp::SLe, CompareOp::ULe, CompareOp::FLe, false),
            Greater => compare(CompareOp::SLt, CompareOp::ULt, CompareOp::FLt, true),
            GreaterEqual => compare(CompareOp::SLe, CompareOp::ULe, CompareOp::FLe, true),
            Equal => Some(Intrinsic::Compare { op: CompareOp::Eq, operand: ty, swapped: false }),
            NotEqual => Some(Intrinsic::Compare { op: CompareOp::Ne, operand: ty, swapped: false }),
            LogicalAnd | LogicalOr => None,
        }
    }
}

/// The arithmetic of a scalar type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

impl Kind {
    /// Returns the kind of a type. Truth values compare as unsigned.
    fn of(ty: PrimType) -> Kind {
        match ty {
            PrimType::I8 | PrimType::I16 | PrimType::I32 | PrimType::I64 => Kind::Signed,
            PrimType::Bool | PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64 => Kind::Unsigned,
            PrimType::F16 | PrimType::F32 | PrimType::F64 => Kind::Float,
        }
    }

    fn pick<T>(self, signed: T, unsigned: T, float: T) -> T {
        match self {
            Kind::Signed => signed,
            Kind::Unsigned => unsigned,
            Kind::Float => float,
        }
    }
}

/// Returns the core IR's type for a scalar type.
pub fn scalar(ty: PrimType) -> ScalarType {
    match ty {
        PrimType::Bool => ScalarType::Bool,
        PrimType::I8 | PrimType::U8 => ScalarType::I8,
        PrimType::I16 | PrimType::U16 => ScalarType::I16,
        PrimType::I32 | PrimType::U32 => ScalarType::I32,
        PrimType::I64 | PrimType::U64 => ScalarType::I64,
        PrimType::F16 => ScalarType::F16,
        PrimType::F32 => ScalarType::F32,
        PrimType::F64 => ScalarType::F64,
    }
}

/// Returns the negation of a number type.
pub fn negation(ty: PrimType) -> Intrinsic {
    Intrinsic::Unary(Kind::of(ty).pick(UnaryOp::Neg, UnaryOp::Neg, UnaryOp::FNeg), ty)
}

/// Returns the scalar intrinsic with a name such as `add_i32` or `sext_i8_u64`.
pub fn scalar_intrinsic(name: &str) -> Option<Intrinsic> {
    let (front, last) = name.rsplit_once('_')?;
    let to = PrimType::from_name(last)?;
    if let Some((op, from)) = front.rsplit_once('_')
        && let (Some(op), Some(from)) = (ConvertOp::from_mnemonic(op), PrimType::from_name(from))
    {
        return converts(op, from, to).then_some(Intrinsic::Convert { op, from, to });
    }
    if let Some(op) = UnaryOp::from_mnemonic(front) {
        return unary_takes(op, scalar(to)).then_some(Intrinsic::Unary(op, to));
    }
    if let Some(op) = BinaryOp::from_mnemonic(front) {
        return binary_takes(op, scalar(to)).then_some(Intrinsic::Binary(op, to));
    }
    if let Some(op) = TernaryOp::from_mnemonic(front) {
        return scalar(to).is_float().then_some(Intrinsic::Ternary(op, to));
    }
    let op = CompareOp::from_mnemonic(front)?;
    compare_takes(op, scalar(to)).then_some(Intrinsic::Compare { op, operand: to, swapped: false })
}

/// Returns the number and type of a scalar intrinsic's operands, which all have one type, and the type of its result.
pub fn scalar_signature(intrinsic: Intrinsic) -> Option<(usize, PrimType, PrimType)> {
    match intrinsic {
        Intrinsic::Unary(_, ty) => Some((1, ty, ty)),
        Intrinsic::Binary(_, ty) => Some((2, ty, ty)),
        Intrinsic::Ternary(_, ty) => Some((3, ty, ty)),
        Intrinsic::Compare { operand, .. } => Some((2, operand, PrimType::Bool)),
        Intrinsic::Convert { from, to, .. } => Some((1, from, to)),
        Intrinsic::Structural(_) | Intrinsic::Equal { .. } => None,
    }
}

fn unary_takes(op: UnaryOp, ty: ScalarType) -> bool {
    match op {
        UnaryOp::Not => !ty.is_float(),
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Signum
        | UnaryOp::PopCount
        | UnaryOp::LeadingZeros
        | UnaryOp::TrailingZeros => ty.is_int(),
        UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::FSignum
        | UnaryOp::Sqrt
        | UnaryOp::Cbrt
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Exp10
        | UnaryOp::Expm1
        | UnaryOp::Log
        | UnaryOp::Log2
        | UnaryOp::Log10
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::SinPi
        | UnaryOp::CosPi
        | UnaryOp::TanPi
        | UnaryOp::AsinPi
        | UnaryOp::AcosPi
        | UnaryOp::AtanPi
        | UnaryOp::Gamma
        | UnaryOp::LogGamma
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::Rsqrt
        | UnaryOp::ApproxRsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::Round => ty.is_float(),
    }
}

fn binary_takes(op: BinaryOp, ty: ScalarType) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !ty.is_float(),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SDiv
        | BinaryOp::SMod
        | BinaryOp::SQuot
        | BinaryOp::SRem
        | BinaryOp::UDiv
        | BinaryOp::UMod
        | BinaryOp::SMin
        | BinaryOp::UMin
        | BinaryOp::SMax
        | BinaryOp::UMax
        | BinaryOp::Pow
        | BinaryOp::UPow
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr => ty.is_int(),
        BinaryOp::FAdd
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
        | BinaryOp::LdExp => ty.is_float(),
    }
}

fn compare_takes(op: CompareOp, ty: ScalarType) -> bool {
    match op {
        CompareOp::Eq | CompareOp::Ne => true,
        CompareOp::SLt | CompareOp::SLe => ty.is_int(),
        CompareOp::ULt | CompareOp::ULe => !ty.is_float(),
        CompareOp::FLt | CompareOp::FLe => ty.is_float(),
    }
}

fn converts(op: ConvertOp, from: PrimType, to: PrimType) -> bool {
    let (a, b) = (scalar(from), scalar(to));
    let int = |ty: ScalarType| ty.class() == ScalarClass::Int;
    match op {
        ConvertOp::SExt => int(a) && int(b) && a.bits() <= b.bits(),
        ConvertOp::ZExt => !a.is_float() && int(b) && a.bits() <= b.bits(),
        ConvertOp::Truncate => int(a) && int(b) && a.bits() >= b.bits(),
        ConvertOp::ToBool => to == PrimType::Bool && from != PrimType::Bool,
        ConvertOp::SIToFP => int(a) && b.is_float(),
        ConvertOp::UIToFP => !a.is_float() && b.is_float(),
        ConvertOp::FPToSI | ConvertOp::FPToUI => a.is_float() && int(b),
        ConvertOp::FPConvert => a.is_float() && b.is_float(),
        ConvertOp::Bitcast => a.bits() == b.bits() && a != ScalarType::Bool,
        ConvertOp::IsNan | ConvertOp::IsInf => a.is_float() && to == PrimType::Bool,
        ConvertOp::ILogB => a.is_float() && to == PrimType::I32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_what_the_operators_take() {
        assert_eq!(scalar_intrinsic("add_u8"), Some(Intrinsic::Binary(BinaryOp::Add, PrimType::U8)));
        assert_eq!(scalar_intrinsic("add_f32"), None);
        assert_eq!(scalar_intrinsic("fma_f16"), Some(Intrinsic::Ternary(TernaryOp::Fma, PrimType::F16)));
        assert_eq!(scalar_intrinsic("sext_i64_i8"), None);
        let bits = Intrinsic::Convert { op: ConvertOp::Bitcast, from: PrimType::F32, to: PrimType::U32 };
        assert_eq!(scalar_intrinsic("bitcast_f32_u32"), Some(bits));
        assert_eq!(scalar_intrinsic("bitcast_bool_i8"), None);
        assert_eq!(scalar_intrinsic("map"), None);
    }

    #[test]
    fn every_operator_exists_at_every_type_it_takes() {
        for (name, operator) in Operator::ALL {
            let Some(set) = operator.operands() else { continue };
            for ty in PrimType::ALL.into_iter().filter(|&ty| set.contains(ty)) {
                let taken = match operator.at(ty) {
                    Some(Intrinsic::Binary(op, _)) => binary_takes(op, scalar(ty)),
                    Some(Intrinsic::Compare { op, .. }) => compare_takes(op, scalar(ty)),
                    Some(_) => false,
                    None => matches!(operator, Operator::LogicalAnd | Operator::LogicalOr),
                };
                assert!(taken, "{name} at {}", ty.name());
            }
        }
    }
}
