-- An existential size may occur several times in a type; these sizes are equal.
-- ==
-- input { [3, -1, 4] }
-- output { [9, 16] }
def positives (xs: []i32) : ?[k].([k]i32, [k]i32) =
  let ys = filter (> 0) xs
  in (ys, ys)

def main (xs: []i32) =
  let (a, b) = positives xs
  in map2 (*) a b
