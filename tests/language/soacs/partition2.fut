-- `partition2` divides the elements into three parts by two predicates.
-- ==
-- input { [5, -1, 0, 3] }
-- output { [5, 3] [-1] [0] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) }
def main (xs: []i32) = partition2 (> 0) (< 0) xs
