-- And it sees where the size changes.
-- ==
-- error: E0301.*:5:3
def main [n] (xs: [n]i32) (k: i32) : [n]i32 =
  loop ys = xs for _i < k do tail ys
