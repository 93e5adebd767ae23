-- The module must define the type as `with` says.
-- ==
-- error: E0217.*:5:32
module type zero = { type t val zero : t }
module m : zero with t = i32 = { type t = f32 def zero = 0i32 }
