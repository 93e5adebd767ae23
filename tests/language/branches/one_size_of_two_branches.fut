-- If the arrays that each branch returns share one size, so do the results, whether it is that of a parameter or existential.
-- ==
-- entry: halves
-- input { true [1, -2, 3] }
-- output { [10, -4, 18] }
-- input { false [1, -2, 3] }
-- output { [10, 18] }
def paired (xs: [](i32, i32)) (c: bool) =
  let (as, bs) = if c then unzip xs else unzip (filter (\x -> x.0 > 0) xs)
  in map2 (*) as bs

entry halves [n] (c: bool) (xs: [n]i32) =
  paired (zip xs (map (\i -> if i == 0 then 10 else i32.i64 i * 3) (iota n)) |> map (\(x, y) -> (x, if y == 3 then 2 else y))) c

-- ==
-- entry: cases
-- input { 0 [1, -2] [3] }
-- output { [2, -4] }
-- input { 1 [1, -2] [3] }
-- output { [6] }
-- input { 2 [1, -2] [3] }
-- output { [2] }
entry cases (c: i32) (xs: []i32) (ys: []i32) =
  let (as, bs) =
    match c
    case 0 -> (xs, map (* 1) xs)
    case 1 -> (ys, ys)
    case _ -> let zs = filter (> 0) xs in (zs, zs)
  in map2 (+) as bs
