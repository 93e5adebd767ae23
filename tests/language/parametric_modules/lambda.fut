-- `\(m: t) -> e` is an anonymous parametric module.
-- ==
-- input { 5 }
-- output { 10 }
module type has_factor = { val factor : i32 }
module scaling = \(m: has_factor) -> { def scale (x: i32) = m.factor * x }
module doubling = scaling { def factor = 2i32 }

def main (x: i32) = doubling.scale x
