-- `unflatten` divides an array into rows; their number and size come from the type of the result.
-- ==
-- input { [1, 2, 3, 4, 5, 6] }
-- output { [[1, 2, 3], [4, 5, 6]] }
def main (xs: [2 * 3]i32) : [2][3]i32 = unflatten xs

-- Sizes whose product is right may be no sizes all the same.
-- ==
-- entry: of_sizes
-- input { 2i64 1i64 }
-- output { [[7], [7]] }
-- input { 0i64 5i64 }
-- output { empty([0][5]i32) }
-- input { -1i64 -3i64 }
-- error: Cannot unflatten array of shape .3. to array of shape .-1..-3.
entry of_sizes (n: i64) (m: i64) : [n][m]i32 = unflatten (replicate (n * m) 7)
