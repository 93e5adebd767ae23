-- `include` adds the specifications of another module type.
-- ==
-- input { 4 }
-- output { 16 }
module type zero = { type t val zero : t }
module type ring = { include zero val mul : t -> t -> t }
module ints : ring with t = i32 = { type t = i32 def zero = 0i32 def mul (x: t) (y: t) = x * y }

def main (x: i32) = ints.mul x x i32.+ ints.zero
