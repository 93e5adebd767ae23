-- `a[i]` is the element of `a` at index `i`; indices start at zero.
-- ==
-- input { [5, 6, 7] 0i64 }
-- output { 5 }
-- input { [5, 6, 7] 2i64 }
-- output { 7 }
-- input { [5] 0i64 }
-- output { 5 }
def main (xs: []i32) (i: i64) = xs[i]
