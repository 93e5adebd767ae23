-- `split` divides an array into two parts whose sizes add up to the size of the array.
-- ==
-- input { [1, 2, 3] }
-- output { [1] [2, 3] }
def main (xs: [1 + 2]i32) : ([1]i32, [2]i32) = split xs
