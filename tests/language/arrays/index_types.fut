-- An index may have any signed integer type.
-- ==
-- input { [5, 6, 7] 1i8 2i16 0i32 }
-- output { 6 7 5 }
def main (xs: []i32) (i: i8) (j: i16) (k: i32) = (xs[i], xs[j], xs[k])
