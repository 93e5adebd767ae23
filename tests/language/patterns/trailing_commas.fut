-- A comma may follow the last item of a tuple, record, array or pattern.
-- ==
-- input { 1 2 }
-- output { [1, 2] }
def main (x: i32) (y: i32) =
  let (a, b,) = (x, y,)
  let {c, d,} = {c = a, d = b,}
  in [c, d,]
