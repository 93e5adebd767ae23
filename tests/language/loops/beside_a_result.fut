-- A loop in a map may begin with an array that is also a result of the map, and yield it again.
-- ==
-- entry: beside
-- input { 3i64 [1i64, 10i64] 0i64 } output { [[1i64, 2i64, 3i64], [10i64, 20i64, 30i64]] [[1i64, 2i64, 3i64], [10i64, 20i64, 30i64]] }
-- input { 3i64 [1i64, 10i64] 2i64 } output { [[1i64, 2i64, 3i64], [10i64, 20i64, 30i64]] [[1i64, 2i64, 3i64], [10i64, 20i64, 30i64]] }
-- input { 3i64 [1i64, 10i64] 3i64 } output { [[1i64, 2i64, 3i64], [10i64, 20i64, 30i64]] [[2i64, 3i64, 4i64], [11i64, 21i64, 31i64]] }
-- input { 0i64 [1i64, 10i64] 3i64 } output { empty([2][0]i64) empty([2][0]i64) }
entry beside [m] (n: i64) (xs: [m]i64) (d: i64) : ([m][n]i64, [m][n]i64) =
  unzip (map (\x ->
                let t = scan (+) 0 (replicate n x)
                let w = loop u = t for j < d do if j == 1 then t else map (+ 1) u
                in (t, w))
             xs)

-- ==
-- entry: inside
-- input { 3i64 [1i64, 10i64] } output { [[1i64, 3i64, 6i64], [10i64, 30i64, 60i64]] }
entry inside [m] (n: i64) (xs: [m]i64) : [m][n]i64 =
  map (\x -> loop v = replicate n x for _i < 2i64 do
               let w = loop u = v for _j < 2i64 do if x == 7 then u else v
               in scan (+) 0 w)
      xs

-- ==
-- entry: on_the_host
-- input { [1i64, 2i64, 3i64] } output { [1i64, 5i64, 15i64] }
entry on_the_host [n] (xs: [n]i64) : [n]i64 =
  loop v = xs for i < 3i64 do
    let w = loop u = v for _j < 2i64 do if i == 7 then u else v
    in scan (+) 0 w
