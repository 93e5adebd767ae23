-- If a size changes from iteration to iteration, the result has a different size than the initial value.
-- ==
-- error: E0301.*:5:3
def main [n] (xs: [n]i32) (k: i32) : [n]i32 =
  loop ys = xs for _i < k do tail ys
