-- `flatmap'` concatenates the arrays that a function returns for the elements, whatever their sizes.
-- ==
-- input { [2i64, 0i64, 3i64] }
-- output { [0i64, 1i64, 0i64, 1i64, 2i64] }
-- input { [0i64] }
-- output { empty([0]i64) }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
def main (ns: []i64) =
  let (_, _, _, data) = flatmap' iota ns
  in data
