-- Quasicrystals: waves in many directions, added and folded into colours, as one of Accelerate's examples does.
-- ==
-- entry: main
-- input { 60i32 30.0f32 5i32 2i32 1.0f32 }
-- auto output
-- input { 1i32 30.0f32 50i32 1i32 0.5f32 }
-- auto output
-- input { 0i32 30.0f32 5i32 1i32 1.0f32 }
-- auto output
-- input { 5i32 30.0f32 0i32 1i32 1.0f32 }
-- auto output
-- "2000" notest input { 2000i32 30.0f32 50i32 1i32 1.0f32 }

-- Up and down again between 0 and 1.
def fold (x: f32) : f32 =
  let whole = i32.f32 x
  let part = x - f32.i32 whole
  in if whole & 1 == 1 then 1 - part else part

-- From dark to gold, as 0xRRGGBB.
def colour (v: f32) : i32 =
  let channel x = i32.f32 (255 * f32.max 0 (f32.min 1 x))
  in channel (0.4 + 0.6 * v) << 16 | channel v << 8

-- The waves' directions turn by the same angle from one to the next.
def frame (size: i64) (scale: f32) (degree: i64) (time: f32) : [size][size]i32 =
  let turn = f32.pi / (1 + time ** 1.5 * 0.005)
  let directions = tabulate degree (\i -> (f32.cos (f32.i64 i * turn), f32.sin (f32.i64 i * turn)))
  let place i = f32.i64 i / f32.i64 size * scale
  let waves x y = f32.sum (map (\(cos, sin) -> (f32.cos (cos * x + sin * y) + 1) / 2) directions)
  in tabulate_2d size size (\i j -> colour (fold (waves (place j) (place i))))

entry main (field_size: i32) (scale: f32) (degree: i32) (steps: i32) (time_delta: f32) : [][][]i32 =
  tabulate (i64.i32 steps) (\s -> frame (i64.i32 field_size) scale (i64.i32 degree) (f32.i64 s * time_delta))
