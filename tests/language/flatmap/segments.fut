-- `flatmap'` also returns the size of each segment, a flag at the start of each segment, and the offset of each segment.
-- ==
-- input { [2i64, 1i64] }
-- output { [2i64, 1i64] [true, false, true] [0i64, 2i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) empty([0]i64) }
def main (ns: []i64) =
  let (sizes, flags, offsets, _) = flatmap' iota ns
  in (sizes, flags, offsets)
