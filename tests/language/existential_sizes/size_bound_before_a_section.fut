-- The operand of an operator section may have a size that was bound before the section.
-- ==
-- input { [1, -2] [[3, 4], [5, 6]] }
-- output { [[1, 3, 4], [1, 5, 6]] }
def main (xs: []i32) (yss: [][]i32) =
  let plus = filter (> 0) xs
  in map (plus ++) yss
