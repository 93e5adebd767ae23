-- The components of a tuple are fields named by numbers, starting at zero.
-- ==
-- input { 1 2.5 }
-- output { 2.5 1 }
def main (x: i32) (y: f64) =
  let t = (x, y)
  in (t.1, t.0)
