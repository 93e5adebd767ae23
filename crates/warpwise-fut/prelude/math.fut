-- | The scalar types: a module of operations for each.
--
-- The modules repeat each other but for the operators, which belong to a type.

-- | A type that any number or truth value converts to. Integers wrap (a signed one made
-- unsigned is extended with zeros), floats are rounded to nearest even and saturate.
module type from_prim = {
  type t
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t
  val bool : bool -> t
}

-- | What integers and floats have in common.
module type numeric = {
  include from_prim
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t
  val (/) : t -> t -> t
  val (%) : t -> t -> t
  val (**) : t -> t -> t
  val to_i64 : t -> i64
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool
  val neg : t -> t
  val max : t -> t -> t
  val min : t -> t -> t
  val abs : t -> t
  val sgn : t -> t
  val highest : t
  val lowest : t
  val sum [n] : [n]t -> t
  val product [n] : [n]t -> t
  val maximum [n] : [n]t -> t
  val minimum [n] : [n]t -> t
}

-- | Integers. `/` and `%` round down, `//` and `%%` towards 0.
module type integral = {
  include numeric
  val (//) : t -> t -> t
  val (%%) : t -> t -> t
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t
  val not : t -> t
  val (<<) : t -> t -> t
  val (>>) : t -> t -> t
  val (>>>) : t -> t -> t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val popc : t -> i32
  val mul_hi : (x: t) -> (y: t) -> t
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t
  val clz : t -> i32
  val ctz : t -> i32
}

-- | Numbers with a fraction.
module type real = {
  include numeric
  val recip : t -> t
  val from_fraction : i64 -> i64 -> t
  val to_f64 : t -> f64
  val sqrt : t -> t
  val rsqrt : t -> t
  val cbrt : t -> t
  val exp : t -> t
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t
  val hypot : t -> t -> t
  val gamma : t -> t
  val lgamma : t -> t
  val erf : t -> t
  val erfc : t -> t
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t
  val round : t -> t
  val lerp : t -> t -> t -> t
  val mad : (a: t) -> (b: t) -> (c: t) -> t
  val fma : (a: t) -> (b: t) -> (c: t) -> t
  val isinf : t -> bool
  val isnan : t -> bool
  val inf : t
  val nan : t
  val pi : t
  val e : t
}

-- | Floats of the IEEE 754 standard.
module type float = {
  include real
  type int_t
  val from_bits : int_t -> t
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val epsilon : t
  val nextafter : (x: t) -> (y: t) -> t
  val ldexp : t -> i32 -> t
  val copysign : (x: t) -> (y: t) -> t
}

-- | Truth values.
module bool : (from_prim with t = bool) = {
  type t = bool
  def i8 (x: i8) : bool = intrinsics.tobool_i8_bool x
  def i16 (x: i16) : bool = intrinsics.tobool_i16_bool x
  def i32 (x: i32) : bool = intrinsics.tobool_i32_bool x
  def i64 (x: i64) : bool = intrinsics.tobool_i64_bool x
  def u8 (x: u8) : bool = intrinsics.tobool_u8_bool x
  def u16 (x: u16) : bool = intrinsics.tobool_u16_bool x
  def u32 (x: u32) : bool = intrinsics.tobool_u32_bool x
  def u64 (x: u64) : bool = intrinsics.tobool_u64_bool x
  def f16 (x: f16) : bool = intrinsics.tobool_f16_bool x
  def f32 (x: f32) : bool = intrinsics.tobool_f32_bool x
  def f64 (x: f64) : bool = intrinsics.tobool_f64_bool x
  def bool (x: bool) : bool = x
}

-- | Signed integers of 8 bits.
module i8 : (integral with t = i8) = {
  type t = i8

  def i8 (x: i8) : i8 = x
  def i16 (x: i16) : i8 = intrinsics.itrunc_i16_i8 x
  def i32 (x: i32) : i8 = intrinsics.itrunc_i32_i8 x
  def i64 (x: i64) : i8 = intrinsics.itrunc_i64_i8 x
  def u8 (x: u8) : i8 = intrinsics.bitcast_u8_i8 x
  def u16 (x: u16) : i8 = intrinsics.itrunc_u16_i8 x
  def u32 (x: u32) : i8 = intrinsics.itrunc_u32_i8 x
  def u64 (x: u64) : i8 = intrinsics.itrunc_u64_i8 x
  def f16 (x: f16) : i8 = intrinsics.fptosi_f16_i8 x
  def f32 (x: f32) : i8 = intrinsics.fptosi_f32_i8 x
  def f64 (x: f64) : i8 = intrinsics.fptosi_f64_i8 x
  def bool (x: bool) : i8 = intrinsics.zext_bool_i8 x
  def to_i64 (x: i8) : i64 = intrinsics.sext_i8_i64 x

  def (+) (x: i8) (y: i8) : i8 = intrinsics.add_i8 x y
  def (-) (x: i8) (y: i8) : i8 = intrinsics.sub_i8 x y
  def (*) (x: i8) (y: i8) : i8 = intrinsics.mul_i8 x y
  def (/) (x: i8) (y: i8) : i8 = intrinsics.sdiv_i8 x y
  def (%) (x: i8) (y: i8) : i8 = intrinsics.smod_i8 x y
  def (//) (x: i8) (y: i8) : i8 = intrinsics.squot_i8 x y
  def (%%) (x: i8) (y: i8) : i8 = intrinsics.srem_i8 x y
  def (**) (x: i8) (y: i8) : i8 = intrinsics.pow_i8 x y
  def (&) (x: i8) (y: i8) : i8 = intrinsics.and_i8 x y
  def (|) (x: i8) (y: i8) : i8 = intrinsics.or_i8 x y
  def (^) (x: i8) (y: i8) : i8 = intrinsics.xor_i8 x y
  def (<<) (x: i8) (y: i8) : i8 = intrinsics.shl_i8 x y
  def (>>) (x: i8) (y: i8) : i8 = intrinsics.ashr_i8 x y
  def (>>>) (x: i8) (y: i8) : i8 = intrinsics.lshr_i8 x y
  def (==) (x: i8) (y: i8) : bool = intrinsics.eq_i8 x y
  def (!=) (x: i8) (y: i8) : bool = intrinsics.ne_i8 x y
  def (<) (x: i8) (y: i8) : bool = intrinsics.slt_i8 x y
  def (<=) (x: i8) (y: i8) : bool = intrinsics.sle_i8 x y
  def (>) (x: i8) (y: i8) : bool = intrinsics.slt_i8 y x
  def (>=) (x: i8) (y: i8) : bool = intrinsics.sle_i8 y x

  def not (x: i8) : i8 = intrinsics.not_i8 x
  def neg (x: i8) : i8 = intrinsics.neg_i8 x
  def abs (x: i8) : i8 = intrinsics.abs_i8 x
  def sgn (x: i8) : i8 = intrinsics.sgn_i8 x
  def max (x: i8) (y: i8) : i8 = intrinsics.smax_i8 x y
  def min (x: i8) (y: i8) : i8 = intrinsics.smin_i8 x y
  def highest : i8 = 127i8
  def lowest : i8 = intrinsics.not_i8 127i8

  def num_bits : i32 = 8i32
  def get_bit (bit: i32) (x: i8) : i32 =
    intrinsics.sext_i8_i32 (intrinsics.and_i8 (intrinsics.lshr_i8 x (i32 bit)) 1i8)
  def set_bit (bit: i32) (x: i8) (b: i32) : i8 =
    let mask = intrinsics.shl_i8 1i8 (i32 bit)
    let value = intrinsics.shl_i8 (i32 b) (i32 bit)
    in intrinsics.or_i8 (intrinsics.and_i8 x (intrinsics.not_i8 mask)) value
  def mul_hi (x: i8) (y: i8) : i8 = intrinsics.smulh_i8 x y
  def mad_hi (a: i8) (b: i8) (c: i8) : i8 = intrinsics.add_i8 (intrinsics.smulh_i8 a b) c
  def popc (x: i8) : i32 = intrinsics.zext_i8_i32 (intrinsics.popc_i8 x)
  def clz (x: i8) : i32 = intrinsics.zext_i8_i32 (intrinsics.clz_i8 x)
  def ctz (x: i8) : i32 = intrinsics.zext_i8_i32 (intrinsics.ctz_i8 x)

  def sum [n] (xs: [n]i8) : i8 = intrinsics.reduce_comm (+) 0i8 xs
  def product [n] (xs: [n]i8) : i8 = intrinsics.reduce_comm (*) 1i8 xs
  def maximum [n] (xs: [n]i8) : i8 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i8) : i8 = intrinsics.reduce_comm min highest xs
}

-- | Signed integers of 16 bits.
module i16 : (integral with t = i16) = {
  type t = i16

  def i8 (x: i8) : i16 = intrinsics.sext_i8_i16 x
  def i16 (x: i16) : i16 = x
  def i32 (x: i32) : i16 = intrinsics.itrunc_i32_i16 x
  def i64 (x: i64) : i16 = intrinsics.itrunc_i64_i16 x
  def u8 (x: u8) : i16 = intrinsics.zext_u8_i16 x
  def u16 (x: u16) : i16 = intrinsics.bitcast_u16_i16 x
  def u32 (x: u32) : i16 = intrinsics.itrunc_u32_i16 x
  def u64 (x: u64) : i16 = intrinsics.itrunc_u64_i16 x
  def f16 (x: f16) : i16 = intrinsics.fptosi_f16_i16 x
  def f32 (x: f32) : i16 = intrinsics.fptosi_f32_i16 x
  def f64 (x: f64) : i16 = intrinsics.fptosi_f64_i16 x
  def bool (x: bool) : i16 = intrinsics.zext_bool_i16 x
  def to_i64 (x: i16) : i64 = intrinsics.sext_i16_i64 x

  def (+) (x: i16) (y: i16) : i16 = intrinsics.add_i16 x y
  def (-) (x: i16) (y: i16) : i16 = intrinsics.sub_i16 x y
  def (*) (x: i16) (y: i16) : i16 = intrinsics.mul_i16 x y
  def (/) (x: i16) (y: i16) : i16 = intrinsics.sdiv_i16 x y
  def (%) (x: i16) (y: i16) : i16 = intrinsics.smod_i16 x y
  def (//) (x: i16) (y: i16) : i16 = intrinsics.squot_i16 x y
  def (%%) (x: i16) (y: i16) : i16 = intrinsics.srem_i16 x y
  def (**) (x: i16) (y: i16) : i16 = intrinsics.pow_i16 x y
  def (&) (x: i16) (y: i16) : i16 = intrinsics.and_i16 x y
  def (|) (x: i16) (y: i16) : i16 = intrinsics.or_i16 x y
  def (^) (x: i16) (y: i16) : i16 = intrinsics.xor_i16 x y
  def (<<) (x: i16) (y: i16) : i16 = intrinsics.shl_i16 x y
  def (>>) (x: i16) (y: i16) : i16 = intrinsics.ashr_i16 x y
  def (>>>) (x: i16) (y: i16) : i16 = intrinsics.lshr_i16 x y
  def (==) (x: i16) (y: i16) : bool = intrinsics.eq_i16 x y
  def (!=) (x: i16) (y: i16) : bool = intrinsics.ne_i16 x y
  def (<) (x: i16) (y: i16) : bool = intrinsics.slt_i16 x y
  def (<=) (x: i16) (y: i16) : bool = intrinsics.sle_i16 x y
  def (>) (x: i16) (y: i16) : bool = intrinsics.slt_i16 y x
  def (>=) (x: i16) (y: i16) : bool = intrinsics.sle_i16 y x

  def not (x: i16) : i16 = intrinsics.not_i16 x
  def neg (x: i16) : i16 = intrinsics.neg_i16 x
  def abs (x: i16) : i16 = intrinsics.abs_i16 x
  def sgn (x: i16) : i16 = intrinsics.sgn_i16 x
  def max (x: i16) (y: i16) : i16 = intrinsics.smax_i16 x y
  def min (x: i16) (y: i16) : i16 = intrinsics.smin_i16 x y
  def highest : i16 = 32767i16
  def lowest : i16 = intrinsics.not_i16 32767i16

  def num_bits : i32 = 16i32
  def get_bit (bit: i32) (x: i16) : i32 =
    intrinsics.sext_i16_i32 (intrinsics.and_i16 (intrinsics.lshr_i16 x (i32 bit)) 1i16)
  def set_bit (bit: i32) (x: i16) (b: i32) : i16 =
    let mask = intrinsics.shl_i16 1i16 (i32 bit)
    let value = intrinsics.shl_i16 (i32 b) (i32 bit)
    in intrinsics.or_i16 (intrinsics.and_i16 x (intrinsics.not_i16 mask)) value
  def mul_hi (x: i16) (y: i16) : i16 = intrinsics.smulh_i16 x y
  def mad_hi (a: i16) (b: i16) (c: i16) : i16 = intrinsics.add_i16 (intrinsics.smulh_i16 a b) c
  def popc (x: i16) : i32 = intrinsics.zext_i16_i32 (intrinsics.popc_i16 x)
  def clz (x: i16) : i32 = intrinsics.zext_i16_i32 (intrinsics.clz_i16 x)
  def ctz (x: i16) : i32 = intrinsics.zext_i16_i32 (intrinsics.ctz_i16 x)

  def sum [n] (xs: [n]i16) : i16 = intrinsics.reduce_comm (+) 0i16 xs
  def product [n] (xs: [n]i16) : i16 = intrinsics.reduce_comm (*) 1i16 xs
  def maximum [n] (xs: [n]i16) : i16 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i16) : i16 = intrinsics.reduce_comm min highest xs
}

-- | Signed integers of 32 bits.
module i32 : (integral with t = i32) = {
  type t = i32

  def i8 (x: i8) : i32 = intrinsics.sext_i8_i32 x
  def i16 (x: i16) : i32 = intrinsics.sext_i16_i32 x
  def i32 (x: i32) : i32 = x
  def i64 (x: i64) : i32 = intrinsics.itrunc_i64_i32 x
  def u8 (x: u8) : i32 = intrinsics.zext_u8_i32 x
  def u16 (x: u16) : i32 = intrinsics.zext_u16_i32 x
  def u32 (x: u32) : i32 = intrinsics.bitcast_u32_i32 x
  def u64 (x: u64) : i32 = intrinsics.itrunc_u64_i32 x
  def f16 (x: f16) : i32 = intrinsics.fptosi_f16_i32 x
  def f32 (x: f32) : i32 = intrinsics.fptosi_f32_i32 x
  def f64 (x: f64) : i32 = intrinsics.fptosi_f64_i32 x
  def bool (x: bool) : i32 = intrinsics.zext_bool_i32 x
  def to_i64 (x: i32) : i64 = intrinsics.sext_i32_i64 x

  def (+) (x: i32) (y: i32) : i32 = intrinsics.add_i32 x y
  def (-) (x: i32) (y: i32) : i32 = intrinsics.sub_i32 x y
  def (*) (x: i32) (y: i32) : i32 = intrinsics.mul_i32 x y
  def (/) (x: i32) (y: i32) : i32 = intrinsics.sdiv_i32 x y
  def (%) (x: i32) (y: i32) : i32 = intrinsics.smod_i32 x y
  def (//) (x: i32) (y: i32) : i32 = intrinsics.squot_i32 x y
  def (%%) (x: i32) (y: i32) : i32 = intrinsics.srem_i32 x y
  def (**) (x: i32) (y: i32) : i32 = intrinsics.pow_i32 x y
  def (&) (x: i32) (y: i32) : i32 = intrinsics.and_i32 x y
  def (|) (x: i32) (y: i32) : i32 = intrinsics.or_i32 x y
  def (^) (x: i32) (y: i32) : i32 = intrinsics.xor_i32 x y
  def (<<) (x: i32) (y: i32) : i32 = intrinsics.shl_i32 x y
  def (>>) (x: i32) (y: i32) : i32 = intrinsics.ashr_i32 x y
  def (>>>) (x: i32) (y: i32) : i32 = intrinsics.lshr_i32 x y
  def (==) (x: i32) (y: i32) : bool = intrinsics.eq_i32 x y
  def (!=) (x: i32) (y: i32) : bool = intrinsics.ne_i32 x y
  def (<) (x: i32) (y: i32) : bool = intrinsics.slt_i32 x y
  def (<=) (x: i32) (y: i32) : bool = intrinsics.sle_i32 x y
  def (>) (x: i32) (y: i32) : bool = intrinsics.slt_i32 y x
  def (>=) (x: i32) (y: i32) : bool = intrinsics.sle_i32 y x

  def not (x: i32) : i32 = intrinsics.not_i32 x
  def neg (x: i32) : i32 = intrinsics.neg_i32 x
  def abs (x: i32) : i32 = intrinsics.abs_i32 x
  def sgn (x: i32) : i32 = intrinsics.sgn_i32 x
  def max (x: i32) (y: i32) : i32 = intrinsics.smax_i32 x y
  def min (x: i32) (y: i32) : i32 = intrinsics.smin_i32 x y
  def highest : i32 = 2147483647i32
  def lowest : i32 = intrinsics.not_i32 2147483647i32

  def num_bits : i32 = 32i32
  def get_bit (bit: i32) (x: i32) : i32 =
    intrinsics.and_i32 (intrinsics.lshr_i32 x bit) 1i32
  def set_bit (bit: i32) (x: i32) (b: i32) : i32 =
    let mask = intrinsics.shl_i32 1i32 (i32 bit)
    let value = intrinsics.shl_i32 (i32 b) (i32 bit)
    in intrinsics.or_i32 (intrinsics.and_i32 x (intrinsics.not_i32 mask)) value
  def mul_hi (x: i32) (y: i32) : i32 = intrinsics.smulh_i32 x y
  def mad_hi (a: i32) (b: i32) (c: i32) : i32 = intrinsics.add_i32 (intrinsics.smulh_i32 a b) c
  def popc (x: i32) : i32 = intrinsics.popc_i32 x
  def clz (x: i32) : i32 = intrinsics.clz_i32 x
  def ctz (x: i32) : i32 = intrinsics.ctz_i32 x

  def sum [n] (xs: [n]i32) : i32 = intrinsics.reduce_comm (+) 0i32 xs
  def product [n] (xs: [n]i32) : i32 = intrinsics.reduce_comm (*) 1i32 xs
  def maximum [n] (xs: [n]i32) : i32 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i32) : i32 = intrinsics.reduce_comm min highest xs
}

-- | Signed integers of 64 bits.
module i64 : (integral with t = i64) = {
  type t = i64

  def i8 (x: i8) : i64 = intrinsics.sext_i8_i64 x
  def i16 (x: i16) : i64 = intrinsics.sext_i16_i64 x
  def i32 (x: i32) : i64 = intrinsics.sext_i32_i64 x
  def i64 (x: i64) : i64 = x
  def u8 (x: u8) : i64 = intrinsics.zext_u8_i64 x
  def u16 (x: u16) : i64 = intrinsics.zext_u16_i64 x
  def u32 (x: u32) : i64 = intrinsics.zext_u32_i64 x
  def u64 (x: u64) : i64 = intrinsics.bitcast_u64_i64 x
  def f16 (x: f16) : i64 = intrinsics.fptosi_f16_i64 x
  def f32 (x: f32) : i64 = intrinsics.fptosi_f32_i64 x
  def f64 (x: f64) : i64 = intrinsics.fptosi_f64_i64 x
  def bool (x: bool) : i64 = intrinsics.zext_bool_i64 x
  def to_i64 (x: i64) : i64 = x

  def (+) (x: i64) (y: i64) : i64 = intrinsics.add_i64 x y
  def (-) (x: i64) (y: i64) : i64 = intrinsics.sub_i64 x y
  def (*) (x: i64) (y: i64) : i64 = intrinsics.mul_i64 x y
  def (/) (x: i64) (y: i64) : i64 = intrinsics.sdiv_i64 x y
  def (%) (x: i64) (y: i64) : i64 = intrinsics.smod_i64 x y
  def (//) (x: i64) (y: i64) : i64 = intrinsics.squot_i64 x y
  def (%%) (x: i64) (y: i64) : i64 = intrinsics.srem_i64 x y
  def (**) (x: i64) (y: i64) : i64 = intrinsics.pow_i64 x y
  def (&) (x: i64) (y: i64) : i64 = intrinsics.and_i64 x y
  def (|) (x: i64) (y: i64) : i64 = intrinsics.or_i64 x y
  def (^) (x: i64) (y: i64) : i64 = intrinsics.xor_i64 x y
  def (<<) (x: i64) (y: i64) : i64 = intrinsics.shl_i64 x y
  def (>>) (x: i64) (y: i64) : i64 = intrinsics.ashr_i64 x y
  def (>>>) (x: i64) (y: i64) : i64 = intrinsics.lshr_i64 x y
  def (==) (x: i64) (y: i64) : bool = intrinsics.eq_i64 x y
  def (!=) (x: i64) (y: i64) : bool = intrinsics.ne_i64 x y
  def (<) (x: i64) (y: i64) : bool = intrinsics.slt_i64 x y
  def (<=) (x: i64) (y: i64) : bool = intrinsics.sle_i64 x y
  def (>) (x: i64) (y: i64) : bool = intrinsics.slt_i64 y x
  def (>=) (x: i64) (y: i64) : bool = intrinsics.sle_i64 y x

  def not (x: i64) : i64 = intrinsics.not_i64 x
  def neg (x: i64) : i64 = intrinsics.neg_i64 x
  def abs (x: i64) : i64 = intrinsics.abs_i64 x
  def sgn (x: i64) : i64 = intrinsics.sgn_i64 x
  def max (x: i64) (y: i64) : i64 = intrinsics.smax_i64 x y
  def min (x: i64) (y: i64) : i64 = intrinsics.smin_i64 x y
  def highest : i64 = 9223372036854775807i64
  def lowest : i64 = intrinsics.not_i64 9223372036854775807i64

  def num_bits : i32 = 64i32
  def get_bit (bit: i32) (x: i64) : i32 =
    intrinsics.itrunc_i64_i32 (intrinsics.and_i64 (intrinsics.lshr_i64 x (i32 bit)) 1i64)
  def set_bit (bit: i32) (x: i64) (b: i32) : i64 =
    let mask = intrinsics.shl_i64 1i64 (i32 bit)
    let value = intrinsics.shl_i64 (i32 b) (i32 bit)
    in intrinsics.or_i64 (intrinsics.and_i64 x (intrinsics.not_i64 mask)) value
  def mul_hi (x: i64) (y: i64) : i64 = intrinsics.smulh_i64 x y
  def mad_hi (a: i64) (b: i64) (c: i64) : i64 = intrinsics.add_i64 (intrinsics.smulh_i64 a b) c
  def popc (x: i64) : i32 = intrinsics.itrunc_i64_i32 (intrinsics.popc_i64 x)
  def clz (x: i64) : i32 = intrinsics.itrunc_i64_i32 (intrinsics.clz_i64 x)
  def ctz (x: i64) : i32 = intrinsics.itrunc_i64_i32 (intrinsics.ctz_i64 x)

  def sum [n] (xs: [n]i64) : i64 = intrinsics.reduce_comm (+) 0i64 xs
  def product [n] (xs: [n]i64) : i64 = intrinsics.reduce_comm (*) 1i64 xs
  def maximum [n] (xs: [n]i64) : i64 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]i64) : i64 = intrinsics.reduce_comm min highest xs
}

-- | Unsigned integers of 8 bits.
module u8 : (integral with t = u8) = {
  type t = u8

  def i8 (x: i8) : u8 = intrinsics.bitcast_i8_u8 x
  def i16 (x: i16) : u8 = intrinsics.itrunc_i16_u8 x
  def i32 (x: i32) : u8 = intrinsics.itrunc_i32_u8 x
  def i64 (x: i64) : u8 = intrinsics.itrunc_i64_u8 x
  def u8 (x: u8) : u8 = x
  def u16 (x: u16) : u8 = intrinsics.itrunc_u16_u8 x
  def u32 (x: u32) : u8 = intrinsics.itrunc_u32_u8 x
  def u64 (x: u64) : u8 = intrinsics.itrunc_u64_u8 x
  def f16 (x: f16) : u8 = intrinsics.fptoui_f16_u8 x
  def f32 (x: f32) : u8 = intrinsics.fptoui_f32_u8 x
  def f64 (x: f64) : u8 = intrinsics.fptoui_f64_u8 x
  def bool (x: bool) : u8 = intrinsics.zext_bool_u8 x
  def to_i64 (x: u8) : i64 = intrinsics.zext_u8_i64 x

  def (+) (x: u8) (y: u8) : u8 = intrinsics.add_u8 x y
  def (-) (x: u8) (y: u8) : u8 = intrinsics.sub_u8 x y
  def (*) (x: u8) (y: u8) : u8 = intrinsics.mul_u8 x y
  def (/) (x: u8) (y: u8) : u8 = intrinsics.udiv_u8 x y
  def (%) (x: u8) (y: u8) : u8 = intrinsics.umod_u8 x y
  def (//) (x: u8) (y: u8) : u8 = intrinsics.udiv_u8 x y
  def (%%) (x: u8) (y: u8) : u8 = intrinsics.umod_u8 x y
  def (**) (x: u8) (y: u8) : u8 = intrinsics.upow_u8 x y
  def (&) (x: u8) (y: u8) : u8 = intrinsics.and_u8 x y
  def (|) (x: u8) (y: u8) : u8 = intrinsics.or_u8 x y
  def (^) (x: u8) (y: u8) : u8 = intrinsics.xor_u8 x y
  def (<<) (x: u8) (y: u8) : u8 = intrinsics.shl_u8 x y
  def (>>) (x: u8) (y: u8) : u8 = intrinsics.ashr_u8 x y
  def (>>>) (x: u8) (y: u8) : u8 = intrinsics.lshr_u8 x y
  def (==) (x: u8) (y: u8) : bool = intrinsics.eq_u8 x y
  def (!=) (x: u8) (y: u8) : bool = intrinsics.ne_u8 x y
  def (<) (x: u8) (y: u8) : bool = intrinsics.ult_u8 x y
  def (<=) (x: u8) (y: u8) : bool = intrinsics.ule_u8 x y
  def (>) (x: u8) (y: u8) : bool = intrinsics.ult_u8 y x
  def (>=) (x: u8) (y: u8) : bool = intrinsics.ule_u8 y x

  def not (x: u8) : u8 = intrinsics.not_u8 x
  def neg (x: u8) : u8 = intrinsics.neg_u8 x
  def abs (x: u8) : u8 = x
  def sgn (x: u8) : u8 = intrinsics.umin_u8 x 1u8
  def max (x: u8) (y: u8) : u8 = intrinsics.umax_u8 x y
  def min (x: u8) (y: u8) : u8 = intrinsics.umin_u8 x y
  def highest : u8 = 255u8
  def lowest : u8 = 0u8

  def num_bits : i32 = 8i32
  def get_bit (bit: i32) (x: u8) : i32 =
    intrinsics.zext_u8_i32 (intrinsics.and_u8 (intrinsics.lshr_u8 x (i32 bit)) 1u8)
  def set_bit (bit: i32) (x: u8) (b: i32) : u8 =
    let mask = intrinsics.shl_u8 1u8 (i32 bit)
    let value = intrinsics.shl_u8 (i32 b) (i32 bit)
    in intrinsics.or_u8 (intrinsics.and_u8 x (intrinsics.not_u8 mask)) value
  def mul_hi (x: u8) (y: u8) : u8 = intrinsics.umulh_u8 x y
  def mad_hi (a: u8) (b: u8) (c: u8) : u8 = intrinsics.add_u8 (intrinsics.umulh_u8 a b) c
  def popc (x: u8) : i32 = intrinsics.zext_u8_i32 (intrinsics.popc_u8 x)
  def clz (x: u8) : i32 = intrinsics.zext_u8_i32 (intrinsics.clz_u8 x)
  def ctz (x: u8) : i32 = intrinsics.zext_u8_i32 (intrinsics.ctz_u8 x)

  def sum [n] (xs: [n]u8) : u8 = intrinsics.reduce_comm (+) 0u8 xs
  def product [n] (xs: [n]u8) : u8 = intrinsics.reduce_comm (*) 1u8 xs
  def maximum [n] (xs: [n]u8) : u8 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u8) : u8 = intrinsics.reduce_comm min highest xs
}

-- | Unsigned integers of 16 bits.
module u16 : (integral with t = u16) = {
  type t = u16

  def i8 (x: i8) : u16 = intrinsics.zext_i8_u16 x
  def i16 (x: i16) : u16 = intrinsics.bitcast_i16_u16 x
  def i32 (x: i32) : u16 = intrinsics.itrunc_i32_u16 x
  def i64 (x: i64) : u16 = intrinsics.itrunc_i64_u16 x
  def u8 (x: u8) : u16 = intrinsics.zext_u8_u16 x
  def u16 (x: u16) : u16 = x
  def u32 (x: u32) : u16 = intrinsics.itrunc_u32_u16 x
  def u64 (x: u64) : u16 = intrinsics.itrunc_u64_u16 x
  def f16 (x: f16) : u16 = intrinsics.fptoui_f16_u16 x
  def f32 (x: f32) : u16 = intrinsics.fptoui_f32_u16 x
  def f64 (x: f64) : u16 = intrinsics.fptoui_f64_u16 x
  def bool (x: bool) : u16 = intrinsics.zext_bool_u16 x
  def to_i64 (x: u16) : i64 = intrinsics.zext_u16_i64 x

  def (+) (x: u16) (y: u16) : u16 = intrinsics.add_u16 x y
  def (-) (x: u16) (y: u16) : u16 = intrinsics.sub_u16 x y
  def (*) (x: u16) (y: u16) : u16 = intrinsics.mul_u16 x y
  def (/) (x: u16) (y: u16) : u16 = intrinsics.udiv_u16 x y
  def (%) (x: u16) (y: u16) : u16 = intrinsics.umod_u16 x y
  def (//) (x: u16) (y: u16) : u16 = intrinsics.udiv_u16 x y
  def (%%) (x: u16) (y: u16) : u16 = intrinsics.umod_u16 x y
  def (**) (x: u16) (y: u16) : u16 = intrinsics.upow_u16 x y
  def (&) (x: u16) (y: u16) : u16 = intrinsics.and_u16 x y
  def (|) (x: u16) (y: u16) : u16 = intrinsics.or_u16 x y
  def (^) (x: u16) (y: u16) : u16 = intrinsics.xor_u16 x y
  def (<<) (x: u16) (y: u16) : u16 = intrinsics.shl_u16 x y
  def (>>) (x: u16) (y: u16) : u16 = intrinsics.ashr_u16 x y
  def (>>>) (x: u16) (y: u16) : u16 = intrinsics.lshr_u16 x y
  def (==) (x: u16) (y: u16) : bool = intrinsics.eq_u16 x y
  def (!=) (x: u16) (y: u16) : bool = intrinsics.ne_u16 x y
  def (<) (x: u16) (y: u16) : bool = intrinsics.ult_u16 x y
  def (<=) (x: u16) (y: u16) : bool = intrinsics.ule_u16 x y
  def (>) (x: u16) (y: u16) : bool = intrinsics.ult_u16 y x
  def (>=) (x: u16) (y: u16) : bool = intrinsics.ule_u16 y x

  def not (x: u16) : u16 = intrinsics.not_u16 x
  def neg (x: u16) : u16 = intrinsics.neg_u16 x
  def abs (x: u16) : u16 = x
  def sgn (x: u16) : u16 = intrinsics.umin_u16 x 1u16
  def max (x: u16) (y: u16) : u16 = intrinsics.umax_u16 x y
  def min (x: u16) (y: u16) : u16 = intrinsics.umin_u16 x y
  def highest : u16 = 65535u16
  def lowest : u16 = 0u16

  def num_bits : i32 = 16i32
  def get_bit (bit: i32) (x: u16) : i32 =
    intrinsics.zext_u16_i32 (intrinsics.and_u16 (intrinsics.lshr_u16 x (i32 bit)) 1u16)
  def set_bit (bit: i32) (x: u16) (b: i32) : u16 =
    let mask = intrinsics.shl_u16 1u16 (i32 bit)
    let value = intrinsics.shl_u16 (i32 b) (i32 bit)
    in intrinsics.or_u16 (intrinsics.and_u16 x (intrinsics.not_u16 mask)) value
  def mul_hi (x: u16) (y: u16) : u16 = intrinsics.umulh_u16 x y
  def mad_hi (a: u16) (b: u16) (c: u16) : u16 = intrinsics.add_u16 (intrinsics.umulh_u16 a b) c
  def popc (x: u16) : i32 = intrinsics.zext_u16_i32 (intrinsics.popc_u16 x)
  def clz (x: u16) : i32 = intrinsics.zext_u16_i32 (intrinsics.clz_u16 x)
  def ctz (x: u16) : i32 = intrinsics.zext_u16_i32 (intrinsics.ctz_u16 x)

  def sum [n] (xs: [n]u16) : u16 = intrinsics.reduce_comm (+) 0u16 xs
  def product [n] (xs: [n]u16) : u16 = intrinsics.reduce_comm (*) 1u16 xs
  def maximum [n] (xs: [n]u16) : u16 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u16) : u16 = intrinsics.reduce_comm min highest xs
}

-- | Unsigned integers of 32 bits.
module u32 : (integral with t = u32) = {
  type t = u32

  def i8 (x: i8) : u32 = intrinsics.zext_i8_u32 x
  def i16 (x: i16) : u32 = intrinsics.zext_i16_u32 x
  def i32 (x: i32) : u32 = intrinsics.bitcast_i32_u32 x
  def i64 (x: i64) : u32 = intrinsics.itrunc_i64_u32 x
  def u8 (x: u8) : u32 = intrinsics.zext_u8_u32 x
  def u16 (x: u16) : u32 = intrinsics.zext_u16_u32 x
  def u32 (x: u32) : u32 = x
  def u64 (x: u64) : u32 = intrinsics.itrunc_u64_u32 x
  def f16 (x: f16) : u32 = intrinsics.fptoui_f16_u32 x
  def f32 (x: f32) : u32 = intrinsics.fptoui_f32_u32 x
  def f64 (x: f64) : u32 = intrinsics.fptoui_f64_u32 x
  def bool (x: bool) : u32 = intrinsics.zext_bool_u32 x
  def to_i64 (x: u32) : i64 = intrinsics.zext_u32_i64 x

  def (+) (x: u32) (y: u32) : u32 = intrinsics.add_u32 x y
  def (-) (x: u32) (y: u32) : u32 = intrinsics.sub_u32 x y
  def (*) (x: u32) (y: u32) : u32 = intrinsics.mul_u32 x y
  def (/) (x: u32) (y: u32) : u32 = intrinsics.udiv_u32 x y
  def (%) (x: u32) (y: u32) : u32 = intrinsics.umod_u32 x y
  def (//) (x: u32) (y: u32) : u32 = intrinsics.udiv_u32 x y
  def (%%) (x: u32) (y: u32) : u32 = intrinsics.umod_u32 x y
  def (**) (x: u32) (y: u32) : u32 = intrinsics.upow_u32 x y
  def (&) (x: u32) (y: u32) : u32 = intrinsics.and_u32 x y
  def (|) (x: u32) (y: u32) : u32 = intrinsics.or_u32 x y
  def (^) (x: u32) (y: u32) : u32 = intrinsics.xor_u32 x y
  def (<<) (x: u32) (y: u32) : u32 = intrinsics.shl_u32 x y
  def (>>) (x: u32) (y: u32) : u32 = intrinsics.ashr_u32 x y
  def (>>>) (x: u32) (y: u32) : u32 = intrinsics.lshr_u32 x y
  def (==) (x: u32) (y: u32) : bool = intrinsics.eq_u32 x y
  def (!=) (x: u32) (y: u32) : bool = intrinsics.ne_u32 x y
  def (<) (x: u32) (y: u32) : bool = intrinsics.ult_u32 x y
  def (<=) (x: u32) (y: u32) : bool = intrinsics.ule_u32 x y
  def (>) (x: u32) (y: u32) : bool = intrinsics.ult_u32 y x
  def (>=) (x: u32) (y: u32) : bool = intrinsics.ule_u32 y x

  def not (x: u32) : u32 = intrinsics.not_u32 x
  def neg (x: u32) : u32 = intrinsics.neg_u32 x
  def abs (x: u32) : u32 = x
  def sgn (x: u32) : u32 = intrinsics.umin_u32 x 1u32
  def max (x: u32) (y: u32) : u32 = intrinsics.umax_u32 x y
  def min (x: u32) (y: u32) : u32 = intrinsics.umin_u32 x y
  def highest : u32 = 4294967295u32
  def lowest : u32 = 0u32

  def num_bits : i32 = 32i32
  def get_bit (bit: i32) (x: u32) : i32 =
    intrinsics.bitcast_u32_i32 (intrinsics.and_u32 (intrinsics.lshr_u32 x (i32 bit)) 1u32)
  def set_bit (bit: i32) (x: u32) (b: i32) : u32 =
    let mask = intrinsics.shl_u32 1u32 (i32 bit)
    let value = intrinsics.shl_u32 (i32 b) (i32 bit)
    in intrinsics.or_u32 (intrinsics.and_u32 x (intrinsics.not_u32 mask)) value
  def mul_hi (x: u32) (y: u32) : u32 = intrinsics.umulh_u32 x y
  def mad_hi (a: u32) (b: u32) (c: u32) : u32 = intrinsics.add_u32 (intrinsics.umulh_u32 a b) c
  def popc (x: u32) : i32 = intrinsics.bitcast_u32_i32 (intrinsics.popc_u32 x)
  def clz (x: u32) : i32 = intrinsics.bitcast_u32_i32 (intrinsics.clz_u32 x)
  def ctz (x: u32) : i32 = intrinsics.bitcast_u32_i32 (intrinsics.ctz_u32 x)

  def sum [n] (xs: [n]u32) : u32 = intrinsics.reduce_comm (+) 0u32 xs
  def product [n] (xs: [n]u32) : u32 = intrinsics.reduce_comm (*) 1u32 xs
  def maximum [n] (xs: [n]u32) : u32 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u32) : u32 = intrinsics.reduce_comm min highest xs
}

-- | Unsigned integers of 64 bits.
module u64 : (integral with t = u64) = {
  type t = u64

  def i8 (x: i8) : u64 = intrinsics.zext_i8_u64 x
  def i16 (x: i16) : u64 = intrinsics.zext_i16_u64 x
  def i32 (x: i32) : u64 = intrinsics.zext_i32_u64 x
  def i64 (x: i64) : u64 = intrinsics.bitcast_i64_u64 x
  def u8 (x: u8) : u64 = intrinsics.zext_u8_u64 x
  def u16 (x: u16) : u64 = intrinsics.zext_u16_u64 x
  def u32 (x: u32) : u64 = intrinsics.zext_u32_u64 x
  def u64 (x: u64) : u64 = x
  def f16 (x: f16) : u64 = intrinsics.fptoui_f16_u64 x
  def f32 (x: f32) : u64 = intrinsics.fptoui_f32_u64 x
  def f64 (x: f64) : u64 = intrinsics.fptoui_f64_u64 x
  def bool (x: bool) : u64 = intrinsics.zext_bool_u64 x
  def to_i64 (x: u64) : i64 = intrinsics.bitcast_u64_i64 x

  def (+) (x: u64) (y: u64) : u64 = intrinsics.add_u64 x y
  def (-) (x: u64) (y: u64) : u64 = intrinsics.sub_u64 x y
  def (*) (x: u64) (y: u64) : u64 = intrinsics.mul_u64 x y
  def (/) (x: u64) (y: u64) : u64 = intrinsics.udiv_u64 x y
  def (%) (x: u64) (y: u64) : u64 = intrinsics.umod_u64 x y
  def (//) (x: u64) (y: u64) : u64 = intrinsics.udiv_u64 x y
  def (%%) (x: u64) (y: u64) : u64 = intrinsics.umod_u64 x y
  def (**) (x: u64) (y: u64) : u64 = intrinsics.upow_u64 x y
  def (&) (x: u64) (y: u64) : u64 = intrinsics.and_u64 x y
  def (|) (x: u64) (y: u64) : u64 = intrinsics.or_u64 x y
  def (^) (x: u64) (y: u64) : u64 = intrinsics.xor_u64 x y
  def (<<) (x: u64) (y: u64) : u64 = intrinsics.shl_u64 x y
  def (>>) (x: u64) (y: u64) : u64 = intrinsics.ashr_u64 x y
  def (>>>) (x: u64) (y: u64) : u64 = intrinsics.lshr_u64 x y
  def (==) (x: u64) (y: u64) : bool = intrinsics.eq_u64 x y
  def (!=) (x: u64) (y: u64) : bool = intrinsics.ne_u64 x y
  def (<) (x: u64) (y: u64) : bool = intrinsics.ult_u64 x y
  def (<=) (x: u64) (y: u64) : bool = intrinsics.ule_u64 x y
  def (>) (x: u64) (y: u64) : bool = intrinsics.ult_u64 y x
  def (>=) (x: u64) (y: u64) : bool = intrinsics.ule_u64 y x

  def not (x: u64) : u64 = intrinsics.not_u64 x
  def neg (x: u64) : u64 = intrinsics.neg_u64 x
  def abs (x: u64) : u64 = x
  def sgn (x: u64) : u64 = intrinsics.umin_u64 x 1u64
  def max (x: u64) (y: u64) : u64 = intrinsics.umax_u64 x y
  def min (x: u64) (y: u64) : u64 = intrinsics.umin_u64 x y
  def highest : u64 = 18446744073709551615u64
  def lowest : u64 = 0u64

  def num_bits : i32 = 64i32
  def get_bit (bit: i32) (x: u64) : i32 =
    intrinsics.itrunc_u64_i32 (intrinsics.and_u64 (intrinsics.lshr_u64 x (i32 bit)) 1u64)
  def set_bit (bit: i32) (x: u64) (b: i32) : u64 =
    let mask = intrinsics.shl_u64 1u64 (i32 bit)
    let value = intrinsics.shl_u64 (i32 b) (i32 bit)
    in intrinsics.or_u64 (intrinsics.and_u64 x (intrinsics.not_u64 mask)) value
  def mul_hi (x: u64) (y: u64) : u64 = intrinsics.umulh_u64 x y
  def mad_hi (a: u64) (b: u64) (c: u64) : u64 = intrinsics.add_u64 (intrinsics.umulh_u64 a b) c
  def popc (x: u64) : i32 = intrinsics.itrunc_u64_i32 (intrinsics.popc_u64 x)
  def clz (x: u64) : i32 = intrinsics.itrunc_u64_i32 (intrinsics.clz_u64 x)
  def ctz (x: u64) : i32 = intrinsics.itrunc_u64_i32 (intrinsics.ctz_u64 x)

  def sum [n] (xs: [n]u64) : u64 = intrinsics.reduce_comm (+) 0u64 xs
  def product [n] (xs: [n]u64) : u64 = intrinsics.reduce_comm (*) 1u64 xs
  def maximum [n] (xs: [n]u64) : u64 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]u64) : u64 = intrinsics.reduce_comm min highest xs
}

-- | Floats of 16 bits.
module f16 : (float with t = f16 with int_t = u16) = {
  -- The name `u16` will be a conversion's.
  local module word = u16

  type t = f16
  type int_t = u16

  def i8 (x: i8) : f16 = intrinsics.sitofp_i8_f16 x
  def i16 (x: i16) : f16 = intrinsics.sitofp_i16_f16 x
  def i32 (x: i32) : f16 = intrinsics.sitofp_i32_f16 x
  def i64 (x: i64) : f16 = intrinsics.sitofp_i64_f16 x
  def u8 (x: u8) : f16 = intrinsics.uitofp_u8_f16 x
  def u16 (x: u16) : f16 = intrinsics.uitofp_u16_f16 x
  def u32 (x: u32) : f16 = intrinsics.uitofp_u32_f16 x
  def u64 (x: u64) : f16 = intrinsics.uitofp_u64_f16 x
  def f16 (x: f16) : f16 = x
  def f32 (x: f32) : f16 = intrinsics.fpconv_f32_f16 x
  def f64 (x: f64) : f16 = intrinsics.fpconv_f64_f16 x
  def bool (x: bool) : f16 = intrinsics.uitofp_bool_f16 x
  def from_fraction (x: i64) (y: i64) : f16 = intrinsics.fdiv_f16 (i64 x) (i64 y)
  def to_i64 (x: f16) : i64 = intrinsics.fptosi_f16_i64 x
  def to_f64 (x: f16) : f64 = intrinsics.fpconv_f16_f64 x

  def (+) (x: f16) (y: f16) : f16 = intrinsics.fadd_f16 x y
  def (-) (x: f16) (y: f16) : f16 = intrinsics.fsub_f16 x y
  def (*) (x: f16) (y: f16) : f16 = intrinsics.fmul_f16 x y
  def (/) (x: f16) (y: f16) : f16 = intrinsics.fdiv_f16 x y
  def (%) (x: f16) (y: f16) : f16 = intrinsics.fmod_f16 x y
  def (**) (x: f16) (y: f16) : f16 = intrinsics.fpow_f16 x y
  def (==) (x: f16) (y: f16) : bool = intrinsics.eq_f16 x y
  def (!=) (x: f16) (y: f16) : bool = intrinsics.ne_f16 x y
  def (<) (x: f16) (y: f16) : bool = intrinsics.flt_f16 x y
  def (<=) (x: f16) (y: f16) : bool = intrinsics.fle_f16 x y
  def (>) (x: f16) (y: f16) : bool = intrinsics.flt_f16 y x
  def (>=) (x: f16) (y: f16) : bool = intrinsics.fle_f16 y x

  def neg (x: f16) : f16 = intrinsics.fneg_f16 x
  def recip (x: f16) : f16 = intrinsics.fdiv_f16 1f16 x
  def abs (x: f16) : f16 = intrinsics.fabs_f16 x
  def sgn (x: f16) : f16 = intrinsics.fsgn_f16 x
  def max (x: f16) (y: f16) : f16 = intrinsics.fmax_f16 x y
  def min (x: f16) (y: f16) : f16 = intrinsics.fmin_f16 x y

  def sqrt (x: f16) : f16 = intrinsics.sqrt_f16 x
  def rsqrt (x: f16) : f16 = intrinsics.rsqrt_f16 x
  def cbrt (x: f16) : f16 = intrinsics.cbrt_f16 x
  def exp (x: f16) : f16 = intrinsics.exp_f16 x
  def sin (x: f16) : f16 = intrinsics.sin_f16 x
  def cos (x: f16) : f16 = intrinsics.cos_f16 x
  def tan (x: f16) : f16 = intrinsics.tan_f16 x
  def sinpi (x: f16) : f16 = intrinsics.sinpi_f16 x
  def cospi (x: f16) : f16 = intrinsics.cospi_f16 x
  def tanpi (x: f16) : f16 = intrinsics.tanpi_f16 x
  def asin (x: f16) : f16 = intrinsics.asin_f16 x
  def acos (x: f16) : f16 = intrinsics.acos_f16 x
  def atan (x: f16) : f16 = intrinsics.atan_f16 x
  def asinpi (x: f16) : f16 = intrinsics.asinpi_f16 x
  def acospi (x: f16) : f16 = intrinsics.acospi_f16 x
  def atanpi (x: f16) : f16 = intrinsics.atanpi_f16 x
  def sinh (x: f16) : f16 = intrinsics.sinh_f16 x
  def cosh (x: f16) : f16 = intrinsics.cosh_f16 x
  def tanh (x: f16) : f16 = intrinsics.tanh_f16 x
  def asinh (x: f16) : f16 = intrinsics.asinh_f16 x
  def acosh (x: f16) : f16 = intrinsics.acosh_f16 x
  def atanh (x: f16) : f16 = intrinsics.atanh_f16 x
  def gamma (x: f16) : f16 = intrinsics.gamma_f16 x
  def lgamma (x: f16) : f16 = intrinsics.lgamma_f16 x
  def erf (x: f16) : f16 = intrinsics.erf_f16 x
  def erfc (x: f16) : f16 = intrinsics.erfc_f16 x
  def log (x: f16) : f16 = intrinsics.log_f16 x
  def log2 (x: f16) : f16 = intrinsics.log2_f16 x
  def log10 (x: f16) : f16 = intrinsics.log10_f16 x
  def log1p (x: f16) : f16 = intrinsics.log1p_f16 x
  def ceil (x: f16) : f16 = intrinsics.ceil_f16 x
  def floor (x: f16) : f16 = intrinsics.floor_f16 x
  def trunc (x: f16) : f16 = intrinsics.trunc_f16 x
  def round (x: f16) : f16 = intrinsics.round_f16 x
  def atan2 (x: f16) (y: f16) : f16 = intrinsics.atan2_f16 x y
  def atan2pi (x: f16) (y: f16) : f16 = intrinsics.atan2pi_f16 x y
  def hypot (x: f16) (y: f16) : f16 = intrinsics.hypot_f16 x y
  def copysign (x: f16) (y: f16) : f16 = intrinsics.copysign_f16 x y
  def nextafter (x: f16) (y: f16) : f16 = intrinsics.nextafter_f16 x y
  def fma (a: f16) (b: f16) (c: f16) : f16 = intrinsics.fma_f16 a b c
  def mad (a: f16) (b: f16) (c: f16) : f16 = intrinsics.mad_f16 a b c
  def lerp (v0: f16) (v1: f16) (x: f16) : f16 = intrinsics.lerp_f16 v0 v1 x
  def ldexp (x: f16) (n: i32) : f16 = intrinsics.ldexp_f16 x (i32 n)
  def isinf (x: f16) : bool = intrinsics.isinf_f16_bool x
  def isnan (x: f16) : bool = intrinsics.isnan_f16_bool x

  def inf : f16 = intrinsics.fdiv_f16 1f16 0f16
  def nan : f16 = intrinsics.fdiv_f16 0f16 0f16
  def highest : f16 = inf
  def lowest : f16 = intrinsics.fneg_f16 inf
  def epsilon : f16 = 1.1920929e-7f16
  def pi : f16 = intrinsics.fpconv_f64_f16 3.141592653589793f64
  def e : f16 = intrinsics.fpconv_f64_f16 2.718281828459045f64

  def to_bits (x: f16) : u16 = intrinsics.bitcast_f16_u16 x
  def from_bits (x: u16) : f16 = intrinsics.bitcast_u16_f16 x
  def num_bits : i32 = 16i32
  def get_bit (bit: i32) (x: f16) : i32 = word.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: f16) (b: i32) : f16 = from_bits (word.set_bit bit (to_bits x) b)

  def sum [n] (xs: [n]f16) : f16 = intrinsics.reduce_comm (+) 0f16 xs
  def product [n] (xs: [n]f16) : f16 = intrinsics.reduce_comm (*) 1f16 xs
  def maximum [n] (xs: [n]f16) : f16 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f16) : f16 = intrinsics.reduce_comm min highest xs
}

-- | Floats of 32 bits.
module f32 : (float with t = f32 with int_t = u32) = {
  -- The name `u32` will be a conversion's.
  local module word = u32

  type t = f32
  type int_t = u32

  def i8 (x: i8) : f32 = intrinsics.sitofp_i8_f32 x
  def i16 (x: i16) : f32 = intrinsics.sitofp_i16_f32 x
  def i32 (x: i32) : f32 = intrinsics.sitofp_i32_f32 x
  def i64 (x: i64) : f32 = intrinsics.sitofp_i64_f32 x
  def u8 (x: u8) : f32 = intrinsics.uitofp_u8_f32 x
  def u16 (x: u16) : f32 = intrinsics.uitofp_u16_f32 x
  def u32 (x: u32) : f32 = intrinsics.uitofp_u32_f32 x
  def u64 (x: u64) : f32 = intrinsics.uitofp_u64_f32 x
  def f16 (x: f16) : f32 = intrinsics.fpconv_f16_f32 x
  def f32 (x: f32) : f32 = x
  def f64 (x: f64) : f32 = intrinsics.fpconv_f64_f32 x
  def bool (x: bool) : f32 = intrinsics.uitofp_bool_f32 x
  def from_fraction (x: i64) (y: i64) : f32 = intrinsics.fdiv_f32 (i64 x) (i64 y)
  def to_i64 (x: f32) : i64 = intrinsics.fptosi_f32_i64 x
  def to_f64 (x: f32) : f64 = intrinsics.fpconv_f32_f64 x

  def (+) (x: f32) (y: f32) : f32 = intrinsics.fadd_f32 x y
  def (-) (x: f32) (y: f32) : f32 = intrinsics.fsub_f32 x y
  def (*) (x: f32) (y: f32) : f32 = intrinsics.fmul_f32 x y
  def (/) (x: f32) (y: f32) : f32 = intrinsics.fdiv_f32 x y
  def (%) (x: f32) (y: f32) : f32 = intrinsics.fmod_f32 x y
  def (**) (x: f32) (y: f32) : f32 = intrinsics.fpow_f32 x y
  def (==) (x: f32) (y: f32) : bool = intrinsics.eq_f32 x y
  def (!=) (x: f32) (y: f32) : bool = intrinsics.ne_f32 x y
  def (<) (x: f32) (y: f32) : bool = intrinsics.flt_f32 x y
  def (<=) (x: f32) (y: f32) : bool = intrinsics.fle_f32 x y
  def (>) (x: f32) (y: f32) : bool = intrinsics.flt_f32 y x
  def (>=) (x: f32) (y: f32) : bool = intrinsics.fle_f32 y x

  def neg (x: f32) : f32 = intrinsics.fneg_f32 x
  def recip (x: f32) : f32 = intrinsics.fdiv_f32 1f32 x
  def abs (x: f32) : f32 = intrinsics.fabs_f32 x
  def sgn (x: f32) : f32 = intrinsics.fsgn_f32 x
  def max (x: f32) (y: f32) : f32 = intrinsics.fmax_f32 x y
  def min (x: f32) (y: f32) : f32 = intrinsics.fmin_f32 x y

  def sqrt (x: f32) : f32 = intrinsics.sqrt_f32 x
  def rsqrt (x: f32) : f32 = intrinsics.rsqrt_f32 x
  def cbrt (x: f32) : f32 = intrinsics.cbrt_f32 x
  def exp (x: f32) : f32 = intrinsics.exp_f32 x
  def sin (x: f32) : f32 = intrinsics.sin_f32 x
  def cos (x: f32) : f32 = intrinsics.cos_f32 x
  def tan (x: f32) : f32 = intrinsics.tan_f32 x
  def sinpi (x: f32) : f32 = intrinsics.sinpi_f32 x
  def cospi (x: f32) : f32 = intrinsics.cospi_f32 x
  def tanpi (x: f32) : f32 = intrinsics.tanpi_f32 x
  def asin (x: f32) : f32 = intrinsics.asin_f32 x
  def acos (x: f32) : f32 = intrinsics.acos_f32 x
  def atan (x: f32) : f32 = intrinsics.atan_f32 x
  def asinpi (x: f32) : f32 = intrinsics.asinpi_f32 x
  def acospi (x: f32) : f32 = intrinsics.acospi_f32 x
  def atanpi (x: f32) : f32 = intrinsics.atanpi_f32 x
  def sinh (x: f32) : f32 = intrinsics.sinh_f32 x
  def cosh (x: f32) : f32 = intrinsics.cosh_f32 x
  def tanh (x: f32) : f32 = intrinsics.tanh_f32 x
  def asinh (x: f32) : f32 = intrinsics.asinh_f32 x
  def acosh (x: f32) : f32 = intrinsics.acosh_f32 x
  def atanh (x: f32) : f32 = intrinsics.atanh_f32 x
  def gamma (x: f32) : f32 = intrinsics.gamma_f32 x
  def lgamma (x: f32) : f32 = intrinsics.lgamma_f32 x
  def erf (x: f32) : f32 = intrinsics.erf_f32 x
  def erfc (x: f32) : f32 = intrinsics.erfc_f32 x
  def log (x: f32) : f32 = intrinsics.log_f32 x
  def log2 (x: f32) : f32 = intrinsics.log2_f32 x
  def log10 (x: f32) : f32 = intrinsics.log10_f32 x
  def log1p (x: f32) : f32 = intrinsics.log1p_f32 x
  def ceil (x: f32) : f32 = intrinsics.ceil_f32 x
  def floor (x: f32) : f32 = intrinsics.floor_f32 x
  def trunc (x: f32) : f32 = intrinsics.trunc_f32 x
  def round (x: f32) : f32 = intrinsics.round_f32 x
  def atan2 (x: f32) (y: f32) : f32 = intrinsics.atan2_f32 x y
  def atan2pi (x: f32) (y: f32) : f32 = intrinsics.atan2pi_f32 x y
  def hypot (x: f32) (y: f32) : f32 = intrinsics.hypot_f32 x y
  def copysign (x: f32) (y: f32) : f32 = intrinsics.copysign_f32 x y
  def nextafter (x: f32) (y: f32) : f32 = intrinsics.nextafter_f32 x y
  def fma (a: f32) (b: f32) (c: f32) : f32 = intrinsics.fma_f32 a b c
  def mad (a: f32) (b: f32) (c: f32) : f32 = intrinsics.mad_f32 a b c
  def lerp (v0: f32) (v1: f32) (x: f32) : f32 = intrinsics.lerp_f32 v0 v1 x
  def ldexp (x: f32) (n: i32) : f32 = intrinsics.ldexp_f32 x (i32 n)
  def isinf (x: f32) : bool = intrinsics.isinf_f32_bool x
  def isnan (x: f32) : bool = intrinsics.isnan_f32_bool x

  def inf : f32 = intrinsics.fdiv_f32 1f32 0f32
  def nan : f32 = intrinsics.fdiv_f32 0f32 0f32
  def highest : f32 = inf
  def lowest : f32 = intrinsics.fneg_f32 inf
  def epsilon : f32 = 1.1920929e-7f32
  def pi : f32 = intrinsics.fpconv_f64_f32 3.141592653589793f64
  def e : f32 = intrinsics.fpconv_f64_f32 2.718281828459045f64

  def to_bits (x: f32) : u32 = intrinsics.bitcast_f32_u32 x
  def from_bits (x: u32) : f32 = intrinsics.bitcast_u32_f32 x
  def num_bits : i32 = 32i32
  def get_bit (bit: i32) (x: f32) : i32 = word.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: f32) (b: i32) : f32 = from_bits (word.set_bit bit (to_bits x) b)

  def sum [n] (xs: [n]f32) : f32 = intrinsics.reduce_comm (+) 0f32 xs
  def product [n] (xs: [n]f32) : f32 = intrinsics.reduce_comm (*) 1f32 xs
  def maximum [n] (xs: [n]f32) : f32 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f32) : f32 = intrinsics.reduce_comm min highest xs
}

-- | Floats of 64 bits.
module f64 : (float with t = f64 with int_t = u64) = {
  -- The name `u64` will be a conversion's.
  local module word = u64

  type t = f64
  type int_t = u64

  def i8 (x: i8) : f64 = intrinsics.sitofp_i8_f64 x
  def i16 (x: i16) : f64 = intrinsics.sitofp_i16_f64 x
  def i32 (x: i32) : f64 = intrinsics.sitofp_i32_f64 x
  def i64 (x: i64) : f64 = intrinsics.sitofp_i64_f64 x
  def u8 (x: u8) : f64 = intrinsics.uitofp_u8_f64 x
  def u16 (x: u16) : f64 = intrinsics.uitofp_u16_f64 x
  def u32 (x: u32) : f64 = intrinsics.uitofp_u32_f64 x
  def u64 (x: u64) : f64 = intrinsics.uitofp_u64_f64 x
  def f16 (x: f16) : f64 = intrinsics.fpconv_f16_f64 x
  def f32 (x: f32) : f64 = intrinsics.fpconv_f32_f64 x
  def f64 (x: f64) : f64 = x
  def bool (x: bool) : f64 = intrinsics.uitofp_bool_f64 x
  def from_fraction (x: i64) (y: i64) : f64 = intrinsics.fdiv_f64 (i64 x) (i64 y)
  def to_i64 (x: f64) : i64 = intrinsics.fptosi_f64_i64 x
  def to_f64 (x: f64) : f64 = x

  def (+) (x: f64) (y: f64) : f64 = intrinsics.fadd_f64 x y
  def (-) (x: f64) (y: f64) : f64 = intrinsics.fsub_f64 x y
  def (*) (x: f64) (y: f64) : f64 = intrinsics.fmul_f64 x y
  def (/) (x: f64) (y: f64) : f64 = intrinsics.fdiv_f64 x y
  def (%) (x: f64) (y: f64) : f64 = intrinsics.fmod_f64 x y
  def (**) (x: f64) (y: f64) : f64 = intrinsics.fpow_f64 x y
  def (==) (x: f64) (y: f64) : bool = intrinsics.eq_f64 x y
  def (!=) (x: f64) (y: f64) : bool = intrinsics.ne_f64 x y
  def (<) (x: f64) (y: f64) : bool = intrinsics.flt_f64 x y
  def (<=) (x: f64) (y: f64) : bool = intrinsics.fle_f64 x y
  def (>) (x: f64) (y: f64) : bool = intrinsics.flt_f64 y x
  def (>=) (x: f64) (y: f64) : bool = intrinsics.fle_f64 y x

  def neg (x: f64) : f64 = intrinsics.fneg_f64 x
  def recip (x: f64) : f64 = intrinsics.fdiv_f64 1f64 x
  def abs (x: f64) : f64 = intrinsics.fabs_f64 x
  def sgn (x: f64) : f64 = intrinsics.fsgn_f64 x
  def max (x: f64) (y: f64) : f64 = intrinsics.fmax_f64 x y
  def min (x: f64) (y: f64) : f64 = intrinsics.fmin_f64 x y

  def sqrt (x: f64) : f64 = intrinsics.sqrt_f64 x
  def rsqrt (x: f64) : f64 = intrinsics.rsqrt_f64 x
  def cbrt (x: f64) : f64 = intrinsics.cbrt_f64 x
  def exp (x: f64) : f64 = intrinsics.exp_f64 x
  def sin (x: f64) : f64 = intrinsics.sin_f64 x
  def cos (x: f64) : f64 = intrinsics.cos_f64 x
  def tan (x: f64) : f64 = intrinsics.tan_f64 x
  def sinpi (x: f64) : f64 = intrinsics.sinpi_f64 x
  def cospi (x: f64) : f64 = intrinsics.cospi_f64 x
  def tanpi (x: f64) : f64 = intrinsics.tanpi_f64 x
  def asin (x: f64) : f64 = intrinsics.asin_f64 x
  def acos (x: f64) : f64 = intrinsics.acos_f64 x
  def atan (x: f64) : f64 = intrinsics.atan_f64 x
  def asinpi (x: f64) : f64 = intrinsics.asinpi_f64 x
  def acospi (x: f64) : f64 = intrinsics.acospi_f64 x
  def atanpi (x: f64) : f64 = intrinsics.atanpi_f64 x
  def sinh (x: f64) : f64 = intrinsics.sinh_f64 x
  def cosh (x: f64) : f64 = intrinsics.cosh_f64 x
  def tanh (x: f64) : f64 = intrinsics.tanh_f64 x
  def asinh (x: f64) : f64 = intrinsics.asinh_f64 x
  def acosh (x: f64) : f64 = intrinsics.acosh_f64 x
  def atanh (x: f64) : f64 = intrinsics.atanh_f64 x
  def gamma (x: f64) : f64 = intrinsics.gamma_f64 x
  def lgamma (x: f64) : f64 = intrinsics.lgamma_f64 x
  def erf (x: f64) : f64 = intrinsics.erf_f64 x
  def erfc (x: f64) : f64 = intrinsics.erfc_f64 x
  def log (x: f64) : f64 = intrinsics.log_f64 x
  def log2 (x: f64) : f64 = intrinsics.log2_f64 x
  def log10 (x: f64) : f64 = intrinsics.log10_f64 x
  def log1p (x: f64) : f64 = intrinsics.log1p_f64 x
  def ceil (x: f64) : f64 = intrinsics.ceil_f64 x
  def floor (x: f64) : f64 = intrinsics.floor_f64 x
  def trunc (x: f64) : f64 = intrinsics.trunc_f64 x
  def round (x: f64) : f64 = intrinsics.round_f64 x
  def atan2 (x: f64) (y: f64) : f64 = intrinsics.atan2_f64 x y
  def atan2pi (x: f64) (y: f64) : f64 = intrinsics.atan2pi_f64 x y
  def hypot (x: f64) (y: f64) : f64 = intrinsics.hypot_f64 x y
  def copysign (x: f64) (y: f64) : f64 = intrinsics.copysign_f64 x y
  def nextafter (x: f64) (y: f64) : f64 = intrinsics.nextafter_f64 x y
  def fma (a: f64) (b: f64) (c: f64) : f64 = intrinsics.fma_f64 a b c
  def mad (a: f64) (b: f64) (c: f64) : f64 = intrinsics.mad_f64 a b c
  def lerp (v0: f64) (v1: f64) (x: f64) : f64 = intrinsics.lerp_f64 v0 v1 x
  def ldexp (x: f64) (n: i32) : f64 = intrinsics.ldexp_f64 x (i32 n)
  def isinf (x: f64) : bool = intrinsics.isinf_f64_bool x
  def isnan (x: f64) : bool = intrinsics.isnan_f64_bool x

  def inf : f64 = intrinsics.fdiv_f64 1f64 0f64
  def nan : f64 = intrinsics.fdiv_f64 0f64 0f64
  def highest : f64 = inf
  def lowest : f64 = intrinsics.fneg_f64 inf
  def epsilon : f64 = 2.220446049250313e-16f64
  def pi : f64 = 3.141592653589793f64
  def e : f64 = 2.718281828459045f64

  def to_bits (x: f64) : u64 = intrinsics.bitcast_f64_u64 x
  def from_bits (x: u64) : f64 = intrinsics.bitcast_u64_f64 x
  def num_bits : i32 = 64i32
  def get_bit (bit: i32) (x: f64) : i32 = word.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: f64) (b: i32) : f64 = from_bits (word.set_bit bit (to_bits x) b)

  def sum [n] (xs: [n]f64) : f64 = intrinsics.reduce_comm (+) 0f64 xs
  def product [n] (xs: [n]f64) : f64 = intrinsics.reduce_comm (*) 1f64 xs
  def maximum [n] (xs: [n]f64) : f64 = intrinsics.reduce_comm max lowest xs
  def minimum [n] (xs: [n]f64) : f64 = intrinsics.reduce_comm min highest xs
}
