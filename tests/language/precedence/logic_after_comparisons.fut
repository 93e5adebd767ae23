-- `&&` binds more loosely than comparisons, and `||` more loosely than `&&`.
-- ==
-- input { 1 2 3 }
-- output { true }
-- input { 3 2 1 }
-- output { false }
-- input { 5 5 1 }
-- output { true }
def main (x: i32) (y: i32) (z: i32) = x == y || x < y && y < z
