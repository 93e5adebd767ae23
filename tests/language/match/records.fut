<<<<<<< HEAD
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
=======
-- Fields of records are matched by name.
-- ==
-- input { true 2 } output { 2 }
-- input { false 2 } output { 0 }
def main (on: bool) (size: i32): i32 =
  match {on, size}
  case {on = true, size} -> size
  case {on = _, size = _} -> 0
>>>>>>> 69f6bf6 (Show sum types and match by example)
