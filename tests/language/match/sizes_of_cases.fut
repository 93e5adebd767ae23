-- Cases may give arrays of different sizes; then nobody knows the size before.
-- ==
-- input { 0 } output { 1i64 }
-- input { 1 } output { 2i64 }
-- input { 2 } output { 9i64 }
def main (k: i32) =
  length (match k
          case 0 -> iota 1
          case 1 -> iota 2
          case _ -> iota 9)
