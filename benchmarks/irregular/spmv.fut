-- A sparse matrix times a vector. The matrix is given by rows: where each begins, with the end behind the last, and the
-- columns and values of what is not zero.
-- ==
-- entry: main
-- input { [0, 2, 2, 5] [0, 2, 1, 0, 3] [1.0f32, 2.0f32, 3.0f32, 4.0f32, 5.0f32] [1.0f32, 10.0f32, 100.0f32, 1000.0f32] }
-- output { [201.0f32, 0.0f32, 5034.0f32] }
-- input { [0] empty([0]i32) empty([0]f32) [1.0f32] }
-- output { empty([0]f32) }
-- input { [0, 0, 0] empty([0]i32) empty([0]f32) empty([0]f32) }
-- output { [0.0f32, 0.0f32] }
-- input { [0, 1] [7] [1.0f32] [1.0f32] }
-- error: out of bounds

entry main [r] [k] [n] (starts: [r]i32) (columns: [k]i32) (values: [k]f32) (x: [n]f32) : []f32 =
  tabulate (r - 1) (\row ->
    let (from, to) = (i64.i32 starts[row], i64.i32 starts[row + 1])
    in f32.sum (map2 (\column value -> value * x[column]) columns[from:to] values[from:to]))
