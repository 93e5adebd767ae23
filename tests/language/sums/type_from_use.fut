-- The type of a constructor may be declared where it is bound, or follow from what it is compared with.
-- ==
-- input { } output { false }
def main: bool =
  let x = #left 3
  let y: #left i32 | #right = #right
  in x == y
