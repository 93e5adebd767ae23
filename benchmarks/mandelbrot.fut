-- The Mandelbrot set, as numbers of steps and as pictures. Neighbouring points take very different times.
-- ==
-- entry: escapes
-- input { 9i32 6i32 -0.7f32 0.05f32 3.1f32 40i32 4.0f32 }
-- output { [[3i32, 3i32, 3i32, 3i32, 4i32, 5i32, 9i32, 5i32, 4i32], [3i32, 3i32, 4i32, 5i32, 5i32, 18i32,
--   40i32, 24i32, 5i32], [3i32, 4i32, 5i32, 13i32, 11i32, 40i32, 40i32, 40i32, 6i32], [3i32, 6i32, 8i32,
--   40i32, 40i32, 40i32, 40i32, 40i32, 6i32], [3i32, 4i32, 5i32, 9i32, 8i32, 40i32, 40i32, 40i32, 6i32],
--   [3i32, 3i32, 4i32, 4i32, 5i32, 7i32, 40i32, 7i32, 4i32]] }
-- input { 0i32 3i32 0.0f32 0.0f32 1.0f32 10i32 2.0f32 }
-- output { empty([3][0]i32) }
-- input { 100 75 -0.7f32 0f32 3.067f32 100 16f32 }
-- auto output
-- "whole" notest input { 4000 4000 -0.7f32 0f32 3.067f32 100 16f32 }
-- "off centre" notest input { 4000 4000 -0.4f32 0.75f32 1.2f32 400 16f32 }

-- ==
-- entry: main
-- input { 60 45 -0.7f32 0f32 3.067f32 100 16f32 }
-- "whole" notest input { 4000 4000 -0.7f32 0f32 3.067f32 100 16f32 }

-- ==
-- entry: picture
-- input { 1i32 1i32 0.0f32 0.0f32 0.0f32 10i32 2.0f32 }
-- output { [[[0u8, 0u8, 0u8]]] }
-- input { 60 45 -0.7f32 0f32 3.067f32 100 16f32 }
-- "whole" notest input { 4000 4000 -0.7f32 0f32 3.067f32 100 16f32 }

type view = {xmin: f32, ymin: f32, xstep: f32, ystep: f32}

def view_of (columns: i32) (rows: i32) (xcentre: f32) (ycentre: f32) (width: f32) : view =
  let height = width * f32.i32 rows / f32.i32 columns
  in { xmin = xcentre - width / 2
     , ymin = ycentre - height / 2
     , xstep = width / f32.i32 columns
     , ystep = height / f32.i32 rows
     }

-- How many steps z -> z * z + c takes from 0 to the distance `radius`, at most `depth`, and where it ends.
def escape (depth: i32) (radius: f32) (cx: f32) (cy: f32) : (i32, f32, f32) =
  let limit = radius * radius
  in loop (n, x, y) = (0, 0, 0) while n < depth && x * x + y * y < limit do
       (n + 1, x * x - y * y + cx, 2 * x * y + cy)

-- Blue to gold and back, darker where the escape was slow.
def colour (depth: i32) (n: i32, x: f32, y: f32) : (u8, u8, u8) =
  if n == depth
  then (0, 0, 0)
  else let smooth = f32.i32 n + 1 - f32.log (0.5 * f32.log (x * x + y * y + 1) + 1) / f32.log 2
       let channel phase =
         u8.i32 (i32.f32 (127.5 * (1 + f32.cos (0.35 * smooth + phase))))
       in (channel 3.6, channel 3.0, channel 2.2)

def render [r] [c] (rows: [r]i64) (cols: [c]i64) (v: view) (depth: i32) (radius: f32)
  : [r][c](i32, f32, f32) =
  map (\i ->
         map (\j -> escape depth radius (v.xmin + f32.i64 j * v.xstep) (v.ymin + f32.i64 i * v.ystep))
             cols)
      rows

entry escapes (x: i32) (y: i32) (xcentre: f32) (ycentre: f32) (width: f32) (depth: i32) (radius: f32)
  : [][]i32 =
  render (iota (i64.i32 y)) (iota (i64.i32 x)) (view_of x y xcentre ycentre width) depth radius
  |> map (map (\(n, _, _) -> n))

-- Colours as 0xRRGGBB.
entry main (x: i32) (y: i32) (xcentre: f32) (ycentre: f32) (width: f32) (depth: i32) (radius: f32)
  : [][]u32 =
  let pack (r, g, b) = (u32.u8 r << 16) | (u32.u8 g << 8) | u32.u8 b
  in render (iota (i64.i32 y)) (iota (i64.i32 x)) (view_of x y xcentre ycentre width) depth radius
     |> map (map (\e -> pack (colour depth e)))

entry picture (x: i32) (y: i32) (xcentre: f32) (ycentre: f32) (width: f32) (depth: i32) (radius: f32)
  : [][][3]u8 =
  let channels (r, g, b) = [r, g, b]
  in render (iota (i64.i32 y)) (iota (i64.i32 x)) (view_of x y xcentre ycentre width) depth radius
     |> map (map (\e -> channels (colour depth e)))
