-- A size is known if it was bound by an earlier `let`.
-- ==
-- input { [3, -1, 4] }
-- output { [3, 4] [9, 9] }
def main (xs: []i32) =
  let ys = filter (> 0) xs
  in unzip (zip ys (rep 9i32))
