-- Binding a name again shadows the earlier binding from there on; the earlier value does not change.
-- ==
-- input { 2 }
-- output { 9 2 }
def main (x: i32) =
  let old = x
  let x = x + 1
  let x = x * 3
  in (x, old)
