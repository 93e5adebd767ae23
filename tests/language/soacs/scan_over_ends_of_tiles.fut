-- Scans and partitions may have as many elements as one work-group of a device processes at a time, or more.
-- ==
-- entry: sums
-- random input { [9000]i32 }
-- auto output
-- random input { [4097]i32 }
-- auto output
-- random input { [4096]i32 }
-- auto output
-- random input { [0]i32 }
-- auto output
-- random input { [1]i32 }
-- auto output
entry sums [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs

-- ==
-- entry: odd
-- random input { [5000]i32 }
-- auto output
-- random input { [2048]i32 }
-- auto output
entry odd [n] (xs: [n]i32) : ([]i32, []i32) = partition (\x -> x % 2 == 1) xs

-- ==
-- entry: affine
-- random input { [3][3000]i32 }
-- auto output
entry affine [n][m] (xss: [n][m]i32) : []i32 = map (.1) (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x, x + 1)) (flatten xss)))

-- ==
-- entry: rows
-- random input { [3][3000]i32 }
-- auto output
-- random input { [2][4096]i32 }
-- auto output
-- random input { [3][0]i32 }
-- auto output
entry rows [n][m] (xss: [n][m]i32) : [n][m]i32 = map (scan i32.max i32.lowest) xss
