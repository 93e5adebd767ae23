-- The row size of an empty array must be known, too.
-- ==
-- input { 3i64 }
-- output { empty([0][3]i32) }
-- input { 0i64 }
-- output { empty([0][0]i32) }
def main (n: i64) : [0][n]i32 = []
