-- The function of `flatmap` returns a value of fixed size for each element in addition to the array.
-- ==
-- input { [2i64, 1i64] }
-- output { [7, 7, 7] [4i64, 1i64] }
-- input { empty([0]i64) }
-- output { empty([0]i32) empty([0]i64) }
def main (ns: []i64) =
  let (_, _, _, data, squares) = flatmap (\n -> (replicate n 7i32, n * n)) ns
  in (data, squares)
