-- An index section may contain several indices and slices.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { 3 [2, 4] }
def main (xss: [][]i32) =
  let f = (.[1, 0])
  let g = (.[:, 1])
  in (f (xss : [][]i32), g xss)
