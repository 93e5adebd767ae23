-- Numbers are compared by `< <= > >= == !=`.
-- ==
-- input { 1.0f32 2.0f32 }
-- output { true true false false false true }
-- input { 2.0f32 2.0f32 }
-- output { false true false true true false }
def main (x: f32) (y: f32) = (x < y, x <= y, x > y, x >= y, x == y, x != y)
