-- `with` cannot define a type that already has a definition, because that type is not abstract.
-- ==
-- error: E0225.*:7:29
module type number = { type t val one : t }
module type int = number with t = i32

module type long = int with t = i64
