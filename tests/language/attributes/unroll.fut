-- `#[unroll]` unrolls a loop with a constant number of iterations, which runs over numbers or over an array.
-- ==
-- input { 3 }
-- output { 81 21i64 [3, 4, 5, 6] }
def main (x: i32) =
  let ys = #[unroll] loop ys = [x] for i < 3 do ys ++ [x + i + 1]
  let sum = #[unroll] loop sum = 0 for k in [1i64, 4, 16] do sum + k
  in (#[unroll] loop y = 1 for _i < 4i32 do y * x, sum, ys)
