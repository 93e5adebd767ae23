-- NaN equals nothing, not even itself, and every ordered comparison with it is false.
-- ==
-- input { f32.nan }
-- output { false true false false }
-- input { 1.0f32 }
-- output { true false true false }
def main (x: f32) = (x == x, x != x, x <= x, x > x)
