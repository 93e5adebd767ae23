-- A number that is passed as a size becomes the size of the result.
-- ==
-- input { }
-- output { [1, 2] }
def main : [2]i32 = replicate 2 1 |> map2 (+) [0, 1]
