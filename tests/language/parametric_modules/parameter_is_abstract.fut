-- Of the types of a parameter no more is known than its module type says, also if all arguments have the same.
-- ==
-- error: E0201.*:7:39
module type number = { type t val one : t }
module ints = { type t = i32 def one = 1i32 }

module next (n: number) = { def two = n.one + 1i32 }
module next_int = next ints
