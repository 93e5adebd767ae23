-- `copy` returns an equal value in memory of its own.
-- ==
-- input { [1, 2] }
-- output { [0, 2] [1, 2] }
def main (xs: []i32) = (copy xs with [0] = 0, xs)
