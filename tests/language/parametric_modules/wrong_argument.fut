-- The argument must have the module type of the parameter.
-- ==
-- error: E0217.*:6:17
module type has_zero = { type t val zero : t }
module pair (m: has_zero) = { def zeros = (m.zero, m.zero) }
module p = pair { type t = i32 def one = 1i32 }
