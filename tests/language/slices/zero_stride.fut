-- The step of a slice must not be zero.
-- ==
-- input { [1, 2, 3] 0i64 }
-- error: out of bounds
-- input { [1, 2, 3] 2i64 }
-- output { [1, 3] }
def main (xs: []i32) (s: i64) = xs[::s]
