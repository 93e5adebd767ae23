-- The result of a loop may become a row of an array, and is made there.
-- ==
-- entry: on_the_host
-- input { [[7i64, 7i64, 7i64], [8i64, 8i64, 8i64], [9i64, 9i64, 9i64]] [1i64, 2i64, 3i64] 1i64 }
-- output { [[7i64, 7i64, 7i64], [1i64, 4i64, 10i64], [9i64, 9i64, 9i64]] }
entry on_the_host [n] (a: *[n][n]i64) (x: [n]i64) (k: i64) : *[n][n]i64 =
  a with [k] = loop v = x for _i < 2i64 do scan (+) 0 v

-- ==
-- entry: in_a_map
-- input { [[7i64, 7i64, 7i64], [8i64, 8i64, 8i64], [9i64, 9i64, 9i64]] [1i64, 2i64, 3i64] }
-- output { [[2i64, 7i64, 16i64], [8i64, 8i64, 8i64], [9i64, 9i64, 9i64]] }
entry in_a_map [n] (a: *[n][n]i64) (x: [n]i64) : *[n][n]i64 =
  a with [0] = (map (\k -> loop v = x for i < 2i64 do
                             loop u = scan (+) 0 (map (+ (k - i)) v) for _j < 2i64 do u)
                    [1i64])[0]
