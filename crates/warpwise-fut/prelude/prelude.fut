-- | What is in scope in every file.

open import "math"
open import "functional"
open import "zip"
open import "soacs"
open import "array"

-- | An f32 from an i32.
def r32 (x: i32) : f32 = f32.i32 x

-- | An i32 from an f32.
def t32 (x: f32) : i32 = i32.f32 x

-- | An f64 from an i32.
def r64 (x: i32) : f64 = f64.i32 x

-- | An i32 from an f64.
def t64 (x: f64) : i32 = i32.f64 x

-- | The other truth value.
def not (x: bool) : bool = intrinsics.not_bool x

-- | The argument.
def opaque 't (x: t) : t = x

-- | The argument.
def trace 't (x: t) : t = x

-- | The argument.
def break 't (x: t) : t = x
