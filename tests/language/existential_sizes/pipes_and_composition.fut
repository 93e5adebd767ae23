-- Functions whose results have unknown sizes may be composed.
-- ==
-- input { [3, -1, 4] }
-- output { 7 }
def main (xs: []i32) = (filter (> 0) >-> i32.sum) xs
