-- k-means in the plane: centres that move to the mean of the points nearest to them until they rest.
-- The first k points are where they start. The second result counts the moves after the first one.
-- ==
-- entry: main
-- input { 3i32 [[7.32f32, 8.2f32], [7.54f32, 8.13f32], [8.67f32, 9.44f32], [-1.19f32, 8.42f32], [0.12f32,
--   -0.64f32], [-1.2f32, 0.07f32], [8.68f32, 7.93f32], [0.58f32, -0.19f32], [2.0f32, 0.76f32], [-0.2f32,
--   9.9f32], [1.15f32, 7.68f32]] }
-- output { [[0.18f32, 3.714286f32], [7.846667f32, 8.086667f32], [8.67f32, 9.44f32]] 2i32 }
-- input { 1i32 [[2.0f32, 3.0f32]] }
-- output { [[2.0f32, 3.0f32]] 0i32 }
-- input { 3 [[1f32, 2f32]] }
-- error: .

-- ==
-- entry: five
-- random input { [1000][2]f32 }
-- auto output
-- "large" notest random input { [1000000][2]f32 }

type point = (f32, f32)

def distance2 ((x1, y1): point) ((x2, y2): point) : f32 =
  (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)

-- The index of the nearest centre, the first of equally near ones.
def nearest [k] (centres: [k]point) (p: point) : i64 =
  let (best, _) =
    loop (best, least) = (0, f32.inf) for i < k do
      let d = distance2 p centres[i]
      in if d < least then (i, d) else (best, least)
  in best

-- Every centre moves to the mean of the points nearest to it; one that has no points stays.
def recentre [n] [k] (points: [n]point) (centres: [k]point) : [k]point =
  let clusters = map (nearest centres) points
  let add (x1, y1, n1) (x2, y2, n2) = (x1 + x2, y1 + y2, n1 + n2)
  let sums = hist add (0, 0, 0i32) k clusters (map (\(x, y) -> (x, y, 1)) points)
  in map2 (\(x, y, count) centre ->
             if count == 0 then centre else (x / f32.i32 count, y / f32.i32 count))
          sums centres

def moved ((x1, y1): point) ((x2, y2): point) : bool =
  f32.abs (x1 - x2) > 0.01 || f32.abs (y1 - y2) > 0.01

entry main [n] (k: i32) (points_in: [n][2]f32) : ([][2]f32, i32) =
  let points = map (\p -> (p[0], p[1])) points_in
  let (centres, _, moves) =
    loop (centres, moving, moves) = (take (i64.i32 k) points, true, -1) while moving do
      let next = recentre points centres
      in (next, or (map2 moved centres next), moves + 1)
  in (map (\(x, y) -> [x, y]) centres, moves)

-- Five centres.
entry five [n] (points: [n][2]f32) : ([][2]f32, i32) = main 5 points
