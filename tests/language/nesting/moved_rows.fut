-- Nests that only move rows, at any depth and for rows of any length.
-- ==
-- entry: turned_round
-- input { [[[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]], [[7i32, 8i32, 9i32], [0i32, -1i32, -2i32]]] }
-- output { [[[3i32, 2i32, 1i32], [6i32, 5i32, 4i32]], [[9i32, 8i32, 7i32], [-2i32, -1i32, 0i32]]] }
-- input { empty([0][2][3]i32) } output { empty([0][2][3]i32) }
-- input { empty([2][3][0]i32) } output { empty([2][3][0]i32) }
-- input { [[[7i32]]] } output { [[[7i32]]] }
-- compiled random input { [5][300][8]i32 } auto output
-- compiled random input { [3][17][129]i32 } auto output
entry turned_round [n][m][k] (blocks: [n][m][k]i32) : [n][m][k]i32 = map (map reverse) blocks

-- ==
-- entry: picked
-- input { [[[1u8, 2u8], [3u8, 4u8], [5u8, 6u8]]] } output { [[[1u8, 2u8], [3u8, 4u8], [5u8, 6u8]]] }
-- input { empty([0][2][3]u8) } output { empty([0][2][3]u8) }
-- input { empty([2][0][3]u8) } output { empty([2][0][3]u8) }
-- compiled random input { [40][15][136]u8 } auto output
-- compiled random input { [200][3][3]u8 } auto output
entry picked [n][m][k] (blocks: [n][m][k]u8) : [n][m][k]u8 =
  map (\block -> tabulate m (\i -> block[(i * 7 + 3) % m])) blocks

-- ==
-- entry: both
-- input { [[[1i64, 2i64], [3i64, 4i64]]] [[1i64, 0i64]] }
-- output { [[[3i64, 4i64], [1i64, 2i64]]] [[[4i64, 3i64], [2i64, 1i64]]] }
-- input { [[[1i64, 2i64], [3i64, 4i64]]] [[1i64, 2i64]] } error: 2
-- compiled random input { [20][30][40]i64 [20][0]i64 } auto output
entry both [n][m][k][l] (blocks: [n][m][k]i64) (is: [n][l]i64) : ([n][l][k]i64, [n][l][k]i64) =
  unzip (map2 (\block js -> (map (\j -> block[j]) js, map (\j -> reverse block[j]) js)) blocks is)
