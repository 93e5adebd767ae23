-- A loop may continue with a slice of its parameter, and with a slice of that, as binary search does.
-- ==
-- entry: one
-- input { [1, 2, 4, 5, 5, 8, 9] 5 }
-- output { 5 }
-- input { [1, 2, 4, 5, 5, 8, 9] 0 }
-- output { 1 }
-- input { [3] 7 }
-- output { 3 }

-- ==
-- entry: each
-- input { [1, 2, 4, 5, 5, 8, 9] [9, 3, 100] }
-- output { [9, 2, 9] }
-- input { [1] empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: shrinking
-- input { [5, 6, 7, 8, 9] }
-- output { 9 }
-- input { empty([0]i32) }
-- output { 0 }
def search [n] (xs: [n]i32) (v: i32) : i32 =
  let ys = loop ys = xs while length ys > 1 do
             let h = length ys / 2
             in if ys[h] <= v then ys[h:] else ys[:h]
  in ys[0]

entry one [n] (xs: [n]i32) (v: i32) = search xs v

entry each [n] [m] (xs: [n]i32) (vs: [m]i32) = map (search xs) vs

-- Parts of what an iteration makes.
entry shrinking [n] (xs: [n]i32) =
  let ys = loop ys = xs while length ys > 2 do init (tail (map (+ 1) ys))
  in i32.sum ys
