-- The result of an application may be opened directly.
-- ==
-- input { 4 }
-- output { 8 }
module type has_factor = { val factor : i32 }
module scaling (m: has_factor) = { def scale (x: i32) = m.factor * x }
open scaling { def factor = 2i32 }

def main (x: i32) = scale x
