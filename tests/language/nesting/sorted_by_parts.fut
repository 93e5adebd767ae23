-- A recursive function may call itself for all parts of its problem at once.
-- ==
-- input { [3i32, 1i32, 2i32, 3i32, 0i32] } output { [0i32, 1i32, 2i32, 3i32, 3i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [7i32] } output { [7i32] }
def sort [n] (xs: [n]i32) : []i32 =
  if length xs < 2
  then xs
  else let pivot = xs[length xs / 2]
       let parts p = filter p xs
       let (_, _, _, sorted) =
         flatmap' (\side ->
                     let part = if side then parts (< pivot) else parts (> pivot)
                     in sort part)
                  [true, false]
       let below = length (parts (< pivot))
       in sorted[:below] ++ parts (== pivot) ++ sorted[below:]

def main (xs: []i32) = sort xs
