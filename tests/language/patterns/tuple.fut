-- A tuple pattern binds the components of a tuple.
-- ==
-- input { 1 2.0 }
-- output { 2.0 1 }
def main (x: i32) (y: f64) =
  let t = (x, y)
  let (a, b) = t
  in (b, a)
