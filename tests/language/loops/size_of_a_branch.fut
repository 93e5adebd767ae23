-- If one branch of the body returns the loop parameter and another an array of a different size, the parameter's size varies.
-- ==
-- entry: named
-- input { 3i64 2i64 4i64 }
-- output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 2i64 4i64 }
-- output { [0i64, 1i64] }
entry named (n: i64) (m: i64) (k: i64) = loop t = iota m for i < n do if i % 2 == 0 then iota k else t

-- ==
-- entry: constant
-- input { 3i64 }
-- output { [2i64, 2i64] }
-- input { 0i64 }
-- output { [7i64] }
entry constant (n: i64) : []i64 = loop t = [7] for i < n do if i % 2 == 0 then [i, i] else t

-- ==
-- entry: unnamed
-- input { [5, 1, 7] [2] 1i64 }
-- output { [2] }
-- input { [5, 1, 7] [2] 0i64 }
-- output { [5, 1, 7] }
entry unnamed (xs: []i32) (ys: []i32) (n: i64) = loop t = xs for _i < n do if null ys then t else ys

-- ==
-- entry: in_case
-- input { [5, 1, 7] 3i64 }
-- output { [5, 7, 5, 7] }
entry in_case (xs: []i32) (n: i64) =
  loop t = xs for i < n do
    match i
    case 0 -> t
    case 1 -> filter (> 4) t
    case _ -> t ++ t
