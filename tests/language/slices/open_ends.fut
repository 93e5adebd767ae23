-- An omitted bound of a slice is the beginning or the end of the array.
-- ==
-- input { [1, 2, 3] 1i64 }
-- output { [2, 3] [1] [1, 2, 3] }
-- input { empty([0]i32) 0i64 }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) }
def main (xs: []i32) (i: i64) = (xs[i:], xs[:i], xs[:])
