-- Records are matched by their fields.
-- ==
-- input { 1 2 }
-- output { 2 }
-- input { 0 2 }
-- output { -1 }
def main (x: i32) (y: i32) =
  match {x, y}
  case {x = 0, y = _} -> -1
  case {x = _, y} -> y
