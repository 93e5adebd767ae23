-- `#[unroll]` needs a number of iterations that is known at compile time.
-- ==
-- warning: W0008.*:9:14
-- input { 3i64 2 }
-- output { 32 }
-- input { 0i64 2 }
-- output { 4 }
def main (n: i64) (x: i32) =
  (#[unroll] loop y = x for _i < n do y * 2) * (#[unroll] loop y = 1 for _i < 1i64 do y * 2)
