-- `rep` repeats a value as often as the expected type of the result requires.
-- ==
-- input { [1, 2, 3] }
-- output { [8, 9, 10] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main [n] (xs: [n]i32) : [n]i32 = map2 (+) xs (rep 7)
