-- A value computed from a whole row may be used for each of its elements, in several steps.
-- ==
-- entry: centred
-- input { [[1i32, 2i32, 6i32], [4i32, -5i32, 4i32]] } output { [[2i32, 1i32, -3i32], [-3i32, 6i32, -3i32]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }
-- input { [[7i32]] } output { [[0i32]] }
-- "long" compiled random input { [3][5000]i32 } auto output
-- "wide" compiled random input { [9][130]i32 } auto output
entry centred [n][m] (rows: [n][m]i32) : [n][m]i32 =
  map (\row -> let mean = if m == 0 then 0 else i32.sum row / i32.i64 m in map (\x -> mean - x) row) rows

-- ==
-- entry: turned
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[6i64, 3i64, 1i64], [15i64, 9i64, 4i64]] [12i64, 30i64] }
-- compiled random input { [5][300]i64 } auto output
entry turned [n][m] (rows: [n][m]i64) : ([n][m]i64, [n]i64) =
  unzip (map (\row ->
    let sums = scan (+) 0 row
    let most = i64.maximum sums
    in (map (\i -> sums[m - 1 - i]) (iota m), if m == 0 then 0 else 2 * most)) rows)

-- The so-manieth largest of the different elements of each row.
-- ==
-- entry: repeated
-- input { 3i64 [[5i32, 1i32, 4i32, 1i32], [2i32, 2i32, 2i32, 9i32]] } output { [1i32, 0i32] }
entry repeated [n][m] (k: i64) (rows: [n][m]i32) : [n]i32 =
  map (\row -> i32.max 0 (loop bound = i32.highest for _i < k do
    i32.maximum (map (\x -> if x < bound then x else i32.lowest) row))) rows

-- ==
-- entry: checked
-- input { [[1i64, 1i64], [0i64, 1i64]] } output { [[1i64, 1i64], [0i64, 1i64]] }
-- input { [[1i64, 2i64, 0i64], [0i64, 3i64, 7i64]] } error: 3
entry checked [n][m] (rows: [n][m]i64) : [n][m]i64 =
  map (\row -> let most = i64.maximum row in map (\x -> i64.min most (x + row[x % (m + 1)])) row) rows
