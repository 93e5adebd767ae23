-- The second element of a range must differ from the first.
-- ==
-- input { 2 2 5 }
-- error: Range 2\.\.2\.\.\.5 is invalid
-- input { 2 3 5 }
-- output { [2, 3, 4, 5] }
def main (a: i32) (b: i32) (c: i32) = a..b...c
