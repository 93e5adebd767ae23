-- A value may be more general than its specification.
-- ==
-- input { 3 4 }
-- output { 3 }
module type pick = { val pick : i32 -> i32 -> i32 }
module m : pick = { def pick x _ = x }

def main (x: i32) (y: i32) = m.pick x y
