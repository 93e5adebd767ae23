-- The function of `flatmap'` must return an array.
-- ==
-- error: E0201.*:5:35
def main (xs: []i32) =
  let (_, _, _, data) = flatmap' (\x -> x + 1) xs
  in data
