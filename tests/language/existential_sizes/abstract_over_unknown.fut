-- An array of unknown size may be passed to a function that takes any size.
-- ==
-- input { [4, -1, 2] }
-- output { 3 }
def mean [n] (xs: [n]i32) = if n == 0 then 0 else i32.sum xs / i32.i64 n

def main (xs: []i32) = mean (filter (> 0) xs)
