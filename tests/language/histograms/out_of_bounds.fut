-- Values with an index out of bounds are ignored.
-- ==
-- input { [0i64, -1i64, 2i64] }
-- output { [1, 0] }
-- input { [1i64] }
-- output { [0, 1] }
def main [n] (is: [n]i64) = hist (+) 0 2 is (map (const 1i32) is)
