-- The fields of a record may be arrays of existential size.
-- ==
-- input { [1, -2, 3] }
-- output { [1, 3] [-2] }
def divide (xs: []i32) : {plus: []i32, minus: []i32} =
  {plus = filter (> 0) xs, minus = filter (< 0) xs}

def main (xs: []i32) =
  let r = divide xs
  in (r.plus, r.minus)
