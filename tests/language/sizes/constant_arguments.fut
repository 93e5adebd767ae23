-- Where a size is given by an argument that is a number, the number is the size.
-- ==
-- input { }
-- output { [1, 2] }
def main : [2]i32 = replicate 2 1 |> map2 (+) [0, 1]
