-- `a[i:j]` is the part of `a` from index `i` up to, but not including, `j`.
-- ==
-- input { [1, 2, 3, 4] 1i64 3i64 }
-- output { [2, 3] }
-- input { [1, 2, 3, 4] 0i64 4i64 }
-- output { [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 4i64 4i64 }
-- output { empty([0]i32) }
def main (xs: []i32) (i: i64) (j: i64) = xs[i:j]
