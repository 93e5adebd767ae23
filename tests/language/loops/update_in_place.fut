-- A loop over the elements of one array may update another array in place.
-- ==
-- input { [2i64, 0i64, 2i64] }
-- output { [1, 0, 2] }
-- input { empty([0]i64) }
-- output { [0, 0, 0] }
def main (is: []i64) =
  loop counts = replicate 3 0i32 for i in is do counts with [i] = counts[i] + 1
