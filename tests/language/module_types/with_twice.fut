-- A type that has a definition already is not abstract, so `with` does not give it another.
-- ==
-- error: E0225.*:7:29
module type number = { type t val one : t }
module type int = number with t = i32

module type long = int with t = i64
