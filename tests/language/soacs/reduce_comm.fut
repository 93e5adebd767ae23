-- `reduce_comm` may combine the elements in any order, so its operator must be commutative.
-- ==
-- input { [1, 2, 3] }
-- output { 6 }
-- input { empty([0]i32) }
-- output { 0 }
def main (xs: []i32) = reduce_comm (+) 0 xs
