-- Loop-invariant work is done once, and not at all if the loop has no iterations.
-- ==
-- entry: total
-- input { [1, -2, 3] 2 }
-- output { 28 }
-- input { [1, -2, 3] 0 }
-- output { 0 }
-- input { empty([0]i32) 3 }
-- output { 0 }

-- ==
-- entry: shifted
-- input { [1f32, 2f32] 2 }
-- output { [11f32, 12f32] }
-- input { [1f32, 2f32] -1 }
-- output { [1f32, 2f32] }
-- input { empty([0]f32) 2 }
-- output { empty([0]f32) }

-- ==
-- entry: kept
-- input { [1, -2, 3] 2 }
-- output { 4i64 }
-- input { [1, -2, 3] 0 }
-- output { 0i64 }

-- ==
-- entry: cubes
-- input { 3i64 2 }
-- output { 20i64 }
-- input { -1i64 0 }
-- output { 0i64 }
-- input { -1i64 2 }
-- error: Range 0\.\.1\.\.<-1 is invalid

-- ==
-- entry: rows
-- input { 2i64 20i64 }
-- output { [0i64, 36100i64] }
-- input { 0i64 -1i64 }
-- output { empty([0]i64) }
-- input { 2i64 -1i64 }
-- error: Range 0\.\.1\.\.<-1 is invalid

-- ==
-- entry: first_told
-- input { 3i64 3i64 1 }
-- output { 9i64 }
-- input { 3i64 -1i64 2 }
-- error: Range 0\.\.1\.\.<-1 is invalid
-- input { -2i64 -1i64 2 }
-- error: Range 0\.\.1\.\.<-2 is invalid
-- input { -2i64 -1i64 0 }
-- output { 0i64 }

-- ==
-- entry: consumed
-- input { [1, -2, 3] 2 }
-- output { [2, 6, 21] }
-- input { [1, -2, 3] 0 }
-- output { [1, -2, 3] }

entry total [n] (a: [n]i32) (k: i32) : i32 =
  loop sum = 0 for _i < k do sum + i32.sum (map (\x -> x * x) a)

entry shifted [n] (a: [n]f32) (k: i32) : [n]f32 =
  loop x = a for _i < k do
    let s = f32.sum (map (\y -> y * y) a)
    in map (+ s) x

entry kept [n] (a: [n]i32) (k: i32) : i64 =
  loop count = 0 for _i < k do count + length (map (* 2) (filter (> 0) a))

entry cubes (m: i64) (k: i32) : i64 =
  loop sum = 0 for _i < k do sum + i64.sum (scan (+) 0 (map (** 3) (iota m)))

entry rows (n: i64) (m: i64) : [n]i64 =
  map (\i -> let sums = scan (+) 0 (map (** 3) (iota m)) in i * sums[m - 1]) (iota n)

entry first_told (n: i64) (m: i64) (k: i32) : i64 =
  loop sum = 0 for _i < k do
    let t = map (\x -> x * x) (iota n)
    let u = scan (+) 0 (iota m)
    in sum + i64.sum t + i64.sum u

entry consumed [n] (a: [n]i32) (k: i32) : [n]i32 =
  loop x = copy a for i < k do
    let t = map (\y -> y * y) a
    let t[0] = i
    in map2 (+) t x
