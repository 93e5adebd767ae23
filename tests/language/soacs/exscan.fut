-- `exscan` is an exclusive scan: each result leaves out the element at its own index.
-- ==
-- input { [1, 2, 3] }
-- output { [0, 1, 3] }
-- input { [7] }
-- output { [0] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main (xs: []i32) = exscan (+) 0 xs
