-- The cases may return arrays of different sizes; the size of the result is then unknown.
-- ==
-- input { 0 }
-- output { [0i64] }
-- input { 1 }
-- output { [0i64, 1i64, 2i64] }
-- input { 2 }
-- output { empty([0]i64) }
def main (x: i32) =
  match x
  case 0 -> iota 1
  case 1 -> iota 3
  case _ -> iota 0
