-- The size of a slice with two bounds is their difference, which the type checker knows.
-- ==
-- input { [1, 2, 3, 4] 1i64 3i64 }
-- output { [2, 3] }
def main (xs: []i32) (i: i64) (j: i64) : [j - i]i32 = xs[i:j]
