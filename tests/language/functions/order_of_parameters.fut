-- A size named by one parameter may be used in the types of later parameters.
-- ==
-- input { 2i64 [5, 6] }
-- output { 11 }
-- input { 0i64 empty([0]i32) }
-- output { 0 }
def sum_of (n: i64) (xs: [n]i32) = loop s = 0 for i < n do s + xs[i]

def main [n] (_: i64) (xs: [n]i32) = sum_of n xs
