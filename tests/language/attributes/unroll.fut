-- The rounds of a short loop may be unrolled.
-- ==
-- input { 3 }
-- output { 81 }
def main (x: i32) = #[unroll] loop y = 1 for _i < 4i32 do y * x
