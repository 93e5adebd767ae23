-- `take n` returns the first `n` elements of an array, and `drop n` the remaining ones.
-- ==
-- input { 1i64 [1, 2, 3] }
-- output { [1] [2, 3] }
-- input { 0i64 [1] }
-- output { empty([0]i32) [1] }
-- input { 2i64 [1, 2] }
-- output { [1, 2] empty([0]i32) }
def main (n: i64) (xs: []i32) = (take n xs, drop n xs)
