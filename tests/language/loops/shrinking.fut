-- A size that changes is unknown inside the loop and after it.
-- ==
-- input { [5, 3, 8, 1] }
-- output { [8] }
-- input { [5] }
-- output { [5] }
def main (xs: []i32) =
  loop ys = xs while length ys > 1 do
    let half = length ys / 2
    in map2 i32.max (take half ys) (take half (reverse ys))
