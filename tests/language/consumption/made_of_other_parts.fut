-- An update may write values computed from other parts of the array, located by a division, a choice or a 32-bit index, and
-- may overlap them.
-- ==
-- entry: upper_half
-- input { [1, 2, 3, 4, 5] }
-- output { [1, 2, 3, 2, 1] }
-- input { [1, 2, 3, 4] }
-- output { [1, 2, 2, 1] }
-- input { [1] }
-- output { [1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: from_the_middle
-- input { [1, 2, 3, 4, 5] }
-- output { [1, 2, 1, 2, 3] }
-- input { [1, 2, 3, 4] }
-- output { [1, 2, 1, 2] }
-- input { [1] }
-- output { [1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: chosen
-- input { [[1, 2], [3, 4], [5, 6]] true }
-- output { [[1, 2], [3, 4], [2, 1]] }
-- input { [[1, 2], [3, 4], [5, 6]] false }
-- output { [[1, 2], [3, 4], [6, 5]] }
-- input { empty([3][0]i32) false }
-- output { empty([3][0]i32) }

-- ==
-- entry: running
-- input { [[1, 2], [3, 4], [5, 6], [7, 8]] }
-- output { [[1, 2], [4, 6], [9, 12], [16, 20]] }

-- ==
-- entry: inner
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] }
-- output { [[1, 2, 3], [4, 10, 6], [7, 8, 9]] }
-- input { [[1, 2], [3, 4]] }
-- output { [[1, 2], [3, 4]] }

-- ==
-- entry: sums_of_columns
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [[1, 2], [4, 6], [9, 12]] }
-- input { empty([3][0]i32) }
-- output { empty([3][0]i32) }

entry upper_half [n] (a: *[n]i32) : [n]i32 =
  let half = n / 2
  in a with [n - half:] = (copy (reverse a[:half]) :> [n - (n - half)]i32)

entry from_the_middle [n] (a: *[n]i32) : [n]i32 =
  let half = n / 2
  in a with [half:] = (copy a[:n - half] :> [n - half]i32)

entry chosen [m] (a: *[3][m]i32) (c: bool) : [3][m]i32 =
  let row = if c then a[0] else a[2]
  in a with [2] = map (\i -> row[m - 1 - i]) (iota m)

entry running [m] (a: *[4][m]i32) : [4][m]i32 =
  loop a for i < 3 do a with [i + 1] = map2 (+) a[i] a[i + 1]

entry inner [n] (a: [n][n]i32) : [n][n]i32 =
  let m = n - 2
  let sums = tabulate_2d m m (\i j -> a[i, j] + a[i + 2, j + 2])
  in copy a with [1:n - 1, 1:n - 1] = (sums :> [n - 1 - 1][n - 1 - 1]i32)

entry sums_of_columns [m] (a: *[3][m]i32) : [3][m]i32 =
  scan (map2 (+)) (replicate m 0) a
