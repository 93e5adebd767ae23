-- Conway's game of life on a board whose borders meet. After four generations a glider has moved by one cell.
-- ==
-- entry: main
-- input { 1i32 [[0u8, 1u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 1u8, 0u8, 0u8, 0u8], [1u8, 1u8, 1u8, 0u8, 0u8,
--   0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8]] }
-- output { [[0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [1u8, 0u8, 1u8, 0u8, 0u8, 0u8], [0u8, 1u8, 1u8, 0u8, 0u8, 0u8],
--   [0u8, 1u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8]] }
-- input { 4i32 [[0u8, 1u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 1u8, 0u8, 0u8, 0u8], [1u8, 1u8, 1u8, 0u8, 0u8,
--   0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8]] }
-- output { [[0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 1u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 1u8, 0u8, 0u8],
--   [0u8, 1u8, 1u8, 1u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8]] }
-- input { 2i32 empty([0][0]u8) }
-- output { empty([0][0]u8) }
-- input { 3 [[1u8, 0u8, 1u8], [1u8, 1u8, 0u8]] }
-- auto output

-- ==
-- entry: population
-- input { [[0u8, 1u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 1u8, 0u8, 0u8, 0u8], [1u8, 1u8, 1u8, 0u8, 0u8, 0u8],
--   [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8]] }
-- output { 5i64 }
-- random input { [37][53]u8 }
-- auto output

def alive (cells: u8) (neighbours: u8) : u8 =
  if neighbours == 3 || (cells == 1 && neighbours == 2) then 1 else 0

-- One generation on a board whose borders meet.
def generation [h] [w] (board: [h][w]u8) : [h][w]u8 =
  let sides = map2 (map2 (+)) (map (rotate 1) board) (map (rotate (-1)) board)
  let rows = map2 (map2 (+)) sides board
  let around = map3 (map3 (\s above below -> s + above + below)) sides (rotate 1 rows) (rotate (-1) rows)
  in map2 (map2 alive) board around

entry main [h] [w] (generations: i32) (board: [h][w]u8) : [h][w]u8 =
  loop board for _i < generations do generation board

entry population [h] [w] (board: [h][w]u8) : i64 =
  i64.sum (map i64.u8 (flatten board))
