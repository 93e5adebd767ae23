-- The function of a `map` may coerce its result to a size from outside.
-- ==
-- input { [2i64, 2i64] }
-- output { [[0i64, 1i64], [0i64, 1i64]] }
-- input { [2i64, 1i64] }
-- error: .
def main (ns: []i64) = map (\n -> iota n :> [2]i64) ns
