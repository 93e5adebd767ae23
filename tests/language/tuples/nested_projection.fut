-- Projections may be chained: `t.0.1` is two projections, not a number.
-- ==
-- input { 1 2 3 }
-- output { 2 3 }
def main (x: i32) (y: i32) (z: i32) =
  let t = ((x, y), z)
  in (t.0.1, t.1)
