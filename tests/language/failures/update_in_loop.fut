-- An update out of bounds fails in the iteration in which it occurs.
-- ==
-- input { 2i64 }
-- output { [0i64, 1i64, 0i64] }
-- input { 4i64 }
-- error: Index \[3\] out of bounds for array of shape \[3\]
def main (n: i64) = loop xs = replicate 3 0i64 for i < n do xs with [i] = i
