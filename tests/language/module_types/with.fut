-- `with` gives the definition of an abstract type.
-- ==
-- input { 3 }
-- output { 0 }
module type zero = { type t val zero : t }
module int_zero : zero with t = i32 = { type t = i32 def zero = 0i32 }

def main (x: i32) : i32 = x * int_zero.zero
