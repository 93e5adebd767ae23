-- A colon in brackets belongs to a slice; an ascription needs parentheses.
-- ==
-- input { [5, 6] }
-- output { 6 }
def main (xs: []i32) = xs[(1 : i64)]
