-- `#[warn(safety_checks)]` asks for a warning where a check remains, including one inside a called function.
-- ==
-- warning: W0007.*:13:46
-- input { [5, 6, 7] [2i64, 0] }
-- output { [14, 10] [8, 6] [8, 6] }
-- input { [5, 6, 7] [3i64] }
-- error: out of bounds
def at (xs: []i32) (i: i64) : i32 = xs[i]
def twice (x: i32) : i32 = x + x

def main (xs: []i32) (is: []i64) =
  let quiet (x: i32) = #[warn(safety_checks)] x + 1
  let ys = map (\i -> #[warn(safety_checks)] at xs i) is
  in (#[warn(safety_checks)] map twice ys, map quiet ys, map (\y -> y + 1) ys)
