-- `partition` separates the elements that satisfy a predicate from the others.
-- ==
-- input { [5, -1, 3] }
-- output { [5, 3] [-1] }
-- input { [4] }
-- output { [4] empty([0]i32) }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
def main (xs: []i32) = partition (> 0) xs
