-- `with` must name an abstract type of the module type.
-- ==
-- error: E0225.*:5:31
module type number = { type t val one : t }
module type int = number with u = i32
