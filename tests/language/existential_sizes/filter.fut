-- The size of the result of `filter` is known only after it was evaluated.
-- ==
-- input { [3, -1, 4] }
-- output { [3, 4] }
-- input { [-1] }
-- output { empty([0]i32) }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main (xs: []i32) = filter (> 0) xs
