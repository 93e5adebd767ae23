-- The sizes of a local function's parameters may differ from call to call.
-- ==
-- input { [1, 2] }
-- output { 5i64 }
def main (xs: [2]i32) =
  let count (ys: []i32) = length ys
  in count xs + count [1, 2, 3]
