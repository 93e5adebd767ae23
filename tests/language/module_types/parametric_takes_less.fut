-- A parametric module may require less of its argument than its module type says, and define more.
-- ==
-- input { 4 }
-- output { 4 }
module type number = { type t val one : t val two : t }
module type first = (n: number) -> { val first : n.t }
module first : first = \(n: { type t val one : t }) -> { def first = n.one def second = n.one }
module of_ints = first { type t = i32 def one = 1i32 def two = 2i32 }

def main (x: i32) = x * of_ints.first
