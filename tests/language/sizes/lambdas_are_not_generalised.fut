-- The sizes of a lambda's parameters are the same in all its calls.
-- ==
-- error: E0301.*:6:23
def main (xs: [2]i32) =
  let count = \(ys: []i32) -> length ys
  in count xs + count [1, 2, 3]
