-- `a with [i] = e` is `a` with the element at index `i` replaced by `e`; it consumes `a`.
-- ==
-- input { [1, 2, 3] 1i64 9 }
-- output { [1, 9, 3] }
-- input { [1] 0i64 9 }
-- output { [9] }
def main (xs: *[]i32) (i: i64) (x: i32) = xs with [i] = x
