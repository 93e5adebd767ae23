-- If a function requires the result of an `if` to have the size of a parameter, both branches must have this size.
-- ==
-- input { true [1, 2] [3, 4] }
-- output { [2, 4] [4, 6] }
-- input { false [1, 2] [3, 4] }
-- output { [4, 6] [6, 8] }
-- input { true [1, 2] [3] }
-- error: `ys`.*: dimension 0 has size 1, but 2 is expected, as dimension 0 of argument 2 .`xs`. has
def main (c: bool) (xs: []i32) (ys: []i32) =
  let zs = if c then xs else ys
  in (map2 (+) zs xs, map2 (+) ys zs)
