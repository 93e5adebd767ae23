-- A parameter may be the size of another one, explicitly or by inference; the arguments are checked on entry.
-- ==
-- entry: written inferred
-- input { 2i64 [1, 2] }
-- output { 3 }
-- input { 0i64 empty([0]i32) }
-- output { 0 }
-- input { 1i64 [1, 2] }
-- error: invalid size
-- input { 3i64 [1, 2] }
-- error: invalid size
def total (n: i64) (xs: [n]i32) : i32 = i32.sum xs

entry written (n: i64) (xs: [n]i32) = total n xs
entry inferred (n: i64) (xs: []i32) = total n xs
