-- `flatmap` gives the size of every part as well, where the parts start, and a flag at each start.
-- ==
-- input { [2i64, 1i64] }
-- output { [2i64, 1i64] [true, false, true] [0i64, 2i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) empty([0]i64) }
def main (ns: []i64) =
  let (sizes, flags, offsets, _) = flatmap' iota ns
  in (sizes, flags, offsets)
