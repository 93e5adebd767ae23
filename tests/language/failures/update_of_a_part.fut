-- An update of a slice that is out of bounds overwrites no memory before or after the array.
-- ==
-- entry: values
-- input { [1i64, 9i64, 4i64] 0i64 } output { [7i64, 8i64, 4i64] }
-- input { [1i64, 9i64, 4i64] 2i64 } error: Index \[2:4\] out of bounds
-- input { [1i64, 9i64, 4i64] -1i64 } error: out of bounds
-- input { [1i64, 9i64, 4i64] 1000000000i64 } error: out of bounds
-- input { empty([0]i64) 0i64 } error: out of bounds

-- ==
-- entry: computed scanned
-- input { [1i64, 9i64, 4i64] 1i64 } error: Index \[1:4\] out of bounds
-- input { [1i64, 9i64, 4i64] -1i64 } error: out of bounds
-- input { [1i64, 9i64, 4i64] -1000000i64 } error: out of bounds
-- input { [1i64, 9i64, 4i64] 1000000000i64 } error: out of bounds
-- input { empty([0]i64) 0i64 } output { empty([0]i64) }

-- ==
-- entry: row
-- input { [1i64, 9i64] 1i64 } output { [[1i64, 9i64], [2i64, 10i64]] }
-- input { [1i64, 9i64] 2i64 } error: Index \[2\] out of bounds
-- input { [1i64, 9i64] -1i64 } error: Index \[-1\] out of bounds
-- input { [1i64, 9i64] 100000000i64 } error: out of bounds

-- ==
-- entry: inside
-- input { [1i64, 9i64] [0i64, 1i64] } output { [[2i64, 9i64], [1i64, 10i64]] }
-- input { [1i64, 9i64] [0i64, -1i64] } error: out of bounds
-- input { [1i64, 9i64] [0i64, 2i64, 100000000i64] } error: Index \[2:3\] out of bounds
entry values [n] (xs: [n]i64) (s: i64) : []i64 = let ys = copy xs let ys[s:s + 2] = [7, 8] in ys
entry computed [n] (xs: [n]i64) (s: i64) : []i64 = let ys = copy xs let ys[s:s + n] = map (+ 1) xs in ys
entry scanned [n] (xs: [n]i64) (s: i64) : []i64 = let ys = copy xs let ys[s:s + n] = scan (+) 0 xs in ys
entry row [n] (xs: [n]i64) (s: i64) : [][]i64 = let ys = replicate 2 (copy xs) let ys[s] = map (+ 1) xs in ys
entry inside [n] [m] (xs: [n]i64) (ss: [m]i64) : [m][n]i64 =
  map (\s -> let ys = copy xs let ys[s:s + 1] = map (+ 1) (take 1 (drop (s % n) xs)) in ys) ss
