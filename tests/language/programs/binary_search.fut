-- A complete program: binary search for the insertion points of many values in a sorted array, with a `while` loop.
-- ==
-- input { [2, 4, 4, 9] [4, 1, 10] }
-- output { [1i64, 0i64, 4i64] }
-- input { empty([0]i32) [1] }
-- output { [0i64] }
-- input { [1] empty([0]i32) }
-- output { empty([0]i64) }
def place [n] (xs: [n]i32) (x: i32) : i64 =
  let (low, _) =
    loop (low, high) = (0, n) while low < high do
      let middle = (low + high) / 2
      in if xs[middle] < x then (middle + 1, high) else (low, middle)
  in low

def main (xs: []i32) (queries: []i32) = map (place xs) queries
