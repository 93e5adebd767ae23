-- The cheapest way down a wall of numbers, going straight or one cell aside from row to row.
-- ==
-- entry: cheapest
-- input { [[3i32, 1i32, 4i32, 1i32, 5i32], [9i32, 2i32, 6i32, 5i32, 3i32], [5i32, 8i32, 9i32, 7i32, 9i32]] }
-- output { [8i32, 11i32, 12i32, 11i32, 13i32] }
-- input { [[3i32, 1i32, 4i32, 1i32, 5i32]] }
-- output { [3i32, 1i32, 4i32, 1i32, 5i32] }
-- input { empty([3][0]i32) }
-- output { empty([0]i32) }
-- input { [[4i32], [5i32], [6i32]] }
-- output { [15i32] }
-- input { empty([0][3]i32) }
-- error: Index \[0\] out of bounds for array of shape \[0\]
-- random input { [30][1000]i32 }
-- auto output
-- "large" notest random input { [1000][100000]i32 }

-- ==
-- entry: main
-- input { 12i64 4i64 }
-- output { [10i32, 14i32, 18i32, 4i32, 6i32, 12i32, 10i32, 10i32, 2i32, 6i32, 4i32, 2i32] }
-- input { 1000i64 10i64 }
-- auto output
-- "medium" notest input { 100000i64 100i64 }

-- Numbers that look random: element n of a Sobol sequence.
def sobol (directions: [30]i32) (n: i64) : i32 =
  let gray = n ^ (n >> 1)
  in loop number = 0 for bit < 30 do
       if (gray >> bit) & 1 == 1 then number ^ directions[bit] else number

-- The cheapest way to each cell of `row`, given that to the cells before it: straight on or one aside.
def step [n] (costs: [n]i32) (row: [n]i32) : [n]i32 =
  let from i =
    let left = costs[i64.max 0 (i - 1)]
    let right = costs[i64.min (n - 1) (i + 1)]
    in i32.min costs[i] (i32.min left right)
  in map2 (\i cell -> cell + from i) (iota n) row

-- From the first row to the last; rows are asked for one after another, so that a computed wall is never stored.
def descend [cols] (rows: i64) (row: i64 -> [cols]i32) : [cols]i32 =
  loop costs = copy (row 0) for r < rows - 1 do step costs (row (r + 1))

entry cheapest [rows] [cols] (wall: [rows][cols]i32) : [cols]i32 =
  descend rows (\r -> wall[r])

entry main (cols: i64) (rows: i64) : [cols]i32 =
  let directions = map (\i -> 1 << (29 - i32.i64 i)) (iota 30)
  in descend rows (\r -> tabulate cols (\c -> sobol directions (r * cols + c + 1) % 10))
