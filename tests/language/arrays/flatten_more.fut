-- `flatten_3d` and `unflatten_3d` flatten and unflatten arrays of three dimensions.
-- ==
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] }
-- output { [1, 2, 3, 4, 5, 6, 7, 8] [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] }
def main (xsss: [2][2][2]i32) =
  let flat = flatten_3d xsss
  in (flat, unflatten_3d flat)
