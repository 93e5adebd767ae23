-- A name bound again hides the earlier one from there on; the earlier value is not changed.
-- ==
-- input { 2 }
-- output { 9 2 }
def main (x: i32) =
  let old = x
  let x = x + 1
  let x = x * 3
  in (x, old)
