-- A coercion to a different size ends the run.
-- ==
-- input { [1, 2, 3] }
-- output { [1, 2, 3] }
-- input { [1, 2] }
-- error: .
-- input { empty([0]i32) }
-- error: .
def main (xs: []i32) : [3]i32 = xs :> [3]i32
