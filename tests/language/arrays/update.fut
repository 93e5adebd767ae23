-- `a with [i] = e` is the array `a` with another element; what was `a` is used no more.
-- ==
-- input { [1, 2, 3] 1i64 9 }
-- output { [1, 9, 3] }
-- input { [1] 0i64 9 }
-- output { [9] }
def main (xs: *[]i32) (i: i64) (x: i32) = xs with [i] = x
