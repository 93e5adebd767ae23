-- `filter` keeps the elements that satisfy a predicate, in their order.
-- ==
-- input { [5, -1, 3, -2] }
-- output { [5, 3] }
-- input { [-1] }
-- output { empty([0]i32) }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main (xs: []i32) = filter (> 0) xs
