-- A size that is hidden by a result type is still known to callers if the body returns a size that they know.
-- ==
-- input { [1, 2, 3] }
-- output { [2, 3, 4] [2, 4, 6] 3i64 }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) 0i64 }
def added [k] (xs: [k]i32) : ?[n].[n]i32 = map (+ 1) xs

def both [k] (xs: [k]i32) : ?[n][m].([n]i32, [m]i32) = (map (* 2) xs, filter (> 0) xs)

entry main [k] (xs: [k]i32) : ([k]i32, [k]i32, i64) =
  (added xs, (both xs).0, length (both xs).1)
