-- A module parameter's types are known only as its module type declares them, even if all arguments define them alike.
-- ==
-- error: E0201.*:7:39
module type number = { type t val one : t }
module ints = { type t = i32 def one = 1i32 }

module next (n: number) = { def two = n.one + 1i32 }
module next_int = next ints
