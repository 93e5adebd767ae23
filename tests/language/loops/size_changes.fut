-- Where a size changes from round to round, the result has another size than the initial value.
-- ==
-- error: E0301.*:5:3
def main [n] (xs: [n]i32) (k: i32) : [n]i32 =
  loop ys = xs for _i < k do tail ys
