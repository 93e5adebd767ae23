-- Any part of a pattern may have a type ascription.
-- ==
-- input { 1 }
-- output { 2i64 1 }
def main (x: i32) =
  let (a: i32, b: i64) = (x, 2)
  in (b, a)
